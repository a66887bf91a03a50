"""How far apart two average steps must be to count as different, from the spread of the steps in each run.

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

from tfperf_plugin.analysis.steps import MAD_TO_SIGMA, RARE_DEVIATIONS, RARE_FACTOR
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.tried import parse_value

LEAST_RATIO: Final = 0.01
"""Smaller differences never count. Our choice, as in the report: a saving below 1 % is no finding."""

DRIFT_RATIO: Final = 0.03
"""Share of the step by which findings of two launches may differ where no drift is stated. Our choice, for a
machine without other work; on a busy machine, equal launches have differed by 30 %."""

LEAST_STEPS: Final = 3
"""Two steps may agree by chance, so that the spread seems to be zero."""

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

    def scaled(self, factor: float) -> Sample:
        """The sample with all times multiplied by ``factor``."""
        return Sample(self.mean * factor, self.variance * factor**2, self.freedom)


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


def without_outliers(lengths: Sequence[int]) -> tuple[int, ...]:
    """The steps that the rule ``step-outliers`` does not call outliers."""
    middle = median(lengths)
    sigma = MAD_TO_SIGMA * median(abs(x - middle) for x in lengths)
    return tuple(x for x in lengths if x <= max(middle + RARE_DEVIATIONS * sigma, RARE_FACTOR * middle))


def sample(lengths: Sequence[int]) -> Sample | None:
    """The mean and its uncertainty; ``None`` with fewer than three steps."""
    if len(lengths) < LEAST_STEPS:
        return None
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
    least = LEAST_RATIO * first.mean
    if not total:
        return least
    freedom = total**2 / sum(s.variance**2 / s.freedom for s in (first, second))
    return max(least, _quantile(freedom, _T_FORETOLD if foretold else _T) * math.sqrt(total))


def _quantile(freedom: float, table: Sequence[tuple[int, float]]) -> float:
    """The quantile at the next lower number of degrees in the table, which is the larger one."""
    return next(t for least, t in reversed(table) if least <= max(1.0, freedom))
