"""Tensors are transposed from one memory layout to the other around convolutions."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.judged_ops import claimed
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.trace.roles import KernelClass, is_layout_transpose, rearranges_weights

SHOWN_COUNT: Final = 3

NO_CONVOLUTION = "The step has no convolution."
WEIGHTS = "Kernels that rearrange the weights of convolutions, which any layout needs, take {weights:ms}."
TURNS = (
    "{n:kernel|kernels} per step only transpose tensors between channels first (NCHW) and channels last (NHWC) around "
    "convolutions, which takes {spent:ms}."
)
BY_OPTIMIZER = "TensorFlow's layout optimizer added some of them (ops named …LayoutOptimizer)."
BY_CUDNN = "cuDNN does so if its kernel needs another layout than the tensors have."
BASIS = "all time of kernels that only transpose tensors for a convolution, less the share that runs beside other kernels"


def judge(ledger: Ledger, kernels: Kernels) -> Verdict:
    """Sums the kernels that only change the order of dimensions for a convolution."""
    if not any("Conv" in r.op_type or "conv" in r.name.lower() or "conv" in r.op for r in kernels.rows):
        return NotApplicable(NO_CONVOLUTION)
    rows = [r for r in kernels.rows if is_layout_transpose(r.name, r.op)]
    turning = [r for r in rows if not rearranges_weights(r.name, r.op)]
    if rows and not turning:
        return Passed(say(WEIGHTS, weights=kernels.spent_ns(rows)))
    spent = kernels.spent_ns(turning)
    saving = kernels.exposed(ledger, spent, KernelClass.ELEMENTWISE)
    number = kernels.per_step(sum(r.times.count for r in turning))
    by_optimizer = any("LayoutOptimizer" in r.op for r in turning)
    return Found(
        summary=say(TURNS, BY_OPTIMIZER if by_optimizer else BY_CUDNN, n=number, spent=spent),
        evidence=(
            Evidence("layout transposes", spent, "ns", int(LEAST.value * ledger.step_ns), "per step and GPU"),
            Evidence("share of the step", saving / max(1, ledger.step_ns), "ratio", LEAST.value, "account Compute"),
            Evidence("kernels per step", number, "count"),
            *kernels.evidence(turning[:SHOWN_COUNT]),
        ),
        basis=BASIS,
        **claimed(saving, kernels, turning, "turning a tensor to another layout"),
    )  # fmt: skip


RULE = declared(judge, keeps_launches=True)
