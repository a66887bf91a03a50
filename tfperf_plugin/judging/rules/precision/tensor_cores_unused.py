"""Products in 16 bit run on the ordinary units of a GPU that has Tensor Cores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.kernels import KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.shapes import odd_dimensions
from tfperf_plugin.analysis.artifacts.compute.sixteen_bit import NO_CORES, after_ns, gains_least
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.peaks import Peaks
from tfperf_plugin.judging.engine.judged_ops import claimed
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Verdict, declared
from tfperf_plugin.judging.engine.words import listing, say, together
from tfperf_plugin.trace.roles import MATRIX, KernelClass, Precision, avoids_tensor_cores, computes_in_half

SHOWN_COUNT: Final = 3

NO_HALF = "No product of the step is known to be in 16 bit."
USED = "{share:percent} of the time of 16-bit products is on {units}."
BESIDE = "Matrix products and convolutions in 16 bit take {now:ms} of the step in kernels that do not use the GPU's {units}."
NO_MODE = "They compute in bfloat16, for which the Tensor Cores of this GPU have no mode; float16 has one."
ODD = "Dimensions that are no multiple of 8: {sides}."
EVEN = "The recorded dimensions are multiples of 8, so another cause keeps them off."
UNKNOWN = "Dimensions that are no multiple of 8 are the usual cause; shapes were not recorded."
BASIS = (
    "of products whose work is known, the time that operations or bytes need at the rates of usual layers, less the same on "
    "Tensor Cores; of others, measured time × (1 − peak rate of the units that they use / peak rate of Tensor Cores, of "
    "which NVIDIA's reach 11/16 as much), but none shorter than reading its inputs if shapes are recorded; kernels that run "
    "beside other products count by their share"
)


def judge(ledger: Ledger, kernels: Kernels, devices: Devices, bounds: Bounds) -> Verdict:
    """Bounds the gain of 16-bit products whose names say that they use Tensor Cores badly or not at all."""
    least = gains_least(devices)
    if not least:
        return NotApplicable(NO_CORES)
    halves = [r for r in kernels.rows if r.kernel_class in MATRIX and r.precision is Precision.BITS16]
    products = [r for r in halves if r.eligible]
    total = sum(r.times.total_ns for r in products)
    if not total:
        return NotApplicable(NO_HALF)
    device, rates = least
    floors = bounds.by_op()
    beside = [r for r in products if avoids_tensor_cores(r.name)]
    if not beside:
        using = sum(r.times.total_ns for r in products if r.kernel_class is KernelClass.MATRIX_TENSOR_CORE)
        return Passed(say(USED, share=using / total, units=device.matrix_units))
    after = sum(after_ns(r, floors, device, rates, _rate(r, rates)) for r in beside)
    now, after = kernels.spent_ns(beside), kernels.per_step(after)
    saving = kernels.exposed(ledger, now - after, KernelClass.MATRIX_OTHER)
    odd = sorted({d for r in beside for d in odd_dimensions(r.op_type, r.shape)})
    peaks = device.rates_source
    return Found(
        summary=together(say(BESIDE, now=now, units=device.matrix_units), _reason(beside, odd, device)),
        evidence=(
            Evidence(
                "16-bit products beside Tensor Cores", now, "ns", None, "per step and GPU, kernel names"
            ),
            Evidence("share of all 16-bit products", sum(r.times.total_ns for r in beside) / total, "ratio"),
            *kernels.evidence(beside[:SHOWN_COUNT]),
            Evidence("Tensor Cores", device.tflops(rates.bits16), "text", None, peaks),
            Evidence("ordinary units, float32", device.tflops(rates.fp32), "text", None, peaks),
            Evidence("on Tensor Cores, at best", after, "ns", None, "by these rates, or reading the inputs"),
        ),
        basis=BASIS,
        **claimed(saving, kernels, beside, "16-bit product beside Tensor Cores"),
    )


def _rate(row: KernelRow, rates: Peaks) -> int:
    return rates.half if computes_in_half(row.name) else rates.fp32


def _reason(beside: Sequence[KernelRow], odd: Sequence[int], device: DeviceInfo) -> str:
    brain = any("bf16" in r.name or "bfloat16" in r.name or "bfloat16[" in r.shape for r in beside)
    if brain and device.compute_capability and not device.has_bfloat16:
        return NO_MODE
    if odd:
        return say(ODD, sides=listing([str(d) for d in odd]))
    return EVEN if any(r.shape for r in beside) else UNKNOWN


RULE = declared(judge, keeps_launches=True)
