"""The input pipeline waits for processors."""

from __future__ import annotations

import pytest

from tests.builders import Host, fires, judge, passes, says, value
from tests.pipelines import Stage, fed
from tests.watched import training, waiting, watched
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed
from tfperf_plugin.judging.rules.machine import processors_full as rule
from tfperf_plugin.judging.rules.machine.processors_full import RULE
from tfperf_plugin.recording.resources import Recorded


def machine(busy: float, cores: float = 3.9, allowed: float | None = 4.0) -> Recorded:
    series = {"gpu.busy 0": [0.6] * 60, "processors.busy": [busy] * 60, "processors.training": [cores] * 60}
    return watched(series, limits={"processors.training": allowed} if allowed else {})


def test_the_work_of_a_step_must_fit_into_the_rest_of_it() -> None:
    """3.9 processors for 100 ms, in 60 ms."""
    assert "needs at least 7 processors" in fires(RULE, waiting(40), recorded=machine(0.98)).summary
    assert "needs at least 5 processors" in fires(RULE, waiting(5), recorded=machine(0.995)).summary
    assert says(fires(RULE, waiting(40), recorded=machine(0.98, allowed=None)), rule.NOT_TOLD)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("host", "busy"), [(waiting(40), 0.94), (training(), 1.0), (waiting(0.5), 1.0)])
def test_processors_that_rest_or_that_no_step_waits_for_cost_nothing(host: Host, busy: float) -> None:
    passes(RULE, host, recorded=machine(busy))


def test_processors_that_compute_steps_are_no_finding() -> None:
    """Without a GPU: 4 % idle time of the processors may be most of a wait of 8 %, not of one of 40 %."""
    passes(RULE, waiting(8, gpus=0), recorded=machine(0.96))
    found = fires(RULE, waiting(40, gpus=0), recorded=machine(0.96))

    assert found.claims == {}
    assert found.impact_ratio == pytest.approx(0.4, abs=0.01)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("stage", "serial"),
    [
        (("Map", 90, {}), True),
        (("ParallelMapV2", 90, {"parallelism": 1}), True),
        (("ParallelMapV2", 90, {"parallelism": 8}), False),
    ],
    ids=["map", "one parallel call", "eight"],
)
def test_a_stage_that_makes_one_call_at_a_time_needs_no_more_processors(stage: Stage, serial: bool) -> None:
    verdict = judge(RULE, fed(40, stage), recorded=machine(0.98))

    assert isinstance(verdict, Passed if serial else Found)
    assert says(verdict, rule.ONE_AT_A_TIME) == serial


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("iterator", "alone"), [("_SingleProcess", True), ("_MultiProcessing", False)])
def test_a_loader_without_workers_needs_no_more_processors(iterator: str, alone: bool) -> None:
    def step(host: Host, at: float) -> None:
        host.event(f"enumerate(DataLoader)#{iterator}DataLoaderIter.__next__", at, at + 40)
        host.kernel(at + 41, at + 99, launch=(at + 40.5, at + 40.6))

    verdict = judge(RULE, Host().trained(5, 100, step), recorded=machine(0.98))

    assert says(verdict, rule.ONE_AT_A_TIME) == alone
    assert isinstance(verdict, Passed if alone else Found)


def test_rows_in_which_no_step_runs_do_not_count() -> None:
    series = {"gpu.busy 0": [0.6] * 30 + [0.0] * 60 + [0.6] * 30}
    recorded = watched({**series, "processors.busy": [1.0] * 30 + [0.1] * 60 + [1.0] * 30})

    assert value(fires(RULE, waiting(40), recorded=recorded), "busy part of the processors") == 1.0
    recorded = watched({**series, "processors.busy": [0.5] * 30 + [1.0] * 60 + [0.5] * 30})
    passes(RULE, waiting(40), recorded=recorded)


@pytest.mark.parametrize(
    "recorded",
    [
        None,
        watched({"gpu.busy 0": [0.6] * 60}),
        watched({"gpu.busy 0": [0.6] * 8, "processors.busy": [1.0] * 8}),
    ],
    ids=["not watched", "no processors", "8 s"],
)
def test_without_numbers_nothing_is_said(recorded: Recorded | None) -> None:
    assert isinstance(judge(RULE, waiting(40), recorded=recorded), NotApplicable)
