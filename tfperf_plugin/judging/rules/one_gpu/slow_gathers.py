"""Gathers, scatters and embedding lookups that move rows far below the memory's bandwidth."""

from __future__ import annotations

from collections.abc import Sequence

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.bounds import ABOVE, Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.slow import Slow, moves_rows
from tfperf_plugin.analysis.evidence import Evidence, Missing, NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.judged_ops import JudgedOps
from tfperf_plugin.judging.engine.rule import Found, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, severity_of, too_little
from tfperf_plugin.judging.engine.words import say, together

NONE = "The step has no gather, scatter or lookup on a GPU."
UNKNOWN = "Gathers and scatters take {unknown:ms} per step, but how much they move was not recorded."
COMPILE = "Compile the function with the lookup with jit_compile=True: XLA's programs tell the shapes."
SLOW = (
    "{n:gather or scatter takes|gathers and scatters take} {spent:ms} of the step to move {moved:bytes}, {rate} GB/s; at "
    "the bandwidth that kernels reach, that needs {needed:ms}."
)
SYNTHETIC = (
    "The program trains on synthetic data, as names in the recording say: ids that repeat far more often there than in real "
    "data may be the cause. Record with real data before you change anything."
)
OF = "of {spent:ms}, at {rate} GB/s"
BASIS = (
    "measured time of these ops − moving what they gather or scatter once, at 85 % of the memory's bandwidth"
)


def judge(ledger: Ledger, bounds: Bounds, slow: Slow, program: Program) -> Verdict:
    """Compares gathers and scatters with moving their rows once at the memory's bandwidth."""
    every = [op for op in bounds.ops.values() if moves_rows(op)]
    if not every:
        return NotApplicable(NONE)
    ops = JudgedOps.of(slow, "slow-gathers")
    saving, spent = slow.recoverable_ns("slow-gathers"), ops.spent_ns
    unknown = bounds.per_step(sum(op.compute_ns for op in every if op.not_judged not in ("", ABOVE)))
    if too_little(saving, ledger.step_ns) and severity_of(unknown, ledger.step_ns):
        return Missing(say(UNKNOWN, unknown=unknown), COMPILE)
    moved, rate = ops.per_step(lambda op: op.bytes), _rate(ops.ops)
    return Found(
        summary=together(
            say(SLOW, n=len(ops.ops), spent=spent, moved=moved, rate=rate, needed=spent - saving),
            SYNTHETIC if program.synthetic else "",
        ),
        evidence=(
            Evidence("gathers and scatters", spent, "ns", None, "per step and GPU"),
            Evidence("above the time that their bytes need", saving, "ns", int(LEAST.value * ledger.step_ns), "per step and GPU"),
            Evidence("bytes of their rows and ids", moved, "bytes", None, "shapes in the profile"),
            *([Evidence("others, whose bytes were not recorded", unknown, "ns", None, "per step and GPU")] if unknown else []),
            *ops.evidence(
                lambda op: op.recoverable_ns,
                lambda op: say(OF, spent=bounds.per_step(op.compute_ns), rate=_rate([op])),
            ),
        ),
        basis=BASIS,
        **ops.claimed(saving, "slow gather or scatter"),
    )  # fmt: skip


def _rate(ops: Sequence[OpBound]) -> str:
    """Bytes in a nanosecond."""
    return f"{sum(op.bytes for op in ops) / max(1, sum(op.total_ns for op in ops)):.3g}"


# A kernel that waits for pages seems slow.
RULE = declared(judge, explained_by=("page-migrations",), yields_to=("page-migrations",))
