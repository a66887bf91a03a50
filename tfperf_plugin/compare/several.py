"""Compares several launches a side, which show how far launches differ by themselves.

Launches that took turns, in rounds of four, are judged by ``proof.effect``, and others by what equal launches
of the past differed by (``proof.floor``) or by the drift that the user states. Accounts, key numbers and
settings are those of the launch in the middle of each side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from statistics import fmean
from typing import Final, Literal

from msgspec.structs import replace

from tfperf_plugin.compare.build import check_savings, compare
from tfperf_plugin.compare.findings import findings_of_several, ids_of
from tfperf_plugin.compare.model import (
    Basis,
    Comparison,
    Launches,
    LaunchLevel,
    Side,
    Times,
    Verdict,
)
from tfperf_plugin.compare.noise import LEAST_STEPS, step_lengths
from tfperf_plugin.compare.same import common_work, device_names
from tfperf_plugin.compare.scaling import change_accounts
from tfperf_plugin.errors import TfperfError
from tfperf_plugin.judging.engine.words import percent, signed_percent
from tfperf_plugin.proof.effect import (
    LEAST_EFFECT,
    LEAST_LAUNCHES,
    OPENINGS,
    PERCENTILE,
    ROUND,
    Effect,
    between,
    by_limit,
    in_rounds,
    judge,
    launches_needed,
    level,
    reasons,
    sentence,
    spread,
)
from tfperf_plugin.proof.floor import LEAST_CHANGES, floor
from tfperf_plugin.proof.history import Row, floor_of, workload
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report

RARE: Final = frozenset({"step-outliers", "function-retracing", "xla-recompilation"})
"""Findings that only some steps show; where most launches of a side have one, the mean of steps counts."""

_SAME_ORDER: Final = "Each round has the same order, so chance did not choose it."


class Launch(Record, frozen=True):
    """A report on one launch. ``recorded``: when, in local time ("2026-01-01 00:00:00"), or "" if unknown."""

    report: Report
    recorded: str


def compare_launches(
    base: Sequence[Launch], new: Sequence[Launch], stated: float | None = None, equal: Sequence[float] = ()
) -> Comparison:
    """Compares launches after a change (``new``) with those before it, one or more of each. Never raises.

    ``stated``: as in ``compare``; ``equal``: what equal launches of this workload differed by, as
    ``proof.history.floor_of`` returns it.
    """
    if len(base) == len(new) == 1:
        return compare(base[0].report, new[0].report, stated)
    before, after = ([launch.report for launch in side] for side in (base, new))
    obstacles = tuple(dict.fromkeys(_obstacles(before, after)))
    if obstacles:
        return replace(
            compare(before[0], after[0], stated),
            verdict="cannot_compare",
            sentence="These launches cannot be compared.",
            reasons=obstacles,
            basis="nothing",
            times=None,
            accounts=(),
            findings=(),
            prediction=None,
            scaling=None,
        )
    rare = _are_rare(before) or _are_rare(after)
    examples = float(common_work(before[0], after[0]).examples)
    levels = _levels(before, rare), _levels(after, rare, examples)
    said = _decide(base, new, levels, rare, stated, equal)
    means = _levels(before, True), _levels(after, True, examples)
    verdict = said.verdict
    if _contradicts(verdict, fmean(means[1]) - fmean(means[0])):
        verdict = "suspicious"
        change = signed_percent(math.expm1(fmean(means[1]) - fmean(means[0])))
        why = f"The mean of the steps says the opposite ({change}): some steps became much longer or shorter."
        said = replace(said, reasons=(why, *said.reasons))
    first, second = (_middle(side, of) for side, of in zip((before, after), levels, strict=True))
    result = compare(first, second, stated)
    if result.times is None:
        return result
    times = _times(levels, examples, said)
    findings = findings_of_several(before, after, result.drift_ratio)
    is_scored = verdict in ("better", "worse", "same") and result.scaling is None and first.ledger
    return replace(
        result,
        verdict=verdict,
        sentence=_sentence(verdict, times, result.basis, said.launches),
        reasons=(*said.reasons, _statistic(rare)),
        caveats=(*result.caveats, *said.caveats, _of_which(result.base, result.new)),
        times=times,
        accounts=change_accounts(first, times.base_ns, second, times.new_ns),
        findings=findings,
        prediction=check_savings(first, findings, times) if is_scored else None,
        launches=said.launches,
    )


def workload_of(report: Report) -> str:
    """What ``report``'s training trains and on what, as ``proof.history`` tells workloads apart."""
    facts = {fact.label: fact.value for each in report.training[:1] for fact in each.facts}
    return workload(
        layers=report.workload.layers.products if report.workload.layers else None,
        parameters=report.workload.parameters,
        dtype=facts.get("Keras precision policy"),
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
        time=f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
        workload=workload,
        ms=times.new_ns / 1e6 if times else None,
        sd=found.sd if found else None,
        accounts={account.id: account.new_ns / 1e6 for account in result.accounts},
        findings=tuple(each.id for each in result.findings if each.new_severity),
        verdict=result.verdict,
        change=found.change if found else None,
    )


# ------------------------------------------------------------------------------------- levels


def _obstacles(before: Sequence[Report], after: Sequence[Report]) -> Iterator[str]:
    """Why the launches cannot be compared, a sentence each."""
    for report in (*before, *after):
        lengths = step_lengths(report)
        if len(lengths) < LEAST_STEPS or min(lengths) <= 0:
            yield f"{report.run} shows too few steps: record ten."
    for side, name in ((before, "before"), (after, "now")):
        for report in side[1:]:
            work = common_work(side[0], report)
            yield from (f"The launches {name} differ. {sentence}" for sentence in work.obstacles)
            if work.examples != 1:
                yield f"The launches {name} differ: their steps hold other numbers of examples."
    yield from common_work(before[0], after[0]).obstacles


def _are_rare(side: Sequence[Report]) -> bool:
    return 2 * sum(bool(RARE & ids_of(report)) for report in side) > len(side)


def _levels(side: Sequence[Report], rare: bool, examples: float = 1.0) -> list[float]:
    """The level of each launch for the work of a step before, of which a step here holds ``examples``."""
    return [level(step_lengths(report), rare) - math.log(examples) for report in side]


def _middle(side: Sequence[Report], levels: Sequence[float]) -> Report:
    ranked = sorted(range(len(side)), key=lambda i: levels[i])
    return side[ranked[(len(side) - 1) // 2]]


# ------------------------------------------------------------------------------------ verdict


class _Said(Record, frozen=True):
    launches: Launches
    verdict: Verdict
    reasons: tuple[str, ...]
    caveats: tuple[str, ...] = ()


def _decide(
    base: Sequence[Launch],
    new: Sequence[Launch],
    levels: tuple[Sequence[float], Sequence[float]],
    rare: bool,
    stated: float | None,
    equal: Sequence[float],
) -> _Said:
    items = [
        *(_item(launch, "base", each) for launch, each in zip(base, levels[0], strict=True)),
        *(_item(launch, "new", each) for launch, each in zip(new, levels[1], strict=True)),
    ]
    times = [item.recorded for item, _ in items]
    is_ordered = all(times) and len(set(times)) == len(times)
    if is_ordered:
        items.sort(key=lambda each: each[0].recorded)
    order = ["A" if item.side == "base" else "B" for item, _ in items]
    effect, sd = fmean(levels[1]) - fmean(levels[0]), spread(levels)
    found = Launches(
        items=tuple(item for item, _ in items),
        statistic="mean" if rare else "p10",
        method="nothing",
        change=math.expm1(effect),
        sd=sd,
        needed=launches_needed(sd, math.expm1(effect)),
    )
    if is_ordered and in_rounds(order):
        said = _by_rounds(found, judge(order, [each for _, each in items]))
        is_random = order[ROUND:] != order[:-ROUND]
        return said if is_random else replace(said, caveats=(_SAME_ORDER,))
    why = _why_not(len(base), len(new), times, is_ordered)
    widest = max(math.expm1(max(side) - min(side)) for side in levels)
    limit = floor(equal)
    if limit is not None:
        limit = max(math.expm1(limit), LEAST_EFFECT)
        by = f"the {percent(limit)} that equal launches of the past allow for"
        return _by_limit(replace(found, method="floor", limit=limit), by, why)
    if stated is not None and widest <= stated:
        by = f"the {percent(stated)} by which launches of one training are taken to differ"
        return _by_limit(replace(found, method="drift", limit=max(stated, LEAST_EFFECT)), by, why)
    if stated is not None:
        more = f"Launches of one side differ by {percent(widest)}, more than the {percent(stated)} stated."
    else:
        more = (
            f"What equal launches of the past differ by would decide; the history has {len(equal)} pairs of "
            f"them, and {LEAST_CHANGES} are needed."
        )
    return _Said(found, "unproven", (why, more))


def _item(launch: Launch, side: Literal["base", "new"], of: float) -> tuple[LaunchLevel, float]:
    steps = len(step_lengths(launch.report))
    return LaunchLevel(launch.report.run, side, launch.recorded, round(math.exp(of)), steps), of


def _by_rounds(found: Launches, effect: Effect) -> _Said:
    found = replace(found, method="rounds", p=effect.p, low=effect.low - 1, high=effect.high - 1)
    return _Said(found, effect.verdict, reasons(effect))


def _by_limit(found: Launches, by: str, why: str) -> _Said:
    """``by``: what sets the limit; ``why``: why the order of the launches does not decide."""
    assert found.limit is not None
    verdict = by_limit(found.change, found.limit, within="unproven")
    is_ = "within" if verdict == "unproven" else "larger than"
    return _Said(found, verdict, (f"The difference is {is_} {by}.", why))


def _why_not(before: int, after: int, times: Sequence[str], is_ordered: bool) -> str:
    """Why the launches are not judged by the orders in which they could have run."""
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


def _contradicts(verdict: Verdict, mean_change: float) -> bool:
    """Whether the means of the steps say the opposite of a verdict on their short ones."""
    if abs(mean_change) < LEAST_EFFECT:
        return False
    return verdict == ("worse" if mean_change < 0 else "better")


# -------------------------------------------------------------------------------------- words


def _times(levels: tuple[Sequence[float], Sequence[float]], examples: float, said: _Said) -> Times:
    base_ns, new_ns = (round(math.exp(fmean(side))) for side in levels)
    found = said.launches
    noise = 0.0
    if found.low is not None and found.high is not None:
        noise = max(found.change - found.low, found.high - found.change)
    elif found.method != "drift":
        noise = found.limit if found.limit is not None else abs(found.change)
    return Times(
        base_ns=base_ns,
        new_ns=new_ns,
        delta_ns=new_ns - base_ns,
        change=(new_ns - base_ns) / base_ns,
        noise_ns=round(noise * base_ns),
        drift_ns=round(found.limit * base_ns) if found.method == "drift" and found.limit else 0,
        examples=examples,
    )


def _sentence(verdict: Verdict, times: Times, basis: Basis, found: Launches) -> str:
    what = "a step" if basis == "step" else "the work of one step of the first launch before"
    span = between(found.low, found.high) if found.low is not None and found.high is not None else ""
    sides = [sum(item.side == side for item in found.items) for side in ("base", "new")]
    number = f"{sides[0]} launches a side" if sides[0] == sides[1] else f"{sides[0]} and {sides[1]} launches"
    return sentence(OPENINGS[verdict], what, times.base_ns, times.new_ns, f"{span}; {number}")


def _statistic(rare: bool) -> str:
    if rare:
        return "A launch counts by the mean of its steps, because findings are of steps that come rarely."
    return (
        f"A launch counts by the {PERCENTILE}th percentile of its steps, which other work on the machine "
        "changes least."
    )


def _of_which(base: Side, new: Side) -> str:
    return (
        "Accounts, key numbers and settings are those of the launch in the middle of each side: "
        f"{base.run} and {new.run}."
    )
