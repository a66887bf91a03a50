"""Matrix work runs in 32 bit on a GPU that has Tensor Cores for 16 bit."""

from __future__ import annotations

from itertools import chain
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.kernels import KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import is_optimizer
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say, together
from tfperf_plugin.judging.rules.precision._sixteen import BYTES_RATIO, Wide, wide_products
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.trace.roles import KernelClass, Precision

KNOWN = Threshold(
    "matrix work whose number format is known", 0.5, "ratio", "else the profile does not say enough"
)
# Kernels that only move float32 tensors, and last long enough to be bound by memory rather than by their start.
MOVING: Final = (KernelClass.ELEMENTWISE, KernelClass.NORMALISATION, KernelClass.REDUCTION)
MOVING_NS: Final = 10_000

MIXED = "{half:percent} of the time of matrix kernels is 16 bit: mixed precision is on; fp32-beside-16bit judges the rest."
NONE_HALF = (
    "Matrix multiplications and convolutions in 32 bit take {now:ms} of the step; no matrix kernel uses the GPU's {units} "
    "for 16 bit."
)
SOME_HALF = (
    "Matrix multiplications and convolutions in 32 bit take {now:ms} of the step, although the GPU has {units} for 16 bit; "
    "{half:percent} of the time of all matrix kernels is 16 bit."
)
MOVES = "Kernels that only move float32 take {moving:ms}; in 16 bit they move half."
BASIS = (
    "of products whose work is known, the time that operations or bytes need at the rates of usual layers, less the same in "
    "16 bit; what they take above that stays. Of others, measured time × (1 − peak rate of its format / peak rate of 16 "
    "bit), of which float32 products on NVIDIA reach 11/16 as much, but none shorter than reading its inputs in 16 bit if "
    "shapes are recorded. Half the time of kernels that only move float32, since they move half the bytes; kernels that run "
    "beside others count by their share; at most the time in which the GPU works and the host does not"
)


def judge(
    ledger: Ledger, kernels: Kernels, devices: Devices, bounds: Bounds, facts: TrainingFacts | None
) -> Verdict:
    """Bounds what 16 bit could bring by the ratio of the device's own peak rates."""
    wide = wide_products(ledger, kernels, devices, bounds, facts, KNOWN.value)
    if not isinstance(wide, Wide):
        return wide
    if passed := wide.passed(ledger):
        return passed
    if wide.mixed:
        return Passed(say(MIXED, half=wide.half_ratio))
    device, rates, now = wide.device, wide.rates, wide.now_ns
    rows = {kind: _moving(kernels, kind) for kind in MOVING}
    moving = {kind: kernels.spent_ns(those) for kind, those in rows.items()}
    moved = sum(kernels.exposed(ledger, ns - ns // BYTES_RATIO, kind) for kind, ns in moving.items())
    tf32, moving_ns = now[Precision.TF32] and rates.tf32, sum(moving.values())
    told = {
        "now": sum(now.values()),
        "units": device.matrix_units,
        "moving": moving_ns,
        "half": wide.half_ratio,
    }
    return Found(
        summary=together(
            say(SOME_HALF if wide.half_ratio else NONE_HALF, MOVES if moving_ns else "", **told), wide.policy
        ),
        evidence=(
            *wide.evidence(ledger),
            Evidence("peak rate of 16 bit over float32", rates.bits16 / rates.fp32, "times", None, device.rates_source),
            *wide.peaks,
            *([Evidence("peak in TF32", device.tflops(tf32), "text", None, device.rates_source)] if tf32 else []),
            Evidence("in 16 bit, at best", wide.after_ns, "ns", None, "by these rates, or reading the inputs"),
            Evidence("kernels that only move float32", moving_ns, "ns", None, "elementwise, normalization and reduction, 10 µs and longer: half as long at best"),
        ),
        where=kernels.places(wide.rows, "matrix kernel in 32 bit"),
        claims={"compute": wide.saving_ns + moved},
        kernels=kernels.names(chain(wide.rows, *rows.values())),
        basis=BASIS,
        values={"TF32 already": now[Precision.TF32] > now[Precision.FP32]},
        confidence="high" if facts and facts.policy == "float32" else "medium",
    )  # fmt: skip


def _moving(kernels: Kernels, kind: KernelClass) -> list[KernelRow]:
    rows = (r for r in kernels.rows if r.kernel_class is kind and r.precision is Precision.FP32)
    # The optimizer updates parameters in float32 in any case.
    return [r for r in rows if r.times.mean_ns >= MOVING_NS and not is_optimizer(r.op)]


RULE = declared(judge, thresholds=(KNOWN,), keeps_launches=True)
