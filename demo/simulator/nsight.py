"""Writes what happened on a host as Nsight Systems exports it to SQLite (schema 3.24), as far as it is read.

PyTorch ran in ``torch.autograd.profiler.emit_nvtx()``, and the program pushed a range around each step. The
export writes no table that would be empty.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from demo.simulator.captured import Recorded, Window
from demo.simulator.pytorch import STEP, Process, Span, Task, process
from demo.simulator.record import PAGES_BYTES, DeviceEvent
from demo.simulator.training import Training
from demo.simulator.work import THREADS

_MACHINE = 1 << 48
_PID = 4_000
_PUSH_POP = 59
_WARNING = 2
_CONTEXT, _RUNTIME_CLASS = 1, 0
# ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND.
_KINDS = {"h2d": 1, "d2h": 2, "p2p": 10}
_PAGEABLE, _PINNED, _DEVICE = range(3)
_PAGES_TO_GPU, _UNKNOWN, _FAULT, _NO_STREAM = 11, 7, 2, 0
# Names of functions end with the version of CUDA that brought them.
_VERSIONS = {
    "cudaLaunchKernel": 7000, "cudaLaunchKernelExC": 11060, "cudaMemcpyPeerAsync": 4000,
}  # fmt: skip
_FIRST_VERSION = 3020
_WORK = "start, end, deviceId, contextId, streamId, correlationId, globalPid"
_COLUMNS = {
    "CUPTI_ACTIVITY_KIND_KERNEL": f"{_WORK}, demangledName, shortName, registersPerThread, gridX, gridY, "
    "gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory",
    "CUPTI_ACTIVITY_KIND_MEMCPY": f"{_WORK}, bytes, copyKind, srcKind, dstKind, dstDeviceId, migrationCause",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start, end, eventClass, globalTid, correlationId, nameId, returnValue",
    "NVTX_EVENTS": "start, end, eventType, text, globalTid, textId",
    "ThreadNames": "nameId, priority, globalTid",
    "PROCESSES": "globalPid, pid, name",
    "TARGET_INFO_GPU": "vmId, id, name, totalMemory, memoryBandwidth, clockRate, smCount, computeMajor, "
    "computeMinor",
    "TARGET_INFO_CUDA_DEVICE": "gpuId, cudaId, pid",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs",
    "DIAGNOSTIC_EVENT": "timestamp, timestampType, source, severity, text, globalPid",
    "META_DATA_EXPORT": "name, value",
    "StringIds": "id, value",
}
_TEXTS = ("name", "value", "text")

Row = tuple[object, ...]


def encode(host: Recorded, training: Training, window: Window, wall_clock_ns: int) -> bytes:
    """The host's profile; its time 0 was at ``wall_clock_ns``, as far as the host knows."""
    written = _Writer(training, _PID + host.number)
    rows = written.tables(process(host, training, window), wall_clock_ns)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.sqlite"
        connection = sqlite3.connect(path)
        for table, cells in rows.items():
            if cells:
                columns = _COLUMNS[table].split(", ")
                types = (f'"{column}" {"TEXT" if column in _TEXTS else "INTEGER"}' for column in columns)
                connection.execute(f"create table {table} ({', '.join(types)})")
                places = ", ".join("?" * len(columns))
                connection.executemany(f"insert into {table} values ({places})", cells)
        connection.commit()
        connection.close()
        return path.read_bytes()


class _Writer:
    def __init__(self, training: Training, pid: int) -> None:
        self.training, self.pid = training, pid
        self.global_pid = _MACHINE | pid << 24
        self.strings: dict[str, int] = {}

    def tables(self, found: Process, wall_clock_ns: int) -> dict[str, Sequence[Row]]:
        """The rows of each table."""
        calls = [span for span in found.spans if span.kind == "call"]
        ranges = [span for span in found.spans if span.kind in ("op", "mark")]
        kernels = [task for task in found.tasks if not task.work.copy]
        return {
            "CUPTI_ACTIVITY_KIND_KERNEL": list(map(self._kernel, kernels)),
            "CUPTI_ACTIVITY_KIND_MEMCPY": [
                *(self._copy(task) for task in found.tasks if task.work.copy),
                *(row for task in found.tasks for row in self._pages(task)),
            ],
            "CUPTI_ACTIVITY_KIND_RUNTIME": [self._call(*row) for row in enumerate(calls)],
            "NVTX_EVENTS": [self._range(*row) for row in enumerate(ranges)],
            "ThreadNames": [
                (self._string(name), 20, self._tid(thread)) for thread, name in enumerate(found.threads)
            ],
            "PROCESSES": [(self.global_pid, self.pid, "python3")],
            "TARGET_INFO_GPU": list(self._gpus()),
            "TARGET_INFO_CUDA_DEVICE": [(gpu, gpu, self.pid) for gpu in range(self.training.gpus)],
            "TARGET_INFO_SESSION_START_TIME": [(wall_clock_ns,)],
            "DIAGNOSTIC_EVENT": [
                (0, 1, 3, 1, "Profiling has started.", -1),
                *((0, 1, 3, _WARNING, text, -1) for text in self.training.collector.warnings),
            ],
            "META_DATA_EXPORT": [
                ("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems"), ("EXPORT_SCHEMA_VERSION", "3.24.14"),
            ],
            "StringIds": [(number, text) for text, number in self.strings.items()],
        }  # fmt: skip

    def _string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def _tid(self, thread: int) -> int:
        return self.global_pid | self.pid + thread

    def _work(self, task: Task) -> Row:
        return (
            task.start_ns, task.end_ns, task.work.gpu, _CONTEXT, task.stream, task.correlation,
            self.global_pid,
        )  # fmt: skip

    def _kernel(self, task: Task) -> Row:
        work, name = task.work, self._string(task.name)
        block = THREADS, 1, 1
        return (*self._work(task), name, name, work.registers, *work.grid, *block, work.shared_bytes, 0)

    def _copy(self, task: Task) -> Row:
        work = task.work
        host = _PINNED if work.pinned else _PAGEABLE
        source = host if work.copy == "h2d" else _DEVICE
        target = host if work.copy == "d2h" else _DEVICE
        to_gpu = work.target if work.copy == "p2p" else None
        return (*self._work(task), work.size_bytes, _KINDS[work.stream], source, target, to_gpu, None)

    def _pages(self, task: Task) -> Iterator[Row]:
        """The pages of managed memory that come while a kernel waits for them."""
        event = DeviceEvent(task.work, 0, task.start_ns, task.end_ns)
        for begin_ns, end_ns in event.migrations_ns():
            place = task.work.gpu, _CONTEXT, _NO_STREAM, 0, self.global_pid
            yield begin_ns, end_ns, *place, PAGES_BYTES, _PAGES_TO_GPU, _UNKNOWN, _UNKNOWN, None, _FAULT

    def _call(self, number: int, span: Span) -> Row:
        name = self._string(f"{span.name}_v{_VERSIONS.get(span.name, _FIRST_VERSION)}")
        correlation = span.correlation if span.correlation >= 0 else 1_000_000 + number
        return (
            span.start_ns, span.end_ns, _RUNTIME_CLASS, self._tid(span.thread), correlation, name, 0,
        )  # fmt: skip

    def _range(self, number: int, span: Span) -> Row:
        """PyTorch adds numbers to the names of its ranges; those of the program are its own."""
        if span.name.startswith(STEP):
            text = self._string(span.name.replace(f"{STEP}#", "step "))
            return (*_times(span), None, self._tid(span.thread), text)
        sequence = span.args.get("Sequence number")
        numbers = f"seq = {sequence}, op_id = {number}" if sequence else f"op_id = {number}"
        return (*_times(span), f"{span.name}, {numbers}", self._tid(span.thread), None)

    def _gpus(self) -> Iterator[Row]:
        device = self.training.device
        for gpu in range(self.training.visible_gpus or self.training.gpus):
            yield (
                _MACHINE, gpu, device.name, device.memory_bytes, device.memory_bandwidth,
                device.clock_khz * 1000, device.multiprocessors, *device.compute_capability,
            )  # fmt: skip


def _times(span: Span) -> Row:
    return span.start_ns, span.end_ns, _PUSH_POP
