"""Gradients that are exchanged for each micro-batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import pytest

from tests.builders import ALL_REDUCE, Host, Stats, fires, judge, passes, value
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.several_gpus import exchange_each_batch as rule
from tfperf_plugin.judging.rules.several_gpus.exchange_each_batch import RULE

FORWARD, BACKWARD, OPTIMIZER = (
    "model/dense/MatMul:MatMul",
    "gradient_tape/model/dense/MatMul:MatMul",
    "Adam/mul:Mul",
)


def steps(
    exchanged: Sequence[bool],
    exchange: float = 5,
    updates: Sequence[bool] = (True,) * 5,
    hidden: bool = False,
) -> Host:
    """Steps of 100 ms on two GPUs. Each of their micro-batches computes for 10 ms forward and 10 ms backward;
    its gradients are then ``exchanged`` or not, by a call of ``exchange`` ms that nothing hides, or that lies
    in the backward pass. An optimizer follows in steps with ``updates``."""
    host = Host(gpus=2).steps(5, 100)
    for number, gpu in ((n, g) for n in range(5) for g in range(2)):
        at = 100.0 * number
        for exchanging in exchanged:
            host.kernel(at, at + 10, gpu, op=FORWARD)
            host.kernel(at + 10, at + 20, gpu, op=BACKWARD)
            at += 20
            if exchanging:
                begin = at - exchange if hidden else at
                host.kernel(begin, begin + exchange, gpu, ALL_REDUCE, stream=8)
                at = max(at, begin + exchange)
        if updates[number]:
            host.kernel(at, at + 2, gpu, op=OPTIMIZER)
    return host


@pytest.mark.parametrize(
    ("host", "per_update", "claimed_ms"),
    [
        (steps([True, True, True]), 3, 10),
        # Each step holds one micro-batch: two of the four whole steps have an update.
        (steps([True], updates=(False, True, False, True, False)), 2, 2.5),
    ],
)
def test_all_exchanges_but_the_last_are_needless(host: Host, per_update: int, claimed_ms: float) -> None:
    found = fires(RULE, host)

    assert value(found, "exchanges for each update") == per_update
    assert found.claims == {"communication.transfer": claimed_ms * 1_000_000}


def on_two_gpus(draw: Callable[[Host, float, int], None]) -> Host:
    host = Host(gpus=2).steps(5, 100)
    for at, gpu in product(range(0, 500, 100), range(2)):
        draw(host, at, gpu)
    return host


def several_steps(host: Host, at: float, gpu: int) -> None:
    """Two training steps in one marked step: an update follows each exchange."""
    for begin in (at, at + 50):
        host.kernel(begin, begin + 10, gpu, op=FORWARD)
        host.kernel(begin + 10, begin + 20, gpu, op=BACKWARD)
        host.kernel(begin + 20, begin + 25, gpu, ALL_REDUCE, stream=8)
        host.kernel(begin + 25, begin + 27, gpu, op=OPTIMIZER)


def both_passes(host: Host, at: float, gpu: int) -> None:
    """Tensor parallelism sums in each layer, forward and backward."""
    for op in (FORWARD, FORWARD, BACKWARD, BACKWARD):
        host.kernel(at, at + 10, gpu, op=op)
        host.kernel(at + 10, at + 15, gpu, ALL_REDUCE, stream=8)
        at += 15
    host.kernel(at, at + 2, gpu, op=OPTIMIZER)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        steps([False, False, True]),
        steps([True]),
        steps([True], updates=(True, True, False, True, True)),  # a skipped update
        steps([True, True], hidden=True),
        on_two_gpus(several_steps),
        on_two_gpus(both_passes),
    ],
)
def test_one_exchange_for_each_update_is_right(host: Host) -> None:
    passes(RULE, host)


def unnamed(host: Host, at: float, gpu: int) -> None:
    host.kernel(at, at + 40, gpu)
    host.kernel(at + 40, at + 50, gpu, ALL_REDUCE, stream=8)


def sharded(host: Host, at: float, gpu: int) -> None:
    """FSDP gathers weights for both passes, and no GPU has room for all gradients."""
    kinds = ("AllGather_RING_LL", "AllGather_RING_LL", "ReduceScatter_Sum_f32_RING_LL")
    for number, kind in enumerate(kinds):
        stats: Stats = {"buffer_size": 2_000_000 if number < 2 else 1_000_000}
        begin = at + 10 * number
        host.kernel(begin, begin + 10, gpu, f"ncclDevKernel_{kind}(x)", stream=8, stats=stats)
    host.kernel(at + 30, at + 60, gpu, op=BACKWARD)


@pytest.mark.parametrize(("draw", "reason"), [(unnamed, rule.UNKNOWN), (sharded, rule.SHARDED)])
def test_where_exchanges_and_updates_cannot_be_compared(
    draw: Callable[[Host, float, int], None], reason: str
) -> None:
    assert judge(RULE, on_two_gpus(draw)) == NotApplicable(reason)
