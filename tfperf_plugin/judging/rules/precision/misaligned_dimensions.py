"""Sides of matrix products that do not suit the Tensor Cores slow them down."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.kernels import KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.shapes import odd_dimensions
from tfperf_plugin.analysis.artifacts.compute.slow import (
    CLEAR_TIMES,
    MULTIPLES,
    Slow,
    SlowOp,
    odd_sides,
    padded_times,
)
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine import products
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.judging.rules.precision._sixteen import NO_CORES
from tfperf_plugin.trace.roles import KernelClass, Precision, loads_narrowly

SLOWED = Threshold(
    "slowdown by sides that do not suit the Tensor Cores", 2, "times",
    "NVIDIA's guide: Tensor Cores are used most efficiently where sides are multiples of 16 bytes; taken as half", side="≤")  # fmt: skip
CLEAR = Threshold(
    "time over that of a good library", CLEAR_TIMES, "times",
    "ours: of faster products the sides are not the cause", fixed=True, side=">")  # fmt: skip
SHOWN_COUNT: Final = 4

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
    ops = slow.ops("misaligned-dimensions")
    narrow = _narrow(kernels, bounds)
    known = products.judged(bounds)
    if not narrow and not isinstance(known, tuple):
        return known
    unknown = sum(ns for _, ns in narrow)
    saving = bounds.per_step(sum(map(_gain_ns, ops)) + unknown * (1 - 1 / SLOWED.value))
    spent = slow.spent_ns("misaligned-dimensions") + bounds.per_step(unknown)
    share = saving / max(1, ledger.step_ns)
    units = devices.participating[0].matrix_units
    sides = sorted(
        {side for op in ops for side in _odd(op)}
        | {d for r, _ in narrow for d in odd_dimensions(r.op_type, r.shape)}
    )
    padded_ns = bounds.per_step(sum(op.bound.floor_ns * _more(op) for op in ops))
    return Found(
        summary=say(
            ODD if sides else ODD_UNKNOWN, PADDED if ops else "",
            spent=spent, units=units, sides=listing([str(side) for side in sides]), padded=padded_ns,
        ),
        evidence=(
            Evidence("saving, as a share of the step", share, "ratio", LEAST.value, "step budget"),
            Evidence("products with such sides", spent, "ns", None, "per step and GPU"),
            Evidence("multiple that suits", _multiples(ops, bool(narrow)), "text", None, "16 bytes of the format"),
            *(
                [
                    Evidence("needed at the next multiples", padded_ns, "ns", None, "floor × added work"),
                    Evidence("time over that of a good library", _times(ops), "times", CLEAR.value, CLEAR.source),
                ]
                if ops
                else []
            ),
            Evidence("taken to last at most so many times as long", SLOWED.value, "times", None, SLOWED.source),
            *products.rows(slow, ops),
            *(
                Evidence(title(r.op) or r.name[:60], bounds.per_step(ns), "ns", None, f"narrow loads; {r.name[:60]}")
                for r, ns in narrow[:SHOWN_COUNT]
            ),
        ),
        where=products.places(ops, "product with odd sides") or kernels.places([r for r, _ in narrow], "product with narrow loads"),
        claims={"compute": saving},
        kernels=(*(op.bound.kernel for op in ops), *kernels.names(r for r, _ in narrow)),
        basis=BASIS,
        confidence="medium",
    )  # fmt: skip


def _narrow(kernels: Kernels, bounds: Bounds) -> list[tuple[KernelRow, int]]:
    """Kernels on Tensor Cores whose loads are narrow and whose floor is not known, with their part of the
    account ``compute``."""
    by_op = bounds.by_op()
    found = []
    for row in kernels.rows:
        narrow = row.precision is Precision.BITS16 and loads_narrowly(row.name)
        op = by_op.get(plain_op(row.op))
        if op and op.not_judged and narrow and row.kernel_class is KernelClass.MATRIX_TENSOR_CORE:
            found.append((row, op.compute_ns * row.times.total_ns // max(1, op.total_ns)))
    return found


def _gain_ns(op: SlowOp) -> float:
    """Padded, it does more work, no faster than products of usual layers."""
    more = _more(op)
    left = more * max(op.bound.usual_ns / max(1, op.bound.total_ns), 1 / SLOWED.value)
    return max(0.0, 1 - left) * op.bound.compute_ns


def _more(op: SlowOp) -> float:
    work = op.bound.work
    return padded_times(work.products, op.bound.format) if work else 1.0


def _times(ops: tuple[SlowOp, ...]) -> float:
    return sum(op.bound.judged_ns for op in ops) / max(1, sum(op.bound.floor_ns for op in ops))


def _odd(op: SlowOp) -> set[int]:
    work = op.bound.work
    return {side for p in (work.products if work else ()) for side in odd_sides(p, op.bound.format)}


def _multiples(ops: tuple[SlowOp, ...], narrow: bool) -> str:
    formats = sorted({op.bound.format for op in ops} | ({"fp16"} if narrow and not ops else set()))
    return listing([f"{MULTIPLES.get(name, 8)} in {name}" for name in formats])


RULE = declared(judge, thresholds=(SLOWED, CLEAR), keeps_launches=True, needs=("shapes",))
