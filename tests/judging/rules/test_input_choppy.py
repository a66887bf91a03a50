"""The training fetches data and runs steps in turns."""

from __future__ import annotations

import pytest

from tests.builders import judge, passes
from tests.watched import training, watched
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.machine.input_choppy import RULE
from tfperf_plugin.recording.resources import Recorded

MB = 1e6
ETH0 = "network.in eth0"


def turns(
    times: int = 6, fetched: float = 200 * MB, steady: float = 0.0, source: str = ETH0, pause: int = 4
) -> Recorded:
    """Steps for 20 s and a pause in turns, and the bytes a second that arrive in each."""
    used = ([0.9] * 20 + [0.0] * pause) * times + [0.9] * 20
    rates = ([steady] * 20 + [fetched] * pause) * times + [steady] * 20
    return watched({"gpu.busy 0": used, source: rates})


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "recorded",
    [
        pytest.param(turns(4), id="four"),
        pytest.param(turns(fetched=300 * MB, steady=150 * MB), id="fetched while steps run, too"),
        pytest.param(turns(fetched=0.5 * MB), id="hardly anything"),
        pytest.param(turns(fetched=0.0, steady=50 * MB), id="pauses without data, as at the end of an epoch"),
    ],
)
def test_pauses_without_a_burst_of_data_have_other_causes(recorded: Recorded) -> None:
    passes(RULE, training(), recorded=recorded)


def test_evaluations_that_stand_longer_than_the_bursts_are_the_cause() -> None:
    used = ([0.9] * 20 + [0.0] * 4) * 6 + [0.9] * 20 + [0.0] * 30 + [0.9] * 20
    rates = ([0.0] * 20 + [200 * MB] * 4) * 6 + [0.0] * 70

    passes(RULE, training(), recorded=watched({"gpu.busy 0": used, ETH0: rates}))


def test_the_network_of_several_hosts_carries_gradients() -> None:
    recorded = turns()
    two = Recorded(recorded.hosts * 2, recorded.steps_ns, recorded.steps)

    assert isinstance(judge(RULE, training(), recorded=two), NotApplicable)
