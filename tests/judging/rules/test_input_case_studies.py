"""Published case studies of slow input, simulated: what is said first, and which stage is named."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from demo.build import training
from demo.simulator.training import Generation
from tests.judging.rules.test_simulated_causes import analyse, findings
from tfperf_plugin.analysis.artifacts.input.pipelines import Pipelines

CASES = {
    "case_network_input": ("TFRecord", "reading ahead", "it reads ahead"),
    "case_overloaded_preprocessing": ("ParallelMapV2", "preprocessing", "it prepares the examples"),
    "map_not_parallel": ("Map", "preprocessing", "it handles one element after the other"),
    "reads_on_demand": ("TFRecord", "reading on demand", "it reads one file at a time"),
    "python_in_input": ("Generator", "Python", "it runs Python"),
    "prefetch_missing": ("BatchV2", "batching", "Each step makes its own batch"),
    "input_bound": ("Map", "preprocessing", "it handles one element after the other"),
}


@pytest.mark.parametrize("generation", get_args(Generation))
@pytest.mark.parametrize("name", CASES)
def test_the_stage_is_named_whatever_recorded_it(name: str, generation: Generation) -> None:
    kind, stage, said = CASES[name]
    inputs = analyse(replace(training(name), generation=generation))
    first = findings(inputs)[0]
    worst = inputs.get(Pipelines).bottleneck

    assert first.id == "input-bound"
    assert said in first.summary
    assert (worst.kind, worst.stage) == (kind, stage)
    assert worst.wait_ratio > 0.8


@pytest.mark.parametrize("factor", [0.6, 2.0])
def test_other_strengths_are_named_alike(factor: float) -> None:
    job = training("reads_on_demand")
    files = job.input.files
    assert files is not None
    slower = replace(job.input, files=replace(files, latency_ns=round((1 + factor) * files.latency_ns)))
    inputs = analyse(replace(job, input=slower))

    assert findings(inputs)[0].id == "input-bound"
    assert inputs.get(Pipelines).bottleneck.stage == "reading on demand"


def test_reading_that_is_fast_enough_is_no_finding() -> None:
    """The same files, read sixteen at a time."""
    job = training("reads_on_demand")
    files = job.input.files
    assert files is not None
    found = findings(analyse(replace(job, input=replace(job.input, files=replace(files, readers=16)))))

    assert "input-bound" not in [f.id for f in found]
