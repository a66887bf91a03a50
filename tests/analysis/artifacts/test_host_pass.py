"""How much of its kernels' time a step can lose before the host, which works on each step too, limits it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders import MS, SGEMM, Host, finding, inputs
from tfperf_plugin.analysis.artifacts.host.host_pass import HostPass
from tfperf_plugin.judging.rules.precision.mixed_precision_off import RULE

Draw = Callable[[Host, float], None]


def spare_ms(host: Host) -> float:
    return inputs(host).of(HostPass).spare_ns / MS


def open_ms(host: Host) -> float:
    return inputs(host).of(HostPass).open_ns / MS


def training(call_ms: float, more: Draw = lambda host, at: None, launches: int = 2) -> Host:
    """Steps of 100 ms whose kernels run for 90; Python calls the step's function for ``call_ms``."""

    def step(host: Host, at: float) -> None:
        host.event("train_function", at, at + call_ms, tf_function_call="notTraced-nonXla")
        host.kernel(at + 1, at + 10, name="loop_add_fusion", launch=(at + 0.5, at + 0.52))
        host.kernel(at + 10, at + 91, name=SGEMM, op="dense/MatMul:MatMul", launch=(at + 2, at + 2.02))
        more(host, at)

    return Host().trained(5, 100, step)


def executing(until_ms: float) -> Draw:
    """The executor works on a step up to then."""
    return lambda host, at: host.event("ExecutorState::Process", at + 0.5, at + until_ms, id=7)


def test_what_the_host_works_on_a_step_cannot_be_saved_by_shorter_kernels() -> None:
    works = training(41, executing(40))

    assert spare_ms(works) == pytest.approx(91 - 40)
    assert open_ms(works) == pytest.approx(1)


@pytest.mark.near_miss("open, not at work")
def test_an_open_call_is_no_work_and_says_so() -> None:
    """Nothing says what the host does after its last launch, and the GPU works on when the call returns."""
    # Its kernels run from 1 to 91; it launches from 2 to 2.02.
    assert spare_ms(training(40)) == pytest.approx(90 - 0.02)
    assert open_ms(training(40)) == pytest.approx(39 - 0.02)


@pytest.mark.parametrize("call_ms", [91, 91.09])
def test_a_call_that_ends_with_the_gpus_work_has_waited(call_ms: float) -> None:
    """No wait is recorded, but the call returns when the kernels have ended."""
    assert spare_ms(training(call_ms)) == pytest.approx(90 - 0.02)
    assert open_ms(training(call_ms)) == pytest.approx(1)  # until its last launch


def test_a_call_that_ends_before_or_long_after_the_gpus_work_may_have_worked() -> None:
    assert open_ms(training(90)) == pytest.approx(89 - 0.02)
    assert open_ms(training(91.2)) == pytest.approx(90 - 0.02)


def test_without_recorded_launches_nothing_limits_the_kernels() -> None:
    host = Host().trained(5, 100, lambda host, at: host.kernel(at + 10, at + 90, name=SGEMM))

    assert spare_ms(host) == 80


def test_a_call_that_waits_for_the_gpu_gets_shorter_with_its_kernels() -> None:
    waits = training(95, lambda host, at: host.event("cuStreamSynchronize", at + 5, at + 92))

    assert spare_ms(waits) == pytest.approx(90 - 0.02)
    assert open_ms(waits) == pytest.approx(4 - 0.02)  # up to the call that waits


def test_a_result_that_is_read_inside_the_call_is_waited_for() -> None:
    """No call that blocks is recorded: the executor goes on as soon as the copy has ended."""

    def read(host: Host, at: float) -> None:
        host.kernel(at + 91, at + 91.1, name="MemcpyD2H", stream=20, launch=(at + 2.1, at + 2.11))
        host.kernel(at + 92, at + 94, launch=(at + 91.15, at + 91.2))

    # The last kernel runs from 92 to 94. Until 2.1, and while that one runs, the call is open.
    assert spare_ms(training(95, read)) == pytest.approx(92, abs=0.25)
    assert open_ms(training(95, read)) == pytest.approx(1.1 + 2, abs=0.25)


@pytest.mark.parametrize("copy", ["MemcpyD2H", "MemcpyP2P"])
def test_an_op_that_needs_a_result_begins_when_the_gpu_is_ready(copy: str) -> None:
    """A Python function waits for its arguments: what it takes itself comes later, beside no kernel."""

    def function(host: Host, at: float) -> None:
        host.kernel(at + 91, at + 91.1, name=copy, stream=20, launch=(at + 2.1, at + 2.11))
        host.event("match/EagerPyFunc:EagerPyFunc", at + 91.2, at + 94, thread="tf_Compute/1")
        host.kernel(at + 94.1, at + 95, launch=(at + 94.05, at + 94.06))

    assert spare_ms(training(96, function)) == pytest.approx(90.9, abs=0.25)
    assert open_ms(training(96, function)) == pytest.approx(1.1 + 0.9, abs=0.25)


def test_a_run_of_the_executor_is_work_although_a_result_comes_meanwhile() -> None:
    def busy(host: Host, at: float) -> None:
        host.kernel(at + 91, at + 91.1, name="MemcpyD2H", stream=20, launch=(at + 2.1, at + 2.11))
        host.event("ExecutorState::Process", at + 2, at + 94, id=7)
        host.kernel(at + 94.1, at + 95, launch=(at + 94.05, at + 94.06))

    assert spare_ms(training(96, busy)) == pytest.approx(1 + 0.9, abs=0.25)  # before it, and behind it


def test_a_pause_that_no_result_ends_may_be_the_hosts_own() -> None:
    def late(host: Host, at: float) -> None:
        host.kernel(at + 92, at + 94, launch=(at + 91.15, at + 91.2))

    assert spare_ms(training(95, late)) == pytest.approx(92, abs=0.25)
    assert open_ms(training(95, late)) == pytest.approx(92, abs=0.25)


def test_a_launch_that_finds_the_queue_full_waits_for_the_gpu() -> None:
    """The host is a thousand launches ahead of the GPU, so it launches no faster than the GPU works."""
    host = Host()
    host.stored_step(0, 51, 351)
    host.stored_step(1, 351, 400)
    # A kernel is launched every 0.05 ms until the queue is full; then one as soon as one ends.
    for i in range(3_000):
        at = i * 0.05 if i < 1_020 else 51 + (i - 1_020) * 0.1
        host.kernel(51 + i * 0.1, 51 + (i + 1) * 0.1, launch=(at, at + 0.01 if i < 1_020 else at + 0.09))

    # Of 300 ms the host is at work between the calls that wait, 0.01 of each 0.1 ms.
    assert spare_ms(host) == pytest.approx(300 - 198 * 0.1, abs=1)


def test_the_saving_of_shorter_kernels_leaves_the_hosts_own_time() -> None:
    found = finding(RULE, training(60, executing(60)))

    assert found.saving is not None
    assert found.saving.ns == pytest.approx(31 * MS, rel=0.001)
    assert "steps 31" in found.summary


def test_a_saving_that_an_open_call_doubts_is_shown_with_the_doubt() -> None:
    """The GPU computes for 90 of 100 ms; that the call is open all the time must not hide how."""
    doubted, sure = finding(RULE, training(99)), finding(RULE, training(5))

    assert doubted.saving is not None and sure.saving is not None
    assert doubted.saving.ns == sure.saving.ns
    assert (doubted.severity, doubted.confidence, sure.confidence) == ("critical", "low", "medium")
    assert "a call of the step's function is open" in doubted.summary
    assert "steps get only 0" in doubted.summary
    assert "is open" not in sure.summary


def test_a_host_that_is_far_ahead_limits_nothing() -> None:
    found = finding(RULE, training(5))

    assert found.saving is not None
    assert found.saving.ns == pytest.approx(81 * MS * 10 / 11, rel=0.001)
    assert "its own work" not in found.summary


@pytest.mark.parametrize(("op", "unrecorded"), [("aten::mm", 60), ("dense/MatMul:MatMul", 0)])
def test_between_ops_of_pytorch_python_may_run(op: str, unrecorded: int) -> None:
    """The executor of TensorFlow waits between its ops; Python waits for a GPU only in recorded calls."""

    def step(host: Host, at: float) -> None:
        host.event(op, at + 1, at + 2)
        host.kernel(at + 2, at + 92, name=SGEMM, launch=(at + 1.5, at + 1.52))
        host.event("cudaStreamSynchronize", at + 62, at + 92)

    found = inputs(Host().trained(5, 100, step)).of(HostPass)
    assert found.spare_ns / MS == pytest.approx(90, abs=0.5)
    assert found.unrecorded_ns / MS == pytest.approx(unrecorded, abs=0.5)
