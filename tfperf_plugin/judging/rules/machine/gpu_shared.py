"""Another process is on a GPU of the training for a part of the time."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.machine.watched_gpus import WatchedGpus
from tfperf_plugin.analysis.evidence import Evidence, NotApplicable
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import SEVERITIES
from tfperf_plugin.judging.engine.words import gpu, listing, say

SHARED = Threshold("time with another process", 0.1, "ratio", "ours: a look by a tool or a person takes less")

NOT_WATCHED = "Other processes on the GPUs were not watched."
ALONE = "No GPU had another process for more than {share:percent} of the time in which steps ran."
TOGETHER = "Another process was on {gpu} for {share:percent} of the time in which steps ran."
MORE = "There was one on {others}, too."
COSTS = "While both compute, they take turns, and a step can take twice as long."
SOURCE = "processes on the GPU"


def judge(gpus: WatchedGpus) -> Verdict:
    """Looks for GPUs on which another process was for a part of the time of steps."""
    known = [(one.shared_ratio, one) for one in gpus.all if one.shared_ratio is not None]
    if not known:
        return NotApplicable(NOT_WATCHED)
    known.sort(key=lambda pair: (-pair[0], pair[1].name))
    share, worst = known[0]
    if share < SHARED.value:
        return Passed(say(ALONE, share=share))
    others = [gpu(one.device, one.place) for ratio, one in known[1:] if ratio >= SHARED.value]
    return Found(
        summary=say(
            TOGETHER,
            MORE if others else "",
            COSTS,
            gpu=gpu(worst.device, worst.place),
            share=share,
            others=listing(others),
        ),
        evidence=(
            Evidence("time with another process", share, "ratio", SHARED.value, SOURCE),
            Evidence("GPUs with another process", len(others) + 1, "count", None, SOURCE),
        ),
        severity="warning",
        # How much of its time the other process computes is not known.
        impact_ratio=SEVERITIES["warning"].default,
        confidence="medium",
    )


RULE = declared(judge, thresholds=(SHARED,))
