"""The memory of the training grows as long as it runs."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.machine.memory_growth import LEAST_NS, MemoryGrowth
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import SEVERITIES
from tfperf_plugin.judging.engine.words import duration, say
from tfperf_plugin.judging.verdicts import Severity

FAR = Threshold(
    "time until memory is full against the time watched", 24, "times",
    "ours: what an hour shows holds for a day at most", side="≤",
)  # fmt: skip
SOON = Threshold(
    "time until memory is full against the time watched, for a critical finding", 2, "times",
    "ours: a training lasts at least as long again as it has run", side="≤",
)  # fmt: skip
DAY = Threshold(
    "time until memory is full, for a warning", 86_400e9, "ns", "ours: nobody looks at it before the next day", side="≤"
)  # fmt: skip
GROWN = Threshold(
    "growth against the memory in use", 0.02, "ratio", "ours: allocators keep so much of what is freed"
)
SHORTEST = Threshold("shortest time of steps", LEAST_NS, "ns", "ours: until then memory fills", fixed=True)

STEADY = "The training uses {used:bytes} of memory, which grew by less than {least:percent} in {judged:duration} of steps."
LATER = "Memory grows by {rate:bytes} a minute; at this rate, it is full in {full:duration}."
GROWS = (
    "The training's memory grew by {rate:bytes} a minute ({low:bytes} to {high:bytes}) throughout the {judged:duration} "
    "after its warm-up; at this rate, it is full {full:duration} later."
)
USES = "The training used {used:bytes} at the end, and {left:bytes} were left."
SOURCE = "memory of the training"


def judge(growth: MemoryGrowth) -> Verdict:
    """Compares the time until memory is full with the time that was watched."""
    judged, used, full = growth.end_ns - growth.begin_ns, growth.used_bytes, growth.full_ns
    ratio, times = growth.grown_bytes / max(1, used), full / growth.watched_ns
    if ratio < GROWN.value:
        return Passed(say(STEADY, used=used, least=GROWN.value, judged=judged))
    rate, low, high = (60 * rate for rate in (growth.rate, growth.low, growth.high))
    if times > FAR.value:
        return Passed(say(LATER, rate=rate, full=full))
    severity: Severity = "critical" if times <= SOON.value else "warning" if full <= DAY.value else "info"
    told = {"rate": rate, "low": low, "high": high, "judged": judged, "full": full}
    return Found(
        summary=say(GROWS, USES, used=used, left=growth.left_bytes, **told),
        evidence=(
            Evidence("growth a minute", rate, "bytes", None, SOURCE),
            Evidence("growth against the memory in use", ratio, "ratio", GROWN.value, SOURCE),
            Evidence("time until memory is full", full, "ns", DAY.value, SOURCE),
            Evidence("that time against the time watched", times, "times", FAR.value, SOURCE),
            Evidence("time over which growth was measured", judged, "ns", SHORTEST.value, SOURCE),
        ),
        severity=severity,
        impact_ratio=SEVERITIES[severity].default,
        confidence="high" if growth.private else "medium",
        values={"full": duration(full)},
    )


RULE = declared(judge, thresholds=(FAR, SOON, DAY, GROWN, SHORTEST))
