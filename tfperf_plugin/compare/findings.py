"""Which findings appeared, vanished or changed, and what the rule says where there is none any more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tfperf_plugin.compare.model import FindingChange, Status
from tfperf_plugin.judging.verdicts import Finding, Row
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.tried import amount

CHANGED_RATIO: Final = 0.01
"""A saving that differs by less than this share of the step is the same, however small the drift: it is the
report's least finding."""

_ORDER: Final[tuple[Status, ...]] = ("appeared", "vanished", "unchecked", "changed", "same")


def finding_changes(base: Report, new: Report, drift: float) -> tuple[FindingChange, ...]:
    """Every finding of either run once: by what became of it, then by what it costs.

    ``drift``: by what share of the step launches of one training differ.
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
"""A finding, and the title of the one that it is folded under, or ""."""


def _findings(report: Report) -> dict[str, _Found]:
    found: dict[str, _Found] = {}
    for finding in report.findings:
        found[finding.id] = finding, ""
        found.update({inner.id: (inner, finding.title) for inner in finding.explains})
    return found


def _change(
    before: _Found | None, after: _Found | None, base: Report, new: Report, drift: float
) -> FindingChange:
    (one, _), *_ = filter(None, (after, before))
    first, second = (f[0].saving.ns if f and f[0].saving else None for f in (before, after))
    note = ""
    status: Status
    if before and after:
        status = "changed" if _differs(before[0], after[0], base, new, drift) else "same"
        if before[1] != after[1]:
            note = f"now explained by: {after[1]}" if after[1] else f"before explained by: {before[1]}"
    elif after:
        status, note = "appeared", _said(one.id, base)
    else:
        unknown = one.id in _ids((*new.missing_data, *new.not_applicable, *new.errors))
        status, note = "unchecked" if unknown else "vanished", _said(one.id, new)
    saving = one.saving
    if status in ("appeared", "vanished") and saving and saving.ns <= drift * _step_ns(base, new):
        share = amount(drift, "ratio")
        note = f"{note} Its saving is within the {share} of a step by which launches may differ.".lstrip()
    return FindingChange(
        id=one.id,
        title=one.title,
        status=status,
        base_severity=before[0].severity if before else None,
        new_severity=after[0].severity if after else None,
        base_ns=first,
        new_ns=second,
        note=note,
    )


def _differs(before: Finding, after: Finding, base: Report, new: Report, drift: float) -> bool:
    first, second = before.saving, after.saving
    if first is None or second is None:
        return before.severity != after.severity or (first is None) != (second is None)
    # A severity that follows from the saving changes at a limit, however little the saving does.
    change = abs(first.ns - second.ns) / max(1, _step_ns(base, new))
    return change >= CHANGED_RATIO and change > drift


def _step_ns(base: Report, new: Report) -> int:
    """The longer of the two steps."""
    return max(r.ledger.step_ns if r.ledger else r.steps.mean_ns for r in (base, new))


def _said(rule: str, report: Report) -> str:
    """What a report says of a rule that found nothing there."""
    rows = (*report.passed, *report.not_applicable, *report.missing_data, *report.errors)
    return next((row.reason for row in rows if row.id == rule), "")


def _ids(rows: Iterable[Row]) -> set[str]:
    return {row.id for row in rows}
