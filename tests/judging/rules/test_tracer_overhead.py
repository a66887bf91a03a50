"""Tracing Python calls takes a visible part of the step."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, judge, value
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.capture.tracer_overhead import RULE


def training(calls: int, length: float = 0.1) -> Host:
    """Steps of ``length`` ms in each of which ``calls`` Python calls were traced."""
    host = Host().trained(5, length, lambda host, at: host.kernel(at, at + length))
    for number in range(5):
        for call in range(calls):
            begin = length * (number + (call + 0.5) / calls)
            host.event("$train.py:12 step", begin, begin, thread="python")
    return host


def test_the_estimate_is_calls_times_cost() -> None:
    found = finding(RULE, training(calls=40))

    # 40 calls of 250 ns are 10 µs of a step of 100 µs.
    assert value(found, "Python calls traced") == 40
    assert value(found, "estimated cost") == 10_000
    assert value(found, "share of the step") == pytest.approx(0.1)
    assert found.severity == "info"
    assert found.confidence == "medium"
    told = RULE.page.advice_of("").fix(Program("Keras"), {})
    assert any("python_tracer_level=0" in action for action in told.actions)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("calls", "severity"), [(19, None), (20, "info"), (79, "info"), (80, "warning")])
def test_a_twentieth_is_noted_and_a_fifth_is_a_warning(calls: int, severity: str | None) -> None:
    verdict = judge(RULE, training(calls))

    assert getattr(verdict, "severity", None) == severity


def before_the_first_step(steps: int) -> Host:
    host = Host()
    for call in range(1_000):
        host.event("$setup.py:3 load", call * 0.01, call * 0.01 + 0.005)
    for number in range(steps):
        host.step(number, 100 + number, 101 + number)
        host.kernel(100 + number, 101 + number)
    return host


@pytest.mark.parametrize(
    "host",
    [training(calls=0), before_the_first_step(5), before_the_first_step(0)],
    ids=["not traced", "traced before the first step", "no steps to compare with"],
)
def test_what_says_nothing_of_a_step(host: Host) -> None:
    assert isinstance(judge(RULE, host), NotApplicable)
