"""The seam between formats and the rest: a reader that is added is asked, and nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders import Host
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers import formats
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.base import Head, Reader, RunFiles, Source
from tfperf_plugin.readers.content import Data
from tfperf_plugin.readers.formats import XSPACE, reader_of
from tfperf_plugin.readers.logdirs import finding

MARK = b"{flat}"


def jobs_in(folder: tuple[str, ...], files: tuple[str, ...], _: Head) -> Iterator[RunFiles]:
    """A run is a job, with files ``JOB-RANK.flat``."""
    for job in sorted({file.rpartition("-")[0] for file in files if file.endswith(".flat")}):
        mine = [file for file in files if file.startswith(f"{job}-")]
        yield RunFiles((*folder, job), tuple((file.removesuffix(".flat"), file) for file in mine))


def decode(data: Data, anomalies: Anomalies) -> Any:
    """What follows the mark is an XSpace."""
    return XSPACE.decode(data[len(MARK) : len(data)], anomalies)


trace = XSPACE.trace
FLAT = Reader(
    Source("flat profiler", "Perfetto"),
    "JOB-RANK.flat",
    (".flat",),
    jobs_in,
    lambda head: head.startswith(MARK),
    __name__,
)


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (formats, finding):
        monkeypatch.setattr(module, "READERS", (FLAT, XSPACE))


def profile() -> bytes:
    host = Host().steps(5, 10)
    for number in range(5):
        host.kernel(10 * number + 1, 10 * number + 9)
    return host.to_bytes()


@pytest.mark.usefixtures("both")
def test_a_reader_groups_files_that_lie_side_by_side(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for name in ("a-0", "a-1", "b-0"):
        (folder / f"{name}.flat").write_bytes(MARK + profile())
    of_tensorboard = tmp_path / "plugins" / "profile" / "run"
    of_tensorboard.mkdir(parents=True)
    (of_tensorboard / "vm.xplane.pb").write_bytes(profile())

    found = {run.name: run for run in finding.find_runs(str(tmp_path))}

    assert {name: [h.host for h in run.hosts] for name, run in found.items()} == {
        "traces/a": ["a-0", "a-1"], "traces/b": ["b-0"], "run": ["vm"],
    }  # fmt: skip
    assert found["traces/a"].places == (folder / "plugins" / "diagnostics",)
    report = analyze_run(found["traces/b"]).report
    assert report.hosts == ("b-0",)
    assert (report.source, report.viewer) == ("flat profiler", "Perfetto")
    assert report.ledger
    assert report.ledger.step_ns == 10_000_000


@pytest.mark.usefixtures("both")
def test_the_content_chooses_the_reader_not_the_name() -> None:
    assert reader_of(MARK + profile()) is FLAT
    assert reader_of(profile()) is XSPACE
    assert reader_of(b"") is XSPACE
