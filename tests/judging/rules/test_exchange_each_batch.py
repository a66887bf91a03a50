"""Gradients that are exchanged for each micro-batch."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import ALL_REDUCE, Host, Stats, fires, judge, passes, value
from tfperf_plugin.judging.engine.rule import NotApplicable
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


def test_all_exchanges_but_the_last_are_needless() -> None:
    found = fires(RULE, steps([True, True, True]))

    assert value(found, "exchanges for each update") == 3
    assert found.claims == {"communication.transfer": 10_000_000}


def test_an_update_may_follow_in_a_later_step() -> None:
    """Each step holds one micro-batch: two of the four whole steps have an update."""
    found = fires(RULE, steps([True], updates=(False, True, False, True, False)))

    assert value(found, "exchanges for each update") == 2
    assert found.claims == {"communication.transfer": 2 * 5_000_000 // 4}


@pytest.mark.near_miss("below")
def test_one_exchange_after_the_last_micro_batch_is_right() -> None:
    passes(RULE, steps([False, False, True]))
    passes(RULE, steps([True]))


@pytest.mark.near_miss("below")
def test_a_skipped_update_is_no_accumulation() -> None:
    passes(RULE, steps([True], updates=(True, True, False, True, True)))


@pytest.mark.near_miss("hidden")
def test_what_the_backward_pass_hides_costs_nothing() -> None:
    passes(RULE, steps([True, True], hidden=True))


def test_several_training_steps_in_one_are_no_micro_batches() -> None:
    """An update follows each exchange."""
    host = Host(gpus=2).steps(5, 100)
    for at, gpu in ((a, g) for a in range(0, 500, 50) for g in range(2)):
        host.kernel(at, at + 10, gpu, op=FORWARD)
        host.kernel(at + 10, at + 20, gpu, op=BACKWARD)
        host.kernel(at + 20, at + 25, gpu, ALL_REDUCE, stream=8)
        host.kernel(at + 25, at + 27, gpu, op=OPTIMIZER)

    passes(RULE, host)


def test_calls_in_both_passes_are_no_micro_batches() -> None:
    """Tensor parallelism sums in each layer, forward and backward."""
    host = Host(gpus=2).steps(5, 100)
    for step, gpu in ((s, g) for s in range(5) for g in range(2)):
        at = 100.0 * step
        for op in (FORWARD, FORWARD, BACKWARD, BACKWARD):
            host.kernel(at, at + 10, gpu, op=op)
            host.kernel(at + 10, at + 15, gpu, ALL_REDUCE, stream=8)
            at += 15
        host.kernel(at, at + 2, gpu, op=OPTIMIZER)

    passes(RULE, host)


def test_without_names_of_passes_nobody_knows() -> None:
    host = Host(gpus=2).steps(5, 100)
    for step, gpu in ((s, g) for s in range(5) for g in range(2)):
        host.kernel(100 * step, 100 * step + 40, gpu)
        host.kernel(100 * step + 40, 100 * step + 50, gpu, ALL_REDUCE, stream=8)

    assert isinstance(judge(RULE, host), NotApplicable)


def test_gradients_of_sharded_weights_are_scattered_at_once() -> None:
    """FSDP gathers weights for both passes, and no GPU has room for all gradients."""
    host = Host(gpus=2).steps(5, 100)
    for step, gpu in ((s, g) for s in range(5) for g in range(2)):
        for number, kind in enumerate(
            ("AllGather_RING_LL", "AllGather_RING_LL", "ReduceScatter_Sum_f32_RING_LL")
        ):
            at = 100 * step + 10 * number
            stats: Stats = {"buffer_size": 2_000_000 if number < 2 else 1_000_000}
            host.kernel(at, at + 10, gpu, f"ncclDevKernel_{kind}(x)", stream=8, stats=stats)
        host.kernel(100 * step + 30, 100 * step + 60, gpu, op=BACKWARD)

    verdict = judge(RULE, host)

    assert isinstance(verdict, NotApplicable)
    assert "sharded" in verdict.reason
