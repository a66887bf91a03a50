"""Gathers, scatters and embedding lookups that move rows far below the memory's bandwidth."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.compute.bounds import ABOVE, Bounds
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.artifacts.compute.slow import Slow, SlowOp, moves_rows
from tfperf_plugin.analysis.evidence import Evidence, Missing, NotApplicable, Places
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Verdict, declared
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.engine.severity import LEAST, severity_of, too_little

SHOWN_COUNT: Final = 4

NONE = "The step has no gather, scatter or lookup on a GPU."
UNKNOWN = "Gathers and scatters take {unknown:ms} per step, but how much they move was not recorded."
COMPILE = "Compile the function with the lookup with jit_compile=True: XLA's programs tell the shapes."
SLOW = (
    "{n:gather or scatter takes|gathers and scatters take} {spent:ms} of the step to move {moved:bytes}, {rate} GB/s. At "
    "the bandwidth that kernels reach, that needs {needed:ms}."
)
OF = "of {spent:ms}, at {rate} GB/s"
BASIS = (
    "measured time of these ops − moving what they gather or scatter once, at 85 % of the memory's bandwidth"
)


def judge(ledger: Ledger, bounds: Bounds, slow: Slow) -> Verdict:
    """Compares gathers and scatters with moving their rows once at the memory's bandwidth."""
    every = [op for (_, name), op in bounds.ops.items() if moves_rows(name, op)]
    if not every:
        return NotApplicable(NONE)
    ops = slow.ops("slow-gathers")
    saving, spent = slow.recoverable_ns("slow-gathers"), slow.spent_ns("slow-gathers")
    unknown = bounds.per_step(sum(op.compute_ns for op in every if op.not_judged not in ("", ABOVE)))
    if too_little(saving, ledger.step_ns) and severity_of(unknown, ledger.step_ns):
        return Missing(say(UNKNOWN, unknown=unknown), COMPILE)
    moved = bounds.per_step(sum(op.bound.bytes for op in ops))
    rate = sum(op.bound.bytes for op in ops) / max(1, sum(op.bound.total_ns for op in ops))
    return Found(
        summary=say(SLOW, n=len(ops), spent=spent, moved=moved, rate=f"{rate:.3g}", needed=spent - saving),
        evidence=(
            Evidence("gathers and scatters", spent, "ns", None, "per step and GPU"),
            Evidence("above the time that their bytes need", saving, "ns", int(LEAST.value * ledger.step_ns), "per step and GPU"),
            Evidence("bytes of their rows and ids", moved, "bytes", None, "shapes in the profile"),
            *([Evidence("others, whose bytes were not recorded", unknown, "ns", None, "per step and GPU")] if unknown else []),
            *(_evidence(bounds, op) for op in ops[:SHOWN_COUNT]),
        ),
        where=Places.of((op.bound.longest_ns, op.bound.longest) for op in ops).all("slow gather or scatter"),
        claims={"compute": saving},
        kernels=tuple(dict.fromkeys(op.bound.kernel for op in ops)),
        basis=BASIS,
        confidence="medium",
    )  # fmt: skip


def _evidence(bounds: Bounds, op: SlowOp) -> Evidence:
    rate = op.bound.bytes / max(1, op.bound.total_ns)
    return Evidence(
        title(op.name)[:100],
        bounds.per_step(op.bound.recoverable_ns),
        "ns",
        None,
        say(OF, spent=bounds.per_step(op.bound.compute_ns), rate=f"{rate:.3g}"),
    )


RULE = declared(judge)
