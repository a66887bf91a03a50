"""A run read by a real Dask cluster: a scheduler and workers in processes of their own."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.logdirs import many_hosts
from tfperf_plugin import cli
from tfperf_plugin.errors import BadOptionError, UnreadableInput
from tfperf_plugin.execution import dask as cluster
from tfperf_plugin.execution import hosts as summary
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.logdirs import finding
from tfperf_plugin.report.options import Options

pytestmark = pytest.mark.slow

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="Dask is not installed"
)
LONG_S = 60


@dataclass
class Cluster:
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


def start(*arguments: str) -> subprocess.Popen[bytes]:
    root = str(Path(cluster.__file__).parents[2])
    path = os.pathsep.join([root, *(p for p in sys.path if p)])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "30s",
        "DASK_DISTRIBUTED__SCHEDULER__WORK_STEALING": "False",  # who is idle would decode again
    }
    return subprocess.Popen([sys.executable, "-m", *arguments], env=environment)


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One scheduler, two workers."""
    with started_in(tmp_path_factory.mktemp("dask")) as found:
        yield found


@contextlib.contextmanager
def started_in(folder: Path) -> Iterator[Cluster]:
    file = folder / "scheduler.json"
    started = [
        start(
            "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)
        )
    ]
    try:
        for _ in range(2):
            started.append(
                start(
                    "distributed.cli.dask_worker", "--scheduler-file", str(file), "--nthreads", "1",
                    "--no-nanny", "--no-dashboard", "--local-directory", str(folder),
                )
            )  # fmt: skip
        until = time.monotonic() + LONG_S
        from distributed import Client

        while not file.exists() or not file.read_text():
            assert time.monotonic() < until
            time.sleep(0.1)
        with Client(scheduler_file=str(file), timeout=LONG_S, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=LONG_S)
            address = client.scheduler.address
        yield Cluster(address, started[0], started[1:])
    finally:
        for process in started:
            process.kill()
            process.wait()


def count_decodings() -> None:
    """On a worker: counts from now on."""
    real = getattr(summary.decode, "real", summary.decode)

    def decode(*arguments: Any) -> summary.Decoded:
        vars(decode)["count"] += 1
        found: summary.Decoded = real(*arguments)
        return found

    vars(decode).update(real=real, count=0)
    summary.decode = decode  # type: ignore[assignment]


def decodings() -> tuple[int, int]:
    """On a worker: how often a host was decoded, and how many are kept."""
    return vars(summary.decode)["count"], len(summary._kept)


@needs_dask
def test_each_host_is_decoded_once_if_its_worker_may_keep_it(
    tmp_path: Path, dask: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import Client

    (run,) = finding.find_runs(str(many_hosts(tmp_path, 4)))

    def counted() -> int:
        with Client(dask.address, set_as_default=False) as client:
            client.run(count_decodings)
            found = cluster.analyze_on_cluster(run, Options(), lambda *_: None, dask.address)
            counts = client.run(decodings).values()
        assert replace(found.report, timing=()) == replace(analyze_run(run).report, timing=())
        assert len(counts) == 2 and min(count for count, _ in counts) > 0
        assert [kept for _, kept in counts] == [0, 0]
        return sum(count for count, _ in counts)

    assert counted() == 4
    monkeypatch.setattr(cluster, "KEPT_RATIO", 0)
    assert counted() == 8


@needs_dask
def test_a_cluster_says_what_one_process_says_even_if_a_worker_dies(tmp_path: Path, dask: Cluster) -> None:
    (run,) = finding.find_runs(str(many_hosts(tmp_path, 8)))
    killed: list[int] = []

    def progress(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        if hosts and hosts[0] >= 2 and not killed:
            dask.workers[0].send_signal(signal.SIGKILL)
            killed.append(hosts[0])

    found = cluster.analyze_on_cluster(run, Options(), progress, dask.address)

    assert killed
    assert replace(found.report, timing=()) == replace(analyze_run(run).report, timing=())


@needs_dask
@pytest.mark.parametrize("lost", ["workers", "scheduler", "silent scheduler"])
def test_a_cluster_that_is_lost_ends_the_analysis_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    assert cluster.LOST_S + cluster.ANSWER_S + cluster.WATCH_S < 30
    monkeypatch.setattr(cluster, "LOST_S", 1)
    (run,) = finding.find_runs(str(many_hosts(tmp_path / "logs", 8)))
    killed: list[int] = []

    with started_in(tmp_path) as found:
        victims = found.workers if lost == "workers" else [found.scheduler]

        def progress(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
            if hosts and hosts[0] >= 2 and not killed:
                for victim in victims:
                    victim.send_signal(signal.SIGSTOP if "silent" in lost else signal.SIGKILL)
                    killed.append(victim.pid)

        what = "All workers of the Dask.* have ended" if lost == "workers" else "no longer answers"
        with pytest.raises(UnreadableInput, match=f"^[^\n]*{what}[^\n]* Start the cluster again"):
            cluster.analyze_on_cluster(run, Options(), progress, found.address)
    assert killed


@needs_dask
def test_an_error_of_who_is_told_the_progress_is_not_that_of_the_cluster(
    tmp_path: Path, dask: Cluster
) -> None:
    (run,) = finding.find_runs(str(many_hosts(tmp_path, 2)))

    def progress(stage: str, share: float, hosts: tuple[int, int] | None = None) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        cluster.analyze_on_cluster(run, Options(), progress, dask.address)


@needs_dask
def test_what_a_worker_cannot_read_is_said(
    tmp_path: Path, dask: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    logdir = many_hosts(tmp_path, 3)
    bad = next(logdir.rglob("worker001.xplane.pb"))
    bad.write_bytes(b"no profile" * 100)

    code = cli.main(["report", str(logdir), "--no-cache", "--scheduler", dask.address])

    assert code == 0
    assert "1 of 3 hosts is left out of this report. Host worker001: " in capsys.readouterr().out


@needs_dask
def test_a_scheduler_that_does_not_answer_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 0.5)
    (run,) = finding.find_runs(str(many_hosts(tmp_path, 2)))

    with pytest.raises(BadOptionError, match=r"No Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        cluster.analyze_on_cluster(run, Options(), lambda *_: None, "tcp://127.0.0.1:9")


def test_without_dask_it_is_said_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    (run,) = finding.find_runs(str(many_hosts(tmp_path, 2)))

    with pytest.raises(BadOptionError, match=r"pip install 'tfperf-plugin\[dask\]'"):
        cluster.analyze_on_cluster(run, Options(), lambda *_: None, "tcp://127.0.0.1:1")
