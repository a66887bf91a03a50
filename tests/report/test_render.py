"""Text and Markdown show the report's numbers, and nothing from a profile becomes markup or an escape."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.reports import make_report
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.words import (
    amount,
    gigabytes,
    ms,
    multiple,
    number_text,
    percent,
    signed_percent,
)
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.verdict import with_words
from tfperf_plugin.report.render.agent import to_agent
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.lines import no_finding, threshold_text
from tfperf_plugin.report.render.text import to_markdown, to_text


@pytest.mark.parametrize("checked", [0, 1])
def test_what_the_recording_lets_check_is_said(checked: int) -> None:
    """A critical note and no step of a GPU: some checks of the host may have passed."""
    report = make_report()
    note = replace(report.findings[0], severity="critical")
    blocked = replace(report, ledger=None, trust=(note,), passed=report.passed[:checked])

    where = " on the GPU" if checked else ""
    assert no_finding(blocked) == f"Nothing{where} could be checked: fix the recording first."
    starting = replace(report, headline="Most of what was recorded is start-up.")
    assert no_finding(starting) == "Not judged: these times tell little of later steps."


@pytest.mark.parametrize(
    ("write", "line"),
    [
        (lambda report: to_text(report, color=False), "$ {}"),
        (to_markdown, "    {}"),
        (to_html, "<code>{}</code>"),
        (to_agent, "next: {}"),
    ],
)
def test_what_tells_most_of_a_healthy_step_is_a_command_by_itself(
    write: Callable[[model.Report], str], line: str
) -> None:
    command = "ncu --set full --kernel-name regex:gemm --launch-count 1 PROGRAM"
    report = make_report(severity="info")
    (finding,) = report.findings
    own = replace(report, findings=(replace(finding, command="A=1 python train.py"),))
    written = write(with_words(replace(own, settled=True, measure=command)))

    assert line.format(command) in written
    assert written.count("ncu") == 1


@pytest.mark.parametrize("write", [lambda report: to_text(report, color=False), to_markdown, to_html])
def test_what_is_no_step_is_not_called_one(write: Callable[[model.Report], str]) -> None:
    report = make_report()
    none = write(with_words(replace(report, steps=replace(report.steps, unit=""))))

    assert "Step budget" in write(report)
    assert "Recorded time" in none
    assert "the recorded time" in none
    assert "Step budget" not in none
    assert "Where a step goes" not in none


# The page's tests read the same table.
NUMBERS = json.loads((Path(__file__).parent.parent / "numbers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("ns", "text"), NUMBERS["durations"])
def test_milliseconds(ns: float, text: str) -> None:
    assert ms(ns) == text


@pytest.mark.parametrize(("ratio", "text"), NUMBERS["shares"])
def test_percent(ratio: float, text: str) -> None:
    assert percent(ratio) == text


@pytest.mark.parametrize(("ratio", "text"), NUMBERS["multiples"])
def test_multiples(ratio: float, text: str) -> None:
    assert multiple(ratio) == text


@pytest.mark.parametrize(("size", "text"), NUMBERS["bytes"])
def test_bytes(size: float, text: str) -> None:
    assert gigabytes(size) == text


@pytest.mark.parametrize(("ratio", "text"), NUMBERS["changes"])
def test_changes(ratio: float, text: str) -> None:
    assert signed_percent(ratio) == text


@pytest.mark.parametrize(("value", "unit", "text"), NUMBERS["thresholds"])
def test_thresholds_to_type(value: float, unit: str, text: str) -> None:
    assert amount(value, unit) == text


@pytest.mark.parametrize(("value", "unit", "text"), NUMBERS["quantities"])
def test_quantities(value: float | str, unit: str, text: str) -> None:
    assert number_text(value, unit) == text


def test_a_threshold_says_on_which_side_its_value_lies() -> None:
    short = Evidence("mean kernel", 6_000, "ns", 40_000)
    [found] = make_report().findings
    report = replace(make_report(), findings=(replace(found, evidence=(short, *found.evidence)),))
    assert "mean kernel: 6.0 µs (≤ 40 µs)" in to_text(report, color=False)
    assert "**Measured**\n\n- mean kernel: 6.0 µs (≤ 40 µs)" in to_markdown(report)
    page = to_html(report)
    assert '<td class="n">≤ 40 µs</td>' in page
    assert '<td class="n">≥ 5.0 %</td>' in page
    assert threshold_text(Evidence("link", "PCIe", "text")) == ""
