"""Thresholds that are tried out: how they are written, and what they change."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from demo.build import build
from tests.reports import make_report
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.execution.analyze import build_report
from tfperf_plugin.judging import former
from tfperf_plugin.judging.engine.rule import trying
from tfperf_plugin.judging.engine.severity import SEVERITIES, severity_of
from tfperf_plugin.judging.engine.words import amount
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.report.model import TriedThreshold
from tfperf_plugin.report.options import (
    Options,
    OtherThreshold,
    parse_options,
    parse_thresholds,
    tried_line,
    tried_rows,
    values,
)
from tfperf_plugin.report.render.text import to_markdown, to_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("gpu-stagger:spread-of-first-kernels=2%", 0.02),
        ("gpu-stagger:spread-of-first-kernels:2 %", 0.02),
        (" gpu-stagger:spread-of-first-kernels = 0.02 ", 0.02),
        ("gpu-stagger:spread-of-first-kernels=100 %", 1),
        ("kernel-launch-bound:mean-kernel=40 µs", 40_000),
        ("kernel-launch-bound:mean-kernel=0.04ms", 40_000),
        ("excessive-memcpy:bytes-read-back-after-the-last-kernel=2 MB", 2_000_000),
        ("excessive-memcpy:bytes-read-back-after-the-last-kernel=1KiB", 1024),
        ("allreduce-slow:transfer-against-what-the-link-allows=1.2 times", 1.2),
        ("step-outliers:judged-steps=20", 20),
        ("severity:warning=2 %", 0.02),
    ],
)
def test_a_threshold_is_read_with_its_unit(text: str, value: float) -> None:
    (threshold,) = parse_thresholds([text])

    assert threshold.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("gpu-stagger", "RULE:THRESHOLD=VALUE"),
        ("gpu-stagger:spread-of-first-kernels=", "RULE:THRESHOLD=VALUE"),
        ("gpu-stagger:spread-of-first-kernels=2", "Write 2 %"),
        ("gpu-stagger:spread-of-first-kernels=-1 %", "like 2 % or 0.02"),
        ("gpu-stagger:spread-of-first-kernels=0", "above 0"),
        ("gpu-stagger:spread-of-first-kernels=101 %", "at most 100 %"),
        ("gpu-stagger:spread-of-first-kernels=nan", "like 2 % or 0.02"),
        ("gpu-stagger:spread-of-first-kernels=1e999", "like 2 % or 0.02"),
        ("kernel-launch-bound:mean-kernel=40", "like 40 µs"),
        ("gpu-stagger:gap=2 %", "spread-of-first-kernels (2 %)"),
        ("slow-host:hosts-compared=2", "before rules judge"),
        ("no-such-rule:x=2", "no rule"),
        ("severity:fatal=2 %", "critical (20 %), warning (5 %), info (1 %)"),
    ],
)
def test_what_cannot_be_tried_is_refused_with_what_can(text: str, hint: str) -> None:
    with pytest.raises(BadOptionError) as refused:
        parse_thresholds([text])

    assert hint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_order_and_repetition_make_no_difference() -> None:
    one = parse_options(None, None, ["severity:info=2%", "gpu-stagger:spread-of-first-kernels=3%"])
    other = parse_options(
        None,
        None,
        [
            "gpu-stagger:spread-of-first-kernels=1%",
            "gpu-stagger:spread-of-first-kernels=3%",
            "severity:info=2%",
        ],
    )

    assert one == other


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_what_is_shown_can_be_typed_again(rule: object) -> None:
    for threshold in rule.thresholds:  # type: ignore[attr-defined]
        if not threshold.fixed:
            text = f"{rule.id}:{threshold.id}={amount(threshold.default, threshold.unit)}"  # type: ignore[attr-defined]
            assert parse_thresholds([text])[0].value == pytest.approx(threshold.default, rel=1e-5)


def test_only_the_report_that_tries_differs(tmp_path: Path) -> None:
    build(tmp_path, ["gpu_stagger"])
    (run,) = find_runs(str(tmp_path))
    usual = build_report(run)
    thresholds = parse_thresholds(["gpu-stagger:spread-of-first-kernels=90 %"])

    tried = build_report(run, Options(tried=thresholds))
    again = build_report(run)

    assert "gpu-stagger" in [f.id for f in usual.findings]
    assert "gpu-stagger" in [row.id for row in tried.passed]
    assert tried.tried == (
        TriedThreshold(
            "gpu-stagger", "spread-of-first-kernels", "spread of first kernels", 0.9, 0.02, "ratio"
        ),
    )
    assert usual.tried == ()
    assert replace(again, timing=()) == replace(usual, timing=())


@pytest.mark.parametrize("gone", sorted(former.THRESHOLDS))
def test_a_threshold_that_is_gone_is_accepted_and_said_to_be_gone(gone: str) -> None:
    """Addresses and scripts of users hold it."""
    thresholds = parse_thresholds([f"{gone}=2 %", "severity:info=3 %"])
    line = tried_line(tried_rows(thresholds))

    assert values(thresholds) == {SEVERITIES["info"]: 0.03}
    assert "severity, info: 3 % instead of 1 %" in line
    assert f"{gone} is gone: severity:info decides" in line
    assert gone not in (f"{rule.id}:{threshold.id}" for rule in RULES for threshold in rule.thresholds)


def test_severities_can_be_tried(tmp_path: Path) -> None:
    build(tmp_path, ["step_gaps"])
    (run,) = find_runs(str(tmp_path))

    milder = build_report(run, Options(tried=(OtherThreshold("severity", "critical", 0.5),)))

    assert [f.severity for f in build_report(run).findings] == ["critical"]
    assert [f.severity for f in milder.findings] == ["warning"]
    with trying({SEVERITIES["info"]: 0.04}):
        assert severity_of(3, 100) is None
    assert severity_of(3, 100) == "info"


def test_every_rendering_says_which_thresholds_are_tried() -> None:
    report = replace(
        make_report(), tried=(TriedThreshold("a", "b", "gap between steps", 0.02, 0.01, "ratio"),)
    )

    line = tried_line(report.tried)

    assert "2 % instead of 1 %" in line
    assert line in to_text(report, color=False)
    assert line in to_markdown(report)
    assert "tried out" not in to_text(make_report(), color=False)
