"""A batch that is too small for the GPU, and the batch at which the curve flattens."""

from __future__ import annotations

import pytest

from tests.builders import HALF_GEMM, Host, fires, inputs, judge, passes, says, value
from tests.judging.rules.kernels import A100, K, copying, training
from tests.judging.rules.test_memory_headroom import GB
from tfperf_plugin.analysis.artifacts.compute.batch import Batch
from tfperf_plugin.judging.engine.rule import Found
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu import batch_too_small, memory_headroom
from tfperf_plugin.judging.rules.one_gpu import batch_too_small as rule
from tfperf_plugin.judging.rules.one_gpu.batch_too_small import RULE
from tfperf_plugin.recording.record import TrainingFacts, TrainingRecord

SMALL = "m/a/MatMul:MatMul"
QUARTER, FULL = "grid:27,1,1 block:256,1,1", "grid:108,10,1 block:256,1,1"


def step(small_ms: float, details: str = QUARTER, **more: object) -> Host:
    """``small_ms`` of 100 ms are in launches with 27 blocks for 108 multiprocessors; the rest is full."""
    kernel = K(small_ms, HALF_GEMM, SMALL, details=details)
    host = training([kernel], device=A100, **more)  # type: ignore[arg-type]
    host.work(SMALL, 10**9, 10**6)
    return host


@pytest.mark.near_miss("different")
@pytest.mark.parametrize("op", ["optimizer/mul_:Mul", "model/mul_:Mul"])
def test_updates_of_parameters_do_not_grow_with_the_batch(op: str) -> None:
    host = training([K(90, "loop_mul_fusion", op, details=QUARTER)], device=A100)
    host.work(op, 0, 10**6)

    assert isinstance(judge(RULE, host), Found) == op.startswith("model")


def test_what_is_needed_bounds_how_far_a_launch_may_grow() -> None:
    """8192·8192·4096 in fp16 need 2.2 ms of 4: with 1.8 times the work a launch takes longer."""
    host = training([K(4, HALF_GEMM, "m/a/MatMul:MatMul", details=QUARTER)] * 20, device=A100)
    host.work("m/a/MatMul:MatMul", 2 * 8192**2 * 4096, 2 * (8192**2 + 2 * 8192 * 4096))

    batch = inputs(host).of(Batch)
    assert batch.left_ratio(100) == pytest.approx(0.2 + 0.8 * 2.2035 / 4, rel=1e-3)
    passes(RULE, host)


def with_memory(host: Host, capacity: float) -> Host:
    for at, allocated in ((10, 2), (50, 6), (90, 2)):
        host.memory(at, allocated * GB, int(capacity * GB), 6 * GB)
    return host


def test_memory_may_stop_before_the_curve_is_flat() -> None:
    found = fires(RULE, with_memory(step(90), 12))  # (0.9 · 12 − 2) / 4 = 2.2

    assert says(found, rule.LESS_ROOM) and "computing takes 51 %" in found.summary
    assert value(found, "gain per example") == pytest.approx(0.9 * (1 - 1 / 2.2))
    assert says(passes(RULE, with_memory(step(90), 7)), rule.NO_ROOM)  # 1.1 times


def test_the_recorded_batch_is_stated() -> None:
    given = inputs(step(90))
    given.facts = TrainingFacts((TrainingRecord(batch_size=64),))

    found = given.call(RULE.judge)

    assert isinstance(found, Found)
    assert says(found, rule.RECORDED) and "64" in found.summary and "about 224" in found.summary


def test_one_finding_says_what_a_larger_batch_brings() -> None:
    rules = [batch_too_small.RULE, memory_headroom.RULE]
    (small,) = run_rules(rules, inputs(with_memory(step(90), 20))).findings
    (filled,) = run_rules(rules, inputs(with_memory(step(90, FULL), 20))).findings
    (unknown,) = run_rules(rules, inputs(with_memory(step(80, FULL), 20))).findings

    assert [f.id for f in small.explains] == ["memory-headroom"]
    assert filled.id == unknown.id == "memory-headroom"
    # The work of the rest is not known.
    assert (says(filled, memory_headroom.FASTER), says(unknown, memory_headroom.FASTER)) == (True, False)


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [step(49), step(90, FULL), step(90, "grid:60,1,1 block:256,1,1")],
    ids=["not most", "full", "flat from 1.8 on"],
)
def test_what_stays_silent(host: Host) -> None:
    passes(RULE, host)


@pytest.mark.near_miss("hidden")
def test_what_runs_under_other_kernels_costs_nothing() -> None:
    host = training([K(1, HALF_GEMM)], device=A100, beside=[K(90, HALF_GEMM, SMALL, details=QUARTER)])
    host.work(SMALL, 10**9, 10**6)

    passes(RULE, host)


def test_without_a_kernel_the_question_does_not_arise() -> None:
    assert says(judge(RULE, copying()), rule.NOTHING)
