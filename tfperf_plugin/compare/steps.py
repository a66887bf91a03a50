"""The verdict on one launch a side, from the spread of the steps in each run.

Welch's test on the steps of both runs. Consecutive steps are correlated (clocks, temperature), so they count
as fewer independent steps. Occasional long steps widen the spread, as they should. A single launch does not
show how much launches differ (other work on the machine, clocks, placement); the user states that difference
as the drift.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.steps import MAD_TO_SIGMA, RARE_DEVIATIONS, RARE_FACTOR
from tfperf_plugin.compare.comparable import CommonWork
from tfperf_plugin.compare.findings import CHANGED_RATIO, ids_of, step_ns
from tfperf_plugin.compare.model import Decided, Times, Verdict
from tfperf_plugin.judging.engine.words import amount, count, ms, percent, signed_percent
from tfperf_plugin.proof.effect import by_limit
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import parse_value

DRIFT_RATIO: Final = 0.03
"""Share of the step by which findings of two launches may differ where no drift is stated. Our choice, for a
machine without other work; on a busy machine, equal launches have differed by 30 %."""

LEAST_STEPS: Final = 3
"""Two steps may agree by chance, so that the spread seems to be zero."""

ONE_LAUNCH: Final = (
    "One launch a side does not show by how much launches of this training differ without a change. Record "
    "six launches a side in random order, or state that difference: tfperf compare --drift 3%."
)

# With fewer steps in either run, noise hides all but large differences.
FEW_STEPS: Final = 5
# A gain of less than this share of what was promised is not what was foretold.
FORETOLD_RATIO: Final = 0.5

# Two-sided 99.9 % quantiles of Student's t by degrees of freedom: one in a thousand equal pairs counts as
# different. If steps drift slowly, it is up to one in a hundred: a few steps hardly show such a drift.
_T: Final = (
    (1, 636.6), (2, 31.60), (3, 12.92), (4, 8.610), (5, 6.869), (6, 5.959), (7, 5.408), (8, 5.041),
    (9, 4.781), (10, 4.587), (12, 4.318), (15, 4.073), (20, 3.850), (30, 3.646), (60, 3.460), (120, 3.373),
    (10**9, 3.291),
)  # fmt: skip

# Two-sided 95 % quantiles: one in forty equal pairs becomes shorter by as much.
_T_FORETOLD: Final = (
    (1, 12.71), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (6, 2.447), (8, 2.306), (10, 2.228),
    (15, 2.131), (30, 2.042), (60, 2.000), (10**9, 1.960),
)  # fmt: skip


class Sample(Record, frozen=True):
    """Mean, variance of the mean, and its degrees of freedom; times in ns."""

    mean: float
    variance: float
    freedom: float


def parse_drift(text: str | None) -> float | None:
    """Parses a drift such as ``5%`` or ``0.05``; ``None`` if none is stated. Raises BadOptionError."""
    typed = (text or "").strip()
    return parse_value(typed, "ratio", "drift between launches") if typed else None


def step_lengths(report: Report) -> tuple[int, ...]:
    """Lengths of the judged steps in ns, in order; with several hosts, each step's mean over them."""
    steps: dict[int, list[int]] = {}
    if report.by_host:
        for host in report.by_host:
            for step in host.steps:
                steps.setdefault(step.step, []).append(step.own_ns + step.wait_ns)
    else:
        for item in report.steps.items:
            if item.judged:
                steps.setdefault(item.number, []).append(round((item.end_ms - item.begin_ms) * 1e6))
    return tuple(round(fmean(steps[number])) for number in sorted(steps))


def are_too_few(report: Report) -> bool:
    """Whether the steps do not tell how much steps of this run differ by themselves."""
    lengths = step_lengths(report)
    return len(lengths) < LEAST_STEPS or min(lengths) <= 0 or not step_ns(report)


# ------------------------------------------------------------------------------------ verdict


def by_steps(base: Report, new: Report, work: CommonWork, stated: float | None) -> Decided:
    """The verdict on the average step of two runs, neither of which ``are_too_few`` steps.

    ``stated``: share of the step by which launches differ; without it nothing is proven.
    """
    drift = DRIFT_RATIO if stated is None else stated
    examples = float(work.examples)
    lengths = step_lengths(base), tuple(length / examples for length in step_lengths(new))
    before = replace(sample(lengths[0]), mean=step_ns(base))
    after = replace(sample(lengths[1]), mean=step_ns(new) / examples)
    times = _times(before, after, examples, drift)
    foretold = replace(times, noise_ns=round(noise_ns(before, after, foretold=True)))
    verdict, why = _verdict(times), f"The difference is larger than the {_drift_text(drift)}."
    reasons: tuple[str, ...] = (why,)
    if verdict == "same":
        if examples == 1 and _verdict(foretold) == "better" and _is_foretold(base, new, -times.delta_ns):
            verdict, times, limit = "better", foretold, ms(foretold.limit_ns)
            why = f"A finding that is gone foretold this, so a difference of more than {limit} counts."
            reasons = (why,)
        else:
            verdict, without = _without_outliers(lengths, times, drift)
            reasons = (without, why) if verdict != "same" else (_explain_same(times, drift) + without,)
    if stated is None:
        verdict, reasons = "unproven", (ONE_LAUNCH,)
    return Decided(verdict, times, reasons, _few(min(map(len, lengths)), times))


def _without_outliers(
    lengths: tuple[Sequence[float], Sequence[float]], times: Times, drift: float
) -> tuple[Verdict, str]:
    """The verdict on the usual steps, which decide if outliers hide whether these changed; and in words what
    outliers there are."""
    kept = [without_outliers(side) for side in lengths]
    if kept == [*lengths] or min(map(len, kept)) < LEAST_STEPS:
        return "same", ""
    steady = _times(sample(kept[0]), sample(kept[1]), times.examples, drift)
    verdict = _verdict(steady)
    if verdict != "same":
        return verdict, (
            "Without the few steps that are much longer than the others, a step takes "
            f"{ms(steady.new_ns)} instead of {ms(steady.base_ns)} ({signed_percent(steady.change)}); with "
            "them the averages are too uncertain, or too close, to differ."
        )
    long = [f"{len(x) - len(y)} of {len(x)}" for x, y in zip(lengths, kept, strict=True)]
    return verdict, (
        f" {long[0]} steps are much longer than the others before, {long[1]} now: record more steps to tell "
        "whether that has changed."
    )


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
    left = ids_of(new)
    gone = [f.saving for f in base.findings if f.id not in left and f.saving and f.saving.accounts]
    if not gone or not base.ledger or not new.ledger:
        return False
    promised = sum(saving.ns for saving in gone)
    claimed = {account for saving in gone for account in saving.accounts}
    before, after = (
        sum(row.ns for row in ledger.accounts if row.id in claimed) for ledger in (base.ledger, new.ledger)
    )
    return min(gain_ns, before - after) >= FORETOLD_RATIO * promised


def _explain_same(times: Times, drift: float) -> str:
    """Why a difference does not count: launches, or the steps of one run, differ as much by themselves."""
    more = "To show a smaller difference, profile several launches a side."
    if abs(times.delta_ns) > times.noise_ns:
        what = "The step" if times.examples == 1 else "The same work"
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


def _times(before: Sample, after: Sample, examples: float, drift: float) -> Times:
    noise = noise_ns(before, after)
    return Times.of(before.mean, after.mean, examples, noise_ns=noise, drift_ns=drift * round(before.mean))


def _verdict(times: Times) -> Verdict:
    return by_limit(times.delta_ns, times.limit_ns, within="same")


# ----------------------------------------------------------------------------------- sampling


def without_outliers(lengths: Sequence[float]) -> tuple[float, ...]:
    """The steps that the rule ``step-outliers`` does not call outliers."""
    middle = median(lengths)
    sigma = MAD_TO_SIGMA * median(abs(x - middle) for x in lengths)
    return tuple(x for x in lengths if x <= max(middle + RARE_DEVIATIONS * sigma, RARE_FACTOR * middle))


def sample(lengths: Sequence[float]) -> Sample:
    """The mean of at least two lengths, and its uncertainty."""
    mean = fmean(lengths)
    off = [x - mean for x in lengths]
    squares = sum(x * x for x in off)
    # Correlation of consecutive steps; only a positive one makes the mean less certain.
    correlation = sum(a * b for a, b in pairwise(off)) / squares if squares else 0.0
    correlation = min(max(correlation, 0.0), 0.9)
    independent = max(2.0, len(lengths) * (1 - correlation) / (1 + correlation))
    return Sample(mean, squares / (len(lengths) - 1) / independent, independent - 1)


def noise_ns(first: Sample, second: Sample, foretold: bool = False) -> float:
    """Differences of the two means up to this do not count.

    ``foretold``: a finding of the first run says that the mean falls if its cause is mended, and it is gone:
    such a fall needs less to be believed than any difference that is met by chance.
    """
    total = first.variance + second.variance
    least = CHANGED_RATIO * first.mean
    if not total:
        return least
    freedom = total**2 / sum(s.variance**2 / s.freedom for s in (first, second))
    return max(least, _quantile(freedom, _T_FORETOLD if foretold else _T) * math.sqrt(total))


def _quantile(freedom: float, table: Sequence[tuple[int, float]]) -> float:
    """The quantile at the next lower number of degrees in the table, which is the larger one."""
    return next(t for least, t in reversed(table) if least <= max(1.0, freedom))
