"""The board of runs: what the reports of many runs say, in a row each, beside a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, Literal, TypeVar

from tfperf_plugin.compare.build import compare
from tfperf_plugin.compare.model import Verdict
from tfperf_plugin.compare.same import common_work
from tfperf_plugin.judging.engine.words import count, ms, percent
from tfperf_plugin.judging.verdicts import Severity
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import GpuKind, Report

MAX_LENGTHS: Final = 60
"""Lengths of steps in a row. Of more steps, neighbors share a length: that of the longest."""
_BARS: Final = 20
"""Bars for steps in a terminal."""
WIDE: Final = 1.15
"""The 95th percentile of the steps counts from this many medians on."""

_N = TypeVar("_N", int, float)
_T = TypeVar("_T")
Level = Literal["strong", "fair", "thin", "none"]


class StepLength(Record, frozen=True):
    """The length of a step. ``judged``: false for partial and warm-up steps."""

    ns: int
    judged: bool
    outlier: bool


class TopFinding(Record, frozen=True):
    """The first finding. ``others``: how many more there are."""

    id: str
    title: str
    severity: Severity
    others: int


class Against(Record, frozen=True):
    """A run beside the baseline.

    ``verdict``: that of the comparison, or ``base`` for the baseline itself; ``change``: of the step's time,
    negative if it takes less; ``why``: in a few words, why the two cannot be compared; ``sentence``: the
    verdict, or that reason, in full.
    """

    verdict: Literal["base"] | Verdict
    change: float | None = None
    why: str = ""
    sentence: str = ""


class Outline(Record, frozen=True):
    """What the report of a run says, in a row.

    ``p95_ns``: ``None`` unless it is 15 % above the median. ``lengths``: at most 60, in time order.
    ``active_ratio``: the key number ``gpu_busy_ratio``. ``exposed_ns``: exposed transfer and straggler wait,
    ``None`` with one GPU. ``settled``: as in the report. ``recoverable_ns``: by how much a step is shorter
    once all findings are fixed, plus what findings on rare long steps save. ``evidence``: ``capture_quality``
    and what it lacks.
    """

    gpus: tuple[GpuKind, ...]
    gpus_count: int
    hosts_count: int
    steps_count: int
    step_ns: int | None
    p50_ns: int | None
    p95_ns: int | None
    lengths: tuple[StepLength, ...]
    compute_ratio: float | None
    active_ratio: float | None
    exposed_ns: int | None
    finding: TopFinding | None
    settled: bool
    recoverable_ns: int | None
    evidence: Level | None
    lacks: tuple[str, ...]


class BoardRow(Record, frozen=True):
    """One run. ``recorded``: when, as its name says, in local time ("2026-01-01 00:00:00"), or "".

    ``outline`` and ``against`` are ``None`` as long as there is no report; ``against`` also as long as there
    is none of the baseline. ``stage`` and ``share``: how far the analysis is; a ``share`` of ``None`` means
    that it has not begun. ``error``: why there is no report, as a sentence.
    """

    run: str
    recorded: str
    outline: Outline | None = None
    against: Against | None = None
    stage: str = ""
    share: float | None = None
    error: str = ""


class Board(Record, frozen=True):
    """The rows that were asked for. ``done``: whether none of them will change by itself."""

    rows: tuple[BoardRow, ...]
    done: bool


def texts(row: Outline) -> tuple[str, ...]:
    """The row for a terminal, in the order of ``HEADS``; "–" for what the profile does not say."""
    names = ", ".join(f"{kind.count} × {kind.name or 'GPU'}" for kind in row.gpus) or "no GPU"
    hosts = f" on {count(row.hosts_count, 'host')}" if row.hosts_count > 1 else ""
    more = f" +{row.finding.others}" if row.finding and row.finding.others else ""
    top = f"{row.finding.title} ({row.finding.severity}){more}" if row.finding else "–"
    return (
        f"{names}{hosts}",
        _or_dash(row.p50_ns, ms) + (f" (p95 {ms(row.p95_ns)})" if row.p95_ns else ""),
        spark(row.lengths) or "–",
        _or_dash(row.compute_ratio, percent),
        _or_dash(row.active_ratio, percent),
        _or_dash(row.exposed_ns, ms),
        _recoverable(row),
        row.evidence or "–",
        "Nothing to fix" if row.settled else top,
    )


def _recoverable(row: Outline) -> str:
    """Where steps differ, no step is as long as their mean: then only the share of it tells."""
    if row.recoverable_ns and row.step_ns and row.p95_ns:
        return f"{percent(row.recoverable_ns / row.step_ns)} of all"
    return _or_dash(row.recoverable_ns, ms)


HEADS: Final = (
    "GPUs", "Step, median", "Each step", "Compute", "GPU active", "Exposed comm.", "Recoverable", "Evidence",
    "Top finding",
)  # fmt: skip


def spark(lengths: Sequence[StepLength]) -> str:
    """A bar for each step, as high as it is long; where there are many, for the longest of neighbors."""
    longest = max((length.ns for length in lengths), default=0) or 1
    bars = "▁▂▃▄▅▆▇█"
    drawn = _grouped(lengths, _BARS, lambda length: length.ns)
    return "".join(bars[max(0, len(bars) * length.ns - 1) // longest] for length in drawn)


def _or_dash(value: _N | None, words: Callable[[_N], str]) -> str:
    return "–" if value is None else words(value)


def outline(report: Report) -> Outline:
    """The row of a report."""
    steps, ledger = report.steps, report.ledger
    average = {a.id: a.ratio for a in ledger.accounts} if ledger else {}
    first = report.findings[0] if report.findings else None
    quality = report.capture_quality
    return Outline(
        gpus=report.gpus.kinds,
        gpus_count=report.gpus.total,
        hosts_count=len(report.hosts),
        steps_count=steps.count,
        step_ns=ledger.step_ns if ledger else steps.mean_ns or None,
        p50_ns=steps.p50_ns or None,
        p95_ns=steps.p95_ns if steps.p95_ns > WIDE * steps.p50_ns else None,
        lengths=_lengths(report),
        compute_ratio=average.get("compute", 0.0) if ledger else None,
        active_ratio=report.key_numbers.gpu_busy_ratio,
        exposed_ns=sum(a.ns for a in ledger.accounts if a.id.startswith("communication."))
        if ledger and sum(d.participates for d in report.devices) > 1
        else None,
        finding=TopFinding(first.id, first.title, first.severity, len(report.findings) - 1)
        if first
        else None,
        settled=report.settled,
        recoverable_ns=_recoverable_ns(report),
        evidence=quality.level if quality else None,
        lacks=tuple(reason.text for reason in quality.reasons if not reason.ok) if quality else (),
    )


def _recoverable_ns(report: Report) -> int | None:
    if report.ledger is None or report.budget is None:
        return None
    rare_ns = sum(f.saving.ns for f in report.findings if f.saving and not f.saving.accounts)
    return report.ledger.step_ns - report.budget.projected_ns + rare_ns


def against(base: Report, report: Report) -> Against:
    """``report`` beside the baseline; see ``compare``."""
    work = common_work(base, report)
    if work.obstacles:
        return Against("cannot_compare", None, work.short, work.obstacles[0])
    result = compare(base, report)
    if result.times is None:
        return Against("cannot_compare", None, "too few steps", " ".join(result.reasons))
    return Against(result.verdict, result.times.change, "", result.sentence)


def _lengths(report: Report) -> tuple[StepLength, ...]:
    columns = _grouped(report.steps.columns, MAX_LENGTHS, lambda column: column.step_ns)
    return tuple(StepLength(column.step_ns, column.judged, column.outlier) for column in columns)


def _grouped(items: Sequence[_T], most: int, length: Callable[[_T], int]) -> list[_T]:
    """At most so many of the items: of neighbors, the longest."""
    groups = min(len(items), most)
    cuts = [len(items) * i // groups for i in range(groups + 1)] if groups else []
    return [max(items[begin:end], key=length) for begin, end in pairwise(cuts)]
