"""A SQLite file as columns of its tables, in time and memory that its size bounds, whatever is in it.

Only what tables themselves store is read: no views, no virtual tables, no indexes, no generated columns.
A damaged file may lead SQLite to the same page over and over, so rows, text and time are counted.
"""

from __future__ import annotations

import re
import sqlite3
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Content, Data

LEAST_ROW_BYTES: Final = 8
"""No row of a table takes fewer; real ones take dozens."""
LONGEST_TEXT: Final = 1 << 12
"""Characters that are read of a text. Names of kernels have up to some thousands."""
_LEAST_S, _BYTES_PER_S = 1.5, 10e6  # ten times as slow as measured
_LEAST_PAGE_BYTES: Final = 512
_VERSIONS: Final = slice(18, 20)
_NO_LOG: Final = b"\1\1"
"""The header's versions for writing and reading of a file that has no log."""
_OPERATIONS: Final = 10_000
"""SQLite's operations from one look at the clock to the next."""
_LONGEST_VALUE: Final = 1 << 22
_MOST_ROWS: Final = 1 << 16
_IDS_AT_ONCE: Final = 500
_ALLOWED: Final = frozenset({
    sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_PRAGMA,
})  # fmt: skip
_AGAIN: Final = "Export the report again with nsys export --type sqlite."


class Database:
    """The tables of an open file. All its functions raise UnreadableInput."""

    def __init__(self, connection: sqlite3.Connection, size: int, anomalies: Anomalies) -> None:
        self._connection, self._rows, self._size = connection, size // LEAST_ROW_BYTES, size
        self._anomalies = anomalies
        self._columns: dict[str, frozenset[str]] = {}
        self._broken: dict[str, str] = {}  # table → SQL that tells its broken rows, which are left out

    def columns(self, table: str) -> frozenset[str]:
        """The names of a table's columns; none if the file has no such table."""
        if table not in self._columns:
            self._columns[table] = frozenset(self._ask_columns(table))
        return self._columns[table]

    def _ask_columns(self, table: str) -> Iterator[str]:
        made = self._rows_of("select sql from sqlite_master where type = 'table' and name = ?", table)
        plain = re.compile(rf"""\s*create\s+table\s+["'`\[]?{table}["'`\]]?\s*\(""", re.IGNORECASE)
        if any(isinstance(sql, bytes) and plain.match(decoded(sql)) for (sql,) in made):
            for row in self._rows_of(f'pragma table_info("{table}")'):
                yield decoded(row[1])

    def numbers(self, table: str, expressions: Sequence[str], where: str = "") -> Ints:
        """int64[expressions, rows] in the order of the table; no rows if the file has no such table.

        An expression that is more than a column takes what is no number for one. Rows in which another
        expression is none are counted and left out, also where this table is read again.
        """
        if not self.columns(table):
            return np.empty((len(expressions), 0), np.int64)
        try:
            flat = np.fromiter(chain.from_iterable(self._scan(table, expressions, where)), np.int64)
        except (TypeError, ValueError, OverflowError):
            self._leave_out_broken(table, expressions, where)
            flat = np.fromiter(chain.from_iterable(self._scan(table, expressions, where)), np.int64)
        return np.asarray(flat.reshape(-1, len(expressions)).T)

    def _leave_out_broken(self, table: str, expressions: Sequence[str], where: str) -> None:
        broken = " or ".join(f"typeof({expression}) <> 'integer'" for expression in expressions)
        condition = f"({where}) and ({broken})" if where else broken
        ((count,),) = self._rows_of(f'select count(*) from "{table}" not indexed where {condition}')
        self._broken[table] = broken
        sentence = f"Rows of {table} hold something else than numbers; they are left out."
        self._anomalies.add("broken-rows", sentence, count, "data_loss")

    def values(self, table: str, expression: str, where: str = "") -> Iterable[Any]:
        """One value of each row: a number, bytes of a text, or None."""
        if not self.columns(table):
            return ()
        return chain.from_iterable(self._scan(table, (expression,), where))

    def rows(self, table: str, columns: Sequence[str]) -> list[tuple[int | str | None, ...]]:
        """The first rows of a table that is small in real files; None in columns that it lacks."""
        known, length = self.columns(table), 0
        either = "case typeof({0}) when 'text' then {1} when 'integer' then {0} end"
        cells = [either.format(c, short(c)) if c in known else "null" for c in columns]
        found: list[tuple[int | str | None, ...]] = []
        for row in islice(self._scan(table, cells, ""), _MOST_ROWS) if known else ():
            length += sum(len(cell) for cell in row if isinstance(cell, bytes))
            self.require_text(length)
            found.append(tuple(decoded(cell) if isinstance(cell, bytes) else cell for cell in row))
        return found

    def strings(self, ids: Iterable[int]) -> dict[int, str]:
        """The texts with these numbers, as far as the file holds them."""
        wanted, found, length = sorted(set(ids)), {}, 0
        if not {"id", "value"} <= self.columns("StringIds"):
            return {}
        for first in range(0, len(wanted), _IDS_AT_ONCE):
            some = wanted[first : first + _IDS_AT_ONCE]
            places = ",".join("?" * len(some))
            query = f"select id, {short('value')} from StringIds where id in ({places})"
            for number, value in self._rows_of(query, *some):
                if isinstance(value, bytes):
                    found[number] = decoded(value)
                    length += len(value)
                    self.require_text(length)
        return found

    def require(self, table: str, columns: Collection[str]) -> None:
        """Refuses a file whose table of this name lacks one of these columns; it may lack the table."""
        missing = set(columns) - self.columns(table)
        if self.columns(table) and missing:
            raise UnreadableInput(f"The table {table} has no column {min(missing)}. {_AGAIN}")

    def require_text(self, length: int) -> None:
        """Refuses a file that seems to hold more bytes of text than it has."""
        if length > self._size:
            raise _damaged()

    def _scan(self, table: str, expressions: Sequence[str], where: str) -> Iterator[tuple[Any, ...]]:
        broken = self._broken.get(table)
        condition = " and ".join(filter(None, (where and f"({where})", broken and f"not ({broken})")))
        wanted = f" where {condition}" if condition else ""
        return self._rows_of(f'select {", ".join(expressions)} from "{table}" not indexed{wanted}')

    def _rows_of(self, query: str, *given: object) -> Iterator[tuple[Any, ...]]:
        cursor = self._connection.execute(query, given)
        return chain(islice(cursor, self._rows), _nothing_in(cursor))


def _nothing_in(rows: Iterator[object]) -> Iterator[tuple[Any, ...]]:
    for _ in rows:
        raise _damaged()
    yield from ()


@contextmanager
def opened(data: Data, anomalies: Anomalies) -> Iterator[Database]:
    """The tables of a file, which is neither changed nor locked. Raises UnreadableInput."""
    size = len(data)
    if size < _LEAST_PAGE_BYTES:
        raise _damaged()
    try:
        with closing(_connection(data)) as connection:
            connection.text_factory = bytes
            connection.set_authorizer(_may)
            connection.set_progress_handler(_late(_LEAST_S + size / _BYTES_PER_S), _OPERATIONS)
            if sys.version_info >= (3, 11):
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
            for setting in ("trusted_schema = off", "cell_size_check = on", "temp_store = memory"):
                connection.execute(f"pragma {setting}")
            yield Database(connection, size, anomalies)
    except (sqlite3.Error, UnicodeError) as error:  # SQLite's words may quote names from the file
        raise _damaged() from error


def _late(after_s: float) -> Callable[[], bool]:
    """Whether this thread has computed for ``after_s`` from now on; the wall clock is asked first, as that
    costs less."""
    at, spent = time.monotonic() + after_s, time.thread_time() + after_s
    return lambda: time.monotonic() > at and time.thread_time() > spent


def _connection(data: Data) -> sqlite3.Connection:
    if isinstance(data, Content) and data.path:
        place = f"{Path(data.path).absolute().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(place, uri=True, isolation_level=None)
    if sys.version_info < (3, 11):
        raise UnreadableInput("Python 3.10 reads such files only from a local disk: copy the file there.")
    connection = sqlite3.connect(":memory:", isolation_level=None)
    content = data[0 : len(data)]
    # In memory no log of writes can lie beside the file, so it must not say that there is one.
    connection.deserialize(content[: _VERSIONS.start] + _NO_LOG + content[_VERSIONS.stop :])
    return connection


def _may(action: int, _first: str | None, _second: str | None, _name: str | None, view: str | None) -> int:
    """Whether SQLite may do this: reading, but not what a view or a trigger asks for."""
    return sqlite3.SQLITE_OK if view is None and action in _ALLOWED else sqlite3.SQLITE_DENY


def _damaged() -> UnreadableInput:
    return UnreadableInput(f"The SQLite file is damaged. {_AGAIN}")


def decoded(value: bytes) -> str:
    """A text of the file."""
    return value.decode("utf-8", "replace")


def short(column: str) -> str:
    """SQL for the start of a text."""
    return f"substr({column}, 1, {LONGEST_TEXT})"
