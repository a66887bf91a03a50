"""Tracing Python calls takes a visible part of the step."""

from __future__ import annotations

import pytest

from tests.builders import Host, judge
from tfperf_plugin.judging.rules.capture.tracer_overhead import RULE


def training(calls: int, length: float = 0.1) -> Host:
    """Steps of ``length`` ms in each of which ``calls`` Python calls were traced."""
    host = Host().trained(5, length, lambda host, at: host.kernel(at, at + length))
    for number in range(5):
        for call in range(calls):
            begin = length * (number + (call + 0.5) / calls)
            host.event("$train.py:12 step", begin, begin, thread="python")
    return host


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("calls", "severity"), [(19, None), (20, "info"), (79, "info"), (80, "warning")])
def test_a_twentieth_is_noted_and_a_fifth_is_a_warning(calls: int, severity: str | None) -> None:
    verdict = judge(RULE, training(calls))

    assert getattr(verdict, "severity", None) == severity
