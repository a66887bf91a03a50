"""What belongs together: kernels and their launches, events and what encloses them, in every dialect."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.readers.kineto.traces import (
    BEGIN_NS,
    CPU_ONLY,
    FLOATS,
    OF_2022,
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


def test_times_may_be_texts() -> None:
    trace = Trace(OF_2022)
    trace.op("aten::mm", 3, 5)
    trace.op("aten::add", 10, 12)
    text = trace.text().replace('"ts": 1698955360294812', '"ts": "1698955360294812.25"')
    text = text.replace('"dur": 2', '"dur": "2"')

    host = read(text.encode())

    assert host.events.start_ns.tolist() == [0, 6_750]
    assert host.events.end_ns.tolist() == [2_000, 8_750]


def test_numbers_may_be_texts() -> None:
    trace = Trace()
    trace.launch(17, 3, 5)
    trace.kernel("a", 17, 10, 20, stream=7)
    text = (
        trace.text()
        .replace('"correlation": 17', '"correlation": "17"')
        .replace('"stream": 7', '"stream": "7"')
    )

    host = read(text.encode())

    assert host.devices[0].launch.tolist() == [0]
    assert host.devices[0].streams == ("Stream #7",)


# ---------------------------------------------------------------------------------- launches


def test_a_kernel_may_seem_to_begin_before_its_launch() -> None:
    """Clocks of GPU and CPU differ by some µs."""
    trace = Trace()
    trace.op("aten::mm", 0, 18)
    trace.kernel("a", 1, 10, 20)
    trace.launch(1, 15, 18)

    host = read(trace)

    assert launches_of(host, host.devices[0]) == [15]


def test_kernels_without_launch_have_none() -> None:
    """Their launch was before the recording."""
    trace = Trace()
    trace.launch(5, 0, 1)
    trace.kernel("a", 1, 10, 20)
    trace.kernel("b", 5, 20, 30)
    trace.kernel("c", -1, 30, 40)

    host = read(trace)

    assert launches_of(host, host.devices[0]) == [-1, 0, -1]


def test_all_kernels_of_a_graph_have_its_launch() -> None:
    trace = Trace()
    trace.op("aten::copy_", 0, 2)
    trace.launch(9, 5, 8, "cudaGraphLaunch")
    for number in range(20):
        trace.kernel(f"k{number}", 9, 10 + number, 11 + number)

    host = read(trace)

    assert launches_of(host, host.devices[0]) == [5] * 20
    assert host.events.launches.tolist() == [False, True]


def test_calls_that_nothing_on_a_gpu_names_are_no_launches() -> None:
    trace = Trace()
    trace.launch(1, 0, 5, "cudaDeviceSynchronize")
    trace.launch(2, 5, 6, "cudaEventQuery")
    trace.launch(3, 6, 7)
    trace.kernel("a", 3, 8, 9)

    host = read(trace)

    assert host.events.launches.tolist() == [False, False, True]
    assert host.events.role[0] == HostRole.SYNC


def test_each_gpu_has_its_own_events_by_its_number() -> None:
    trace = Trace(
        deviceProperties=[
            {
                "id": 1,
                "name": "NVIDIA A100",
                "totalGlobalMem": 40 << 30,
                "computeMajor": 8,
                "computeMinor": 0,
            },
            {"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 80 << 30, "computeMajor": 9, "numSms": 132},
        ]
    )
    trace.launch(1, 0, 1)
    trace.kernel("a", 1, 1, 2, device=1, stream=20)
    trace.kernel("b", 2, 3, 4, device=0)
    trace.kernel("c", 3, 5, 6, device=1, stream=7)

    host = read(trace)

    assert [device.ordinal for device in host.devices] == [0, 1]
    hopper, ampere = host.devices
    assert (hopper.name_text, hopper.memory_bytes, hopper.stats["core_count"]) == (
        "NVIDIA H100",
        80 << 30,
        132,
    )
    assert (ampere.name_text, ampere.compute_capability) == ("NVIDIA A100", (8, 0))
    assert [ampere.streams[code] for code in ampere.stream] == ["Stream #20", "Stream #7"]


def test_gpus_of_which_nothing_was_recorded_are_those_of_the_machine() -> None:
    trace = Trace(deviceProperties=[{"id": n, "name": "NVIDIA A100", "computeMajor": 8} for n in (1, 0)])
    trace.host("cpu_op", "aten::mm", 0, 100)

    devices = read(trace).devices

    assert [(device.ordinal, device.name_text, device.vendor) for device in devices] == [
        (0, "NVIDIA A100", "NVIDIA"),
        (1, "NVIDIA A100", "NVIDIA"),
    ]
    assert not any(device.participates for device in devices)


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


def test_waiting_for_the_data_loader_is_waiting_for_input() -> None:
    trace = Trace()
    trace.mark("ProfilerStep#1", 0, 100)
    trace.mark("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 1, 60)
    trace.kernel("a", 1, 61, 90)

    host = read(trace)

    assert [HostRole(role) for role in host.events.role][1] == HostRole.INPUT_WAIT
    assert "input" not in host.lacks


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


@pytest.mark.parametrize("category", ["cpu_op", "user_annotation"])
def test_what_an_optimizer_does_is_a_mark_also_where_its_category_is_that_of_ops(category: str) -> None:
    trace = Trace()
    trace.host(category, "Optimizer.zero_grad#SGD.zero_grad", 0, 90)
    trace.op("aten::zero_", 10, 50)
    trace.launch(1, 20, 30)
    trace.kernel("fill", 1, 40, 60)

    events = read(trace).events

    named = dict(zip((events.names[code] for code in events.name), events.role.tolist(), strict=True))
    assert named["Optimizer.zero_grad#SGD.zero_grad"] == HostRole.OTHER
    assert named["aten::zero_"] == HostRole.DISPATCH


def test_what_is_no_work_of_a_gpu_is_left_out() -> None:
    trace = Trace()
    trace.kernel("a", 1, 1, 2)
    trace.kernel("ProfilerStep#1", 2, 0, 9, cat="gpu_user_annotation")
    trace.kernel("Stream Wait Event", 3, 0, 9, cat="cuda_sync")
    trace.host("overhead", "Activity Buffer Request", 0, 9)

    host = read(trace)

    assert host.devices[0].names[host.devices[0].name[0]] == "a"
    assert len(host.devices[0].start_ns) == 1 and not len(host.events.start_ns)


def test_what_kineto_logged_is_told() -> None:
    trace = Trace(ERROR=["Failed to start"], WARNING=["Buffers full", "Dropped"], INFO=["1 iterations"])
    trace.kernel("a", 1, 1, 2)

    host = read(trace)

    assert (host.errors, host.warnings) == (("Failed to start",), ("Buffers full", "Dropped"))


def test_events_of_other_accelerators_are_named() -> None:
    trace = Trace(deviceProperties=[])
    trace.op("aten::mm", 0, 10)
    trace.host("mtia_runtime", "mtiaLaunchKernel", 1, 2)
    trace.host("mtia_ccp_events", "mm_kernel", 3, 9)

    assert read(trace).accelerators == {"MTIA"}
    assert read(trace).devices == ()


def test_a_machine_without_gpus_says_so() -> None:
    without, with_one = Trace(deviceProperties=[]), Trace(deviceProperties=[{"id": 0, "name": "NVIDIA A100"}])
    for trace in (without, with_one):
        trace.op("aten::mm", 0, 10)

    assert read(without).without_gpu
    assert not read(with_one).without_gpu
