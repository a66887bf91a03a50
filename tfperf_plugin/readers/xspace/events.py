"""Decodes the events of a plane, block by block: with ``_decode.c`` where that was built, else with NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.arrays.native import Library
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.xspace import compiled
from tfperf_plugin.readers.xspace.names import Names
from tfperf_plugin.readers.xspace.stats import StatTable, add_damaged_stats, add_unknown_stats
from tfperf_plugin.readers.xspace.wire import BYTES, VARINT, Ints, Rounds, Window, chunks

_NAME_ID = 1 << 3 | VARINT
_OFFSET = 2 << 3 | VARINT
_DURATION = 3 << 3 | VARINT
_STATS = 4 << 3 | BYTES
_OCCURRENCES = 5 << 3 | VARINT
_KNOWN_KEYS = (_NAME_ID, _OFFSET, _DURATION, _STATS, _OCCURRENCES)

_MAX_EVENT_FIELDS = 256
"""Real events have some twenty stats. The bound keeps one endless event from holding up all others."""

_MAX_TIME_NS = 1 << 61
"""73 years from zero. Within it, sums and differences of two times fit 64 bits."""


class Spans(NamedTuple):
    """The columns of a plane, sorted by (line, start, -end); see Plane."""

    start_ns: Ints
    end_ns: Ints
    event_name: NDArray[np.int32]
    line: NDArray[np.int32]

    def take(self, rows: Ints) -> Spans:
        """The same columns with the given rows."""
        return Spans(self.start_ns[rows], self.end_ns[rows], self.event_name[rows], self.line[rows])


class _Raw(NamedTuple):
    """The fields of a chunk of events, as stored."""

    name_id: Ints
    offset_ps: Ints
    duration_ps: Ints
    is_aggregated: NDArray[np.bool_]
    is_damaged: NDArray[np.bool_]


def add_unknown_fields(anomalies: Anomalies, count: int) -> None:
    """Counts fields that a newer profiler may write; the rest of their message was read."""
    anomalies.add("unknown-field", "Fields that this version does not know were passed over.", count)


class _Columns(NamedTuple):
    """In file order: start and end from their line's begin, name (-1 if unknown), which events are spans."""

    start_ns: Ints
    end_ns: Ints
    name: NDArray[np.int32]
    keep: NDArray[np.bool_]


class EventColumns:
    """The events of a plane: decoded into columns part by part, their stats into ``table``.

    Events whose name is not among ``names`` get the code behind the last one.
    """

    def __init__(self, names: Names, table: StatTable, anomalies: Anomalies) -> None:
        self._names, self._table, self._anomalies = names, table, anomalies
        self._columns = _Columns(
            np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.bool_)
        )
        self._count = 0
        self._line_counts: list[int] = []
        self._line_timestamps_ns: list[int] = []

    def add(self, begin: int, data: bytes, bounds: NDArray[np.uint32]) -> None:
        """Decodes the next events, at ``bounds`` (uint32[n, 2]) in ``data``, which begins at ``begin``."""
        library = compiled.library()
        if library is None:
            part = self._decode(begin, data, bounds)
        else:
            part = self._decode_compiled(library, begin, data, bounds)
        self._count += len(bounds)
        columns: Sequence[NDArray[Any]] = self._columns
        for column, values in zip(columns, part, strict=True):
            if column.size < self._count:  # in place where it is large; never held twice
                column.resize(self._count + self._count // 8, refcheck=False)
            column[self._count - len(bounds) : self._count] = values

    def end_line(self, event_count: int, timestamp_ns: int) -> None:
        """So many of the events, behind those of the lines before, are of a line that begins then."""
        self._line_counts.append(event_count)
        self._line_timestamps_ns.append(timestamp_ns)

    def finish(self) -> Spans:
        """All columns."""
        for column in self._columns:
            column.resize(self._count, refcheck=False)
        start_ns, end_ns, name, keep = self._columns
        line = np.repeat(np.arange(len(self._line_counts), dtype=np.int32), self._line_counts)
        self._place(start_ns, end_ns, keep)
        is_unknown = name < 0
        self._anomalies.add(
            "unknown-event-name",
            "Events of unknown name were left unnamed.",
            int(np.count_nonzero(is_unknown & keep)),
        )
        name[is_unknown] = len(self._names.texts)
        spans = Spans(start_ns, end_ns, name, line)
        kept = np.flatnonzero(keep) if not keep.all() else None
        if kept is not None:
            spans = spans.take(kept)
        order = _order(spans, self._anomalies)
        if order is not None:
            spans = spans.take(order)
            kept = order if kept is None else kept[order]
        rows = None
        if kept is not None:
            rows = np.full(keep.size, -1, np.int32)
            rows[kept] = np.arange(kept.size, dtype=np.int32)
        self._table.finish(rows, spans.event_name.size)
        return spans

    def _place(self, start_ns: Ints, end_ns: Ints, keep: NDArray[np.bool_]) -> None:
        """Times of lines become times of the file's clock."""
        impossible_count = last = 0
        for count, timestamp_ns in zip(self._line_counts, self._line_timestamps_ns, strict=True):
            rows = slice(last, last + count)
            last += count
            if not count or not timestamp_ns:
                continue
            start_ns[rows] += timestamp_ns
            end_ns[rows] += timestamp_ns
            if abs(timestamp_ns // 2) > _MAX_TIME_NS // 2:
                impossible_count += int(np.count_nonzero(keep[rows]))
                keep[rows] = False
        _add_impossible(self._anomalies, impossible_count)
        negative_count = int(np.count_nonzero((start_ns < 0) & keep))
        self._anomalies.add("negative-time", "Events start before the profile does.", negative_count)

    def _decode(self, begin: int, data: bytes, bounds: NDArray[np.uint32]) -> _Columns:
        count = len(bounds)
        start_ns, end_ns = np.empty(count, np.int64), np.empty(count, np.int64)
        name, keep = np.empty(count, np.int32), np.empty(count, np.bool_)
        for chunk, window, at, end in chunks(data, bounds[:, 0], bounds[:, 1]):
            raw = _decode_chunk(
                window, begin, self._count + chunk.start, at, end, self._table, self._anomalies
            )
            name[chunk] = self._names.codes_of(raw.name_id)
            start_ns[chunk], end_ns[chunk], keep[chunk] = _times(raw, self._anomalies)
        self._table.keep(begin, data)
        return _Columns(start_ns, end_ns, name, keep)

    def _decode_compiled(
        self, library: Library, begin: int, data: bytes, bounds: NDArray[np.uint32]
    ) -> _Columns:
        found = compiled.decode(library, begin, data, bounds, self._count, self._names, self._table.names)
        add_unknown_fields(self._anomalies, found.counts.unknown_fields)
        _add_damaged(self._anomalies, found.counts.damaged_events)
        _add_times(self._anomalies, *found.counts[2:5])
        add_damaged_stats(self._anomalies, found.counts.damaged_stats)
        add_unknown_stats(self._anomalies, found.counts.unknown_stats)
        for stat, piece in found.stats.items():
            self._table.put(stat, piece)
        self._table.keep(begin, data)
        return _Columns(found.start_ns, found.end_ns, found.name, found.keep)


def _add_damaged(anomalies: Anomalies, count: int) -> None:
    anomalies.add("damaged-event", "Damaged events were left out.", count, severity="data_loss")


def _add_times(anomalies: Anomalies, aggregated: int, negative_durations: int, impossible: int) -> None:
    anomalies.add(
        "aggregated-event", "Totals over several events have no place in time and were left out.", aggregated
    )
    anomalies.add(
        "negative-duration",
        "Events that end before they start were given no duration.",
        negative_durations,
        severity="error",
    )
    _add_impossible(anomalies, impossible)


def _add_impossible(anomalies: Anomalies, count: int) -> None:
    anomalies.add(
        "impossible-time", "Events at times that no clock shows were left out.", count, severity="data_loss"
    )


def _decode_chunk(
    window: Window, begin: int, first: int, at: Ints, end: Ints, table: StatTable, anomalies: Anomalies
) -> _Raw:
    count = at.size
    name_id, offset_ps, duration_ps = (np.zeros(count, np.int64) for _ in range(3))
    is_aggregated = np.zeros(count, np.bool_)
    columns = {_NAME_ID: name_id, _OFFSET: offset_ps, _DURATION: duration_ps}
    stats: list[tuple[Ints, Ints, Ints]] = []
    unknown_count = 0
    rounds = Rounds(window, at, end, _MAX_EVENT_FIELDS)
    for rows, keys, values, lengths in rounds:
        rest = rows.size
        for key in _KNOWN_KEYS:
            chosen = keys == key
            chosen_count = int(np.count_nonzero(chosen))
            if not chosen_count:
                continue
            rest -= chosen_count
            whole = chosen_count == rows.size
            event, value = (rows, values) if whole else (rows[chosen], values[chosen])
            if key == _STATS:
                stats.append((event, value, value + (lengths if whole else lengths[chosen])))
            elif key == _OCCURRENCES:
                is_aggregated[event] = True
            else:
                columns[key][event] = value
                if key == _OFFSET:  # of the two members of the oneof the last one counts
                    is_aggregated[event] = False
            if not rest:
                break
        unknown_count += rest
    add_unknown_fields(anomalies, unknown_count)
    _add_damaged(anomalies, int(np.count_nonzero(rounds.damaged)))
    if stats:
        event, stat_at, stat_end = (np.concatenate(column) for column in zip(*stats, strict=True))
        if rounds.damaged.any():
            intact = ~rounds.damaged[event]
            event, stat_at, stat_end = event[intact], stat_at[intact], stat_end[intact]
        table.add(window, begin, event + first, stat_at, stat_end)
    return _Raw(name_id, offset_ps, duration_ps, is_aggregated, rounds.damaged)


def _times(raw: _Raw, anomalies: Anomalies) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Start and end of each event from its line's begin, and which events are spans at all."""
    is_span = ~(raw.is_aggregated | raw.is_damaged)
    aggregated = raw.is_aggregated & ~raw.is_damaged
    is_negative = (raw.duration_ps < 0) & is_span
    end_ps = raw.offset_ps + np.maximum(raw.duration_ps, 0)
    impossible = is_span & (end_ps < raw.offset_ps)
    counted = (aggregated, is_negative, impossible)
    _add_times(anomalies, *(int(np.count_nonzero(which)) for which in counted))
    return raw.offset_ps // 1000, end_ps // 1000, is_span & ~impossible


def _order(spans: Spans, anomalies: Anomalies) -> Ints | None:
    """The order by (line, start, -end), or None if it is the present one. Lines are together already."""
    start_ns, end_ns, line = spans.start_ns, spans.end_ns, spans.line
    same_line = line[1:] == line[:-1]
    is_back = same_line & (start_ns[1:] < start_ns[:-1])
    is_inner_first = same_line & (start_ns[1:] == start_ns[:-1]) & (end_ns[1:] > end_ns[:-1])
    anomalies.add(
        "unsorted-event",
        "Events stored after one that starts later were sorted.",
        int(np.count_nonzero(is_back)),
    )
    is_wrong = is_back | is_inner_first
    if not is_wrong.any():
        return None
    wrong_lines = unique(line[1:][is_wrong])
    rows = np.flatnonzero(np.isin(line, wrong_lines))
    order = np.arange(line.size)
    order[rows] = rows[np.lexsort((-end_ns[rows], start_ns[rows], line[rows]))]
    return order
