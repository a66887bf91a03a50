"""Why a GPU is idle: what counts as waiting for input, launching, synchronising and the rest."""

from __future__ import annotations

import pytest

from tests.strategies import ADD, INPUT_WAIT, MS, Recording
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS

_US = 1_000


def _step(gpus: int = 1) -> Recording:
    """Step 0 lasts 100 ms; GPU 0 computes during its first and its last 10 ms."""
    recording = Recording(gpus)
    recording.steps(2, 100 * MS)
    recording.run(0, ADD, 0, 10 * MS)
    recording.run(0, ADD, 90 * MS, 100 * MS)
    recording.run(0, ADD, 110 * MS, 111 * MS)
    return recording


@pytest.mark.parametrize(
    ("thread", "stats"),
    [
        ("tf_Compute/1", {"id": 8}),  # another function's id: tf.data's own background work
        ("tf_data_iterator_resource/1", {}),
        ("tf_data_private_threadpool/1", {}),
    ],
)
def test_background_work_of_the_input_pipeline_makes_nobody_wait(thread: str, stats: dict[str, int]) -> None:
    recording = _step()
    recording.host("FunctionRun", 1 * MS, 99 * MS, id=7)
    recording.host("InstantiatedCapturedFunction::Run", 19 * MS, 51 * MS, "tf_Compute/1")
    recording.host("FunctionRun", 19 * MS + 1, 51 * MS - 1, "tf_Compute/1", id=8)
    recording.host(INPUT_WAIT, 20 * MS, 50 * MS, thread, **stats)

    assert "idle.input" not in recording.analyse().accounts(0)


@pytest.mark.parametrize(("pause", "launching"), [(LAUNCH_BURST_NS, True), (2 * LAUNCH_BURST_NS, False)])
def test_launches_that_follow_each_other_closely_are_one_burst(pause: int, launching: bool) -> None:
    recording, at = _step(), 20 * MS
    for _ in range(10):
        recording.launch(0, ADD, (at, at + 5 * _US), at + 5 * _US, at + 6 * _US)
        at += 5 * _US + pause
    found = recording.analyse().accounts(0)["idle.launch"]

    assert found == 10 * 5 * _US + (9 * (pause - _US) if launching else 0)


CALL = "model/lstm/PartitionedCall:PartitionedCall"


@pytest.mark.parametrize(
    ("caller", "begin_us", "belongs"),
    [
        ({"id": 7}, 20_030, True),  # a thread takes the function over just after the op
        ({"id": 7}, 20_500, False),  # nobody called it: it is tf.data's
        ({"id": 6}, 20_030, False),  # tf.data's function called it
    ],
)
def test_functions_that_an_op_of_the_step_calls_are_the_steps(
    caller: dict[str, int], begin_us: int, belongs: bool
) -> None:
    recording = _step()
    recording.host("FunctionRun", 1 * MS, 99 * MS, id=7)
    recording.host("ExecutorState::Process", 20 * MS, 20 * MS + 10 * _US, "tf_Compute/1", **caller)
    recording.host(CALL, 20 * MS, 20 * MS + 10 * _US, "tf_Compute/1")
    recording.host("ExecutorState::Process", begin_us * _US, 50 * MS, "tf_Compute/2", id=8)
    recording.host("while_1/body/_2/while/MatMul:MatMul", begin_us * _US, 50 * MS, "tf_Compute/2")
    recording.host("ExecutorState::Process", 40 * MS, 40 * MS + 10 * _US, "tf_Compute/3", id=8)
    recording.host(CALL, 40 * MS, 40 * MS + 10 * _US, "tf_Compute/3")  # which calls another one
    recording.host("ExecutorState::Process", 40 * MS + 20 * _US, 60 * MS, "tf_Compute/4", id=9)

    accounts = recording.analyse().accounts(0)

    assert accounts.get("idle.host_op", 0) == (50 * MS - begin_us * _US if belongs else 0)
    assert accounts.get("idle.dispatch", 0) == (
        10 * MS + 10 * _US if belongs else 10 * _US * (caller["id"] == 7)
    )
