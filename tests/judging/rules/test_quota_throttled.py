"""The container's quota of processor time stops the training."""

from __future__ import annotations

import pytest

from tests.builders import fires, inputs, passes, says, value
from tests.watched import waiting, watched
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.input.input_bound import RULE as INPUT_BOUND
from tfperf_plugin.judging.rules.machine import quota_throttled as rule
from tfperf_plugin.judging.rules.machine._waits import WAITS
from tfperf_plugin.judging.rules.machine.quota_throttled import RULE
from tfperf_plugin.recording.resources import Recorded


def machine(throttled: float, quota: float = 4.0, busy: str = "gpu.busy 0") -> Recorded:
    series = {busy: [0.6] * 60, "processors.training": [3.0] * 60, "processors.throttled": [throttled] * 60}
    return watched(series, limits={"processors.training": quota})


def test_it_explains_no_more_of_the_wait_than_it_stopped_the_training() -> None:
    found = fires(RULE, waiting(40), recorded=machine(0.25))

    assert found.claims == {"idle.input": 25_000_000}
    assert value(found, "time in which the quota stopped the training") == pytest.approx(0.25)
    assert (
        "for 250 ms of each second. The quota is 4 processors, of which the training used 75 %"
        in found.summary
    )
    assert says(found, WAITS)
    assert fires(RULE, waiting(40), recorded=machine(0.7)).claims == {"idle.input": 40_000_000}


def test_a_small_cause_hides_no_large_wait_on_the_host() -> None:
    recorded = machine(0.02, busy="processors.busiest")
    outcome = run_rules([RULE, INPUT_BOUND], inputs(waiting(40, gpus=0), recorded=recorded))

    assert [f.id for f in outcome.findings] == ["input-bound", "quota-throttled"]


@pytest.mark.near_miss("below")
def test_a_quota_that_is_reached_now_and_then_is_no_finding() -> None:
    passes(RULE, waiting(40), recorded=machine(0.009))


def test_a_quota_costs_nothing_if_no_step_waits() -> None:
    assert says(passes(RULE, waiting(0), recorded=machine(0.5)), rule.HARMLESS)
