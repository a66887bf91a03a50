"""The share of the program's ops that run on GPUs."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.host_activity import host_ops
from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import HostRole


class Placement(Record, frozen=True):
    """Times and distinct names of ops; those on hosts are ops that launch nothing.

    The shares of those on GPUs are ``None`` where kernels do not name their ops.
    """

    host_ns: int = 0
    device_ns: int = 0
    host_ops: frozenset[str] = frozenset()
    device_ops: frozenset[str] = frozenset()

    @property
    def by_time_ratio(self) -> float | None:
        """Share of op time on GPUs."""
        total = self.host_ns + self.device_ns
        return self.device_ns / total if any(self.device_ops) and total else None

    @property
    def by_count_ratio(self) -> float | None:
        """Share of distinct ops on GPUs; an op that launches kernels may run on the host as well."""
        count = len(self.host_ops | self.device_ops)
        return len(self.device_ops) / count if any(self.device_ops) else None


def part(view: View) -> Placement:
    """The ops of one host and its GPUs."""
    device_ns, device_ops = 0, set[str]()
    for device in view.trace.devices:
        kernel = np.flatnonzero(device.is_kernel())
        device_ns += int((device.end_ns[kernel] - device.start_ns[kernel]).sum())
        device_ops.update(device.ops[c] for c in unique(device.op[kernel]).tolist() if c >= 0)
    events = view.trace.events
    rows = np.flatnonzero(((events.role == HostRole.OP) & ~events.above_launches) | host_ops(events))
    names = (events.names[c] for c in unique(events.name[rows]).tolist())
    host_ns = int((events.end_ns[rows] - events.start_ns[rows]).sum())
    return Placement(host_ns, device_ns, frozenset(names), frozenset(device_ops))
