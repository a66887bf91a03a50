"""Workers that read foreign bytes read files and answer, and can do nothing else to the machine."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.conftest import REPOSITORY
from tests.execution import tasks
from tests.execution.tasks import ROOM, silent
from tests.logdirs import many_hosts
from tfperf_plugin.execution import limits, process
from tfperf_plugin.execution import pool as workers
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.execution.pool import HostPool, IsolatedAnalyzer
from tfperf_plugin.execution.process import Worker
from tfperf_plugin.readers.logdirs import files, finding
from tfperf_plugin.readers.logdirs.files import path_of
from tfperf_plugin.readers.logdirs.runs import HostFile, Run
from tfperf_plugin.report.options import Options

TASKS = tasks.__name__
VERSION = limits.landlock_version()


def from_version(least: int) -> pytest.MarkDecorator:
    return pytest.mark.skipif(least > VERSION, reason=f"this system has no Landlock of version {least}")


@pytest.fixture(scope="module")
def pool() -> Iterator[HostPool]:
    with HostPool(1, ROOM, TASKS) as found:
        yield found


@pytest.fixture(scope="module")
def remote_pool() -> Iterator[HostPool]:
    with HostPool(1, ROOM, TASKS, remote=True) as found:
        yield found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """In a log directory."""
    (run,) = finding.find_runs(str(many_hosts(tmp_path, 3, steps=2)))
    found = Path(run.path) / "notes"
    found.write_text("before")
    return found


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(tasks.write, marks=from_version(1)),
        pytest.param(tasks.append, marks=from_version(1)),
        pytest.param(tasks.make_beside, marks=from_version(1)),
        pytest.param(tasks.remove, marks=from_version(1)),
        pytest.param(tasks.rename, marks=from_version(1)),
        pytest.param(tasks.write_below, marks=from_version(1)),
        pytest.param(tasks.truncate, marks=from_version(3)),
    ],
    ids=lambda work: work.__name__,
)
def test_a_worker_reads_files_and_changes_none(
    pool: HostPool, file: Path, work: Callable[[str], None]
) -> None:
    before = sorted(file.parent.iterdir())

    with pytest.raises(PermissionError):
        pool.submit(work, str(file)).result(tasks.LONG_S)

    assert pool.submit(tasks.read, str(file)).result(tasks.LONG_S) == file.read_text() == "before"
    assert sorted(file.parent.iterdir()) == before
    pool.submit(tasks.write, os.devnull).result(tasks.LONG_S)  # as libraries do


@from_version(4)
def test_a_worker_neither_connects_nor_listens(pool: HostPool, port: int) -> None:
    tasks.connect(port)

    with pytest.raises(PermissionError):
        pool.submit(tasks.connect, port).result(tasks.LONG_S)
    with pytest.raises(PermissionError):
        pool.submit(tasks.listen, 0).result(tasks.LONG_S)


@from_version(6)
def test_a_worker_signals_nobody(pool: HostPool) -> None:
    with pytest.raises(PermissionError):
        pool.submit(tasks.signal_to, os.getpid()).result(tasks.LONG_S)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it")
def test_no_thread_of_a_worker_keeps_what_the_others_gave_up(pool: HostPool) -> None:
    pool.submit(tasks.double, 1).result(tasks.LONG_S)
    (pid,) = pool.pids()
    threads = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/status")]

    assert len(threads) >= 3
    assert all("\nNoNewPrivs:\t1\n" in text for text in threads)


def test_a_worker_that_reads_remote_storage_keeps_its_rights(
    remote_pool: HostPool, file: Path, port: int
) -> None:
    """What gets its credentials connects, and writes tokens."""
    remote_pool.submit(tasks.connect, port).result(tasks.LONG_S)
    remote_pool.submit(tasks.append, str(file)).result(tasks.LONG_S)

    assert file.read_text() == "beforewritten"


@from_version(1)
def test_each_run_gets_a_worker_with_the_rights_that_it_needs(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "__name__", TASKS)
    monkeypatch.setattr(workers, "analyze_apart", tasks.write_apart)
    monkeypatch.setattr(files, "size_and_time", lambda path: (1, 0))
    local = Run(str(file), path_of("logs"), (HostFile("host", path_of("logs/host.xplane.pb")),))
    remote = replace(local, hosts=(HostFile("host", path_of("gs://logs/host.xplane.pb")),))
    apart = IsolatedAnalyzer()
    apart.prepare(remote)
    prepared = apart._idle.get_nowait()
    apart._idle.put(prepared)

    could_write: list[object] = [apart(run, Options(), silent) for run in (remote, local, local, remote)]

    apart._idle.get_nowait().kill()
    assert could_write == [True, False, False, True]
    assert not prepared.alive


def test_a_worker_that_gave_up_its_rights_starts_workers(tmp_path: Path) -> None:
    (run,) = finding.find_runs(str(many_hosts(tmp_path, 3, steps=4)))
    worker = Worker(TASKS, ROOM)

    found = worker.run(tasks.analyze_in_two, (run,), silent)

    worker.kill()
    assert replace(found.report, timing=()) == replace(analyze_run(run).report, timing=())


def test_a_system_without_it_is_no_failure(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tfperf_plugin.execution import limits; "
        "limits._call = lambda *_: -1; limits.give_up(); Path(sys.argv[1]).touch()"
    )

    subprocess.run([sys.executable, "-c", script, str(tmp_path / "made")], cwd=REPOSITORY, check=True)

    assert (tmp_path / "made").exists()


def test_a_system_without_it_is_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(limits, "landlock_version", lambda: 0)
    process._say_which_rights_stay.cache_clear()

    with caplog.at_level(logging.INFO, process.__name__):
        for _ in range(2):
            Worker(TASKS, ROOM).kill()

    process._say_which_rights_stay.cache_clear()
    assert caplog.text.count("keep the right to write files and to connect") == 1
