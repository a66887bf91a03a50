"""What lies between the work of one GPU and that of the next."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders import ALL_REDUCE, Host, each, inputs
from tfperf_plugin.analysis.artifacts.communication.serialization import HostTurns
from tfperf_plugin.analysis.artifacts.communication.starts import Starts

Between = Callable[[Host, float], None]


def turns(
    between: Between = lambda host, at: None, launch: float | None = None, steps_with: int = 5
) -> HostTurns:
    """Steps of 100 ms: GPU 0 computes for 40 ms, GPU 1 from 45 ms on; ``launch``: its launch."""

    def step(host: Host, at: float) -> None:
        begin = None if launch is None else (at + launch, at + launch + 0.01)
        host.kernel(at, at + 40, 0)
        host.kernel(at + 45, at + 95, 1, launch=begin, thread="tf_Compute/1")

    host = Host(gpus=2).trained(5, 100, step)
    each(steps_with, 100, lambda at: between(host, at))
    (found,) = inputs(host).of(Starts).hosts
    assert found.turns
    return found.turns


def copied(begin: float, end: float, gpu: int = 0, direction: str = "P2P") -> Between:
    return lambda host, at: host.copy(direction, at + begin, at + end, gpu, size=8)


def test_nothing_recorded_between_turns() -> None:
    found = turns()

    assert found.handovers_count == 4
    assert (found.copy_ratio, found.collective_ratio, found.host_ratio) == (0, 0, 0)


@pytest.mark.parametrize("gpu", [0, 1])
def test_a_copy_from_one_gpus_work_to_the_others(gpu: int) -> None:
    assert turns(copied(40, 45, gpu)).copy_ratio == 1
    assert turns(copied(40, 44.9, gpu)).copy_ratio == 1


def test_copies_that_do_not_lead_over() -> None:
    assert turns(copied(40, 44.89)).copy_ratio == 0  # the next GPU begins more than 0.1 ms later
    assert turns(copied(39, 45)).copy_ratio == 0  # begins before the work is done
    assert turns(copied(40, 45.1)).copy_ratio == 0  # the next GPU did not wait for it
    assert turns(copied(40, 45, direction="D2D")).copy_ratio == 0
    assert turns(copied(40, 45, direction="H2D")).copy_ratio == 0


def test_the_share_of_hand_overs() -> None:
    assert turns(copied(40, 45), steps_with=3).copy_ratio == 0.75


def test_a_collective_between_turns() -> None:
    found = turns(lambda host, at: host.kernel(at + 41, at + 45, 0, ALL_REDUCE, stream=9))

    assert (found.collective_ratio, found.copy_ratio) == (1, 0)


def test_the_host_waits_for_one_gpu_before_it_launches_for_the_next() -> None:
    def sync(host: Host, at: float) -> None:
        host.event("cuStreamSynchronize", at + 5, at + 41, thread="tf_Compute/1")

    assert turns(sync, launch=42).host_ratio == 1
    assert turns(sync, launch=40.5).host_ratio == 0  # launched before the wait was over
    assert turns(sync).host_ratio == 0  # launches are not recorded


def test_the_host_reads_a_result_back_before_it_launches_for_the_next() -> None:
    assert turns(copied(40, 41, 0, "D2H"), launch=42).host_ratio == 1
    assert turns(copied(40, 41, 1, "D2H"), launch=42).host_ratio == 0  # of another GPU
    assert turns(copied(30, 31, 0, "D2H"), launch=42).host_ratio == 0  # before the end of the work


def test_gpus_that_go_forth_and_back_hand_over_twice() -> None:
    def step(host: Host, at: float) -> None:
        for gpu, begin, end in ((0, 0, 20), (1, 20, 60), (0, 60, 80)):
            host.kernel(at + begin, at + end, gpu)

    (found,) = inputs(Host(gpus=2).trained(5, 100, step)).of(Starts).hosts

    assert found.turns and found.turns.handovers_count == 8


def test_gpus_that_never_alternate_have_no_turns() -> None:
    host = Host(gpus=2).trained(5, 100, lambda host, at: host.kernel(at, at + 20, 0))

    assert inputs(host).of(Starts).hosts == ()
