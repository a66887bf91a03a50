"""PyTorch's DataParallel, which drives all GPUs from one process."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, fires, judge, passes, value
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.several_gpus.data_parallel import RULE


def steps(name: str = "DataParallel.forward", gpus: int = 2, calls: int = 5) -> Host:
    """Steps of 100 ms with 60 ms of compute and 20 ms of exchange; the first ``calls`` call the model."""
    host = Host(gpus=gpus).steps(5, 100)
    for step in range(5):
        if step < calls:
            host.event(name, 100 * step, 100 * step + 30)
        for gpu in range(gpus):
            host.kernel(100 * step, 100 * step + 60, gpu)
            host.kernel(100 * step + 60, 100 * step + 80, gpu, ALL_REDUCE, stream=8)
    return host


def test_what_it_exchanges_is_the_saving() -> None:
    found = fires(RULE, steps())

    assert value(found, "steps that call DataParallel") == 1
    assert found.claims == {"communication.transfer": 20_000_000}
    assert [place.step for place in found.where] == [0, 1, 2, 3]


@pytest.mark.near_miss("below")
def test_an_evaluation_in_one_step_is_no_training() -> None:
    passes(RULE, steps(calls=1))


@pytest.mark.parametrize("host", [steps("DistributedDataParallel.forward"), steps(gpus=1)])
def test_without_it_or_a_second_gpu_the_question_does_not_arise(host: Host) -> None:
    assert isinstance(judge(RULE, host), NotApplicable)
