"""When each GPU starts and ends its steps."""

from __future__ import annotations

import pytest

from tests.strategies import ALL_REDUCE, GEMM, INPUT_WAIT, MS, Recording
from tfperf_plugin.analysis.artifacts.communication.hosts import Hosts
from tfperf_plugin.analysis.artifacts.communication.step_starts import HostStarts, Starts


def _starts(recording: Recording) -> HostStarts:
    (found,) = recording.analyse().inputs().of(Starts).hosts
    return found


def _staggered(late_ms: list[list[int]], length_ms: int = 40) -> Recording:
    """Per step the lateness of each GPU's only kernel, 20 ms long; steps of ``length_ms``."""
    recording = Recording(len(late_ms[0]))
    for number, late in enumerate([*late_ms, late_ms[0]]):
        begin = MS + number * length_ms * MS
        recording.step(number, begin, begin + length_ms * MS)
        for gpu, ms in enumerate(late):
            at = begin + (1 + ms) * MS
            recording.launch(gpu, GEMM, (at - 20_000, at), at, at + 20 * MS, thread=f"tf_gpu_private_{gpu}/1")
    return recording


@pytest.mark.parametrize(
    ("late_ms", "order"),
    [
        ([[0, 5, 10]] * 5, "fixed"),
        ([[0, 5, 10]] * 4 + [[5, 0, 10]], "fixed"),
        ([[0, 5, 10], [10, 0, 5], [5, 10, 0]] * 2, "rotating"),
        ([[0, 5, 10], [5, 0, 10], [10, 5, 0], [0, 10, 5], [5, 0, 10]], "none"),
        ([[0, 5]], "none"),
    ],
)
def test_the_order_in_which_gpus_start(late_ms: list[list[int]], order: str) -> None:
    assert _starts(_staggered(late_ms)).order == order


def test_waiting_in_an_allreduce_that_a_late_start_explains() -> None:
    recording = Recording(2)
    recording.steps(3, 50 * MS)
    for begin in range(0, 150 * MS, 50 * MS):
        for gpu, late, arrival in ((0, 0, 20), (1, 8, 30)):
            recording.run(gpu, GEMM, begin + late * MS, begin + arrival * MS)
            recording.run(gpu, ALL_REDUCE, begin + arrival * MS, begin + 40 * MS, "20")
    found = _starts(recording)

    # GPU 0 waits 10 ms: 8 because GPU 1 started late, 2 because it has more work. Two GPUs share them.
    assert found.wait_ns == 4 * MS


def test_what_each_gpu_loses_in_each_step_adds_up_to_the_cost() -> None:
    recording = Recording(2)
    recording.steps(3, 50 * MS)
    for begin in range(0, 150 * MS, 50 * MS):
        for gpu, late in ((0, 0), (1, 8)):
            recording.run(gpu, GEMM, begin + late * MS, begin + (20 + late) * MS)
            recording.run(gpu, ALL_REDUCE, begin + (20 + late) * MS, begin + 50 * MS, "20")
    found = _starts(recording)

    assert found.idle_ns.tolist() == [[0, 0], [8 * MS, 8 * MS]]
    assert found.waiting_ns.tolist() == [[8 * MS, 8 * MS], [0, 0]]
    assert (found.cost_ns, found.wait_ns) == (4 * MS, 4 * MS)


def test_a_gpu_whose_input_comes_late_is_told_from_one_that_is_launched_late() -> None:
    recording = Recording(3)
    recording.steps(3, 50 * MS)
    for begin in range(0, 150 * MS, 50 * MS):
        recording.host(INPUT_WAIT, begin, begin + 9 * MS, "tf_Compute/1")
        for gpu, late in ((0, 0), (1, 3), (2, 9)):
            start = begin + late * MS
            recording.launch(
                gpu, GEMM, (start, start + 1000), start, start + 20 * MS, thread=f"tf_Compute/{gpu}"
            )
            recording.run(gpu, ALL_REDUCE, start + 20 * MS, begin + 40 * MS, "20")
    found = _starts(recording)

    assert found.spread_ns.tolist() == [9 * MS] * 2
    assert found.input_spread_ns.tolist() == [9 * MS] * 2
    # GPU 0 waits in AllReduce for 9 ms: for 3 because GPU 1 is late, for 6 more because GPU 2 had no input.
    assert found.waiting_ns[0].tolist() == [3 * MS] * 2
    # With its input GPU 2 would start 6 ms earlier, and both others would wait so much less.
    assert recording.analyse().inputs().of(Hosts).input_ns == (2 * MS, 4 * MS)


def test_a_gpu_without_kernels_has_no_start() -> None:
    recording = _staggered([[0, 5, 10]] * 3)
    recording.events = [e for e in recording.events if e.gpu != 1]

    assert _starts(recording).names == ("GPU:0", "GPU:2")
