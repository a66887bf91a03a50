"""Kernels that were launched before the recording began, which have no recorded launch."""

from __future__ import annotations

from tests.builders import Host
from tfperf_plugin.analysis.finding_steps.find import host_steps
from tfperf_plugin.analysis.steps import HostSteps


def recorded(older: float = 130, all_launched: bool = True) -> HostSteps:
    """Three steps of 100 ms from 100 ms on, each launched 5 ms after its start; old work until ``older``."""
    host = Host()
    host.kernel(90, 110)
    host.kernel(110, older)
    for number in range(3):
        at = 100.0 * (number + 1)
        host.step(number, at, at + 100)
        launch = (at + 5, at + 6) if all_launched else None
        begin = max(at + 10, older) if number == 0 else at + 10
        host.kernel(begin, at + 90, launch=launch)
        host.kernel(at + 91, at + 92)  # its launch was lost in the middle of the recording
    return host_steps(host.trace())


def test_they_belong_to_no_step_and_the_first_step_begins_after_them() -> None:
    steps = recorded()

    assert steps.device_step[0].tolist() == [-1, -1, 0, 0, 1, 1, 2, 2]
    assert steps.begin_ns[0] == 130_000_000
    assert steps.complete.tolist() == [True, True, False]


def test_without_any_recorded_launch_time_decides() -> None:
    steps = recorded(all_launched=False)

    assert steps.device_step[0].tolist() == [-1, 0, 0, 0, 1, 1, 2, 2]
