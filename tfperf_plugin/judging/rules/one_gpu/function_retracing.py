"""A tf.function is traced again and again."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.compilation import Compilation, Function
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.recompiling import judge_recompiling
from tfperf_plugin.judging.engine.rule import NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import listing

TRACING = Threshold("waiting for tracing", 0.01, "ratio", "lowest severity: 1 % of the step")
STEPS = Threshold(
    "steady steps that trace", 2, "count", "tracing once is no pattern: a last, smaller batch does so"
)


def judge(compilation: Compilation, ledger: Ledger | None) -> Verdict:
    """Compares the time in which the step waits for the tracing of functions with the step.

    Where no GPU was recorded, the host's own tracing is compared with the host's step.
    """
    if not compilation.calls_functions:
        return NotApplicable("No call of a tf.function was recorded.")
    return judge_recompiling(
        compilation, ledger, compilation.tracing, compilation.rare_tracing, compilation.while_tracing,
        TRACING.value, STEPS.value,
        clause="functions are traced", verb="trace", place="GPU idle while a function is traced",
        anew=f"{_names(compilation.tracing.functions or compilation.rare_tracing.functions)} traced",
        more=tuple(
            Evidence(f"traces of {f.name} so far", f.total or 0, "count", None, "stat tracing_count")
            for f in [f for f in compilation.tracing.functions if f.total is not None][:3]
        ),
    )  # fmt: skip


def _names(functions: tuple[Function, ...]) -> str:
    if not functions:
        return "functions are"
    names = listing([f.name for f in functions], 3)
    return f"the function {names} is" if len(functions) == 1 else f"the functions {names} are"


RULE = declared(judge, thresholds=(TRACING, STEPS))
