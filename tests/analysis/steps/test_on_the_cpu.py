"""Steps of programs on the CPU that mark none: what recurs on a thread, and when its programs have run."""

from __future__ import annotations

import pytest

from tests.builders import Host, find_steps
from tfperf_plugin.analysis.steps import HostSteps

RUNS, WAITS = "ThunkExecutor::Execute", "ThunkExecutor::Execute (wait for completion)"


def steps(host: Host) -> HostSteps:
    (found,) = find_steps([host.trace()]).hosts
    return found


def loop(count: int, *also: str) -> Host:
    """Iterations of 20 ms: three layers of 5 ms each, then each op of ``also`` for 1 ms."""
    host = Host()
    for number in range(count):
        for layer in range(3):
            host.event("aten::linear", 20 * number + 5 * layer, 20 * number + 5 * layer + 4.5)
        for nth, op in enumerate(also):
            host.event(op, 20 * number + 15 + nth, 20 * number + 16 + nth)
    return host


@pytest.mark.parametrize("once", ["aten::item", "autograd::engine::evaluate_function: MmBackward0"])
def test_ops_that_recur_with_a_result_or_a_backward_pass_are_steps(once: str) -> None:
    found = steps(loop(6, once))

    assert found.source == "host_period"
    assert (found.begin_ns / 1e6).tolist() == [0, 20, 40, 60, 80, 100]
    assert found.complete.tolist() == [True] * 5 + [False]


@pytest.mark.parametrize(
    "host",
    [
        pytest.param(loop(6), id="layers of one pass"),
        pytest.param(loop(1, "aten::sum", "aten::item"), id="layers, and a result at the end"),
        pytest.param(loop(2, "aten::item"), id="twice may be chance"),
    ],
)
def test_what_recurs_otherwise_is_no_step(host: Host) -> None:
    assert steps(host).source == "none"


def called(count: int, program_ms: float, lost: int = 0) -> Host:
    """Calls of a function that JAX compiled, one each ms, whose programs run one after another."""
    host = Host()
    for number in range(count):
        host.event("PjitFunction(step)", number, number + 0.5)
        host.event("CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice", number + 0.1, number + 0.3)
        if number >= lost:
            begin = 0.6 + number * max(1, program_ms)
            end = begin + program_ms
            host.event(RUNS, begin, begin + 0.4 * program_ms, thread="tf_XLAPjRtCpuClient/1")
            host.event(WAITS, begin + 0.4 * program_ms, end, thread="tf_XLAPjRtCpuClient/1")
            host.event(RUNS, begin, end, thread="tf_XLAEigen/2")
    return host


def test_a_step_of_jax_lasts_until_its_program_has_run() -> None:
    found = steps(called(5, 30))

    assert found.source == "host_period"
    assert (found.begin_ns / 1e6).tolist() == pytest.approx([0, 30.6, 60.6, 90.6, 120.6])
    assert found.end_ns[-1] / 1e6 == pytest.approx(150.6)


def test_calls_that_wait_for_their_program_begin_their_steps() -> None:
    found = steps(called(5, 0.4))

    assert (found.begin_ns / 1e6).tolist() == pytest.approx([0, 1, 2, 3, 4])


def test_programs_that_cannot_be_told_apart_end_no_step() -> None:
    found = steps(called(5, 30, lost=1))

    assert (found.begin_ns / 1e6).tolist() == [0, 1, 2, 3, 4]
