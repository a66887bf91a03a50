"""When each GPU starts and ends its steps."""

from __future__ import annotations

import pytest

from tests.strategies import ADD, ALL_REDUCE, GEMM, MS, Recording
from tfperf_plugin.artifacts.starts import HostStarts, find_starts
from tfperf_plugin.ledger import Ledger
from tfperf_plugin.trace.model import Trace


def _starts(recording: Recording) -> HostStarts:
    analysis = recording.analyse()
    assert analysis.ledger is not None
    (found,) = find_starts(Trace("run", (analysis.host,)), analysis.ledger).hosts
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


def test_the_spread_of_first_kernels_and_of_launches() -> None:
    found = _starts(_staggered([[0, 5, 10]] * 4))

    assert found.names == ("GPU:0", "GPU:1", "GPU:2")
    assert found.number.tolist() == [0, 1, 2, 3]
    assert found.spread_ns.tolist() == [10 * MS] * 4
    assert found.launch_spread_ns is not None
    assert found.launch_spread_ns.tolist() == [10 * MS] * 4
    assert found.step_ns.tolist() == [40 * MS] * 4
    assert found.start_order == ("GPU:0", "GPU:1", "GPU:2")


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


def test_the_cost_is_the_time_in_which_a_gpu_stands_idle_while_another_works() -> None:
    found = _starts(_staggered([[0, 10]] * 3))

    assert found.cost_ns == 10 * MS  # each of the two GPUs, before its start or after its end
    assert (found.union_ns.tolist()[0], found.sum_ns.tolist()[0]) == (30 * MS, 40 * MS)
    assert found.max_ns.tolist()[0] == 20 * MS


def test_gpus_that_take_turns_have_a_union_as_long_as_their_sum() -> None:
    found = _starts(_staggered([[0, 20]] * 3, length_ms=60))

    assert found.union_ns.tolist() == found.sum_ns.tolist()


def test_waiting_in_an_allreduce_that_a_late_start_explains() -> None:
    recording = Recording(2)
    for number in range(3):
        begin = number * 50 * MS
        recording.step(number, begin, begin + 50 * MS)
        for gpu, late, arrival in ((0, 0, 20), (1, 8, 30)):
            recording.run(gpu, GEMM, begin + late * MS, begin + arrival * MS)
            recording.run(gpu, ALL_REDUCE, begin + arrival * MS, begin + 40 * MS, "20")
    found = _starts(recording)

    # GPU 0 waits 10 ms: 8 because GPU 1 started late, 2 because it has more work. Two GPUs share them.
    assert found.wait_ns == 4 * MS


def test_a_gpu_without_kernels_has_no_start() -> None:
    recording = _staggered([[0, 5, 10]] * 3)
    recording.events = [e for e in recording.events if e.gpu != 1]

    assert _starts(recording).names == ("GPU:0", "GPU:2")


def test_launches_that_are_not_recorded_have_no_spread() -> None:
    recording = Recording(2)
    for number in range(3):
        recording.step(number, number * 100, number * 100 + 100)
        for gpu in range(2):
            recording.run(gpu, ADD, number * 100 + 10 + gpu, number * 100 + 50)

    assert _starts(recording).launch_spread_ns is None


def test_one_working_gpu_has_nothing_to_be_compared_with() -> None:
    recording = Recording(2)
    recording.step(0, 0, 100)
    recording.run(0, ADD, 10, 20)
    analysis = recording.analyse()

    assert analysis.ledger is not None
    assert isinstance(analysis.ledger, Ledger)
    assert find_starts(Trace("run", (analysis.host,)), analysis.ledger).hosts == ()
