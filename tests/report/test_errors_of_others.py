"""Errors of units, rates and overlaps that profilers and diagnosers are known for.

That no two findings claim the same time is held in test_schema.py, for all demo runs.
"""

from __future__ import annotations

import pytest

from tests.builders import ADD, ALL_REDUCE, Host, inputs
from tests.exchange import A100, training
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.estimate import AllReduceEstimate, Stated
from tfperf_plugin.judging.engine.words import gigabytes
from tfperf_plugin.report.options import parse_options


def times(*hosts: Host) -> AllReduceTimes:
    return inputs(*hosts).of(AllReduceTimes)


def test_bus_bandwidth_is_not_doubled() -> None:
    """Two GPUs, 1 GB in 10 ms: nccl-tests says 100 GB/s."""
    assert times(training([50, 50], size=10**9)).busbw_gbps == pytest.approx(100)


def test_gb_is_not_gib() -> None:
    assert gigabytes(10**9) == "1.0 GB"
    assert gigabytes(2**30) == "1.1 GB"
    assert parse_options(None, "100 GiB/s").bandwidth_gbps == pytest.approx(107.3741824)


def test_a_rate_is_compared_with_one_direction_of_the_link() -> None:
    """NVLink 3 has 600 GB/s in both directions together, 300 in one; AllReduce reaches 230."""
    estimate = inputs(training([50] * 4, model=A100)).of(AllReduceEstimate)

    assert estimate.bandwidth_gbps == 230
    assert parse_options(None, "600 GB/s bidirectional").bandwidth_gbps == 300


def test_streams_are_not_summed_above_the_whole() -> None:
    host = Host(gpus=1).steps(5, 10)
    for at in range(0, 50, 10):
        for stream in range(7, 12):
            host.kernel(at, at + 10, stream=stream)
    every = inputs(host)

    assert every.ledger is not None
    assert every.ledger.average()["compute"] == every.ledger.step_ns
    devices = every.of(Devices)
    assert devices.all[0].busy_ratio == 1


@pytest.mark.parametrize(
    "op", ["all-reduce.3", "all-reduce-start.12", "all-reduce-done.12", "reduce-scatter"]
)
def test_collectives_of_xla_are_collectives(op: str) -> None:
    """XLA's own one-shot kernel is called by no library's name; the instruction tells."""

    def step(host: Host, at: float) -> None:
        for gpu in range(2):
            host.kernel(at, at + 50, gpu)
            host.kernel(at + 50, at + 60, gpu, "AllReduceKernelImpl", stream=9, stats={"hlo_op": op})

    host = Host(gpus=2).trained(5, 100, step)
    every = inputs(host)

    assert every.ledger is not None
    assert every.ledger.average()["communication.transfer"] == 10_000_000


def test_units_of_time_are_not_mixed() -> None:
    """A wait of 30 ms is 30,000,000 ns in the ledger and lies at 10–40 ms on the timeline."""

    def step(host: Host, at: float) -> None:
        for gpu, arrival in ((0, 10), (1, 40)):
            host.kernel(at, at + arrival, gpu, ADD)
            host.kernel(at + arrival, at + 50, gpu, ALL_REDUCE, stream=9)

    host = Host(gpus=2).trained(5, 100, step)
    every = inputs(host)
    assert every.ledger is not None
    assert every.ledger.average()["communication.wait"] == 15_000_000
    (first, *_) = sorted(times(host).calls, key=lambda c: c.begin_ms)
    assert (first.begin_ms, first.end_ms) == (10.0, 50.0)
    estimate = inputs(host, stated=Stated(25_000_000, 100)).of(AllReduceEstimate)
    assert estimate.guide_ns == 1_000_000
