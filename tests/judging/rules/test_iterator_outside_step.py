"""Batches are fetched before the step's marker begins."""

from __future__ import annotations

import pytest

from tests.builders import GET_NEXT, Host, judge, value
from tfperf_plugin.judging.engine.rule import Found
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


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("host", "found_ms"),
    [
        (training(outside=10, inside=10), 10),  # half of all requests
        (training(outside=10, inside=10.1), 0),
        (training(outside=1), 1),
        (training(outside=0.9), 0),
        (training(outside=0, inside=20), 0),
        (training(outside=20, thread="tf_data_prefetch/3"), 0),  # background threads ask when they like
    ],
)
def test_how_much_outside_is_too_much(host: Host, found_ms: float) -> None:
    verdict = judge(RULE, host)

    assert isinstance(verdict, Found) == bool(found_ms)
    if isinstance(verdict, Found):
        assert value(verdict, "input requests outside") == found_ms * 1_000_000
