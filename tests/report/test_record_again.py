"""What to run to record a program again."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.reports import make_report
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.judging.engine.words import RECORD
from tfperf_plugin.report.panels.headline import record_again
from tfperf_plugin.report.render.commands import at, next_of

NSYS = "nsys profile --trace=cuda,nvtx PROGRAM"
SECONDS = "tfperf record --after-seconds 30 -- python PROGRAM"


@pytest.mark.parametrize(
    ("program", "recorder", "command"),
    [
        (Program("PyTorch", training=True), "PyTorch profiler", RECORD),
        (Program("", training=True), "Nsight Systems", RECORD),
        (Program("PyTorch", inference=True), "PyTorch profiler", SECONDS),
        (Program("PyTorch"), "Nsight Systems", SECONDS),
        (Program(""), "Nsight Systems", NSYS),
        (Program(""), "TensorFlow or JAX profiler", SECONDS),
    ],
)
def test_a_program_is_recorded_again_by_what_fits_it(program: Program, recorder: str, command: str) -> None:
    assert record_again(program, recorder) == command


def test_only_python_is_tried_by_tfperf() -> None:
    (finding,) = make_report().findings
    report = make_report()

    assert next_of(replace(report, record=SECONDS), finding, at(None)).endswith("-- python PROGRAM")
    assert next_of(replace(report, record=NSYS), finding, at(None)) == NSYS
