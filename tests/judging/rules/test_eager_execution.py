"""The step runs op by op from Python instead of inside tf.function."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders import Host, each, finding, fires, judge, passes, says, value
from tfperf_plugin.judging.engine.rule import Found, Missing, Passed
from tfperf_plugin.judging.engine.words import NO_GPU
from tfperf_plugin.judging.rules.one_gpu.eager_execution import CALLS, RULE

OPS = 10
STEP = 1.0


def op(host: Host, at: float, name: str = "MatMul", kernel: tuple[float, float] | None = None) -> None:
    """An eager op of 40 µs with a launch in its last 10 µs; the kernel follows it, 20 µs long by default."""
    host.event("EagerExecute", at, at + 0.041, eager_op=name, is_func=0)
    host.event(f"EagerLocalExecute: {name}", at, at + 0.040)
    begin, end = kernel or (at + 0.040, at + 0.060)
    host.kernel(begin, end, launch=(at + 0.030, at + 0.040))


def training(pause: float = 0.060, kernel_ends: float = 0.060, gpus: int = 1) -> Host:
    """Steps of 1 ms: ten eager ops of 40 µs, ``pause`` ms apart; each kernel ends ``kernel_ends`` after its
    op's begin."""

    def step(host: Host, at: float) -> None:
        for number in range(OPS):
            begin = at + number * (0.040 + pause)
            op(host, begin, kernel=(begin + 0.040, begin + kernel_ends))

    return Host(gpus=gpus).trained(5, STEP, step)


def function_step(host: Host, at: float, kernels: int, call: str = "train_function") -> None:
    """One eager call of a tf.function that launches all kernels."""
    host.event(call, at, at + 0.5, tf_function_call="notTraced-nonXla", tracing_count=1)
    host.event(f"EagerLocalExecute: __inference_{call}_12", at, at + 0.5)
    for number in range(kernels):
        begin = at + number * 0.05
        host.kernel(begin + 0.03, begin + 0.05, launch=(begin + 0.01, begin + 0.02))


@pytest.mark.near_miss("below")
def test_a_few_eager_ops_beside_a_function_are_below_the_threshold() -> None:
    def host(eager: int) -> Host:
        def step(host: Host, at: float) -> None:
            for number in range(10):
                begin = at + number * 0.05
                host.kernel(
                    begin + 0.03, begin + 0.05, launch=(begin + 0.01, begin + 0.02), thread="tf_Compute/1"
                )
            for number in range(eager):
                op(host, at + 0.5 + number * 0.1)

        return Host().trained(5, STEP, step)

    passes(RULE, host(1))  # one of eleven kernels: 9 %
    assert value(fires(RULE, host(2)), "kernels launched by eager ops") == 2 / 12


def test_fetching_a_batch_eagerly_is_input() -> None:
    host = training()
    each(5, STEP, lambda at: host.event("EagerLocalExecute: IteratorGetNext", at + 0.99, at + 0.999))

    assert value(fires(RULE, host), "eager ops") == 10


def test_long_pauses_have_another_cause() -> None:
    """Python computes for more than a millisecond between two ops: not the price of running op by op. Of the
    1.58 ms in which the GPU is idle only 40 µs in the second op count."""

    def step(host: Host, at: float) -> None:
        op(host, at + 1, kernel=(at + 1.04, at + 9))
        op(host, at + 9.5, kernel=(at + 9.54, at + 10))

    assert "0.4 %" in passes(RULE, Host().trained(5, 10, step)).reason


def busy(host: Host, at: float) -> None:
    for number in range(OPS):
        begin = at + number * 0.1
        op(host, begin, kernel=(begin, begin + 0.1))


def function(host: Host, at: float) -> None:
    function_step(host, at, 10)


def with_metrics(host: Host, at: float) -> None:
    """Metrics may run eagerly after the function, inside the marker."""
    function_step(host, at, 10)
    for number in range(2):
        op(host, at + 0.7 + number * 0.1)


def tracing(host: Host, at: float) -> None:
    """Constants are made while a function is traced."""
    host.event("train_step", at, at + 0.9, tf_function_call="traced-nonXla", tracing_count=3)
    for number in range(5):
        op(host, at + 0.1 * number)


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize("step", [busy, function, with_metrics, tracing])
def test_what_is_not_eager_or_costs_nothing(step: Callable[[Host, float], None]) -> None:
    passes(RULE, Host().trained(5, STEP, step))


def test_without_a_gpu_it_is_pythons_time_and_no_saving() -> None:
    def step(host: Host, at: float) -> None:
        for number in range(OPS):
            host.event("EagerLocalExecute: MatMul", at + number * 0.1, at + number * 0.1 + 0.04)

    found = finding(RULE, Host(gpus=0).trained(5, STEP, step))

    assert (found.saving, found.severity) == (None, "warning")
    assert value(found, "Python between two eager ops") == 600_000  # 60 µs after each of ten
    assert says(found, NO_GPU)


@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize("allocator", ["cpu", "GPU_0_bfc"])
def test_a_single_eager_step_on_the_cpu_is_judged_without_its_bounds(allocator: str) -> None:
    host = Host(gpus=0)
    for number in range(OPS):
        host.event("EagerLocalExecute: MatMul", number * 0.1, number * 0.1 + 0.06)
    host.memory(1, 1_000, 10_000, 1_000, allocator=allocator)
    verdict = judge(RULE, host)

    if allocator != "cpu":  # a GPU worked
        assert isinstance(verdict, Missing)
        return
    assert isinstance(verdict, Found) and "MatMul ops" in str(verdict.evidence)
    assert "Python runs 10 ops one by one" in verdict.summary and "that were recorded" in verdict.summary
    assert value(verdict, "Python between two eager ops") == 360_000


@pytest.mark.parametrize(("ops", "seen"), [(1, False), (100, True)])
def test_gpus_without_events_hide_few_eager_ops_but_not_hundreds(ops: int, seen: bool) -> None:
    def step(host: Host, at: float) -> None:
        for number in range(ops):
            host.event("EagerLocalExecute: Mul", at + number, at + number + 0.5)

    assert isinstance(judge(RULE, Host().trained(5, 100, step)), Found if seen else Missing)


def on_cpu(calls: int, call: str, computes: str, computing: float = 0.03, pause: float = 0.05) -> Host:
    """Steps of 20 ms without a GPU: calls of 50 µs, ``pause`` ms apart, that compute for ``computing`` ms."""

    def step(host: Host, at: float) -> None:
        for number in range(calls):
            begin = at + number * (0.05 + pause)
            host.event(call, begin, begin + 0.05)
            middle = begin + 0.025
            thread = "tf_XLAEigen/1" if computes.startswith("Thunk") else "python3"
            host.event(computes, middle - computing / 2, middle + computing / 2, thread=thread)

    return Host(gpus=0).trained(5, 20, step)


JAX = ("PjitFunction(add)", "ThunkExecutor::Execute", "Small functions, called one by one")
PYTORCH = ("aten::linear", "aten::mkldnn_linear", "Small ops, called one by one")


@pytest.mark.parametrize(("within", "action"), [(0.6, "Let few ops update"), (0.4, "Run fewer and larger")])
def test_an_optimizer_that_makes_most_of_the_calls_is_the_cause(within: float, action: str) -> None:
    def step(host: Host, at: float) -> None:
        host.event("Optimizer.step#AdamW.step", at + 0.01, at + within * 10)
        for number in range(100):
            begin = at + 0.1 * number + 0.02
            host.event("aten::mul_", begin, begin + 0.05)
            host.event("aten::mkldnn_linear", begin + 0.01, begin + 0.04)

    found = finding(RULE, Host(gpus=0).trained(5, 20, step))

    assert found.action.startswith(action)
    assert ("The optimizer makes 60 of them." in found.summary) is (within > 0.5)


@pytest.mark.near_miss("just below")
@pytest.mark.parametrize(("calls", "seen"), [(40, False), (100, True)])
def test_small_calls_are_found_in_a_recording_without_steps(calls: int, seen: bool) -> None:
    host = Host(gpus=0)
    for at in range(calls):
        host.event("aten::linear", at * 0.1, at * 0.1 + 0.05)
        host.event("aten::mkldnn_linear", at * 0.1 + 0.01, at * 0.1 + 0.04)
    host.event("aten::mkldnn_linear", 1.01, 1.04, thread="worker")
    verdict = judge(RULE, host)

    assert isinstance(verdict, Found if seen else Passed)
    if isinstance(verdict, Found):
        assert says(verdict, CALLS) and "ms that were recorded nothing computes" in verdict.summary
        assert value(verdict, "in and between calls") == 100 * 20_000 + 99 * 50_000
        assert value(verdict, "calls") == 100


@pytest.mark.near_miss("normal")
@pytest.mark.parametrize(
    ("call", "computes", "few"), [(*JAX[:2], 8), (*PYTORCH[:2], 40)], ids=["JAX", "PyTorch"]
)
def test_calls_on_the_cpu_that_compute_or_are_few_are_not(call: str, computes: str, few: int) -> None:
    passes(RULE, on_cpu(100, call, computes, computing=0.048, pause=0.005))
    passes(RULE, on_cpu(few, call, computes, pause=0.9))
    # Longer pauses are the loop's own work.
    assert value(fires(RULE, on_cpu(few + 10, call, computes, pause=0.3)), "calls") == few + 10
