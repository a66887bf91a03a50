"""Exports of Nsight Systems made to hurt: an answer, in bounded memory and time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fuzz.nsight_bombs import nsight_bombs
from tests.fuzz.test_bombs import MEMORY_BYTES, PROCESSOR_S, cost_of_a_report

BOMBS = nsight_bombs()
pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what memory a program took at most")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_takes_bounded_memory_and_time(name: str, tmp_path: Path) -> None:
    path = tmp_path / "export.sqlite"
    path.write_bytes(BOMBS[name]())
    assert path.stat().st_size < 1_300_000

    peak_bytes, processor_s = cost_of_a_report(path)

    assert peak_bytes < MEMORY_BYTES, f"{peak_bytes / 1e6:.0f} MB"
    assert processor_s < 2 * PROCESSOR_S
