"""Finds until when each GPU waits in each collective: for the last arrival, and for participants that compute
meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.collectives import Collectives
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Intervals, Ints, covered_before, covered_within, intersect, union
from tfperf_plugin.trace.model import HostTrace
from tfperf_plugin.trace.roles import Role


def compute_beside(host: HostTrace, calls: Collectives) -> tuple[Intervals, ...]:
    """For each GPU of a host the time in which it computes while it runs a collective."""
    found = []
    for index, device in enumerate(host.devices):
        mine = calls.device == index
        found.append(intersect(device.busy(Role.KERNEL), union(calls.start_ns[mine], calls.end_ns[mine])))
    return tuple(found)


def awaited_until(compute: Sequence[Sequence[Intervals]], calls: Sequence[Collectives]) -> tuple[Ints, ...]:
    """For each host, int64[rows]: the moment until which the GPU of each row of ``calls`` waits for a
    participant.

    A GPU waits until all have arrived, and longer while other GPUs still compute during the transfer. To GPUs
    that compute, the transfer costs nothing, so the step waits for them and not for the transfer: if a
    participant computes under the transfer for longer than this GPU, the difference is waiting for that
    participant, and comes first.

    ``compute``: the result of ``compute_beside`` for each host.
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
    """For each row the part of the transfer that compute hides, and the moment when all participants had
    arrived."""
    ready = np.clip(calls.ready_ns, calls.start_ns, calls.end_ns)
    hidden = np.zeros(len(ready), np.int64)
    for index, busy in enumerate(compute):
        rows = np.flatnonzero(calls.device == index)
        hidden[rows] = covered_within(busy, ready[rows], calls.end_ns[rows])
    return hidden, ready


def _after(busy: Intervals, begin_ns: Ints, idle_ns: Ints) -> Ints:
    """The moments by which ``idle_ns`` of idle time has passed since each ``begin_ns``."""
    before = np.concatenate([[0], np.cumsum(busy.end_ns - busy.begin_ns)])
    target = begin_ns - covered_before(busy, begin_ns) + idle_ns
    passed = np.searchsorted(busy.begin_ns - before[:-1], target)
    return np.asarray(target + before[passed], np.int64)
