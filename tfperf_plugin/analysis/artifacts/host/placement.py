"""How many of the program's ops run on GPUs."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import HostRole


class Placement(Record, frozen=True):
    """Share of op time and of distinct ops on GPUs; ``None`` where kernels do not name their ops."""

    by_time_ratio: float | None
    by_count_ratio: float | None


class Part(Record, frozen=True):
    """Times and distinct names of ops of some hosts; those on hosts are ops that launch nothing."""

    host_ns: int
    device_ns: int
    host_ops: frozenset[str]
    device_ops: frozenset[str]


def part(view: View) -> Part:
    """The ops of one host and its GPUs."""
    device_ns, device_ops = 0, set[str]()
    for device in view.trace.devices:
        kernel = np.flatnonzero(device.is_kernel())
        device_ns += int((device.end_ns[kernel] - device.start_ns[kernel]).sum())
        device_ops.update(device.ops[c] for c in unique(device.op[kernel]).tolist() if c >= 0)
    events = view.trace.events
    rows = np.flatnonzero((events.role == HostRole.OP) & ~events.above_launches)
    names = (events.names[c] for c in unique(events.name[rows]).tolist())
    host_ns = int((events.end_ns[rows] - events.start_ns[rows]).sum())
    return Part(host_ns, device_ns, frozenset(names), frozenset(device_ops))


def finish(found: Part) -> Placement:
    """The ops of all hosts and GPUs."""
    if not any(found.device_ops):
        return Placement(None, None)
    total = found.host_ns + found.device_ns
    # An op that launches kernels on the GPU may also run short pieces on the host.
    count = len(found.host_ops | found.device_ops)
    return Placement(found.device_ns / total if total else None, len(found.device_ops) / count)
