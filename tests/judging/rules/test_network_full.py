"""Input arrives as fast as the network can bring it."""

from __future__ import annotations

import pytest

from tests.builders import Host, judge, passes
from tests.watched import training, waiting, watched
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.machine.network_full import RULE
from tfperf_plugin.recording.resources import Recorded

BUSY = {"gpu.busy 0": [0.6] * 60}


def machine(rate: float, speed: float | None = 1.25e9, other: float = 1e6) -> Recorded:
    series = {**BUSY, "network.in eth0": [rate] * 60, "network.in eth1": [other] * 60}
    return watched(series, limits={"network.in eth0": speed, "network.in eth1": 1.25e10} if speed else {})


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("host", "rate"),
    [
        (waiting(40), 1.05e9),
        (training(), 1.2e9),  # no step waits
        (waiting(40), 3e9),  # virtual machines state speeds that have nothing to do with what they get
    ],
)
def test_a_link_with_room_or_that_no_step_waits_for_costs_nothing(host: Host, rate: float) -> None:
    passes(RULE, host, recorded=machine(rate))


def test_an_even_rate_does_not_tell_without_the_speed_of_the_link() -> None:
    """Steps that take data at a constant speed make it as even."""
    assert isinstance(judge(RULE, waiting(40), recorded=machine(1.2e9, None)), NotApplicable)
