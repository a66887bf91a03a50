"""XLA compiles again and again."""

from __future__ import annotations

import pytest

from tests.builders import Host, finding, fires, passes, says, value
from tfperf_plugin.judging.rules.one_gpu import xla_recompilation as rule
from tfperf_plugin.judging.rules.one_gpu.xla_recompilation import RULE

OP = "__inference_train_step_9:__inference_train_step_9"
PASSES = "HLO Transforms:a_inference_train_step_9__XlaMustCompile_true"


def training(*compiles: float, gpus: int = 1, busy: bool = False) -> Host:
    """Steps of 100 ms; the n-th compiles for the n-th number of ms, only the first tenth is recorded."""
    host = Host(gpus=gpus).steps(len(compiles), 100)
    for number, length in enumerate(compiles):
        at = number * 100
        host.event(OP, at, at + 99)
        if length:
            host.event(PASSES, at, at + length / 10)
        if gpus:
            host.kernel(at if busy else at + 60, at + 100, launch=(at + length, at + length + 0.01))
    return host


def test_kernels_that_the_compiler_tries_do_not_end_it() -> None:
    def step(host: Host, at: float) -> None:
        host.event(OP, at, at + 99)
        host.event(PASSES, at, at + 20)
        host.kernel(at + 11, at + 12, launch=(at + 10, at + 10.5))  # a trial
        host.kernel(at + 60, at + 100, launch=(at + 50, at + 50.5))

    host = Host().trained(6, 100, step)
    assert fires(RULE, host).claims == {"idle.compile": 49_000_000}


def looking_up() -> Host:
    """Old TensorFlow has an op _XlaCompile in each step; it takes microseconds where nothing is compiled."""

    def step(host: Host, at: float) -> None:
        host.event("cluster_0/xla_compile:_XlaCompile", at + 10, at + 10.02)
        host.kernel(at + 60, at + 100, launch=(at + 50, at + 51))

    return Host().trained(6, 100, step)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        training(*[0.9] * 6),
        training(*[50.0] * 6, busy=True),
        training(0, 0, 0, 0, 50, 0),
        training(50, 0, 0, 0, 0, 0),
        training(50, 50, 0, 0, 0, 0),
        looking_up(),
    ],
    ids=["0.9 %", "under a kernel", "once", "warm-up", "a long warm-up", "a compiled program"],
)
def test_compiling_that_costs_nothing_or_is_no_pattern(host: Host) -> None:
    passes(RULE, host)
    assert fires(RULE, training(*[1.0] * 6)).claims == {"idle.compile": 1_000_000}


def test_without_a_gpu_it_is_the_hosts_time_and_no_saving() -> None:
    def step(host: Host, at: float) -> None:
        host.event(OP, at, at + 99)
        host.event("CpuCompiler::RunBackend", at + 20, at + 50)
        host.event("CpuExecutable::ExecuteAsyncOnStream", at + 55, at + 98)

    host = Host(gpus=0).trained(6, 100, step)
    found = finding(RULE, host)

    assert (found.saving, found.severity) == (None, "critical")
    assert value(found, "the host compiles") == 55_000_000


def test_what_is_traced_before_it_is_compiled_is_counted() -> None:
    def step(host: Host, at: float) -> None:
        host.event("train_step", at, at + 99.5, tf_function_call="traced-xla", tracing_count=3)
        host.event("XlaCompile", at + 20, at + 50)
        host.kernel(at + 60, at + 100, launch=(at + 55, at + 56))

    host = Host().trained(6, 100, step)
    found = fires(RULE, host)

    assert value(found, "of them traced anew") == 5
    assert says(found, rule.BOTH)
