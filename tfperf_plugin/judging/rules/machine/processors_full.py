"""The input pipeline waits for processors: all that the training may use are busy."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.machine.supply import Supply
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import known_row
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.judging.rules.machine._waits import caused, waits

BUSY = Threshold("busy part of the processors", 0.95, "ratio", "ours: less leaves a processor now and then")
IN_WAITS = Threshold(
    "busy part of the processors while steps wait", 0.75, "ratio", "ours: without a GPU, steps themselves keep processors busy"
)  # fmt: skip
OTHERS = Threshold("part of the processors that others use", 0.1, "ratio", "ours: less hardly counts")

NOT_MEASURED = "How busy the processors are was not measured."
NOT_FULL = (
    "The processors were {busy:percent} busy while steps ran, and steps wait for input during {wait:percent} of "
    "their time."
)
ONE_AT_A_TIME = (
    "The processors were {busy:percent} busy while steps ran, but what steps wait for makes one call at a time, so more "
    "processors would hardly help."
)
FULL = "While steps ran, the processors were {busy:percent} busy, and a step of {step:ms} waits {wait:ms} for input."
NEEDS = (
    "The training may use {allowed:processors}. If its steps are never to wait, it needs at least "
    "{needed:processors}, as long as a batch takes the same work."
)
NOT_TOLD = "The recording does not tell how many processors would do."
TAKE = "Other programs keep {others:percent} of the processors busy."
CAUSE = "The processors are {busy:percent} busy, so a step waits {wait:ms} for input."
SOURCE: Final = "processors, while steps ran"


def judge(supply: Supply, late: LateInput) -> Verdict:
    """Compares the busy part of the processors with all of it, over rows in which steps ran.

    What was idle of them may all have been idle while steps waited: the rest of the wait they were busy.
    """
    busy = supply.busy_ratio
    if busy is None:
        return NotApplicable(NOT_MEASURED)
    in_waits = max(0.0, 1 - (1 - busy) / max(late.ratio, 1e-9))
    if not waits(late) or busy < BUSY.value or in_waits < IN_WAITS.value:
        return Passed(say(NOT_FULL, busy=busy, wait=late.ratio))
    if late.one_at_a_time:
        return Passed(say(ONE_AT_A_TIME, busy=busy))
    needed, allowed = supply.needed(late.step_ns, late.lost_ns), supply.allowed
    taken = supply.others_ratio >= OTHERS.value
    about = {"busy": busy, "wait": late.lost_ns}
    return Found(
        summary=say(
            FULL,
            NEEDS if needed else NOT_TOLD,
            TAKE if taken else "",
            step=late.step_ns,
            allowed=round(allowed or 0),
            needed=needed,
            others=supply.others_ratio,
            **about,
        ),
        cause=say(CAUSE, **about),
        advice="others use processors" if taken else "",
        **caused(
            late,
            Evidence("busy part of the processors", busy, "ratio", BUSY.value, SOURCE),
            Evidence("the same while steps wait, at least", in_waits, "ratio", IN_WAITS.value, SOURCE),
            *known_row("processors that the training may use", allowed, "count", None, SOURCE),
            *known_row("processors that it keeps busy", supply.cores, "count", None, SOURCE),
        ),
    )


RULE = declared(
    judge, thresholds=(BUSY, IN_WAITS, OTHERS), explained_by=("quota-throttled",), needs=("input", "clocks")
)
