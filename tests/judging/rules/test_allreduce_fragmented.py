"""Many small AllReduce calls."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, evidence, fires, judge, says, value
from tests.exchange import training
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.judging.engine.rule import Missing, Passed
from tfperf_plugin.judging.rules.several_gpus import _transfer as transfer
from tfperf_plugin.judging.rules.several_gpus import allreduce_fragmented as rule
from tfperf_plugin.judging.rules.several_gpus.allreduce_fragmented import RULE

# 100 MB need four calls of what XLA's combiner aims at.
LINK = Stated(None, 100)


@pytest.mark.near_miss("different")
def test_calls_of_a_program_that_trains_nothing_carry_no_gradients() -> None:
    host = training([50, 50], end=54, calls=100)
    host.event("aten::mm", 1, 2)

    assert says(judge(RULE, host, stated=LINK), transfer.INFERENCE)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("calls", "fires_"), [(16, True), (15, False)])
def test_four_times_as_many_calls_as_needed_is_the_threshold(calls: int, fires_: bool) -> None:
    verdict = judge(RULE, training([50, 50], end=50.8, calls=calls), stated=Stated(None, 500))
    assert says(verdict, rule.LARGE) != fires_


@pytest.mark.parametrize(
    ("host", "gbps", "said"),
    [
        # 100 MB in 10 ms are 10 GB/s: all that this link has.
        (training([50, 50], calls=100), 14, "100 calls per step take 1.4 times"),
        # 20 calls of 5 MB for 40 ms: starting 16 more than needed costs no more than 0.8 ms.
        (
            training([50, 50], end=90, calls=20),
            100,
            "explain 0.80 ms of 40.0 ms",
        ),
    ],
    ids=["the link is full", "the link is slow"],
)
def test_many_calls_that_do_not_cost_the_time_are_well(host: Host, gbps: float, said: str) -> None:
    verdict = judge(RULE, host, stated=Stated(None, gbps))

    assert isinstance(verdict, Passed)
    assert said in verdict.reason


@pytest.mark.near_miss("hidden")
def test_what_compute_hides_is_not_claimed() -> None:
    found = fires(RULE, training([50, 50], end=54, calls=100, hidden=1), stated=LINK)

    assert found.claims == {"communication.transfer": 2_250_000}
    assert isinstance(judge(RULE, training([50, 50], end=54, calls=100, hidden=4), stated=LINK), Passed)


def test_unknown_bytes_are_asked_for() -> None:
    assert isinstance(judge(RULE, training([50, 50], size=None, calls=100), stated=LINK), Missing)
    assert isinstance(judge(RULE, training([50, 50], size=None), stated=LINK), Passed)


def with_statistics() -> Host:
    """One exchange of 100 MB in 1 ms, and 60 statistics of 256 bytes that take 40 µs each."""
    host = training([50, 50], end=51)
    for step in range(5):
        for gpu in range(2):
            for call in range(60):
                begin = step * 100 + 51 + 0.05 * call
                host.kernel(begin, begin + 0.04, gpu, ALL_REDUCE, stream=9, stats={"buffer_size": 256})
    return host


def test_tiny_calls_beside_the_gradients_are_told_apart() -> None:
    found = fires(RULE, with_statistics(), stated=LINK)

    assert value(found, "calls of up to") == 60
    assert "60 of the calls move <0.1 %" in found.summary
    assert not says(fires(RULE, training([50, 50], end=54, calls=100), stated=LINK), rule.TINY_CALLS)


def test_where_the_link_is_not_known_large_calls_of_the_profile_tell_its_rate() -> None:
    found = fires(RULE, with_statistics())

    assert evidence(found.evidence, "the same bytes in large calls").source == rule.AT_LARGEST
    assert value(found, "the same bytes in large calls") == pytest.approx(1_000_000, rel=0.001)
