"""Broken times of GPUs, whatever the format: lanes on another clock, kernels without a duration."""

from __future__ import annotations

import functools

import pytest
from msgspec.structs import replace

from demo.build import training
from demo.simulator import simulate
from tests.builders import Host, decoded, inputs_of_run
from tfperf_plugin.analysis.ledger import IDLE
from tfperf_plugin.judging.engine.run import Outcome, run_rules
from tfperf_plugin.judging.rules import RULES
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


@pytest.mark.parametrize("by_ms", [0, -0.9, 0.9], ids=["one clock", "early", "late"])
def test_clocks_that_differ_by_less_agree(by_ms: float) -> None:
    host = on_other_clocks(awaited(), by_ms)

    assert host.devices[0].moved_ns == 0
    assert not host.lacks


def test_one_damaged_time_moves_no_lane() -> None:
    host = Host(gpus=1)
    for at in range(150):
        host.kernel(at + 0.1, at + 0.9, launch=(at, at + 0.05))
    host.kernel(0.91, 0.95, launch=(100.1, 100.15))

    assert host.trace().devices[0].moved_ns == 0


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


CAUSES = [
    "eager_execution", "gpu_stagger", "gpus_run_serially", "host_op_in_step", "host_sync_in_step",
    "input_bound", "kernel_launch_bound", "results_read_each_step", "step_gaps",
]  # fmt: skip


@functools.cache
def outcome(scenario: str, by_ms: float) -> Outcome:
    hosts = decoded(simulate(training(scenario)).files)
    return run_rules(RULES, inputs_of_run([on_other_clocks(h, *(by_ms,) * len(h.devices)) for h in hosts]))


@pytest.mark.parametrize("scenario", CAUSES)
def test_what_relates_host_and_gpu_is_not_claimed_where_clocks_differ(scenario: str) -> None:
    rule = scenario.replace("_", "-")
    told, apart = outcome(scenario, 0), outcome(scenario, -40)

    assert rule in told.claims
    assert "Clocks of host and GPU differ" in {note.title for note in apart.trust}
    assert rule in {row.id for row in apart.missing_data}
    assert {account for claims in apart.claims.values() for account, ns in claims.items() if ns} & {
        *IDLE
    } <= {"idle.unknown", "idle.stagger"}
    related = {id for id, claims in told.claims.items() if {*claims} & {*IDLE} - {"idle.unknown"}}
    assert related & {row.id for row in apart.passed} == set()
