"""How many of the program's ops run on GPUs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfperf_plugin.trace.model import Trace
from tfperf_plugin.trace.roles import HostRole


@dataclass(frozen=True)
class Placement:
    """Share of op time and of distinct ops on GPUs; ``None`` where kernels do not name their ops."""

    by_time_ratio: float | None
    by_count_ratio: float | None


def find_placement(trace: Trace) -> Placement:
    """Ops on all hosts and GPUs; host ops are those that launch nothing."""
    host_ns = device_ns = 0
    host_ops: set[str] = set()
    device_ops: set[str] = set()
    for host in trace.hosts:
        for device in host.devices:
            kernel = np.flatnonzero(device.is_kernel())
            device_ns += int((device.end_ns[kernel] - device.start_ns[kernel]).sum())
            device_ops.update(device.ops[c] for c in np.unique(device.op[kernel]).tolist() if c >= 0)
    if not any(device_ops):
        return Placement(None, None)
    for host in trace.hosts:
        events = host.events
        rows = np.flatnonzero((events.role == HostRole.OP) & ~events.above_launches)
        host_ns += int((events.end_ns[rows] - events.start_ns[rows]).sum())
        host_ops.update(events.names[c] for c in np.unique(events.name[rows]).tolist())
    # An op that launches kernels on the GPU may also run short pieces on the host.
    host_ops -= device_ops
    count = len(host_ops) + len(device_ops)
    return Placement(
        device_ns / (host_ns + device_ns) if host_ns + device_ns else None, len(device_ops) / count
    )
