"""The same columns as the reader's, made slowly by protobuf and Python loops from the same bytes."""

from __future__ import annotations

import gzip
import math
from dataclasses import dataclass, field
from typing import Any

from demo.xspace_writer import XSpaceMessage
from tfperf_plugin.readers.xspace import Plane, XSpace


@dataclass
class Event:
    """One event; each stat of it by name, and by the kinds of column in which it appears."""

    line: int
    start_ns: int
    end_ns: int
    name: str
    ints: dict[str, int] = field(default_factory=dict)
    floats: dict[str, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


def decode(data: bytes) -> list[list[Event]]:
    """The events of each plane, sorted by (line, start, -end), those that are equal in the file's order."""
    return [_plane_events(plane) for plane in XSpaceMessage.FromString(data).planes]


def _plane_events(plane: Any) -> list[Event]:
    names = {id: entry.name or entry.display_name for id, entry in plane.event_metadata.items()}
    stat_names = {id: entry.name for id, entry in plane.stat_metadata.items()}
    events = []
    for index, line in enumerate(plane.lines):
        for stored in line.events:
            if stored.WhichOneof("value") == "num_occurrences":
                continue
            end_ps = stored.offset_ps + max(0, stored.duration_ps)
            event = Event(
                line=index,
                start_ns=line.timestamp_ns + stored.offset_ps // 1000,
                end_ns=line.timestamp_ns + end_ps // 1000,
                name=names.get(stored.metadata_id, ""),
            )
            for stat in stored.stats:
                _add_stat(event, stat, stat_names)
            events.append(event)
    return sorted(events, key=lambda event: (event.line, event.start_ns, -event.end_ns))


def _add_stat(event: Event, stat: Any, names: dict[int, str]) -> None:
    name, kind = names.get(stat.metadata_id), stat.WhichOneof("value")
    if name is None or kind is None:
        return
    value = getattr(stat, kind)
    if kind in ("int64_value", "uint64_value"):
        event.ints.setdefault(name, value - (1 << 64) if value >= 1 << 63 else value)
        event.floats.setdefault(name, float(value))
    elif kind == "double_value":
        event.floats.setdefault(name, value)
    elif kind == "str_value":
        event.texts.setdefault(name, value)
    elif kind == "bytes_value":
        event.texts.setdefault(name, value.decode(errors="replace"))
    elif kind == "ref_value":
        if value in names:
            event.texts.setdefault(name, names[value])
    else:
        event.texts.setdefault(name, gzip.decompress(value).decode())


def events_of(plane: Plane) -> list[Event]:
    """What the reader found, in the same form."""
    events = [
        Event(line, start_ns, end_ns, plane.names[name])
        for line, start_ns, end_ns, name in zip(
            plane.line.tolist(),
            plane.start_ns.tolist(),
            plane.end_ns.tolist(),
            plane.event_name.tolist(),
            strict=True,
        )
    ]
    for stat in plane.stat_names:
        ints, floats, texts = plane.ints(stat), plane.floats(stat), plane.texts(stat)
        for row, event in enumerate(events):
            if ints is not None and ints.present[row]:
                event.ints[stat] = int(ints.values[row])
            if floats is not None and floats.present[row]:
                event.floats[stat] = float(floats.values[row])
            if texts is not None and texts.codes[row] >= 0:
                event.texts[stat] = texts.strings[texts.codes[row]]
            assert floats is None or floats.present[row] or math.isnan(floats.values[row])
    return events


def assert_same(space: XSpace[Plane], data: bytes) -> None:
    """Holds everything that the reader found against the slow decode of ``data``."""
    message = XSpaceMessage.FromString(data)
    expected = decode(data)

    assert [plane.name for plane in space.planes] == [plane.name for plane in message.planes]
    assert space.errors == tuple(message.errors)
    assert space.warnings == tuple(message.warnings)
    for plane, stored, events in zip(space.planes, message.planes, expected, strict=True):
        assert list(map(_text, events_of(plane))) == list(map(_text, events))
        assert [(line.id, line.name) for line in plane.lines] == [
            (line.id, line.name or line.display_name) for line in stored.lines
        ]


def _text(event: Event) -> str:
    """All of an event; two NaN are equal only in such a text."""
    stats = [sorted(event.ints.items()), sorted(event.floats.items()), sorted(event.texts.items())]
    return repr((event.line, event.start_ns, event.end_ns, event.name, stats))
