"""When each GPU started: the steps that are worth a look."""

from __future__ import annotations

from tests.builders import Host, inputs
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.communication.step_starts import Starts
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.stragglers import STEPS_CAP, stagger_card


def card(steps: int) -> model.Stagger:
    """Judged steps of 100 ms; GPU 1 starts 1 ms after GPU 0 in the first, 2 ms in the second, …"""

    def step(host: Host, at: float) -> None:
        host.kernel(at, at + 60, 0)
        host.kernel(at + 1 + at / 100, at + 60, 1)

    host = Host("worker", gpus=2).trained(steps + 1, 100, step)
    found = inputs(host)
    starts, devices = found.get(Starts), found.get(Devices)
    assert isinstance(starts, Starts)
    assert isinstance(devices, Devices)
    stagger = stagger_card(starts, devices, None)
    assert stagger is not None
    return stagger


def test_of_few_steps_all_are_listed() -> None:
    stagger = card(5)

    assert [item.step for item in stagger.items] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert [item.first_kernel_ns for item in stagger.items[1::2]] == [n * 1_000_000 for n in range(1, 6)]


def test_of_many_steps_those_furthest_apart_are_listed() -> None:
    stagger = card(STEPS_CAP + 10)

    assert [item.step for item in stagger.items] == [n for n in range(10, STEPS_CAP + 10) for _ in range(2)]
