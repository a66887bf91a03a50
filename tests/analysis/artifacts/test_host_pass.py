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


@pytest.mark.near_miss("open, not at work")
def test_an_open_call_is_no_work_and_says_so() -> None:
    """Nothing says what the host does after its last launch, and the GPU works on when the call returns."""
    # Its kernels run from 1 to 91; it launches from 2 to 2.02.
    assert spare_ms(training(40)) == pytest.approx(90 - 0.02)
    assert open_ms(training(40)) == pytest.approx(39 - 0.02)


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
