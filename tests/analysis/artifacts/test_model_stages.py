"""Which GPUs are stages of one model, how many micro-batches they pass on, and how long each waits."""

from __future__ import annotations

import pytest

from tests.builders import Host, inputs
from tests.stages import copied, pipeline
from tfperf_plugin.analysis.artifacts.communication.model_stages import Stage, StagePipeline, StagePipelines


def found(*hosts: Host) -> StagePipelines:
    return inputs(*hosts).of(StagePipelines)


def test_each_stage_waits_while_the_others_compute_and_nothing_is_copied_to_it() -> None:
    (one,) = found(pipeline(2, 2)).pipelines

    assert [stage.busy_ns for stage in one.stages] == [36_000_000, 36_000_000]
    # The last stage's wait after the last step ends with what is not recorded.
    assert [stage.bubble_ns for stage in one.stages] == [18_000_000, 16_200_000]
    assert sum(one.bubble_ns.values()) == 34_200_000


def test_a_copy_to_a_third_gpu_in_each_step_makes_it_no_pipeline() -> None:
    assert found(pipeline(3, 2, extra=lambda host, at: copied(host, 0, 2, at + 30))).gpus_count == 0


def test_what_fills_and_drains_is_the_others_work_on_one_micro_batch() -> None:
    stages = (Stage("a", "GPU:0", 80, 50), Stage("a", "GPU:1", 40, 90), Stage("a", "GPU:2", 40, 90))

    assert StagePipeline(stages, 4, {}).busiest.device == "GPU:0"
    assert StagePipeline(stages, 4, {}).filling_ns == 20
    assert StagePipeline(stages, 1, {}).filling_ns == 50  # no more than it waits
    assert StagePipeline(stages, 4, {}).ideal_ratio == pytest.approx(2 / 6)
