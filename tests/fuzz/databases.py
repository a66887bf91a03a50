"""Exports of Nsight Systems to begin with, and changes to them: to cells, rows and the schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.fuzz.mutate import DOUBLES, NUMBERS, TEXTS, bent, reworded
from tests.readers.nsight.writer import MS, NVTX, Export, process_id, thread_id
from tests.strategies import ADD, ALL_REDUCE, GEMM

_WIDEST = 1 << 63
_NAMES = (
    "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_RUNTIME", NVTX, "StringIds",
    "start", "end", "deviceId", "streamId", "globalTid", "nameId", "text", "eventType", "other",
)  # fmt: skip
_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS start FROM c"


def exports() -> list[bytes]:
    """Files to begin with: one with all tables that are read, one of a single kernel, one in UTF-16."""
    one = Export()
    one.launch(0, MS, 2 * MS)
    return [_written(_training()), _written(one), _written(_training(), "UTF-16le")]


def _training() -> Export:
    export = Export()
    export.add("TARGET_INFO_GPU", id=0, name="NVIDIA H100", totalMemory=80 << 30, smCount=132, computeMajor=9)
    export.add("TARGET_INFO_CUDA_DEVICE", pid=100, cudaId=0, gpuId=0)
    export.add("ThreadNames", globalTid=thread_id(), nameId=export.text("python3"))
    export.add("DIAGNOSTIC_EVENT", severity=2, text="Not all events were collected.")
    for step in range(4):
        at = step * 10 * MS
        export.range(f"step {step}", at, at + 9 * MS)
        export.range("aten::mm, seq = 4, op_id = 7", at + MS, at + 2 * MS)
        export.launch(at + MS, at + 2 * MS, at + 3 * MS, GEMM)
        export.range("Thunk:#name=jit(f)/dot,hlo_op=fusion.3#", at + 2 * MS, at + 3 * MS)
        export.launch(at + 2 * MS, at + 3 * MS, at + 4 * MS, ADD, deviceId=1)
        export.range("XlaModule:#hlo_module=jit_f,program_id=7#", at + 4 * MS, None)
        export.launch(at + 5 * MS, at + 6 * MS, at + 7 * MS, ALL_REDUCE, streamId=9)
        export.call("cudaMemcpyAsync_v3020", at + 7 * MS, at + 8 * MS, 1000 + step)
        export.work(
            "CUPTI_ACTIVITY_KIND_MEMCPY", at + 7 * MS, at + 8 * MS, correlation=1000 + step, copyKind=2, bytes=64,
            srcKind=2, dstKind=0,
        )  # fmt: skip
        export.work("CUPTI_ACTIVITY_KIND_MEMSET", at + 8 * MS, at + 8 * MS + 9, bytes=64)
        export.work("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", at + 8 * MS, at + 9 * MS, graphId=3, process=101)
    export.add(
        NVTX, start=0, end=9, eventType=59, text=None, textId=export.text("eval"), globalTid=thread_id()
    )
    export.add("PROCESSES", globalPid=process_id(), pid=100, name="python3")
    return export


def _written(export: Export, encoding: str = "UTF-8") -> bytes:
    with TemporaryDirectory() as folder:
        return export.write(Path(folder) / "export.sqlite", 512, encoding).read_bytes()


def remade(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """An export after one to several changes of its cells, rows and schema, or of its bytes."""
    if random.random() < 0.15:
        return bent(data, random)
    with _opened(data) as (path, connection):
        for _ in range(random.choice((1, 1, 1, 2, 3, 5, 8))):
            try:
                random.choice(_CHANGES)(connection, random)
            except (sqlite3.Error, OverflowError, UnicodeError, IndexError):
                break
        connection.close()
        changed = path.read_bytes()
    return bent(changed, random) if random.random() < 0.05 else changed


def grown_export(data: bytes, size: int, random: Random) -> bytes:
    """An export with one to some of its rows repeated until it has about this size; some of the numbers and
    texts in each copy are its own."""
    with _opened(data) as (path, connection):
        try:
            parts = [_some_rows(connection, random) for _ in range(random.choice((1, 1, 2, 3)))]
            own = [[random.random() < 0.5 for _ in rows[0]] for _, rows in parts]
            for begin in range(0, size // 8, 500):
                if path.stat().st_size >= size:
                    break
                connection.execute("BEGIN")
                for number in range(begin, begin + 500):
                    for (table, rows), differ in zip(parts, own, strict=True):
                        _insert(connection, table, [_differing(row, number, differ) for row in rows])
                connection.execute("COMMIT")
        except (sqlite3.Error, OverflowError, UnicodeError, IndexError):
            return data
        connection.close()
        return path.read_bytes()


def _differing(row: Sequence[Any], number: int, own: Sequence[bool]) -> list[Any]:
    def one(cell: Any) -> Any:
        return (
            f"{cell} {number}" if isinstance(cell, str) else cell + number if isinstance(cell, int) else cell
        )

    return [one(cell) if differ else cell for cell, differ in zip(row, own, strict=True)]


@contextmanager
def _opened(data: bytes) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """A file with this content, as a database that may be changed."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "export.sqlite"
        path.write_bytes(data)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            connection.set_progress_handler(_Limit(200), 10_000)
            yield path, connection


class _Limit:
    """Ends what asks more often: a damaged file may lead to the same page over and over."""

    def __init__(self, most: int) -> None:
        self._left = most

    def __call__(self) -> bool:
        self._left -= 1
        return self._left < 0


def _table(connection: sqlite3.Connection, random: Random) -> tuple[str, list[str]]:
    """A table and its columns."""
    known = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 100").fetchall()
    table = str(random.choice(known)[0])
    return table, [str(row[1]) for row in connection.execute(f'PRAGMA table_info("{table}")')]


def _some_rows(connection: sqlite3.Connection, random: Random) -> tuple[str, list[Sequence[Any]]]:
    table, _ = _table(connection, random)
    rows = connection.execute(f'SELECT * FROM "{table}" LIMIT 50').fetchall()
    at = random.randrange(len(rows) + 1)
    return table, rows[at : at + random.choice((1, 1, 2, 5))] or rows[:1]


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    for row in rows:
        connection.execute(f'INSERT OR IGNORE INTO "{table}" VALUES ({",".join("?" * len(row))})', row)


def _value(random: Random, now: Any = None) -> Any:
    near = now + random.choice((-1, 1, 1000, -(10**6), 10**9)) if isinstance(now, int) else now
    number = random.choice(NUMBERS)
    text = random.choice(TEXTS)
    return random.choice((
        near, near, near, number if -_WIDEST <= number < _WIDEST else float(number), random.choice(DOUBLES), None,
        text.decode("utf-8", "replace"), text,
    ))  # fmt: skip


def _cell(connection: sqlite3.Connection, random: Random) -> None:
    table, columns = _table(connection, random)
    column = random.choice(columns)
    (count,) = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
    where = f'rowid IN (SELECT rowid FROM "{table}" LIMIT 1 OFFSET {random.randrange(count + 1)})'
    where = "1" if random.random() < 0.15 else where
    now = connection.execute(f'SELECT "{column}" FROM "{table}" WHERE {where}').fetchone()
    new = _value(random, now[0] if now else None)
    connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE {where}', (new,))


def _repeat(connection: sqlite3.Connection, random: Random) -> None:
    table, rows = _some_rows(connection, random)
    own = [random.random() < 0.5 for _ in rows[0]]
    for number in range(random.choice((1, 2, 9, 60))):
        _insert(connection, table, [_differing(row, number, own) for row in rows])


def _delete(connection: sqlite3.Connection, random: Random) -> None:
    table, _ = _table(connection, random)
    connection.execute(f'DELETE FROM "{table}" WHERE random() % {random.choice((1, 2, 9))} = 0')


def _schema(connection: sqlite3.Connection, random: Random) -> None:
    table, columns = _table(connection, random)
    column, name = random.choice(columns), random.choice(_NAMES)
    connection.execute(random.choice((
        f'DROP TABLE "{table}"', f'ALTER TABLE "{table}" RENAME TO {name}', f'ALTER TABLE "{table}" DROP COLUMN "{column}"',
        f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO {name}', f'ALTER TABLE "{table}" ADD COLUMN {name} DEFAULT 7',
        f'ALTER TABLE "{table}" ADD COLUMN {name} AS (zeroblob(1000000))', f"CREATE VIEW {name} AS {_ENDLESS}",
        f'CREATE TABLE {name} AS SELECT * FROM "{table}"', f"CREATE TABLE {name} (start, text) ",
        f'CREATE TRIGGER t AFTER INSERT ON "{table}" BEGIN DELETE FROM "{table}"; END',
        f'CREATE UNIQUE INDEX i ON "{table}" ("{column}")', "PRAGMA journal_mode = wal",
        f"PRAGMA page_size = {random.choice((512, 1024, 65536))}", "VACUUM",
    )))  # fmt: skip


def _lie(connection: sqlite3.Connection, random: Random) -> None:
    """The list of tables says what is not so."""
    table, _ = _table(connection, random)
    connection.execute("PRAGMA writable_schema = ON")
    (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    column = random.choice(("sql", "sql", "sql", "rootpage", "type", "name"))
    other = reworded(str(sql).encode(), [str(sql).encode()], random).decode("utf-8", "replace")
    new = {"sql": other, "rootpage": random.choice((0, 1, 2, 3, 5, 10**6)), "type": "view"}
    value = new.get(column, random.choice(_NAMES))
    connection.execute(f"UPDATE sqlite_master SET {column} = ? WHERE name = ?", (value, table))


_CHANGES: tuple[Callable[[sqlite3.Connection, Random], None], ...] = (
    *(_cell,) * 10, *(_repeat,) * 3, *(_delete,) * 2, *(_schema,) * 2, _lie,
)  # fmt: skip
