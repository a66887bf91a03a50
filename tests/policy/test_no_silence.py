"""Whoever pays most is named: no account but compute holds a tenth of a step without a word of advice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from demo.build import run_names
from demo.reports import demo_report
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import Report

MUCH = 0.1
DOUBTS = {rule.id: rule.doubts for rule in RULES}


def unsaid(report: Report) -> list[str]:
    """Accounts of a tenth of the step or more that no finding would shorten and no note casts doubt on."""
    said = {a for f in every((*report.findings, *report.trust)) for a in answered(f)}
    accounts = report.ledger.accounts if report.ledger else ()
    return [a.id for a in accounts if a.id != "compute" and a.ratio >= MUCH and a.id not in said]


def every(findings: Iterable[Finding]) -> Iterator[Finding]:
    for finding in findings:
        yield finding
        yield from every(finding.explains)


def answered(finding: Finding) -> Iterator[str]:
    yield from DOUBTS[finding.id]
    if finding.id == "warm-up-captured":  # it says to record later
        yield "idle.startup"
    if finding.saving:
        yield from (account for account, ns in finding.saving.accounts.items() if ns)


@pytest.mark.parametrize("name", run_names())
def test_no_demo_run_leaves_a_tenth_of_the_step_without_a_word(name: str) -> None:
    assert unsaid(demo_report(name)) == []
