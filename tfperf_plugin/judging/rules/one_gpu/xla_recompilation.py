"""XLA compiles again and again."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.host.compilation import Compilation
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import listing, say
from tfperf_plugin.judging.rules.one_gpu._recompiling import Words, judge_recompiling

COMPILING = Threshold("waiting for XLA's compiler", 0.01, "ratio", "lowest severity: 1 % of the step")
STEPS = Threshold(
    "steady steps that compile", 2, "count", "compiling once is no pattern: a last, smaller batch does so"
)

BOTH = "In {both} of these steps the function was traced anew as well."
WORDS: Final = Words(
    they="XLA compiles",
    doing="XLA compiles",
    do="compile",
    found=(
        "XLA compiles {names} anew in {steps} of {of} steady steps, and the {gpus} idle for {lost:ms} per step meanwhile."
    ),
    host_found="XLA compiles {names} anew in {steps} of {of} steady steps, which takes the host {lost:ms} per step.",
    rare_found=(
        "XLA compiles {names} anew in {n:rare long steps}, and the {gpus} idle meanwhile: {lost:ms} per step, spread over "
        "all. The usual steps are free of it."
    ),
)


def judge(compilation: Compilation, program: Program, ledger: Ledger | None) -> Verdict:
    """Compares the time in which the step waits for XLA's compiler with the step.

    Where no GPU was recorded, the host's own compiling is compared with the host's step. JAX's tracing leaves no events.
    """
    both = compilation.traced_and_compiled_count
    return judge_recompiling(
        compilation, ledger, compilation.compiling, COMPILING.value, STEPS.value,
        WORDS, listing([f.name for f in compilation.compiling.functions], 3) or "a program",
        also=say(BOTH, both=both) if both else "",
        more=() if program.framework == "JAX" else (Evidence("of them traced anew as well", both, "count", None, "host events"),),
    )  # fmt: skip


RULE = declared(judge, thresholds=(COMPILING, STEPS), needs=("compilation", "clocks"))
