"""Which findings appeared, vanished or changed, and what the rule says of the run without the finding."""

from __future__ import annotations

from typing import Final

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
    return tuple(
        sorted(changes, key=lambda c: (_ORDER.index(c.status), -max(c.base_ns or 0, c.new_ns or 0), c.id))
    )


_Found = tuple[Finding, str]
"""A finding, and the title of the finding that explains it, or ""."""


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
