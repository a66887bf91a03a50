"""Large matrix products take more than twice as long as good libraries need for them."""

from __future__ import annotations

import re
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.slow import LARGE_FLOPS, SLOW_TIMES, Slow, large
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.speeds import REACHED_SOURCE
from tfperf_plugin.judging.engine.judged_ops import JudgedOps, judged, name, shape, teraflops
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, too_little
from tfperf_plugin.judging.engine.words import say, with_name

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

# Kernels that XLA makes by Triton for products.
_TRITON: Final = re.compile(r"(gemm_fusion|triton_gemm)_")

NONE_SEEN = "Products above 1 GFLOP that take more than twice what good libraries need were not seen."
SLOW = (
    "Large matrix products of {n:size|sizes} take {spent:ms} of the step; libraries would need {usual:ms} on this GPU at the "
    "rate of usual layers, which the saving counts, and {needed:ms} at their best."
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


def judge(ledger: Ledger, bounds: Bounds, slow: Slow, program: Program) -> Verdict:
    """Sums what large products take above their floor, where no other cause of it is seen."""
    known = judged(bounds)
    if not isinstance(known, tuple):
        return known
    every = slow.ops("slow-products")
    ops = JudgedOps(bounds, tuple(op for op in every if large(op)))
    small = JudgedOps(bounds, tuple(op for op in every if not large(op)))
    saving = ops.per_step(_gain_ns)
    little = too_little(saving, ledger.step_ns) if ops.ops else Passed(NONE_SEEN)
    if little:
        return _together(ledger, small) or little
    spent, needed, first = ops.spent_ns, ops.needed_ns, ops.ops[0]
    matrix_ns = sum(op.total_ns for op in bounds.ops.values() if op.matrix)
    told = {
        "n": len(ops.ops), "spent": spent, "usual": spent - saving, "needed": needed,
        "name": name(first), "sides": shape(first), "rate": teraflops(first), "format": first.format,
        "reached": JudgedOps(bounds, (first,)).share_of_peak,
    }  # fmt: skip
    only_memory = all(op.bound_by == "memory" for op in ops.ops)
    return Found(
        summary=say(SLOW, FIRST if told["sides"] else FIRST_WITHOUT_SIDES, MEMORY_BOUND if only_memory else "", **told),
        evidence=(
            Evidence("time above what products of usual layers take", saving / max(1, ledger.step_ns), "ratio", LEAST.value, "of the step"),
            Evidence("these products", spent, "ns", None, "per step and GPU, account Compute"),
            Evidence("needed for them", needed, "ns", None, REACHED_SOURCE),
            Evidence("time over that of a good library", spent / max(1, needed), "times", TIMES.value, TIMES.source),
            Evidence("rate, as a share of the peak", ops.share_of_peak, "ratio", None, "data sheet, dense"),
            Evidence("time of products whose bound is known", sum(op.total_ns for op in known) / max(1, matrix_ns), "ratio", None, "recorded sizes"),
            *ops.products(),
        ),
        basis=BASIS,
        action=with_name("Try other shapes or libraries for {}", name(first)),
        values={"a convolution": not _gemm(first), "Triton": bool(_TRITON.match(first.kernel))},
        advice="XLA chose the kernel" if program.compiled and _gemm(first) else "",
        **ops.claimed(saving, "slow matrix product"),
    )  # fmt: skip


def _gain_ns(op: OpBound) -> int:
    """The part of the op's compute above the time that products of usual layers take, without what another
    layout of its tensors saves.

    16 bit would shorten the time that remains: rules about number formats claim that.
    """
    own = round((1 - op.turned_ns / max(1, op.total_ns)) * op.compute_ns)
    return max(0, own - op.likely_ns)


def _together(ledger: Ledger, ops: JudgedOps) -> Found | None:
    """Reports many small products without a promise: seldom does any library fill a GPU with one."""
    executions = ops.per_step(lambda op: op.executions_count)
    spent, needed, reached = ops.spent_ns, ops.needed_ns, ops.share_of_peak
    share = (spent - needed) / max(1, ledger.step_ns)
    if executions < MANY.value or share < TOGETHER.value:
        return None
    loops = sum(op.compute_ns for op in ops.ops if "while" in op.name.lower())
    convolutions = sum(op.compute_ns for op in ops.ops if not _gemm(op))
    total = sum(op.compute_ns for op in ops.ops)
    told = {"n": executions, "spent": spent, "reached": reached, "needed": needed}
    return Found(
        summary=say(
            TOGETHER_SLOW,
            LOOP if 2 * loops > total else CONVOLUTIONS if 2 * convolutions > total else MERGE,
            **told,
        ),
        cause=say(TOGETHER_CAUSE, **told),
        evidence=(
            Evidence("time above what good libraries need", share, "ratio", TOGETHER.value, "of the step"),
            Evidence("smaller products of a step", executions, "count", MANY.value, "per GPU"),
            Evidence("these products", spent, "ns", None, "per step and GPU, account Compute"),
            Evidence("needed for them, if they filled the GPU", needed, "ns", None, REACHED_SOURCE),
            Evidence("rate, as a share of the peak", reached, "ratio", None, "data sheet, dense"),
            *ops.products(),
        ),
        where=ops.places("small matrix product"),
        severity="info",
        impact_ratio=share,
        confidence="medium",
        advice="small products",
    )  # fmt: skip


def _gemm(op: OpBound) -> bool:
    return op.work is not None and op.work.kind == "product"


# A kernel that waits for pages seems slow.
RULE = declared(
    judge, thresholds=(TIMES, LARGE, MANY, TOGETHER), explained_by=("page-migrations",),
    yields_to=("page-migrations",), keeps_launches=True, needs=("shapes",),
)  # fmt: skip
