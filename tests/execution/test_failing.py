"""The n-th write fails once, for each n, and the n-th allocation: nothing is wrong, lost or left behind.

As SQLite tests itself (https://sqlite.org/testing.html#anomaly_testing).
"""

from __future__ import annotations

import errno
import importlib.util
import io
import os
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.builders import Host
from tests.equality import equal
from tests.execution import tasks
from tests.logdirs import add_run
from tests.reports import make_analysis, make_report
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.execution.analyze import Analysis, analyze_run
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.execution.pool import HostPool
from tfperf_plugin.execution.process import WorkerLost
from tfperf_plugin.readers.logdirs import finding
from tfperf_plugin.readers.logdirs.runs import Run

KEY = "a" * 64
HANDLES = Path("/proc/self/fd")
MOST_ALLOCATIONS = 400_000
"""More than a worker makes while it analyzes ``small_run``."""
OLD, NEW = (make_analysis(make_report(run)) for run in ("old", "new"))


class FullDisk:
    """Counts what changes the disk; the ``failing``-th call fails once, because the disk is full."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.failing = self.count = 0
        for name in ("mkdir", "replace"):
            monkeypatch.setattr(Path, name, self._counted(getattr(Path, name)))
        monkeypatch.setattr(tempfile, "mkstemp", self._counted(tempfile.mkstemp))
        fdopen, write = os.fdopen, self._counted(io.FileIO.write)

        class Raw(io.FileIO):
            def write(self, data: Any, /) -> int:
                return int(write(self, data))

        def opened(handle: int, mode: str) -> Any:
            return io.BufferedRandom(Raw(handle, "r+b"), 512) if "w" in mode else fdopen(handle, mode)

        monkeypatch.setattr(os, "fdopen", opened)

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            if self.count == self.failing:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return function(*args, **kwargs)

        return call

    def fail(self, number: int) -> None:
        self.failing, self.count = number, 0

    @property
    def failed(self) -> bool:
        return self.count >= self.failing


def read(folder: Path) -> list[Any]:
    """What a new process gets."""
    cache = ReportCache(folder)
    return [cache.get(KEY), cache.arrays(KEY)]


def same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and equal(one, other)


@pytest.mark.parametrize("earlier", [None, OLD], ids=["new", "replaced"])
def test_a_write_that_fails_costs_only_what_it_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: Analysis | None
) -> None:
    disk = FullDisk(monkeypatch)
    handles = len(list(HANDLES.iterdir())) if HANDLES.exists() else 0
    for number in count(1):
        folder = tmp_path / str(number)
        cache = ReportCache(folder)
        disk.fail(0)
        if earlier:
            cache.put(KEY, earlier)

        disk.fail(number)
        cache.put(KEY, NEW)
        failed = disk.failed

        disk.fail(0)
        before = (earlier.report, earlier.arrays) if earlier else (None, None)
        found = read(folder)
        for part, old, new in zip(found, before, (NEW.report, NEW.arrays), strict=True):
            assert same(part, new) or (failed and same(part, old)), number
        assert {path.suffix for path in folder.glob("*")} <= {".gz", ".arrays"}, number
        cache.put(KEY, NEW)
        assert all(map(same, read(folder), (NEW.report, NEW.arrays))), number
        assert not HANDLES.exists() or len(list(HANDLES.iterdir())) == handles, number
        if not failed:
            break
    assert number >= 10  # the folder, and of each file its temporary name, content, checksum and name


def small_run(logdir: Path) -> Run:
    def draw(host: Host, at: float) -> None:
        host.event("GetNext", at, at + 30)
        host.kernel(at + 40, at + 100, launch=(at + 35, at + 36))

    data = Host().trained(4, 100, draw).to_bytes()
    (add_run(logdir, "run", "worker") / "worker.xplane.pb").write_bytes(data)
    (run,) = finding.find_runs(str(logdir))
    return run


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostPool]:
    monkeypatch.setenv("PYTHONHASHSEED", "0")  # almost the same allocations each time
    with HostPool(1, 2 << 30, tasks.__name__) as found:
        yield found


def without_times(analysis: Analysis) -> Analysis:
    return replace(analysis, report=replace(analysis.report, timing=()))


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("_testcapi") is None, reason="this Python cannot fail an allocation"
)
def test_an_allocation_that_fails_is_said_and_nothing_is_wrong(tmp_path: Path, pool: HostPool) -> None:
    """Those of one analysis: the call is read, the profile decoded, the answer written."""
    run = small_run(tmp_path)
    wanted = without_times(analyze_run(run))
    outcomes: dict[str, int] = {"right": 0, "said": 0, "lost": 0}
    for number in [*range(1, 40), *range(40, MOST_ALLOCATIONS, MOST_ALLOCATIONS // 60)]:
        try:
            pool.submit(tasks.fail_allocation, number).result(tasks.LONG_S)
            found = pool.submit(tasks.analyze_quietly, run).result(tasks.LONG_S)
        except (MemoryError, UnreadableInput):
            outcomes["said"] += 1
        except WorkerLost:
            outcomes["lost"] += 1
        else:
            outcomes["right"] += 1
            assert equal(without_times(found), wanted), number
        try:
            assert pool.submit(tasks.double, number).result(tasks.LONG_S) == 2 * number
        except WorkerLost:  # what failed may have broken the interpreter, which shows only now
            outcomes["lost"] += 1
            assert pool.submit(tasks.double, number).result(tasks.LONG_S) == 2 * number

    assert outcomes["right"] and outcomes["said"], outcomes
