"""No report says that anything reaches more than all of a peak."""

from __future__ import annotations

import re

import pytest

from demo.build import scenario_names
from demo.reports import demo_report
from tests.reports import rows
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.text import to_markdown

# "MFU 41 % of", "at 1.7 % of the peak", "70 % of the peak in fp16".
_SHARES = re.compile(r"(?:MFU|HFU)\W{0,6}([\d.,]+) %|([\d.,]+) % of (?:the|its) (?:peak|bound)")


def shares(report: Report) -> list[float]:
    """All shares of peaks and of bounds, 1 being all of it."""
    numbers = report.key_numbers
    found = [ratio for ratio in (numbers.mfu_ratio, numbers.hfu_ratio) if ratio is not None]
    for finding in report.findings:
        for each in (finding, *finding.explains):
            found += [
                float(e.value) for e in each.evidence if "share of the peak" in e.label and e.unit == "ratio"
            ]
    for row in rows(report, "ops"):
        if row.peak_ns is not None:
            found += [row.peak_ns / max(1, row.ns), row.bound_ratio or 0]
    said = (float((one or other).replace(",", "")) for one, other in _SHARES.findall(to_markdown(report)))
    return found + [percent / 100 for percent in said]


@pytest.mark.parametrize("name", scenario_names())
def test_no_share_of_a_peak_is_more_than_all_of_it(name: str) -> None:
    found = shares(demo_report(name))

    assert [share for share in found if not 0 <= share <= 1] == []


def test_shares_are_found_where_reports_have_them() -> None:
    assert len(shares(demo_report("slow_products"))) > 10
