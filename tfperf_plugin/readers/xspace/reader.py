"""Reads an XSpace file.

The few outer messages are walked one by one, the events of a block are decoded together: by ``_decode.c``
where it was built, else by NumPy, to the same columns and the same anomalies. No protobuf library is
involved: it would hand the events over one by one.

Of a file only some megabytes are in memory at once: planes are read one after the other, and lines in blocks.
A block stays with its plane if its events hold texts of their own. Limits: files below 2 GiB, which is
protobuf's own limit. ``tests/benchmarks`` measures what it takes.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from operator import itemgetter
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.arrays.native import Library
from tfperf_plugin.arrays.threads import each
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import MAX_PROFILE_BYTES, TOO_LARGE, Data
from tfperf_plugin.readers.xspace import compiled
from tfperf_plugin.readers.xspace.decoded import Counts, Names
from tfperf_plugin.readers.xspace.events import EventColumns
from tfperf_plugin.readers.xspace.model import Line, Plane, XSpace
from tfperf_plugin.readers.xspace.stats import (
    LENGTH_MASK,
    StatTable,
    StatValue,
    TextReader,
    pack,
    read_stats,
    unpacked,
)
from tfperf_plugin.readers.xspace.wire import (
    BYTES,
    MAX_FIELDS,
    VARINT,
    Rounds,
    WireError,
    chunks,
    fields,
    read_varint,
    signed,
)

_LIMITS = {"planes": 1 << 12, "lines": 1 << 20, "events": 1 << 26}
"""More than this is no profile: collectors stop at four million events; a line is a stream or a thread."""

_INSIDE_EVENT = "it ends inside an event"
_EVENT_KEY = 4 << 3 | BYTES
_ID_KEY = 1 << 3 | VARINT
_NAME_KEY = 2 << 3 | BYTES
_VALUE_KEY = 2 << 3 | BYTES
_DISPLAY_NAME_KEY = 4 << 3 | BYTES
_METADATA_STATS_KEY = 5 << 3 | BYTES
_MAX_METADATA_FIELDS = 256

_DERIVED_IDS = range(0xDEADBEEF, 0xDEADBF00)
_DERIVED_NAMES = frozenset(
    {
        "Steps",
        "Launch Stats",
        "TensorFlow Ops",
        "TensorFlow Name Scope",
        "Framework Ops",
        "Framework Name Scope",
        "XLA Ops",
        "XLA Modules",
        "Source code",
    }
)

_FEW_BYTES = 256
"""Walking the events in this many bytes one by one takes as long as a call of the compiled decoder."""
BLOCK_BYTES = 1 << 22
"""How much of a plane's lines is read at once; more if an event is larger."""

T = TypeVar("T")
Groups = Callable[[Sequence[str]], Iterable[Sequence[int]]]
Use = Callable[[Sequence[Plane]], T]
Wants = Callable[[str, frozenset[str]], frozenset[str]]
_ADVICE = "Copy it again, or capture a new profile."
_COPIED_AS_TEXT = (
    "The file was copied as text: bytes that are no text were replaced, and cannot be restored. Copy it "
    "again as a binary file, or capture a new profile."
)
# A plane of more than 127 bytes begins with bytes that are no text; this is what replaces each.
_REPLACED = b"\n\xef\xbf\xbd"


def read(data: bytes, anomalies: Anomalies) -> XSpace[Plane]:
    """All planes of a ``HOST.xplane.pb`` file at once; see ``read_each``."""
    return read_each(data, anomalies, lambda names: [[i] for i in range(len(names))], itemgetter(0))


def read_each(
    data: Data,
    anomalies: Anomalies,
    groups: Groups,
    use: Use[T],
    wants: Wants = lambda _, stats: stats,
) -> XSpace[T]:
    """Reads the content of a ``HOST.xplane.pb`` file, plane by plane.

    Args:
        data: the whole file.
        anomalies: receives what was skipped, clipped or guessed; also later, when stats are asked for.
        groups: from the names of all planes to the numbers of those that are read together.
        use: returns what is kept of such planes, in one of several threads.
        wants: of a plane's name and the names of its stats, those that ``use`` will ask for: others are not
            kept.

    Raises:
        UnreadableInput: the file is empty, cut off, larger than 2 GiB, or not a profile.
    """
    if not data:
        raise UnreadableInput("The file is empty: nothing was recorded, or the copy failed. " + _ADVICE)
    if len(data) > MAX_PROFILE_BYTES:
        raise UnreadableInput(TOO_LARGE)
    if data[0:2] == b"\x1f\x8b":
        raise UnreadableInput("The file is compressed with gzip. Unpack it first.")
    try:
        return _read_space(data, anomalies, groups, use, wants)
    except WireError as error:
        if data[0 : len(_REPLACED)] == _REPLACED:
            raise UnreadableInput(_COPIED_AS_TEXT) from error
        raise UnreadableInput(f"The file is cut off or not a profile: {error}. {_ADVICE}") from error


class _Outer:
    """A message that is walked field by field: places of length-delimited fields."""

    def __init__(
        self,
        data: Data,
        at: int,
        end: int,
        byte_fields: Set[int],
        passed_over: Set[int],
        anomalies: Anomalies,
    ) -> None:
        self._places: dict[int, array[int]] = {number: array("I") for number in byte_fields}
        unknown_count = 0
        for field in fields(data, at, end):
            if field.wire_type == BYTES and field.number in byte_fields:
                self._places[field.number].extend((field.value, field.end))
            elif field.wire_type != VARINT or field.number not in passed_over:
                unknown_count += 1
        Counts(unknown_fields=unknown_count).add_to(anomalies)

    def bounds(self, number: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Starts and ends of all occurrences of a field."""
        both = np.frombuffer(self._places[number], np.uint32)
        return both[0::2], both[1::2]

    def places(self, number: int) -> list[tuple[int, int]]:
        starts, ends = self.bounds(number)
        return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _read_space(data: Data, anomalies: Anomalies, groups: Groups, use: Use[T], wants: Wants) -> XSpace[T]:
    if len(data) <= 2 * BLOCK_BYTES:
        data = data[0 : len(data)]
    outer = _Outer(data, 0, len(data), {1, 2, 3, 4}, set(), anomalies)
    planes = [
        _Outer(data, at, end, {2, 3, 4, 5, 6}, {1}, anomalies)
        for at, end in _limited(outer.places(1), "planes")
    ]
    texts = TextReader(anomalies)
    names = ["".join(texts.text(data[at:end]) for at, end in plane.places(2)[-1:]) for plane in planes]

    def made(group: Sequence[int]) -> tuple[bool, T]:
        found = [_read_plane(data, planes[index], names[index], wants, anomalies) for index in group]
        return any(plane.name or plane.lines or plane.names for plane in found), use(found)

    made_of = each(made, groups(names), len(data))
    if not any(is_something for is_something, _ in made_of):
        raise UnreadableInput(f"The file holds no planes, so it is not a profile, or an empty one. {_ADVICE}")
    anomalies.add("duplicate-plane", "Planes have the same name.", len(names) - len(set(names)))
    errors, warnings = (
        tuple(texts.text(data[at:end]) for at, end in outer.places(number)) for number in (2, 3)
    )
    return XSpace(tuple(kept for _, kept in made_of), errors, warnings)


def _limited(places: list[tuple[int, int]], what: str) -> list[tuple[int, int]]:
    if len(places) > _LIMITS[what]:
        raise WireError(f"it holds {len(places)} {what}, more than any profile")
    return places


def _read_plane(data: Data, outer: _Outer, name: str, wants: Wants, anomalies: Anomalies) -> Plane:
    texts = TextReader(anomalies)
    stat_names = Names(_read_metadata(data, *outer.bounds(5), texts, anomalies).names)
    metadata = _read_metadata(data, *outer.bounds(4), texts, anomalies)
    event_names = Names(metadata.names)
    table = StatTable(texts, stat_names, anomalies, wants(name, frozenset(stat_names.texts)))
    columns = EventColumns(event_names, table, anomalies)
    lines = _read_lines(data, outer.places(3), name.startswith("/device:"), columns, texts, anomalies)
    spans = columns.finish()
    has_unnamed = spans.event_name.max(initial=-1) == len(event_names.texts)

    def read_event_stats() -> Mapping[str, Mapping[str, StatValue]]:
        return {
            metadata.names[id]: read_stats(raw, texts, stat_names.by_id, anomalies)
            for id, raw in metadata.stats.items()
        }

    return Plane(
        name=name,
        stats=read_stats((data[at:end] for at, end in outer.places(6)), texts, stat_names.by_id, anomalies),
        lines=lines,
        names=(*event_names.texts, "") if has_unnamed else event_names.texts,
        start_ns=spans.start_ns,
        end_ns=spans.end_ns,
        event_name=spans.event_name,
        line=spans.line,
        _table=table,
        _read_event_stats=read_event_stats,
    )


class _Metadata(NamedTuple):
    """Names by metadata id, and the stats of those names that have any."""

    names: dict[int, str]
    stats: dict[int, list[bytes]]


def _read_metadata(
    data: Data, starts: NDArray[np.uint32], ends: NDArray[np.uint32], texts: TextReader, anomalies: Anomalies
) -> _Metadata:
    """Reads a map from ids to XEventMetadata or XStatMetadata, alike in all that is read here."""
    found = _Metadata({}, {})
    duplicate_count = 0
    for _, window, at, end in chunks(data, starts, ends):
        ids = np.zeros(at.size, np.int64)
        value_at, value_end, name, display_name = (np.zeros(at.size, np.int64) for _ in range(4))
        entries = Rounds(window, at, end, _MAX_METADATA_FIELDS)
        for rows, keys, values, lengths in entries:
            is_id, is_value = keys == _ID_KEY, keys == _VALUE_KEY
            ids[rows[is_id]] = values[is_id]
            value_at[rows[is_value]] = values[is_value]
            value_end[rows[is_value]] = (values + lengths)[is_value]
        metadata = Rounds(window, value_at, value_end, _MAX_METADATA_FIELDS)
        for rows, keys, values, lengths in metadata:
            packed = pack(values, lengths)
            for key, column in ((_NAME_KEY, name), (_DISPLAY_NAME_KEY, display_name)):
                column[rows[keys == key]] = packed[keys == key]
            for row in np.flatnonzero(keys == _METADATA_STATS_KEY).tolist():
                raw = window.raw[int(values[row]) : int(values[row] + lengths[row])]
                found.stats.setdefault(int(ids[rows[row]]), []).append(raw)
        is_whole = ~(entries.damaged | metadata.damaged)
        anomalies.add(
            "damaged-name",
            "Damaged names of events or stats were left out.",
            int(np.count_nonzero(~is_whole)),
            severity="data_loss",
        )
        ids = ids[is_whole]
        raw_names = unpacked(window.raw, np.where(name & LENGTH_MASK, name, display_name)[is_whole])
        known_count = len(found.names)
        found.names.update(zip(ids.tolist(), map(texts.text, raw_names), strict=True))
        duplicate_count += ids.size - (len(found.names) - known_count)
    for id in found.stats.keys() - found.names.keys():
        del found.stats[id]
    anomalies.add(
        "duplicate-name-id", "Of several names with one number the last was taken.", duplicate_count, "error"
    )
    return found


def _read_lines(
    data: Data,
    places: list[tuple[int, int]],
    is_device: bool,
    columns: EventColumns,
    texts: TextReader,
    anomalies: Anomalies,
) -> tuple[Line, ...]:
    reader = _LineReader(columns)
    lines = []
    for first, last in _blocks(_limited(places, "lines")):
        begin = places[first][0]
        block = data[begin : places[last - 1][1]] if last - first > 1 else b""
        for at, end in places[first:last]:
            fields_of = (
                reader.read(block, at - begin, end - begin) if block else reader.read_long(data, at, end)
            )
            name = texts.text(fields_of.names.get(2) or fields_of.names.get(11, b""))
            id, timestamp_ns = fields_of.numbers.get(1, 0), fields_of.numbers.get(3, 0)
            derived = id & 0xFFFFFFFF in _DERIVED_IDS or (
                is_device and name.split(" - from #")[0].strip() in _DERIVED_NAMES
            )
            lines.append(Line(id, name, derived))
            columns.end_line(fields_of.event_count, timestamp_ns)
        reader.put(begin, block)
    Counts(unknown_fields=reader.unknown_count).add_to(anomalies)
    anomalies.add("empty-event", "Events without any content were left out.", reader.empty_count)
    anomalies.add(
        "duplicate-line",
        "Lines of one plane have the same number; they were kept apart.",
        len(lines) - len({line.id for line in lines}),
    )
    return tuple(lines)


def _blocks(places: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Cuts lines into runs that are read at once: of some in a block, or of one."""
    first = 0
    for last in range(1, len(places) + 1):
        if last == len(places) or places[last][1] - places[first][0] > BLOCK_BYTES:
            yield first, last
            first = last


class _LineFields:
    """What a line holds beside its events."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.names: dict[int, bytes] = {}
        self.event_count = self.other_count = 0


class _LineReader:
    """Walks lines and hands their events to the columns, block by block."""

    def __init__(self, columns: EventColumns) -> None:
        self._columns = columns
        self._bounds = array("I")
        self._event_count = self.empty_count = self.unknown_count = 0
        self._library = compiled.library()

    def read(self, block: bytes, at: int, end: int) -> _LineFields:
        """Reads the line in ``block[at:end]``."""
        found = _LineFields()
        self._walk(block, at, end, True, found)
        return found

    def read_long(self, data: Data, at: int, end: int) -> _LineFields:
        """Reads a line in blocks, each of which begins with what the one before did not hold entirely."""
        found, size = _LineFields(), BLOCK_BYTES
        while at < end:
            block = data[at : min(at + size, end)]
            walked = self._walk(block, 0, len(block), at + len(block) == end, found)
            self.put(at, block)
            at += walked
            size = BLOCK_BYTES if walked else 2 * size
        return found

    def put(self, at: int, block: bytes) -> None:
        """Decodes the events that were found in the block, which begins at ``at`` in the file."""
        if self._bounds:
            self._columns.add(at, block, np.frombuffer(self._bounds, np.uint32).reshape(-1, 2))
            self._bounds = array("I")

    def _walk(self, data: bytes, at: int, end: int, is_last: bool, found: _LineFields) -> int:
        """Appends the bounds of events to what ``put`` will decode; returns where it stopped.

        That is the end, or, where more of the line follows, what may not be there entirely.
        """
        while at < end:
            begin, before = at, len(self._bounds)
            at, empty_count = _find_events(data, at, end, self._bounds, self._library)
            event_count = (len(self._bounds) - before) // 2
            self.empty_count += empty_count
            self._event_count += event_count
            found.event_count += event_count
            if self._event_count > _LIMITS["events"]:
                raise WireError(f"it holds more than {_LIMITS['events']} events in a plane")
            if at > begin:
                continue
            try:
                if data[at] == _EVENT_KEY:  # one that is not whole
                    read_varint(data, at + 1, end)
                    raise WireError(_INSIDE_EVENT)
                field = next(fields(data, at, end))
            except WireError:
                if is_last:
                    raise
                return at
            at = field.end
            if field.wire_type == VARINT and field.number in (1, 3):
                found.numbers[field.number] = signed(field.value)
            elif field.wire_type == BYTES and field.number in (2, 11):
                found.names[field.number] = data[field.value : field.end]
            elif field.number not in (9, 10):  # duration_ps and display_id say nothing that is needed
                self.unknown_count += 1
            found.other_count += 1
            if found.other_count > MAX_FIELDS:
                raise WireError(f"it holds more than {MAX_FIELDS} parts")
        return at


def _find_events(
    data: bytes, at: int, end: int, bounds: array[int], library: Library | None
) -> tuple[int, int]:
    """Walks the events at the start of ``data[at:end]``, up to the first thing that is no whole event.

    Appends the bounds of those with content to ``bounds``; returns where it stopped and how many have none.
    With a ``library`` it may stop earlier, but goes on by one event at least if there is one.
    """
    empty_count = 0
    add = bounds.append
    # To walk a few events here is cheaper than to call the library, and most lines have only a few.
    stop = end if library is None else min(end, at + _FEW_BYTES)
    # The one loop over events: where an event starts is known only from the length of the one before.
    while at + 1 < end and data[at] == _EVENT_KEY:
        if at >= stop and library is not None:
            at, more_count = compiled.find_events(library, data, at, end, bounds)
            return at, empty_count + more_count
        length = data[at + 1]
        content = at + 2
        if length >= 0x80:
            try:
                length, content = read_varint(data, at + 1, end)
            except WireError:
                break
        if content + length > end:
            break
        at = content + length
        if length:
            add(content)
            add(at)
        else:
            empty_count += 1
    return at, empty_count
