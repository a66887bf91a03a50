"""The container's quota of processor time stops the training."""

from __future__ import annotations

import pytest

from tests.builders import fires, inputs, judge, passes, says, value
from tests.watched import training, waiting, watched
from tfperf_plugin.judging.engine.rule import NotApplicable
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


def test_half_a_processor_is_told() -> None:
    assert "The quota is 3.5 processors" in fires(RULE, waiting(40), recorded=machine(0.3, 3.5)).summary


@pytest.mark.parametrize(
    ("throttled", "shown"),
    [(0.5, [("quota-throttled", "input-bound")]), (0.2, [("input-bound",), ("quota-throttled",)])],
)
def test_what_waits_is_below_it_only_if_it_explains_most_of_it(
    throttled: float, shown: list[tuple[str, ...]]
) -> None:
    outcome = run_rules([RULE, INPUT_BOUND], inputs(waiting(40), recorded=machine(throttled)))

    assert [(f.id, *(e.id for e in f.explains)) for f in outcome.findings] == shown
    assert sum(f.saving.ns for f in outcome.findings if f.saving) == 40_000_000


def test_a_small_cause_hides_no_large_wait_on_the_host() -> None:
    recorded = machine(0.02, busy="processors.busiest")
    outcome = run_rules([RULE, INPUT_BOUND], inputs(waiting(40, gpus=0), recorded=recorded))

    assert [f.id for f in outcome.findings] == ["input-bound", "quota-throttled"]


@pytest.mark.near_miss("below")
def test_a_quota_that_is_reached_now_and_then_is_no_finding() -> None:
    passes(RULE, waiting(40), recorded=machine(0.009))


def test_a_quota_costs_nothing_if_no_step_waits() -> None:
    assert says(passes(RULE, waiting(0), recorded=machine(0.5)), rule.HARMLESS)


def test_without_a_quota_nothing_is_said() -> None:
    assert isinstance(judge(RULE, waiting(40), recorded=watched({"gpu.busy 0": [0.6] * 60})), NotApplicable)
    assert isinstance(judge(RULE, training()), NotApplicable)
