"""The verdict repeats the first finding, and promises no more than the recording allows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from demo.build import scenario_names
from demo.reports import demo_report
from tests.reports import make_report
from tfperf_plugin.report import model
from tfperf_plugin.report.render.text import gain, to_markdown, to_text
from tfperf_plugin.report.render.verdict import verdict


@pytest.mark.parametrize("name", scenario_names())
def test_it_repeats_the_first_row(name: str) -> None:
    report = demo_report(name)
    found, text = verdict(report), to_text(report, color=False)
    assert found.first == (report.findings[0] if report.findings else None)
    if found.first:
        words = found.first.action or found.first.title
        assert words in text.split("Where a step goes")[0]
        assert f"{found.first.severity} · {gain(found.first.saving)}" in text.split("Where a step goes")[0]
    if found.first and found.first.saving and found.first.after and report.ledger:
        # Simulated runs gain about what the finding claims.
        brings = report.ledger.step_ns - found.first.after.ns
        assert 0.9 * found.first.saving.ns <= brings <= found.first.saving.ns
    assert to_markdown(report).startswith("# ")
    if found.evidence in ("thin", "none") and found.after:
        assert found.after.startswith(("≥", "at most"))


def test_groups_take_the_place_of_the_mean() -> None:
    report = make_report()
    groups = tuple(
        model.StepGroup(name, 2, (), ns, ns, ())
        for name, ns in (("3 hosts", 14_400_000), ("worker-3", 26_500_000))
    )
    found = verdict(replace(report, steps=replace(report.steps, groups=groups)))
    assert found.now == "14.4 ms on 3 hosts, 26.5 ms on worker-3"
    assert found.after == "14.9 ms · −32 %, 1.48× on average" or found.after.startswith("≥ 14.9 ms")


def test_a_thin_recording_promises_a_bound() -> None:
    thin = replace(make_report(), capture_quality=model.CaptureQuality("thin", ()))
    assert verdict(thin).after == "≥ 14.9 ms · −32 %, 1.48× at best"
