"""The training fetches data and runs steps in turns."""

from __future__ import annotations

import pytest

from tests.builders import fires, inputs, judge, passes, value
from tests.watched import training, watched
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.machine import idle_between
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


@pytest.mark.parametrize(
    ("source", "said"), [(ETH0, "200 MB a second arrive over eth0"), ("training.read", "arrive from files")]
)
def test_data_that_arrives_in_pauses_alone_is_the_finding(source: str, said: str) -> None:
    found = fires(RULE, training(), recorded=turns(source=source))

    assert said in found.summary
    assert "in 6 pauses between steps, 4.00 s long on average" in found.summary
    assert value(found, "time in pauses in which data arrives") == pytest.approx(24 / 164)
    assert found.impact_ratio == pytest.approx(24 / 164)


def test_it_is_why_the_training_pauses() -> None:
    outcome = run_rules((RULE, idle_between.RULE), inputs(training(), recorded=turns()))

    (finding,) = outcome.findings
    assert (finding.id, [one.id for one in finding.explains]) == ("input-choppy", ["idle-between"])


def test_without_a_gpu_the_processors_tell() -> None:
    used = ([3.0] * 20 + [0.1] * 4) * 6 + [3.0] * 5
    rates = ([0.0] * 20 + [50 * MB] * 4) * 6 + [0.0] * 5

    found = fires(RULE, training(), recorded=watched({"processors.training": used, "training.read": rates}))

    assert found.confidence == "medium"


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


def test_a_training_without_pauses_is_not_judged() -> None:
    even = watched({"gpu.busy 0": [0.9] * 60, ETH0: [MB] * 60})

    assert isinstance(judge(RULE, training(), recorded=even), NotApplicable)


def test_a_gpu_that_is_asked_late_shows_the_same() -> None:
    used = [0.9] + ([0.9] * 40 + [0.0] * 8) * 6 + [0.9] * 40
    rates = ([0.0] * 40 + [200 * MB] * 8) * 6 + [0.0] * 41

    fires(RULE, training(), recorded=watched({"gpu.busy 0": used, ETH0: rates}, row_s=0.5))
