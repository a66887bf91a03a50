"""The cache on disk: believed only if nobody but its user can have written it, and only what is whole."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.execution.test_codec import message
from tests.reports import make_analysis, make_report
from tfperf_plugin.execution import cache as cache_module
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.report import serialize

KEY = "a" * 64
ROOT = os.geteuid() == 0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def stored(folder: Path, key: str = KEY) -> ReportCache:
    cache = ReportCache(folder)
    cache.put(key, make_analysis(make_report()))
    assert cache.get(key) == make_report()
    assert cache.arrays(key) is not None
    return cache


def believed(cache: ReportCache, key: str = KEY) -> tuple[bool, bool]:
    return cache.get(key) is not None, cache.arrays(key) is not None


def test_files_are_private_and_their_temporary_names_cannot_be_guessed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    replace = Path.replace

    def watched(path: Path, target: Path) -> Path:
        assert path.stat().st_mode & 0o777 == 0o600
        names.append(path.name)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", watched)
    before = os.umask(0)
    try:
        stored(folder)
        stored(folder)
    finally:
        os.umask(before)

    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert len(set(names)) == 4


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_a_folder_that_others_may_write_to_is_not_used(
    folder: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    cache = stored(folder)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    folder.chmod(mode)

    assert believed(cache) == (False, False)
    cache.put("b" * 64, make_analysis(make_report()))

    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert caplog.text.count("others may write there") == 1


@pytest.mark.skipif(not ROOT, reason="only root can give files away")
def test_what_belongs_to_another_user_is_not_used(folder: Path) -> None:
    cache = stored(folder)
    report = folder / f"{KEY}.gz"
    os.chown(report, 12345, -1)
    assert believed(cache) == (False, True)

    os.chown(report, 0, -1)
    os.chown(folder, 12345, -1)
    assert believed(cache) == (False, False)


@pytest.mark.skipif(not ROOT, reason="only root can give files away")
def test_a_folder_that_another_user_linked_is_neither_read_nor_cleaned(folder: Path, tmp_path: Path) -> None:
    """Else somebody could have the *.gz files of any folder deleted."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "precious.gz").write_text("precious")
    folder.symlink_to(elsewhere)
    os.chown(folder, 12345, -1, follow_symlinks=False)

    ReportCache(folder, max_bytes=1).put(KEY, make_analysis(make_report()))

    assert [path.name for path in elsewhere.iterdir()] == ["precious.gz"]


def test_a_folder_that_the_user_linked_is_used(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "large disk")

    assert believed(stored(folder)) == (True, True)


def test_a_link_in_place_of_a_file_is_not_followed(folder: Path, tmp_path: Path) -> None:
    cache = stored(folder)
    for suffix in ("gz", "arrays"):
        path = folder / f"{KEY}.{suffix}"
        path.rename(tmp_path / path.name)
        path.symlink_to(tmp_path / path.name)
    assert believed(cache) == (False, False)

    victim = tmp_path / f"{KEY}.gz"
    before = victim.read_bytes()
    cache.put(KEY, make_analysis(make_report("other")))

    assert victim.read_bytes() == before
    assert cache.get(KEY) == make_report("other")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_not_waited_for(folder: Path, make: Callable[[Path], None]) -> None:
    cache = stored(folder)
    for path in list(folder.iterdir()):
        path.unlink()
        make(path)

    assert believed(cache) == (False, False)
    cache.put(KEY, make_analysis(make_report()))


def sealed(content: bytes, key: str = KEY) -> bytes:
    """With the right checksum: as a file would be that this program wrote, but another version of it."""
    return content + cache_module._checksum(key, content)


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        ("gz", b""),
        ("gz", b"\xff" * 100),
        ("gz", gzip.compress(b"{}")[:-9]),
        ("json", b""),
        ("json", b"{"),
        ("json", b"null"),
        ("json", b"[" * 100_000),
        ("json", b'{"a":' * 100_000),
        ("json", b"1" * 100_000),
        ("json", b"\xff" * 100),
        ("json", b'"\\ud800"'),
        ("json", b"NaN"),
        ("json", json.dumps({"run": 10**400}).encode()),
        ("arrays", b""),
        ("arrays", b"\xff" * 100),
        ("arrays", message([("|u1", [1 << 50])], {"a": 0})),
        ("arrays", message([("|O", [1])], {"a": 0})),
        ("arrays", message([("<i8", [1])], {"a": 1})),
        ("arrays", message([("<i8", [1])], ["a", 0])),
    ],
    # What is compressed holds the time: as a name it would be another one in each process.
    ids=lambda value: value if isinstance(value, str) else f"{len(value)} bytes",
)
def test_what_is_sealed_but_strange_is_not_used_and_takes_no_memory(
    folder: Path, suffix: str, content: bytes
) -> None:
    from tests.readers.xspace.test_hostile import peak_bytes

    cache = stored(folder)
    if suffix == "json":
        suffix, content = "gz", gzip.compress(content)
    (folder / f"{KEY}.{suffix}").write_bytes(sealed(content))
    found: list[Any] = []

    def look() -> None:
        found.extend((cache.get(KEY), cache.content(KEY)) if suffix == "gz" else (cache.arrays(KEY),))

    assert peak_bytes(look) < 20e6
    assert set(found) == {None}


def test_no_report_unfolds_without_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.readers.xspace.test_hostile import peak_bytes

    cache = stored(folder)
    monkeypatch.setattr(serialize, "MAX_JSON_BYTES", 1 << 20)
    (folder / f"{KEY}.gz").write_bytes(sealed(gzip.compress(bytes(1 << 27))))

    assert peak_bytes(lambda: cache.get(KEY)) < 8 << 20
    assert cache.get(KEY) is None
    assert peak_bytes(lambda: cache.content(KEY)) < 8 << 20


def test_no_changed_byte_and_no_cut_goes_unnoticed(folder: Path) -> None:
    cache = stored(folder)
    for suffix, read in (("gz", cache.get), ("arrays", cache.arrays)):
        path = folder / f"{KEY}.{suffix}"
        whole = path.read_bytes()
        for at in range(0, len(whole), 97):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            assert read(KEY) is None
            path.write_bytes(whole[:at])
            assert read(KEY) is None
        path.write_bytes(whole + b"\n")
        assert read(KEY) is None
        path.write_bytes(whole)
        assert read(KEY) is not None


def test_a_report_under_another_name_is_not_that_ones(folder: Path) -> None:
    cache = stored(folder)
    other = "b" * 64
    for path in list(folder.iterdir()):
        path.rename(folder / f"{other}{path.suffix}")

    assert believed(cache, other) == (False, False)


def test_a_huge_file_is_not_read(folder: Path) -> None:
    cache = stored(folder)
    with (folder / f"{KEY}.gz").open("wb") as file:
        file.truncate(1 << 40)  # sparse: takes no room

    assert believed(cache) == (False, True)


def test_what_killed_processes_left_is_cleared_away(folder: Path) -> None:
    cache = stored(folder)
    for name, age in ((".new-old", 2 * cache_module.LEFTOVER_S), (".new-young", 10)):
        path = folder / name
        path.write_bytes(b"half")
        time_s = path.stat().st_mtime - age
        os.utime(path, (time_s, time_s))
    (folder / "notes.txt").write_text("somebody's")

    cache.put(KEY, make_analysis(make_report()))

    assert {path.name for path in folder.iterdir()} == {
        f"{KEY}.gz",
        f"{KEY}.arrays",
        ".new-young",
        "notes.txt",
    }


def test_a_file_that_vanishes_does_not_stop_the_clearing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in "abc":
        stored(folder, key * 64)
    lstat = Path.lstat

    def moody(path: Path) -> os.stat_result:
        if path.name.startswith("b" * 64):
            raise FileNotFoundError(2, "No such file or directory")
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", moody)
    ReportCache(folder, max_bytes=1)._shrink()

    assert {path.name[0] for path in folder.iterdir()} == {"b"}


def test_a_cache_that_can_only_be_read_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = stored(folder)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(os, "mkdir", refuse)

    assert believed(cache) == (True, True)


@pytest.mark.parametrize("kind", ["file", "below a file", "nothing"])
def test_without_a_folder_nothing_fails(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_text("")
    place = {
        "file": tmp_path / "file",
        "below a file": tmp_path / "file" / "x",
        "nothing": Path("/proc/none/x"),
    }[kind]
    cache = ReportCache(place)

    cache.put(KEY, make_analysis(make_report()))

    assert believed(cache) == (False, False)


def test_a_report_that_cannot_be_written_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise ValueError("Out of range float values are not JSON compliant")

    monkeypatch.setattr(cache_module, "to_bytes", broken)
    cache = ReportCache(folder)
    cache.put(KEY, make_analysis(make_report()))

    assert believed(cache) == (False, True)


CROWD = """
import random, sys
from pathlib import Path
from tests.reports import make_analysis, make_report
from tfperf_plugin.execution.cache import ReportCache
cache = ReportCache(Path(sys.argv[1]), max_bytes=40_000)
chance = random.Random(sys.argv[2])
found = 0
for _ in range(40):
    number = chance.randrange(8)
    key = str(number) * 64
    report = cache.get(key)
    assert report is None or report.run == f"run {number}", report.run
    arrays = cache.arrays(key)
    assert arrays is None or bytes(arrays["timeline/code"]) == report.headline.encode() if report else True
    found += report is not None
    if report is None or chance.random() < 0.3:
        cache.put(key, make_analysis(make_report(f"run {number}")))
assert found > 3, found
"""


def test_processes_that_write_and_clear_at_once_never_mislead_each_other(folder: Path) -> None:
    crowd = [python(CROWD, str(folder), str(number)) for number in range(2)]

    assert [process.wait(60) for process in crowd] == [0, 0]
    assert not list(folder.glob(".new-*"))
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 40_000


def python(script: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", script, *arguments], cwd=REPOSITORY)
