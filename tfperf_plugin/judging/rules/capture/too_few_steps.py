"""Averages rest on too few steps."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.evidence_level import ENOUGH_STEPS_COUNT, least_count
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say, together

STEPS = Threshold(
    "complete steps after warm-up", ENOUGH_STEPS_COUNT, "count", "fewer cannot show what varies between steps", fixed=True, side="<"
)  # fmt: skip

NO_STEPS = "The profile holds no steps."
RECORDING = "No step was told apart: the recording counts as one."
ENOUGH = "{complete} complete steps were recorded after warm-up."
ENOUGH_USUAL = "{complete} complete usual steps were recorded after warm-up."
FEW = "Averages rest on {complete:complete steps} after warm-up; at least {least} are needed."
UNEVEN = (
    "The {complete} complete steps after warm-up take {shortest:ms} to {longest:ms}: none of them is usual."
)
ONE = "The profile holds one step, and not the time until the next one."
NONE = "None of the {recorded} recorded steps is both complete and free of tracing and compiling."
CAPPED = "Severities are capped at warning and confidence is lowered."


def judge(steps: Steps, program: Program) -> Verdict:
    """Counts complete steps after warm-up, on the host with most of them."""
    recorded = max((len(h) for h in steps.hosts), default=0)
    complete, least = steps.complete_count, least_count(steps)
    if not recorded:
        return NotApplicable(NO_STEPS)
    if steps.source == "recording":
        return NotApplicable(RECORDING)
    if complete >= least:
        return Passed(say(ENOUGH_USUAL if steps.rare_count else ENOUGH, complete=complete))
    one = "one batch of Keras" if program.framework == "Keras" else "one step"
    return Found(
        advice="some are complete" if complete else one if recorded == 1 else "",
        values={"were": "1 complete step was" if complete == 1 else f"{complete} complete steps were"},
        summary=together(_few(steps, recorded), CAPPED),
        evidence=(
            Evidence("complete steps after warm-up", complete, "count", least, "host with most steps"),
            Evidence("steps recorded, whole or in part", recorded, "count", None, "host with most steps"),
        ),
        severity="warning",
    )  # fmt: skip


def _few(steps: Steps, recorded: int) -> str:
    complete, lengths = steps.complete_count, steps.lengths_ns
    if complete >= ENOUGH_STEPS_COUNT:
        return say(UNEVEN, complete=complete, shortest=int(lengths.min()), longest=int(lengths.max()))
    if complete:
        return say(FEW, complete=complete, least=ENOUGH_STEPS_COUNT)
    return ONE if recorded == 1 else say(NONE, recorded=recorded)


RULE = declared(judge, thresholds=(STEPS,))
