"""GPUs copy tensors to each other, beside the gradients."""

from __future__ import annotations

import pytest

from tests.builders import ALL_REDUCE, Host, Stats, each, fires, judge, passes, value
from tests.stages import pipeline
from tfperf_plugin.judging.engine.rule import NotApplicable, Passed
from tfperf_plugin.judging.rules.several_gpus import d2d_copies as rule
from tfperf_plugin.judging.rules.several_gpus.d2d_copies import RULE

OP = "model/exchange/concat:ConcatV2"


def training(
    copy: float,
    *,
    gpus: int = 2,
    steps_with_copy: int = 5,
    direction: str = "P2P",
    op: str = OP,
    size: int = 100_000_000,
    hidden: bool = False,
    gradients: bool = True,
    name: str = "worker",
) -> Host:
    """Steps of 100 ms in whose middle GPU 0 sends a tensor to another GPU while it computes nothing."""

    def step(host: Host, at: float) -> None:
        for gpu in range(gpus):
            host.kernel(at, at + 40, gpu, op="model/dense/MatMul:MatMul")
            host.kernel(at + 40 + (copy if gpu == 0 else 0), at + 90, gpu)
            if gradients:
                host.kernel(at + 90, at + 100, gpu, ALL_REDUCE)

    host = Host(name, gpus=gpus).trained(5, 100, step)
    each(
        steps_with_copy,
        100,
        lambda at: host.copy(direction, at + 40, at + 40 + copy, size=size, op=op),
    )
    if hidden:
        each(5, 100, lambda at: host.kernel(at + 39, at + 89, stream=8))
    return host


def sent(number: int, details: str = "size:100000000 dest:1 async:1", gap: float = 0) -> Host:
    """GPU 0 sends GPU 1 a tensor in each step and computes meanwhile; GPU 1 goes on ``gap`` ms later."""
    host = Host(gpus=2).steps(5, 100)

    def step(at: float) -> None:
        host.kernel(at, at + 100, 0)
        host.kernel(at, at + 40, 1)
        host.kernel(at + 60 + gap, at + 100, 1)
        stats: Stats = {"memcpy_details": details}
        host.kernel(at + 40, at + 60, 0, "MemcpyP2P", stream=20, stats=stats, op=OP)

    each(number, 100, step)
    return host


def test_the_gpu_that_receives_stands_idle_meanwhile() -> None:
    found = fires(RULE, sent(5))

    # 20 ms on one of two GPUs, for no reason that the host's events tell.
    assert found.claims == {"idle.unknown": 10_000_000}
    assert value(found, "GPU 0 to GPU 1") == "1 copy per step, 100 MB, 20.0 ms"


def test_a_receiver_that_is_not_recorded_is_not_made_up() -> None:
    passes(RULE, sent(5, details="size:100000000 async:1"))
    unknown = fires(RULE, training(20, size=0))
    assert not any(row.unit in ("bytes", "GB/s") for row in unknown.evidence)
    assert value(unknown, "GPU 0 to other GPUs") == "1 copy per step, 20.0 ms"
    assert isinstance(judge(RULE, training(20, gpus=1)), NotApplicable)
    assert "what follows model/dense/MatMul:MatMul" in fires(RULE, training(20, op="")).summary


def changing() -> Host:
    """Each step another op copies."""
    host = training(copy=20, steps_with_copy=0)
    for number in range(5):
        host.copy("P2P", 100 * number + 40, 100 * number + 60, size=1, op=f"restore_{number}/Read:ReadOp")
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "fires_"),
    [
        (training(copy=2), True),  # 1 % of the step
        (training(copy=1.98), False),
        (training(copy=40, steps_with_copy=2), True),
        (training(copy=40, steps_with_copy=1), False),  # of four steps
        (training(copy=20, hidden=True), False),
        (training(copy=20, direction="H2D"), False),
        (training(copy=20, direction="D2H"), False),
        (training(copy=20, direction="D2D"), False),  # excessive-memcpy judges copies within a GPU
        (changing(), False),
        (sent(5, gap=0.2), False),  # the receiver does not wait for it
    ],
)
def test_what_is_found_and_what_passes(host: Host, fires_: bool) -> None:
    assert isinstance(judge(RULE, host), Passed) != fires_


@pytest.mark.parametrize(
    ("host", "advice", "said"),
    [
        (training(20), "", rule.BESIDE_COLLECTIVES),
        (training(20, gradients=False), "no collective was recorded", rule.NO_COLLECTIVES),
        (pipeline(4, 8), "stages hand over", rule.BY_STAGES),
    ],
)
def test_what_copies_are_for_depends_on_what_else_was_recorded(host: Host, advice: str, said: str) -> None:
    found = fires(RULE, host)

    assert found.advice == advice
    assert said in found.summary
