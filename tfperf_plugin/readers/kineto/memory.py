"""What PyTorch's caching allocator did on each GPU, if the profile has it (``profile_memory=True``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.kineto.events import Rows
from tfperf_plugin.readers.kineto.ops import are_ops
from tfperf_plugin.trace.model import Codes, HostEvents, MemoryEvents

_GPU: Final = 1


def memory_events(
    rows: Rows, zero_ns: int, properties: Mapping[int, Mapping[str, Any]], events: HostEvents
) -> MemoryEvents:
    """The events of GPUs' allocators. What the GPU has beyond what is allocated counts as available."""
    if not len(rows):
        return tables.memory_events()
    mine = np.flatnonzero((rows.column("device_type") == _GPU) & (rows.column("allocated") >= 0))
    mine = mine[np.argsort(rows.column("start_ns")[mine], kind="stable")]
    if not len(mine):
        return tables.memory_events()
    numbers, allocator = np.unique(rows.column("device_id")[mine], return_inverse=True)
    sizes = np.array([_size(properties.get(number, {})) for number in numbers.tolist()], np.int64)
    allocated, change = rows.column("allocated")[mine], rows.column("change")[mine]
    capacity = sizes[allocator]
    time_ns = rows.column("start_ns")[mine] - zero_ns
    op, ops = _ops(events, rows.column("place")[mine], time_ns)
    return tables.memory_events(
        time_ns=time_ns,
        allocator=allocator.astype(np.int32),
        allocated_bytes=allocated,
        available_bytes=np.where(capacity >= allocated, capacity - allocated, -1),
        is_allocation=change > 0,
        size_bytes=np.abs(change),
        address=rows.column("address")[mine],
        op=op,
        ops=ops,
        allocators=tuple(f"GPU_{max(number, 0)}_torch" for number in numbers.tolist()),
    )


def _ops(events: HostEvents, thread: Ints, time_ns: Ints) -> tuple[Codes, tuple[str, ...]]:
    """For each moment the outermost op that runs then on its thread, −1 if there is none; and their names."""
    ops = np.flatnonzero(are_ops(events))
    outer = ops[events.enclosing(ops, events.marked(ops)) < 0]  # none overlaps another of its thread
    order = np.lexsort((
        np.arange(len(outer) + len(time_ns)) >= len(outer),
        np.concatenate([events.start_ns[outer], time_ns]),
        np.concatenate([events.thread[outer], thread]),
    ))  # fmt: skip
    begun = np.maximum.accumulate(np.where(order < len(outer), order, -1))  # events are sorted alike
    row = np.append(outer, -1)[begun[np.argsort(order)][len(outer) :]]
    runs = (np.append(events.thread, -1)[row] == thread) & (np.append(events.end_ns, 0)[row] >= time_ns)
    code = np.where(runs, np.append(events.name, -1)[row], -1).astype(np.int32)
    return code, events.names


def _size(of_device: Mapping[str, Any]) -> int:
    size = of_device.get("totalGlobalMem")
    return size if isinstance(size, int) else -1
