"""XLA compiles again and again."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.compilation import Compilation
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.recompiling import judge_recompiling
from tfperf_plugin.judging.engine.rule import Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import listing

COMPILING = Threshold("waiting for XLA's compiler", 0.01, "ratio", "lowest severity: 1 % of the step")
STEPS = Threshold(
    "steady steps that compile", 2, "count", "compiling once is no pattern: a last, smaller batch does so"
)


def judge(compilation: Compilation, ledger: Ledger | None) -> Verdict:
    """Compares the time in which the step waits for XLA's compiler with the step.

    Where no GPU was recorded, the host's own compiling is compared with the host's step.
    """
    both = compilation.traced_and_compiled_count
    functions = compilation.compiling.functions or compilation.rare_compiling.functions
    return judge_recompiling(
        compilation, ledger, compilation.compiling, compilation.rare_compiling, compilation.while_compiling,
        COMPILING.value, STEPS.value,
        clause="XLA compiles", verb="compile", place="GPU idle while XLA compiles",
        anew=f"XLA compiles {listing([f.name for f in functions], 3) or 'a program'}",
        also=f" In {both} of these steps the function was traced anew as well." if both else "",
        more=(Evidence("of them traced anew as well", both, "count", None, "host events"),),
    )  # fmt: skip


RULE = declared(judge, thresholds=(COMPILING, STEPS))
