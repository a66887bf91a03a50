"""Which findings appeared, vanished or changed, and what the rule says of the run without the finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.compare.model import FindingChange, Status
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.tried import amount

CHANGED_RATIO: Final = 0.01
"""Savings that differ by less than this share of the step are the same, however small the drift. It is also
the smallest saving that a report lists as a finding."""

_ORDER: Final[tuple[Status, ...]] = ("appeared", "vanished", "unchecked", "changed", "same")


def finding_changes(base: Report, new: Report, drift: float) -> tuple[FindingChange, ...]:
    """Every finding of either run once, by status, then by saving.

    ``drift``: share of the step by which launches of one training differ.
    """
    before, after = _findings(base), _findings(new)
    changes = [
        _change(before.get(rule), after.get(rule), base, new, drift)
        for rule in dict.fromkeys([*before, *after])
    ]
    return _sorted(changes)


def _sorted(changes: Sequence[FindingChange]) -> tuple[FindingChange, ...]:
    return tuple(
        sorted(changes, key=lambda c: (_ORDER.index(c.status), -max(c.base_ns or 0, c.new_ns or 0), c.id))
    )


def findings_of_several(
    base: Sequence[Report], new: Sequence[Report], drift: float
) -> tuple[FindingChange, ...]:
    """Every finding of any launch once, as ``finding_changes``. A side has a finding if more than half of its
    launches have it; notes say in how many."""
    sides = [[(report, _findings(report)) for report in side] for side in (base, new)]
    changes = []
    for rule in sorted({rule for side in sides for _, found in side for rule in found}):
        (before, first), (after, second) = (_typical(rule, side) for side in sides)
        counts = [sum(rule in found for _, found in side) for side in sides]
        words = f"In {counts[0]} of {len(base)} before, {counts[1]} of {len(new)} now."
        if first or second:
            change = _change(first, second, before, after, drift)
        else:
            any_of = next(found[rule] for side in sides for _, found in side if rule in found)[0]
            change = FindingChange(rule, any_of.title, "same", None, None, None, None, "")
        changes.append(replace(change, note=f"{words} {change.note}".strip()))
    return _sorted(changes)


def _typical(rule: str, side: Sequence[tuple[Report, dict[str, _Found]]]) -> tuple[Report, _Found | None]:
    """The launch whose saving is in the middle if most have the finding, else one without it."""
    having = [each for each in side if rule in each[1]]
    if 2 * len(having) <= len(side):
        return next(report for report, found in side if rule not in found), None
    having.sort(key=lambda each: saving.ns if (saving := each[1][rule][0].saving) else 0)
    report, found = having[(len(having) - 1) // 2]
    return report, found[rule]


_Found = tuple[Finding, str]
"""A finding, and the title of the finding that explains it, or ""."""


def ids_of(report: Report) -> frozenset[str]:
    """The ids of all findings, those that others explain among them."""
    return frozenset(_findings(report))


def _findings(report: Report) -> dict[str, _Found]:
    found: dict[str, _Found] = {}
    for finding in report.findings:
        found[finding.id] = finding, ""
        found.update({inner.id: (inner, finding.title) for inner in finding.explains})
    return found


def _change(
    before: _Found | None, after: _Found | None, base: Report, new: Report, drift: float
) -> FindingChange:
    (finding, _), *_ = filter(None, (after, before))
    base_ns, new_ns = (f[0].saving.ns if f and f[0].saving else None for f in (before, after))
    note = ""
    status: Status
    if before and after:
        status = "changed" if _differs(before[0], after[0], base, new, drift) else "same"
        if before[1] != after[1]:
            note = f"now explained by: {after[1]}" if after[1] else f"before explained by: {before[1]}"
    elif after:
        status, note = "appeared", _reason("Before", finding.id, base)
    else:
        unknown = any(row.id == finding.id for row in (*new.missing_data, *new.not_applicable, *new.errors))
        status, note = "unchecked" if unknown else "vanished", _reason("Now", finding.id, new)
    saving = finding.saving
    if status in ("appeared", "vanished") and saving and saving.ns <= drift * _longer_step_ns(base, new):
        share = amount(drift, "ratio")
        note = f"{note} Its saving is within the {share} of a step by which launches may differ.".lstrip()
    return FindingChange(
        id=finding.id,
        title=finding.title,
        status=status,
        base_severity=before[0].severity if before else None,
        new_severity=after[0].severity if after else None,
        base_ns=base_ns,
        new_ns=new_ns,
        note=note,
    )


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
