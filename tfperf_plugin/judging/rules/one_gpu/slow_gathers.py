"""Gathers, scatters and embedding lookups that move rows far below the memory's bandwidth."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compute.bounds import ABOVE, Bounds
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.artifacts.compute.slow import Slow, SlowOp, moves_rows
from tfperf_plugin.analysis.artifacts.timeline import Places
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import (
    Found,
    Missing,
    NotApplicable,
    Passed,
    Threshold,
    Verdict,
    declared,
)
from tfperf_plugin.judging.engine.words import count, gigabytes, ms, percent

SHARE = Threshold("saving", 0.01, "ratio", "lowest severity: 1 % of the step")
SHOWN_COUNT = 4


def judge(ledger: Ledger, bounds: Bounds, slow: Slow) -> Verdict:
    """Compares gathers and scatters with moving their rows once at the memory's bandwidth."""
    every = [op for (_, name), op in bounds.ops.items() if moves_rows(name, op)]
    if not every:
        return NotApplicable("The step has no gather, scatter or lookup on a GPU.")
    least = SHARE.value * ledger.step_ns
    ops = slow.ops("slow-gathers")
    saving, spent = slow.recoverable_ns("slow-gathers"), slow.spent_ns("slow-gathers")
    unknown = bounds.per_step(sum(op.compute_ns for op in every if op.not_judged not in ("", ABOVE)))
    if saving < least:
        if unknown >= least:
            return Missing(
                f"Gathers and scatters take {ms(unknown)} per step, but how much they move was not recorded.",
                "Compile the function with the lookup with jit_compile=True: XLA's programs tell the shapes.",
            )
        total = bounds.per_step(sum(op.compute_ns for op in every))
        return Passed(f"Gathers and scatters take {percent(total / max(1, ledger.step_ns))} of the step.")
    moved = bounds.per_step(sum(op.bound.bytes for op in ops))
    rate = sum(op.bound.bytes for op in ops) / max(1, sum(op.bound.total_ns for op in ops))
    return Found(
        summary=(
            f"{count(len(ops), 'gather or scatter', 'gathers and scatters')} of the step {'takes' if len(ops) == 1 else 'take'} {ms(spent)} to move "
            f"{gigabytes(moved)}, {rate:.3g} GB/s. At the bandwidth that kernels reach, that needs {ms(spent - saving)}."
        ),
        evidence=(
            Evidence("gathers and scatters", spent, "ns", None, "per step and GPU"),
            Evidence("above the time that their bytes need", saving, "ns", int(least), "per step and GPU"),
            Evidence("bytes of their rows and ids", moved, "bytes", None, "shapes in the profile"),
            *([Evidence("others, whose bytes were not recorded", unknown, "ns", None, "per step and GPU")] if unknown else []),
            *(_evidence(bounds, op) for op in ops[:SHOWN_COUNT]),
        ),
        where=Places.of((op.bound.longest_ns, op.bound.longest) for op in ops).all("slow gather or scatter"),
        claims={"compute": saving},
        kernels=tuple(dict.fromkeys(op.bound.kernel for op in ops)),
        basis="measured time of these ops − moving what they gather or scatter once, at 85 % of the memory's bandwidth",
        confidence="medium",
    )  # fmt: skip


def _evidence(bounds: Bounds, op: SlowOp) -> Evidence:
    rate = op.bound.bytes / max(1, op.bound.total_ns)
    return Evidence(
        title(op.name)[:100],
        bounds.per_step(op.bound.recoverable_ns),
        "ns",
        None,
        f"of {ms(bounds.per_step(op.bound.compute_ns))}, at {rate:.3g} GB/s",
    )


RULE = declared(judge, thresholds=(SHARE,))
