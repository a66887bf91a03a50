"""Copies in the middle of the step make kernels wait."""

from __future__ import annotations

import pytest

from tests.builders import MS, Host, each, fires, judge, says, value
from tfperf_plugin.judging.engine.rule import Passed
from tfperf_plugin.judging.rules.one_gpu import excessive_memcpy as rule
from tfperf_plugin.judging.rules.one_gpu.excessive_memcpy import RULE


def training(
    copy: float, steps_with_copy: int = 6, steps: int = 5, direction: str = "D2H", hidden: bool = False
) -> Host:
    """Steps of 100 ms with a copy in the middle that kernels wait for, or that a second stream hides."""
    host = Host().trained(steps, 100, lambda host, at: host.kernel(at, at + 40))
    each(steps, 100, lambda at: host.kernel(at + 40 + copy, at + 100))
    each(
        min(steps, steps_with_copy),
        100,
        lambda at: host.copy(direction, at + 40, at + 40 + copy, size=1_000_000, op="model/where:Where"),
    )
    if hidden:
        each(steps, 100, lambda at: host.kernel(at + 39, at + 99, stream=8))
    return host


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(("size", "weights"), [(60_000_000, True), (40_000_000, False)])
def test_copies_as_large_as_layers_may_be_weights(size: int, weights: bool) -> None:
    host = Host().trained(5, 100, lambda host, at: host.kernel(at, at + 40))
    each(5, 100, lambda at: host.copy("H2D", at + 40, at + 55, size=size, op="aten::copy_"))
    each(5, 100, lambda at: host.kernel(at + 55, at + 100))
    found = fires(RULE, host)

    assert (found.values["large"], value(found, "bytes to the GPU")) == (weights, size)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("first", "prepares"), [(0.5, True), (2, False)])
def test_copies_before_a_step_has_computed_anything_prepare_it(first: float, prepares: bool) -> None:
    """A kernel, and then a model that is sent to the GPU."""
    host = Host().trained(5, 100, lambda host, at: host.kernel(at, at + first))
    each(5, 100, lambda at: host.copy("H2D", at + first, at + 20, size=1_000_000))
    each(5, 100, lambda at: host.kernel(at + 20, at + 100))

    assert isinstance(judge(RULE, host), Passed) == prepares


def of_the_batch_and_the_loss() -> Host:
    host = Host().trained(5, 100, lambda host, at: host.copy("H2D", at, at + 10, size=1_000_000))
    each(5, 100, lambda at: host.kernel(at + 10, at + 80))
    each(5, 100, lambda at: host.copy("D2H", at + 80, at + 90, size=4))
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "claimed_ms"),
    [
        (training(copy=0.9), 0),
        (training(copy=1), 1),
        (training(copy=15, hidden=True), 0),
        (training(copy=15, direction="P2P"), 0),  # between GPUs: another rule's
        (training(copy=15, steps_with_copy=1), 0),
        (training(copy=15, steps_with_copy=2), 7.5),  # in two of four steps
        (training(copy=15, steps_with_copy=2, steps=6), 0),  # in two of five
        (of_the_batch_and_the_loss(), 0),
    ],
)
def test_what_copies_cost(host: Host, claimed_ms: float) -> None:
    claims = getattr(judge(RULE, host), "claims", {})

    assert claims == ({"copy.d2h": claimed_ms * MS} if claimed_ms else {})


def test_copies_after_the_last_kernel_are_told_from_those_before() -> None:
    host = Host().trained(5, 100, lambda host, at: host.kernel(at, at + 40))
    each(5, 100, lambda at: host.copy("D2H", at + 40, at + 50, size=1_000_000, op="model/where:Where"))
    each(5, 100, lambda at: host.kernel(at + 50, at + 60))
    each(5, 100, lambda at: host.copy("D2H", at + 60, at + 100, size=500_000_000, op="model/softmax:Softmax"))
    found = fires(RULE, host)
    labels = [row.label for row in found.evidence]

    assert "nothing but copy, mostly to the host: 40.0 ms per step" in found.summary
    assert says(found, rule.ALSO_INSIDE) and "copies for 10.0 ms more" in found.summary
    assert found.claims == {"copy.d2h": 40_000_000}
    assert "copies to the host" in labels and "copies to the host, after the last kernel" in labels


def test_copies_in_the_middle_are_told_from_those_after_the_last_kernel() -> None:
    host = Host().trained(5, 100, lambda host, at: host.kernel(at, at + 40))
    each(5, 100, lambda at: host.copy("D2H", at + 40, at + 70, size=1_000_000, op="model/where:Where"))
    each(5, 100, lambda at: host.kernel(at + 70, at + 95))
    each(5, 100, lambda at: host.copy("D2H", at + 95, at + 100, size=1_000_000, op="model/softmax:Softmax"))
    found = fires(RULE, host)

    assert "nothing but copy, mostly to the host: 30.0 ms per step" in found.summary
    assert says(found, rule.ALSO_AFTER) and "copies for 5.0 ms more" in found.summary


def test_the_ops_whose_copies_take_most_time_are_named() -> None:
    """Many short copies, a long one, and one that a kernel hides."""
    host = Host().trained(5, 100, lambda host, at: host.kernel(at, at + 40))
    each(5, 100, lambda at: host.kernel(at + 10, at + 30, stream=8))
    each(5, 100, lambda at: host.copy("D2H", at + 10, at + 30, size=1_000_000, op="hidden:Where"))
    for at in range(0, 500, 100):
        for begin in (40, 40.2, 40.4, 40.6, 40.8):
            host.copy("D2H", at + begin, at + begin + 0.2, size=8, op="short:Where")
    each(5, 100, lambda at: host.copy("D2H", at + 41, at + 60, size=1_000_000, op="long:Where"))
    each(5, 100, lambda at: host.kernel(at + 60, at + 100))

    assert "Most come from long:Where." in fires(RULE, host).summary
