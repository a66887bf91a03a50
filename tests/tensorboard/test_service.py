"""Reports in the background: computed once, cached by content, never stale, never failing for the cache."""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NoReturn

import pytest
from etils import epath
from msgspec.structs import replace

from tests.builders import Host
from tests.reports import Analysis, make_analysis, make_report
from tests.security.test_cache import sealed
from tfperf_plugin.errors import Canceled, UnreadableInput
from tfperf_plugin.execution import analyze as report_build
from tfperf_plugin.execution import pipeline
from tfperf_plugin.execution.analyze import Progress, analyze_run
from tfperf_plugin.execution.cache import ReportCache, default_cache_directory
from tfperf_plugin.execution.limits import TimeUp
from tfperf_plugin.execution.pipeline import make_report as make_report_of
from tfperf_plugin.readers.logdirs.runs import HostFile, RecordFile, Run
from tfperf_plugin.report import model, serialize
from tfperf_plugin.report.options import Options
from tfperf_plugin.report.serialize import to_json
from tfperf_plugin.tensorboard import jobs
from tfperf_plugin.tensorboard.jobs import ReportService, Running

LONG_S = 60


@pytest.fixture
def run(tmp_path: Path) -> Run:
    path = tmp_path / "run"
    path.mkdir()
    (path / "host.xplane.pb").write_text("content")
    return Run("run", epath.Path(path), (HostFile("host", epath.Path(path / "host.xplane.pb")),))


def recorded(run: Run) -> Run:
    """``run`` of a training that recorded itself."""
    path = run.path / "host.training.json"
    path.write_text("record")
    start = datetime(2026, 11, 21, tzinfo=timezone.utc)
    return replace(run, records=(RecordFile("host", path, path.name, start),))


@pytest.fixture
def cache(tmp_path: Path) -> ReportCache:
    return ReportCache(tmp_path / "cache")


def report_of(answer: model.Report | Running) -> model.Report:
    assert isinstance(answer, model.Report)
    return answer


def content_of(arrays: object) -> bytes:
    assert isinstance(arrays, Mapping)
    return bytes(arrays["timeline/code"])


class Gate(Analysis):
    """An analysis that stops half way until it is let through."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = threading.Event()
        self.opened = threading.Event()

    def __call__(self, run: Run, options: Options, progress: Progress) -> report_build.Analysis:
        progress("ledger", 0.6, (1, 2))
        self.reached.set()
        assert self.opened.wait(LONG_S)
        return super().__call__(run, options, progress)


def test_many_at_once_compute_once_and_arrays_come_with_the_report(run: Run) -> None:
    gate = Gate()
    reports = ReportService(gate)
    first = reports.request(run, Options(), 0)
    assert gate.reached.wait(LONG_S)
    asked = [reports.request(run, Options(), 0) for _ in range(5)]
    arrays = reports.arrays(run, Options(), 0)
    gate.opened.set()

    finished = report_of(reports.request(run, Options(), LONG_S))

    assert isinstance(first, Running)
    assert [*asked, arrays] == [Running("ledger", 0.6, (1, 2))] * 6
    assert finished.headline == "content"
    assert reports.content(run, Options(), LONG_S) == serialize.to_bytes(finished)
    for _ in range(2):
        assert content_of(reports.arrays(run, Options(), LONG_S)) == b"content"
    assert len(gate.calls) == 1


def test_a_run_that_waits_says_for_which(run: Run) -> None:
    gate = Gate()
    reports = ReportService(gate)
    others = [replace(run, name=name) for name in ("first", "second")]
    for other in others:
        reports.request(other, Options(), 0)
        assert gate.reached.wait(LONG_S)
        gate.reached.clear()

    waiting = reports.request(run, Options(), 0)
    assert waiting == Running("waiting", 0.0, waits_for=("first", "second"))
    gate.opened.set()
    assert report_of(reports.request(run, Options(), LONG_S)).run == "run"


def test_a_stopped_analysis_ends_when_it_next_reports_progress(run: Run) -> None:
    reached, opened, ended = threading.Event(), threading.Event(), threading.Event()

    def build(run: Run, options: Options, progress: Progress) -> NoReturn:
        reached.set()
        assert opened.wait(LONG_S)
        with pytest.raises(Canceled):
            progress("ledger", 0.6)
        ended.set()
        raise AssertionError("of no interest: it was stopped")

    reports = ReportService(build)
    reports.request(run, Options(), 0)
    assert reached.wait(LONG_S)
    assert reports.cancel(run) == 1
    opened.set()
    assert ended.wait(LONG_S)


def test_a_vanished_file_is_said_so(run: Run) -> None:
    run.hosts[0].path.unlink()

    with pytest.raises(UnreadableInput, match="The profile of host host cannot be read: No such file"):
        ReportService(Analysis()).request(run, Options(), LONG_S)


def test_a_profile_that_does_not_fit_in_memory_is_said_so(run: Run) -> None:
    def build(*_: object) -> NoReturn:
        raise MemoryError

    with pytest.raises(UnreadableInput, match="Run run needs more memory"):
        ReportService(build).request(run, Options(), LONG_S)


def test_finished_reports_are_forgotten_beyond_a_number(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MAX_JOBS", 2)
    analysis = Analysis()
    reports = ReportService(analysis)

    for parameters in (1, 2, 3, 3, 1):
        reports.request(run, Options(parameters=parameters), LONG_S)

    assert [options.parameters for _, options in analysis.calls] == [1, 2, 3, 1]


def test_another_process_passes_on_what_the_cache_holds_as_it_lies_there(
    run: Run, cache: ReportCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = report_of(ReportService(Analysis(), cache).request(run, Options(), LONG_S))
    analysis = Analysis()
    found = ReportService(analysis, cache)
    with monkeypatch.context() as unwritten:
        unwritten.setattr(jobs, "to_bytes", None)
        content = found.content(run, Options(), LONG_S)
        assert isinstance(content, bytes)

    assert json.loads(gzip.decompress(content)) == to_json(made)
    assert found.request(run, Options(), LONG_S) == made
    assert content_of(found.arrays(run, Options(), LONG_S)) == b"content"
    assert analysis.calls == []


@pytest.mark.parametrize("text", [b"{}", b"null", b'{"run": 1}', b"no JSON", b'"\\ud800"'])
def test_a_stored_report_that_is_none_is_made_anew_though_its_checksum_is_right(
    run: Run, cache: ReportCache, tmp_path: Path, text: bytes
) -> None:
    analysis = Analysis()
    made = report_of(ReportService(analysis, cache).request(run, Options(), LONG_S))
    (file,) = (tmp_path / "cache").glob("*.gz")
    file.write_bytes(sealed(gzip.compress(text), file.stem))

    assert ReportService(analysis, cache).content(run, Options(), LONG_S) == serialize.to_bytes(made)
    assert len(analysis.calls) == 2


def rewrite(path: Path, text: str) -> None:
    """Other bytes of the same size at the same time."""
    status = path.stat()
    path.write_text(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, Callable[[Path, Path, pytest.MonkeyPatch], object]] = {
    "rewritten": lambda profile, _, __: rewrite(profile, "CONTENT"),
    "grown": lambda profile, _, __: profile.write_text("content, and more"),
    "touched": lambda profile, _, __: os.utime(profile, ns=(1, 1)),
    "other code": lambda _, __, patch: patch.setattr(pipeline, "code_version", lambda: "another"),
    "other version": lambda _, __, patch: patch.setattr(pipeline, "__version__", "another"),
    "record rewritten": lambda _, record, __: rewrite(record, "RECORD"),
    "record gone": lambda _, record, __: record.unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_a_report_depends_on_makes_it_anew(
    run: Run, cache: ReportCache, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = recorded(run)
    profile, analysis = Path(run.hosts[0].path), Analysis()
    pipeline.make_report(run, Options(), lambda *_: None, build=analysis, cache=cache)
    CHANGES[change](profile, Path(run.records[0].path), monkeypatch)

    report = pipeline.make_report(run, Options(), lambda *_: None, build=analysis, cache=cache)

    assert len(analysis.calls) == 2
    assert report.headline == profile.read_text()


def test_the_cache_is_whole_and_bounded(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    ReportCache(folder).put("a", make_analysis(make_report()))
    size = sum(path.stat().st_size for path in folder.iterdir())
    cache = ReportCache(folder, max_bytes=2 * size)
    for index, key in enumerate(("a", "b", "c")):
        cache.put(key, make_analysis(make_report()))
        for suffix in ("gz", "arrays"):
            os.utime(folder / f"{key}.{suffix}", (index, index))
    cache.get("b")
    cache.arrays("b")
    cache.put("d", make_analysis(make_report()))

    left = sorted(folder.iterdir())

    assert [path.name for path in left] == ["b.arrays", "b.gz", "d.arrays", "d.gz"]


@pytest.mark.parametrize("canceled", [True, False], ids=["canceled", "out of time"])
def test_a_report_is_shown_though_its_arrays_are_stopped(
    run: Run, cache: ReportCache, monkeypatch: pytest.MonkeyPatch, canceled: bool
) -> None:
    ReportService(Analysis(), cache).request(run, Options(), LONG_S)
    reports, gate = ReportService(cache=cache), threading.Event()

    def make(run: Run, options: Options, progress: Progress, **_: Any) -> NoReturn:
        assert not canceled or gate.wait(LONG_S)
        raise TimeUp(1).of(f"run {run.name}")

    monkeypatch.setattr(jobs, "make_arrays", make)
    if canceled:
        assert report_of(reports.request(run, Options(), LONG_S))
        assert isinstance(reports.arrays(run, Options(), 0), Running)
        assert reports.cancel(run) == 1
        gate.set()
    for _ in range(2):
        with pytest.raises(Canceled):
            reports.arrays(run, Options(), LONG_S)

    assert report_of(reports.request(run, Options(), LONG_S)).headline == "content"
    monkeypatch.undo()
    reports.request(run, Options(), LONG_S, again=True)
    assert content_of(reports.arrays(run, Options(), LONG_S)) == b"content"


def test_arrays_of_a_report_made_without_are_made_when_asked_for(
    run: Run, cache: ReportCache, tmp_path: Path
) -> None:
    host = Host().trained(4, 10, lambda host, at: host.kernel(at, at + 5))
    Path(run.hosts[0].path).write_bytes(host.to_bytes())
    report = make_report_of(run, Options(), lambda *_: None, cache=cache)
    kept = tmp_path / "cache"
    assert [path.suffix for path in kept.iterdir()] == [".gz"]

    reports = ReportService(analyze_run, cache)
    assert to_json(report_of(reports.request(run, Options(), LONG_S))) == to_json(report)
    arrays = reports.arrays(run, Options(), LONG_S)
    assert isinstance(arrays, Mapping) and len(arrays["timeline/code"]) > 0
    assert sorted(path.suffix for path in kept.iterdir()) == [".arrays", ".gz"]


def test_arrays_of_few_reports_stay_in_memory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MAX_ARRAYS", 1)
    analysis = Analysis()
    reports = ReportService(analysis)
    for parameters in (1, 2, 2, 1):
        reports.arrays(run, Options(parameters=parameters), LONG_S)

    assert [options.parameters for _, options in analysis.calls] == [1, 2, 1]


@pytest.mark.parametrize("damage", [lambda _: None, lambda content: content[: len(content) // 2]])
def test_damaged_arrays_are_made_anew(
    run: Run, cache: ReportCache, tmp_path: Path, damage: Callable[[bytes], bytes | None]
) -> None:
    analysis = Analysis()
    ReportService(analysis, cache).request(run, Options(), LONG_S)
    (file,) = (tmp_path / "cache").glob("*.arrays")
    whole = file.read_bytes()
    broken = damage(whole)
    file.unlink() if broken is None else file.write_bytes(broken)

    found = ReportService(analysis, cache).arrays(run, Options(), LONG_S)

    assert content_of(found) == b"content"
    assert len(analysis.calls) == 2
    assert len(file.read_bytes()) == len(whole)


def test_the_cache_is_in_the_users_cache_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert default_cache_directory() == tmp_path / ".cache" / "tfperf"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert default_cache_directory() == tmp_path / "x" / "tfperf"
