"""The board of runs: what the reports of many runs say, in a row each, beside a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, Literal, TypeVar

from tfperf_plugin.compare.build import compare
from tfperf_plugin.compare.comparable import common_work
from tfperf_plugin.compare.model import Verdict
from tfperf_plugin.judging.engine.words import count, ms, number_text, percent
from tfperf_plugin.judging.verdicts import Level, Severity
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import GpuKind, Report
from tfperf_plugin.report.panels.gpus import used_count

MAX_LENGTHS: Final = 60
"""Lengths of steps in a row. Of more steps, neighbors share a length: that of the longest."""
_BARS: Final = 20
"""Bars for steps in a terminal."""
WIDE: Final = 1.15
"""The 95th percentile of the steps counts from this many medians on."""

_T = TypeVar("_T")


class StepLength(Record, frozen=True):
    """The length of a step."""

    ns: int
    judged: bool  # false for partial and warm-up steps
    outlier: bool


class TopFinding(Record, frozen=True):
    """The first finding."""

    id: str
    title: str
    severity: Severity
    others: int  # how many more there are


class Against(Record, frozen=True):
    """A run beside the baseline."""

    verdict: Literal["base"] | Verdict  # that of the comparison; ``base`` for the baseline itself
    change: float | None = None  # of the step's time, negative if it takes less
    why: str = ""  # in a few words, why the two cannot be compared
    sentence: str = ""  # the verdict, or that reason, in full


class Outline(Record, frozen=True):
    """What the report of a run says, in a row."""

    gpus: tuple[GpuKind, ...]
    gpus_count: int
    hosts_count: int
    steps_count: int
    step_ns: int | None
    p50_ns: int | None
    p95_ns: int | None  # None unless it is 15 % above the median
    running_ratio: float | None  # share of the time watched in which steps ran; None: not watched
    lengths: tuple[StepLength, ...]  # at most 60, in time order
    compute_ratio: float | None
    active_ratio: float | None  # the key number ``gpu_busy_ratio``
    exposed_ns: int | None  # exposed transfer and straggler wait, None with one GPU alone
    finding: TopFinding | None
    settled: bool  # as in the report
    #: By how much a step is shorter once all findings are fixed, plus what findings on rare long steps save.
    recoverable_ns: int | None
    evidence: Level | None  # ``capture_quality``
    lacks: tuple[str, ...]  # what it lacks


class BoardRow(Record, frozen=True):
    """One run."""

    run: str
    recorded: str  # when, as its name says, in local time ("2026-01-01 00:00:00"), or ""
    outline: Outline | None = None  # None as long as there is no report
    against: Against | None = None  # likewise, or as long as there is no report of the baseline
    #: How far the analysis is; a ``share`` of None: it has not begun.
    stage: str = ""
    share: float | None = None
    error: str = ""  # why there is no report, as a sentence


class Board(Record, frozen=True):
    """The rows that were asked for. ``done``: whether none of them will change by itself."""

    rows: tuple[BoardRow, ...]
    done: bool


def texts(row: Outline) -> tuple[str, ...]:
    """The row for a terminal, in the order of ``HEADS``; "–" for what the profile does not say."""
    names = ", ".join(f"{kind.count} × {kind.name or 'GPU'}" for kind in row.gpus) or "no GPU"
    hosts = f" on {count(row.hosts_count, 'host')}" if row.hosts_count > 1 else ""
    recoverable = _text(row.recoverable_ns, "ns")
    if row.recoverable_ns and row.step_ns and row.p95_ns:
        # Where steps differ, no step is as long as their mean: then only the share of it tells.
        recoverable = f"{percent(row.recoverable_ns / row.step_ns)} a step"
    top = "–"
    if row.finding:
        more = f" +{row.finding.others}" if row.finding.others else ""
        top = f"{row.finding.title} ({row.finding.severity}){more}"
    return (
        f"{names}{hosts}",
        _text(row.p50_ns, "ns") + (f" (p95 {ms(row.p95_ns)})" if row.p95_ns else ""),
        _text(row.running_ratio, "ratio"),
        spark(row.lengths) or "–",
        _text(row.compute_ratio, "ratio"),
        _text(row.active_ratio, "ratio"),
        _text(row.exposed_ns, "ns"),
        recoverable,
        row.evidence or "–",
        "Nothing to fix" if row.settled else top,
    )


def _text(value: float | None, unit: str) -> str:
    return "–" if value is None else number_text(value, unit)


HEADS: Final = (
    "GPUs", "Step, median", "Steps run", "Each step", "Compute", "GPU active", "Exposed comm.", "Recoverable",
    "Evidence", "Top finding",
)  # fmt: skip


def spark(lengths: Sequence[StepLength]) -> str:
    """A bar for each step, as high as it is long; where there are many, for the longest of neighbors."""
    longest = max((length.ns for length in lengths), default=0) or 1
    bars = "▁▂▃▄▅▆▇█"
    drawn = _grouped(lengths, _BARS, lambda length: length.ns)
    return "".join(bars[max(0, len(bars) * length.ns - 1) // longest] for length in drawn)


def outline(report: Report) -> Outline:
    """The row of a report."""
    steps, ledger, quality = report.steps, report.ledger, report.capture_quality
    accounts = {a.id: a for a in ledger.accounts} if ledger else {}
    exposed_ns = sum(a.ns for id_, a in accounts.items() if id_.startswith("communication."))
    communicates = exposed_ns > 0 or used_count(report) > 1
    rare_ns = sum(f.saving.ns for f in report.findings if f.saving and not f.saving.accounts)
    gain_ns = ledger.step_ns - report.budget.projected_ns + rare_ns if ledger and report.budget else None
    if any(f.severity != "info" and not f.saving for f in report.findings):
        gain_ns = gain_ns or None  # what is lost between steps, for one, is more than nothing
    first, *others = report.findings or (None,)
    return Outline(
        gpus=report.gpus.kinds,
        gpus_count=report.gpus.total,
        hosts_count=report.machines_count,
        steps_count=steps.count,
        step_ns=ledger.step_ns if ledger else steps.mean_ns or None,
        p50_ns=steps.p50_ns or None,
        p95_ns=steps.p95_ns if steps.p95_ns > WIDE * steps.p50_ns else None,
        running_ratio=report.whole.running_ratio if report.whole else None,
        lengths=tuple(
            StepLength(column.step_ns, column.judged, column.outlier)
            for column in _grouped(steps.columns, MAX_LENGTHS, lambda column: column.step_ns)
        ),
        compute_ratio=(accounts["compute"].ratio if "compute" in accounts else 0.0) if ledger else None,
        active_ratio=report.key_numbers.gpu_busy_ratio,
        exposed_ns=exposed_ns if ledger and communicates else None,
        finding=TopFinding(first.id, first.title, first.severity, len(others)) if first else None,
        settled=report.settled,
        recoverable_ns=gain_ns,
        evidence=quality.level if quality else None,
        lacks=tuple(reason.text for reason in quality.reasons if not reason.ok) if quality else (),
    )


def against(base: Report, report: Report) -> Against:
    """``report`` beside the baseline; see ``compare``."""
    work = common_work(base, report)
    if work.obstacles:
        return Against("cannot_compare", None, work.short, work.obstacles[0])
    result = compare(base, report)
    if result.times is None:
        return Against("cannot_compare", None, "too few steps", " ".join(result.reasons))
    return Against(result.verdict, result.times.change, "", result.sentence)


def _grouped(items: Sequence[_T], most: int, length: Callable[[_T], int]) -> list[_T]:
    """At most ``most`` of the items: of neighbors, the longest."""
    groups = min(len(items), most)
    cuts = [len(items) * i // groups for i in range(groups + 1)] if groups else []
    return [max(items[begin:end], key=length) for begin, end in pairwise(cuts)]
