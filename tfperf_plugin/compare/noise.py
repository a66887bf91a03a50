"""How far apart two average steps must be before they differ: from the spread of the runs' own steps.

Welch's test on the steps of both runs. Steps that follow each other are alike (clocks, temperature), so that
they count for fewer independent ones; long steps now and then widen the spread as they should.
What differs between launches (other work on the machine, clocks, placement) no single launch shows: how much
that may be is stated, as the drift.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import Final

from tfperf_plugin.analysis.artifacts.outliers import DEVIATIONS, FACTOR, MAD_TO_SIGMA
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.tried import parse_value

LEAST_RATIO: Final = 0.01
"""Smaller differences are none, whatever steps and drift say. Our choice, as in the report: less than 1 % is
no finding."""

DRIFT_RATIO: Final = 0.03
"""Launches of one training differ by up to this share of the step, unless stated otherwise. Our choice, for a
machine that does nothing else; on a busy one equal launches have differed by 30 %."""

LEAST_STEPS: Final = 3
"""Two steps that happen to be alike would say that all are."""

# Two-sided 99.9 % quantiles of Student's t by degrees of freedom: of a thousand pairs that do not differ one
# is told apart. Of steps that drift slowly up to one in a hundred is; few steps hardly show that they do.
_T: Final = (
    (1, 636.6), (2, 31.60), (3, 12.92), (4, 8.610), (5, 6.869), (6, 5.959), (7, 5.408), (8, 5.041),
    (9, 4.781), (10, 4.587), (12, 4.318), (15, 4.073), (20, 3.850), (30, 3.646), (60, 3.460), (120, 3.373),
    (10**9, 3.291),
)  # fmt: skip


class Sample(Record, frozen=True):
    """Mean, the variance of that mean, and the degrees of freedom behind it; times in ns."""

    mean: float
    variance: float
    freedom: float

    def scaled(self, factor: float) -> Sample:
        """The same for ``factor`` times the time."""
        return Sample(self.mean * factor, self.variance * factor**2, self.freedom)


def parse_drift(text: str | None) -> float:
    """The drift as a user types it, ``5%`` or ``0.05``; empty and None mean the usual one.

    Raises BadOptionError.
    """
    typed = (text or "").strip()
    return parse_value(typed, "ratio", "drift between launches") if typed else DRIFT_RATIO


def step_lengths(report: Report) -> tuple[int, ...]:
    """Judged steps in ns, in order; of several hosts the mean of those that train the same step."""
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


def usual(lengths: Sequence[int]) -> tuple[int, ...]:
    """The steps without those that ``step-outliers`` calls outliers."""
    middle = median(lengths)
    sigma = MAD_TO_SIGMA * median(abs(x - middle) for x in lengths)
    return tuple(x for x in lengths if x <= max(middle + DEVIATIONS * sigma, FACTOR * middle))


def sample(lengths: Sequence[int]) -> Sample | None:
    """Mean and its uncertainty; ``None`` with fewer than three steps."""
    if len(lengths) < LEAST_STEPS:
        return None
    mean = fmean(lengths)
    off = [x - mean for x in lengths]
    squares = sum(x * x for x in off)
    # Each step is like the one before it to this degree; only likeness takes certainty away.
    alike = sum(a * b for a, b in pairwise(off)) / squares if squares else 0.0
    alike = min(max(alike, 0.0), 0.9)
    independent = max(2.0, len(lengths) * (1 - alike) / (1 + alike))
    return Sample(mean, squares / (len(lengths) - 1) / independent, independent - 1)


def noise_ns(first: Sample, second: Sample) -> float:
    """Differences of the two means up to this are no difference."""
    total = first.variance + second.variance
    least = LEAST_RATIO * first.mean
    if not total:
        return least
    freedom = total**2 / sum(s.variance**2 / s.freedom for s in (first, second))
    return max(least, _quantile(freedom) * math.sqrt(total))


def _quantile(freedom: float) -> float:
    """Of the next lower number of degrees in the table, which is the larger quantile."""
    return next(t for least, t in reversed(_T) if least <= max(1.0, freedom))
