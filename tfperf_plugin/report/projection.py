"""The step once findings are fixed: one number and its range, for every part of a report.

The number is the step less what the findings save. Their savings hold what limits each of them, above all the
host, and never count a nanosecond twice. Only the input pipeline limits several fixes together: it needs as
long for a batch as before. A replay of the recorded step was no closer on simulated
runs with one and two causes; where one or two of three causes went, it was closer by 0.3 % of the step.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Collection
from pathlib import Path
from typing import Final

from tfperf_plugin.judging.verdicts import After, Finding
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report

ERRORS: Final = Path(__file__).parents[1] / "docs" / "accuracy.json"
"""Measured errors of projections for simulated runs; ``python -m demo.accuracy`` writes this file."""
PAGE: Final = "accuracy"


class PredictionError(Record, frozen=True):
    """How far projections of simulated runs were off."""

    low_ratio: float  # 5th percentile of (projected - simulated step) / recorded step
    high_ratio: float  # 95th percentile; positive: the step got shorter than projected
    runs: int  # simulated runs behind both
    page: str  # the documentation page with the details


def projected_ns(report: Report, fixed: Collection[str]) -> int:
    """The average step once the findings of the ids ``fixed`` are fixed, in ns."""
    assert report.ledger is not None
    step_ns = report.ledger.step_ns
    savings = [f.saving for f in report.findings if f.id in fixed and f.saving and f.saving.accounts]
    left = max(0, step_ns - sum(saving.ns for saving in savings))
    needed_ns = report.input.needed_ns if report.input else None
    if needed_ns is None or any(saving.frees_input for saving in savings):
        return left
    # The pipeline has kept up with the recorded step.
    return max(left, min(needed_ns, step_ns))


def after(report: Report, fixed: Collection[str]) -> After:
    """``projected_ns`` with its range, down to what remains if findings with the same causes go as well."""
    assert report.ledger is not None
    ns = projected_ns(report, fixed)
    chosen = [f for f in report.findings if f.id in fixed]
    beside = [f.id for f in report.findings if any(has_cause_of(f, one) for one in chosen)]
    found = likely(ns, report.ledger.step_ns)
    return After(ns, min(found.low_ns, projected_ns(report, {*fixed, *beside})), found.high_ns)


def likely(ns: int, step_ns: int) -> After:
    """A step projected to take ``ns`` in place of ``step_ns``, with the range that measured errors give."""
    error = published_error()
    low_ratio, high_ratio = (error.low_ratio, error.high_ratio) if error else (0.0, 0.0)
    least, most = round(ns - high_ratio * step_ns), round(ns - low_ratio * step_ns)
    return After(ns, max(0, min(ns, least)), max(ns, min(step_ns, most)))


def has_cause_of(waiting: Finding, other: Finding) -> bool:
    """Whether GPUs wait, as ``waiting`` says, for a kernel whose time ``other`` claims."""
    late = waiting.saving.late_kernel if waiting.saving else ""
    return bool(late and other.saving and late in other.saving.kernels)


@functools.cache
def published_error() -> PredictionError | None:
    """The measured error of projections; ``None`` if ``ERRORS`` cannot be read."""
    try:
        found = json.loads(ERRORS.read_text(encoding="utf-8"))["prediction"]
        return PredictionError(
            float(found["low_ratio"]), float(found["high_ratio"]), int(found["runs"]), PAGE
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
