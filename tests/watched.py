"""What a machine did during a training, for tests: series of numbers, a row for each second or ``row_s``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from demo.simulator.machine import Machine, resources
from tests.builders import GET_NEXT, Host
from tfperf_plugin.recording.resources import Recorded, Resources, Series

Numbers = Sequence[float]
BEGIN_NS = 1_767_225_600_000_000_000


def watched(
    series: Mapping[str, Numbers], row_s: float = 1.0, limits: Mapping[str, float] | None = None
) -> Recorded:
    """``series``: "gpu.busy" or "network.in eth0" → its mean in each row, in which it does not change."""
    limits = limits or {}
    rows = max(map(len, series.values()))
    made = []
    for key, numbers in series.items():
        name, _, of = key.partition(" ")
        column = np.array(numbers, np.float64)
        made.append(Series(name, column, column.copy(), column.copy(), of, limits.get(key)))
    end_ns = np.round(row_s * 1e9 * np.arange(1, rows + 1)).astype(np.int64)
    middle_ns = BEGIN_NS + int(end_ns[-1]) // 2
    host = Resources("host", BEGIN_NS, end_ns, tuple(made))
    return Recorded((host,), (middle_ns, middle_ns + 1_000_000_000), 10)


def simulated(machine: Machine) -> Recorded:
    """What is recorded of such a machine."""
    host = resources(machine, "host", BEGIN_NS)
    return Recorded((host,), (BEGIN_NS, BEGIN_NS + 1_000_000_000), 10)


def training() -> Host:
    """A profile of ten good steps of 100 ms."""
    host = Host()
    host.steps(10, 100)
    for number in range(10):
        host.kernel(number * 100, number * 100 + 99)
    return host


def waiting(wait: float, gpus: int = 1) -> Host:
    """A profile of ten steps of 100 ms, each of which waits ``wait`` ms for its batch."""
    host = Host(gpus=gpus)
    host.steps(10, 100)
    for number in range(10):
        begin = number * 100
        host.event(GET_NEXT, begin, begin + wait, thread="tf_Compute/1")
        if gpus:
            host.kernel(begin + wait, begin + 100)
    return host
