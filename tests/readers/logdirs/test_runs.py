"""Which runs a log directory holds, under which names, in which order."""

from __future__ import annotations

import argparse
import ntpath
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from etils import epath
from tensorboard.plugins import base_plugin
from xprof import profile_plugin

from tests.logdirs import add_run
from tests.readers.logdirs.remote import remote_in_memory
from tfperf_plugin.errors import RunNotFound, UnreadableInput
from tfperf_plugin.readers.logdirs import files, finding, places, runs
from tfperf_plugin.readers.logdirs.places import hosts_beside, resolve, runs_at


def names(logdir: Path) -> list[str]:
    return [run.name for run in finding.find_runs(str(logdir))]


def test_other_hosts_of_the_same_minute_lie_beside_a_run(tmp_path: Path) -> None:
    add_run(tmp_path, "2026_01_03_00_00_30", "a")
    add_run(tmp_path, "2026_01_03_00_00_00", "b")
    add_run(tmp_path, "2026_01_03_00_01_30", "c")
    add_run(tmp_path, "2026_01_03_00_00_40", "a")  # captured again on this host
    add_run(tmp_path, "2026_01_03_00_01_31", "d")  # later
    add_run(tmp_path, "by_hand", "e")
    found = {run.name: finding.beside(run) for run in finding.find_runs(str(tmp_path))}

    assert found["2026_01_03_00_00_30"] == (
        "2026_01_03_00_00_00/*.xplane.pb",
        "2026_01_03_00_01_30/*.xplane.pb",
    )
    assert found["by_hand"] == ()


def test_newest_first_by_time_stamp_else_by_file_then_by_name(tmp_path: Path) -> None:
    add_run(tmp_path, "2020_01_01_00_00_00", time_s=9e9)
    add_run(tmp_path, "b/2021_01_01_00_00_00", time_s=1e9)
    add_run(tmp_path, "a/2021_01_01_00_00_00", time_s=1e9)
    add_run(tmp_path, "by_hand", time_s=8e9)
    add_run(tmp_path, "2026_99_99_00_00_00", time_s=7e9)

    assert names(tmp_path) == [
        "by_hand",
        "2026_99_99_00_00_00",
        "a/2021_01_01_00_00_00",
        "b/2021_01_01_00_00_00",
        "2020_01_01_00_00_00",
    ]


def test_named_as_the_profile_plugin_names_them(tmp_path: Path) -> None:
    for name in ("run1", "train/run1", "train/run 2", "a/b/c/ü", "validation.d/run1"):
        add_run(tmp_path, name, "host")
    add_records(tmp_path, "host.20261121T110000.000000+0000")
    (tmp_path / "train" / "events.out.tfevents.1").write_bytes(b"")

    context = base_plugin.TBContext(
        logdir=str(tmp_path), flags=argparse.Namespace(master_tpu_unsecure_channel="")
    )
    theirs = set(profile_plugin.ProfilePlugin(context).generate_runs())

    assert set(names(tmp_path)) == theirs
    assert len(theirs) == 5


def test_what_could_be_read_for_ever_is_no_profile_but_a_broken_link_is_an_error(tmp_path: Path) -> None:
    run = add_run(tmp_path, "run", "file")
    os.mkfifo(run / "pipe.xplane.pb")
    (run / "device.xplane.pb").symlink_to("/dev/zero")
    (run / "broken.xplane.pb").symlink_to("nowhere")
    (run / "itself.xplane.pb").symlink_to("itself.xplane.pb")
    (run / "link.xplane.pb").symlink_to("file.xplane.pb")

    (found,) = finding.find_runs(str(tmp_path))

    assert [host.host for host in found.hosts] == ["broken", "file", "itself", "link"]


def test_links_are_followed_but_never_in_circles(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    add_run(elsewhere, "run")
    logdir = tmp_path / "logdir"
    (logdir / "deep").mkdir(parents=True)
    (logdir / "linked").symlink_to(elsewhere)
    (logdir / "deep" / "up").symlink_to(logdir)
    (logdir / "self").symlink_to(logdir / "self")
    (logdir / "broken").symlink_to(logdir / "nothing")

    assert names(logdir) == ["linked/run"]


def test_a_scan_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    add_run(tmp_path, "near")
    for index in range(20):
        (tmp_path / f"a{index}").mkdir()
    add_run(tmp_path, "z/far")
    monkeypatch.setattr(finding, "MAX_DIRECTORIES", 15)

    assert names(tmp_path) == []
    assert "only the nearest were searched" in caplog.text


def test_a_directory_that_vanishes_or_is_refused_hides_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(tmp_path, "kept/run")
    add_run(tmp_path, "refused/run")
    add_run(tmp_path, "vanished/run")
    scandir = os.scandir

    def moody(path: epath.Path) -> Any:
        if path.name == "refused":
            raise PermissionError(13, "Permission denied", str(path))
        if path.name == "vanished":
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", moody)

    assert names(tmp_path) == ["kept/run"]


def test_a_directory_that_vanishes_while_its_parent_is_scanned_hides_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_run(tmp_path, "kept/run")
    (tmp_path / "sibling").mkdir()
    (tmp_path / "plugins" / "profile" / "run").mkdir(parents=True)
    (tmp_path / "plugins" / "profile" / "run" / "link.xplane.pb").symlink_to("link.xplane.pb")
    (tmp_path / "plugins" / "profile" / "run" / "a.xplane.pb").symlink_to("b.xplane.pb")
    (tmp_path / "plugins" / "profile" / "run" / "b.xplane.pb").symlink_to("a.xplane.pb")
    scandir = os.scandir

    class Vanishing:
        """Entries of which one directory is removed between the look at its kind and at the rest."""

        def __init__(self, path: object) -> None:
            self._entries = scandir(path)  # type: ignore[call-overload]

        def __enter__(self) -> Iterator[os.DirEntry[str]]:
            for entry in self._entries:
                if entry.name == "sibling" and entry.is_dir():
                    Path(entry.path).rmdir()
                yield entry

        def __exit__(self, *error: object) -> None:
            self._entries.close()

    monkeypatch.setattr(os, "scandir", Vanishing)

    found = finding.find_runs(str(tmp_path))

    assert {run.name for run in found} == {"run", "kept/run"}
    assert {"a", "b", "link"} in [{host.host for host in run.hosts} for run in found]
    assert not (tmp_path / "sibling").exists()


def test_a_missing_log_directory_has_no_runs_yet(tmp_path: Path) -> None:
    assert finding.find_runs(str(tmp_path / "later")) == ()
    assert not finding.has_runs(str(tmp_path / "later"))

    with pytest.raises(RunNotFound, match=r"There is no log directory .*later"):
        resolve(str(tmp_path / "later"))


@pytest.mark.parametrize("typed", [".", "/", "some/logs", "/some/logs/.."])
def test_an_unreadable_log_directory_is_said_so(monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)

    def said(find: Callable[..., object], *arguments: str) -> str:
        with pytest.raises(UnreadableInput) as caught:
            find(*arguments)
        return str(caught.value)

    for find in (finding.find_runs, finding.has_runs):
        assert said(find, typed) == f"The log directory {typed} cannot be read: Permission denied."
    assert said(finding.find_runs, typed, "the logs") == "The logs cannot be read: Permission denied."
    assert said(places.find_runs_of_spec, typed, "the logs") == "The logs cannot be read: Permission denied."
    named = said(places.find_runs_of_spec, f"Mine:{typed}", "the logs")
    assert named == "The logs Mine cannot be read: Permission denied."


def test_only_listed_names_resolve(tmp_path: Path) -> None:
    add_run(tmp_path, "2026_01_01_00_00_00")
    add_run(tmp_path, "train/2025_01_01_00_00_00")
    add_run(tmp_path.parent / f"{tmp_path.name}_other", "secret")
    logdir = str(tmp_path)

    assert resolve(logdir).name == "2026_01_01_00_00_00"
    assert resolve(logdir, "train/2025_01_01_00_00_00").hosts[0].host == "host"
    for name in (
        "",
        ".",
        "..",
        "/",
        "/etc",
        f"../{tmp_path.name}_other/secret",
        "train/../train/x",
        "\0",
    ):
        with pytest.raises(RunNotFound, match="No run is called"):
            resolve(logdir, name)


def test_a_part_of_the_name_is_enough_if_only_one_run_has_it(tmp_path: Path) -> None:
    for name in ("gpu_stagger/2026_01_01_00_00_00", "fixed_gpu_stagger/2026_01_01_00_00_00", "other/a"):
        add_run(tmp_path, name)
    logdir = str(tmp_path)

    for typed in ("gpu_stagger", "gpu_stagger/", "GPU_Stagger", "gpu_stagger/2026_01_01_00_00_00"):
        assert resolve(logdir, typed).name == "gpu_stagger/2026_01_01_00_00_00"
    assert resolve(logdir, "fixed").name == "fixed_gpu_stagger/2026_01_01_00_00_00"
    assert resolve(logdir, "othe").name == "other/a"
    both = (
        r"2 runs below .* fit 'stagger'; give more of the name: (fixed_)?gpu_stagger/\S+, (fixed_)?gpu_\S+\.$"
    )
    with pytest.raises(RunNotFound, match=both):
        resolve(logdir, "stagger")
    with pytest.raises(RunNotFound, match=r"2 runs below .* fit '2026_01_01_00_00_00'"):
        resolve(logdir, "2026_01_01_00_00_00")


def test_at_most_ten_of_the_runs_that_fit_are_named(tmp_path: Path) -> None:
    for number in range(12):
        add_run(tmp_path, f"sweep/run{number:02}")

    with pytest.raises(
        RunNotFound, match=r"^12 runs below .*: (sweep/run\d\d, ){9}sweep/run\d\d and 2 others\.$"
    ):
        resolve(str(tmp_path), "sweep")


def test_a_misspelt_run_is_suggested(tmp_path: Path) -> None:
    add_run(tmp_path, "gpu_stagger/2026_01_01_00_00_00")
    add_run(tmp_path, "other/b")

    with pytest.raises(RunNotFound, match=r"; did you mean gpu_stagger/2026_01_01_00_00_00\?$"):
        resolve(str(tmp_path), "gpu_stager")
    with pytest.raises(RunNotFound, match=r"there are: other/b, gpu_stagger/\S+\.$"):
        resolve(str(tmp_path), "qqqq")


def test_a_run_by_its_folder_or_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_run(tmp_path, "older")
    folder = add_run(tmp_path, "train/run", "a", "b")

    for place in (str(folder), f"{folder}/"):
        (found,) = runs_at(place)
        assert (found.name, [host.host for host in found.hosts]) == ("train/run", ["a", "b"])
    (one,) = runs_at(str(folder / "b.xplane.pb"))
    assert (one.name, [host.host for host in one.hosts], hosts_beside(one)) == ("train/run", ["b"], 1)
    with pytest.raises(RunNotFound, match=r"There is no file .*c\.xplane\.pb\."):
        runs_at(str(folder / "c.xplane.pb"))
    monkeypatch.chdir(folder)
    assert resolve(".").name == resolve("a.xplane.pb").name == "train/run"
    with pytest.raises(RunNotFound, match="No run is called 'older'"):
        resolve(".", "older")


def test_an_empty_log_directory_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(
        RunNotFound, match=r"No profiles below .*\. Expected one of these: plugins/profile/RUN/HOST"
    ):
        resolve(str(tmp_path))


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("a b/c/w.xplane.pb", r"w\.xplane\.pb lies in another folder: tfperf report '.*/a b/c'$"),
        ("a/my.nsys-rep", r"nsys export --type sqlite .*/a/my\.nsys-rep$"),
        ("plugins/profile/run/w.overview_page.pb", r"record with TensorFlow 2\.3 or later\.$"),
        (
            "a/timeline.json",
            r"timeline\.json is a timeline of TensorFlow 1: record with TensorFlow 2, or with nsys",
        ),
        ("a/other.json", r"of PyTorch's profiler\.$"),
        ("a/notes.txt", r"of PyTorch's profiler\.$"),
    ],
)
def test_a_profile_that_is_no_run_yet_is_named_with_the_command_that_helps(
    tmp_path: Path, file: str, said: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    devices = (
        b'{"traceEvents": [{"name": "process_name", "args": {"name": "/device:GPU:0/stream:15 Compute"}}'
    )
    path.write_bytes(devices if path.name == "timeline.json" else b"")

    with pytest.raises(RunNotFound, match=said):
        resolve(str(tmp_path))
    if path.suffix == ".nsys-rep":
        with pytest.raises(RunNotFound, match=said):
            resolve(str(path))


def test_log_directory_specs_name_their_runs(tmp_path: Path) -> None:
    add_run(tmp_path / "one", "2026_01_01_00_00_00")
    add_run(tmp_path / "two", "train/2026_01_02_00_00_00")

    found = places.find_runs_of_spec(f"first:{tmp_path}/one,{tmp_path}/two,", "the logs")

    assert [run.name for run in found] == ["train/2026_01_02_00_00_00", "first/2026_01_01_00_00_00"]


def test_a_spec_may_hold_paths_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where drives have letters, C: is one and no name; the same as TensorBoard reads it."""
    monkeypatch.setattr(os.path, "splitdrive", ntpath.splitdrive)

    assert places.parse_spec(r"C:\logs,name:D:\more,n:relative") == (
        ("", r"C:\logs"), ("name", r"D:\more"), ("", "n:relative"),
    )  # fmt: skip


def test_a_stamp_from_before_1970_is_no_time_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OfWindows(datetime):
        def timestamp(self) -> float:
            if self.year < 1970:
                raise OSError(22, "Invalid argument")
            return super().timestamp()

    monkeypatch.setattr(runs, "datetime", OfWindows)
    add_run(tmp_path, "1969_12_31_00_00_00", time_s=3e9)
    add_run(tmp_path, "2026_01_01_00_00_00")

    assert names(tmp_path) == ["1969_12_31_00_00_00", "2026_01_01_00_00_00"]


def test_a_remote_log_directory_is_read_through_its_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remote_in_memory(monkeypatch)
    memory.pipe("/bucket/logs/train/plugins/profile/2026_01_01_00_00_00/vm.xplane.pb", b"profile")
    memory.pipe("/bucket/logs/train/events.out", b"")
    memory.pipe("/bucket/logs/plugins/diagnostics/vm.20251231T235900.000000+0000.training.json", b"{}")

    (run,) = finding.find_runs("gs://bucket/logs")

    assert run.name == "train/2026_01_01_00_00_00"
    assert [host.host for host in run.hosts] == ["vm"]
    assert [record.path.read_bytes() for record in run.records] == [b"{}"]
    assert files.size_and_time(run.hosts[0].path)[0] == len(b"profile")


# Each in a log directory of its own, because listings are kept for a short time.
@pytest.mark.parametrize("place", ["a/train/plugins/profile/run", "b/train/plugins/profile/run/", "c/copied"])
def test_a_remote_folder_or_file_of_a_run(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    memory = remote_in_memory(monkeypatch)
    for name in ("a", "b"):
        memory.pipe(f"/bucket/{place.rstrip('/')}/{name}.xplane.pb", b"profile")
    memory.pipe(f"/bucket/{place[0]}/newer/plugins/profile/2030_01_01_00_00_00/a.xplane.pb", b"profile")
    name = "copied" if place == "c/copied" else "train/run"

    (run,) = runs_at(f"gs://bucket/{place}")
    (one,) = runs_at(f"gs://bucket/{place.rstrip('/')}/b.xplane.pb")

    assert (run.name, [host.host for host in run.hosts]) == (name, ["a", "b"])
    assert (one.name, [host.host for host in one.hosts], hosts_beside(one)) == (name, ["b"], 1)
    with pytest.raises(RunNotFound, match="There is no file gs://"):
        resolve(f"gs://bucket/{place.rstrip('/')}/c.xplane.pb")


def add_records(logdir: Path, *names: str) -> None:
    folder = logdir / "plugins" / "diagnostics"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / f"{name}.training.json").write_bytes(b"{}")


def recorded(logdir: Path, run: str) -> list[str]:
    """The records of ``run``, without what is the same in all of them."""
    return [record.name.removesuffix(".training.json") for record in resolve(str(logdir), run).records]


RUN = "2026_11_21_12_00_00"
ELEVEN = "20261121T110000.000000+0000"
BELONGS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "the last from before the profile": (
        ["a", "b.c"],
        [f"a.{ELEVEN}", "a.20261121T115959.999999+0000", "a.20261121T120001.000000+0000",
         "b.c.20261120T120000.000000+0000", f"unprofiled.{ELEVEN}"],
        ["a.20261121T115959.999999+0000", "b.c.20261120T120000.000000+0000"],
    ),
    "one of the same second": (["a"], ["a.20261121T120000.999999+0000"], ["a.20261121T120000.999999+0000"]),
    # Wherever this machine is: 12:29 in Rome is 11:29 in London, and only one of them is before 12:00.
    "by the clock of its machine": (
        ["rome", "london"],
        ["rome.20261121T122900.000000+0100", "london.20261121T112900.000000+0000"],
        ["london.20261121T112900.000000+0000"],
    ),
    **{
        f"to {profile}": ([profile], [f"vm.{ELEVEN}"], [f"vm.{ELEVEN}"] if belongs else [])
        for profile, belongs in {
            "vm_6009": True, "vm:6009": True, "10.0.0.1_6009": True, "localhost_6009": True, "vm2": False,
            "vm_x": False,
        }.items()
    },
    "not to an address, two days before": (["10.0.0.1_6009"], ["vm.20261119T110000.000000+0000"], []),
    "not to an address, of several hosts": (["10.0.0.1_6009"], [f"vm.{ELEVEN}", f"other.{ELEVEN}"], []),
    **{
        f"not under the name {name}": (["host"], [name], [])
        for name in (
            "host", f".{ELEVEN}", "host.20269921T110000.000000+0000", "host.00010101T000000.000000+2359",
            "host.20261121T110000.000000+9999", "host.20261121T110000+0000",
        )
    },
}  # fmt: skip


@pytest.mark.parametrize(("hosts", "stored", "belong"), BELONGS.values(), ids=BELONGS.keys())
def test_which_records_belong_to_a_profile_of_noon(
    tmp_path: Path, hosts: list[str], stored: list[str], belong: list[str]
) -> None:
    add_run(tmp_path, RUN, *hosts)
    add_records(tmp_path, *stored)

    assert recorded(tmp_path, RUN) == [f"plugins/diagnostics/{name}" for name in belong]


def test_keras_puts_profiles_below_the_directory_that_the_record_is_in(tmp_path: Path) -> None:
    for name in ("train", "validation", "other", "deep/train"):
        add_run(tmp_path, f"{name}/{RUN}")
    add_records(tmp_path, "host.20261121T110000.000000+0000")
    add_records(tmp_path / "validation", "host.20261121T113000.000000+0000")

    above = "plugins/diagnostics/host.20261121T110000.000000+0000"
    assert recorded(tmp_path, f"train/{RUN}") == [above]
    assert recorded(tmp_path, f"other/{RUN}") == recorded(tmp_path, f"deep/train/{RUN}") == []
    assert recorded(tmp_path, f"validation/{RUN}") == [
        "validation/plugins/diagnostics/host.20261121T113000.000000+0000"
    ]


@pytest.mark.parametrize("run", ["0001_01_01_00_00_00", "9999_12_31_23_59_59"])
def test_stamps_at_the_ends_of_time(tmp_path: Path, run: str) -> None:
    add_run(tmp_path, run)
    add_records(tmp_path, "host.20261121T110000.000000+0000")

    assert names(tmp_path) == [run]


def test_runs_of_a_spec_keep_their_records(tmp_path: Path) -> None:
    add_run(tmp_path, RUN)
    add_records(tmp_path, "host.20261121T110000.000000+0000")

    (run,) = places.find_runs_of_spec(f"name:{tmp_path}", "the logs")

    assert (run.name, len(run.records)) == (f"name/{RUN}", 1)
