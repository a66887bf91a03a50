"""Several planes of one device as one plane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.readers.xspace.model import Plane
from tfperf_plugin.readers.xspace.stats import NumberColumn, TextColumn

T = TypeVar("T")


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
        _table=_Stats(planes),
        _read_event_stats=lambda: {
            name: stats for plane in reversed(planes) for name, stats in plane.event_stats.items()
        },
    )


class _Stats:
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

    def _of_each(self, read: Callable[[Plane, str], T | None], stat: str) -> list[T | None]:
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
