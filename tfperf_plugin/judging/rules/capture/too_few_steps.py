"""Averages rest on too few steps."""

from __future__ import annotations

from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rank import ENOUGH_STEPS_COUNT
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count

STEPS = Threshold(
    "complete steps after warm-up",
    ENOUGH_STEPS_COUNT,
    "count",
    "fewer cannot show what varies between steps",
    fixed=True,
    side="<",
)


def judge(steps: Steps) -> Verdict:
    """Counts complete steps after warm-up, on the host with most of them."""
    recorded = max((len(h) for h in steps.hosts), default=0)
    complete = steps.complete_count
    if not recorded:
        return NotApplicable("The profile holds no steps.")
    if complete >= ENOUGH_STEPS_COUNT:
        return Passed(
            f"{complete} complete {'usual ' if steps.rare_count else ''}steps were recorded after warm-up."
        )
    return Found(
        title=_title(recorded, complete),
        summary=_summary(recorded, complete) + " Severities are capped at warning and confidence is lowered.",
        evidence=(
            Evidence(
                "complete steps after warm-up", complete, "count", ENOUGH_STEPS_COUNT, "host with most steps"
            ),
            Evidence("steps recorded, whole or in part", recorded, "count", None, "host with most steps"),
        ),
        severity="warning",
    )


def _title(recorded: int, complete: int) -> str:
    if complete:
        return f"Only {count(complete, 'complete step')} {'was' if complete == 1 else 'were'} recorded"
    return "Only one step was recorded, without what lies between steps" if recorded == 1 else RULE.title


def _summary(recorded: int, complete: int) -> str:
    if complete:
        steps = count(complete, "complete step")
        return f"Averages rest on {steps} after warm-up; at least {ENOUGH_STEPS_COUNT} are needed."
    if recorded == 1:
        return "The profile holds one step, and not the time until the next one."
    return f"None of the {recorded} recorded steps is both complete and free of tracing and compiling."


RULE = declared(judge, thresholds=(STEPS,))
