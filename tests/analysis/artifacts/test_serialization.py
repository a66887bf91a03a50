"""What lies between the work of one GPU and that of the next."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.builders import ALL_REDUCE, Host, each, inputs
from tfperf_plugin.analysis.artifacts.communication.step_starts import HostTurns, Starts

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


def collective(host: Host, at: float) -> None:
    host.kernel(at + 41, at + 45, 0, ALL_REDUCE, stream=9)


def sync(host: Host, at: float) -> None:
    host.event("cuStreamSynchronize", at + 5, at + 41, thread="tf_Compute/1")


@pytest.mark.parametrize(
    ("found", "ratios"),
    [
        (turns(), (0, 0, 0)),
        (turns(copied(40, 45)), (1, 0, 0)),
        (turns(copied(40, 45, gpu=1)), (1, 0, 0)),
        (turns(copied(40, 44.9)), (1, 0, 0)),
        (turns(copied(40, 44.89)), (0, 0, 0)),  # the next GPU begins more than 0.1 ms later
        (turns(copied(39, 45)), (0, 0, 0)),  # begins before the work is done
        (turns(copied(40, 45.1)), (0, 0, 0)),  # the next GPU did not wait for it
        (turns(copied(40, 45, direction="D2D")), (0, 0, 0)),
        (turns(copied(40, 45, direction="H2D")), (0, 0, 0)),
        (turns(copied(40, 45), steps_with=3), (0.75, 0, 0)),
        (turns(collective), (0, 1, 0)),
        (turns(sync, launch=42), (0, 0, 1)),
        (turns(sync, launch=40.5), (0, 0, 0)),  # launched before the wait was over
        (turns(sync), (0, 0, 0)),  # launches are not recorded
        (turns(copied(40, 41, 0, "D2H"), launch=42), (0, 0, 1)),
        (turns(copied(40, 41, 1, "D2H"), launch=42), (0, 0, 0)),  # of another GPU
        (turns(copied(30, 31, 0, "D2H"), launch=42), (0, 0, 0)),  # before the end of the work
    ],
)
def test_what_lies_between_turns(found: HostTurns, ratios: tuple[float, float, float]) -> None:
    assert found.handovers_count == 4
    assert (found.copy_ratio, found.collective_ratio, found.host_ratio) == ratios
