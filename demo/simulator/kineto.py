"""Writes what happened on a host as the JSON of PyTorch's profiler, with the field names of PyTorch 2.4."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator, Mapping

from demo.simulator.captured import Recorded, Window
from demo.simulator.pytorch import COPY_CALL, Allocation, Process, Span, Task, process
from demo.simulator.training import Training
from demo.simulator.work import THREADS

# 2025-10-01 00:00:00 UTC: today's PyTorch counts from the start of a quarter.
BASE_NS = 1_759_276_800_000_000_000
_PID = 4_000
_WARP = 32
_CATEGORIES = {"op": "cpu_op", "mark": "user_annotation", "call": "cuda_runtime", "python": "python_function"}
_CBIDS = {"cudaLaunchKernel": 211, COPY_CALL: 41, "cudaLaunchKernelExC": 430, "cudaStreamSynchronize": 131}

Event = dict[str, object]


def encode(host: Recorded, training: Training, window: Window, wall_clock_ns: int) -> bytes:
    """The host's profile, compressed; its time 0 was at ``wall_clock_ns``, as far as the host knows."""
    return gzip.compress(text(host, training, window, wall_clock_ns).encode(), 6, mtime=0)


def text(host: Recorded, training: Training, window: Window, wall_clock_ns: int) -> str:
    """The same as text, an event in each line."""
    head = {"schemaVersion": 1, "deviceProperties": _properties(training)}
    if training.hosts > 1:
        head["distributedInfo"] = {"backend": "nccl", "rank": host.number, "world_size": training.hosts}
    written = _Writer(training, _PID + host.number, wall_clock_ns - BASE_NS)
    events = ",\n".join(map(json.dumps, written.events(process(host, training, window))))
    tail = {
        "traceName": f"{host.name}.pt.trace.json",
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": BASE_NS,
    }
    return f'{json.dumps(head)[:-1]}, "traceEvents": [\n{events}\n], {json.dumps(tail)[1:]}\n'


class _Writer:
    def __init__(self, training: Training, pid: int, zero_ns: int) -> None:
        self.training, self.pid, self.zero_ns = training, pid, zero_ns

    def events(self, found: Process) -> Iterator[Event]:
        for number, name in enumerate(found.threads):
            tid = self.pid + number
            yield self._name("thread_name", self.pid, tid, f"thread {tid} ({name})")
        for gpu in sorted({task.work.gpu for task in found.tasks}):
            yield self._name("process_labels", gpu, 0, f"GPU {gpu}")
        for number, span in enumerate(found.spans):
            yield self._span(span, number)
        for task in found.tasks:
            yield self._task(task)
        for allocation in found.allocations:
            yield self._allocation(allocation)

    def _us(self, at_ns: int) -> float:
        """An instant in µs, 0 if unknown; a float of this size holds its three decimals."""
        return round((self.zero_ns + at_ns) / 1000, 3) if at_ns else 0.0

    @staticmethod
    def _name(kind: str, pid: int, tid: int, name: str) -> Event:
        key = "labels" if kind == "process_labels" else "name"
        return {"name": kind, "ph": "M", "ts": 0, "pid": pid, "tid": tid, "args": {key: name}}

    def _span(self, span: Span, number: int) -> Event:
        args: dict[str, object] = dict(span.args)
        if span.kind == "call":
            correlation = span.correlation if span.correlation >= 0 else 1_000_000 + number
            args |= {"cbid": _CBIDS.get(span.name, 0), "correlation": correlation}
        elif span.kind == "python":
            args |= {"Python id": number}
        else:
            args = {"External id": number, "Ev Idx": number, **args}
        return {
            "ph": "X", "cat": _CATEGORIES[span.kind], "name": span.name, "pid": self.pid,
            "tid": self.pid + span.thread, "ts": self._us(span.start_ns),
            "dur": (span.end_ns - span.start_ns) / 1000, "args": args,
        }  # fmt: skip

    def _task(self, task: Task) -> Event:
        work = task.work
        args: dict[str, object] = {
            "External id": task.correlation, "device": work.gpu, "context": 1, "stream": task.stream,
            "correlation": task.correlation,
        }  # fmt: skip
        if work.copy:
            args |= {"bytes": work.size_bytes}
        else:
            device = self.training.device
            blocks = math.prod(work.grid) / device.multiprocessors
            # What a multiprocessor could hold, unless the grid has less for it.
            most = device.occupancy(THREADS, work.registers, work.shared_bytes)
            args |= {
                "queued": 0, "registers per thread": work.registers, "shared memory": work.shared_bytes,
                "blocks per SM": round(blocks, 6), "warps per SM": round(blocks * THREADS / _WARP, 6),
                "grid": work.grid, "block": [THREADS, 1, 1],
                "est. achieved occupancy %": round(100 * min(most, blocks * THREADS / device.threads)),
                **task.args,
            }  # fmt: skip
        return {
            "ph": "X", "cat": "gpu_memcpy" if work.copy else "kernel", "name": task.name, "pid": work.gpu,
            "tid": task.stream, "ts": self._us(task.start_ns), "dur": (task.end_ns - task.start_ns) / 1000,
            "args": args,
        }  # fmt: skip

    def _allocation(self, found: Allocation) -> Event:
        args = {
            "Device Type": 1, "Device Id": found.gpu, "Addr": found.address, "Bytes": found.size_bytes,
            "Total Allocated": found.allocated_bytes, "Total Reserved": found.allocated_bytes,
        }  # fmt: skip
        return {
            "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": self.pid,
            "tid": self.pid + found.thread, "ts": self._us(found.at_ns), "args": args,
        }  # fmt: skip


def _properties(training: Training) -> list[Mapping[str, object]]:
    device, seen = training.device, training.visible_gpus
    major, minor = device.compute_capability
    return [
        {
            "id": gpu, "name": device.name, "totalGlobalMem": device.memory_bytes, "computeMajor": major,
            "computeMinor": minor, "maxThreadsPerBlock": 1024, "warpSize": _WARP,
            "maxThreadsPerMultiprocessor": device.threads, "numSms": device.multiprocessors,
        }
        for gpu in range(training.gpus if seen is None else seen)
    ]  # fmt: skip
