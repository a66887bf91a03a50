"""What a profile holds: planes, lines and columns of events. Nothing here shows how it was stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.arrays.columns import Numbers
from tfperf_plugin.readers.xspace.stats import NumberColumn, StatValue, TextColumn
from tfperf_plugin.readers.xspace.wire import Ints
from tfperf_plugin.records import Record

T = TypeVar("T")
C = TypeVar("C")


class Line(Record, frozen=True):
    """A stream of a GPU or a thread of the host.

    ``derived`` marks lines that a profiler computed from other lines, such as "Steps" and "TensorFlow Ops".
    """

    id: int
    name: str
    derived: bool


class _Stats(Protocol):
    """Where a plane's stats come from: see the methods of Plane."""

    def stat_names(self) -> frozenset[str]: ...
    def ints(self, stat: str) -> NumberColumn | None: ...
    def floats(self, stat: str) -> NumberColumn | None: ...
    def texts(self, stat: str) -> TextColumn | None: ...


class Plane(Record, frozen=True, eq=False, dict=True):
    """A GPU, the host's threads, or the task's environment, with all its events as columns.

    The columns ``start_ns``, ``end_ns`` (int64[n], nanoseconds on the file's clock, end >= start),
    ``event_name`` (int32[n], into ``names``) and ``line`` (int32[n], into ``lines``) are sorted by line,
    start, and the longer event first. Start and end are each rounded down from picoseconds, so that events
    which touch still do.
    """

    name: str
    stats: Mapping[str, StatValue]
    lines: tuple[Line, ...]
    names: tuple[str, ...]
    start_ns: Ints
    end_ns: Ints
    event_name: NDArray[np.int32]
    line: NDArray[np.int32]
    _table: _Stats
    _read_event_stats: Callable[[], Mapping[str, Mapping[str, StatValue]]]

    @cached_property
    def event_stats(self) -> Mapping[str, Mapping[str, StatValue]]:
        """Stats that belong to all events of one name, by event name; only names that have any."""
        return self._read_event_stats()

    @property
    def stat_names(self) -> frozenset[str]:
        """The names of all stats that events of this plane have."""
        return self._table.stat_names()

    def ints(self, stat: str) -> NumberColumn | None:
        """The integer values of a stat, or None when no event has one. Numbers in texts stay texts."""
        return self._table.ints(stat)

    def numbers(self, stat: str, absent: int) -> Numbers:
        """An integer stat as int32 or int64; ``absent``, a small number, where an event has none."""
        column = self.ints(stat)
        if column is None:
            return np.broadcast_to(np.int32(absent), len(self.start_ns))
        if column.present.strides == (0,):
            return column.values
        return np.where(column.present, column.values, column.values.dtype.type(absent))

    def floats(self, stat: str) -> NumberColumn | None:
        """The numeric values of a stat, integers among them, or None when no event has one."""
        return self._table.floats(stat)

    def texts(self, stat: str) -> TextColumn | None:
        """The texts of a stat, however stored, or None when no event has one."""
        return self._table.texts(stat)


class XSpace(Record, Generic[T], frozen=True):
    """One file: the planes that one host recorded, or what is kept of each, and what the profiler said."""

    planes: tuple[T, ...]
    errors: tuple[str, ...]
    warnings: tuple[str, ...]


def joined(planes: Sequence[Plane]) -> Plane:
    """All events of planes in one, whose lines and stats stay apart; of two stats of a device the first.

    A single plane is returned as it is.
    """
    if len(planes) == 1:
        return planes[0]
    lines = list(accumulate((len(plane.lines) for plane in planes), initial=0))
    event_name, names = _texts([(plane.names, plane.event_name) for plane in planes])
    return Plane(
        name=planes[0].name,
        stats={name: value for plane in reversed(planes) for name, value in plane.stats.items()},
        lines=tuple(line for plane in planes for line in plane.lines),
        names=names,
        start_ns=np.concatenate([plane.start_ns for plane in planes]),
        end_ns=np.concatenate([plane.end_ns for plane in planes]),
        event_name=event_name,
        line=np.concatenate(
            [plane.line + np.int32(first) for plane, first in zip(planes, lines, strict=False)]
        ),
        _table=_StatsOfAll(planes),
        _read_event_stats=lambda: {
            name: stats for plane in reversed(planes) for name, stats in plane.event_stats.items()
        },
    )


class _StatsOfAll:
    """The stats of several planes, one behind the other."""

    def __init__(self, planes: Sequence[Plane]) -> None:
        self._planes = planes

    def stat_names(self) -> frozenset[str]:
        return frozenset[str]().union(*(plane.stat_names for plane in self._planes))

    def ints(self, stat: str) -> NumberColumn | None:
        return self._numbers(self._of_each(Plane.ints, stat), 0)

    def floats(self, stat: str) -> NumberColumn | None:
        return self._numbers(self._of_each(Plane.floats, stat), np.nan)

    def texts(self, stat: str) -> TextColumn | None:
        columns = self._of_each(Plane.texts, stat)
        if not any(columns):
            return None
        absent = [np.full(plane.start_ns.size, -1, np.int32) for plane in self._planes]
        parts = [
            (column.strings, column.codes) if column else ((), codes)
            for column, codes in zip(columns, absent, strict=True)
        ]
        return TextColumn(*_texts(parts))

    def _of_each(self, read: Callable[[Plane, str], C | None], stat: str) -> list[C | None]:
        """The column of each plane; none where it was left out for want of what it needs beside it."""
        found = []
        for plane in self._planes:
            try:
                found.append(read(plane, stat))
            except KeyError:
                found.append(None)
        return found

    def _numbers(self, columns: Sequence[NumberColumn | None], absent: float) -> NumberColumn | None:
        if not any(columns):
            return None
        sizes = [plane.start_ns.size for plane in self._planes]
        both = list(zip(columns, sizes, strict=True))
        return NumberColumn(
            np.concatenate([column.values if column else np.full(size, absent) for column, size in both]),
            np.concatenate([column.present if column else np.zeros(size, np.bool_) for column, size in both]),
        )


def _texts(
    parts: Sequence[tuple[Sequence[str], NDArray[np.int32]]],
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The codes of all parts, and the texts that they stand for; -1 is no text."""
    interned: dict[str, int] = {}
    codes = []
    for texts, of_part in parts:
        table = np.array([*(interned.setdefault(text, len(interned)) for text in texts), -1], np.int32)
        codes.append(table[of_part])
    return np.concatenate(codes), tuple(interned)
