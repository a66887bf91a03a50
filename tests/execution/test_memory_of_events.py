"""What each event of a profile takes in memory."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable

import pytest

from tests.benchmarks.profiles import write_profile
from tfperf_plugin.analysis import launches
from tfperf_plugin.analysis.artifacts.communication import step_starts
from tfperf_plugin.analysis.finding_steps import assign
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.execution.hosts import decode
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.readers.xspace import compiled, reader

FEW, MANY = 100_000, 300_000
FILE_BYTES = 61
"""An event in the file."""

pytestmark = pytest.mark.skipif(compiled.library() is None, reason="NumPy alone needs more")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    found: list[Run] = []
    for count in (FEW, MANY):
        logdir = tmp_path_factory.mktemp("logs")
        path = logdir / "plugins" / "profile" / "run" / "host.xplane.pb"
        path.parent.mkdir(parents=True)
        write_profile(path, count)
        assert path.stat().st_size > FILE_BYTES * count
        found += find_runs(str(logdir))
    return found


@pytest.fixture(autouse=True)
def _parts_of_a_large_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts and blocks are as small beside this profile as they are beside a large one. In one thread, so
    that each time the same things are there together."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(reader, "BLOCK_BYTES", 1 << 17)
    for module in (launches, assign, step_starts):
        monkeypatch.setattr(module, "AT_ONCE_COUNT", 1 << 12)


def grown(runs: list[Run], work: Callable[[Run], object]) -> tuple[float, float]:
    """Bytes that each further event takes: at most while it works, and of what it returns."""
    work(runs[0])  # what is loaded at first is not of the events
    most, kept = [], []
    for run in runs:
        tracemalloc.start()
        result = work(run)
        size, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        del result
        most.append(peak)
        kept.append(size)
    return (most[1] - most[0]) / (MANY - FEW), (kept[1] - kept[0]) / (MANY - FEW)


def test_a_decoded_event_takes_less_than_in_the_file(runs: list[Run]) -> None:
    most, kept = grown(runs, lambda run: decode(run.hosts[0]))
    assert kept < FILE_BYTES * 0.6
    assert most < FILE_BYTES * 0.85


def test_a_report_takes_one_and_a_half_times_its_file(runs: list[Run]) -> None:
    most, kept = grown(runs, build_report)
    assert kept < 1
    assert most < FILE_BYTES * 1.5
