"""Broken times of GPUs, whatever the format: lanes on another clock, kernels without a duration."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.builders import Host
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.times import mended
from tfperf_plugin.trace.model import HostTrace

MS = 1_000_000


def on_other_clocks(host: HostTrace, *by_ms: float) -> HostTrace:
    """The host after its GPUs were recorded so much later, each in turn."""
    devices = tuple(
        replace(d, start_ns=d.start_ns + int(ms * MS), end_ns=d.end_ns + int(ms * MS))
        for d, ms in zip(host.devices, by_ms, strict=True)
    )
    return mended(replace(host, devices=devices), Anomalies())


def awaited(gpus: int = 1) -> HostTrace:
    """Ten steps of 10 ms; each launches 8 ms of work on each GPU and waits for it."""
    host = Host(gpus=gpus)

    def step(host: Host, at: float) -> None:
        for gpu in range(gpus):
            thread = f"thread {gpu}"
            host.kernel(at + 1, at + 9, gpu, launch=(at + 0.9, at + 0.95), thread=thread)
            host.event("cudaDeviceSynchronize", at + 2, at + 9.1, thread=thread)

    return host.trained(10, 10, step).trace()


@pytest.mark.parametrize(
    ("by_ms", "moved_ms", "lacks"),
    [
        ((-40,), (39.9,), {"clocks"}),
        ((-2,), (1.9,), {"clocks"}),
        ((40,), (-39.9,), {"clocks"}),
        ((-40, -40), (39.9, 39.9), {"clocks"}),
        ((-40, -38), (39.9, 39.9), {"clocks"}),  # one clock for both
        ((-40, 0), (39.9, 0), {"clocks", "clocks of GPUs"}),
        ((0, 40), (0, -39.9), {"clocks", "clocks of GPUs"}),
    ],
)
def test_a_lane_on_another_clock_is_moved(
    by_ms: tuple[float, ...], moved_ms: tuple[float, ...], lacks: set[str]
) -> None:
    host = on_other_clocks(awaited(len(by_ms)), *by_ms)

    assert [device.moved_ns / MS for device in host.devices] == pytest.approx(moved_ms)
    assert host.lacks == lacks


def test_kernels_without_a_duration_are_left_out() -> None:
    anomalies = Anomalies()
    host = Host(gpus=1)
    host.kernel(1.0001, 1.0001, launch=(0.1, 0.2))
    host.kernel(2, 3, launch=(0.3, 0.4))
    (gpu,) = host.trace(anomalies).devices

    assert gpu.start_ns.tolist() == [2 * MS]
    assert [(row.name, row.severity) for row in anomalies.rows()] == [
        ("kernel-without-duration", "data_loss")
    ]
