"""What belongs together: kernels and their launches, events and what encloses them, in every dialect."""

from __future__ import annotations

import numpy as np
import pytest

from tests.readers.kineto.traces import (
    BEGIN_NS,
    CPU_ONLY,
    FLOATS,
    WITH_GPUS,
    Dialect,
    Trace,
    read,
)
from tfperf_plugin.trace.model import DeviceTrace, HostTrace
from tfperf_plugin.trace.roles import HostRole

each_dialect = pytest.mark.parametrize("dialect", WITH_GPUS.values(), ids=WITH_GPUS)


def launches_of(host: HostTrace, device: DeviceTrace) -> list[int]:
    """When the launch of each event of a GPU begins, in µs; −1 if it is not known."""
    starts = host.events.start_ns // 1000
    return [int(starts[row]) if row >= 0 else -1 for row in device.launch.tolist()]


def names_above(host: HostTrace, name: str) -> list[str]:
    """The names of what encloses the first event of this name, the innermost first."""
    events = host.events
    row = int(np.flatnonzero(events.named(lambda text: text == name))[0])
    found = []
    while (row := int(events.parent[row])) >= 0:
        found.append(events.names[events.name[row]])
    return found


@each_dialect
def test_packed_it_is_the_same(dialect: Dialect) -> None:
    trace = Trace(dialect)
    for number in range(2_000):
        trace.launch(number, number, number + 0.5)
        trace.kernel(f"kernel{number % 7}", number, number + 0.5, number + 0.75)

    plain, packed = read(trace), read(trace.to_bytes(packed=True))

    assert (plain.events.start_ns == packed.events.start_ns).all()
    assert (plain.devices[0].launch == packed.devices[0].launch).all()
    assert launches_of(plain, plain.devices[0]) == list(range(2_000))


def test_floats_since_the_epoch_are_exact_to_the_nanosecond() -> None:
    trace = Trace(FLOATS)
    for number in range(200):
        trace.thread(number, "worker")
    trace.op("aten::mm", 0.001, 0.999)
    trace.op("aten::add", 1.001, 1.002)
    trace.kernel("a", 1, 1.003, 2.005)

    host = read(trace)

    assert host.events.start_ns.tolist() == [0, 1_000]
    assert host.events.end_ns.tolist() == [998, 1_001]
    assert (host.devices[0].start_ns.tolist(), host.devices[0].end_ns.tolist()) == ([1_002], [2_004])
    assert host.profile_start_ns == BEGIN_NS + 1


def test_builds_without_cuda_write_a_bare_list() -> None:
    trace = Trace(CPU_ONLY, begin_ns=0)
    for number in range(3):
        trace.mark(f"ProfilerStep#{number}", 10 * number, 10 * number + 9)
        trace.op("aten::mm", 10 * number + 1, 10 * number + 5)

    host = read(trace)

    assert host.devices == ()
    assert list(host.events.step_num) == [0, -1, 1, -1, 2, -1]
    assert host.events.parent.tolist() == [-1, 0, -1, 2, -1, 4]
    assert host.profile_start_ns is None


# -------------------------------------------------------------------- what the host waits for


def test_functions_of_python_have_file_line_and_name() -> None:
    trace = Trace()
    trace.host("python_function", "train.py(184): <module>", 0, 100)
    trace.host("python_function", "nn.Module: Linear_0", 10, 90)
    trace.op("aten::linear", 20, 80)

    host = read(trace)

    assert names_above(host, "aten::linear") == ["$nn.Module: Linear_0", "$train.py:184 <module>"]
    assert host.events.role[0] == HostRole.PYTHON
