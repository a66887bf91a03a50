"""From the tables of Nsight Systems to those of a trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.readers.nsight.writer import (
    GEMM,
    NVTX,
    RUNTIME,
    Export,
    content,
    thread_id,
)
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.formats import NSIGHT
from tfperf_plugin.trace.model import DeviceTrace, HostTrace
from tfperf_plugin.trace.roles import HostRole, Role


def names(device: DeviceTrace) -> list[str]:
    return [device.names[name] for name in device.name.tolist()]


def ops(device: DeviceTrace) -> list[str]:
    return [device.ops[op] if op >= 0 else "" for op in device.op.tolist()]


def host_names(trace: HostTrace) -> list[str]:
    return [trace.events.names[name] for name in trace.events.name.tolist()]


def launched_by(trace: HostTrace, gpu: int = 0) -> list[tuple[str, int]]:
    """Name and start of the launch of each row."""
    events = trace.events
    rows = trace.devices[gpu].launch.tolist()
    return [
        (events.names[events.name[row]], int(events.start_ns[row])) if row >= 0 else ("", -1) for row in rows
    ]


def test_copies_are_named_as_xspace_names_them(tmp_path: Path) -> None:
    export = Export()
    for kind, (source, target) in {
        1: (0, 2),
        2: (2, 1),
        8: (2, 2),
        10: (2, 2),
        0: (7, 7),
        11: (4, 4),
    }.items():
        begin = 100 * kind
        export.work(
            "CUPTI_ACTIVITY_KIND_MEMCPY", begin, begin + 50, bytes=1 << kind, copyKind=kind, srcKind=source,
            dstKind=target, dstDeviceId=3 if kind == 10 else None,
        )  # fmt: skip
    export.work("CUPTI_ACTIVITY_KIND_MEMSET", 2000, 2050, bytes=4096)

    (gpu,) = export.trace(tmp_path).devices

    assert dict(zip(names(gpu), gpu.role.tolist(), strict=True)) == {
        "MemcpyOther": Role.D2D, "MemcpyH2D": Role.H2D, "MemcpyD2H": Role.D2H, "MemcpyD2D": Role.D2D,
        "MemcpyP2P": Role.D2D, "UM_BYTES_TRANSFER_HTOD": Role.MIGRATION_H2D, "Memset": Role.MEMSET,
    }  # fmt: skip
    assert gpu.copy_bytes.tolist() == [1, 2, 4, 256, 1024, 2048, 4096]
    assert gpu.copy_pageable.tolist() == [0, 1, 0, 0, 0, 0, -1]
    assert gpu.copy_destination.tolist() == [-1, -1, -1, -1, 3, -1, -1]


def test_pages_that_come_again_after_a_prefetch_are_told_by_their_addresses(tmp_path: Path) -> None:
    export, mb = Export(), 1 << 20
    moves = [
        (11, 2, 8 * mb), (11, 1, 8 * mb), (11, 1, 10 * mb), (12, 2, 8 * mb), (12, 2, 10 * mb),
        (11, 2, 8 * mb), (11, 3, 11 * mb), (11, 2, 12 * mb), (11, 1, 8 * mb), (11, 2, 7 * mb), (11, 4, None),
    ]  # fmt: skip
    for number, (kind, cause, address) in enumerate(moves):
        columns: dict[str, Any] = {"copyKind": kind, "migrationCause": cause, "virtualAddress": address}
        export.work("CUPTI_ACTIVITY_KIND_MEMCPY", 100 * number, 100 * number + 50, bytes=2 * mb, **columns)

    (gpu,) = export.trace(tmp_path).devices

    assert [name.rpartition(", ")[2] for name in names(gpu)] == [
        "page fault", "prefetch", "prefetch", "page fault", "page fault",
        "after prefetch", "after prefetch", "page fault", "prefetch", "page fault", "eviction",
    ]  # fmt: skip


def test_calls_with_work_are_launches_and_calls_that_wait_wait(tmp_path: Path) -> None:
    export = Export()
    export.call("cudaMalloc_v3020", 0, 10, 899)
    export.launch(20, 100, 200)
    export.call("cudaLaunchKernel_v7000", 40, 50, 900)
    export.call("cuMemcpyHtoDAsync_v2", 60, 70, 901)
    export.call("cudaStreamSynchronize_v3020", 80, 90, 902)
    export.call("cudaMemcpy_v3020", 10_000, 10_010, 903)
    export.work("CUPTI_ACTIVITY_KIND_MEMCPY", 10_002, 10_008, correlation=903, bytes=4, copyKind=2)
    for begin, name, kind in ((20_000, "cudaMemcpyAsync", 0), (30_000, "cudaMemcpy2DAsync", 1)):
        export.call(f"{name}_v3020", begin, begin + 10, begin)
        export.work(
            "CUPTI_ACTIVITY_KIND_MEMCPY", begin + 2, begin + 8, correlation=begin, copyKind=2, dstKind=kind
        )

    trace = export.trace(tmp_path)

    events = trace.events
    assert dict(zip(host_names(trace), events.role.tolist(), strict=True)) == {
        "cudaMalloc": HostRole.OTHER, "cudaLaunchKernel": HostRole.LAUNCH,
        "cuMemcpyHtoDAsync_v2": HostRole.LAUNCH,
        "cudaStreamSynchronize": HostRole.SYNC, "cudaMemcpy": HostRole.SYNC,
        "cudaMemcpyAsync": HostRole.SYNC, "cudaMemcpy2DAsync": HostRole.LAUNCH,
    }  # fmt: skip
    assert events.launches.tolist() == [False, True, True, True, False, True, True, True]
    assert launched_by(trace)[:2] == [("cudaLaunchKernel", 20), ("cudaMemcpy", 10_000)]


@pytest.mark.parametrize(
    ("kernel", "work"),
    [
        ("ampere_sgemm_128x64_tn", ("fp32", 4)),
        ("ampere_fp16_s16816gemm_fp16_64x64", ("fp16", 2)),
        ("own", None),
    ],
)
def test_products_have_their_sizes_and_kernels_tell_the_types(
    kernel: str, work: tuple[str, int] | None, tmp_path: Path
) -> None:
    """As of ``emit_nvtx(record_shapes=True)``."""
    export = Export()
    sizes = (
        "sizes = [[512], [8, 64], [64, 512], [], []], input_op_ids = [(2,0), (3,0), (4,0), (0,-1), (0,-1)]"
    )
    export.range(f"aten::addmm, seq = 8, op_id = 13, {sizes}", 0, 30_000)
    export.launch(30, 100_000, 110_000, kernel)

    trace = export.trace(tmp_path)

    assert ops(trace.devices[0]) == ["forward/aten::addmm 8×64·64×512"]
    assert host_names(trace) == ["aten::addmm", "cudaLaunchKernel"]
    assert ("shapes" in trace.lacks) == (work is None)
    found = [(w.matrix_format, w.flops, w.bytes) for w in trace.op_work.values()]
    assert found == ([(work[0], 2 * 8 * 64 * 512, work[1] * (8 * 64 + 64 * 512 + 8 * 512))] if work else [])


def test_ranges_may_be_registered_texts(tmp_path: Path) -> None:
    export = Export()
    thunk = export.text("TSL:Thunk:#hlo_op=fusion.3#")
    for start, end, kind, text, text_id, thread in (
        (0, 50_000, 59, None, thunk, thread_id()), (5, None, 34, "a mark", None, thread_id()),
        (5, None, 75, "a domain", None, None), (6, 40_000, 60, None, 77, thread_id()),
    ):  # fmt: skip
        export.add(NVTX, start=start, end=end, eventType=kind, text=text, textId=text_id, globalTid=thread)
    export.launch(10, 100, 200)

    trace = export.trace(tmp_path)

    assert ops(trace.devices[0]) == ["fusion.3"]
    assert host_names(trace) == ["Thunk:#hlo_op=fusion.3#", "", "cudaLaunchKernel"]


def test_programs_of_xla_are_those_of_the_ranges(tmp_path: Path) -> None:
    export = Export()
    export.range("XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=7#", 0, 90_000)
    export.range("Thunk:#name=dot_general[a=(1, 0), b=2],hlo_op=gemm.3,unique_hlo_op_id=4#", 10, 30_000)
    export.range("Thunk:#hlo_op=all-reduce-start.1#", 40_000, 50_000)
    export.launch(20, 100_000, 110_000)
    export.launch(41_000, 110_000, 120_000, "all_reduce_kernel_of_xla")

    trace = export.trace(tmp_path)

    (gpu,) = trace.devices
    assert ops(gpu) == ["gemm.3", "all-reduce-start.1"]
    assert [gpu.modules[code] for code in gpu.module.tolist()] == ["jit_f(7)", "jit_f(7)"]
    assert [gpu.scopes[c] if c >= 0 else "" for c in gpu.scope.tolist()] == ["dot_general[a=(1, 0), b=2]", ""]
    assert gpu.role.tolist() == [Role.KERNEL, Role.COLLECTIVE]
    assert host_names(trace)[0] == "jit_f:XLA GPU module"
    assert trace.events.role[0] == HostRole.DISPATCH
    assert "compilation" not in trace.lacks


def test_each_process_may_call_its_own_gpu_the_first(tmp_path: Path) -> None:
    export = Export()
    for process, gpu in ((100, 4), (200, 5)):
        export.add("TARGET_INFO_CUDA_DEVICE", gpuId=gpu, cudaId=0, pid=process)
        export.add("TARGET_INFO_GPU", id=gpu, name=f"GPU {gpu}")
        export.launch(10, 100, 200, process=process)

    trace = export.trace(tmp_path)

    assert [(d.ordinal, d.device, d.name_text) for d in trace.devices] == [
        (4, "GPU:4", "GPU 4"), (5, "GPU:5", "GPU 5"),
    ]  # fmt: skip


@pytest.mark.parametrize("of_2021", [False, True])
def test_properties_of_gpus_have_the_units_of_xspace(of_2021: bool, tmp_path: Path) -> None:
    export = Export()
    export.launch(10, 100, 200)
    if of_2021:
        export.add("TARGET_INFO_GPU", deviceId=0, name="NVIDIA GeForce RTX 3080")
        export.add(
            "TARGET_INFO_CUDA_GPU", deviceId=0, name="NVIDIA GeForce RTX 3080",
            globalMemorySize=10_736_893_952, globalMemoryBandwidth=760_080_000,
            coreClockRate=1_710_000, numMultiprocessors=68,
            computeCapabilityMajor=8, computeCapabilityMinor=6,
        )  # fmt: skip
    else:
        export.add(
            "TARGET_INFO_GPU", id=0, name="NVIDIA GeForce RTX 3080", totalMemory=10_736_893_952,
            memoryBandwidth=760_080_000_000, clockRate=1_710_000_000, smCount=68,
            computeMajor=8, computeMinor=6,
        )  # fmt: skip

    (gpu,) = export.trace(tmp_path).devices

    assert gpu.name_text == "NVIDIA GeForce RTX 3080"
    assert gpu.stats == {
        "device_vendor": "Nvidia", "memory_size": 10_736_893_952, "memory_bandwidth": 760_080_000_000,
        "clock_rate": 1_710_000, "core_count": 68, "compute_cap_major": 8, "compute_cap_minor": 6,
    }  # fmt: skip
    assert gpu.compute_capability == (8, 6)


def test_graphs_that_hide_their_kernels_are_said(tmp_path: Path) -> None:
    export = Export()
    export.call("cudaGraphLaunch_v10000", 0, 10, 1)
    export.work("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", 100, 200, correlation=1, graphId=9)
    export.call("cudaGraphLaunch_v10000", 20, 30, 2)
    export.kernel(300, 400, correlation=2, graphNodeId=1)
    export.kernel(400, 500, correlation=2, graphNodeId=2)
    export.call("cudaGraphLaunch_v10000", 40, 50, 3)

    trace = export.trace(tmp_path)

    assert names(trace.devices[0]) == ["CUDA graph 9", GEMM, GEMM]
    assert trace.devices[0].is_kernel().all()
    assert launched_by(trace) == [("cudaGraphLaunch", 0), ("cudaGraphLaunch", 20), ("cudaGraphLaunch", 20)]
    assert trace.warnings == (
        "2 launches of CUDA graphs were recorded without the kernels in them: "
        "record with nsys profile --cuda-graph-trace=node.",
    )


def test_launches_that_returned_an_error_launch_nothing(tmp_path: Path) -> None:
    export = Export()
    for at, returned in ((0, 0), (20, 701), (40, None)):
        export.call("cudaLaunchKernel_v7000", at, at + 10, 1 + at)
        export.tables[RUNTIME][-1]["returnValue"] = returned
    export.call("cudaEventQuery_v3020", 60, 70)
    export.tables[RUNTIME][-1]["returnValue"] = 600  # what it waits for is not done yet
    events = export.trace(tmp_path).events

    called = [events.names[code] for code in events.name]
    assert called == [
        "cudaLaunchKernel",
        "error 701 of cudaLaunchKernel",
        "cudaLaunchKernel",
        "cudaEventQuery",
    ]
    assert events.launches.tolist() == [True, False, True, False]


def test_an_event_that_ends_before_it_starts_lasts_no_time_and_a_kernel_is_left_out(tmp_path: Path) -> None:
    anomalies = Anomalies()
    export = Export()
    export.kernel(200, 100)
    export.kernel(300, 400)
    export.call("cudaMalloc", 30, 20)

    trace = export.trace(tmp_path, anomalies)

    assert trace.devices[0].end_ns.tolist() == [400]
    assert trace.events.end_ns.tolist() == [30]
    counts = {row.name: row.count for row in anomalies.rows()}
    assert (counts["negative-duration"], counts["kernel-without-duration"]) == (2, 1)


def test_a_file_that_lies_elsewhere_reads_the_same(tmp_path: Path) -> None:
    """A remote file has bytes, but no path for SQLite to open."""
    export = Export()
    export.launch(10, 100, 200)
    path = export.write(tmp_path / "a strange ?name#%41.sqlite")
    anomalies = Anomalies()

    local, remote = (
        NSIGHT.trace("host", NSIGHT.decode(data, anomalies), anomalies)
        for data in (content(path), path.read_bytes())
    )

    assert local.devices[0].start_ns.tolist() == remote.devices[0].start_ns.tolist() == [100]
    assert local.events.names == remote.events.names


def test_reading_leaves_the_file_and_its_folder_alone(tmp_path: Path) -> None:
    export = Export()
    export.launch(10, 100, 200)
    path = export.write(tmp_path / "export.sqlite")
    before = path.read_bytes()
    path.chmod(0o400)

    NSIGHT.decode(content(path), Anomalies())

    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["export.sqlite"]


def test_sqlite_files_of_others_are_refused(tmp_path: Path) -> None:
    export = Export()
    export.tables.clear()
    export.add("experiments", id=1, name="x")

    with pytest.raises(
        UnreadableInput, match=r"no tables of Nsight Systems\. Export a report with nsys export"
    ):
        export.trace(tmp_path)
