"""Events of a simulated profile as tests look at them."""

from __future__ import annotations

from dataclasses import dataclass

from demo.simulator import Simulation
from demo.xspace_writer import XSpaceMessage


@dataclass(frozen=True)
class Event:
    line: str
    name: str
    start_ps: int
    end_ps: int
    stats: dict[str, object]


def events(simulation: Simulation, host: str, plane_name: str) -> list[Event]:
    """Events of one plane in the order of the file."""
    space = XSpaceMessage.FromString(simulation.files[host])
    (plane,) = (plane for plane in space.planes if plane.name == plane_name)
    stat_names = {key: value.name for key, value in plane.stat_metadata.items()}
    found = []
    for line in plane.lines:
        for event in line.events:
            stats = {}
            for stat in event.stats:
                kind = stat.WhichOneof("value")
                value = getattr(stat, kind)
                stats[stat_names[stat.metadata_id]] = stat_names[value] if kind == "ref_value" else value
            start_ps = line.timestamp_ns * 1000 + event.offset_ps
            name = plane.event_metadata[event.metadata_id].name
            found.append(Event(line.name, name, start_ps, start_ps + event.duration_ps, stats))
    return found


def by_line(rows: list[Event]) -> dict[str, list[Event]]:
    lines: dict[str, list[Event]] = {}
    for row in rows:
        lines.setdefault(row.line, []).append(row)
    return lines
