"""Which GPUs are stages of one model, how many micro-batches they pass on, and how long each waits."""

from __future__ import annotations

from tests.builders import Host, inputs
from tests.stages import copied, pipeline
from tfperf_plugin.analysis.artifacts.communication.model_stages import StagePipelines


def found(*hosts: Host) -> StagePipelines:
    return inputs(*hosts).of(StagePipelines)


def test_a_copy_to_a_third_gpu_in_each_step_makes_it_no_pipeline() -> None:
    assert found(pipeline(3, 2, extra=lambda host, at: copied(host, 0, 2, at + 30))).gpus_count == 0
