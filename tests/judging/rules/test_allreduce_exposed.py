"""AllReduce while nothing is computed."""

from __future__ import annotations

from itertools import product

import pytest

from tests.builders import ALL_REDUCE, Host, fires, judge, value
from tests.exchange import training
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.judging.engine.rule import Passed
from tfperf_plugin.judging.rules.several_gpus.allreduce_exposed import RULE


@pytest.mark.parametrize(
    ("host", "gbps", "claimed_ms"),
    [
        (training([50, 50], end=70), None, 20),
        (training([15, 15], end=70), None, 10),  # two thirds of compute
        # The last three of four calls lie under 10 ms: the backward pass, less what the first waits for.
        (training([20, 20], end=70, calls=4), None, 10),
        (training([50, 50], end=70, calls=4), None, 15),  # the last one cannot be hidden
        (training([10, 50], end=51), None, 1),  # the first GPU waits for 40 ms: no transfer
        (training([50, 50], end=70), 100, 1),  # the link needs 1 ms; 19 ms are slowness
    ],
)
def test_the_bare_transfer_is_claimed_as_far_as_compute_could_hide_it(
    host: Host, gbps: float | None, claimed_ms: float
) -> None:
    found = fires(RULE, host, stated=Stated(None, gbps) if gbps else None)

    assert found.claims == {"communication.transfer": claimed_ms * 1_000_000}
    one = value(found, "calls per step") == 1
    assert found.advice == ("" if one else "gradients are packed already")


def test_the_names_of_ops_tell_the_backward_pass() -> None:
    host = Host(gpus=2).steps(5, 100)
    for number, gpu in product(range(5), range(2)):
        at = 100 * number
        host.kernel(at, at + 40, gpu, op="functional_1/dense/MatMul:MatMul")
        host.kernel(at + 40, at + 50, gpu, op="gradient_tape/functional_1/dense/MatMul:MatMul")
        host.kernel(at + 50, at + 70, gpu, ALL_REDUCE, stream=8)
    found = fires(RULE, host)

    assert value(found, "compute that could hide it") == 10_000_000
    assert found.claims == {"communication.transfer": 10_000_000}


@pytest.mark.near_miss("hidden")
@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("end", "hidden", "fires_"), [(60, 6.9, True), (60, 7, False), (70, 15, True), (70, 15.1, False)]
)
def test_less_than_a_twentieth_of_the_step_is_well_if_seven_tenths_are_hidden(
    end: float, hidden: float, fires_: bool
) -> None:
    assert isinstance(judge(RULE, training([50, 50], end=end, hidden=hidden)), Passed) != fires_
