"""The two sentences that open the report."""

from __future__ import annotations

from tests.builders import Host, each, inputs
from tfperf_plugin.report.headline import headline


def _advice(compute: float) -> str:
    host = Host()
    host.steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + compute))
    found = inputs(host)
    return headline(found.trace, found.steps, found.ledger, [])[1]


def test_without_findings_there_is_nothing_to_fix() -> None:
    assert _advice(96) == "Nothing to fix above 5 % of a step."


def test_time_that_no_check_explains_is_not_called_fine() -> None:
    assert "No check explains the 40 % that goes to idling for a reason" in _advice(60)
