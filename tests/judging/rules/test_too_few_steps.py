"""Averages rest on too few steps."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, judge, passes, says
from tfperf_plugin.judging.engine.rule import Passed
from tfperf_plugin.judging.rules.capture import too_few_steps as rule
from tfperf_plugin.judging.rules.capture.too_few_steps import RULE


def training(markers: int) -> Host:
    return Host().trained(markers, 100, lambda host, at: host.kernel(at, at + 100))


@pytest.mark.near_miss("below")
def test_three_complete_steps_are_enough() -> None:
    assert judge(RULE, training(markers=4)) == Passed("3 complete steps were recorded after warm-up.")


def uneven(*lengths: float) -> Host:
    host, at = Host(), 0.0
    for number, length in enumerate((*lengths, lengths[-1])):  # the last one never counts
        host.step(number, at, at + length)
        host.kernel(at, at + length)
        at += length
    return host


def test_of_a_few_uneven_steps_none_is_usual() -> None:
    found = finding(RULE, uneven(60, 20, 55, 21))

    assert found.title == "Only 4 complete steps were recorded"
    assert says(found, rule.UNEVEN)
    assert "take 20.0 ms to 60.0 ms" in found.summary


@pytest.mark.near_miss("below")
@pytest.mark.parametrize("lengths", [(58, 20, 55, 21), (60, 20, 55, 21, 40)])
def test_steps_that_are_less_uneven_or_more_are_enough(lengths: tuple[float, ...]) -> None:
    passes(RULE, uneven(*lengths))


def test_the_host_with_most_steps_counts() -> None:
    other = Host("other").steps(2, 100)

    passes(RULE, training(markers=4), other)
