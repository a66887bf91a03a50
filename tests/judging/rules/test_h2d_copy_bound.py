"""The batch's copy to the GPU is on the critical path."""

from __future__ import annotations

import pytest

from tests.builders import MS, Host, each, evidence, fires, inputs, judge, passes, says, value
from tfperf_plugin.judging.engine.rule import Found
from tfperf_plugin.judging.rules.input import h2d_copy_bound as rule
from tfperf_plugin.judging.rules.input.h2d_copy_bound import RULE


def training(
    copy: float,
    kernel_from: float | None = None,
    memory: str = "pinned",
    size: int = 200_000_000,
    capability: tuple[int, int] = (9, 0),
) -> Host:
    """Steps of 100 ms that begin with the batch's copy; kernels run from its end, or ``kernel_from``, on."""

    def step(host: Host, at: float) -> None:
        host.copy("H2D", at, at + copy, size=size, memory=memory)
        host.kernel(at + (copy if kernel_from is None else kernel_from), at + 100)

    return Host(capability=capability).trained(5, 100, step)


@pytest.mark.near_miss("different")
@pytest.mark.parametrize(
    ("memory", "copy", "op", "saved_ms"),
    [
        ("pageable", 90, "aten::linear", 10 + 90 - 20),  # 2.42 GB take 20 ms at 121 GB/s
        ("pageable", 90, "ExecutorState::Process", 90),  # no program of TensorFlow pins memory
        ("pageable", 60, "aten::linear", 60),  # computing hides most of it
        ("pinned", 90, "aten::linear", 90),
    ],
)
def test_pinning_comes_first_if_computing_hides_little(
    memory: str, copy: float, op: str, saved_ms: float
) -> None:
    host = training(copy, memory=memory, size=2_420_000_000)
    host.event(op, 1, 2)
    found = fires(RULE, host)

    assert found.claims == {"copy.h2d": saved_ms * MS}
    assert (
        (found.advice == "computing hides little") == (saved_ms != copy) == says(found, rule.COMPUTES_LITTLE)
    )


def test_pinned_memory_saves_no_more_than_the_link_carries() -> None:
    """On a T4, 630 MB take 40 ms over PCI Express 3 at 15.75 GB/s."""
    host = training(90, memory="pageable", size=630_000_000, capability=(7, 5))
    host.event("aten::linear", 1, 2)

    assert fires(RULE, host).claims == {"copy.h2d": (10 + 90 - 40) * MS}


def drawn(*copy: float, busy: tuple[tuple[float, float], ...], op: str = "", steps: int = 5) -> Host:
    """Steps of 100 ms with a copy in the first ``steps``, and kernels."""
    host = Host().steps(5, 100)
    each(steps, 100, lambda at: host.copy("H2D", at + copy[0], at + copy[1], size=1_000_000, op=op))
    for begin, end in busy:
        each(5, 100, lambda at, begin=begin, end=end: host.kernel(at + begin, at + end))  # type: ignore[misc]
    return host


def before_the_marker() -> Host:
    """As with jax.device_put before the step: the copy lies behind the last kernel of the step before."""
    host = Host()
    each(5, 100, lambda at: host.step(int(at) // 100, at + 20, at + 100))
    each(5, 100, lambda at: host.copy("H2D", at, at + 20, size=1_000_000))
    each(5, 100, lambda at: host.kernel(at + 20, at + 100))
    return host


# Tiny kernels of the optimizer need no batch.
TINY = ((0, 0.1), (20, 100))


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("host", "claimed_ms"),
    [
        (training(copy=1), 1),
        (training(copy=0.9), 0),
        (drawn(30, 60, busy=((0, 100),)), 0),  # a kernel hides it
        (drawn(40, 60, busy=((0, 40), (60, 100))), 0),  # in the middle it is not the batch
        (drawn(0, 8, busy=((8, 100),), steps=1), 2),  # in one of four steps
        (before_the_marker(), 20),
        (drawn(0.1, 20, busy=TINY, op="IteratorGetNext/_3:_Send"), 19.9),
        (drawn(0.1, 20, busy=TINY, op="model/where/_3:_Send"), 0),
    ],
)
def test_what_copies_of_the_batch_cost(host: Host, claimed_ms: float) -> None:
    verdict = judge(RULE, host)

    assert isinstance(verdict, Found) == bool(claimed_ms)
    assert not isinstance(verdict, Found) or verdict.claims == {"copy.h2d": claimed_ms * MS}


@pytest.mark.near_miss("pinned")
def test_a_call_as_long_as_the_copy_tells_pageable_memory() -> None:
    def called(call: float) -> Host:
        def step(host: Host, at: float) -> None:
            host.event("ExecutorState::Process", at, at + 22, "tf_Compute/1", id=7)
            copy = (at + 0.1, at + 0.1 + call)
            host.kernel(
                at + 0.2, at + 20, name="MemcpyH2D", stream=20, launch=copy, thread="tf_Compute/1",
                stats={"memcpy_details": "size:1000000 dest:0 async:1"},  # as TensorFlow 2.3 to 2.12 write it
            )  # fmt: skip
            host.kernel(at + 20.1, at + 100, launch=(at + 20, at + 20.05), thread="tf_Compute/1")

        return Host().trained(5, 100, step)

    slow, quick = fires(RULE, called(19.9)), fires(RULE, called(0.01))
    assert value(slow, "bytes from pageable memory") == 1
    assert says(slow, rule.PAGEABLE_MEMORY)
    assert value(quick, "host memory") == "not recorded whether pinned"


def handing_over(
    consumer_ms: float = 10, pause_ms: float = 3, thread: str = "tf_Compute/1", size: int = 200_000_000,
    copy_ms: float = 20,
) -> Host:  # fmt: skip
    """A blocking copy up to 21, a tiny kernel, then nothing is launched for ``pause_ms``, then the step."""
    host = Host().steps(5, 100)
    details = f"kind_src:pageable kind_dst:device size:{size} dest:0 async:1"

    def step(at: float) -> None:
        host.event("train_function", at, at + 90, tf_function_call="notTraced-nonXla")
        batch = "IteratorGetNext/_3:_Send"
        call = (at + 21 - copy_ms, at + 21)
        host.kernel(
            *call, name="MemcpyH2D", stream=20, op=batch, launch=call, thread=thread,
            stats={"memcpy_details": details},
        )  # fmt: skip
        host.kernel(at + 21.03, at + 21.035, op="Adam/add:AddV2", launch=(at + 21.01, at + 21.02))
        consumed = at + 21.02 + pause_ms
        host.kernel(consumed + 0.03, consumed + consumer_ms, launch=(consumed, consumed + 0.02))

    each(5, 100, step)
    return host


def held_ms(host: Host) -> float:
    """What the account holds: the copy, and the pause until the batch is handed on."""
    ledger = inputs(host).ledger
    assert ledger
    return ledger.average()["copy.h2d"] / MS


def test_the_account_lasts_until_the_batch_is_handed_over_and_the_claim_does_not() -> None:
    """What was copied is in use 3 ms later; a kernel of 5 µs cannot have read 200 MB. The copy would go."""
    found = fires(RULE, handing_over())

    assert held_ms(handing_over()) == pytest.approx(23, abs=0.01)
    assert found.claims == {"copy.h2d": 20_000_000}
    assert evidence(found.evidence, "copied, not handed over").value == pytest.approx(3_000_000, abs=10_000)
    assert says(found, rule.HANDS_ON) and "for 3.0 ms" in found.summary


@pytest.mark.near_miss("handed over late")
def test_a_batch_handed_over_late_is_no_copy() -> None:
    """0.9 ms of copying and 3 ms of the host: without the copy the step is 0.9 % shorter."""
    passes(RULE, handing_over(copy_ms=0.9))


def with_another_kernel(host: Host) -> Host:
    each(5, 100, lambda at: host.kernel(at + 30, at + 80, launch=(at + 29, at + 29.1)))
    return host


def run_from(begin: float) -> Host:
    """Any kernel can have read a small batch, but what waits for it gets a run of the executor of its own."""
    host = handing_over(size=200_000)
    for at in range(0, 500, 100):
        host.event("ExecutorState::Process", at + begin, at + 21.03, id=7)
        host.event("ExecutorState::Process", at + 24.01, at + 24.1, id=7)
    return host


def with_op_on_cpu() -> Host:
    host = handing_over()
    each(5, 100, lambda at: host.event("parse:DecodeRaw", at + 21.1, at + 24, thread="tf_Compute/2"))
    return host


@pytest.mark.parametrize(
    ("host", "waited_ms"),
    [
        # A kernel that can have read the batch comes before the pause.
        (with_another_kernel(handing_over(consumer_ms=0.06, pause_ms=0.05)), 20),
        (run_from(20.5), 23),  # the run began before the copy ended: it needs no batch
        (run_from(21.005), 20),
        (with_op_on_cpu(), 20.1),  # it holds up the batch itself
        (handing_over(pause_ms=0.08), 20),  # a short pause is launching
    ],
)
def test_what_is_a_hand_over(host: Host, waited_ms: float) -> None:
    assert held_ms(host) == pytest.approx(waited_ms, abs=0.04)


SLICE = "net/lambda/strided_slice:StridedSlice"


def sliced(kept: str = "[8,500,500,1]", first: str = SLICE, **made: str) -> Host:
    """Batches of [8, 500, 500, 3] in 32 bit are copied; the first op makes a tensor of ``kept``."""
    host = Host().steps(5, 100)
    outputs = {first.rpartition(":")[0]: kept, **made}

    def step(at: float) -> None:
        host.copy("H2D", at, at + 20, size=24_000_000, op="IteratorGetNext/_3:_Send")
        host.kernel(at + 20.0, at + 20.001, op="Adam/add:AddV2")  # too short to have read the batch
        host.kernel(at + 20.1, at + 20.3, op=first)
        for op in made:
            host.kernel(at + 21, at + 22, op=f"{op}:StridedSlice")
        host.kernel(at + 22, at + 100, op="net/conv/Conv2D:Conv2D")
        for op, shape in outputs.items():
            host.event(
                "MemoryAllocation", at + 21, at + 21, tf_op=op, allocator_name="GPU_0_bfc", bytes_allocated=7,
                data_type=1, shape=shape, region_type="output",
            )  # fmt: skip

    each(5, 100, step)
    return host


def test_a_batch_of_which_the_first_op_drops_a_part_is_sliced_too_late() -> None:
    found = fires(RULE, sliced())

    assert "the first op, net/lambda/strided_slice, drops 67 %" in found.summary
    assert "copy 8.0 MB instead" in found.summary
    assert value(found, "of the batch dropped") == pytest.approx(2 / 3)
    assert found.advice == "a part is dropped"


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [
        sliced(kept="[8,500,500,3]"),  # channels in another order
        sliced(kept="[8,499,500,2]"),  # no whole part
        sliced(first="net/conv/Conv2D:Conv2D"),
        sliced(**{"net/lambda_1/strided_slice": "[8,500,500,1]"}),  # each channel for itself
        sliced(**{"loss/sub": "[8,500,500,3]"}),  # the loss compares with the whole batch
    ],
    ids=["same size", "odd part", "no slice", "another part", "all of it"],
)
def test_a_batch_that_is_used_as_a_whole_is_not_sliced(host: Host) -> None:
    assert not says(fires(RULE, host), rule.DROPS)
