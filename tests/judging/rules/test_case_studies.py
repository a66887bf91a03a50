"""Published case studies, simulated: what is said first, and which stage of slow input is named.

The golden reports hold each scenario as it is; here other versions of TensorFlow record it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, get_args

import pytest

from demo.build import training
from demo.simulator import Training
from demo.simulator.training import Generation
from tests.judging.rules.test_simulated_causes import analyse, findings
from tfperf_plugin.analysis.artifacts.input.pipelines import Pipelines
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules import RULES

# Scenario, and the rule that is to come first.
CASES = {
    "case_small_batch": "kernel-launch-bound",
    "case_h2d_interface": "h2d-copy-bound",
    "case_heavy_post_processing": "step-gaps",
    "case_loader_between_calls": "step-gaps",
    "dominant_op": "dominant-op",  # an 11x11 convolution on the output
}
INPUT = {
    "case_network_input": ("TFRecord", "reading ahead", "it reads ahead"),
    "case_overloaded_preprocessing": ("ParallelMapV2", "preprocessing", "it prepares the examples"),
    "map_not_parallel": ("Map", "preprocessing", "it handles one element after the other"),
    "reads_on_demand": ("TFRecord", "reading on demand", "it reads one file at a time"),
    "python_in_input": ("Generator", "Python", "it runs Python"),
    "prefetch_missing": ("BatchV2", "batching", "Each step makes its own batch"),
    "input_bound": ("Map", "preprocessing", "it handles one element after the other"),
}


def recorded_otherwise(scenarios: Iterable[str]) -> list[Any]:
    """Each of these trainings as other generations record it."""
    return [
        pytest.param(name, replace(training(name), generation=generation), id=f"{name}-{generation}")
        for name in scenarios
        for generation in get_args(Generation)
        if generation != training(name).generation
    ]


@pytest.mark.parametrize(("name", "job"), recorded_otherwise(CASES))
def test_the_cause_comes_first(name: str, job: Training) -> None:
    outcome = run_rules(RULES, analyse(job))

    assert [f.id for f in outcome.findings][:1] == [CASES[name]]
    assert [f.id for f in outcome.findings[1:] if f.severity != "info"] == []
    assert outcome.errors == ()


def test_post_processing_halves_the_work_of_the_gpu() -> None:
    """The article reports a GPU that is active for 47 % of each step."""
    inputs = analyse(training("case_heavy_post_processing"))
    assert inputs.ledger is not None

    assert inputs.ledger.average()["compute"] / inputs.ledger.step_ns == pytest.approx(0.47, abs=0.02)


@pytest.mark.parametrize(("name", "job"), recorded_otherwise(INPUT))
def test_the_stage_is_named(name: str, job: Training) -> None:
    kind, stage, said = INPUT[name]
    inputs = analyse(job)
    first = findings(inputs)[0]
    worst = inputs.get(Pipelines).bottleneck

    assert first.id == "input-bound"
    assert said in first.summary
    assert (worst.kind, worst.stage) == (kind, stage)
    assert worst.wait_ratio > 0.8


def reading(**changes: Any) -> Training:
    job = training("reads_on_demand")
    assert job.input.files is not None
    return replace(job, input=replace(job.input, files=replace(job.input.files, **changes)))


@pytest.mark.parametrize("factor", [0.6, 2.0])
def test_other_strengths_are_named_alike(factor: float) -> None:
    files = training("reads_on_demand").input.files
    assert files is not None
    inputs = analyse(reading(latency_ns=round((1 + factor) * files.latency_ns)))

    assert findings(inputs)[0].id == "input-bound"
    assert inputs.get(Pipelines).bottleneck.stage == "reading on demand"


def test_files_that_are_read_sixteen_at_a_time_are_no_finding() -> None:
    assert "input-bound" not in [f.id for f in findings(analyse(reading(readers=16)))]
