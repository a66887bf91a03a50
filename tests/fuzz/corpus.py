"""What fuzzing begins with: small inputs that hold everything the analysis looks at, and found ones."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace

from demo.scalars import write_scalars
from demo.simulator.machine import Machine, resources
from demo.xspace_writer import Ref, SpaceBuilder, Stats
from tests.fuzz.wire import parse, places
from tests.readers.kineto.traces import CPU_ONLY, WITH_GPUS, Trace
from tests.readers.xspace import hlo, jax_programs
from tests.reports import make_analysis, make_report
from tests.strategies import ADD, ALL_REDUCE, GEMM, INPUT_WAIT, MS, SGEMM, Recording
from tfperf_plugin.execution.codec import encode
from tfperf_plugin.recording.resources import to_json
from tfperf_plugin.report.serialize import to_bytes

SEEDS = Path(__file__).parent / "seeds"


def starts() -> list[bytes]:
    """Profiles to begin with."""
    return [_training(), _pipelines(), _memory_and_program(), _collectives()]


def programs() -> list[bytes]:
    """Programs of XLA to begin with."""
    operand, result = hlo.array(hlo.F32, 8, 4), hlo.array(hlo.BF16, 64)
    both = hlo.tuple_of(operand, result)
    rows = [
        hlo.instruction("param.0", "parameter", operand, 1),
        hlo.instruction("all-reduce.1", "all-reduce-start", both, 2, [1, 1]),
        hlo.instruction("all-gather.1", "all-gather-start", both, 3, [1], packed=False),
        hlo.instruction("fusion.1", "async-start", hlo.tuple_of(both, result), 4, [1], [1]),
    ]
    inner = [
        hlo.instruction("param.1", "parameter", result, (1 << 32) + 1),
        hlo.instruction("rs", "reduce-scatter", hlo.array(hlo.PRED, packed=False), 2, [(1 << 32) + 1]),
    ]
    return [
        hlo.program(rows, inner),
        hlo.program(rows),
        hlo.one_collective("collective-permute", operand, both),
        *(known.proto for known in jax_programs.stored() if len(known.proto) < 1 << 14),
    ]


def profiles_of_programs() -> list[bytes]:
    """Profiles that hold these programs, each with a kernel of it."""
    return [profile_of_program(proto) for proto in programs()]


def event_files() -> list[bytes]:
    """Event files with the scalars of trainings."""
    tags = [("batch_loss", 0.1), ("epoch_loss", 9.0), ("evaluation_loss_vs_iterations", 9.0), ("loss", 0.5)]
    with TemporaryDirectory() as folder:
        paths = [
            write_scalars(
                Path(folder), n, [(tag, step, 1e9 + step * every_s) for step in range(40)], {"lr": n}
            )
            for n, (tag, every_s) in enumerate(tags)
        ]
        return [path.read_bytes() for path in paths]


def traces() -> list[bytes]:
    """Traces of PyTorch's profiler to begin with, one in each dialect."""
    properties = {"id": 0, "name": "NVIDIA A100", "totalGlobalMem": 1 << 34, "computeMajor": 8, "numSms": 108}
    whole = [_trace(Trace(dialect, 1, deviceProperties=[properties])) for dialect in WITH_GPUS.values()]
    return [*whole, _trace(Trace(CPU_ONLY, begin_ns=0)), gzip.compress(whole[0])]


def _trace(trace: Trace) -> bytes:
    trace.thread(1, "python3")
    for step in range(3):
        at = 100.0 * step
        trace.mark(f"ProfilerStep#{step}", at, at + 99)
        trace.mark("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at + 1, at + 9)
        trace.host("python_function", "train.py(7): step", at + 10, at + 90)
        trace.op("aten::mm", at + 11, at + 20, Input_Dims=[[4, 8], [8, 2]], Input_type=["c10::Half", "float"])
        trace.launch(3 * step, at + 12, at + 13)
        trace.mark("nccl:all_reduce", at + 30, at + 40, Input_Dims=[[512]], Input_type=["float"])
        trace.launch(3 * step + 1, at + 31, at + 32)
        trace.launch(3 * step + 2, at + 50, at + 60, "cudaMemcpyAsync")
        if trace.dialect.bare:
            continue
        trace.memory(
            at + 15, 512 if step % 2 else -512, Addr=7, Total_Allocated=1000 * step, Total_Reserved=9
        )
        trace.kernel(
            GEMM, 3 * step, at + 20, at + 30, grid=[8, 1, 1], block=[64, 1, 1], registers_per_thread=32
        )
        stated: dict[str, Any] = {
            "Collective_name": "allreduce",
            "dtype": "Float",
            "Out_msg_nelems": 512,
            "Group_size": 2,
        }
        trace.kernel(ALL_REDUCE, 3 * step + 1, at + 40, at + 50, stream=20, **stated)
        trace.kernel(GEMM, 3 * step, at + 20, at + 30, device=1)
        trace.mark("nccl:outer", at + 29, at + 41)
        trace.copy("Memcpy HtoD (Pageable -> Device)", 3 * step + 2, at + 60, at + 70, 4096)
        trace.kernel("Memset (Device)", -1, at + 71, at + 72, device=1, cat="gpu_memset", bytes=64)
    return trace.to_bytes()


def stored() -> list[bytes]:
    """What a cache file holds, packed and not: a report, and arrays."""
    analysis = make_analysis(make_report())
    report = to_bytes(analysis.report)
    return [report, gzip.decompress(report), b"".join(encode(analysis.arrays))]


def seeds(suffix: str = "pb") -> list[Path]:
    """Files that once broke something, or reached lines that none of those to begin with reaches."""
    return sorted(SEEDS.glob(f"*.{suffix}"))


def _training() -> bytes:
    recording = Recording(2)
    for step in range(4):
        at = step * 10 * MS
        recording.step(step, at, at + 9 * MS, "train" if step % 2 else "Profiled batch")
        recording.host("FunctionRun", at, at + 8 * MS, id=7 + step, _r=1)
        recording.host(INPUT_WAIT, at, at + MS, "tf_Compute/1", id=7 + step)
        recording.host("ExecutorState::Process", at + MS, at + 5 * MS, "tf_Compute/1", id=7 + step)
        recording.host("XlaCompile", at + MS, at + 2 * MS)
        recording.host("cuStreamSynchronize", at + 5 * MS, at + 6 * MS)
        for gpu in range(2):
            for k, (name, op) in enumerate(
                ((GEMM, "dense/MatMul:MatMul"), (SGEMM, "conv/Conv2D:Conv2D"), (ADD, ""))
            ):
                begin = at + (2 + k) * MS
                recording.launch(
                    gpu, name, (begin - MS, begin - MS // 2), begin, begin + MS,
                    tf_op=op, shape="(float[8,7];half[7,9])", kernel_details="regs:32 grid:4,1,1 block:64,1,1 occ_pct:50",
                )  # fmt: skip
            recording.launch(
                gpu, "MemcpyH2D", (at, at + 9), at + MS, at + 2 * MS, call="cuMemcpyHtoDAsync_v2",
                memcpy_details="kind_src:pageable kind_dst:device size:4096 dest:0 async:1",
            )  # fmt: skip
            recording.run(
                gpu,
                ALL_REDUCE,
                at + 5 * MS,
                at + (6 + gpu) * MS,
                "9",
                tf_op="ncclAllReduce",
                buffer_size=4096,
            )
            recording.run(
                gpu, ADD, at + 7 * MS, at + 8 * MS,
                tf_op="training/Adam/ResourceApplyAdam:ResourceApplyAdam", shape="(float[64,64])",
            )  # fmt: skip
    return recording.to_bytes()


def _pipelines() -> bytes:
    space = SpaceBuilder("worker")
    host, gpu = space.plane("/host:CPU"), space.plane("/device:GPU:0", stats={"device_vendor": "Nvidia"})
    main, pool = host.line(1, "python3"), host.line(2, "tf_data_private_threadpool")
    stream, steps = gpu.line(7, "Stream #7(Compute)"), gpu.line(0xDEADBEEF, "Steps")
    for step in range(3):
        at = step * 5 * MS
        main.event("train", at, 5 * MS, {"step_num": step, "_r": 1})
        main.event("IteratorGetNext", at, 2 * MS, {"id": step})
        common: Stats = {"parallelism": 4, "autotune": Ref("true"), "buffer_limit": 2, "buffered_elements": 1}
        pool.event("Iterator::Root::Prefetch::ParallelMapV2", at, 2 * MS, {"id": 5, "parent_id": 4, **common})
        pool.event("Iterator::Prefetch", at + 2 * MS, MS, {
            "id": 4, "shapes": "[8,4] []", "types": "float int64", "batch_size": 8, "name": "map", "element_id": step,
        })  # fmt: skip
        pool.event("ParallelMapProduce", at, MS, {"element_id": step, "_pt": 1, "_p": step})
        main.event("ParallelMapConsume", at + 2 * MS, MS, {"element_id": step, "_ct": 1, "_c": step})
        pool.event("InstantiatedCapturedFunction::Run", at, MS, {"id": 90 + step})
        pool.event("map/EagerPyFunc:EagerPyFunc", at, MS)
        main.event("inference_f_1", at, MS, {"tf_function_call": Ref("traced-nonXla"), "tracing_count": step})
        stream.event(SGEMM, at + 3 * MS, MS, {"tf_op": Ref("model/dense/MatMul:MatMul"), "occupancy": 0.5})
        steps.event(str(step), at + 3 * MS, MS)
    return space.to_bytes()


def _memory_and_program() -> bytes:
    space = SpaceBuilder("worker")
    host = space.plane("/host:CPU")
    gpu = space.plane(
        "/device:GPU:3", stats={"memory_size": 1 << 34, "memory_bandwidth": 900 << 30, "core_count": 80}
    )
    space.plane("Task Environment", stats={"profile_start_time": 1_700_000_000 * 10**9})
    programs = space.plane("/host:metadata")
    programs.event_metadata_stats("jit_step(7)", {"hlo_proto": b"\x0a\x04\x0a\x02\x0a\x00"})
    line, stream = host.line(1, "python3"), gpu.line(7, "Stream #7(Compute)", timestamp_ns=1000)
    for step in range(6):
        at = 2000 + step * MS
        line.event("MemoryAllocation" if step % 2 else "MemoryDeallocation", at, 0, {
            "allocator_name": Ref("GPU_3_bfc"), "bytes_allocated": 1000 * step, "bytes_available": 9000,
            "peak_bytes_in_use": 6000, "fragmentation": 0.25, "addr": step // 2, "allocation_bytes": 500,
            "requested_bytes": 400, "tf_op": Ref("a/b:MatMul"),
        })  # fmt: skip
        stream.event("all-reduce-start.1" if step % 2 else "fusion.3", at, MS // 2, {
            "hlo_op": Ref("all-reduce-start.1"), "hlo_module": Ref("jit_step"), "program_id": 7, "group_id": step,
        })  # fmt: skip
    stream.aggregate("total", 2, 500)
    space.warning(
        "Detected GPU events dropped on host: 100 events dropped because total device(activity) events"
    )
    space.error("CUPTI failed")
    return space.to_bytes()


def machines() -> list[bytes]:
    """What was recorded of machines, a few minutes each, one of which has all that a rule finds."""
    found = []
    for made in (
        Machine(minutes=0.5, starts_s=10),
        Machine(
            minutes=12,
            starts_s=15,
            pause_s=10,
            pause_every_s=60,
            leaks_mb_s=50,
            writes_mb_s=20,
            uploads_every_s=60,
            hot_gpus=(0,),
            shared_s=100,
        ),
    ):
        whole = resources(made, "host", 1_767_225_600 * 10**9)
        series = tuple(
            replace(one, mean=one.mean[::6], low=one.low[::6], high=one.high[::6]) for one in whole.series
        )
        found.append(to_json(replace(whole, end_ns=whole.end_ns[::6], series=series)))
    return found


def profile_of_program(proto: bytes) -> bytes:
    """A profile in which each instruction of this program runs once."""
    space = SpaceBuilder("worker")
    space.plane("/host:metadata").event_metadata_stats("jit_step(7)", {"hlo_proto": proto})
    stream = space.plane("/device:GPU:0").line(7, "Stream #7(Compute)")
    for number, name in enumerate(_instructions(proto)):
        stream.event(name, number * MS, MS // 2, {"hlo_op": Ref(name), "hlo_module": Ref("jit_step")})
    return space.to_bytes()


def _instructions(proto: bytes) -> Iterator[str]:
    for place in places(parse(proto, "HloProto")):
        if place.field.kind == "HloInstruction" and isinstance(place.field.content, list):
            for field in place.field.content:
                if field.number == 1 and isinstance(field.content, bytes):
                    yield field.content.decode()


def _collectives() -> bytes:
    recording = Recording(3)
    for step in range(2):
        for gpu in range(3):
            at = step * 5 * MS + gpu * MS
            recording.launch(gpu, GEMM, (at, at + 9), at + MS, at + 2 * MS, thread=f"tf_gpu_private_{gpu}/1")
            recording.run(gpu, "MemcpyP2P", at + 2 * MS, at + 3 * MS, memcpy_details="size:9 dest:1")
            recording.run(
                gpu, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", at + 3 * MS, step * 5 * MS + 6 * MS, "8"
            )
    return recording.to_bytes()
