"""Sums of layers that are spread over GPUs, while nothing is computed."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, GATHER, SCATTER, Host, Stats, each, fires, judge, says, value
from tests.exchange import training
from tfperf_plugin.judging.engine.rule import NotApplicable, Passed, Rule
from tfperf_plugin.judging.rules.several_gpus import all_to_all_exposed, allreduce_exposed
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


@pytest.mark.parametrize(
    ("host", "claimed_ms", "transfer_ms", "gpus"),
    [
        (layers(5, hidden=1), 24, 30, 4),
        (layers(5, names=(GATHER, SCATTER)), 30, 30, 4),  # sequence parallelism
        (layers(5, group=2, gradients=8), 30, 30, 2),  # other groups exchange gradients
    ],
)
def test_its_bare_transfer_is_claimed(host: Host, claimed_ms: int, transfer_ms: int, gpus: int) -> None:
    found = fires(RULE, host)

    assert found.claims == {"communication.transfer": claimed_ms * 1_000_000}
    assert value(found, "transfer per step") == transfer_ms * 1_000_000
    assert value(found, "calls per step") == 6
    assert value(found, "GPUs that share a layer") == gpus


def test_bytes_are_said_where_they_are_recorded() -> None:
    assert "6 calls per step of 8.0 MB" in fires(RULE, layers(5)).summary
    assert says(fires(RULE, layers(5, stats=None)), rule.SUMS)


# Sharded weights are fetched in the forward pass, too; sums come only in the backward pass.
WEIGHTS = layers(5, names=(GATHER, GATHER, GATHER, SCATTER, SCATTER, SCATTER))


@pytest.mark.parametrize("host", [WEIGHTS, *(training([50, 50], end=90, calls=calls) for calls in (1, 4))])
def test_gathered_weights_and_gradients_are_not(host: Host) -> None:
    assert isinstance(judge(RULE, host), NotApplicable)


@pytest.mark.parametrize("of", [allreduce_exposed.RULE, all_to_all_exposed.RULE])
@pytest.mark.parametrize("host", [layers(5), layers(5, names=(GATHER, SCATTER))])
def test_rules_on_gradients_leave_it_alone(of: Rule, host: Host) -> None:
    assert isinstance(judge(of, host), NotApplicable)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(("transfer", "hidden", "fires_"), [(0.9, 0, True), (0.8, 0, False), (5, 4.5, False)])
def test_a_twentieth_of_the_step_is_worth_a_word(transfer: float, hidden: float, fires_: bool) -> None:
    assert isinstance(judge(RULE, layers(transfer, hidden)), Passed) != fires_
