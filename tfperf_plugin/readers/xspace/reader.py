"""Reads an XSpace file.

The few outer messages are walked one by one, all events of a plane are decoded together: by ``_decode.c``
where it was built, else by NumPy, to the same columns and the same anomalies. No protobuf library is
involved: it would hand the events over one by one.

Limits: files below 2 GiB, which is protobuf's own limit, and some 100 bytes of memory per event with five
stats beside the file's own bytes. ``tests/benchmarks`` measures what it takes.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.arrays.native import Library
from tfperf_plugin.arrays.threads import each
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.xspace import compiled
from tfperf_plugin.readers.xspace.anomalies import Anomalies
from tfperf_plugin.readers.xspace.events import EventPlaces, add_unknown_fields, decode_events
from tfperf_plugin.readers.xspace.model import Line, Plane, XSpace
from tfperf_plugin.readers.xspace.names import Names
from tfperf_plugin.readers.xspace.stats import LENGTH_MASK, StatTable, StatValue, TextReader, pack, read_stats
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

_MAX_FILE_BYTES = (1 << 31) - 1
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

_FEW_BYTES = 256
"""As many events take as long to be walked one by one as a call of the compiled decoder."""

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

_ADVICE = "Copy it again, or capture a new profile."


def read(data: bytes, anomalies: Anomalies) -> XSpace:
    """Reads the content of a ``HOST.xplane.pb`` file.

    Args:
        data: the whole file.
        anomalies: receives what was skipped, clipped or guessed; also later, when stats are asked for.

    Raises:
        UnreadableInput: the file is empty, cut off, larger than 2 GiB, or not a profile.
    """
    if not data:
        raise UnreadableInput("The file is empty: nothing was recorded, or the copy failed. " + _ADVICE)
    if len(data) > _MAX_FILE_BYTES:
        raise UnreadableInput("The file is larger than 2 GiB, the limit of its format. Capture fewer steps.")
    if data.startswith(b"\x1f\x8b"):
        raise UnreadableInput("The file is compressed with gzip. Unpack it first.")
    try:
        return _read_space(data, anomalies)
    except WireError as error:
        raise UnreadableInput(f"The file is cut off or not a profile: {error}. {_ADVICE}") from error


class _Outer:
    """A message that is walked field by field: places of length-delimited fields, and numbers."""

    def __init__(
        self,
        data: bytes,
        at: int,
        end: int,
        byte_fields: Set[int],
        varint_fields: Set[int],
        anomalies: Anomalies,
    ) -> None:
        self._places: dict[int, array[int]] = {number: array("I") for number in byte_fields}
        self._numbers: dict[int, int] = {}
        unknown_count = 0
        for field in fields(data, at, end):
            if field.wire_type == BYTES and field.number in byte_fields:
                self._places[field.number].extend((field.value, field.end))
            elif field.wire_type == VARINT and field.number in varint_fields:
                self._numbers[field.number] = signed(field.value)
            else:
                unknown_count += 1
        add_unknown_fields(anomalies, unknown_count)

    def number(self, number: int) -> int:
        return self._numbers.get(number, 0)

    def bounds(self, number: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Starts and ends of all occurrences of a field."""
        both = np.frombuffer(self._places[number], np.uint32)
        return both[0::2], both[1::2]

    def places(self, number: int) -> list[tuple[int, int]]:
        starts, ends = self.bounds(number)
        return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _read_space(data: bytes, anomalies: Anomalies) -> XSpace:
    outer = _Outer(data, 0, len(data), {1, 2, 3, 4}, set(), anomalies)
    texts = TextReader(data, anomalies)
    places = _limited(outer.places(1), "planes")
    planes = tuple(each(lambda place: _read_plane(data, *place, anomalies), places, len(data)))
    if not any(plane.name or plane.lines or plane.names for plane in planes):
        raise UnreadableInput(f"The file holds no planes, so it is not a profile, or an empty one. {_ADVICE}")
    anomalies.add(
        "duplicate-plane", "Planes have the same name.", len(planes) - len({plane.name for plane in planes})
    )
    errors, warnings, hostnames = (
        tuple(texts.text(data[at:end]) for at, end in outer.places(number)) for number in (2, 3, 4)
    )
    return XSpace(planes, errors, warnings, hostnames)


def _limited(places: list[tuple[int, int]], what: str) -> list[tuple[int, int]]:
    if len(places) > _LIMITS[what]:
        raise WireError(f"it holds {len(places)} {what}, more than any profile")
    return places


def _read_plane(data: bytes, at: int, end: int, anomalies: Anomalies) -> Plane:
    outer = _Outer(data, at, end, {2, 3, 4, 5, 6}, {1}, anomalies)
    texts = TextReader(data, anomalies)
    name = "".join(texts.text(data[at:end]) for at, end in outer.places(2)[-1:])
    stat_names = Names(_read_metadata(data, *outer.bounds(5), texts, anomalies).names)
    metadata = _read_metadata(data, *outer.bounds(4), texts, anomalies)
    event_names = Names(metadata.names)
    lines, events = _read_lines(data, outer.places(3), name.startswith("/device:"), texts, anomalies)
    table = StatTable(texts, stat_names, anomalies)
    spans = decode_events(data, events, event_names, table, anomalies)
    has_unnamed = spans.event_name.max(initial=-1) == len(event_names.texts)

    def read_event_stats() -> Mapping[str, Mapping[str, StatValue]]:
        return {
            metadata.names[id]: read_stats(places, data, texts, stat_names.by_id, anomalies)
            for id, places in metadata.stats.items()
        }

    return Plane(
        id=outer.number(1),
        name=name,
        stats=read_stats(outer.places(6), data, texts, stat_names.by_id, anomalies),
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
    """Names by metadata id, and where the stats lie of those names that have any."""

    names: dict[int, str]
    stats: dict[int, list[tuple[int, int]]]


def _read_metadata(
    data: bytes, starts: NDArray[np.uint32], ends: NDArray[np.uint32], texts: TextReader, anomalies: Anomalies
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
            packed = pack(values + window.start, lengths)
            for key, column in ((_NAME_KEY, name), (_DISPLAY_NAME_KEY, display_name)):
                column[rows[keys == key]] = packed[keys == key]
            for row in np.flatnonzero(keys == _METADATA_STATS_KEY).tolist():
                start = int(values[row]) + window.start
                place = (start, start + int(lengths[row]))
                found.stats.setdefault(int(ids[rows[row]]), []).append(place)
        is_whole = ~(entries.damaged | metadata.damaged)
        anomalies.add(
            "damaged-name",
            "Damaged names of events or stats were left out.",
            int(np.count_nonzero(~is_whole)),
            severity="data_loss",
        )
        ids = ids[is_whole]
        raw_names = texts.packed(np.where(name & LENGTH_MASK, name, display_name)[is_whole])
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
    data: bytes, places: list[tuple[int, int]], is_device: bool, texts: TextReader, anomalies: Anomalies
) -> tuple[tuple[Line, ...], EventPlaces]:
    bounds = array("I")
    lines, counts = [], []
    empty_count = 0
    library = compiled.library()
    for at, end in _limited(places, "lines"):
        before = len(bounds)
        line, line_empty_count = _read_line(data, at, end, is_device, bounds, library, texts, anomalies)
        lines.append(line)
        counts.append((len(bounds) - before) // 2)
        empty_count += line_empty_count
    anomalies.add("empty-event", "Events without any content were left out.", empty_count)
    anomalies.add(
        "duplicate-line",
        "Lines of one plane have the same number; they were kept apart.",
        len(lines) - len({line.id for line in lines}),
    )
    both = np.frombuffer(bounds, np.uint32).reshape(-1, 2)
    return tuple(lines), EventPlaces(both, counts, [line.timestamp_ns for line in lines])


def _find_events(
    data: bytes, at: int, end: int, bounds: array[int], library: Library | None
) -> tuple[int, int]:
    """Walks the events at the begin of ``data[at:end]``, up to the first thing that is no whole event.

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


def _read_line(
    data: bytes,
    at: int,
    end: int,
    is_device: bool,
    bounds: array[int],
    library: Library | None,
    texts: TextReader,
    anomalies: Anomalies,
) -> tuple[Line, int]:
    """Reads a line, appends the bounds of its events to ``bounds`` and counts events without content."""
    numbers = {1: 0, 3: 0}
    raw_names: dict[int, bytes] = {}
    empty_count = other_count = unknown_count = 0
    while at < end:
        begin = at
        at, empties = _find_events(data, at, end, bounds, library)
        empty_count += empties
        if len(bounds) // 2 > _LIMITS["events"]:
            raise WireError(f"it holds more than {_LIMITS['events']} events in a plane")
        if at > begin:
            continue
        if data[at] == _EVENT_KEY:  # one that is not whole
            read_varint(data, at + 1, end)
            raise WireError(_INSIDE_EVENT)
        field = next(fields(data, at, end))
        at = field.end
        if field.wire_type == VARINT and field.number in numbers:
            numbers[field.number] = signed(field.value)
        elif field.wire_type == BYTES and field.number in (2, 11):
            raw_names[field.number] = data[field.value : field.end]
        elif field.number not in (9, 10):  # duration_ps and display_id say nothing that is needed
            unknown_count += 1
        other_count += 1
        if other_count > MAX_FIELDS:
            raise WireError(f"it holds more than {MAX_FIELDS} parts")
    add_unknown_fields(anomalies, unknown_count)
    name = texts.text(raw_names.get(2) or raw_names.get(11, b""))
    derived = numbers[1] & 0xFFFFFFFF in _DERIVED_IDS or (
        is_device and name.split(" - from #")[0].strip() in _DERIVED_NAMES
    )
    return Line(numbers[1], name, numbers[3], derived), empty_count
