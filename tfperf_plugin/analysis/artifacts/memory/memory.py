"""GPU memory from allocator events: capacity, peak, the allocations alive at the peak, and fragmentation."""

from __future__ import annotations

import re
from typing import Final, Literal

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.arrays.columns import Groups, unique
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostTrace, MemoryEvents

# TensorFlow's allocators of GPU memory: GPU_0_bfc, GPU_0_gpu_async …; host-side ones are named otherwise.
GPU_ALLOCATOR = re.compile(r"^GPU_(\d+)_")
# The text that the allocator writes where no op is known.
_NULL: Final = "(null)"
# Share of the memory that a larger batch may use; the rest is reserved for fragmentation and peaks.
USABLE_RATIO: Final = 0.9
# If less comes and goes, activations were not recorded.
GROWING_BYTES: Final = 1 << 20
# Points of a timeline; a screen cannot show more.
POINTS_COUNT: Final = 400


class Allocation(Record, frozen=True):
    """Memory that one op allocated during the recording and that is in use at the peak."""

    op: str
    size_bytes: int
    count: int  #: Number of blocks.


class DeviceMemory(Record, frozen=True):
    """One GPU allocator. Fields are ``None`` where not recorded."""

    host: str
    device: str
    capacity_bytes: int  #: Bytes that the allocator may use.
    peak_bytes: int  #: Most bytes in use since the program began.
    lasting_bytes: int  #: Least bytes in use during the recording: weights, optimizer state.
    peak_ms: float  #: Time of the recorded peak.
    recorded_peak_bytes: int  #: Most bytes in use during the recording.
    #: Share of the free memory at the recorded peak that is outside its largest block.
    fragmentation_ratio: float | None
    largest_bytes: int | None  #: Size of the largest block that was allocated.
    largest_op: str  #: Op that allocated the largest block.
    #: Blocks that were allocated during the recording and are in use at the recorded peak: sums by op,
    #: largest first.
    alive: tuple[Allocation, ...]
    before_bytes: int  #: Other bytes in use at the recorded peak.
    #: What blocks in ``alive`` were matched by: their "address", if it was recorded.
    matched: Literal["address", "none"]
    time_ns: Ints  #: Some of the recorded moments, with peaks and valleys.
    allocated_bytes: Ints  #: Bytes in use at each of ``time_ns``.

    @property
    def used_ratio(self) -> float:
        """Share of the capacity in use at the peak."""
        return self.peak_bytes / self.capacity_bytes

    @property
    def free_block_bytes(self) -> int | None:
        """The largest block that was free at the recorded peak."""
        free = self.capacity_bytes - self.recorded_peak_bytes
        return None if self.fragmentation_ratio is None else int((1 - self.fragmentation_ratio) * free)

    @property
    def transient_bytes(self) -> int:
        """Memory that is allocated and freed within a step: activations, which grow with the batch."""
        return max(0, self.peak_bytes - self.lasting_bytes)

    @property
    def growth(self) -> float:
        """The factor by which the batch may grow in proportion to its memory.

        0 if hardly any memory is transient, so that the memory that grows with the batch was not recorded.
        """
        room = USABLE_RATIO * self.capacity_bytes - self.lasting_bytes
        return max(0.0, room / self.transient_bytes) if self.transient_bytes >= GROWING_BYTES else 0.0

    def timeline(self, most: int = POINTS_COUNT) -> tuple[Ints, Ints]:
        """(ns, bytes in use) at no more than ``most`` moments, with peaks and valleys."""
        shown = _thinned(self.allocated_bytes, min(most, POINTS_COUNT) // 2)
        return self.time_ns[shown], self.allocated_bytes[shown]


class Memory(Record, frozen=True):
    """Memory of the GPUs whose allocator was recorded."""

    devices: tuple[DeviceMemory, ...]

    @property
    def fullest(self) -> DeviceMemory:
        """The GPU that is fullest at its peak. Raises ValueError if there is none."""
        return max(self.devices, key=lambda d: (d.used_ratio, d.device))


def part(view: View) -> Memory:
    """GPU memory of one host."""
    return of_host(view.trace)


def of_host(host: HostTrace) -> Memory:
    """GPU memory of one host, with or without steps."""
    memory = host.memory
    found = []
    for code, name in enumerate(memory.allocators):
        match = GPU_ALLOCATOR.match(name)
        rows = np.flatnonzero(
            (memory.allocator == code) & (memory.allocated_bytes >= 0) & (memory.available_bytes >= 0)
        )
        if match and len(rows):
            device = _device(host.host, f"GPU:{match[1]}", memory, rows)
            found += [device] if device else []
    return Memory(tuple(found))


def _device(host: str, device: str, memory: MemoryEvents, rows: Ints) -> DeviceMemory | None:
    allocated, free = memory.allocated_bytes[rows], memory.available_bytes[rows]
    time = memory.time_ns[rows]
    capacity = int((allocated + free).max())
    at = int(np.argmax(allocated))
    peak = max(int(allocated[at]), int(memory.peak_bytes[rows].max()))
    if capacity <= 0 or peak > capacity:
        return None
    fragmentation = float(memory.fragmentation[rows[at]])
    allocating = rows[memory.is_allocation[rows]]
    sizes = memory.size_bytes[allocating]
    largest = int(allocating[np.argmax(sizes)]) if len(sizes) and sizes.max() >= 0 else None
    alive, matched = _alive(memory, rows[: at + 1])
    by_op = _by_op(memory, rows[: at + 1][alive])
    shown = _thinned(allocated, POINTS_COUNT // 2)
    return DeviceMemory(
        host=host,
        device=device,
        capacity_bytes=capacity,
        peak_bytes=peak,
        lasting_bytes=int(allocated.min()),
        peak_ms=float(time[at]) / 1e6,
        recorded_peak_bytes=int(allocated[at]),
        fragmentation_ratio=fragmentation if 0 <= fragmentation <= 1 else None,  # NaN is neither
        largest_bytes=None if largest is None else int(memory.size_bytes[largest]),
        largest_op="" if largest is None else _op(memory, largest),
        alive=by_op,
        before_bytes=max(0, int(allocated[at]) - sum(a.size_bytes for a in by_op)),
        matched=matched,
        time_ns=time[shown],
        allocated_bytes=allocated[shown],
    )


def _op(memory: MemoryEvents, row: int) -> str:
    op = plain_op(memory.ops[memory.op[row]]) if memory.op[row] >= 0 else ""
    return "" if op == _NULL else op


def _alive(memory: MemoryEvents, rows: Ints) -> tuple[Bools, Literal["address", "none"]]:
    """Whether each of ``rows`` is an allocation that no later row frees, and how the rows were matched."""
    alive, addresses = np.zeros(len(rows), np.bool_), memory.address[rows]
    if (addresses < 0).any():
        return alive, "none"
    # The last thing that happened at an address was its allocation.
    alive[Groups(addresses).last] = True
    return alive & memory.is_allocation[rows], "address"


def _by_op(memory: MemoryEvents, rows: Ints) -> tuple[Allocation, ...]:
    """Sizes and counts by op, largest first."""
    op, size = memory.op[rows] + 1, np.maximum(memory.size_bytes[rows], 0)
    op = np.where(np.isin(op, [code for code, name in enumerate(memory.ops, 1) if name == _NULL]), 0, op)
    count, total = np.bincount(op), np.bincount(op, weights=size)
    found = [
        Allocation(plain_op(memory.ops[code - 1]) if code else "", int(total[code]), int(count[code]))
        for code in np.flatnonzero(count).tolist()
    ]
    return tuple(sorted(found, key=lambda a: (-a.size_bytes, a.op)))


def _thinned(allocated: Ints, parts: int) -> Ints:
    """Rows of the highest and the lowest point of each of ``parts`` pieces; all rows if they are few.

    Pieces have equally many events because events come in bursts, between which nothing changes.
    """
    if len(allocated) <= 2 * parts:
        return np.arange(len(allocated))
    part = Groups(np.arange(len(allocated)) * parts // len(allocated))
    return unique(np.concatenate([part.at_max(allocated), part.at_min(allocated)]))
