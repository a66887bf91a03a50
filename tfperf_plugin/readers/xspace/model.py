"""What a profile holds: planes, lines and columns of events. Nothing here shows how it was stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.arrays.unique import Numbers
from tfperf_plugin.readers.xspace.stats import NumberColumn, StatValue, TextColumn
from tfperf_plugin.readers.xspace.wire import Ints
from tfperf_plugin.records import Record

T = TypeVar("T")


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
