"""A GPU computes at a lower clock than it can: because of heat, its power limit, or the power brake."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tfperf_plugin.analysis.artifacts.machine.watched_gpus import Slowed, WatchedGpu, WatchedGpus
from tfperf_plugin.analysis.evidence import Evidence, NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import median
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import gpu, listing, say

LESS = Threshold(
    "clock below the highest, or below that of the other GPUs", 0.05, "ratio",
    "ours: clocks of one model differ by less from card to card",
)  # fmt: skip
AT_LIMIT = Threshold(
    "clock below the highest at the power limit", 0.65, "ratio",
    "NVIDIA: the base clock of a T4, which its power always allows, is 63 % below its highest",
)  # fmt: skip

NOT_WATCHED = "The clocks of the GPUs, or what lowers them, were not watched."
FULL = "Heat, power limit and power brake took at most {lost:percent} of a GPU's clock while steps ran."
HEAT = "Heat lowered the clock of {gpu} to {clock:MHz} of {most:MHz} for {share:percent} of the time in which it worked."
BRAKE = (
    "The power brake lowered the clock of {gpu} to {clock:MHz} of {most:MHz} for {share:percent} of the time in which it "
    "worked."
)
POWER = (
    "The power limit lowered the clock of {gpu} to {clock:MHz} of {most:MHz} for {share:percent} of the time in which it "
    "worked."
)
ALSO = "{n:other GPU is|other GPUs are} slowed down, too: {others}."
BEHIND = "Its clock is {behind:percent} below that of the other GPUs, which wait for it in each collective."
USUAL = "Most GPUs reach their power limit at full load, but keep more of their clock: the limit may be set too low."
STEP = "At the full clock, a step would be at most {saved:percent} shorter."
SOURCE = "clock and reasons that the driver tells"


class _Case(NamedTuple):
    """What lowers the clock of one GPU, and by how much, as ratios."""

    gpu: WatchedGpu
    slowed: Slowed
    #: Below the clock that it could have, and of it below that of the other GPUs.
    less: float
    behind: float

    @property
    def lost(self) -> float:
        return self.less * self.slowed.ratio

    @property
    def is_usual(self) -> bool:
        return self.slowed.reason == "power" and self.behind < LESS.value

    @property
    def least(self) -> float:
        return AT_LIMIT.value if self.is_usual else LESS.value

    @property
    def counts(self) -> bool:
        return self.less >= self.least


def judge(gpus: WatchedGpus, ledger: Ledger | None) -> Verdict:
    """Weighs how far clocks are lowered by the time in which they are, and by the compute of a step."""
    if not any(one.clock_hz and one.reasons_known for one in gpus.all):
        return NotApplicable(NOT_WATCHED)
    cases = [case for one in gpus.all for case in _cases(one, gpus)]
    found = [case for case in cases if case.counts]
    if not found:
        return Passed(say(FULL, lost=max((case.lost for case in cases), default=0.0)))
    # What is usual is told only where nothing else slows a GPU down.
    found.sort(key=lambda case: (case.is_usual, -case.lost, case.gpu.name))
    worst = found[0]
    its, slowed = worst.gpu, worst.slowed
    reason, compute = slowed.reason, _compute(ledger)
    saved = worst.lost * compute
    names = {case.gpu.name: gpu(case.gpu.device, case.gpu.place) for case in found if case.gpu is not its}
    others = list(names.values())
    return Found(
        summary=say(
            HEAT if reason == "heat" else BRAKE if reason == "brake" else POWER,
            ALSO if others else "",
            BEHIND if worst.behind >= LESS.value else "",
            USUAL if worst.is_usual else "",
            STEP,
            gpu=gpu(its.device, its.place),
            clock=round(slowed.clock_hz / 1e6),
            most=round((its.most_hz or 0) / 1e6),
            share=slowed.ratio,
            n=len(others),
            others=listing(others),
            behind=worst.behind,
            saved=saved,
        ),
        evidence=(
            Evidence("clock below what it can be", worst.less, "ratio", worst.least, SOURCE),
            Evidence("time with a lowered clock", slowed.ratio, "ratio", None, SOURCE),
            Evidence("clock below that of the other GPUs", worst.behind, "ratio", LESS.value, SOURCE),
            Evidence("compute of a step", compute, "ratio", None, "ledger"),
            *_of_sensors(its),
        ),
        severity="info" if worst.is_usual and saved >= LEAST.value else None,
        impact_ratio=LEAST.default if worst.is_usual and saved >= LEAST.value else saved,
        confidence="high" if ledger else "medium",
        values={
            "heat": reason == "heat",
            "power limit": reason == "power",
            "power brake": reason == "brake",
            "slower than the others": worst.behind >= LESS.value,
        },
    )


def _cases(one: WatchedGpu, gpus: WatchedGpus) -> Iterator[_Case]:
    """What lowers the clock of this GPU. At a power limit, it could be that of the others, where it is below."""
    if not one.clock_hz or not one.most_hz:
        return
    alike = [
        other.clock_hz
        for other in gpus.all
        if other is not one and other.clock_hz and other.most_hz == one.most_hz
    ]
    behind = max(0.0, 1 - one.clock_hz / float(median(alike))) if alike else 0.0
    for slowed in one.slowed:
        less = max(0.0, 1 - slowed.clock_hz / one.most_hz)
        is_behind = slowed.reason == "power" and behind >= LESS.value
        yield _Case(one, slowed, min(less, behind) if is_behind else less, behind)


def _compute(ledger: Ledger | None) -> float:
    """The share of a step in which its GPUs compute; all of it where that is not known."""
    return ledger.average()["compute"] / ledger.step_ns if ledger and ledger.step_ns else 1.0


def _of_sensors(its: WatchedGpu) -> Iterator[Evidence]:
    for label, value, unit in (
        ("highest temperature", its.hottest, "°C"),
        ("allowed power", its.allowed_w, "W"),
    ):
        if value is not None:
            yield Evidence(label, f"{value:,.0f} {unit}", "text", None, "the driver's sensors")


RULE = declared(judge, thresholds=(LESS, AT_LIMIT))
