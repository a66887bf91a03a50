"""What belongs together: kernels and their launches, events and what encloses them, in every dialect."""

from __future__ import annotations

from typing import Any

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
from tfperf_plugin.trace.roles import HostRole, Role

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
def test_each_dialect_says_the_same(dialect: Dialect) -> None:
    trace = Trace(dialect)
    trace.thread(1, "python3")
    trace.mark("ProfilerStep#7", 0, 100)
    trace.op("aten::mm", 10, 50)
    trace.launch(1, 20, 30)
    occupied: Any = {"est. achieved occupancy %": 12}
    trace.kernel(
        "ampere_sgemm", 1, 40, 90, grid=[8, 1, 1], block=[64, 1, 1], registers_per_thread=32, **occupied
    )
    trace.copy("Memcpy HtoD (Pageable -> Device)", 2, 91, 95, 4096)
    trace.kernel("Memset (Device)", 3, 96, 97, cat="gpu_memset", bytes=64)

    host = read(trace)

    events, (device,) = host.events, host.devices
    assert [events.names[code] for code in events.name] == ["ProfilerStep", "aten::mm", "cudaLaunchKernel"]
    assert events.start_ns.tolist() == [0, 10_000, 20_000]
    assert events.end_ns.tolist() == [100_000, 50_000, 30_000]
    assert events.parent.tolist() == [-1, 0, 1]
    assert list(events.step_num) == [7, -1, -1]
    assert list(events.threads) == ["python3"]
    assert [HostRole(role) for role in events.role[1:]] == [HostRole.DISPATCH, HostRole.LAUNCH]
    assert device.start_ns.tolist() == [40_000, 91_000, 96_000]
    assert device.end_ns.tolist() == [90_000, 95_000, 97_000]
    assert [device.names[code] for code in device.name] == ["ampere_sgemm", "MemcpyH2D", "Memset"]
    assert [Role(role) for role in device.role] == [Role.KERNEL, Role.H2D, Role.MEMSET]
    assert launches_of(host, device) == [20, -1, -1]
    assert [device.ops[code] if code >= 0 else "" for code in device.op] == ["aten::mm", "", ""]
    assert list(device.copy_bytes) == [-1, 4096, -1]
    assert list(device.copy_pageable) == [-1, 1, -1]
    assert [device.details[code] if code >= 0 else "" for code in device.detail] == [
        "regs:32 shm:-1 grid:8,1,1 block:64,1,1 est_occ_pct:12", "", "",
    ]  # fmt: skip
    assert device.streams == ("Stream #7",)
    assert host.profile_start_ns == BEGIN_NS


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


# ---------------------------------------------------------------------------------- launches


def test_a_gpu_of_amd() -> None:
    trace = Trace(deviceProperties=[{"id": 0, "name": "AMD Instinct MI300X", "computeMajor": 9}])
    trace.host("cuda_runtime", "hipLaunchKernel", 0, 2, correlation=4, cid=1)
    trace.host("hip_runtime", "hipMemcpyAsync", 3, 4, correlation=5, cid=1)
    trace.kernel("Cijk_Ailk_Bljk_SB_MT64x64x16", 4, 5, 9, device=2, stream=0)
    trace.kernel("CopyHostToDevice", 5, 10, 12, device=2, stream=0, cat="gpu_memcpy", kind="HtoD")

    (device,) = (host := read(trace)).devices

    assert (device.vendor, device.ordinal, device.compute_capability) == ("AMD", 2, None)
    assert [device.names[code] for code in device.name] == ["Cijk_Ailk_Bljk_SB_MT64x64x16", "MemcpyH2D"]
    assert list(device.copy_bytes) == [-1, -1]
    assert launches_of(host, device) == [0, 3]


# -------------------------------------------------------------------- what the host waits for


def test_without_it_nothing_is_said_of_input() -> None:
    trace = Trace()
    trace.mark("ProfilerStep#1", 0, 100)
    trace.kernel("a", 1, 61, 90)

    assert {"input", "framework ops"} <= read(trace).lacks
    trace.op("aten::relu", 1, 2)
    assert "framework ops" not in read(trace).lacks


def test_functions_of_python_have_file_line_and_name() -> None:
    trace = Trace()
    trace.host("python_function", "train.py(184): <module>", 0, 100)
    trace.host("python_function", "nn.Module: Linear_0", 10, 90)
    trace.op("aten::linear", 20, 80)

    host = read(trace)

    assert names_above(host, "aten::linear") == ["$nn.Module: Linear_0", "$train.py:184 <module>"]
    assert host.events.role[0] == HostRole.PYTHON
