"""Key numbers; what compute needs, of the account of this name; and the limits by which ops are judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import KNOWN_RATIO, Bounds
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.slow import Slow
from tfperf_plugin.analysis.artifacts.host.host_ops import HostOps
from tfperf_plugin.analysis.artifacts.host.placement import Placement
from tfperf_plugin.analysis.artifacts.host.startup import Startup
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.hardware.speeds import FORMATS, MEMORY_REACHED, PEAKS_SOURCE, REACHED_SOURCE, Speeds
from tfperf_plugin.judging.engine.words import count, ms, percent
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.report import model
from tfperf_plugin.trace.roles import MATRIX, Precision

ABOVE_BOUND: Final = "above-bound"
ABOVE_STEP: Final = "above-step"
"""Names of the anomalies."""
_FORMATS: Final = {
    Precision.BITS16: "fp16", Precision.TF32: "tf32", Precision.FP32: "fp32", Precision.FP64: "fp64",
}  # fmt: skip


def compute_parts(bounds: Bounds, ledger: Ledger) -> tuple[model.ComputePart, ...]:
    """How the account ``compute`` splits; empty if no kernel's work is known."""
    if not bounds.judged_ratio:
        return ()
    parts = bounds.parts(ledger.average()["compute"])
    return tuple(model.ComputePart(kind, *times) for kind, times in parts.items())


def compute_causes(slow: Slow) -> tuple[model.ComputeCause, ...]:
    """Why judged ops take longer than their floors."""
    causes = ((cause, slow.recoverable_ns(cause)) for cause in slow.by_cause)
    from tfperf_plugin.judging.rules import RULES

    titles = {rule.id: rule.title for rule in RULES}
    return tuple(
        model.ComputeCause(cause, titles.get(cause, "Cause not recorded"), ns)
        for cause, ns in sorted(causes, key=lambda x: -x[1])
        if ns
    )


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


# -------------------------------------------------------------------------------- key numbers

_STARTUP = "Part of what was recorded is start-up: a usual step is shorter, and its MFU is not known."


def key_numbers(
    placement: Placement,
    ledger: Ledger | None,
    devices: Devices,
    kernels: Kernels | None,
    bounds: Bounds | None,
    steps: Steps,
    facts: TrainingFacts | None,
    host_ops: HostOps,
    startup: Startup | None,
) -> model.KeyNumbers:
    """The three numbers that the GPU guide says to maximize, how busy the GPUs are, and the ops of hosts;
    ``None`` where the profile does not say."""
    if kernels is None:
        placement = Placement()
    device_time, busy = _working(ledger) if ledger else (None, None)
    return model.KeyNumbers(
        device_time_ratio=device_time,
        ops_on_device_ratio=placement.by_time_ratio,
        ops_on_device_count_ratio=placement.by_count_ratio,
        compute_16bit_ratio=kernels.ratio(Precision.BITS16) if kernels else None,
        compute_tf32_ratio=kernels.ratio(Precision.TF32) if kernels else None,
        gpu_busy_ratio=busy,
        compute_judged_ratio=bounds.judged_ratio if bounds else None,
        host_ops_per_step=host_ops.per_step,
        **(utilization(devices, steps, kernels, bounds, facts, startup)._asdict() if bounds else {}),
    )


def _working(ledger: Ledger) -> tuple[float, float]:
    """Shares of the average step in which a device computes, communicates or copies: with and without
    waiting for other GPUs in collectives."""
    average, step_ns = ledger.average(), ledger.step_ns
    working = sum(ns for account, ns in average.items() if not account.startswith("idle."))
    device_time = working / step_ns if step_ns else 0.0
    waiting = average["communication.wait"] / step_ns if step_ns else 0.0
    return device_time, max(0.0, device_time - waiting)


class Utilization(NamedTuple):
    """MFU and HFU, operations a second and GPU, and the peak behind them, or why they are not known."""

    mfu_ratio: float | None
    hfu_ratio: float | None
    flops_per_s: int | None
    mfu_basis: str


def utilization(
    devices: Devices,
    steps: Steps,
    kernels: Kernels | None,
    bounds: Bounds,
    facts: TrainingFacts | None,
    startup: Startup | None,
) -> Utilization:
    """By what the profile tells of products, else by what the training recorded."""
    if startup and startup.marked:
        return Utilization(None, None, None, _STARTUP)
    mfu = bounds.utilization(recomputed=False)
    basis = mfu_basis(devices, bounds)
    if mfu is None:
        return _as_recorded(devices, steps, kernels, bounds, facts) or Utilization(None, None, None, basis)
    hfu = bounds.utilization(recomputed=True) if bounds.recomputes else None
    return Utilization(mfu, hfu, round(bounds.matrix_flops * 1e9 / bounds.step_ns), basis)


def _as_recorded(
    devices: Devices, steps: Steps, kernels: Kernels | None, bounds: Bounds, facts: TrainingFacts | None
) -> Utilization | None:
    """By the recorded operations of a step and the peak of the format in which most products ran."""
    rates = _rates(devices)
    times: Counter[str] = Counter()
    for row in kernels.rows if kernels else ():
        if row.kernel_class in MATRIX:
            times[_FORMATS.get(row.precision, "")] += row.times.total_ns
    (format, _), *_ = times.most_common(1) or [("", 0)]
    peak = rates and rates.peak(format)
    if not facts or not facts.flops_per_step or not peak or not bounds.step_ns:
        return None
    calls = facts.steps_per_execution if steps.source != "period" else None
    # A replica may take several GPUs, and the profile may lack some.
    gpus = max(facts.replicas or 1, len(devices.participating))
    rate = facts.flops_per_step * (calls or 1) / gpus * 1e9 / bounds.step_ns
    if rate > peak:
        return None
    # Of 16-bit kernels nobody knows which of the two formats, whose peaks are equal.
    shown = "16 bit" if format == "fp16" else format
    basis = f"{_of_peak(peak, shown)}; operations as recorded by the training, one GPU a replica"
    return Utilization(rate / peak, None, round(rate), basis)


def _rates(devices: Devices) -> Speeds | None:
    return next((d.speeds for d in devices.participating if d.speeds), None)


def _of_peak(peak: float, format: str) -> str:
    return f"of {peak / 1e12:,.{0 if peak >= 1e14 else 1}f} TFLOP/s in {format} ({PEAKS_SOURCE})"


def mfu_basis(devices: Devices, bounds: Bounds) -> str:
    """The peak behind MFU and its source, or why there is no MFU."""
    known = bounds.known_ratio
    if known is None:
        return "No matrix product or convolution is known to have run."
    rates = _rates(devices)
    if rates is None:
        return "The rates of this GPU are not known."
    if known < KNOWN_RATIO:
        return f"The profile tells the operations of {percent(known)} of the time of matrix kernels only."
    if bounds.outruns_clock:
        return "Products ran faster than the recorded clock of the GPU allows: its peak is not known."
    if bounds.above_step:
        return "The operations of its products would take longer than the step: some were misunderstood."
    fewer = "; Winograd and FFT kernels run fewer operations than the model has" if bounds.indirect else ""
    name = bounds.main_format
    peaks = {d.speeds.peak(name) for d in devices.participating if d.speeds}
    if len(peaks) > 1:
        return f"of each GPU's own peak in {name} ({PEAKS_SOURCE}){fewer}"
    peak, in_16_bit = rates.peak(name) or 0.0, rates.peak("fp16") or 0.0
    # A rate close to the peak of 32 bit is far from what the GPU can do.
    more = f" ({in_16_bit / 1e12:,.0f} in 16 bit)" if name == "fp32" and in_16_bit > peak else ""
    return f"{_of_peak(peak, name)}{more}{fewer}"


# ------------------------------------------------------------------------------------ words

_KIND_WORDS: Final = {
    "matrix": "matrix products",
    "memory": "memory-bound kernels",
    "small": "small kernels",
    "other": "other kernels",
}


def compute_blocks(report: model.Report) -> Iterator[model.SectionBlock]:
    """MFU with its basis, and what compute needs; nothing if no kernel was judged."""
    ledger, numbers = report.ledger, report.key_numbers
    judged = ledger if ledger and ledger.compute_parts else None
    if not judged and numbers.mfu_ratio is None:
        return
    split = _split(judged) if judged else ()
    yield model.Facts("How good the compute is", (*_utilization(numbers), *split))
    if above := next((row.count for row in report.anomalies if row.name == ABOVE_BOUND), 0):
        verb, are = ("runs", "is") if above == 1 else ("run", "are")
        yield model.Sentence(f"{count(above, 'op')} {verb} faster than the bound and {are} not judged.")


def _utilization(numbers: model.KeyNumbers) -> Iterator[model.Number]:
    basis = numbers.mfu_basis.replace(f" ({PEAKS_SOURCE})", "")
    rate = (numbers.flops_per_s or 0) / 1e12 if numbers.mfu_ratio is not None else 0
    known = f"{rate:,.0f} " if rate >= 100 else f"{rate:.3g} " if rate else ""
    yield model.Number("Model FLOPs utilization (MFU)", numbers.mfu_ratio, "ratio", known + basis)
    if numbers.hfu_ratio is not None:
        note = "with recomputed operations"
        yield model.Number("Hardware FLOPs utilization (HFU)", numbers.hfu_ratio, "ratio", note)


def _split(ledger: model.Ledger) -> Iterator[model.Number]:
    parts, peak = ledger.compute_parts, ledger.compute_peak_ns or 0
    rates = f"at rates that good libraries reach; {ms(peak)} at the data sheet's"
    yield model.Number("needed", ledger.compute_floor_ns or 0, "ns", rates)
    yield model.Number("could be won", sum(part.recoverable_ns for part in parts), "ns")
    if unknown := sum(part.not_judged_ns for part in parts):
        yield model.Number("not judged", unknown, "ns")
    for part in parts:
        times = (part.floor_ns, "needed"), (part.recoverable_ns, "to win"), (part.not_judged_ns, "not judged")
        if taken := sum(ns for ns, _ in times):
            words = ", ".join(f"{ms(ns)} {word}" for ns, word in times if ns)
            yield model.Number(_KIND_WORDS[part.kind], taken, "ns", words)
