"""The compiled decoder (``_decode.c``): the same columns as the one in NumPy, several times as fast."""

from __future__ import annotations

import ctypes
from array import array
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.arrays import native
from tfperf_plugin.arrays.native import Library
from tfperf_plugin.arrays.native import address as _at
from tfperf_plugin.readers.xspace.decoded import Columns, Counts, Names
from tfperf_plugin.readers.xspace.stats import Piece
from tfperf_plugin.readers.xspace.wire import Ints

_NAME, _VERSION = "tfperf_plugin.readers.xspace._decode", 3
_EVENTS_AT_ONCE, _BYTES_PER_EVENT = 1 << 16, 3
_STATS_PER_EVENT, _BYTES_PER_STAT = 8, 6
"""There is room at first for this many, or for what fits into the events' bytes; collectors write four or
five."""
_MOST_PER_EVENT = 256

_P, _I64, _U64, _C = ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint64, native.Column
_FUNCTIONS: dict[str, native.Signature] = {
    "tfperf_version": (ctypes.c_int, ()),
    "tfperf_find_events": (_U64, (_C, _U64, _U64, _C, _I64, _C, _C)),
    "tfperf_read_events": (_I64, (_C, _I64, _C, _I64, _I64, _P, _P, _C, _C, _C, _C, _P, *[_C] * 5)),
    "tfperf_order_stats": (None, (_P, _I64, _I64, *[_C] * 6)),
}


class Decoded(NamedTuple):
    """Events, and their stats by name."""

    columns: Columns
    stats: dict[str, Piece]
    counts: Counts


def library() -> Library | None:
    """The compiled functions, or None where NumPy has to do."""
    return native.library(_NAME, _VERSION, _FUNCTIONS)


class _Names(ctypes.Structure):
    """``names`` of ``_decode.c``; its addresses are those of columns of a Names."""

    _fields_ = (("ids", _P), ("codes", _P), ("count", _I64), ("direct", _P), ("direct_count", _I64))

    @classmethod
    def of(cls, names: Names) -> _Names:
        return cls(_at(names.ids), _at(names.codes), names.ids.size, _at(names.direct), names.direct.size)


class _Stats(ctypes.Structure):
    """``stat_list`` of ``_decode.c``."""

    _fields_ = (
        ("values", _P), ("codes", _P), ("kinds", _P), ("counts", _P), ("used", _I64), ("room", _I64),
    )  # fmt: skip

    def __init__(self, event_count: int, event_bytes: int) -> None:
        super().__init__()
        self._columns = tuple(np.empty(0, dtype) for dtype in (np.int64, np.int32, np.uint8))
        self._counts = np.empty(event_count, np.uint16)
        self.counts = _at(self._counts)
        self.make_room(min(_STATS_PER_EVENT * event_count, event_bytes // _BYTES_PER_STAT))

    def make_room(self, count: int) -> None:
        """Makes room for ``count`` more."""
        self.room = self.used + count + _MOST_PER_EVENT
        grown = tuple(np.empty(self.room, column.dtype) for column in self._columns)
        for old, new in zip(self._columns, grown, strict=True):
            new[: self.used] = old[: self.used]
        self._columns = grown
        self.values, self.codes, self.kinds = map(_at, grown)


def find_events(library: Library, data: bytes, at: int, end: int, bounds: array[int]) -> tuple[int, int]:
    """Walks whole events of a line, at most 2**16: see reader.find_events."""
    file = np.frombuffer(data, np.uint8)
    room = min(_EVENTS_AT_ONCE, (end - at) // _BYTES_PER_EVENT + 1)
    found = np.empty(2 * room, np.uint32)
    counts = np.zeros(2, np.int64)
    at = library.tfperf_find_events(file, at, min(end, file.size), found, room, counts, counts[1:])
    bounds.frombytes(found[: 2 * int(counts[0])].tobytes())
    return at, int(counts[1])


def decode(
    library: Library,
    begin: int,
    data: bytes,
    bounds: NDArray[np.uint32],
    first_event: int,
    event_names: Names,
    stat_names: Names,
) -> Decoded:
    """Decodes the events at ``bounds`` (uint32[n, 2], inside of ``data``).

    ``begin``: where in the file ``data`` begins; ``first_event``: from here on stats count events.
    """
    file, count = np.frombuffer(data, np.uint8), len(bounds)
    if (count and not (bounds[:, 0] <= bounds[:, 1]).all()) or bounds.max(initial=0) > file.size:
        raise ValueError("bounds outside of the file")
    columns = Columns.of(count)
    codes = len(stat_names.texts)
    stat_counts, stat_last = np.zeros(codes, np.int64), np.full(codes, -1, np.int64)
    stat_kinds, stat_repeats = np.zeros(codes, np.uint16), np.zeros(codes, np.uint8)
    counts = np.zeros(len(Counts._fields), np.int64)
    of_events, of_stats = _Names.of(event_names), _Names.of(stat_names)
    found = _Stats(count, int((bounds[:, 1] - bounds[:, 0]).sum()))
    done = 0
    while done < count:
        done = library.tfperf_read_events(
            file, begin, bounds, done, count, ctypes.byref(of_events), ctypes.byref(of_stats),
            *columns, ctypes.byref(found), stat_counts, stat_kinds, stat_repeats, stat_last, counts,
        )  # fmt: skip
        if done < count:
            found.make_room(found.used)
    # What is the same for all stats of a name is not stored for each: its kind, and that each event has one.
    has_events = (stat_counts != count) | (stat_repeats != 0)
    has_kinds = (stat_kinds & (stat_kinds - np.uint16(1))) != 0
    value_at, values = _places(stat_counts, np.ones(codes, np.bool_), np.int64)
    event_at, events = _places(stat_counts, has_events, np.int32)
    kind_at, kinds = _places(stat_counts, has_kinds, np.uint8)
    cursors = [value_at.copy(), event_at.copy(), kind_at.copy()]
    library.tfperf_order_stats(ctypes.byref(found), count, first_event, *cursors, values, events, kinds)
    stats = {}
    for code in np.flatnonzero(stat_counts).tolist():
        size = int(stat_counts[code])
        kind = np.uint8(int(stat_kinds[code]).bit_length() - 1)
        stats[stat_names.texts[code]] = Piece(
            events[event_at[code] :][:size] if has_events[code] else None,
            kinds[kind_at[code] :][:size] if has_kinds[code] else np.broadcast_to(kind, size),
            values[value_at[code] :][:size],
            first_event,
        )
    return Decoded(columns, stats, Counts(*counts.tolist()))


def _places(counts: Ints, stored: NDArray[np.bool_], dtype: Any) -> tuple[Ints, NDArray[Any]]:
    """Where in one column the values of each code begin, -1 for those that are not stored; the column."""
    sizes = np.where(stored, counts, 0)
    ends = np.cumsum(sizes)
    return np.where(stored, ends - sizes, -1), np.empty(int(sizes.sum()), dtype)
