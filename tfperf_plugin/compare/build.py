"""Builds the comparison of runs, one or more launches a side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Final

from tfperf_plugin.analysis.pace import ALIKE
from tfperf_plugin.compare.comparable import CommonWork, common_work, device_names
from tfperf_plugin.compare.findings import CHANGED_RATIO, check_savings, finding_changes, step_ns
from tfperf_plugin.compare.launches import Launch, Levels, by_launches, unlike
from tfperf_plugin.compare.model import (
    COMPARISON_VERSION,
    AccountChange,
    Basis,
    Comparison,
    Decided,
    Scaling,
    Side,
)
from tfperf_plugin.compare.numbers import change_accounts, find_scaling, number_changes, setting_changes
from tfperf_plugin.compare.steps import DRIFT_RATIO, LEAST_STEPS, are_too_few, by_steps, sample, step_lengths
from tfperf_plugin.judging.engine.words import ACCOUNT_WORDS, count, ms, percent
from tfperf_plugin.proof.effect import OPENINGS, between, sentence
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.panels.gpus import used_count
from tfperf_plugin.report.panels.steps import usual_step
from tfperf_plugin.version import __version__

# If the limit is wider than this share of the step, "neither better nor worse" would claim too much.
WIDE_RATIO: Final = 0.05
# Accounts whose change is said first.
NAMED_COUNT: Final = 2


def compare(base: Report, new: Report, stated: float | None = None) -> Comparison:
    """Compares one launch a side; see ``compare_launches``."""
    return compare_launches([Launch(base)], [Launch(new)], stated)


def compare_launches(
    base: Sequence[Launch], new: Sequence[Launch], stated: float | None = None, equal: Sequence[float] = ()
) -> Comparison:
    """Compares launches after a change (``new``) with those before it, one or more of each.

    Never raises: ``reasons`` say why launches cannot be compared. Of several launches, accounts, key numbers
    and settings are those of the launch in the middle of each side.

    ``stated``: share of the step by which launches of one training differ, as the user states it; smaller
    differences do not count. Without it one launch a side proves no difference. ``equal``: what equal
    launches of this workload differed by, as ``proof.history.floor_of`` returns it.
    """
    drift = DRIFT_RATIO if stated is None else stated
    first, second, work, obstacles, levels = _chosen(base, new)
    described = partial(
        Comparison,
        comparison_version=COMPARISON_VERSION,
        tool_version=__version__,
        drift_ratio=drift,
        drift_stated=stated is not None,
        base=_side(first),
        new=_side(second),
        numbers=number_changes(first, second),
        settings=setting_changes(first, second),
    )
    if obstacles:
        return described(
            verdict="cannot_compare",
            sentence=f"These {'launches' if len(base) + len(new) > 2 else 'runs'} cannot be compared.",
            reasons=obstacles,
            caveats=work.caveats,
            basis="nothing",
        )
    decided = by_launches(levels, stated, equal) if levels else by_steps(first, second, work, stated)
    times = decided.times
    basis: Basis = "step" if work.examples == 1 else "examples"
    scaling = find_scaling(first, second, work, drift)
    findings = finding_changes([x.report for x in base], [x.report for x in new], drift)
    accounts = change_accounts(first, times.base_ns, second, times.new_ns)
    is_proven = decided.verdict in ("better", "worse", "same")
    is_scored = not scaling and decided.verdict != "suspicious"
    return described(
        verdict=decided.verdict,
        sentence=_sentence(decided, basis, scaling),
        reasons=(*decided.reasons, work.basis) if work.known else decided.reasons,
        caveats=(*work.caveats, *decided.caveats, *_trainings(first, second, work)),
        basis=basis,
        times=times,
        accounts=accounts,
        changed="" if scaling else _changed(accounts, times.base_ns),
        findings=findings,
        prediction=check_savings(first, findings, times, is_proven) if is_scored else None,
        scaling=scaling,
        launches=decided.launches,
    )


def _chosen(
    base: Sequence[Launch], new: Sequence[Launch]
) -> tuple[Report, Report, CommonWork, tuple[str, ...], Levels | None]:
    """The reports that stand for the two sides, what they have in common, and why no comparison is possible;
    the levels of several launches."""
    first, second = base[0].report, new[0].report
    work = common_work(first, second)
    obstacles = tuple(dict.fromkeys([*unlike(base, "before"), *unlike(new, "now"), *work.obstacles]))
    obstacles = obstacles or _too_few(base, new)
    if obstacles or len(base) == len(new) == 1:
        return first, second, work, obstacles, None
    levels = Levels(base, new, float(work.examples))
    first, second = levels.middle()
    work = common_work(first, second)
    return first, second, work, work.obstacles, levels


def _too_few(base: Sequence[Launch], new: Sequence[Launch]) -> tuple[str, ...]:
    """An obstacle if runs have too few steps to tell how much these differ."""
    one_a_side = len(base) == len(new) == 1
    named = [*(("base", launch) for launch in base), *(("new", launch) for launch in new)]
    few = [name if one_a_side else x.report.run for name, x in named if are_too_few(x.report)]
    which = " and ".join(few) + (" run" if one_a_side else "")
    why = f"One or two steps do not tell how much steps differ by themselves: record ten ({which})."
    return (why,) if few else ()


def _side(report: Report) -> Side:
    lengths, steps = step_lengths(report), report.steps
    usual = usual_step(steps)
    return Side(
        run=report.run,
        headline=report.headline,
        step_ns=step_ns(report) or None,
        p50_ns=steps.p50_ns or None,
        steps_count=steps.count,
        error_ns=round(math.sqrt(sample(lengths).variance)) if len(lengths) >= LEAST_STEPS else None,
        gpus_count=used_count(report),
        hosts_count=report.machines_count,
        devices=device_names(report),
        usual_step=usual.id if usual else None,
    )


def _changed(accounts: Sequence[AccountChange], step_ns: int) -> str:
    """ "Input wait fell from 59.5 ms to 0.3 ms; Op dispatch rose from 1.1 ms to 13.8 ms."."""
    largest = sorted(accounts, key=lambda account: -abs(account.delta_ns))[:NAMED_COUNT]
    said = [
        f"{ACCOUNT_WORDS[a.id]} {'fell' if a.delta_ns < 0 else 'rose'} from {ms(a.base_ns)} to {ms(a.new_ns)}"
        for a in largest
        if abs(a.delta_ns) >= CHANGED_RATIO * step_ns
    ]
    return f"{'; '.join(said)}." if said else ""


# Shares of the time in which steps ran that lie closer than this are alike.
_RUNNING_RATIO: Final = 0.05


def _trainings(base: Report, new: Report, work: CommonWork) -> tuple[str, ...]:
    """That the trainings as a whole lie apart, which recorded steps need not show."""
    return (*_paces(base, new, work), *_running(base, new))


def _running(base: Report, new: Report) -> tuple[str, ...]:
    """That steps ran in another share of the time watched."""
    before, after = (side.whole.running_ratio if side.whole else None for side in (base, new))
    if before is None or after is None or abs(after - before) <= _RUNNING_RATIO:
        return ()
    return (
        f"Steps ran for {percent(before)} of the time watched before and for {percent(after)} now. Recorded "
        "steps do not show what passed between them.",
    )


def _paces(base: Report, new: Report, work: CommonWork) -> tuple[str, ...]:
    """By the scalars that the trainings wrote."""
    before, after = base.pace, new.pace
    if not before or not after or (before.counts, before.tag) != (after.counts, after.tag):
        return ()
    is_alike = max(before.low_ns, after.low_ns) <= ALIKE * min(before.high_ns, after.high_ns)
    if is_alike or (before.counts != "epochs" and work.examples != 1):
        return ()
    what = "an epoch" if before.counts == "epochs" else "a step"
    return (
        f"Over the whole training, {what} took {ms(before.ns)} before and {ms(after.ns)} now. Recorded steps "
        "show only a part of that.",
    )


def _sentence(decided: Decided, basis: Basis, scaling: Scaling | None) -> str:
    """The verdict with the times, or with the speedup of two runs on different numbers of GPUs."""
    times, launches, opening = decided.times, decided.launches, OPENINGS[decided.verdict]
    if launches:
        numbers = [sum(item.side == side for item in launches.items) for side in ("base", "new")]
        words = f"{numbers[0]} launches a side"
        if numbers[0] != numbers[1]:
            words = f"{numbers[0]} and {numbers[1]} launches"
        more, whose = f"{between(launches.low, launches.high)}; {words}", "first launch before"
    elif scaling:
        return (
            f"{opening}: {count(scaling.more_gpus, 'GPU')} train {scaling.speedup:.2f} times as fast as "
            f"{scaling.fewer_gpus}, {percent(scaling.efficiency)} of the ideal."
        )
    else:
        more, whose = "", "base run"
        if decided.verdict == "same" and times.limit_ns > WIDE_RATIO * times.base_ns:
            opening = "No difference can be told"
    what = "a step" if basis == "step" else f"the work of one step of the {whose}"
    return sentence(opening, what, times.base_ns, times.new_ns, more)
