"""A tf.function is traced again and again."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.host.compilation import Compilation
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.judging.rules.one_gpu._recompiling import Words, judge_recompiling

TRACING = Threshold("waiting for tracing", 0.01, "ratio", "lowest severity: 1 % of the step")
STEPS = Threshold(
    "steady steps that trace", 2, "count", "tracing once is no pattern: a last, smaller batch does so"
)

NO_FUNCTIONS = "No call of a tf.function was recorded."
WORDS: Final = Words(
    they="Functions are traced",
    doing="functions are traced",
    do="trace",
    found=(
        "{steps} of {of} steady steps trace {names} anew, and the {gpus} idle for {lost:ms} per step meanwhile."
    ),
    host_found="{steps} of {of} steady steps trace {names} anew, which takes the host {lost:ms} per step.",
    rare_found=(
        "{n:rare long step traces|rare long steps trace} {names} anew, and the {gpus} idle meanwhile: {lost:ms} per "
        "step, spread over all. The usual steps are free of it."
    ),
)


def judge(compilation: Compilation, ledger: Ledger | None) -> Verdict:
    """Compares the time in which the step waits for the tracing of functions with the step.

    Where no GPU was recorded, the host's own tracing is compared with the host's step.
    """
    if not compilation.calls_functions:
        return NotApplicable(NO_FUNCTIONS)
    return judge_recompiling(
        compilation, ledger, compilation.tracing, TRACING.value, STEPS.value,
        WORDS, listing([f.name for f in compilation.tracing.functions], 3) or "functions",
        more=tuple(
            Evidence(f"traces of {f.name} so far", f.total or 0, "count", None, "stat tracing_count")
            for f in [f for f in compilation.tracing.usual.functions if f.total is not None][:3]
        ),
    )  # fmt: skip


RULE = declared(judge, thresholds=(TRACING, STEPS), needs=("clocks",))
