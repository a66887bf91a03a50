"""Sides of matrix products that do not suit the Tensor Cores slow them down."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.shapes import odd_dimensions
from tfperf_plugin.analysis.artifacts.compute.sixteen_bit import NO_CORES
from tfperf_plugin.analysis.artifacts.compute.slow import (
    CLEAR_TIMES,
    MULTIPLES,
    Slow,
    odd_sides,
    padded_times,
)
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.judged_ops import SHOWN_COUNT, JudgedOps, judged
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import listing, say
from tfperf_plugin.trace.roles import KernelClass, Precision, loads_narrowly

SLOWED = Threshold(
    "slowdown by sides that do not suit the Tensor Cores", 2, "times",
    "NVIDIA's guide: Tensor Cores are used most efficiently where sides are multiples of 16 bytes; taken as half", side="≤")  # fmt: skip
CLEAR = Threshold(
    "time over that of a good library", CLEAR_TIMES, "times",
    "ours: of faster products the sides are not the cause", fixed=True, side=">")  # fmt: skip

ODD = "Matrix products take {spent:ms} of the step although their sides do not fill the {units}' blocks of 16 bytes: {sides}."
ODD_UNKNOWN = (
    "Matrix products take {spent:ms} of the step although their sides do not fill the {units}' blocks of 16 bytes; the "
    "shapes were not recorded."
)
PADDED = "At the next multiples good libraries would need {padded:ms}."
BASIS = (
    "time of these products less the longer of two: half of it, and what libraries need of usual layers, each with the work "
    "of sides padded to the next multiple; kernels whose names tell of narrow loads, but whose work was not recorded, count "
    "by half"
)


def judge(ledger: Ledger, kernels: Kernels, bounds: Bounds, slow: Slow, devices: Devices) -> Verdict:
    """Bounds what padding brings by the padded product's floor, or by half where no floor is known."""
    if not any(d.peaks for d in devices.participating):
        return NotApplicable(NO_CORES)
    ops = JudgedOps.of(slow, "misaligned-dimensions")
    narrow = _narrow(kernels, bounds)
    known = judged(bounds)
    if not narrow and not isinstance(known, tuple):
        return known
    unknown = sum(ns for _, ns in narrow)
    saving = bounds.per_step(sum(_gain_ns(op) for op in ops.ops) + unknown * (1 - 1 / SLOWED.value))
    spent = ops.spent_ns + bounds.per_step(unknown)
    padded = ops.per_step(lambda op: op.floor_ns * padded_times(op))
    over = sum(op.judged_ns for op in ops.ops) / max(1, sum(op.floor_ns for op in ops.ops))
    sides = {side for op in ops.ops for side in odd_sides(op)}
    sides |= {side for row, _ in narrow for side in odd_dimensions(row.op_type, row.shape)}
    formats = sorted({op.format for op in ops.ops}) or ["fp16"]
    multiples = listing([f"{MULTIPLES.get(format, 8)} in {format}" for format in formats])
    told = {
        "spent": spent, "units": devices.participating[0].matrix_units, "padded": padded,
        "sides": listing([str(side) for side in sorted(sides)]),
    }  # fmt: skip
    of_kernels = [row for row, _ in narrow]
    return Found(
        summary=say(ODD if sides else ODD_UNKNOWN, PADDED if ops.ops else "", **told),
        evidence=(
            Evidence("saving, as a share of the step", saving / max(1, ledger.step_ns), "ratio", LEAST.value, "step budget"),
            Evidence("products with such sides", spent, "ns", None, "per step and GPU"),
            Evidence("multiple that suits", multiples, "text", None, "16 bytes of the format"),
            *(
                [
                    Evidence("needed at the next multiples", padded, "ns", None, "floor × added work"),
                    Evidence("time over that of a good library", over, "times", CLEAR.value, CLEAR.source),
                ]
                if ops.ops
                else []
            ),
            Evidence("most that odd sides are taken to lengthen a product", SLOWED.value, "times", None, SLOWED.source),
            *ops.products(),
            *(
                Evidence(title(r.op) or r.name[:60], bounds.per_step(ns), "ns", None, f"narrow loads; {r.name[:60]}")
                for r, ns in narrow[:SHOWN_COUNT]
            ),
        ),
        basis=BASIS,
        where=ops.places("product with odd sides") or kernels.places(of_kernels, "product with narrow loads"),
        claims={"compute": saving},
        kernels=(*(op.kernel for op in ops.ops), *kernels.names(of_kernels)),
        confidence="medium",
    )  # fmt: skip


def _narrow(kernels: Kernels, bounds: Bounds) -> list[tuple[KernelRow, int]]:
    """Kernels on Tensor Cores whose loads are narrow and whose floor is not known, with their part of the
    account ``compute``."""
    by_op = bounds.by_op()
    found = []
    for row in kernels.rows:
        narrow = row.precision is Precision.BITS16 and loads_narrowly(row.name, MULTIPLES["fp16"])
        op = by_op.get(plain_op(row.op))
        if op and op.not_judged and narrow and row.kernel_class is KernelClass.MATRIX_TENSOR_CORE:
            found.append((row, op.compute_ns * row.times.total_ns // max(1, op.total_ns)))
    return found


def _gain_ns(op: OpBound) -> float:
    """Padded, it does more work, no faster than products of usual layers."""
    left = padded_times(op) * max(op.usual_ns / max(1, op.total_ns), 1 / SLOWED.value)
    return max(0.0, 1 - left) * op.compute_ns


RULE = declared(judge, thresholds=(SLOWED, CLEAR), keeps_launches=True, needs=("shapes",))
