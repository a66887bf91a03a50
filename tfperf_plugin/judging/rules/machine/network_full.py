"""Input arrives as fast as the network can bring it."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.machine.supply import Supply
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.judging.rules.machine._waits import WAITS, caused, waits

FULL = Threshold(
    "used part of the link's speed", 0.85, "ratio", "ours: headers and answers take part of the rest"
)

UNKNOWN = "The machine does not tell the speed of its links."
NOT_FULL = (
    "While steps ran, {name} received {rate:bytes} a second, {full:percent} of its speed, and steps wait for input "
    "during {wait:percent} of their time."
)
AT_LIMIT = "While steps ran, {name} received {rate:bytes} a second, which is {full:percent} of its speed."
CAUSE = "The link {name} is {full:percent} full, so a step waits {wait:ms} for input."
SOURCE: Final = "network, while steps ran"


def judge(supply: Supply, late: LateInput) -> Verdict:
    """Compares what the fullest link received on average with its speed."""
    link = supply.link
    if link is None:
        return NotApplicable(UNKNOWN)
    about = {"name": link.of, "rate": link.rate, "full": link.full_ratio}
    if not waits(late) or link.full_ratio < FULL.value:
        return Passed(say(NOT_FULL, wait=late.ratio, **about))
    return Found(
        summary=say(AT_LIMIT, WAITS, step=late.step_ns, wait=late.lost_ns, **about),
        cause=say(CAUSE, wait=late.lost_ns, name=link.of, full=link.full_ratio),
        confidence="high",
        **caused(
            late,
            Evidence("used part of the link's speed", link.full_ratio, "ratio", FULL.value, SOURCE),
            Evidence("received on average", link.rate / 1e9, "GB/s", None, SOURCE),
        ),
    )


RULE = declared(judge, thresholds=(FULL,), needs=("input", "clocks"))
