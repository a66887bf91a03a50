"""Traces of PyTorch's profiler made to hurt: an answer, in bounded memory and time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fuzz.test_bombs import MEMORY_BYTES, PROCESSOR_S, cost_of_a_report
from tests.fuzz.trace_bombs import trace_bombs

BOMBS = trace_bombs()
QUICK = {
    "a kernel an event", "ops inside ops", "names of parentheses", "events of nothing", "deep", "backslashes",
    "a thread an event, packed", "launched kernels, packed", "lists of lists, packed", "bare quotes, packed",
    "spaces, packed", "much before the events, packed",
}  # fmt: skip
"""The others are as costly, but of fewer kinds."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what memory a program took at most")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in BOMBS]
)
def test_a_bomb_takes_bounded_memory_and_time(name: str, tmp_path: Path) -> None:
    data = BOMBS[name]()
    assert len(data) < 1_100_000
    path = tmp_path / "trace.json.gz"
    path.write_bytes(data)

    peak_bytes, processor_s = cost_of_a_report(path)

    assert peak_bytes < MEMORY_BYTES, f"{peak_bytes / 1e6:.0f} MB"
    assert processor_s < 2 * PROCESSOR_S


def test_those_that_are_quick_exist() -> None:
    assert set(BOMBS) >= QUICK
