"""Whatever a SQLite file holds: a trace or one sentence, in bounded time and memory."""

from __future__ import annotations

import random
import sqlite3
import struct
import time
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.pace import pace
from tests.readers.nsight.writer import KERNEL, MS, NVTX, RUNTIME, Export, thread_id, trace
from tfperf_plugin.errors import NotJudgeable, UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.formats import NSIGHT
from tfperf_plugin.trace.model import HostTrace

MOST_S = 3.0
MOST_BYTES = 120e6


def bounded(path: Path) -> HostTrace | str:
    """What the reader makes of a file, or its sentence, after holding it to its bounds."""
    tracemalloc.start()
    began = time.thread_time()
    try:
        found: HostTrace | str = trace(path)
    except (UnreadableInput, NotJudgeable) as error:
        found = str(error)
        assert found.endswith(".")
        assert "\n" not in found
        assert len(found) < 200
    finally:
        took, (_, peak) = time.thread_time() - began, tracemalloc.get_traced_memory()
        # The pace is measured while memory is traced, as it was for the reader.
        limit = MOST_S if took < MOST_S else MOST_S * pace()
        tracemalloc.stop()
    assert took < limit
    assert peak < MOST_BYTES
    return found


def small(rows: int = 20) -> Export:
    export = Export()
    for number in range(rows):
        begin = number * 100_000
        export.range(f"aten::mm, op_id = {number}", begin, begin + 50_000)
        export.launch(begin + 10, begin + 20_000, begin + 40_000)
    return export


def written(
    tmp_path: Path, change: Callable[[sqlite3.Connection], Any], export: Export | None = None
) -> Path:
    path = (export or small()).write(tmp_path / "export.sqlite")
    connection = sqlite3.connect(path, isolation_level=None)
    change(connection)
    connection.close()
    return path


def test_what_a_view_would_read_is_denied_even_if_its_name_is_found(tmp_path: Path) -> None:
    """The list of tables names one; what SQLite knows by this name is a view."""

    def change(connection: sqlite3.Connection) -> None:
        connection.execute(
            f'CREATE VIEW {NVTX} AS SELECT 1 AS start, 2 AS "end", 59 AS eventType, 5 AS globalTid'
        )
        connection.execute('CREATE TABLE other (start, "end", eventType, globalTid)')
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            f"UPDATE sqlite_master SET name = '{NVTX}', sql = 'CREATE TABLE {NVTX} (start)' "
            "WHERE name = 'other'"
        )

    export = small()
    del export.tables[NVTX]

    assert isinstance(bounded(written(tmp_path, change, export)), str)


@pytest.mark.slow
@pytest.mark.parametrize(
    "value", ["'a'", "NULL", "x'00ff'", "1e300", "9223372036854775807", "-1", "''", "'12'"]
)
@pytest.mark.parametrize(
    ("table", "column"),
    [
        (KERNEL, "start"), (KERNEL, '"end"'), (KERNEL, "deviceId"), (KERNEL, "correlationId"),
        (KERNEL, "demangledName"), (KERNEL, "globalPid"), (KERNEL, "gridX"), (RUNTIME, "start"),
        (RUNTIME, "nameId"), (RUNTIME, "globalTid"), (NVTX, "start"), (NVTX, '"end"'),
        (NVTX, "text"), (NVTX, "textId"), (NVTX, "eventType"),
        ("TARGET_INFO_SESSION_START_TIME", "utcEpochNs"),
    ],
)  # fmt: skip
def test_values_of_any_kind(tmp_path: Path, table: str, column: str, value: str) -> None:
    where = "WHERE rowid = 2" if table in (KERNEL, RUNTIME, NVTX) else ""

    bounded(written(tmp_path, lambda c: c.execute(f"UPDATE {table} SET {column} = {value} {where}")))


@pytest.mark.parametrize(("table", "count"), [(KERNEL, 19), (RUNTIME, 39), (NVTX, 39)])
@pytest.mark.parametrize("value", ["'soon'", "x'00ff'", "1e300", "NULL"])
def test_a_row_with_a_broken_cell_is_left_out_and_counted(
    tmp_path: Path, table: str, count: int, value: str
) -> None:
    path = written(tmp_path, lambda c: c.execute(f"UPDATE {table} SET start = {value} WHERE rowid = 2"))
    anomalies = Anomalies()

    found = trace(path, anomalies)

    assert len(found.devices[0].start_ns if table == KERNEL else found.events.start_ns) == count
    assert [(row.name, row.count) for row in anomalies.rows() if row.severity == "data_loss"] == [
        ("broken-rows", 1)
    ]


def test_the_names_of_the_other_ranges_stay_theirs(tmp_path: Path) -> None:
    export = Export()
    for number in range(5):
        export.range(f"range {number} of five", number, number + 1)

    found = trace(
        written(tmp_path, lambda c: c.execute(f"UPDATE {NVTX} SET start = 'a' WHERE rowid = 3"), export)
    )

    names = [found.events.names[code] for code in found.events.name]
    assert list(zip(names, found.events.start_ns.tolist(), strict=True)) == [
        (f"range {number} of five", number) for number in (0, 1, 3, 4)
    ]


@pytest.mark.parametrize("cell", ["start", '"end"'])
@pytest.mark.parametrize("table", [KERNEL, RUNTIME, NVTX])
@pytest.mark.parametrize("value", [1 << 62, (1 << 63) - 2, -(1 << 63), -(1 << 62)])
def test_a_time_of_another_century_costs_its_row_only(
    tmp_path: Path, table: str, cell: str, value: int
) -> None:
    path = written(tmp_path, lambda c: c.execute(f"UPDATE {table} SET {cell} = {value} WHERE rowid = 2"))
    anomalies = Anomalies()

    found = trace(path, anomalies)

    assert len(found.devices[0].start_ns) + len(found.events.start_ns) == 59
    assert {row.name: row.count for row in anomalies.rows()}["impossible-time"] == 1


def test_a_range_that_never_ended_ends_with_the_others_even_if_one_is_broken(tmp_path: Path) -> None:
    export = small()
    export.range("open", 5, None)

    found = trace(
        written(tmp_path, lambda c: c.execute(f'UPDATE {NVTX} SET "end" = 1 << 62 WHERE rowid = 2'), export)
    )

    assert int(found.events.end_ns[found.events.named(lambda name: name == "open")][0]) == 1_950_000


def test_a_table_without_times_is_said(tmp_path: Path) -> None:
    export = Export()
    export.add(KERNEL, name="gemm")

    assert bounded(export.write(tmp_path / "export.sqlite")) == (
        f"The table {KERNEL} has no column deviceId. Export the report again with nsys export --type sqlite."
    )


@pytest.mark.parametrize("size", [16, 100, 512, 4096, 5000, 12_000])
def test_a_file_cut_off(tmp_path: Path, size: int) -> None:
    path = small(200).write(tmp_path / "export.sqlite")
    path.write_bytes(path.read_bytes()[:size])

    assert isinstance(bounded(path), str)


@pytest.mark.slow
def test_no_flipped_bytes_break_the_reader(tmp_path: Path) -> None:
    path = small(60).write(tmp_path / "export.sqlite")
    whole, draw = path.read_bytes(), random.Random(1)
    outcomes = set()
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(draw.choice([1, 3, 20])):
            damaged[draw.randrange(100 if draw.random() < 0.2 else len(whole))] = draw.randrange(256)
        path.write_bytes(damaged)
        outcomes.add(type(bounded(path)))

    assert outcomes == {HostTrace, str}


@pytest.mark.slow
@pytest.mark.parametrize("table", [NVTX, RUNTIME, "StringIds", "DIAGNOSTIC_EVENT", "sqlite_master"])
@pytest.mark.parametrize("kind", [1, 59])
def test_pages_that_are_listed_over_and_over(tmp_path: Path, table: str, kind: int) -> None:
    """Trees of pages, of which each page's children are one and the same: a billion rows in a megabyte."""
    export = Export()
    for number in range(10_000):
        text = "x" * (20 if number else 300_000)
        export.add(NVTX, start=number, end=number + 1, eventType=kind, text=text, globalTid=thread_id())
        export.call("f", number, number + 1)
        export.add("DIAGNOSTIC_EVENT", severity=2, text=text)
        export.text(f"name {number}" if number else text)
    for number in range(2000 if table == "sqlite_master" else 0):
        export.add(f"t{number}", a=0)
    path = export.write(tmp_path / "export.sqlite", page_bytes=512)
    connection = sqlite3.connect(path)
    root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    connection.close()
    path.write_bytes(endless(bytearray(path.read_bytes()), root[0] if root else 1))

    assert isinstance(bounded(path), str)


def endless(data: bytearray, root: int, page_bytes: int = 512) -> bytearray:
    """A file in which a table's first page names only one other page, dozens of times, and so do seven more
    below it, the last of them the page with the table's first rows."""

    def header(page: int) -> int:
        return (page - 1) * page_bytes + (100 if page == 1 else 0)

    def places_of_children(page: int) -> list[int]:
        begin, at = (page - 1) * page_bytes, header(page)
        (count,) = struct.unpack_from(">H", data, at + 3)
        cells = struct.unpack_from(f">{count}H", data, at + 12)
        return [*(begin + cell for cell in cells), at + 8]

    lists = [page for page in range(1, len(data) // page_bytes + 1) if data[header(page)] == 5]
    assert root in lists
    leaf = root
    while leaf in lists:
        (leaf,) = struct.unpack_from(">I", data, places_of_children(leaf)[0])
    full = sorted(lists, key=lambda page: -len(places_of_children(page)))
    chain = [root, *[page for page in full if page not in (root, 1)][:7], leaf]
    assert len(chain) == 9
    for page, child in pairwise(chain):
        for place in places_of_children(page):
            struct.pack_into(">I", data, place, child)
    return data


def test_times_of_different_recordings(tmp_path: Path) -> None:
    export = small()
    for number in range(5):
        export.launch((1 << 62) + number, (1 << 62) + number, (1 << 62) + MS)

    found = bounded(export.write(tmp_path / "export.sqlite"))

    assert isinstance(found, str)
    assert "days apart" in found


def test_bytes_that_are_no_file_of_sqlite() -> None:
    for data in (b"", b"SQLite format 3\0", b"SQLite format 3\0" + bytes(4080), b"\xff" * 5000):
        with pytest.raises(UnreadableInput):
            NSIGHT.trace("host", NSIGHT.decode(data, Anomalies()), Anomalies())
