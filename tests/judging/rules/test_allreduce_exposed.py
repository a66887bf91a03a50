"""AllReduce while nothing is computed."""

from __future__ import annotations

from itertools import product

import pytest

from tests.builders import ALL_REDUCE, Host, fires, judge, value
from tests.exchange import training
from tfperf_plugin.analysis.artifacts.communication.estimate import Stated
from tfperf_plugin.judging.engine.rule import NotApplicable, Passed
from tfperf_plugin.judging.rules.several_gpus.allreduce_exposed import RULE


def test_the_bare_transfer_is_claimed_as_far_as_compute_could_hide_it() -> None:
    found = fires(RULE, training([50, 50], end=70))

    assert value(found, "transfer that no compute hides") == 20_000_000
    # No gradient exists before the backward pass, two thirds of the 50 ms.
    assert value(found, "compute that could hide it") == 33_333_333
    assert (found.claims, found.advice) == ({"communication.transfer": 20_000_000}, "")
    assert fires(RULE, training([15, 15], end=70)).claims == {"communication.transfer": 10_000_000}


def test_the_first_of_several_calls_waits_for_its_part_of_the_backward_pass() -> None:
    """The last three of four lie under 10 ms: the backward pass, less the part that the first waits for."""
    found = fires(RULE, training([20, 20], end=70, calls=4))

    assert found.claims == {"communication.transfer": 10_000_000}


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


def test_waiting_is_not_transfer() -> None:
    """The first GPU waits for 40 ms, the transfer takes 1 ms: nothing to hide."""
    found = fires(RULE, training([10, 50], end=51))

    assert found.claims == {"communication.transfer": 1_000_000}


def test_what_is_slow_belongs_to_another_rule() -> None:
    """The link needs 1 ms of the 20 ms; 19 ms are slowness."""
    found = fires(RULE, training([50, 50], end=70), stated=Stated(None, 100))

    assert found.claims == {"communication.transfer": 1_000_000}


def test_the_last_of_several_calls_cannot_be_hidden_nor_are_they_to_be_split() -> None:
    found = fires(RULE, training([50, 50], end=70, calls=4))

    assert value(found, "calls per step") == 4
    assert found.claims == {"communication.transfer": 15_000_000}
    assert "15.0 ms of that could lie under compute" in found.summary
    assert found.advice == "gradients are packed already"


@pytest.mark.near_miss("hidden")
@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("end", "hidden", "fires_"), [(60, 6.9, True), (60, 7, False), (70, 15, True), (70, 15.1, False)]
)
def test_less_than_a_twentieth_of_the_step_is_well_if_seven_tenths_are_hidden(
    end: float, hidden: float, fires_: bool
) -> None:
    assert isinstance(judge(RULE, training([50, 50], end=end, hidden=hidden)), Passed) != fires_


def test_one_gpu_exchanges_nothing() -> None:
    assert isinstance(judge(RULE, training([50])), NotApplicable)
