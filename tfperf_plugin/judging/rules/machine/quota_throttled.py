"""The container's quota of processor time stops the training again and again."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.machine.supply import Supply
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, known_row
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.judging.rules.machine._waits import WAITS, caused, waits

NO_QUOTA = "No quota of processor time was seen."
HARMLESS = (
    "The quota stopped the training for {stopped:ms} of each second while steps ran, and steps wait for input during "
    "{wait:percent} of their time."
)
STOPPED = "While steps ran, the container's quota stopped the training for {stopped:ms} of each second."
USES = "The quota is {quota:processors}, of which the training used {used:percent} on average."
SOURCE: Final = "the container's quota, while steps ran"


def judge(supply: Supply, late: LateInput) -> Verdict:
    """Compares the time in which the quota stopped the training with all time in which steps ran."""
    ratio, quota, used = supply.throttled_ratio, supply.allowed, supply.cores
    if ratio is None:
        return NotApplicable(NO_QUOTA)
    stopped = ratio * 1e9
    if not waits(late) or ratio < LEAST.value:
        return Passed(say(HARMLESS, stopped=stopped, wait=late.ratio))
    known = bool(quota and used is not None)
    return Found(
        summary=say(
            STOPPED,
            USES if known else "",
            WAITS,
            stopped=stopped,
            quota=_short(quota or 0),
            used=(used or 0) / max(quota or 0, 1e-9),
            step=late.step_ns,
            wait=late.lost_ns,
        ),
        confidence="medium",
        **caused(
            late,
            Evidence("time in which the quota stopped the training", ratio, "ratio", LEAST.value, SOURCE),
            *known_row("processors that the quota allows", quota, "count", None, SOURCE),
            *known_row("processors that the training keeps busy", used, "count", None, SOURCE),
            most_ns=ratio * late.step_ns,
        ),
    )


def _short(quota: float) -> float | int:
    """4 and 1.5 processors."""
    return round(quota) if abs(quota - round(quota)) < 0.05 else round(quota, 1)


RULE = declared(judge, needs=("input", "clocks"))
