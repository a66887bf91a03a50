"""Until when each GPU waits in each collective: for the last arrival, and for who computes meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.collectives import Collectives
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Intervals, Ints, covered_before, covered_within, intersect, union
from tfperf_plugin.trace.model import HostTrace
from tfperf_plugin.trace.roles import Role


def compute_beside(host: HostTrace, calls: Collectives) -> tuple[Intervals, ...]:
    """For each GPU of a host when it computes while it runs a collective."""
    found = []
    for index, device in enumerate(host.devices):
        mine = calls.device == index
        found.append(intersect(device.busy(Role.KERNEL), union(calls.start_ns[mine], calls.end_ns[mine])))
    return tuple(found)


def awaited_until(compute: Sequence[Sequence[Intervals]], calls: Sequence[Collectives]) -> tuple[Ints, ...]:
    """For each host and row of its collectives, until when the GPU waits for a participant: int64[rows].

    It waits until all have arrived, and longer where others still compute during the transfer. The transfer
    costs those nothing, so the step waits for them and not for it: if a participant computes under the
    transfer for longer than this GPU, the difference is waiting for that participant, and comes first.

    ``compute``: for each host the result of ``compute_beside``.
    """
    parts = [_hidden(busy, mine) for busy, mine in zip(compute, calls, strict=True)]
    hidden = np.concatenate([ns for ns, _ in parts])
    call = Groups(np.concatenate([mine.call for mine in calls]))
    longer = np.split(call.max(hidden)[call.of_row] - hidden, np.cumsum([len(mine) for mine in calls])[:-1])
    result = []
    for busy, mine, (own, ready), more in zip(compute, calls, parts, longer, strict=True):
        late = np.minimum(more, mine.end_ns - ready - own)
        until = ready.copy()
        for index in range(len(busy)):
            rows = np.flatnonzero((mine.device == index) & (late > 0))
            until[rows] = _after(busy[index], ready[rows], late[rows])
        result.append(until)
    return tuple(result)


def _hidden(compute: Sequence[Intervals], calls: Collectives) -> tuple[Ints, Ints]:
    """For each row how much of the transfer compute hides, and when all had arrived."""
    ready = np.clip(calls.ready_ns, calls.start_ns, calls.end_ns)
    hidden = np.zeros(len(ready), np.int64)
    for index, busy in enumerate(compute):
        rows = np.flatnonzero(calls.device == index)
        hidden[rows] = covered_within(busy, ready[rows], calls.end_ns[rows])
    return hidden, ready


def _after(busy: Intervals, begin_ns: Ints, idle_ns: Ints) -> Ints:
    """The moments by which, from each begin on, this much idle time has passed."""
    before = np.concatenate([[0], np.cumsum(busy.end_ns - busy.begin_ns)])
    target = begin_ns - covered_before(busy, begin_ns) + idle_ns
    passed = np.searchsorted(busy.begin_ns - before[:-1], target)
    return np.asarray(target + before[passed], np.int64)
