"""What products gain by 16 bit on Tensor Cores (AMD: matrix cores), and those of a step in 32 bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import is_own_product
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.roofline import LATENCY_NS
from tfperf_plugin.analysis.artifacts.compute.shapes import reading_ns
from tfperf_plugin.analysis.artifacts.compute.updates import MOST_BYTES, Updates
from tfperf_plugin.analysis.artifacts.host.host_pass import HostPass
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.peaks import Peaks
from tfperf_plugin.hardware.speeds import USUAL_MEMORY
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import MATRIX, Precision, waits_for_memory

# With this share in 16 bit, mixed precision is on and only single layers stay in 32 bit (XProf: 10 %).
SWITCHED_ON_RATIO: Final = 0.10
# Half the bits are half the bytes: memory-bound kernels gain no more.
BYTES_RATIO: Final = 2
# A variable stays in float32: each step casts it to 16 bit, and its gradient back.
CAST_BYTES: Final = 4 + 2
CASTS_COUNT: Final = 2
# With a weight multiply the forward pass, and the gradients of input and weight.
_PRODUCTS_COUNT: Final = 3
# The most that a launch takes the host, as TensorFlow's guide has it.
LAUNCH_NS: Final = 40_000
# Ours: what takes longer than usual by this factor is limited by something else alone; by half, by both.
LIMITED_TIMES: Final = 4

NO_CORES: Final = "No participating GPU is known to have Tensor Cores, or AMD's matrix cores."
OWN_PRODUCTS = "Kernels of the program's own multiply matrices: of their speed, formats do not tell."
NO_PRODUCTS = "The step has no matrix multiplication or convolution."
_NARROW: Final = (Precision.BITS16, Precision.BITS8)
_WIDE: Final = (Precision.FP32, Precision.TF32)


def gains_least(devices: Devices) -> tuple[DeviceInfo, Peaks] | None:
    """The GPU at work to which 16 bit brings least, with its peaks; ``None`` if none has Tensor Cores."""
    able = [(d, p) for d in devices.participating if (p := d.peaks)]
    return min(able, key=lambda a: a[1].bits16 / a[1].fp32, default=None)


def kept_ratio(
    op: OpBound | None, device: DeviceInfo, rates: Peaks, rate: int, bytes_ratio: int, already: bool = False
) -> float:
    """The share of its time that a product keeps that ran on units with this rate.

    If its work is known, only the time that usual layers need for it on these units becomes what they need in
    16 bit; what it takes above that (too few channels for a tile, too few blocks, its start) stays. If that
    is more than half of its time, it hides the rest, wholly from three quarters on: a product at 2 % of its
    peak keeps all of its time. Without its work, the peak rates alone tell.

    Args:
        op: the product, if known.
        device: the GPU.
        rates: its peaks.
        rate: of the units, per multiprocessor and clock.
        bytes_ratio: how many times fewer bytes it moves in 16 bit.
        already: these are the Tensor Cores, in TF32.
    """
    speeds = device.speeds
    peak = speeds and speeds.peak("fp16")
    if not op or op.not_judged or not op.total_ns or not speeds or not peak:
        return rates.kept(rate, already)
    # Of FFT and Winograd convolutions, what they really multiply.
    flops = op.flops if op.indirect_ns else op.matrix_flops
    computing = flops / (peak * speeds.usual("fp16")) * 1e9
    moving = op.bytes / (speeds.bytes_per_s * USUAL_MEMORY) * 1e9
    now = max(computing / rates.kept(rate, already), moving)
    saved = max(0.0, min(op.total_ns, now) - max(computing, moving / bytes_ratio))
    counted = max(0.0, min(1.0, LIMITED_TIMES * now / op.total_ns - 1))
    return 1 - saved / op.total_ns * counted


def after_ns(
    row: KernelRow,
    ops: Mapping[str, OpBound],
    device: DeviceInfo,
    rates: Peaks,
    rate: int | None,
    bytes_ratio: int = 1,
) -> int:
    """Least time in 16 bit of the row's kernels, which ran on units with this rate."""
    total = row.times.total_ns
    if not rate:
        return total
    reading = reading_ns(row.shape, device.memory_bandwidth) // bytes_ratio
    least = row.times.count * max(LATENCY_NS, reading)
    if bytes_ratio > 1 and waits_for_memory(row.name, row.op_type):
        least = max(least, total // bytes_ratio)
    already = row.precision is Precision.TF32
    kept = kept_ratio(ops.get(plain_op(row.op)), device, rates, rate, bytes_ratio, already)
    return min(total, max(round(total * kept), least))


class Casts(Record, frozen=True):
    """The casts that 16 bit adds to a step: of weights, and of their gradients."""

    count: int = 0
    kernels_ns: int = 0  #: Time of their kernels.
    host_ns: int = 0  #: Time in which the host launches them.


def _casts(
    ledger: Ledger, kernels: Kernels, wide: Sequence[KernelRow], updates: Updates, host: HostPass | None
) -> Casts:
    """The casts for the products ``wide``. A cast moves a part of what the optimizer moves for each
    parameter, of which these products have their share."""
    number = sum(r.times.count for r in wide)
    ratio = number / max(1, sum(r.times.count for r in kernels.rows if r.kernel_class in MATRIX))
    count = CASTS_COUNT * number / _PRODUCTS_COUNT / max(1, kernels.windows_count)
    spent = updates.spent_ns if updates.needed_ns is None else min(updates.spent_ns, updates.needed_ns)
    passing = CASTS_COUNT * ratio * spent * CAST_BYTES / (updates.parameter_bytes or MOST_BYTES)
    each = max(0, ledger.step_ns - host.spare_ns) / max(1, kernels.per_step_count) if host else 0
    launching = min(each, LAUNCH_NS)  # the host does other work, too
    return Casts(round(count), round(max(passing, LATENCY_NS * count)), round(launching * count))


class Wide(Record, frozen=True):
    """The 32-bit products of a step."""

    known_ratio: float  #: Share of matrix time whose number format is known.
    half_ratio: float  #: Share of that time in 16 or 8 bit.
    rows: tuple[KernelRow, ...]  #: Kernels by falling time.
    now_ns: dict[Precision, int]  #: Time now, by format.
    after_ns: int  #: Time in 16 bit at best.
    casts: Casts
    saving_ns: int  #: Time by which that shortens the step.
    mixed: bool  #: Whether mixed precision is on.
    device: DeviceInfo  #: The GPU to which 16 bit brings least.
    rates: Peaks
    policy: str  #: Precision policy that the training recorded, "" if it did not.


def finish(
    ledger: Ledger, kernels: Kernels, devices: Devices, bounds: Bounds, updates: Updates, program: Program,
    host: HostPass | None, facts: TrainingFacts | None,
) -> Wide | NotApplicable:  # fmt: skip
    """Bounds what 16 bit could bring by the ratio of the device's own peak rates."""
    least = gains_least(devices)
    if not least:
        return NotApplicable(NO_CORES)
    formats = (*_NARROW, Precision.TF32, Precision.FP32, Precision.FP64)
    known, matrix = kernels.matrix_ns(*formats), kernels.matrix_ns(*formats, Precision.UNKNOWN)
    if not matrix:
        return NotApplicable(NO_PRODUCTS)
    half = kernels.matrix_ns(*_NARROW) / max(1, known)
    device, rates = least
    every = [r for r in kernels.rows if r.kernel_class in MATRIX and r.precision in _WIDE]
    wide = tuple(r for r in every if not (program.has_own_kernels and is_own_product(r.name)))
    if every and not wide:
        return NotApplicable(OWN_PRODUCTS)
    ops = bounds.by_op()
    after = exposed = 0
    for kind in MATRIX:
        mine = [row for row in wide if row.kernel_class is kind]
        rate = {Precision.TF32: rates.tf32, Precision.FP32: rates.fp32}
        left = sum(after_ns(r, ops, device, rates, rate[r.precision], BYTES_RATIO) for r in mine)
        gain = sum(r.times.total_ns for r in mine) - left
        after, exposed = after + left, exposed + kernels.exposed(ledger, kernels.per_step(gain), kind)
    casts = _casts(ledger, kernels, wide, updates, host) if program.training else Casts()
    return Wide(
        known_ratio=known / matrix,
        half_ratio=half,
        rows=wide,
        now_ns={f: kernels.spent_ns(r for r in wide if r.precision is f) for f in _WIDE},
        after_ns=kernels.per_step(after),
        casts=casts,
        saving_ns=max(0, exposed - casts.kernels_ns),
        mixed=half >= SWITCHED_ON_RATIO and not (facts and facts.policy == "float32"),
        device=device,
        rates=rates,
        policy=(facts and facts.policy) or "",
    )
