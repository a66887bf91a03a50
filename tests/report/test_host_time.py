"""Where a step goes on the CPU."""

from __future__ import annotations

from tests.builders import Host, each, inputs
from tests.judging.rules.test_gpu_not_used import training
from tfperf_plugin.report.model import HostTime
from tfperf_plugin.report.panels.budget import host_time


def shown(host: Host) -> HostTime:
    found = inputs(host).call(host_time)
    assert isinstance(found, HostTime)
    return found


def test_the_parts_add_up_to_the_step() -> None:
    host = training()
    each(6, 100, lambda at: host.event("IteratorGetNextOp::DoCompute", at + 70, at + 80))
    found = shown(host)

    assert [(b.account, b.begin_ns, b.ns) for b in found.blocks] == [
        ("host.ops", 0, 60_000_000),
        ("idle.input", 60_000_000, 10_000_000),
        ("host.rest", 70_000_000, 30_000_000),
    ]
    assert found.basis == "mean of 5 steps" and found.step_ns == 100_000_000


def test_kinds_of_ops_run_beside_each_other() -> None:
    assert {kind.id: kind.ratio for kind in shown(training()).kinds} == {
        "Conv2D": 0.4,
        "Conv2DBackpropFilter": 0.4,
    }
