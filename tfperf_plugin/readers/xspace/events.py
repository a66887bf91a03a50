"""Decodes the events of a plane, block by block: with ``_decode.c`` where that was built, else with NumPy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.tables import MAX_TIME_NS
from tfperf_plugin.readers.xspace import compiled
from tfperf_plugin.readers.xspace.decoded import Columns, Counts, Names
from tfperf_plugin.readers.xspace.stats import StatTable
from tfperf_plugin.readers.xspace.wire import BYTES, VARINT, Ints, Round, Rounds, Window, chunks

_NAME_ID = 1 << 3 | VARINT
_OFFSET = 2 << 3 | VARINT
_DURATION = 3 << 3 | VARINT
_STATS = 4 << 3 | BYTES
_OCCURRENCES = 5 << 3 | VARINT

_MAX_EVENT_FIELDS = 256
"""Real events have some twenty stats. The bound keeps one endless event from holding up all others."""


class Spans(NamedTuple):
    """The columns of a plane, sorted by (line, start, -end); see Plane."""

    start_ns: Ints
    end_ns: Ints
    event_name: NDArray[np.int32]
    line: NDArray[np.int32]

    def take(self, rows: Ints) -> Spans:
        """The same columns with the given rows."""
        return Spans(self.start_ns[rows], self.end_ns[rows], self.event_name[rows], self.line[rows])


class EventColumns:
    """The events of a plane: decoded into columns part by part, their stats into ``table``.

    Events whose name is not among ``names`` get the code behind the last one.
    """

    def __init__(self, names: Names, table: StatTable, anomalies: Anomalies) -> None:
        self._names, self._table, self._anomalies = names, table, anomalies
        self._columns = Columns.of(0)
        self._count = 0
        self._line_counts: list[int] = []
        self._line_starts_ns: list[int] = []

    def add(self, begin: int, data: bytes, bounds: NDArray[np.uint32]) -> None:
        """Decodes the next events, at ``bounds`` (uint32[n, 2]) in ``data``, which begins at ``begin``."""
        if library := compiled.library():
            found = compiled.decode(library, begin, data, bounds, self._count, self._names, self._table.names)
            found.counts.add_to(self._anomalies)
            for stat, piece in found.stats.items():
                self._table.put(stat, piece)
            part = found.columns
        else:
            part = Columns.of(len(bounds))
            for chunk, window, at, end in chunks(data, bounds[:, 0], bounds[:, 1]):
                self._decode(window, begin, chunk, at, end, part)
        self._table.keep(begin, data)
        self._count += len(bounds)
        columns: tuple[NDArray[Any], ...] = self._columns
        for column, values in zip(columns, part, strict=True):
            if column.size < self._count:  # in place where it is large; never held twice
                column.resize(self._count + self._count // 8, refcheck=False)
            column[self._count - len(bounds) : self._count] = values

    def end_line(self, count: int, timestamp_ns: int) -> None:
        """Says that the next ``count`` events belong to a line that begins at ``timestamp_ns``."""
        self._line_counts.append(count)
        self._line_starts_ns.append(timestamp_ns)

    def finish(self) -> Spans:
        """All columns."""
        for column in self._columns:
            column.resize(self._count, refcheck=False)
        start_ns, end_ns, name, keep = self._columns
        line = np.repeat(np.arange(len(self._line_counts), dtype=np.int32), self._line_counts)
        self._place(start_ns, end_ns, keep)
        is_unknown = name < 0
        unknown_count = int(np.count_nonzero(is_unknown & keep))
        self._anomalies.add("unknown-event-name", "Events of unknown name were left unnamed.", unknown_count)
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
        for count, timestamp_ns in zip(self._line_counts, self._line_starts_ns, strict=True):
            rows = slice(last, last + count)
            last += count
            if not count or not timestamp_ns:
                continue
            start_ns[rows] += timestamp_ns
            end_ns[rows] += timestamp_ns
            if abs(timestamp_ns // 2) > MAX_TIME_NS // 2:
                impossible_count += int(np.count_nonzero(keep[rows]))
                keep[rows] = False
        Counts(impossible_times=impossible_count).add_to(self._anomalies)
        negative_count = int(np.count_nonzero((start_ns < 0) & keep))
        self._anomalies.add("negative-time", "Events start before the profile does.", negative_count)

    def _decode(self, window: Window, begin: int, chunk: slice, at: Ints, end: Ints, part: Columns) -> None:
        """Decodes a chunk of events with NumPy, into these rows of ``part``."""
        columns, is_aggregated, unknown_count, damaged = self._fields(
            window, begin, self._count + chunk.start, at, end
        )
        name_id, offset_ps, duration_ps = columns
        is_span = ~(is_aggregated | damaged)
        end_ps = offset_ps + np.maximum(duration_ps, 0)
        impossible = is_span & (end_ps < offset_ps)
        counted = (damaged, is_aggregated & ~damaged, (duration_ps < 0) & is_span, impossible)
        Counts(unknown_count, *(int(np.count_nonzero(rows)) for rows in counted)).add_to(self._anomalies)
        part.name[chunk] = self._names.codes_of(name_id)
        part.start_ns[chunk], part.end_ns[chunk] = offset_ps // 1000, end_ps // 1000
        part.keep[chunk] = is_span & ~impossible

    def _fields(
        self, window: Window, begin: int, first: int, at: Ints, end: Ints
    ) -> tuple[list[Ints], NDArray[np.bool_], int, NDArray[np.bool_]]:
        """The fields of a chunk of events: name, offset, duration; which are totals; how many fields are
        unknown; which events are damaged. Their stats go into the table."""
        columns = {key: np.zeros(at.size, np.int64) for key in (_NAME_ID, _OFFSET, _DURATION)}
        is_aggregated = np.zeros(at.size, np.bool_)
        stats: list[tuple[Ints, Ints, Ints]] = []
        unknown_count = 0
        rounds = Rounds(window, at, end, _MAX_EVENT_FIELDS)
        for found in rounds:
            keys, rest = found.keys, found.rows.size
            for key in (*columns, _STATS, _OCCURRENCES):
                chosen = keys == key
                count = int(np.count_nonzero(chosen))
                if not count:
                    continue
                rest -= count
                part = found if count == found.rows.size else Round(*(column[chosen] for column in found))
                if key == _STATS:
                    stats.append((part.rows, part.values, part.values + part.lengths))
                elif key == _OCCURRENCES:
                    is_aggregated[part.rows] = True
                else:
                    columns[key][part.rows] = part.values
                    if key == _OFFSET:  # of the two members of the oneof the last one counts
                        is_aggregated[part.rows] = False
                if not rest:
                    break
            unknown_count += rest
        if stats:
            event, stat_at, stat_end = (np.concatenate(column) for column in zip(*stats, strict=True))
            intact = ~rounds.damaged[event]
            self._table.add(window, begin, event[intact] + first, stat_at[intact], stat_end[intact])
        return list(columns.values()), is_aggregated, unknown_count, rounds.damaged


def _order(spans: Spans, anomalies: Anomalies) -> Ints | None:
    """The order by (line, start, -end), or None if it is the present one. Lines are together already."""
    start_ns, end_ns, line = spans.start_ns, spans.end_ns, spans.line
    same_line = line[1:] == line[:-1]
    is_back = same_line & (start_ns[1:] < start_ns[:-1])
    is_inner_first = same_line & (start_ns[1:] == start_ns[:-1]) & (end_ns[1:] > end_ns[:-1])
    back_count = int(np.count_nonzero(is_back))
    anomalies.add("unsorted-event", "Events stored after one that starts later were sorted.", back_count)
    is_wrong = is_back | is_inner_first
    if not is_wrong.any():
        return None
    wrong_lines = unique(line[1:][is_wrong])
    rows = np.flatnonzero(np.isin(line, wrong_lines))
    order = np.arange(line.size)
    order[rows] = rows[np.lexsort((-end_ns[rows], start_ns[rows], line[rows]))]
    return order
