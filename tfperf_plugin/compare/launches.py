"""The verdict on several launches a side, which show how far launches differ by themselves.

Launches that took turns, in rounds of four, are judged by ``proof.effect``, and others by what equal launches
of the past differed by (``effect.floor``, from the user's history) or by the drift that the user states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from statistics import fmean
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.compare.comparable import common_work, device_names
from tfperf_plugin.compare.findings import ids_of
from tfperf_plugin.compare.model import Comparison, Decided, Launches, LaunchLevel, Times, Verdict
from tfperf_plugin.compare.steps import step_lengths
from tfperf_plugin.errors import TfperfError
from tfperf_plugin.judging.engine.words import percent, signed_percent
from tfperf_plugin.proof.effect import (
    LEAST_CHANGES,
    LEAST_EFFECT,
    LEAST_LAUNCHES,
    PERCENTILE,
    RARE,
    ROUND,
    by_limit,
    contradicts,
    floor,
    in_rounds,
    judge,
    launches_needed,
    level,
    spread,
)
from tfperf_plugin.proof.effect import reasons as effect_reasons
from tfperf_plugin.proof.history import Row, floor_of, now, workload
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report

_SAME_ORDER: Final = "Each round has the same order, so chance did not choose it."


class Launch(Record, frozen=True):
    """A report on one launch."""

    report: Report
    #: When, in local time ("2026-01-01 00:00:00"), or "" if unknown.
    recorded: str = ""


def unlike(side: Sequence[Launch], name: str) -> Iterator[str]:
    """Why the launches of one side do not do the same work, a sentence each."""
    first, *others = (launch.report for launch in side)
    for report in others:
        work = common_work(first, report)
        yield from (f"The launches {name} differ. {sentence}" for sentence in work.obstacles)
        if work.examples != 1:
            yield f"The launches {name} differ: their steps hold other numbers of examples."


class Levels:
    """How slow each launch is, in ln of ns for the work of one step of the first launch before."""

    def __init__(self, base: Sequence[Launch], new: Sequence[Launch], examples: float) -> None:
        self.launches = base, new
        self.examples = examples  # per step, after / before
        #: Whether most launches of a side have a finding that only some steps show: then their mean counts.
        self.rare = any(
            2 * sum(bool(RARE & ids_of(launch.report)) for launch in side) > len(side) for side in (base, new)
        )
        self.means = self._of(rare=True)
        self.sides = self._of(self.rare)

    def _of(self, rare: bool) -> tuple[list[float], list[float]]:
        before, after = (
            [level(step_lengths(launch.report), rare) for launch in side] for side in self.launches
        )
        return before, [each - math.log(self.examples) for each in after]

    def middle(self) -> tuple[Report, Report]:
        """The launch in the middle of each side."""
        before, after = (
            sorted(zip(levels, range(len(side)), strict=True))[(len(side) - 1) // 2][1]
            for side, levels in zip(self.launches, self.sides, strict=True)
        )
        return self.launches[0][before].report, self.launches[1][after].report


def by_launches(levels: Levels, stated: float | None, equal: Sequence[float]) -> Decided:
    """The verdict on launches before and after a change.

    ``stated``: the drift that the user states; ``equal``: what equal launches of this workload differed by,
    as ``proof.history.floor_of`` returns it.
    """
    found, verdict, why, caveats = _decide(levels, stated, equal)
    mean_change = math.expm1(fmean(levels.means[1]) - fmean(levels.means[0]))
    if contradicts(verdict, mean_change):
        verdict = "suspicious"
        opposite = f"The mean of the steps says the opposite ({signed_percent(mean_change)})"
        why = (f"{opposite}: some steps became much longer or shorter.", *why)
    noise = 0.0
    if found.low is not None and found.high is not None:
        noise = max(found.change - found.low, found.high - found.change)
    elif found.method != "drift":
        noise = found.limit if found.limit is not None else abs(found.change)
    base_ns, new_ns = (math.exp(fmean(side)) for side in levels.sides)
    times = Times.of(
        base_ns,
        new_ns,
        levels.examples,
        noise_ns=noise * round(base_ns),
        drift_ns=(found.limit or 0.0) * round(base_ns) if found.method == "drift" else 0,
    )
    counts_by = (
        "mean of its steps, because findings are of steps that come rarely."
        if levels.rare
        else f"{PERCENTILE}th percentile of its steps, which other work on the machine changes least."
    )
    first, second = levels.middle()
    of_which = (
        "Accounts, key numbers and settings are those of the launch in the middle of each side: "
        f"{first.run} and {second.run}."
    )
    reasons = (*why, f"A launch counts by the {counts_by}")
    return Decided(verdict, times, reasons, (*caveats, of_which), found)


def _decide(
    levels: Levels, stated: float | None, equal: Sequence[float]
) -> tuple[Launches, Verdict, tuple[str, ...], tuple[str, ...]]:
    """What decides, the verdict by it, its reasons and caveats."""
    found, order, values = _in_order(levels)
    times = [item.recorded for item in found.items]
    is_ordered = all(times) and len(set(times)) == len(times)
    if is_ordered and in_rounds(order):
        effect = judge(order, values)
        caveats = () if order[ROUND:] != order[:-ROUND] else (_SAME_ORDER,)
        found = replace(found, method="rounds", p=effect.p, low=effect.low - 1, high=effect.high - 1)
        return found, effect.verdict, effect_reasons(effect), caveats
    why = _why_not(order, times, is_ordered)
    widest = max(math.expm1(max(side) - min(side)) for side in levels.sides)
    past = floor(equal)
    if past is not None:
        limit = max(math.expm1(past), LEAST_EFFECT)
        found = replace(found, method="floor", limit=limit)
        by = f"the {percent(limit)} that equal launches of the past allow for"
    elif stated is not None and widest <= stated:
        found = replace(found, method="drift", limit=max(stated, LEAST_EFFECT))
        by = f"the {percent(stated)} by which launches of one training are taken to differ"
    elif stated is not None:
        more = f"Launches of one side differ by {percent(widest)}, more than the {percent(stated)} stated."
        return found, "unproven", (why, more), ()
    else:
        more = (
            f"What equal launches of the past differ by would decide; the history has {len(equal)} pairs of "
            f"them, and {LEAST_CHANGES} are needed."
        )
        return found, "unproven", (why, more), ()
    assert found.limit is not None
    verdict = by_limit(found.change, found.limit, within="unproven")
    is_ = "within" if verdict == "unproven" else "larger than"
    return found, verdict, (f"The difference is {is_} {by}.", why), ()


def _in_order(levels: Levels) -> tuple[Launches, list[str], list[float]]:
    """The launches as they are shown; the side of each, "A" or "B", and its level."""
    rows = [
        (launch, side, each)
        for side, launches, of in zip("AB", levels.launches, levels.sides, strict=True)
        for launch, each in zip(launches, of, strict=True)
    ]
    if all(launch.recorded for launch, _, _ in rows):
        rows.sort(key=lambda row: row[0].recorded)
    items = tuple(
        LaunchLevel(
            run=launch.report.run,
            side="base" if side == "A" else "new",
            recorded=launch.recorded,
            level_ns=round(math.exp(each)),
            steps_count=len(step_lengths(launch.report)),
        )
        for launch, side, each in rows
    )
    sd, change = spread(levels.sides), math.expm1(fmean(levels.sides[1]) - fmean(levels.sides[0]))
    found = Launches(
        items=items,
        statistic="mean" if levels.rare else "p10",
        method="nothing",
        change=change,
        sd=sd,
        needed=launches_needed(sd, change),
    )
    return found, [side for _, side, _ in rows], [each for _, _, each in rows]


def _why_not(order: Sequence[str], times: Sequence[str], is_ordered: bool) -> str:
    """Why the launches are not judged by the orders in which they could have run."""
    before, after = order.count("A"), order.count("B")
    if unknown := times.count(""):
        return f"When {unknown} of the launches were recorded is not known, so their order is not."
    if not is_ordered:
        return "Several launches were recorded within the same second, so their order is not known."
    if before != after or before % 2 or before < LEAST_LAUNCHES:
        return (
            f"{before} launches before and {after} now are too few to judge by their order: that takes an "
            f"equal, even number, from {LEAST_LAUNCHES} on."
        )
    return (
        "The launches did not take turns in rounds of four, so what changed on the machine meanwhile may be "
        "the difference."
    )


# --------------------------------------------------------------------------------------- the history


def workload_of(report: Report) -> str:
    """What ``report``'s training trains and on what, as ``proof.history`` tells workloads apart."""
    return workload(
        layers=report.workload.layers.products if report.workload.layers else None,
        parameters=report.workload.parameters,
        dtype=report.workload.policy,
        batch=report.workload.batch_size,
        devices=device_names(report),
    )


def known_equal(report: Report) -> tuple[float, ...]:
    """What equal launches of ``report``'s workload differed by, in the user's history; none without one that
    can be read."""
    with suppress(TfperfError):
        return floor_of(workload_of(report))
    return ()


def row_of(result: Comparison, workload: str) -> Row:
    """A line of the history on launches that were compared: on those after the change."""
    times, found = result.times, result.launches
    return Row(
        time=now(),
        workload=workload,
        ms=times.new_ns / 1e6 if times else None,
        sd=found.sd if found else None,
        accounts={account.id: account.new_ns / 1e6 for account in result.accounts},
        findings=tuple(each.id for each in result.findings if each.new_severity),
        verdict=result.verdict,
        change=found.change if found else None,
    )
