"""Errors that profilers and diagnosers are known for; those of units and rates are in test_allreduce.py.

That no two findings claim the same time is held in test_schema.py, for all demo runs.
"""

from __future__ import annotations

import pytest

from tests.builders import Host, inputs
from tfperf_plugin.analysis.artifacts.capture.devices import Devices


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
