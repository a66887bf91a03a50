"""Input arrives as fast as the network can bring it."""

from __future__ import annotations

import pytest

from tests.builders import fires, inputs, judge, passes, value
from tests.watched import training, waiting, watched
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.input.input_bound import RULE as INPUT_BOUND
from tfperf_plugin.judging.rules.machine.network_full import RULE
from tfperf_plugin.recording.resources import Recorded

BUSY = {"gpu.busy 0": [0.6] * 60}


def machine(rate: float, speed: float | None = 1.25e9, other: float = 1e6) -> Recorded:
    series = {**BUSY, "network.in eth0": [rate] * 60, "network.in eth1": [other] * 60}
    return watched(series, limits={"network.in eth0": speed, "network.in eth1": 1.25e10} if speed else {})


def test_a_full_link_and_a_wait_are_the_finding() -> None:
    found = fires(RULE, waiting(40), recorded=machine(1.2e9))

    assert found.claims == {"idle.input": 40_000_000}
    assert value(found, "received on average") == pytest.approx(1.2)
    assert "eth0 received 1.2 GB a second, which is 96 % of its speed" in found.summary


def test_of_two_links_the_fuller_one_is_judged() -> None:
    assert "eth0" in fires(RULE, waiting(40), recorded=machine(1.2e9, other=5e9)).summary


def test_what_waits_is_shown_below_it() -> None:
    outcome = run_rules([RULE, INPUT_BOUND], inputs(waiting(40), recorded=machine(1.2e9)))

    assert [(f.id, *(e.id for e in f.explains)) for f in outcome.findings] == [
        ("network-full", "input-bound")
    ]


@pytest.mark.near_miss("below")
def test_a_link_with_room_is_no_finding() -> None:
    passes(RULE, waiting(40), recorded=machine(1.05e9))


def test_a_full_link_costs_nothing_if_no_step_waits() -> None:
    passes(RULE, training(), recorded=machine(1.2e9))


def test_a_link_that_carries_more_than_its_speed_has_another_one() -> None:
    """Virtual machines state speeds that have nothing to do with what they get."""
    passes(RULE, waiting(40), recorded=machine(3e9))


def test_an_even_rate_does_not_tell_without_the_speed_of_the_link() -> None:
    """Steps that take data at a constant speed make it as even."""
    assert isinstance(judge(RULE, waiting(40), recorded=machine(1.2e9, None)), NotApplicable)
