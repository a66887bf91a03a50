"""Tensors are transposed from one memory layout to the other around convolutions."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, ms, percent
from tfperf_plugin.trace.roles import KernelClass, is_layout_transpose, rearranges_weights

SHARE = Threshold("layout transposes", 0.01, "ratio", "lowest severity: 1 % of the step")
SHOWN_COUNT = 3


def judge(ledger: Ledger, kernels: Kernels) -> Verdict:
    """Sums the kernels that only change the order of dimensions for a convolution."""
    if not any("Conv" in r.op_type or "conv" in r.name.lower() or "conv" in r.op for r in kernels.rows):
        return NotApplicable("The step has no convolution.")
    rows = [r for r in kernels.rows if is_layout_transpose(r.name, r.op)]
    turning = [r for r in rows if not rearranges_weights(r.name, r.op)]
    spent = kernels.per_step(sum(r.total_ns for r in turning))
    saving = kernels.exposed(ledger, spent, KernelClass.ELEMENTWISE)
    share = saving / max(1, ledger.step_ns)
    if share < SHARE.value:
        weights = kernels.per_step(sum(r.total_ns for r in rows)) - spent
        rest = f"; kernels that rearrange the weights of convolutions, which any layout needs, take {ms(weights)}"
        return Passed(
            f"Turning tensors between layouts takes {percent(share)} of the step{rest if weights else ''}."
        )
    number = kernels.per_step(sum(r.count for r in turning))
    by_optimizer = any("LayoutOptimizer" in r.op for r in turning)
    return Found(
        summary=(
            f"{count(number, 'kernel')} per step only transpose tensors between channels first (NCHW) and channels "
            f"last (NHWC) around convolutions; they take {ms(spent)}. "
            + (
                "TensorFlow's layout optimizer added some of them (ops named …LayoutOptimizer)."
                if by_optimizer
                else "cuDNN does so if its kernel needs another layout than the tensors have."
            )
        ),
        evidence=(
            Evidence("layout transposes", spent, "ns", int(SHARE.value * ledger.step_ns), "per step and GPU"),
            Evidence("share of the step", share, "ratio", SHARE.value, "account Compute"),
            Evidence("kernels per step", number, "count"),
            *(
                Evidence(title(r.op) or r.name[:60], kernels.per_step(r.total_ns), "ns", None, r.name[:100])
                for r in turning[:SHOWN_COUNT]
            ),
        ),
        where=kernels.places(turning, "turning a tensor to another layout"),
        claims={"compute": saving},
        kernels=kernels.names(turning),
        basis="all time of kernels that only transpose tensors for a convolution, less the share that runs beside other kernels",
        confidence="medium",
    )


RULE = declared(judge, thresholds=(SHARE,), keeps_launches=True)
