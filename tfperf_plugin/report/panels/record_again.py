"""The command that records a program again."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.judging.engine.words import RECORD

_NSIGHT: Final = "nsys profile --trace=cuda,nvtx PROGRAM"
_OTHERS: Final = "tfperf record --after-seconds 30 -- python PROGRAM"


def record_again(program: Program, recorder: str) -> str:
    """With tfperf, unless the program is only known to run under Nsight Systems."""
    if program.training:
        return RECORD
    return _NSIGHT if recorder == "Nsight Systems" and not program.framework else _OTHERS
