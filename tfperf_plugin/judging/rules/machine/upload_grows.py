"""Each upload is larger than the one before: a file that grows is sent again and again."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.machine.uploads import Uploads, UploadsOfAll
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, severity_at
from tfperf_plugin.judging.engine.words import duration, say

BURSTS = Threshold("uploads", 5, "count", "ours: five at random ascend once in 120 times")
ASCENT = Threshold("order of the uploads' sizes", 0.9, "ratio", "ours: Kendall's tau, 1 if each is larger")
TIMES = Threshold("last upload against the first", 1.5, "times", "ours: checkpoints differ by less")
LARGE = Threshold("last upload", 50e6, "bytes", "ours: a link sends less in a second")

EVEN = "No series of uploads grows: the machine sent {n:burst|bursts} of data."
GROWS = (
    "Almost every upload is larger than the one before: {n:uploads} grew from {first:bytes} to {last:bytes}, as if a "
    "growing file were sent in full each time."
)
AGAIN = "In all, {all:bytes} were sent for a file of {last:bytes}."
WAITS = "During {idle:duration} of these uploads, {share:percent} of the time watched, no step ran."
SOURCE = "bytes sent, in bursts"


def judge(uploads: UploadsOfAll) -> Verdict:
    """Looks for an interface whose bursts ascend in size."""
    growing = [one for one in uploads.all if _grows(one)]
    if not growing:
        return Passed(say(EVEN, n=max(len(one.bytes) for one in uploads.all)))
    worst = max(growing, key=lambda one: (one.bytes[-1], one.host, one.interface))
    first, last, total = (float(size) for size in (worst.bytes[0], worst.bytes[-1], worst.bytes.sum()))
    share = worst.idle_ns / worst.watched_ns
    told = {"first": first, "last": last, "all": total, "idle": worst.idle_ns, "share": share}
    return Found(
        summary=say(GROWS, AGAIN, WAITS if share >= LEAST.value else "", n=len(worst.bytes), **told),
        evidence=(
            Evidence("uploads", len(worst.bytes), "count", BURSTS.value, SOURCE),
            Evidence("order of their sizes", worst.ascent, "ratio", ASCENT.value, SOURCE),
            Evidence("first upload", first, "bytes", None, SOURCE),
            Evidence("last upload", last, "bytes", LARGE.value, SOURCE),
            Evidence("growth from the first to the last", last / max(1, first), "times", TIMES.value, SOURCE),
            Evidence("time of uploads without a step", share, "ratio", None, SOURCE),
        ),
        severity=severity_at(share) or "info",
        impact_ratio=max(share, LEAST.default),
        confidence="medium",
        values={"steps wait": share >= LEAST.value, "idle": duration(worst.idle_ns)},
    )


def _grows(one: Uploads) -> bool:
    if len(one.bytes) < max(2, BURSTS.value) or one.ascent < ASCENT.value:
        return False
    return bool(one.bytes[-1] >= max(TIMES.value * one.bytes[0], LARGE.value))


RULE = declared(judge, thresholds=(BURSTS, ASCENT, TIMES, LARGE))
