"""The training stands between steps, although the recorded steps are fine."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.machine.activity import LEAST_PAUSE_NS, Activity
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import say

SHORTEST = Threshold(
    "shortest pause", LEAST_PAUSE_NS, "ns", "NVML averages the use of a GPU over up to a second", fixed=True
)

RUNS = "Steps ran for {running:percent} of the {watched:duration} that were watched."
STANDS = (
    "The training paused {n:time|times} between its steps, for {mean:duration} on average. The pauses take "
    "{share:percent} of the time."
)
FINE = "The recorded steps do not show it."
SHOWN: Final = {"gpu.busy": "use of the GPUs", "processors.training": "use of the processors"}


def judge(activity: Activity, steps: Steps) -> Verdict:
    """Sums the pauses between the first and the last step of the training."""
    about = {"running": activity.running_ratio, "watched": activity.watched_ns}
    if not activity.pauses:
        return Passed(say(RUNS, **about))
    count = len(activity.pauses)
    longest = max(activity.pauses, key=lambda pause: pause.idle_ns)
    source = SHOWN[activity.signal]
    return Found(
        summary=say(
            STANDS,
            FINE if steps.source not in ("none", "recording") else "",
            RUNS,
            n=count,
            mean=activity.idle_ns // count,
            share=activity.idle_ratio,
            **about,
        ),
        evidence=(
            Evidence("time in which no step ran", activity.idle_ratio, "ratio", LEAST.value, source),
            Evidence("pauses", count, "count", None, source),
            Evidence("longest pause", longest.idle_ns, "ns", SHORTEST.value, source),
        ),
        impact_ratio=activity.idle_ratio,
        confidence="high" if activity.signal == "gpu.busy" else "medium",
    )


RULE = declared(judge, thresholds=(SHORTEST,), explained_by=("input-choppy",))
