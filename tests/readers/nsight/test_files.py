"""Which files in a log directory are exports of Nsight Systems."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.builders import Host
from tests.readers.nsight.writer import MS, Export, trace
from tfperf_plugin.errors import NotJudgeable, RunNotFound, UnreadableInput
from tfperf_plugin.execution.analyze import analyze_run
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import HEAD_BYTES
from tfperf_plugin.readers.formats import NSIGHT
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.readers.logdirs.places import resolve

LEAF, INTERIOR = 13, 5
"""The first byte of a page that holds entries, and of one that only names others."""


def training(steps: int = 5) -> Export:
    export = Export()
    for number in range(steps):
        begin = number * 10 * MS
        export.range(f"step {number}", begin, begin + 9 * MS)
        export.launch(begin + 1000, begin + MS, begin + 9 * MS)
    return export


def of_another_program(path: Path, tables: int) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN")
    for number in range(tables):
        connection.execute(f"CREATE TABLE trials_{number} (trial_id INTEGER NOT NULL, value TEXT NOT NULL)")
    connection.execute("COMMIT")
    connection.close()


def test_each_export_is_a_run_beside_those_of_tensorboard(tmp_path: Path) -> None:
    training().write(tmp_path / "first.sqlite")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    training().write(tmp_path / "deep" / "er" / "report1.sqlite")
    of_tensorboard = tmp_path / "plugins" / "profile" / "run"
    of_tensorboard.mkdir(parents=True)
    host = Host().steps(5, 10)
    (of_tensorboard / "vm.xplane.pb").write_bytes(host.to_bytes())
    training().write(of_tensorboard / "same.sqlite")
    (tmp_path / "notes.sqlite").write_text("no database")
    of_another_program(tmp_path / "study.sqlite", 3)

    found = {run.name: [file.host for file in run.hosts] for run in find_runs(str(tmp_path))}

    assert found == {
        "first": ["first"], "deep/er/report1": ["report1"], "run": ["vm"], "run/same": ["same"],
    }  # fmt: skip


def test_a_file_is_reported_by_its_name(tmp_path: Path) -> None:
    path = training().write(tmp_path / "report1.sqlite")

    report = analyze_run(resolve(str(path))).report

    assert report.hosts == ("report1",)
    assert report.ledger
    assert report.ledger.step_ns == 10 * MS


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("CUDA driver version (13.1) is not supported by this build of Nsight Systems.", "a newer release"),
        ("No CUDA events collected. Does the process use CUDA?", "may have ended early."),
        ("", "The file holds no work of GPUs: record with nsys profile --trace=cuda,nvtx."),
    ],
)
def test_a_file_of_nothing_is_quoted_word_for_word_with_the_remedy(
    said: str, told: str, tmp_path: Path
) -> None:
    export = Export()
    if said:
        export.add("DIAGNOSTIC_EVENT", severity=2, text=said)
    path = export.write(tmp_path / "report1.sqlite")

    with pytest.raises(NotJudgeable) as caught:
        analyze_run(resolve(str(path)))

    assert told in str(caught.value)
    assert (f"The file says: “{said}” " in str(caught.value)) == bool(said)
    assert ("record with nsys" in str(caught.value)) == (not said)


@pytest.mark.parametrize(
    ("kind", "content", "listed"),
    [
        (LEAF, b"CREATE TABLE StringIds (", True),
        (LEAF, b"CREATE TABLE trials (", False),
        (LEAF, b"", False),
        (INTERIOR, b"CREATE TABLE TARGET_INFO_GPU (", True),
        (INTERIOR, b"CREATE TABLE trials (", False),
        (INTERIOR, b"", True),
    ],
)
def test_the_first_pages_tell_which_files_may_be_exports(kind: int, content: bytes, listed: bool) -> None:
    """Where they name no table at all, as after packing, the tables tell once they are read."""
    head = b"SQLite format 3\0".ljust(100, b"\0") + bytes([kind]) + content

    found = [run.hosts for run in NSIGHT.runs_in(("a",), ("b.json", "c.sqlite"), lambda _: head)]

    assert found == ([(("c", "c.sqlite"),)] if listed else [])


@pytest.mark.parametrize("tables", [0, 1, 200])
def test_a_database_of_another_program_is_no_run(tmp_path: Path, tables: int) -> None:
    of_another_program(tmp_path / "study.sqlite", tables)

    if b"CREATE TABLE" in (tmp_path / "study.sqlite").read_bytes()[:HEAD_BYTES] or not tables:
        assert find_runs(str(tmp_path)) == ()
        with pytest.raises(RunNotFound, match="is not a profile" if tables else "is empty"):
            resolve(str(tmp_path / "study.sqlite"))
    else:  # this build of SQLite left no names behind
        with pytest.raises(UnreadableInput, match="no tables of Nsight Systems"):
            analyze_run(resolve(str(tmp_path / "study.sqlite")))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python reads databases from memory from 3.11 on")
def test_a_file_that_says_it_has_a_log_is_read_from_elsewhere_too(tmp_path: Path) -> None:
    path = training().write(tmp_path / "export.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = wal")

    found = NSIGHT.trace("host", NSIGHT.decode(path.read_bytes(), Anomalies()), Anomalies())

    assert found.events.names == trace(path).events.names
