"""The training fetches data and runs steps in turns."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.machine.activity import Activity
from tfperf_plugin.analysis.artifacts.machine.bursts import Bursts
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import say

PAUSES = Threshold("pauses in which data arrives", 5, "count", "ours: fewer may be a coincidence")
TIMES = Threshold(
    "data in a pause against data while steps run", 3, "times", "ours: NVML sees a pause up to a second late"
)
RATE = Threshold("data in a pause", 0.001, "GB/s", "ours: logs and heartbeats take less")
MOST = Threshold("share of the pauses' time", 0.5, "ratio", "ours: else other things pause the training")

NONE = "The training did not pause between its steps."
EVEN = "Data arrives {where} in {n:pause|pauses} of {all}; {steady:bytes} a second arrive while steps run."
TURNS = (
    "The training fetches data and runs steps in turns: in {n:pause|pauses} between steps, {mean:duration} long on "
    "average, {rate:bytes} a second arrive {where}, against {steady:bytes} while steps run."
)
COSTS = "These pauses take {share:percent} of the time."
READ: Final = "from files"
SOURCE: Final = "bytes that arrived, in pauses between steps"


def judge(activity: Activity, bursts: Bursts) -> Verdict:
    """Looks for pauses in which far more data arrives than while steps run."""
    if not activity.pauses:
        return NotApplicable(NONE)
    least = max(RATE.value * 1e9, TIMES.value * bursts.steady_rate)
    holding = [
        (pause, rate) for pause, rate in zip(activity.pauses, bursts.rates, strict=True) if rate >= least
    ]
    count = len(holding)
    idle_ns = sum(pause.idle_ns for pause, _ in holding)
    where = f"over {bursts.source}" if bursts.source else READ
    about = {"n": count, "where": where, "steady": bursts.steady_rate}
    if count < max(1, PAUSES.value) or idle_ns < MOST.value * activity.idle_ns:
        return Passed(say(EVEN, all=len(activity.pauses), **about))
    share = idle_ns / max(1, activity.watched_ns)
    rate = float(sum(rate for _, rate in holding)) / count
    return Found(
        summary=say(TURNS, COSTS, mean=idle_ns // count, rate=rate, share=share, **about),
        evidence=(
            Evidence("time in pauses in which data arrives", share, "ratio", LEAST.value, SOURCE),
            Evidence("pauses in which data arrives", count, "count", PAUSES.value, SOURCE),
            Evidence("share of all pauses' time", idle_ns / activity.idle_ns, "ratio", MOST.value, SOURCE),
            Evidence("data in these pauses", rate / 1e9, "GB/s", least / 1e9, SOURCE),
            Evidence("data while steps run", bursts.steady_rate / 1e9, "GB/s", None, SOURCE),
        ),
        impact_ratio=share,
        confidence="medium",  # an evaluation that waits for its data looks the same
    )


RULE = declared(judge, thresholds=(PAUSES, TIMES, RATE, MOST))
