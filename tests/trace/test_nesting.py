"""However deep events nest, following one outwards ends soon."""

from __future__ import annotations

import numpy as np
import pytest

from demo.xspace_writer import SpaceBuilder
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.formats import XSPACE
from tfperf_plugin.readers.tables import MAX_NESTING
from tfperf_plugin.trace.model import HostEvents


def frames(depth: int) -> tuple[HostEvents, Anomalies]:
    """``depth`` events, each around the next one, and what was counted."""
    space = SpaceBuilder("host")
    line = space.plane("/host:CPU").line(1, "python3")
    for level in range(depth):
        line.event("frame", level, 2 * depth - 2 * level)
    anomalies = Anomalies()
    return XSPACE.trace("host", XSPACE.decode(space.to_bytes(), anomalies), anomalies).events, anomalies


def nested(depth: int) -> tuple[list[int], Anomalies]:
    """How many events enclose each of ``depth`` events, outermost first, and what was counted."""
    events, anomalies = frames(depth)
    parent, above = events.parent, list[int]()
    for row in range(depth):
        above.append(0)
        while (row := int(parent[row])) >= 0:
            above[-1] += 1
    return above, anomalies


def test_deeper_events_are_cut_off_and_counted() -> None:
    above, anomalies = nested(3 * MAX_NESTING)

    assert above == list(np.arange(3 * MAX_NESTING) % MAX_NESTING)
    assert [(a.name, a.count) for a in anomalies.rows()] == [("deep-nesting", 2)]


@pytest.mark.parametrize("length", [1, 60, 3 * MAX_NESTING])
@pytest.mark.parametrize("share", [0.0, 0.002, 0.3, 1.0])
@pytest.mark.parametrize("asked", [1, 500])
def test_the_wanted_event_around_others_is_the_innermost_one(length: int, share: float, asked: int) -> None:
    """However it is found: one level at a time, or by strides where nesting is deep."""
    random = np.random.default_rng(length)
    events, _ = frames(length)
    wanted, rows = random.random(length) < share, random.integers(0, length, asked)

    found = events.enclosing(rows, wanted)

    for row, around in zip(rows.tolist(), found.tolist(), strict=True):
        above = int(events.parent[row])
        while above >= 0 and not wanted[above]:
            above = int(events.parent[above])
        assert around == above
