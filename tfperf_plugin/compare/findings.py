"""Which findings appeared, vanished or changed, and what was predicted without those that vanished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfperf_plugin.compare.model import FindingChange, SavingCheck, Status, Times
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import amount, listing, ms
from tfperf_plugin.judging.verdicts import After, Finding
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.panels.verdict import after_words
from tfperf_plugin.report.projection import after

CHANGED_RATIO: Final = LEAST.default
"""Smaller differences never count, however small the drift: a report lists no smaller saving."""

_ORDER: Final[tuple[Status, ...]] = ("appeared", "vanished", "unchecked", "changed", "same")

_Found = tuple[Finding, str]
"""A finding, and the title of the finding that explains it, or ""."""


def finding_changes(base: Sequence[Report], new: Sequence[Report], drift: float) -> tuple[FindingChange, ...]:
    """Every finding of any launch once, by status, then by saving.

    A side has a finding if more than half of its launches have it; of several launches, notes say in how
    many. ``drift``: share of the step by which launches of one training differ.
    """
    sides = [[(report, _findings(report)) for report in side] for side in (base, new)]
    changes = []
    for rule in dict.fromkeys(rule for side in sides for _, found in side for rule in found):
        (before, first), (after, second) = (_typical(rule, side) for side in sides)
        any_of = next(found[rule][0] for side in sides for _, found in side if rule in found)
        status, note = _status(first, second, rule, before, after, drift)
        (finding, _), *_ = filter(None, (second, first, (any_of, "")))
        if len(base) + len(new) > 2:
            counts = [sum(rule in found for _, found in side) for side in sides]
            note = f"In {counts[0]} of {len(base)} before, {counts[1]} of {len(new)} now. {note}".strip()
        changes.append(
            FindingChange(
                id=rule,
                title=finding.title,
                status=status,
                base_severity=first[0].severity if first else None,
                new_severity=second[0].severity if second else None,
                base_ns=first[0].saving.ns if first and first[0].saving else None,
                new_ns=second[0].saving.ns if second and second[0].saving else None,
                note=note,
            )
        )
    return tuple(
        sorted(changes, key=lambda c: (_ORDER.index(c.status), -max(c.base_ns or 0, c.new_ns or 0), c.id))
    )


def _typical(rule: str, side: Sequence[tuple[Report, dict[str, _Found]]]) -> tuple[Report, _Found | None]:
    """The launch whose saving is in the middle if most have the finding, else one without it."""
    having = [each for each in side if rule in each[1]]
    if 2 * len(having) <= len(side):
        return next(report for report, found in side if rule not in found), None
    having.sort(key=lambda each: saving.ns if (saving := each[1][rule][0].saving) else 0)
    report, found = having[(len(having) - 1) // 2]
    return report, found[rule]


def ids_of(report: Report) -> frozenset[str]:
    """The ids of all findings, those that others explain among them."""
    return frozenset(_findings(report))


def _findings(report: Report) -> dict[str, _Found]:
    found: dict[str, _Found] = {}
    for finding in report.findings:
        found[finding.id] = finding, ""
        found.update({inner.id: (inner, finding.title) for inner in finding.explains})
    return found


def _status(
    before: _Found | None, after: _Found | None, rule: str, base: Report, new: Report, drift: float
) -> tuple[Status, str]:
    """What became of a finding, and a note on it; ``before`` and ``after``: ``None`` if a side lacks it."""
    if before and after:
        status: Status = "changed" if _differs(before[0], after[0], base, new, drift) else "same"
        if before[1] == after[1]:
            return status, ""
        return status, f"now explained by: {after[1]}" if after[1] else f"before explained by: {before[1]}"
    if after:
        (finding, _), status, note = after, "appeared", _reason("Before", rule, base)
    elif before:
        unknown = any(row.id == rule for row in (*new.missing_data, *new.not_applicable, *new.errors))
        (finding, _), note = before, _reason("Now", rule, new)
        if unknown:
            return "unchecked", note
        status = "vanished"
    else:
        return "same", ""
    if finding.saving and finding.saving.ns <= drift * _longer_step_ns(base, new):
        share = amount(drift, "ratio")
        note = f"{note} Its saving is within the {share} of a step by which launches may differ.".lstrip()
    return status, note


def _differs(before: Finding, after: Finding, base: Report, new: Report, drift: float) -> bool:
    first, second = before.saving, after.saving
    if first is None or second is None:
        return before.severity != after.severity or (first is None) != (second is None)
    # Severities follow from savings: a tiny change of the saving may cross a limit, so only savings count.
    change = abs(first.ns - second.ns) / max(1, _longer_step_ns(base, new))
    return change >= CHANGED_RATIO and change > drift


def _longer_step_ns(base: Report, new: Report) -> int:
    return max(step_ns(base), step_ns(new))


def step_ns(report: Report) -> int:
    """The average step in the ledger, else the average step of the host; 0 without steps."""
    return report.ledger.step_ns if report.ledger else report.steps.mean_ns


def _reason(when: str, rule: str, report: Report) -> str:
    """What the report says of a rule without a finding."""
    rows = (*report.passed, *report.not_applicable, *report.missing_data, *report.errors)
    return next((f"{when}: {row.reason}" for row in rows if row.id == rule and row.reason), "")


def check_savings(
    base: Report, changes: Sequence[FindingChange], times: Times, is_proven: bool
) -> SavingCheck | None:
    """What the base report predicted without the findings that vanished, held against ``times``; ``None`` if
    it predicted nothing of the usual step."""
    gone = {c.id for c in changes if c.status == "vanished"}
    savings = {f.id: f.saving for f in base.findings if f.id in gone and f.saving and f.saving.accounts}
    if not savings or not base.ledger:
        return None
    predicted, step = after(base, savings), base.ledger.step_ns
    promised, measured = step - predicted.ns, -times.delta_ns
    # Of several launches, or for other work, a step of the base run is not the report's mean.
    low, ns, high = (
        max(0, times.base_ns - step + x) for x in (predicted.low_ns, predicted.ns, predicted.high_ns)
    )
    said = after_words(base, (1,), After(ns, low, high))
    came = _came(times, promised) if is_proven else _in_range(times.new_ns, low, high) if said.likely else ""
    titles = listing([f.title for f in base.findings if f.id in savings], 3)
    foretold = f"{said.time} ({said.likely})" if said.likely else said.time
    return SavingCheck(
        findings=tuple(savings),
        promised_ns=promised,
        low_ns=low,
        high_ns=high,
        measured_ns=measured,
        other_ns=measured - promised,
        sentence=f"Predicted with {titles} fixed: {foretold}. It became {ms(times.new_ns)}. {came}".rstrip(),
    )


def _in_range(ns: int, low: int, high: int) -> str:
    """What one launch a side says of a prediction."""
    if low <= ns <= high:
        return "That is within the range."
    return (
        f"That is {ms(low - ns)} below the range."
        if ns < low
        else f"That is {ms(ns - high)} above the range."
    )


def _came(times: Times, promised: int) -> str:
    """What a proven difference says of a prediction."""
    measured = -times.delta_ns
    if max(abs(measured), promised) <= times.limit_ns:
        which = "noise" if times.noise_ns >= times.drift_ns else "drift between launches"
        return f"Both differences are within the {which} of {ms(times.limit_ns)}."
    if abs(measured - promised) <= times.noise_ns:
        return "That is what was predicted, within the noise."
    if abs(measured - promised) <= times.drift_ns:
        return "That is what was predicted, within the drift between launches."
    if measured > promised:
        return f"The other {ms(measured - promised)} come from something else."
    if measured <= 0:
        return f"Something else made it {ms(promised - measured)} longer than predicted."
    return f"{ms(promised - measured)} did not come true, or something else took them."
