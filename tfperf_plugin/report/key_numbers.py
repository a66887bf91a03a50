"""The three numbers that the GPU guide tells to maximise, and how busy the GPUs are."""

from __future__ import annotations

from tfperf_plugin.artifacts.devices import Devices
from tfperf_plugin.artifacts.kernels import Kernels
from tfperf_plugin.ledger import Ledger
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
    host_ns = host_count = device_ns = device_count = 0
    for host in trace.hosts:
        events = host.events
        keep = events.role == HostRole.OP
        launching = set(events.parent[events.correlation >= 0].tolist())
        rows = [r for r in keep.nonzero()[0].tolist() if r not in launching]
        host_count += len(rows)
        host_ns += int((events.end_ns[rows] - events.start_ns[rows]).sum()) if rows else 0
        for device in host.devices:
            kernel = device.is_kernel()
            device_ns += int((device.end_ns[kernel] - device.start_ns[kernel]).sum())
            device_count += len(set(device.op[kernel].tolist()))
    host_names = {
        host.events.names[c]
        for host in trace.hosts
        for c in set(host.events.name[host.events.role == HostRole.OP].tolist())
    }
    total_ns, total_count = host_ns + device_ns, len(host_names) + device_count
    return (
        device_ns / total_ns if total_ns else None,
        device_count / total_count if total_count and host_count else None,
    )
