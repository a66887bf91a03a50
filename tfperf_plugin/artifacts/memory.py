"""GPU memory from allocator events: capacity, peak, and what stays allocated through a step."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tfperf_plugin.trace.model import HostTrace, Trace

# TensorFlow's allocators of GPU memory: GPU_0_bfc, GPU_0_gpu_async …; host-side ones are named otherwise.
_GPU_ALLOCATOR = re.compile(r"^GPU_(\d+)_")


@dataclass(frozen=True)
class DeviceMemory:
    """One GPU allocator. ``capacity_bytes``: what the allocator may use; ``peak_bytes``: most in use so far;
    ``lasting_bytes``: least in use during the recording (weights, optimizer state); ``peak_ms``: when."""

    host: str
    device: str
    capacity_bytes: int
    peak_bytes: int
    lasting_bytes: int
    peak_ms: float
    events_count: int

    @property
    def free_ratio(self) -> float:
        """Share of the capacity that was free at the peak."""
        return 1 - self.peak_bytes / self.capacity_bytes

    @property
    def transient_bytes(self) -> int:
        """What comes and goes within a step: activations, which grow with the batch."""
        return max(0, self.peak_bytes - self.lasting_bytes)


@dataclass(frozen=True)
class Memory:
    """Memory of the GPUs whose allocator was recorded."""

    devices: tuple[DeviceMemory, ...]


def find_memory(trace: Trace) -> Memory:
    """GPU memory of all hosts."""
    return Memory(tuple(d for host in trace.hosts for d in _host(host)))


def _host(host: HostTrace) -> list[DeviceMemory]:
    memory = host.memory
    found = []
    for code, name in enumerate(memory.allocators):
        match = _GPU_ALLOCATOR.match(name)
        rows = np.flatnonzero(
            (memory.allocator == code) & (memory.allocated_bytes >= 0) & (memory.available_bytes >= 0)
        )
        if not match or not len(rows):
            continue
        allocated = memory.allocated_bytes[rows]
        capacity = int((allocated + memory.available_bytes[rows]).max())
        peak = max(int(allocated.max()), int(memory.peak_bytes[rows].max()))
        if capacity <= 0 or peak > capacity:
            continue
        found.append(
            DeviceMemory(
                host=host.host,
                device=f"GPU:{match[1]}",
                capacity_bytes=capacity,
                peak_bytes=peak,
                lasting_bytes=int(allocated.min()),
                peak_ms=float(memory.time_ns[rows][int(np.argmax(allocated))]) / 1e6,
                events_count=len(rows),
            )
        )
    return found
