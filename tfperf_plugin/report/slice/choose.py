"""Which events a slice holds: what goes on in a range, and both ends of its launch arrows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.records import Record
from tfperf_plugin.report.options import milliseconds
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, HostTrace

MOST_EVENTS: Final = 200_000
"""A viewer in a browser is quick with this number of events, and a file of them is some MB."""
MOST_MS: Final = 1e10


class Cut(Record, frozen=True):
    """A requested range, in ns on the timeline of a host."""

    host: str  # "" stands for the only one
    begin_ns: int
    end_ns: int


class Chosen(Record, frozen=True):
    """The chosen events of a host and its GPUs."""

    host: Ints  # rows of the host's events
    gpus: tuple[Ints, ...]  # rows of each GPU's events
    end_ns: int  # where the range ends: earlier than requested if it held more than ``MOST_EVENTS``

    @property
    def count(self) -> int:
        """The number of events."""
        return len(self.host) + sum(map(len, self.gpus))


def parse_cut(given: Mapping[str, str | None]) -> Cut:
    """Parses ``host``, ``begin_ms`` and ``end_ms``. Raises BadOptionError."""
    begin, end = (milliseconds(given.get(name), MOST_MS) for name in ("begin_ms", "end_ms"))
    if begin is None or end is None or begin >= end:
        raise BadOptionError(
            "A slice needs its start and its end in milliseconds, such as 717.5 and 779; the end comes later."
        )
    return Cut(given.get("host") or "", begin, end)


def choose(trace: HostTrace, cut: Cut) -> Chosen:
    """The events that go on in the range, the launches of its kernels with all that encloses them, and the
    kernels that its launches start.

    A range that holds more than ``MOST_EVENTS`` ends earlier. Raises BadOptionError if nothing goes on in it,
    or too much at its very begin.
    """
    end_ns = _sooner(trace, cut)
    while (found := _within(trace, cut.begin_ns, end_ns)).count > MOST_EVENTS and end_ns > cut.begin_ns:
        end_ns = cut.begin_ns + (end_ns - cut.begin_ns) // 2  # of arrows that leave the range there are few
    if end_ns <= cut.begin_ns:
        raise BadOptionError(
            f"At {cut.begin_ns / 1e6:.6g} ms, more than {MOST_EVENTS:,} events go on: begin elsewhere."
        )
    if not found.count:
        raise BadOptionError(_nothing(trace, cut))
    return found


def _tables(trace: HostTrace) -> tuple[HostEvents | DeviceTrace, ...]:
    return (trace.events, *trace.devices)


def _sooner(trace: HostTrace, cut: Cut) -> int:
    """Where the range ends so that no more than ``MOST_EVENTS`` go on in it."""
    start_ns = [t.start_ns[_goes_on(t, cut.begin_ns, cut.end_ns)] for t in _tables(trace)]
    all_ns = np.concatenate(start_ns)
    return cut.end_ns if len(all_ns) <= MOST_EVENTS else int(np.partition(all_ns, MOST_EVENTS)[MOST_EVENTS])


def _within(trace: HostTrace, begin_ns: int, end_ns: int) -> Chosen:
    events = trace.events
    seen = _goes_on(events, begin_ns, end_ns)
    gpus, launches = [], [np.empty(0, np.int64)]
    for device in trace.devices:
        launched = device.launch >= 0
        runs = _goes_on(device, begin_ns, end_ns)
        launches.append(device.launch[runs & launched].astype(np.int64))
        if len(seen):
            runs = runs | (launched & seen[np.maximum(device.launch, 0)])
        gpus.append(np.flatnonzero(runs))
    kept = seen.copy()
    above = np.unique(np.concatenate(launches))
    while len(above := above[~kept[above]]):
        kept[above] = True
        above = np.unique(events.parent[above])
        above = above[above >= 0]
    return Chosen(np.flatnonzero(kept), tuple(gpus), end_ns)


def _goes_on(table: HostEvents | DeviceTrace, begin_ns: int, end_ns: int) -> Bools:
    """Marks what lies in the range, at least in part."""
    start = table.start_ns
    return np.asarray((start < end_ns) & ((table.end_ns > begin_ns) | (start >= begin_ns)))


def _nothing(trace: HostTrace, cut: Cut) -> str:
    tables = [table for table in _tables(trace) if len(table.start_ns)]
    asked = f"Host {trace.host} recorded nothing from {cut.begin_ns / 1e6:.6g} to {cut.end_ns / 1e6:.6g} ms"
    if not tables:
        return f"{asked}, nor at any other time; choose another host."
    first, last = min(int(t.start_ns.min()) for t in tables), max(int(t.end_ns.max()) for t in tables)
    return f"{asked}; choose a range between {first / 1e6:.6g} and {last / 1e6:.6g} ms."
