"""A long time passes before the first step of the training."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.machine.activity import Activity
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import say

LATE = Threshold(
    "time before the first step", 120e9, "ns", "ours: importing and compiling a large model takes a minute or two"
)  # fmt: skip
RECEIVES = Threshold(
    "data received before the first step", 1e9, "bytes", "ours: below it, a download takes seconds"
)

STARTED = "The first step began {first:duration} after the program."
LATER = (
    "The first step began {first:duration} after the program, which is {share:percent} of the {watched:duration} that "
    "were watched."
)
DOWNLOADS = "Meanwhile the machine received {received:bytes}."
ONCE = "It happens once in each launch."
SOURCE: Final = "use of the GPUs, or of the processors"
OF_PROCESSORS: Final = "use of the processors"


def judge(activity: Activity) -> Verdict:
    """Compares the time from the start of the program to its first step with the training's time."""
    first, share = activity.first_ns, activity.first_ns / max(1, activity.watched_ns)
    if first < LATE.value:
        return Passed(say(STARTED, first=first))
    received, cores = activity.start_received_bytes or 0, activity.start_cores
    busy = (
        ()
        if cores is None
        else (Evidence("processors busy until then", cores, "count", None, OF_PROCESSORS),)
    )
    downloads = received >= RECEIVES.value
    return Found(
        summary=say(
            LATER,
            DOWNLOADS if downloads else "",
            ONCE,
            first=first,
            share=share,
            watched=activity.watched_ns,
            received=received,
        ),
        evidence=(
            Evidence("time before the first step", first, "ns", LATE.value, SOURCE),
            Evidence("share of the training's time", share, "ratio", LEAST.value, SOURCE),
            *busy,
        ),
        advice="it downloads" if downloads else "",
        impact_ratio=share,
        confidence="medium",
    )


RULE = declared(judge, thresholds=(LATE, RECEIVES))
