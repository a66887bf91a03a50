"""The three numbers that the GPU guide says to maximize, and how busy the GPUs are."""

from __future__ import annotations

from typing import Any

from tfperf_plugin.analysis.artifacts.bounds import Bounds
from tfperf_plugin.analysis.artifacts.devices import Devices
from tfperf_plugin.analysis.artifacts.kernels import Kernels
from tfperf_plugin.analysis.artifacts.placement import Placement
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.report.model import KeyNumbers
from tfperf_plugin.report.panels.compute import mfu_basis
from tfperf_plugin.trace.roles import Precision


def key_numbers(
    placement: Placement,
    ledger: Ledger | None,
    devices: Devices,
    kernels: Kernels | None,
    bounds: Bounds | None,
) -> KeyNumbers:
    """The key numbers; ``None`` where the profile does not say."""
    taking_part = devices.participating
    if kernels is None:
        placement = Placement(None, None)
    return KeyNumbers(
        device_time_ratio=_device_time(ledger) if ledger else None,
        ops_on_device_ratio=placement.by_time_ratio,
        ops_on_device_count_ratio=placement.by_count_ratio,
        compute_16bit_ratio=kernels.ratio(Precision.BITS16) if kernels else None,
        compute_tf32_ratio=kernels.ratio(Precision.TF32) if kernels else None,
        gpu_busy_ratio=sum(d.busy_ratio for d in taking_part) / len(taking_part) if taking_part else None,
        **(_compute(bounds, devices) if bounds else {}),
    )


def _device_time(ledger: Ledger) -> float:
    """Share of the average step in which a device computes, communicates or copies."""
    average = ledger.average()
    working = sum(ns for account, ns in average.items() if not account.startswith("idle."))
    return working / ledger.step_ns if ledger.step_ns else 0.0


def _compute(bounds: Bounds, devices: Devices) -> dict[str, Any]:
    """The numbers about the rate of compute."""
    mfu = bounds.utilization(recomputed=False)
    return {
        "compute_judged_ratio": bounds.judged_ratio,
        "mfu_ratio": mfu,
        "hfu_ratio": bounds.utilization(recomputed=True) if bounds.recomputes else None,
        "flops_per_s": None if mfu is None else round(bounds.matrix_flops * 1e9 / max(1, bounds.step_ns)),
        "mfu_basis": mfu_basis(devices, bounds),
    }
