"""Input is read as fast as the disk can give it."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.machine.supply import Supply
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.judging.rules.machine._waits import WAITS, caused, waits

FULL = Threshold(
    "busy part of the disk's time", 0.95, "ratio", "ours: a disk that waits for requests is idle longer"
)

UNKNOWN = "No disk was watched that the training mostly reads from."
NOT_FULL = (
    "While steps ran, {name} was busy {full:percent} of the time and gave {rate:bytes} a second, and steps wait for "
    "input during {wait:percent} of their time."
)
AT_LIMIT = "While steps ran, {name} was busy {full:percent} of the time and gave {rate:bytes} a second."
CAUSE = "The disk {name} is busy {full:percent} of the time, so a step waits {wait:ms} for input."
SOURCE: Final = "disks, while steps ran"


def judge(supply: Supply, late: LateInput) -> Verdict:
    """Compares the busy time of the busiest disk with all time."""
    disk = supply.disk
    if disk is None:
        return NotApplicable(UNKNOWN)
    about = {"name": disk.of, "rate": disk.rate, "full": disk.full_ratio}
    if not waits(late) or disk.full_ratio < FULL.value:
        return Passed(say(NOT_FULL, wait=late.ratio, **about))
    return Found(
        summary=say(AT_LIMIT, WAITS, step=late.step_ns, wait=late.lost_ns, **about),
        cause=say(CAUSE, wait=late.lost_ns, name=disk.of, full=disk.full_ratio),
        confidence="medium",
        **caused(
            late,
            Evidence("busy part of the disk's time", disk.full_ratio, "ratio", FULL.value, SOURCE),
            Evidence("read on average", disk.rate / 1e9, "GB/s", None, SOURCE),
        ),
    )


RULE = declared(judge, thresholds=(FULL,), needs=("input", "clocks"))
