"""Profiles that grow, shrink, are replaced or vanish while read: the answer of one state, or a sentence."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from demo.build import training
from demo.simulator import simulate
from tests.builders import Host
from tests.execution.tasks import silent
from tests.logdirs import add_run
from tests.reports import Analysis
from tfperf_plugin.errors import TfperfError, UnreadableInput
from tfperf_plugin.execution import analyze as report_build
from tfperf_plugin.execution import pipeline
from tfperf_plugin.execution.analyze import Progress, build_report
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.execution.pipeline import make_report as report_of
from tfperf_plugin.readers.content import Content
from tfperf_plugin.readers.logdirs.files import read
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.readers.logdirs.runs import Run, choose
from tfperf_plugin.report.options import Options


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return add_run(tmp_path, "run", "host") / "host.xplane.pb"


def the_run(file: Path) -> Run:
    (run,) = find_runs(str(file.parents[3]))
    return run


class Changing(Analysis):
    """An analysis during whose first ``times`` runs the file is changed."""

    def __init__(self, change: Callable[[], object], times: int) -> None:
        super().__init__()
        self._change, self._times = change, times

    def __call__(self, run: Run, options: Options, progress: Progress) -> report_build.Analysis:
        found = super().__call__(run, options, progress)
        if len(self.calls) <= self._times:
            self._change()
        return found


def grow(file: Path) -> None:
    with file.open("ab") as written:
        written.write(b"more")


def shrink(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 1)


def replace(file: Path) -> None:
    new = file.with_name("new")
    new.write_bytes(file.read_bytes().swapcase())
    new.replace(file)


def rewrite_and_hide_it(file: Path) -> None:
    """Other bytes, but size and time as they were."""
    status = file.stat()
    file.write_bytes(file.read_bytes().swapcase())
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES = [grow, shrink, replace, rewrite_and_hide_it]


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_once_is_read_again(file: Path, tmp_path: Path, change: Callable[[Path], None]) -> None:
    file.write_bytes(b"some content")
    build = Changing(lambda: change(file), 1)
    cache = ReportCache(tmp_path / "cache")

    report = report_of(the_run(file), Options(), silent, build=build, cache=cache)

    assert report.headline == file.read_text()
    assert len(build.calls) == 2
    again = report_of(the_run(file), Options(), silent, build=build, cache=cache)
    assert (again, len(build.calls)) == (report, 2)


@pytest.mark.parametrize("change", CHANGES)
def test_what_does_not_keep_still_is_said_so_and_nothing_is_kept(
    file: Path, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    file.write_bytes(b"some content")
    cache = ReportCache(tmp_path / "cache")

    with pytest.raises(UnreadableInput, match=r"^Run run changes while it is read.* Ask again when"):
        report_of(the_run(file), Options(), silent, build=Changing(lambda: change(file), 9), cache=cache)

    assert not (tmp_path / "cache").exists()


def test_a_large_file_that_changed_only_in_its_middle_is_another_one(file: Path, tmp_path: Path) -> None:
    size = 3 * pipeline.MAX_HASHED_BYTES
    file.write_bytes(b"a" * size)
    cache = ReportCache(tmp_path / "cache")
    analysis = Analysis()
    report_of(the_run(file), Options(), silent, build=analysis, cache=cache)
    status = file.stat()
    with file.open("r+b") as written:
        written.seek(size // 2)
        written.write(b"B")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    report = report_of(the_run(file), Options(), silent, build=analysis, cache=cache)

    assert "B" in report.headline
    assert len(analysis.calls) == 2


@pytest.mark.parametrize("hosts", [1, 40])
def test_both_ends_of_every_file_count_even_where_the_file_system_tells_no_change(
    tmp_path: Path, hosts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = add_run(tmp_path / "logs", "run", *(f"host{n}" for n in range(hosts)))
    files = sorted(folder.iterdir())
    for path in files:
        path.write_bytes(b"a" * 3 * pipeline.MAX_HASHED_BYTES)
    unchanged = "tfperf_plugin.readers.logdirs.files.state_of"
    monkeypatch.setattr(unchanged, lambda path: (path.stat().st_size, 0, 0))
    cache, analysis = ReportCache(tmp_path / "cache"), Analysis()
    for count, (path, place) in enumerate([(files[0], 0), (files[-1], -1), (files[-1], 0)]):
        report_of(the_run(files[0]), Options(), silent, build=analysis, cache=cache)
        assert len(analysis.calls) == count + 1
        content = bytearray(path.read_bytes())
        content[place] ^= 1
        path.write_bytes(content)
    report_of(the_run(files[0]), Options(), silent, build=analysis, cache=cache)
    assert len(analysis.calls) == 4


def test_a_profile_that_is_still_being_written_says_so(file: Path) -> None:
    profile = Host().trained(4, 1, lambda host, at: host.kernel(at, at + 0.5)).to_bytes()
    for size in (0, 1, len(profile) // 2, len(profile) - 1):
        file.write_bytes(profile[:size])
        with pytest.raises(
            TfperfError, match=r"written just now; if it is not complete yet, ask again later\.$"
        ):
            build_report(the_run(file))
    os.utime(file, (1, 1))
    with pytest.raises(UnreadableInput, match=r"Copy it again, or capture a new profile\.$"):
        build_report(the_run(file))
    file.write_bytes(profile)
    assert build_report(the_run(file)).steps.count


@pytest.mark.parametrize("change", CHANGES)
def test_the_bytes_are_those_of_one_moment(file: Path, change: Callable[[Path], None]) -> None:
    """The file changes between looking at it and reading it: once, then each time."""
    file.write_bytes(b"some content")
    left = [1]

    def moody(content: Content) -> bytes:
        if left and left.pop():
            change(file)
        return content[0 : len(content)]

    (host,) = the_run(file).hosts

    assert read(host, moody)[0] == file.read_bytes()
    left.extend([1, 1])
    with pytest.raises(UnreadableInput, match="still being written"):
        read(host, moody)


def test_what_is_wrong_with_a_file_that_changes_is_not_said(file: Path) -> None:
    """It was read while it was half written: the next time it is as it should be."""
    file.write_bytes(b"half")

    def strict(content: Content) -> bytes:
        data = content[0 : len(content)]
        if data == b"half":
            file.write_bytes(b"the whole")
            raise UnreadableInput("It is cut off.")
        return data

    assert read(the_run(file).hosts[0], strict)[0] == b"the whole"


def test_a_file_that_became_a_pipe_is_not_waited_for(file: Path) -> None:
    run = the_run(file)
    (host,) = run.hosts
    file.unlink()
    os.mkfifo(file)

    with pytest.raises(UnreadableInput, match=r"^The file cannot be read: it is no file any more\.$"):
        read(host, unread)
    with pytest.raises(
        UnreadableInput, match=r"^The profile of host host cannot be read: it is no file any more\.$"
    ):
        report_of(run, Options(), silent, build=Analysis(), cache=None)


def unread(_: Content) -> None:
    pytest.fail("it is read")


def test_a_file_beyond_the_limit_is_refused_unread(file: Path) -> None:
    os.truncate(file, 1 << 40)  # sparse: takes no room

    with pytest.raises(UnreadableInput, match="2 GiB"):
        read(the_run(file).hosts[0], unread)


def test_a_read_only_log_directory_is_enough(tmp_path: Path) -> None:
    for host, data in simulate(training("too_few_steps")).files.items():
        (add_run(tmp_path / "logs", "run", host) / f"{host}.xplane.pb").write_bytes(data)
    folders = [path for path in (tmp_path / "logs").rglob("*") if path.is_dir()]
    for path in (*folders, tmp_path / "logs"):
        path.chmod(0o555)
    try:
        before = sorted((str(p), p.stat().st_mtime_ns) for p in (tmp_path / "logs").rglob("*"))
        (run,) = find_runs(str(tmp_path / "logs"))
        assert report_of(run, Options(), silent, cache=ReportCache(tmp_path / "cache")).headline
        assert sorted((str(p), p.stat().st_mtime_ns) for p in (tmp_path / "logs").rglob("*")) == before
    finally:
        for path in (*folders, tmp_path / "logs"):
            path.chmod(0o755)


def test_names_that_are_no_unicode_can_be_asked_for(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/plugins/profile/r\xffn"
    Path(os.fsdecode(folder)).mkdir(parents=True)
    with open(folder + b"/h\xfest.xplane.pb", "wb") as file:  # noqa: PTH123
        file.write(b"profile")

    (run,) = find_runs(str(tmp_path))

    assert (run.name, run.hosts[0].host) == ("r\ufffdn", "h\ufffdst")
    assert choose((run,), run.name, "here") == run
    assert run.hosts[0].path.read_bytes() == b"profile"
    assert (
        report_of(run, Options(), silent, build=Analysis(), cache=ReportCache(tmp_path / "cache")).run
        == run.name
    )
