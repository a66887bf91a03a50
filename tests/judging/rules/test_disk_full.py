"""Input is read as fast as the disk can give it."""

from __future__ import annotations

import pytest

from tests.builders import Host, judge, passes
from tests.watched import training, waiting, watched
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.machine.disk_full import RULE
from tfperf_plugin.recording.resources import Recorded


def machine(busy: float, read: float = 0.5e9, written: float = 1e6) -> Recorded:
    disk = {"disk.busy sda": [busy] * 60, "disk.read sda": [read] * 60, "disk.written sda": [written] * 60}
    return watched({"gpu.busy 0": [0.6] * 60, **disk, "disk.busy sdb": [1.0] * 60})


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(("host", "busy"), [(waiting(40), 0.9), (training(), 1.0)])
def test_a_disk_that_rests_or_that_no_step_waits_for_costs_nothing(host: Host, busy: float) -> None:
    passes(RULE, host, recorded=machine(busy))


def test_a_disk_that_is_mostly_written_keeps_no_input_back() -> None:
    """And so for the other disk, which nothing is read from."""
    assert isinstance(judge(RULE, waiting(40), recorded=machine(1.0, written=0.6e9)), NotApplicable)
