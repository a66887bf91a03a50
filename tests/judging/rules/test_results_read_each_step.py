"""The host reads results back at the end of the step."""

from __future__ import annotations

import pytest

from tests.builders import Host, each, fires, passes, says
from tfperf_plugin.judging.rules.one_gpu import results_read_each_step
from tfperf_plugin.judging.rules.one_gpu.host_sync_in_step import RULE as IN_STEP
from tfperf_plugin.judging.rules.one_gpu.results_read_each_step import RULE

CALL = {"tf_function_call": "notTraced-nonXla"}


def one_batch(read_back: float, tail: float = 50) -> Host:
    """One call of ``train_function`` (60 ms), whose kernels end 40 ms later; a loss is read, then a metric.

    The metric is copied ``read_back`` ms after the last kernel. ``tail`` ms later a callback runs an op.
    """
    host = Host()
    host.event("train_function", 0, 60, **CALL)
    host.event("FunctionRun", 1, 59, id=7)
    host.event("ExecutorState::Process", 2, 59, "tf_Compute/1", id=7)
    host.kernel(3, 100, launch=(2, 2.9), thread="tf_Compute/1")
    host.event("cuStreamSynchronize", 61, 100)
    end = 100 + read_back
    host.kernel(end - 0.01, end, name="MemcpyD2H", stream=20, launch=(end - 0.02, end - 0.01))
    begin = end + tail
    host.event("EagerLocalExecute: LogicalAnd", begin, begin + 1)
    host.kernel(begin + 0.6, begin + 0.7, name="LogicalAnd", launch=(begin + 0.5, begin + 0.6))
    host.kernel(begin + 2, begin + 2.1, name="MemcpyD2H", stream=20, launch=(begin + 1.5, begin + 1.6))
    host.event("EagerLocalExecute: WriteSummary", begin + 3, begin + 20)
    return host


def training(wait: float) -> Host:
    """Steps of 100 ms; from the last kernel's end on the host is ``wait`` ms in a call that waits for it."""

    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.1, at + 100 - wait, launch=(at, at + 0.1))
        host.event("cuStreamSynchronize", at + 50, at + 100)

    return Host().trained(5, 100, step)


@pytest.mark.near_miss("below")
def test_less_than_one_percent_is_no_finding() -> None:
    passes(RULE, training(0.9))
    passes(RULE, one_batch(0.9))
    assert fires(RULE, training(1)).claims == {"idle.sync": 1_000_000}


@pytest.mark.near_miss("hidden")
def test_waiting_for_a_gpu_that_works_costs_nothing() -> None:
    host = Host().trained(5, 100, lambda host, at: host.kernel(at + 0.1, at + 100, launch=(at, at + 0.1)))
    each(5, 100, lambda at: host.event("cuStreamSynchronize", at + 10, at + 99.9))

    passes(RULE, host)


@pytest.mark.near_miss("in the middle")
def test_a_wait_between_two_launches_belongs_to_another_rule() -> None:
    def step(host: Host, at: float) -> None:
        host.kernel(at + 0.1, at + 40, launch=(at, at + 0.1))
        host.event("cuStreamSynchronize", at + 10, at + 50)
        host.kernel(at + 50.1, at + 100, launch=(at + 50, at + 50.1))

    host = Host().trained(5, 100, step)

    passes(RULE, host)
    assert fires(IN_STEP, host).claims["idle.sync"] == 10_000_000


@pytest.mark.near_miss("ended already")
def test_a_call_that_finds_the_gpu_done_waits_for_nothing() -> None:
    """The kernels end before the function does: Python needs the time until the loss is read."""
    host = Host()
    host.event("train_function", 0, 60, **CALL)
    host.event("FunctionRun", 1, 59, id=7)
    host.event("ExecutorState::Process", 2, 59, "tf_Compute/1", id=7)
    host.kernel(3, 55, launch=(2, 2.9), thread="tf_Compute/1")
    host.event("cuStreamSynchronize", 66, 66.02)
    host.kernel(66.04, 66.05, name="MemcpyD2H", stream=20, launch=(66.03, 66.04))

    assert says(passes(RULE, host), results_read_each_step.GPU_FIRST)
