"""What a profiler keeps of what happened on a host, whatever format it writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from demo.simulator.record import DeviceEvent, HostEvent, LaunchEvent, Recording
from demo.simulator.training import Training

# Lines begin a moment after the profiler's own start.
LINE_BEGIN_NS = 8_385
# 2026-01-01 00:00:00 UTC.
PROFILE_START_NS = 1_767_225_600_000_000_000


@dataclass(frozen=True)
class Window:
    """The capture on the simulation's clock."""

    begin_ns: int
    end_ns: int

    def profile_ns(self, at_ns: int) -> int:
        """The instant on the profile's clock."""
        return at_ns - self.begin_ns + LINE_BEGIN_NS

    @property
    def first_ns(self) -> int:
        """The capture's start on the profile's clock."""
        return self.profile_ns(self.begin_ns)

    @property
    def last_ns(self) -> int:
        """The capture's end on the profile's clock."""
        return self.profile_ns(self.end_ns)


class Recorded(Protocol):
    """What profilers need to know of a host. ``number``: of the host among all."""

    @property
    def name(self) -> str: ...

    number: int
    recording: Recording
    marks: list[tuple[int, int, int]]


@dataclass(frozen=True)
class Captured:
    """What began and ended while the profiler was on, and what it had room for.

    ``device``: in order of their ends; ``dropped``: how many more there were. ``marks``: number, start and
    end of each step that Python marks.
    """

    host: Sequence[HostEvent]
    launches: Sequence[LaunchEvent]
    device: Sequence[DeviceEvent]
    marks: Sequence[tuple[int, int, int]]
    dropped: int


Damage = Callable[[Captured, Window], Captured]
"""What a recording loses, whatever format it is written in: see ``damages``."""


def captured(host: Recorded, training: Training, window: Window) -> Captured:
    """What the host's profiler keeps, and what it then loses."""
    kept = whole(host, training, window)
    for damage in training.collector.damages:
        kept = damage(kept, window)
    return kept


def whole(host: Recorded, training: Training, window: Window) -> Captured:
    """What the host's profiler would keep without damage."""
    collector = training.collector

    def inside(start_ns: int, end_ns: int) -> bool:
        return start_ns >= window.begin_ns and end_ns <= window.end_ns

    launches = [launch for launch in host.recording.launches if inside(launch.start_ns, launch.end_ns)]
    known = {launch.correlation for launch in launches}
    first = min(known, default=0) if collector.keeps_older else 0
    device = sorted(
        (
            event
            for event in host.recording.device
            if (event.correlation in known or event.correlation < first)
            and inside(event.start_ns, event.end_ns)
        ),
        key=lambda event: event.end_ns,
    )
    limit = len(device) if collector.event_limit is None else collector.event_limit
    detailed = collector.host_level > 1
    return Captured(
        [
            event
            for event in host.recording.host
            if inside(event.start_ns, event.end_ns) and (event.driver or detailed)
        ],
        launches if collector.device_events else (),
        device[:limit] if collector.device_events else (),
        [mark for mark in host.marks if inside(*mark[1:])] if training.markers and detailed else (),
        max(0, len(device) - limit),
    )
