"""Builds the comparison of two reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.compare.findings import finding_changes, step_ns
from tfperf_plugin.compare.model import (
    COMPARISON_VERSION,
    Basis,
    Comparison,
    FindingChange,
    SavingCheck,
    Scaling,
    Side,
    Times,
    Verdict,
)
from tfperf_plugin.compare.noise import DRIFT_RATIO, Sample, noise_ns, sample, step_lengths, without_outliers
from tfperf_plugin.compare.numbers import number_changes, setting_changes
from tfperf_plugin.compare.same import Work, common_work, device_names, gpus_count
from tfperf_plugin.compare.scaling import change_accounts, find_scaling
from tfperf_plugin.judging.engine.words import count, ms, percent, signed_percent
from tfperf_plugin.proof.effect import OPENINGS, by_limit, sentence
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report, Steps
from tfperf_plugin.report.tried import amount
from tfperf_plugin.version import __version__

# With fewer steps in either run, noise hides all but large differences.
FEW_STEPS: Final = 5
# If the limit is wider than this share of the step, "neither better nor worse" would claim too much.
WIDE_RATIO: Final = 0.05
# A gain of less than this share of what was promised is not what was foretold.
FORETOLD_RATIO: Final = 0.5

ONE_LAUNCH: Final = (
    "One launch a side does not show by how much launches of this training differ without a change. Record "
    "six launches a side in random order, or state that difference: tfperf compare --drift 3%."
)


def compare(base: Report, new: Report, stated: float | None = None) -> Comparison:
    """Compares ``new`` with ``base``. Never raises: ``reasons`` say why runs cannot be compared.

    ``stated``: share of the step by which launches of one training differ, as the user states it; smaller
    differences do not count. Without it no difference is proven: one launch a side does not show it.
    """
    drift = DRIFT_RATIO if stated is None else stated
    work = common_work(base, new)
    judged = _judge(base, new, work, drift)
    described = partial(
        Comparison,
        comparison_version=COMPARISON_VERSION,
        tool_version=__version__,
        drift_ratio=drift,
        drift_stated=stated is not None,
        base=_side(base),
        new=_side(new),
        numbers=number_changes(base, new),
        settings=setting_changes(base, new),
    )
    if isinstance(judged, str) or work.obstacles:
        # Obstacles in the work make the lack of steps irrelevant.
        reasons = work.obstacles or (str(judged),)
        return described(
            verdict="cannot_compare",
            sentence="These runs cannot be compared.",
            reasons=reasons,
            caveats=work.caveats,
            basis="nothing",
        )
    if stated is None:
        judged = replace(judged, verdict="unproven", reasons=(ONE_LAUNCH,))
    times = judged.times
    basis: Basis = "step" if work.examples == 1 else "examples"
    scaling = find_scaling(base, new, work, drift)
    comparable = scaling is None and base.ledger is not None
    findings = finding_changes(base, new, drift)
    return described(
        verdict=judged.verdict,
        sentence=_scaling_sentence(judged.verdict, scaling)
        if scaling
        else _sentence(judged.verdict, times, basis),
        reasons=(*judged.reasons, work.basis) if work.known else judged.reasons,
        caveats=(*work.caveats, *judged.caveats),
        basis=basis,
        times=times,
        accounts=change_accounts(base, times.base_ns, new, times.new_ns),
        findings=findings,
        prediction=check_savings(base, findings, times) if comparable and stated is not None else None,
        scaling=scaling,
    )


def _side(report: Report) -> Side:
    lengths = step_lengths(report)
    spread = sample(lengths)
    return Side(
        run=report.run,
        headline=report.headline,
        step_ns=step_ns(report) or None,
        p50_ns=report.steps.p50_ns or None,
        steps_count=report.steps.count,
        error_ns=round(math.sqrt(spread.variance)) if spread else None,
        gpus_count=gpus_count(report),
        hosts_count=len(report.hosts),
        devices=device_names(report),
        usual_step=_usual_step(report.steps),
    )


def _usual_step(steps: Steps) -> str | None:
    judged = [column for column in steps.columns if column.judged] or steps.columns
    return min(judged, key=lambda one: abs(one.step_ns - steps.p50_ns)).id if judged else None


# ------------------------------------------------------------------------------------ verdict


class _Judged(Record, frozen=True):
    verdict: Verdict
    times: Times
    reasons: tuple[str, ...]
    caveats: tuple[str, ...]


def _judge(base: Report, new: Report, work: Work, drift: float) -> _Judged | str:
    """The verdict on the average step, or the reason why there is none.

    If outliers hide whether the usual steps changed, the usual steps decide.
    """
    if not step_ns(base) or not step_ns(new):
        return "Both runs need a complete step."
    lengths = step_lengths(base), step_lengths(new)
    samples = sample(lengths[0]), sample(lengths[1])
    if samples[0] is None or samples[1] is None:
        which = " and ".join(n for n, x in zip(("base", "new"), samples, strict=True) if x is None)
        return f"One or two steps do not tell how much steps differ by themselves: record ten ({which} run)."
    before = replace(samples[0], mean=step_ns(base))
    after = replace(samples[1], mean=step_ns(new)).scaled(float(1 / work.examples))
    times = _times(before, after, work.examples, drift)
    few = min(len(x) for x in lengths)
    caveats = _few(few, times)
    verdict = _verdict(times)
    if verdict != "same":
        return _Judged(verdict, times, (_exceeds(drift),), caveats)
    foretold = replace(times, noise_ns=round(noise_ns(before, after, foretold=True)))
    if work.examples == 1 and _verdict(foretold) == "better" and _is_foretold(base, new, -times.delta_ns):
        limit = ms(foretold.limit_ns)
        why = f"A finding that is gone foretold this, so a difference of more than {limit} counts."
        return _Judged("better", foretold, (why,), _few(few, foretold))
    within = _explain_same(times, drift, work)
    steady = _usual_times(lengths[0], lengths[1], work.examples, drift)
    if steady is not None and _verdict(steady) != "same":
        change = signed_percent(steady.change)
        why = (
            "Without the few steps that are much longer than the others, a step takes "
            f"{ms(steady.new_ns)} instead of {ms(steady.base_ns)} ({change}); with them the averages are too "
            "uncertain, or too close, to differ."
        )
        return _Judged(_verdict(steady), times, (why, _exceeds(drift)), caveats)
    if steady is not None:
        long = [f"{len(x) - len(without_outliers(x))} of {len(x)}" for x in lengths]
        within += (
            f" {long[0]} steps are much longer than the others before, {long[1]} now: record more steps to "
            "tell whether that has changed."
        )
    return _Judged("same", times, (within,), caveats)


def _few(steps_count: int, times: Times) -> tuple[str, ...]:
    """A caveat if one of the runs has few steps."""
    if steps_count >= FEW_STEPS:
        return ()
    least = percent(times.limit_ns / times.base_ns)
    runs = f"Only {count(steps_count, 'step')} in one of the runs"
    return (f"{runs}: no difference below {least} can be told.",)


def _is_foretold(base: Report, new: Report, gain_ns: int) -> bool:
    """Whether findings that are gone promised a gain, and both the step and the accounts that they claim
    became shorter by half of that at least."""
    left = {f.id for top in new.findings for f in (top, *top.explains)}
    gone = [f.saving for f in base.findings if f.id not in left and f.saving and f.saving.accounts]
    if not gone or not base.ledger or not new.ledger:
        return False
    promised = sum(saving.ns for saving in gone)
    claimed = {account for saving in gone for account in saving.accounts}
    before, after = (
        sum(row.ns for row in ledger.accounts if row.id in claimed) for ledger in (base.ledger, new.ledger)
    )
    return min(gain_ns, before - after) >= FORETOLD_RATIO * promised


def _exceeds(drift: float) -> str:
    return f"The difference is larger than the {_drift_text(drift)}."


def _explain_same(times: Times, drift: float, work: Work) -> str:
    """Why a difference does not count: launches, or the steps of one run, differ as much by themselves."""
    more = "To show a smaller difference, profile several launches a side."
    if abs(times.delta_ns) > times.noise_ns:
        what = "The step" if work.examples == 1 else "The same work"
        change = f"{percent(abs(times.change))} {'less' if times.delta_ns < 0 else 'more'} time"
        return f"{what} takes {change}: within the {_drift_text(drift)}. {more}"
    limit = f"{ms(times.limit_ns)} ({percent(times.limit_ns / times.base_ns)})"
    none = f"Differences up to {limit} are no difference here"
    if times.drift_ns > times.noise_ns:
        return f"{none}: they are within the {_drift_text(drift)}. {more}"
    return (
        f"{none}, by how much the steps of each run differ by themselves: more than the {_drift_text(drift)}."
    )


def _drift_text(drift: float) -> str:
    return f"{amount(drift, 'ratio')} by which launches of one training are taken to differ"


def _times(before: Sample, after: Sample, examples: Fraction, drift: float) -> Times:
    base_ns, new_ns = round(before.mean), round(after.mean)
    return Times(
        base_ns=base_ns,
        new_ns=new_ns,
        delta_ns=new_ns - base_ns,
        change=(new_ns - base_ns) / base_ns,
        noise_ns=round(noise_ns(before, after)),
        drift_ns=round(drift * base_ns),
        examples=float(examples),
    )


def _usual_times(base: Sequence[int], new: Sequence[int], examples: Fraction, drift: float) -> Times | None:
    """Times without outliers; ``None`` if there is no outlier."""
    kept = without_outliers(base), without_outliers(new)
    if (len(kept[0]), len(kept[1])) == (len(base), len(new)):
        return None
    before, after = sample(kept[0]), sample(kept[1])
    if before is None or after is None:
        return None
    return _times(before, after.scaled(float(1 / examples)), examples, drift)


def _verdict(times: Times) -> Verdict:
    return by_limit(times.delta_ns, times.limit_ns, within="same")


def _sentence(verdict: Verdict, times: Times, basis: Basis) -> str:
    what = "a step" if basis == "step" else "the work of one step of the base run"
    wide = verdict == "same" and times.limit_ns > WIDE_RATIO * times.base_ns
    opening = "No difference can be told" if wide else OPENINGS[verdict]
    return sentence(opening, what, times.base_ns, times.new_ns)


def _scaling_sentence(verdict: Verdict, scaling: Scaling) -> str:
    """The verdict on runs with different numbers of GPUs: speedup and share of the ideal."""
    times = (
        f"{count(scaling.more_gpus, 'GPU')} train {scaling.speedup:.2f} times as fast as {scaling.fewer_gpus}"
    )
    return f"{OPENINGS[verdict]}: {times}, {percent(scaling.efficiency)} of the ideal."


# ----------------------------------------------------------------------------- promised savings


def check_savings(base: Report, changes: Sequence[FindingChange], times: Times) -> SavingCheck | None:
    """What vanished findings promised, held against ``times``; ``None`` if none promised anything of the
    usual step."""
    gone = {c.id for c in changes if c.status == "vanished"}
    kept = [
        f for f in base.findings if f.id in gone and f.saving and (f.saving.accounts or not base.steps.rare)
    ]
    if not kept:
        return None
    promised = sum(f.saving.ns for f in kept if f.saving)
    bound = any(f.saving.bound for f in kept if f.saving)
    measured = -times.delta_ns
    what = "The finding that is gone" if len(kept) == 1 else f"The {len(kept)} findings that are gone"
    became = f"{ms(abs(measured))} {'shorter' if measured >= 0 else 'longer'}"
    sentence = (
        f"{what} promised {'up to' if bound else 'about'} {ms(promised)} per step; the step became {became}."
    )
    if max(abs(measured), promised) <= times.limit_ns:
        which = "noise" if times.noise_ns >= times.drift_ns else "drift between launches"
        sentence += f" Both are within the {which} of {ms(times.limit_ns)}."
    elif abs(measured - promised) <= times.noise_ns:
        sentence += " That is what was promised, within the noise."
    elif abs(measured - promised) <= times.drift_ns:
        sentence += " That is what was promised, within the drift between launches."
    elif measured > promised:
        sentence += f" The other {ms(measured - promised)} come from something else."
    elif measured <= 0:
        sentence += f" Something else made it {ms(promised - measured)} longer than promised."
    else:
        sentence += f" {ms(promised - measured)} did not come true, or something else took them."
    return SavingCheck(tuple(f.id for f in kept), promised, bound, measured, measured - promised, sentence)
