"""Interval algebra on integer nanoseconds: half-open ranges [begin, end), vectorised.

An ``Intervals`` is normalised: sorted, disjoint, not touching, none empty. All functions are pure.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Literal

import numpy as np
import numpy.typing as npt

from tfperf_plugin.arrays import native
from tfperf_plugin.arrays.native import Library
from tfperf_plugin.records import Record

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

_COLUMN, _I64 = native.Column, ctypes.c_int64
_FUNCTIONS: dict[str, native.Signature] = {
    "tfperf_version": (ctypes.c_int, ()),
    "tfperf_union": (_I64, (_COLUMN, _COLUMN, _I64, _COLUMN, _COLUMN)),
    "tfperf_combine": (
        _I64, (_COLUMN, _COLUMN, _I64, _COLUMN, _COLUMN, _I64, ctypes.c_int, _COLUMN, _COLUMN),
    ),
    "tfperf_cover": (None, (_COLUMN, _I64, _COLUMN, _COLUMN, _I64, _COLUMN)),
    "tfperf_ranks": (None, (_COLUMN, _I64, _COLUMN, _I64, ctypes.c_int, _COLUMN)),
    "tfperf_covered_before": (None, (_COLUMN, _COLUMN, _COLUMN, _I64, _COLUMN, _I64, _COLUMN)),
}  # fmt: skip


def _library() -> Library | None:
    return native.library("tfperf_plugin.arrays._intervals", 3, _FUNCTIONS)


class Intervals(Record, frozen=True):
    """Ranges of time: int64[n] begins and ends, normalised."""

    #: Begin of each range, ascending.
    begin_ns: Ints
    #: End of each range, exclusive.
    end_ns: Ints

    @property
    def total_ns(self) -> int:
        """Length of the covered time."""
        return int((self.end_ns - self.begin_ns).sum())

    def __len__(self) -> int:
        return len(self.begin_ns)


EMPTY = Intervals(np.empty(0, np.int64), np.empty(0, np.int64))


def union(begin_ns: Ints, end_ns: Ints) -> Intervals:
    """The time covered by any of the ranges; empty and reversed ranges cover nothing."""
    if (library := _library()) is not None:
        return _union_compiled(library, begin_ns, end_ns)
    keep = end_ns > begin_ns
    begin, end = begin_ns[keep], end_ns[keep]
    if not len(begin):
        return EMPTY
    if (begin[1:] < begin[:-1]).any():
        order = np.argsort(begin, kind="stable")
        begin, end = begin[order], end[order]
    reach = np.maximum.accumulate(end)
    fresh = np.empty(len(begin), np.bool_)
    fresh[0] = True
    fresh[1:] = begin[1:] > reach[:-1]
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(begin)) - 1
    return Intervals(begin[first], reach[last])


def _union_compiled(library: Library, begin_ns: Ints, end_ns: Ints) -> Intervals:
    begin, end = native.contiguous(begin_ns), native.contiguous(end_ns)
    if len(begin) != len(end):
        raise ValueError("begins and ends must be equal in number")
    to_begin, to_end = np.empty_like(begin), np.empty_like(end)
    count = library.tfperf_union(begin, end, len(begin), to_begin, to_end)
    if count < 0:
        order = np.argsort(begin, kind="stable")
        begin, end = begin[order], end[order]
        count = library.tfperf_union(begin, end, len(begin), to_begin, to_end)
    if count == len(begin):  # nothing touches: what was given is kept by whoever gave it
        return Intervals(begin, end)
    return _first(count, to_begin, to_end)


def _first(count: int, begin: Ints, end: Ints) -> Intervals:
    """The first ``count`` ranges; copied if most of the memory behind them would be held for nothing."""
    if 2 * count < len(begin):
        return Intervals(begin[:count].copy(), end[:count].copy())
    return Intervals(begin[:count], end[:count])


_NEAR_COUNT = 32
_A_ONLY, _B_ONLY, _BOTH = 1 << 1, 1 << 2, 1 << 3


def _combine(library: Library, a: Intervals, b: Intervals, wanted: int) -> Intervals:
    columns = (a.begin_ns, a.end_ns, b.begin_ns, b.end_ns)
    begin_a, end_a, begin_b, end_b = map(native.contiguous, columns)
    to_begin, to_end = (np.empty(len(a) + len(b), np.int64) for _ in range(2))
    count = library.tfperf_combine(begin_a, end_a, len(a), begin_b, end_b, len(b), wanted, to_begin, to_end)
    return _first(count, to_begin, to_end)


def merge(*parts: Intervals) -> Intervals:
    """The time covered by any of the parts."""
    if (library := _library()) is not None:
        covered = [part for part in parts if len(part)] or [EMPTY]
        return reduce(lambda a, b: _combine(library, a, b, _A_ONLY | _B_ONLY | _BOTH), covered)
    return union(
        np.concatenate([p.begin_ns for p in parts]) if parts else EMPTY.begin_ns,
        np.concatenate([p.end_ns for p in parts]) if parts else EMPTY.end_ns,
    )


def searchsorted(ascending: Ints, points: Ints, side: Literal["left", "right"] = "left") -> Ints:
    """The result of ``np.searchsorted``, several times as fast where the points mostly ascend, too."""
    if (library := _library()) is None:
        return np.searchsorted(ascending, points, side)
    values, points = native.contiguous(ascending), native.contiguous(points)
    found = np.empty(len(points), np.int64)
    library.tfperf_ranks(values, len(values), points, len(points), side == "right", found)
    return found


def contains(intervals: Intervals, points_ns: Ints) -> Bools:
    """For each point whether it lies inside the intervals."""
    return searchsorted(intervals.begin_ns, points_ns, "right") > searchsorted(
        intervals.end_ns, points_ns, "right"
    )


def covered_before(intervals: Intervals, points_ns: Ints) -> Ints:
    """For each point the covered time before it; differences give the covered time of a window."""
    return _covered_before(intervals, _lengths_before(intervals), points_ns)


def covered_within(intervals: Intervals, begin_ns: Ints, end_ns: Ints) -> Ints:
    """For each window [begin, end) the covered time inside it."""
    before = _lengths_before(intervals)
    return _covered_before(intervals, before, end_ns) - _covered_before(intervals, before, begin_ns)


def _lengths_before(intervals: Intervals) -> Ints:
    """int64[n + 1]: the length of all ranges before each range, and of all."""
    before = np.zeros(len(intervals) + 1, np.int64)
    np.cumsum(intervals.end_ns - intervals.begin_ns, out=before[1:])
    return before


def _covered_before(intervals: Intervals, before: Ints, points_ns: Ints) -> Ints:
    if not len(intervals):
        return np.zeros(len(points_ns), np.int64)
    if (library := _library()) is not None:
        columns = (intervals.begin_ns, intervals.end_ns, points_ns)
        begin, end, points = map(native.contiguous, columns)
        covered = np.empty(len(points), np.int64)
        library.tfperf_covered_before(begin, end, before, len(begin), points, len(points), covered)
        return covered
    index = np.searchsorted(intervals.begin_ns, points_ns, "right")
    overshoot = np.where(index > 0, intervals.end_ns[index - 1] - points_ns, 0)
    return np.asarray(before[index] - np.maximum(overshoot, 0), np.int64)


def near(intervals: Intervals, begin_ns: Ints, end_ns: Ints) -> Ints:
    """Rows of the ranges that may touch the intervals, ascending: no other range does.

    Fast for ranges that are mostly in order, because it tests ``_NEAR_COUNT`` of them at once.
    """
    if not len(begin_ns) or not len(intervals):
        return np.empty(0, np.int64)
    firsts = np.arange(0, len(begin_ns), _NEAR_COUNT)
    low, high = np.minimum.reduceat(begin_ns, firsts), np.maximum.reduceat(end_ns, firsts)
    touched = searchsorted(intervals.begin_ns, high) > searchsorted(intervals.end_ns, low, "right")
    return np.flatnonzero(np.repeat(touched, _NEAR_COUNT)[: len(begin_ns)])


def alone(begin_ns: Ints, end_ns: Ints) -> Ints:
    """For each range the part that no other range covers."""
    order = np.argsort(begin_ns, kind="stable")
    if (begin_ns[order][1:] >= np.maximum.accumulate(end_ns[order])[:-1]).all():
        return end_ns - begin_ns
    times = np.concatenate([end_ns, begin_ns])
    at = np.argsort(times, kind="stable")
    count = np.where(at < len(end_ns), -1, 1).cumsum()
    single = count[:-1] == 1
    times = times[at]
    return covered_within(union(times[:-1][single], times[1:][single]), begin_ns, end_ns)


def intersect(a: Intervals, b: Intervals) -> Intervals:
    """The time covered by both."""
    if not (len(a) and len(b)):
        return EMPTY
    if (library := _library()) is not None:
        return _combine(library, a, b, _BOTH)
    return _select([a, b], lambda inside: inside[0] & inside[1])


def subtract(a: Intervals, b: Intervals) -> Intervals:
    """The time covered by ``a`` and not by ``b``."""
    if not (len(a) and len(b)):
        return a
    if (library := _library()) is not None:
        return _combine(library, a, b, _A_ONLY)
    return _select([a, b], lambda inside: inside[0] & ~inside[1])


def clip(intervals: Intervals, begin_ns: int, end_ns: int) -> Intervals:
    """The part of the intervals inside [begin_ns, end_ns)."""
    return union(np.maximum(intervals.begin_ns, begin_ns), np.minimum(intervals.end_ns, end_ns))


def gaps(intervals: Intervals, begin_ns: int, end_ns: int) -> Intervals:
    """The time of [begin_ns, end_ns) that is not covered."""
    return subtract(union(np.array([begin_ns], np.int64), np.array([end_ns], np.int64)), intervals)


class Segments(Record, frozen=True):
    """Consecutive pieces of time, each with one owner."""

    #: int64[n]: begin of each piece.
    begin_ns: Ints
    #: int64[n]: end of each piece, exclusive.
    end_ns: Ints
    #: int16[n]: index of the layer that owns the piece; one more than the last index if no layer covers it.
    owner: npt.NDArray[np.int16]


def partition_by_precedence(layers: Sequence[Intervals], cuts_ns: Ints) -> Segments:
    """Cuts [cuts[0], cuts[-1]) into pieces that each belong to the first layer covering them.

    Pieces end at every cut. Time that no layer covers belongs to owner ``len(layers)``.
    """
    if len(cuts_ns) < 2:
        return Segments(EMPTY.begin_ns, EMPTY.end_ns, np.empty(0, np.int16))
    points = distinct(np.concatenate([cuts_ns, *(x.begin_ns for x in layers), *(x.end_ns for x in layers)]))
    points = points[(points >= cuts_ns[0]) & (points <= cuts_ns[-1])]
    owner = np.full(len(points) - 1, len(layers), np.int16)
    for index in reversed([index for index, layer in enumerate(layers) if len(layer)]):
        np.putmask(owner, _inside(layers[index], points), index)
    boundary = np.empty(len(owner), np.bool_)
    if not len(owner):
        return Segments(EMPTY.begin_ns, EMPTY.end_ns, owner)
    boundary[0] = True
    boundary[1:] = owner[1:] != owner[:-1]
    boundary[np.searchsorted(points, cuts_ns[:-1])] = True
    first = np.flatnonzero(boundary)
    edges = points[np.append(first, len(owner))]  # one piece ends where the next one begins
    return Segments(edges[:-1], edges[1:], owner[first])


def _inside(layer: Intervals, points: Ints) -> Bools:
    """For each piece between two points whether the layer covers it; points are sorted and distinct, and hold
    each start and end of the layer that lies between them."""
    if (library := _library()) is not None:
        points, begin, end = map(native.contiguous, (points[:-1], layer.begin_ns, layer.end_ns))
        covered = np.empty(len(points), np.bool_)
        library.tfperf_cover(points, len(points), begin, end, len(layer), covered)
        return covered
    marks = np.zeros(len(points) + 1, np.int8)
    near = slice(
        np.searchsorted(layer.end_ns, points[0], "right"), np.searchsorted(layer.begin_ns, points[-1])
    )
    marks[np.searchsorted(points, layer.begin_ns[near])] = 1
    marks[np.searchsorted(points, layer.end_ns[near])] = -1
    return np.cumsum(marks[: len(points) - 1], dtype=np.int8).view(np.bool_)


def distinct(points_ns: Ints) -> Ints:
    """The points, sorted, each once.

    Fast for points that are mostly in order: at a million points, merging sorted parts takes a quarter of the
    time of np.unique's hash table.
    """
    ordered = np.sort(points_ns, kind="stable")
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return ordered[fresh]


def _select(parts: Sequence[Intervals], rule: Callable[[Sequence[Bools]], Bools]) -> Intervals:
    points = distinct(np.concatenate([x for p in parts for x in (p.begin_ns, p.end_ns)]))
    if len(points) < 2:
        return EMPTY
    keep = rule([_inside(p, points) for p in parts])
    return union(points[:-1][keep], points[1:][keep])
