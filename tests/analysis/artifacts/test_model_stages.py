"""Which GPUs are stages of one model, how many micro-batches they pass on, and how long each waits."""

from __future__ import annotations

import pytest

from tests.builders import Host, Stats, inputs
from tests.stages import copied, pipeline, sent, step_ms
from tfperf_plugin.analysis.artifacts.communication.model_stages import Stage, StagePipeline, StagePipelines


def found(*hosts: Host) -> StagePipelines:
    return inputs(*hosts).of(StagePipelines)


def names(pipelines: StagePipelines) -> list[list[str]]:
    return [[stage.device for stage in p.stages] for p in pipelines.pipelines]


def test_stages_in_the_order_of_the_forward_pass() -> None:
    pipelines = found(pipeline(4, 3))

    assert names(pipelines) == [["GPU:0", "GPU:1", "GPU:2", "GPU:3"]]
    assert pipelines.pipelines[0].micro_batches == 3
    assert pipelines.gpus_count == 4


def test_the_first_stage_need_not_be_on_the_first_gpu() -> None:
    host = Host(gpus=2)
    length = step_ms(2, 2)
    host.steps(6, length)
    for at in (number * length for number in range(6)):
        for begin in (0, 10, 40, 50):
            host.kernel(at + begin, at + begin + 9, 1)
        for begin in (10, 20, 30, 40):
            host.kernel(at + begin, at + begin + 9, 0)
        for end in (10, 20):
            copied(host, 1, 0, at + end)
        for end in (40, 50):
            copied(host, 0, 1, at + end)

    assert names(found(host)) == [["GPU:1", "GPU:0"]]


def test_each_stage_waits_while_the_others_compute_and_nothing_is_copied_to_it() -> None:
    (one,) = found(pipeline(2, 2)).pipelines

    assert [stage.busy_ns for stage in one.stages] == [36_000_000, 36_000_000]
    # The last stage's wait after the last step ends with what is not recorded.
    assert [stage.bubble_ns for stage in one.stages] == [18_000_000, 16_200_000]
    assert sum(one.bubble_ns.values()) == 34_200_000


@pytest.mark.parametrize("ahead", [-0.14, 0.14])
def test_clocks_of_gpus_may_differ(ahead: float) -> None:
    (one,) = found(pipeline(2, 2, ahead=ahead)).pipelines

    assert one.micro_batches == 2
    assert [stage.bubble_ns / 1e6 for stage in one.stages] == pytest.approx([18, 16.2], abs=0.4)


def short_passes(beside: float = 0.0) -> Host:
    """Two stages, two micro-batches; the clock of the second one, whose passes take 0.3 ms, is 0.1 ms behind.

    ``beside``: how long the second GPU has computed when it gets the first micro-batch.
    """
    host = Host(gpus=2)
    host.steps(6, 5)
    for at in range(0, 30, 5):
        for begin in (0.0, 0.4, 2.0, 2.4):
            host.kernel(at + begin, at + begin + 0.3, 0)
        for begin in (0.4, 0.8, 1.2, 1.6):
            host.kernel(at + begin - 0.1, at + begin + 0.2, 1)
        if beside:
            host.kernel(at + 0.01, at + 0.01 + beside, 1)
        for giver, ends in ((0, (0.4, 0.8)), (1, (1.6, 2.0))):
            for end in ends:
                stats: Stats = {
                    "memcpy_details": f"kind_src:device kind_dst:device size:8000 dest:{1 - giver} async:1"
                }
                host.kernel(at + end - 0.1, at + end, giver, "MemcpyP2P", stream=20, stats=stats)
    return host


def test_clocks_may_differ_by_a_good_part_of_what_a_stage_computes_first() -> None:
    assert names(found(short_passes())) == [["GPU:0", "GPU:1"]]
    assert names(found(short_passes(beside=0.2))) == []


def test_two_pipelines_side_by_side() -> None:
    host = pipeline(2, 2)
    both = Host(gpus=4)
    length = step_ms(2, 2)
    both.steps(6, length)
    for at in (number * length for number in range(6)):
        for first in (0, 2):
            for begin in (0, 10, 40, 50):
                both.kernel(at + begin, at + begin + 9, first)
            for begin in (10, 20, 30, 40):
                both.kernel(at + begin, at + begin + 9, first + 1)
            for end in (10, 20):
                copied(both, first, first + 1, at + end)
            for end in (40, 50):
                copied(both, first + 1, first, at + end)

    assert names(found(both)) == [["GPU:0", "GPU:1"], ["GPU:2", "GPU:3"]]
    assert [p.bubble_ns for p in found(both).pipelines] == [found(host).pipelines[0].bubble_ns] * 2


def test_a_copy_of_some_steps_is_no_hand_over() -> None:
    def now_and_then(host: Host, at: float) -> None:
        if at == 0:
            copied(host, 0, 1, 30)

    assert found(pipeline(3, 2, extra=now_and_then)).gpus_count == 3


def test_a_copy_to_a_third_gpu_in_each_step_makes_it_no_pipeline() -> None:
    assert found(pipeline(3, 2, extra=lambda host, at: copied(host, 0, 2, at + 30))).gpus_count == 0


def test_calls_count_once_there_and_once_back() -> None:
    host = Host(gpus=2)
    sent(3, [host], stats={"collective_type": "recv"})
    (one,) = found(host).pipelines

    assert one.micro_batches == 3
    assert set(one.bubble_ns) == {"communication.wait"}
    assert one.stages[0].device == "GPU:0"


def test_what_fills_and_drains_is_the_others_work_on_one_micro_batch() -> None:
    stages = (Stage("a", "GPU:0", 80, 50), Stage("a", "GPU:1", 40, 90), Stage("a", "GPU:2", 40, 90))

    assert StagePipeline(stages, 4, {}).busiest.device == "GPU:0"
    assert StagePipeline(stages, 4, {}).filling_ns == 20
    assert StagePipeline(stages, 1, {}).filling_ns == 50  # no more than it waits
    assert StagePipeline(stages, 4, {}).ideal_ratio == pytest.approx(2 / 6)
