"""Large matrix products take more than twice as long as good libraries need for them."""

from __future__ import annotations

from collections.abc import Sequence

from tfperf_plugin.analysis.artifacts.capture.framework import Framework
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.slow import LARGE_FLOPS, SLOW_TIMES, Slow, SlowOp, large
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.speeds import REACHED_SOURCE
from tfperf_plugin.judging.engine import products
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say, together
from tfperf_plugin.judging.engine.severity import LEAST, too_little
from tfperf_plugin.judging.engine.words import with_name

TIMES = Threshold(
    "time over that of a good library", SLOW_TIMES, "times",
    "of 794 products in 77 profiles, the slowest tenth above 1 GFLOP and four waves is below half of the best",
    fixed=True, side=">")  # fmt: skip
LARGE = Threshold(
    "operations of a product", LARGE_FLOPS, "count", "smaller ones seldom fill a GPU: they are judged together",
    fixed=True, side=">",
)  # fmt: skip
MANY = Threshold("smaller products of a step", 10, "count", "ours: of fewer, each is worth a look of its own")
TOGETHER = Threshold(
    "time of smaller products above the floor", 0.05, "ratio", "of the step; as for a warning"
)

NONE_SEEN = "Products above 1 GFLOP that take more than twice what good libraries need were not seen."
SLOW = (
    "Large matrix products of {n:size|sizes} take {spent:ms} of the step; good libraries would need "
    "{needed:ms} on this GPU."
)
FIRST = "The one with most to gain is {name} ({sides}): {rate}, {reached:percent} of the peak in {format}."
FIRST_WITHOUT_SIDES = (
    "The one with most to gain is {name}: {rate}, {reached:percent} of the peak in {format}."
)
MEMORY_BOUND = "Memory bounds what they need, not arithmetic."
BASIS = (
    "time of these products above the longer of operations / rate and bytes / bandwidth that libraries reach of usual "
    "layers on this GPU, which is less than the best; what 16 bit would save of the rest, rules about number formats "
    "claim"
)
TOGETHER_SLOW = (
    "Matrix products below 1 GFLOP, of {n:size|sizes}, take {spent:ms} of the step, at "
    "{reached:percent} of the peak; if they filled the GPU, good libraries would need {needed:ms}. One alone has too little work for that."
)
LOOP = "In a loop over time steps, use the layer that cuDNN computes as a whole (LSTM, GRU by default)."
CONVOLUTIONS = "Give the convolutions a larger batch, or more channels in fewer layers."
MERGE = "Use a larger batch, or one product in place of several (query, key and value; all heads)."
TOGETHER_CAUSE = (
    "Small matrix products of {n:size|sizes} take {spent:ms} of the step at {reached:percent} of the peak."
)


def judge(ledger: Ledger, bounds: Bounds, slow: Slow, framework: Framework) -> Verdict:
    """Sums what large products take above their floor, where no other cause of it is seen."""
    known = products.judged(bounds)
    if not isinstance(known, tuple):
        return known
    every = slow.ops("slow-products")
    ops = tuple(op for op in every if large(op.bound))
    small = tuple(op for op in every if not large(op.bound))
    saving = bounds.per_step(sum(products.gain_ns(op.bound) for op in ops))
    share = saving / max(1, ledger.step_ns)
    little = too_little(saving, ledger.step_ns) if ops else Passed(NONE_SEEN)
    if little:
        return _together(ledger, slow, small) or little
    spent = bounds.per_step(sum(op.bound.compute_ns for op in ops))
    needed = bounds.per_step(sum(op.bound.needed_ns for op in ops))
    first, sides = ops[0].bound, products.shape(ops[0].bound)
    only_memory = all(op.bound.bound_by == "memory" for op in ops)
    about = {
        "name": products.name(ops[0]),
        "rate": products.teraflops(first),
        "reached": products.share_of_peak(ops[:1]),
        "format": first.format,
    }
    return Found(
        summary=together(
            say(SLOW, n=len(ops), spent=spent, needed=needed),
            say(FIRST, sides=sides, **about) if sides else say(FIRST_WITHOUT_SIDES, **about),
            MEMORY_BOUND if only_memory else "",
        ),
        evidence=(
            Evidence("time above what products of usual layers take", share, "ratio", LEAST.value, "of the step"),
            Evidence("these products", spent, "ns", None, "per step and GPU, account Compute"),
            Evidence("needed for them", needed, "ns", None, REACHED_SOURCE),
            Evidence("time over that of a good library", spent / max(1, needed), "times", TIMES.value, TIMES.source),
            Evidence("rate, as a share of the peak", products.share_of_peak(ops), "ratio", None, "data sheet, dense"),
            Evidence("time of products whose bound is known", _judged_ratio(bounds), "ratio", None, "recorded sizes"),
            *products.rows(slow, ops),
        ),
        where=products.places(ops, "slow matrix product"),
        claims={"compute": saving},
        kernels=tuple(dict.fromkeys(op.bound.kernel for op in ops)),
        basis=BASIS,
        confidence="medium",
        action=with_name("Try other shapes or libraries for {}", products.name(ops[0])),
        advice="XLA chose the kernel" if framework.compiled and _gemm(first) else "",
    )  # fmt: skip


def _together(ledger: Ledger, slow: Slow, ops: Sequence[SlowOp]) -> Found | None:
    """What many small products take, without a promise: seldom does any library fill a GPU with one."""
    bounds = slow.bounds
    executions = bounds.per_step(sum(op.bound.executions_count for op in ops))
    spent = bounds.per_step(sum(op.bound.compute_ns for op in ops))
    needed = bounds.per_step(sum(op.bound.needed_ns for op in ops))
    share = (spent - needed) / max(1, ledger.step_ns)
    if executions < MANY.value or share < TOGETHER.value:
        return None
    reached = products.share_of_peak(ops)
    told = {"n": executions, "spent": spent, "reached": reached}
    return Found(
        summary=together(say(TOGETHER_SLOW, needed=needed, **told), _merge(ops)),
        cause=say(TOGETHER_CAUSE, **told),
        evidence=(
            Evidence("time above what good libraries need", share, "ratio", TOGETHER.value, "of the step"),
            Evidence("smaller products of a step", executions, "count", MANY.value, "per GPU"),
            Evidence("these products", spent, "ns", None, "per step and GPU, account Compute"),
            Evidence("needed for them, if they filled the GPU", needed, "ns", None, REACHED_SOURCE),
            Evidence("rate, as a share of the peak", reached, "ratio", None, "data sheet, dense"),
            *products.rows(slow, ops),
        ),
        where=products.places(ops, "small matrix product"),
        severity="info",
        impact_ratio=share,
        confidence="medium",
        advice="small products",
    )  # fmt: skip


def _merge(ops: Sequence[SlowOp]) -> str:
    """Advice by the kind of most of them."""
    loops = sum(op.bound.compute_ns for op in ops if "while" in op.name.lower())
    convolutions = sum(op.bound.compute_ns for op in ops if not _gemm(op.bound))
    total = sum(op.bound.compute_ns for op in ops)
    if 2 * loops > total:
        return LOOP
    return CONVOLUTIONS if 2 * convolutions > total else MERGE


def _gemm(op: OpBound) -> bool:
    return op.work is not None and op.work.kind == "product"


def _judged_ratio(bounds: Bounds) -> float:
    matrix = [op for op in bounds.ops.values() if op.matrix]
    total = sum(op.total_ns for op in matrix)
    return sum(op.total_ns for op in matrix if not op.not_judged) / max(1, total)


RULE = declared(judge, thresholds=(TIMES, LARGE, MANY, TOGETHER), keeps_launches=True, needs=("shapes",))
