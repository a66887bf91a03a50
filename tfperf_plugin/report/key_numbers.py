"""The three numbers that the GPU guide tells to maximise, and how busy the GPUs are."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.artifacts.devices import Devices
from tfperf_plugin.artifacts.kernels import Kernels
from tfperf_plugin.ledger import Ledger, above_launches
from tfperf_plugin.report.model import KeyNumbers
from tfperf_plugin.trace.model import Trace
from tfperf_plugin.trace.roles import HostRole, Precision


def key_numbers(trace: Trace, ledger: Ledger | None, devices: Devices, kernels: Kernels | None) -> KeyNumbers:
    """The key numbers; ``None`` where the profile does not say."""
    taking_part = devices.participating
    on_device, on_device_count = _placement(trace, kernels)
    return KeyNumbers(
        device_time_ratio=_device_time(ledger) if ledger else None,
        ops_on_device_ratio=on_device,
        ops_on_device_count_ratio=on_device_count,
        compute_16bit_ratio=kernels.ratio(Precision.BITS16) if kernels else None,
        compute_tf32_ratio=kernels.ratio(Precision.TF32) if kernels else None,
        gpu_busy_ratio=sum(d.busy_ratio for d in taking_part) / len(taking_part) if taking_part else None,
    )


def _device_time(ledger: Ledger) -> float:
    """Share of the average step in which the device executes: computes, communicates or copies."""
    average = ledger.average()
    working = sum(ns for account, ns in average.items() if not account.startswith("idle."))
    return working / ledger.step_ns if ledger.step_ns else 0.0


def _placement(trace: Trace, kernels: Kernels | None) -> tuple[float | None, float | None]:
    """Share of op time and op count on the device; host ops are those that launch nothing.

    Only profiles whose kernels name their ops can tell.
    """
    if kernels is None or not any(r.op for r in kernels.rows):
        return None, None
    host_ns = device_ns = 0
    host_ops: set[str] = set()
    device_ops: set[str] = set()
    for host in trace.hosts:
        events = host.events
        rows = np.flatnonzero((events.role == HostRole.OP) & ~above_launches(events))
        host_ns += int((events.end_ns[rows] - events.start_ns[rows]).sum())
        host_ops.update(events.names[c] for c in np.unique(events.name[rows]).tolist())
        for device in host.devices:
            kernel = np.flatnonzero(device.is_kernel())
            device_ns += int((device.end_ns[kernel] - device.start_ns[kernel]).sum())
            device_ops.update(device.ops[c] for c in np.unique(device.op[kernel]).tolist() if c >= 0)
    # An op that launches kernels on the GPU may also run short pieces on the host.
    host_ops -= device_ops
    count = len(host_ops) + len(device_ops)
    return (
        device_ns / (host_ns + device_ns) if host_ns + device_ns else None,
        len(device_ops) / count if count else None,
    )
