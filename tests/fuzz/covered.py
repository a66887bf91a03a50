"""Fuzzing guided by coverage, with Atheris:

    python -m tests.fuzz.covered TARGET [FOLDER ...] [-OPTION=VALUE ...]

The folders and options are those of libFuzzer.
"""

from __future__ import annotations

import logging
import operator
import sys
from functools import partial
from random import Random
from typing import Any

import atheris
import numpy as np

with atheris.instrument_imports(include=["tfperf_plugin"]):
    from tests.fuzz.guided import unwatched
    from tests.fuzz.targets import TARGETS, Target

COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)


def compared(trace: Any, one: Any, other: Any, kind: int, *where: Any) -> Any:
    """What Atheris watches and computes in place of a comparison; it never frees what comparing arrays gives."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return COMPARISONS[kind >> atheris.version_dependent.CMP_OP_SHIFT_AMOUNT](one, other)
    return trace(one, other, kind, *where)


def fuzz(target: Target, *arguments: str) -> None:
    """Does not return."""
    lenders = target.inputs()

    def change(data: bytes, most_bytes: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.5:
            return bytes(atheris.Mutate(data, most_bytes))
        return target.change(data, lenders, random)[:most_bytes]

    def check(data: bytes) -> None:
        if not isinstance(atheris._trace_cmp, partial):  # Fuzz puts its own there
            atheris._trace_cmp = partial(compared, atheris._trace_cmp)
        target.check(data, unwatched)

    logging.disable(logging.CRITICAL)
    atheris.Setup([sys.argv[0], *arguments], check, custom_mutator=change)
    atheris.Fuzz()


def main(name: str) -> None:
    """Fuzzes a target as the command line says."""
    fuzz(TARGETS[name], *sys.argv[1:])


if __name__ == "__main__":
    main(sys.argv.pop(1))
