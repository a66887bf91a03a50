"""Batches are fetched before the step's marker begins."""

from __future__ import annotations

import pytest

from tests.builders import GET_NEXT, Host, each, finding, fires, judge, passes, value
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.capture.iterator_outside_step import RULE


def training(outside: float, inside: float = 0, thread: str = "python3") -> Host:
    """One step every 100 ms; its marker begins at 40 ms, requests for a batch lie before and after that."""
    host = Host()
    for number in range(5):
        begin = number * 100 + 40
        host.step(number, begin, begin + 60)
        host.event(GET_NEXT, begin - outside, begin, thread)
        if inside:
            host.event(GET_NEXT, begin, begin + inside, thread)
        host.kernel(begin, begin + 60)
    return host


def test_requests_outside_markers_are_noted() -> None:
    found = finding(RULE, training(outside=20))

    assert found.severity == "info"
    assert value(found, "input requests outside") == 20_000_000
    assert value(found, "share of all") == 1
    # The first request lies before the first recorded step.
    assert [(p.begin_ms, p.end_ms) for p in found.where] == [(120, 140), (220, 240), (320, 340), (420, 440)]


def test_half_of_all_requests_decide() -> None:
    assert value(fires(RULE, training(outside=10, inside=10)), "share of all") == 0.5
    passes(RULE, training(outside=10, inside=10.1))


@pytest.mark.near_miss("below")
def test_less_than_one_percent_of_a_step_is_no_finding() -> None:
    passes(RULE, training(outside=0.9))
    assert value(fires(RULE, training(outside=1)), "input requests outside") == 1_000_000


def test_requests_inside_are_as_they_should_be() -> None:
    passes(RULE, training(outside=0, inside=20))


def test_background_threads_may_ask_whenever_they_like() -> None:
    passes(RULE, training(outside=20, thread="tf_data_prefetch/3"))


def test_without_markers_nothing_is_outside_of_them() -> None:
    host = Host()
    each(5, 100, lambda at: host.kernel(at, at + 60))
    each(5, 100, lambda at: host.event(GET_NEXT, at + 60, at + 100))

    assert isinstance(judge(RULE, host), NotApplicable)
