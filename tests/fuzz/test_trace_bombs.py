"""Traces of PyTorch's profiler made to hurt: an answer, in bounded memory and time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fuzz.test_bombs import BYTES_A_BYTE, MEMORY_BYTES, PROCESSOR_S, cost_of_a_report
from tests.fuzz.trace_bombs import FULL, trace_bombs
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.kineto.events import decode

BOMBS = trace_bombs()
pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what memory a program took at most")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_takes_bounded_memory_and_time(name: str, tmp_path: Path) -> None:
    data = BOMBS[name]()
    assert len(data) < 1_100_000
    if name.endswith(", full"):
        assert decode(data, Anomalies()).kept >= FULL[name.removesuffix(", full")]
    path = tmp_path / "trace.json.gz"
    path.write_bytes(data)

    peak_bytes, processor_s = cost_of_a_report(path)

    assert peak_bytes < MEMORY_BYTES, f"{peak_bytes / 1e6:.0f} MB"
    assert processor_s < 2 * PROCESSOR_S


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what memory a program took at most")
def test_many_hosts_of_bombs_take_no_more_than_their_sum(tmp_path: Path) -> None:
    files = [BOMBS[f"{name}, full"]() for name in FULL] * 2
    for rank, data in enumerate(files):
        (tmp_path / f"rank{rank}.json.gz").write_bytes(data)
    size = sum(path.stat().st_size for path in tmp_path.iterdir())

    peak_bytes, processor_s = cost_of_a_report(tmp_path)

    assert peak_bytes < BYTES_A_BYTE * size + 60e6, f"{peak_bytes / 1e6:.0f} MB"
    assert processor_s < 2 * PROCESSOR_S * len(files)
