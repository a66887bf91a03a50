"""What compute needs, of the account of this name, and the limits by which ops are judged."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.bounds import KNOWN_RATIO, Bounds
from tfperf_plugin.analysis.artifacts.devices import Devices
from tfperf_plugin.analysis.artifacts.slow import Slow
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.speeds import FORMATS, MEMORY_REACHED, PEAKS_SOURCE, REACHED_SOURCE
from tfperf_plugin.judging.engine.words import percent
from tfperf_plugin.report import model


def compute_parts(bounds: Bounds, ledger: Ledger) -> tuple[model.ComputePart, ...]:
    """How the account ``compute`` splits; empty if no kernel's work is known."""
    if not bounds.judged_ratio:
        return ()
    parts = bounds.parts(ledger.average()["compute"])
    return tuple(model.ComputePart(kind, *times) for kind, times in parts.items())


def compute_causes(slow: Slow) -> tuple[model.ComputeCause, ...]:
    """Why judged ops take longer than their floors."""
    causes = ((cause, slow.recoverable_ns(cause)) for cause in slow.by_cause)
    return tuple(model.ComputeCause(c, ns) for c, ns in sorted(causes, key=lambda x: -x[1]) if ns)


def roofline(devices: Devices, bounds: Bounds) -> model.Roofline | None:
    """The limits of the first GPU that computes; ``None`` if nothing is judged by them."""
    device = next((d for d in devices.participating if d.speeds), None)
    if not device or not bounds.judged_ratio:
        return None
    speeds = device.speeds
    assert speeds is not None
    used = {op.format for op in bounds.ops.values()} | {"fp32"}
    rates = ((name, speeds.peak(name)) for name in FORMATS if name in used)
    return model.Roofline(
        name=device.name,
        rates=tuple(model.PeakRate(name, int(rate), speeds.reached(name)) for name, rate in rates if rate),
        bytes_per_s=speeds.bytes_per_s,
        bytes_reached_ratio=MEMORY_REACHED,
        source=PEAKS_SOURCE,
        reached_source=REACHED_SOURCE,
    )


def mfu_basis(devices: Devices, bounds: Bounds) -> str:
    """The peak behind MFU and its source, or why there is no MFU."""
    known = bounds.known_ratio
    if known is None:
        return "No matrix product or convolution ran."
    rates = next((d.speeds for d in devices.participating if d.speeds), None)
    if rates is None:
        return "The rates of this GPU are not known."
    if known < KNOWN_RATIO:
        return f"The profile tells the operations of {percent(known)} of the time of matrix kernels only."
    if bounds.utilization(recomputed=False) is None:
        return "The operations of its products would take longer than the step: some were misunderstood."
    fewer = "; Winograd and FFT kernels run fewer operations than the model has" if bounds.indirect else ""
    name = bounds.main_format
    peak = rates.peak(name) or 0.0
    return f"of {peak / 1e12:,.{0 if peak >= 1e14 else 1}f} TFLOP/s in {name} ({PEAKS_SOURCE}){fewer}"
