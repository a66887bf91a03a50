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
    between,
    between_ms,
    count,
    gigabytes,
    listing,
    ms,
    multiple,
    number_text,
    percent,
    signed_percent,
)
from tfperf_plugin.judging.verdicts import Snippet
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.verdict import with_words
from tfperf_plugin.report.render.agent import to_agent
from tfperf_plugin.report.render.html import to_html
from tfperf_plugin.report.render.lines import HOSTS_NAMED, no_finding, threshold_text
from tfperf_plugin.report.render.plain import escape
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


def test_text_has_headline_finding_and_counts() -> None:
    text = to_text(make_report(), color=False)
    assert "Step time     22.0 ms · 1 step" in text
    assert "up to 7.1 ms per step (32 %) · high confidence" in text
    assert "Waiting: 32 % (≥ 5.0 %)" in text
    assert "1 passed, 0 could not be checked" in text


@pytest.mark.parametrize("write", [lambda report: to_text(report, color=False), to_markdown])
def test_commands_stand_beside_the_advice_that_speaks_of_them(write: Callable[[model.Report], str]) -> None:
    report = make_report()
    (finding,) = report.findings
    fix = replace(finding.fix, snippets=(Snippet("shell", "check --one\ncheck --two"),))
    lines = [
        line.strip().removeprefix("$ ")
        for line in write(replace(report, findings=(replace(finding, fix=fix),))).split("\n")
    ]

    assert lines[lines.index("check --one") + 1] == "check --two"


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


@pytest.mark.parametrize("write", [lambda report: to_text(report, color=False), to_html])
def test_a_few_hosts_are_named_and_many_counted(write: Callable[[model.Report], str]) -> None:
    names = [f"worker-{i}" for i in range(HOSTS_NAMED + 1)]
    few, many = (
        write(replace(make_report(), hosts=tuple(hosts), machines_count=len(hosts)))
        for hosts in (names[:-1], names)
    )

    assert " · " + ", ".join(names[:-1]) + " · " in few
    assert f" · {HOSTS_NAMED + 1} hosts · " in many
    assert "worker-" not in many


@pytest.mark.parametrize("write", [lambda report: to_text(report, color=False), to_markdown, to_html])
def test_what_xprof_cannot_show_is_called_by_what_recorded_it(write: Callable[[model.Report], str]) -> None:
    ours = replace(make_report(), source="TensorFlow or JAX profiler")
    theirs = replace(make_report(), source="PyTorch profiler", viewer="Perfetto")

    assert "TensorFlow or JAX" not in write(ours)
    assert "1 of 1 GPU (A100) · PyTorch profiler" in write(theirs).replace("\\", "")


@pytest.mark.parametrize("write", [lambda report: to_text(report, color=False), to_markdown, to_html])
def test_what_is_no_step_is_not_called_one(write: Callable[[model.Report], str]) -> None:
    report = make_report()
    none = write(with_words(replace(report, steps=replace(report.steps, unit=""))))

    assert "Step budget" in write(report)
    assert "Recorded time" in none
    assert "the recorded time" in none
    assert "Step budget" not in none
    assert "Where a step goes" not in none


def test_colour_only_where_asked() -> None:
    assert "\x1b[" in to_text(make_report(), color=True)
    assert "\x1b" not in to_text(make_report(), color=False)


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


def test_a_range_whose_ends_read_the_same_stands_once() -> None:
    assert between(19_200_000, 23_200_000) == "19.2–23.2 ms"
    assert between(900_000, 1_200_000_000) == "0.90 ms–1.20 s"
    assert between(30_390_000, 30_410_000) == "30.4 ms"
    assert between_ms(96.2131, 1118.1) == "96.213–1,118.100 ms"
    assert between_ms(30.4001, 30.4002) == "30.400 ms"


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


def test_bytes_and_lists() -> None:
    assert gigabytes(16_945_512_448) == "16.9 GB"
    assert gigabytes(4) == "4 B"
    assert count(1, "step") == "1 step"
    assert count(3, "has", "have") == "3 have"
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(list("abcdef")) == "a, b, c and 3 more"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("@octocat", "@&#8203;octocat"),
        ("a@b.example", "a@&#8203;b.example"),
        ("Stream #7", "Stream \\#&#8203;7"),
        ("octo/cat#12", "octo/cat\\#&#8203;12"),
        ("GH-12", "GH-&#8203;12"),
        ("https://a.example", "https:&#8203;//a.example"),
        ("WWW.a.example", "WWW&#8203;.a.example"),
        ("aten::mm, 3 @ 5 ms, C# and width-12", "aten::mm, 3 @ 5 ms, C\\# and width-12"),
        ("&#64;octocat", "&amp;\\#&#8203;64;octocat"),
    ],
)
def test_what_github_would_link_is_taken_apart(name: str, written: str) -> None:
    assert escape(name) == written
