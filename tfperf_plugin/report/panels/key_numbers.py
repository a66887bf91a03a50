"""The three numbers that the GPU guide says to maximize, and how busy the GPUs are."""

from __future__ import annotations

from msgspec.structs import asdict

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.host.placement import Placement
from tfperf_plugin.analysis.artifacts.host.startup import Startup
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.report.model import KeyNumbers
from tfperf_plugin.report.panels.compute import utilization
from tfperf_plugin.trace.roles import Precision


def key_numbers(
    placement: Placement,
    ledger: Ledger | None,
    devices: Devices,
    kernels: Kernels | None,
    bounds: Bounds | None,
    steps: Steps,
    facts: TrainingFacts | None,
    startup: Startup | None,
) -> KeyNumbers:
    """The key numbers; ``None`` where the profile does not say."""
    if kernels is None:
        placement = Placement()
    return KeyNumbers(
        device_time_ratio=_device_time(ledger) if ledger else None,
        ops_on_device_ratio=placement.by_time_ratio,
        ops_on_device_count_ratio=placement.by_count_ratio,
        compute_16bit_ratio=kernels.ratio(Precision.BITS16) if kernels else None,
        compute_tf32_ratio=kernels.ratio(Precision.TF32) if kernels else None,
        gpu_busy_ratio=_busy(ledger) if ledger else None,
        compute_judged_ratio=bounds.judged_ratio if bounds else None,
        **(asdict(utilization(devices, steps, kernels, bounds, facts, startup)) if bounds else {}),
    )


def _device_time(ledger: Ledger) -> float:
    """Share of the average step in which a device computes, communicates or copies."""
    average = ledger.average()
    working = sum(ns for account, ns in average.items() if not account.startswith("idle."))
    return working / ledger.step_ns if ledger.step_ns else 0.0


def _busy(ledger: Ledger) -> float:
    """The same without waiting for other GPUs in collectives."""
    waiting = ledger.average()["communication.wait"] / ledger.step_ns if ledger.step_ns else 0.0
    return max(0.0, _device_time(ledger) - waiting)
