"""Ops on threads of the hosts in judged steps: how often, how long."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View, merged
from tfperf_plugin.analysis.artifacts.phases import plain_op
from tfperf_plugin.analysis.steps import HostSteps, Steps
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents
from tfperf_plugin.trace.roles import HostRole

_EAGER = "EagerLocalExecute: "


class HostOpRow(Record, frozen=True):
    """One op on threads of the hosts. ``self_ns``: its time without the ops that ran inside it."""

    name: str
    calls_count: int
    total_ns: int
    self_ns: int


class HostOps(Record, frozen=True):
    """Rows by falling self time; ``steps_count``: judged steps of all hosts behind the sums."""

    rows: tuple[HostOpRow, ...]
    steps_count: int


class Calls(Record, frozen=True):
    """Calls of one op on hosts; see ``HostOpRow``."""

    count: int
    total_ns: int
    self_ns: int


def part(view: View) -> dict[str, Calls]:
    """Ops on threads of one host that begin in a judged step, replicas together."""
    found: dict[str, Calls] = {}
    for name, *numbers in _host_rows(view.trace.events, view.steps):
        calls = Calls(*numbers)
        found[name] = merged(found[name], calls) if name in found else calls
    return found


def finish(found: dict[str, Calls], steps: Steps) -> HostOps:
    """Those of all hosts."""
    rows = [HostOpRow(name, c.count, c.total_ns, c.self_ns) for name, c in found.items()]
    rows.sort(key=lambda r: (-r.self_ns, -r.total_ns, r.name))
    return HostOps(tuple(rows), steps.judged_count)


def _host_rows(events: HostEvents, steps: HostSteps) -> list[tuple[str, int, int, int]]:
    """Per name: calls, total and self time."""
    eager = events.named(lambda name: name.startswith(_EAGER) and not name.startswith(f"{_EAGER}__"))
    is_op = eager | (events.role == HostRole.OP)
    rows = np.flatnonzero(is_op)
    if not len(rows) or not len(steps):
        return []
    length = events.end_ns[rows] - events.start_ns[rows]
    own = np.zeros(len(events.start_ns), np.int64)
    own[rows] = length
    outer = events.enclosing(rows, is_op)
    np.subtract.at(own, outer[outer >= 0], length[outer >= 0])
    step = np.searchsorted(steps.begin_ns, events.start_ns[rows], "right") - 1
    inside = (step >= 0) & (events.start_ns[rows] < steps.end_ns[step]) & steps.judged[step]
    rows, length = rows[inside], length[inside]
    count = np.bincount(events.name[rows])
    total = np.bincount(events.name[rows], weights=length)
    mine = np.bincount(events.name[rows], weights=np.maximum(own[rows], 0))
    return [
        (
            plain_op(events.names[code]).removeprefix(_EAGER),
            int(count[code]),
            int(total[code]),
            int(mine[code]),
        )
        for code in np.flatnonzero(count).tolist()
    ]
