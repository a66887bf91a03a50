"""What the rules about 32-bit products share: what 16 bit could save, and whether mixed precision is on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import MATRIX, KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.shapes import reading_ns
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.peaks import Peaks
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable, Passed
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.engine.severity import too_little
from tfperf_plugin.judging.rules.precision._sixteen import BYTES_RATIO, NO_CORES, gains_least, kept_ratio
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import Precision, waits_for_memory

# With this share in 16 bit, mixed precision is on and only single layers stay in 32 bit (XProf: 10 %).
SWITCHED_ON_RATIO: Final = 0.10
FORMATS_UNKNOWN: Final = (
    "The number format of most matrix kernels cannot be told from their names.",
    "Record tensor shapes with ProfilerOptions(host_tracer_level=3); TensorFlow 2.21 ignores that option.",
)
NO_PRODUCTS = "The step has no matrix multiplication or convolution."
ALL_HALF = "{half:percent} of the time of matrix kernels is 16 bit."
POLICY = "The training recorded the precision policy {policy}."
_NARROW: Final = (Precision.BITS16, Precision.BITS8)
_WIDE: Final = (Precision.FP32, Precision.TF32)


class Wide(Record, frozen=True):
    """The 32-bit products of a step: their kernels, by falling time, and their time now, by format.

    ``half_ratio``: share of matrix time in 16 or 8 bit, as far as formats are known.
    ``after_ns``: their time in 16 bit at best, ``saving_ns``: what that shortens the step by. ``mixed``:
    mixed precision is on. ``device``: the GPU that gains least, with its ``rates``.
    """

    half_ratio: float
    rows: tuple[KernelRow, ...]
    now_ns: dict[Precision, int]
    after_ns: int
    saving_ns: int
    mixed: bool
    device: DeviceInfo
    rates: Peaks
    policy: str

    def passed(self, ledger: Ledger) -> Passed | None:
        """That there are none, or that they could save little."""
        if not self.rows:
            return Passed(say(ALL_HALF, half=self.half_ratio))
        return too_little(self.saving_ns, ledger.step_ns)


def wide_products(
    ledger: Ledger,
    kernels: Kernels,
    devices: Devices,
    bounds: Bounds,
    facts: TrainingFacts | None,
    known_ratio: float,
) -> Wide | NotApplicable | Missing:
    """Bounds what 16 bit could bring by the ratio of the device's own peak rates.

    ``known_ratio``: the share of matrix work whose number format has to be known.
    """
    least = gains_least(devices)
    if not least:
        return NotApplicable(NO_CORES)
    formats = (*_NARROW, Precision.TF32, Precision.FP32, Precision.FP64)
    known, matrix = kernels.matrix_ns(*formats), kernels.matrix_ns(*formats, Precision.UNKNOWN)
    if not matrix:
        return NotApplicable(NO_PRODUCTS)
    if known < known_ratio * matrix:
        return Missing(*FORMATS_UNKNOWN)
    half = kernels.matrix_ns(*_NARROW) / max(1, known)
    device, rates = least
    wide = tuple(r for r in kernels.rows if r.kernel_class in MATRIX and r.precision in _WIDE)
    ops = bounds.by_op()
    after = {
        kind: sum(_after_ns(r, rates, device, ops) for r in wide if r.kernel_class is kind) for kind in MATRIX
    }
    gain = {
        kind: sum(r.times.total_ns for r in wide if r.kernel_class is kind) - after[kind] for kind in MATRIX
    }
    return Wide(
        half_ratio=half,
        rows=wide,
        now_ns={f: kernels.spent_ns(r for r in wide if r.precision is f) for f in _WIDE},
        after_ns=kernels.per_step(sum(after.values())),
        saving_ns=sum(kernels.exposed(ledger, kernels.per_step(gain[kind]), kind) for kind in MATRIX),
        mixed=half >= SWITCHED_ON_RATIO and not (facts and facts.policy == "float32"),
        device=device,
        rates=rates,
        policy=say(POLICY, policy=facts.policy) if facts and facts.policy else "",
    )


def _after_ns(row: KernelRow, rates: Peaks, device: DeviceInfo, ops: Mapping[str, OpBound]) -> int:
    """What the row's kernels take in 16 bit at best."""
    already = row.precision is Precision.TF32
    rate = rates.tf32 if already else rates.fp32
    if not rate:
        return row.times.total_ns
    least = row.times.count * reading_ns(row.shape, device.memory_bandwidth) // BYTES_RATIO
    if waits_for_memory(row.name, row.op_type):
        least = max(least, row.times.total_ns // BYTES_RATIO)
    kept = kept_ratio(ops.get(plain_op(row.op)), device, rates, rate, BYTES_RATIO, already)
    return min(row.times.total_ns, max(round(row.times.total_ns * kept), least))
