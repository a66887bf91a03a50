"""Thresholds that are tried out: how they are written, and what they change."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.reports import make_report
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.judging import former
from tfperf_plugin.judging.engine.severity import SEVERITIES
from tfperf_plugin.judging.engine.words import amount
from tfperf_plugin.judging.rules import RULES
from tfperf_plugin.report.model import TriedThreshold
from tfperf_plugin.report.options import (
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


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_what_is_shown_can_be_typed_again(rule: object) -> None:
    for threshold in rule.thresholds:  # type: ignore[attr-defined]
        if not threshold.fixed:
            text = f"{rule.id}:{threshold.id}={amount(threshold.default, threshold.unit)}"  # type: ignore[attr-defined]
            assert parse_thresholds([text])[0].value == pytest.approx(threshold.default, rel=1e-5)


@pytest.mark.parametrize("gone", sorted(former.THRESHOLDS))
def test_a_threshold_that_is_gone_is_accepted_and_said_to_be_gone(gone: str) -> None:
    """Addresses and scripts of users hold it."""
    thresholds = parse_thresholds([f"{gone}=2 %", "severity:info=3 %"])
    line = tried_line(tried_rows(thresholds))

    assert values(thresholds) == {SEVERITIES["info"]: 0.03}
    assert "severity, info: 3 % instead of 1 %" in line
    assert f"{gone} is gone: severity:info decides" in line
    assert gone not in (f"{rule.id}:{threshold.id}" for rule in RULES for threshold in rule.thresholds)


def test_every_rendering_says_which_thresholds_are_tried() -> None:
    report = replace(
        make_report(), tried=(TriedThreshold("a", "b", "gap between steps", 0.02, 0.01, "ratio"),)
    )

    line = tried_line(report.tried)

    assert "2 % instead of 1 %" in line
    assert line in to_text(report, color=False)
    assert line in to_markdown(report)
    assert "tried out" not in to_text(make_report(), color=False)
