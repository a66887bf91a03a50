"""Ops on threads of the hosts in judged steps: how often they run, and how long."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import First, View, merged
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.host.host_compute import torch_ops
from tfperf_plugin.analysis.host_activity import compiled_on_cpu, self_ns
from tfperf_plugin.analysis.step_functions import EAGER_OP
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import HostRole


class HostOpRow(Record, frozen=True):
    """One op on threads of the hosts."""

    name: First
    calls_count: int
    total_ns: int
    self_ns: int  #: Time without the ops that run inside it.


class HostOps(Record, frozen=True):
    """Ops on threads of the hosts."""

    rows: tuple[HostOpRow, ...]  #: Ops by falling self time.
    steps_count: int  #: Number of judged steps of all hosts together.

    @property
    def per_step(self) -> float | None:
        """Number of ops in an average step of a host; ``None`` without any."""
        count = sum(row.calls_count for row in self.rows)
        return count / max(1, self.steps_count) if count else None


def part(view: View) -> dict[str, HostOpRow]:
    """Ops on threads of one host that begin in a judged step; the replicas of an op count as one.

    What PyTorch and XLA run on the host are ops of the model where no GPU works.
    """
    events, steps = view.trace.events, view.steps
    eager = events.named(lambda name: name.startswith(EAGER_OP) and not name.startswith(f"{EAGER_OP}__"))
    ops = eager | (events.role == HostRole.OP)
    if not any(len(device.start_ns) for device in view.trace.devices):
        ops |= compiled_on_cpu(events) | events.marked(torch_ops(events))
    rows = np.flatnonzero(ops)
    inside, _ = steps.judged_at(events.start_ns[rows])
    own, rows = np.maximum(self_ns(events, rows), 0)[inside], rows[inside]
    name, length = events.name[rows], events.end_ns[rows] - events.start_ns[rows]
    columns = [np.bincount(name, weights) for weights in (None, length, own)]
    found: dict[str, HostOpRow] = {}
    for code in np.flatnonzero(columns[0]).tolist():
        op = plain_op(events.names[code]).removeprefix(EAGER_OP)
        row = HostOpRow(op, *(int(column[code]) for column in columns))
        found[op] = merged(found[op], row) if op in found else row
    return found


def finish(found: dict[str, HostOpRow], steps: Steps) -> HostOps:
    """The ops of all hosts."""
    rows = sorted(found.values(), key=lambda r: (-r.self_ns, -r.total_ns, r.name))
    return HostOps(tuple(rows), sum(int(host.judged.sum()) for host in steps.hosts))
