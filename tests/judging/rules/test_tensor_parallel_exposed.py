"""Sums of layers that are spread over GPUs, while nothing is computed."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, Stats, each, fires, judge, says
from tfperf_plugin.judging.engine.rule import Passed
from tfperf_plugin.judging.rules.several_gpus import tensor_parallel_exposed as rule
from tfperf_plugin.judging.rules.several_gpus.tensor_parallel_exposed import RULE

LAYERS = (5, 12, 20, 40, 60, 80)
SIZE: Stats = {"buffer_size": 8_000_000}


def layers(
    transfer: float,
    hidden: float = 0,
    gpus: int = 4,
    group: int = 4,
    gradients: float = 0,
    names: tuple[str, ...] = (ALL_REDUCE,),
    stats: Stats | None = SIZE,
) -> Host:
    """Five steps of 100 ms: three layers forward and backward; ``group`` GPUs sum each for ``transfer`` ms.

    The first ``hidden`` ms of each are under compute. Where there are several groups, GPUs of the same place
    in each sum their gradients for the last ``gradients`` ms of the step.
    """
    drawn = Host(gpus=gpus).steps(6, 100)

    def step(at: float) -> None:
        for gpu in range(gpus):
            # Groups come at different times, else their calls would end together.
            shift = gpu // group
            since = at
            for number, begin in enumerate(LAYERS):
                start = at + begin + shift
                drawn.kernel(since, start, gpu)
                name = names[number % len(names)]
                drawn.kernel(start, start + transfer, gpu, name, stream=9, stats=stats)
                if hidden:
                    drawn.kernel(start, start + hidden, gpu, stream=8)
                since = start + transfer
            drawn.kernel(since, at + 100 - gradients, gpu)
            if gradients:
                end = at + 100 - gradients / 2 * (gpu % group)
                drawn.kernel(end - gradients / 2, end, gpu, ALL_REDUCE, stream=11, stats=SIZE)

    each(5, 100, step)
    return drawn


def test_bytes_are_said_where_they_are_recorded() -> None:
    assert "6 calls per step of 8.0 MB" in fires(RULE, layers(5)).summary
    assert says(fires(RULE, layers(5, stats=None)), rule.SUMS)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(("transfer", "hidden", "fires_"), [(0.9, 0, True), (0.8, 0, False), (5, 4.5, False)])
def test_a_twentieth_of_the_step_is_worth_a_word(transfer: float, hidden: float, fires_: bool) -> None:
    assert isinstance(judge(RULE, layers(transfer, hidden)), Passed) != fires_
