"""Ops and kernels of judged steps: how often they run, how long, and of which kind.

Times are sums over events, so each of several parallel kernels counts. These tables show where to look; the
ledger states the cost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce

from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels, Times
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, plain_op
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import KernelClass, Precision, split_op, uses_tensor_cores


class Launch(Record, frozen=True):
    """A kernel's launch configuration as the collector recorded it; ``None`` and "" where it did not."""

    registers: int | None
    shared_bytes: int | None
    grid: str
    block: str
    occupancy_ratio: float | None  #: Share of the threads that a multiprocessor could hold, in theory.
    #: Whether that is in whole percent, and no more than the grid's blocks fill, as in PyTorch's traces.
    is_of_grid: bool = False


class KernelOfOp(Record, frozen=True):
    """One kernel of one op with one launch configuration, on all GPUs."""

    name: str
    op: str
    phase: Phase
    kernel_class: KernelClass
    precision: Precision
    details: str
    times: Times

    @property
    def tensor_cores(self) -> bool:
        """Whether the kernel's name says that it runs on Tensor Cores."""
        return uses_tensor_cores(self.name)

    @property
    def launch(self) -> Launch:
        """The recorded configuration."""
        return read_details(self.details)


class Group(Record, frozen=True):
    """The kernels of one op, of all ops of one type in one phase, or of one name."""

    name: str  #: Name of the op or the kernels, or the type of the ops, "" where not recorded.
    phase: Phase
    rows: tuple[KernelOfOp, ...]  #: Rows by falling time.
    times: Times

    @property
    def ops(self) -> tuple[Group, ...]:
        """Groups these kernels by op, replicas together."""
        return grouped(self.rows, lambda row: (row.op, None))


class Ops(Record, frozen=True):
    """Kernels of judged steps, alone and in groups, by falling total time."""

    kernels: tuple[KernelOfOp, ...]
    windows_count: int  #: Number of judged steps × GPUs behind the sums.
    ops: tuple[Group, ...]  #: Kernels by op, replicas together.

    @property
    def total_ns(self) -> int:
        """Summed time of all kernels."""
        return sum(row.times.total_ns for row in self.kernels)

    @property
    def names(self) -> tuple[Group, ...]:
        """Kernels by name alone, whatever launches them."""
        return grouped(self.kernels, lambda row: (row.name, None))

    @property
    def types(self) -> tuple[Group, ...]:
        """Kernels by type and phase of their ops."""
        phases = {op.name: op.phase for op in self.ops}
        return grouped(self.kernels, lambda row: (_type(row.op), phases[row.op]))


def finish(found: Kernels) -> Ops:
    """The kernels of all hosts by name, op, phase and launch configuration."""
    table: dict[tuple[str, str, Phase, KernelClass, Precision, str], Times] = {}
    for row in found.rows:
        op = plain_op(row.op)
        for (details, phase), times in row.launches.items():
            key = row.name, op, phase, row.kernel_class, row.precision, details
            table[key] = table[key] + times if key in table else times
    kernels = [KernelOfOp(*key, times) for key, times in table.items()]
    kernels.sort(key=lambda r: (-r.times.total_ns, r.name, r.op, r.details))
    return ops_of(kernels, found.windows_count)


def ops_of(kernels: Sequence[KernelOfOp], windows_count: int) -> Ops:
    """Groups kernels, which are given by falling time."""
    return Ops(tuple(kernels), windows_count, grouped(kernels, lambda row: (row.op, None)))


def grouped(
    kernels: Iterable[KernelOfOp], key: Callable[[KernelOfOp], tuple[str, Phase | None]]
) -> tuple[Group, ...]:
    """Kernels with equal ``key``, the name and the phase of their group, by falling time of the groups.

    Without a phase, a group has that of its kernel with most time.
    """
    found: dict[tuple[str, Phase | None], list[KernelOfOp]] = {}
    for row in kernels:
        found.setdefault(key(row), []).append(row)
    groups = [
        Group(
            name,
            rows[0].phase if phase is None else phase,
            tuple(rows),
            reduce(Times.__add__, (row.times for row in rows)),
        )
        for (name, phase), rows in found.items()
    ]
    return tuple(sorted(groups, key=lambda group: (-group.times.total_ns, group.name, group.phase)))


def _type(op: str) -> str:
    return split_op(op)[1] if ":" in op else ""


_NUMBER = re.compile(r"\b(regs|static_shared|dynamic_shared|shm|group_mem):(\d{1,12})")
_EXTENT = re.compile(r"\b(grid|block):(\d{1,10},\d{1,10},\d{1,10})")
_OCCUPANCY = re.compile(r"\b(est_)?occ_pct:(\d{1,3}(?:\.\d+)?)")


@lru_cache(1 << 14)
def read_details(details: str) -> Launch:
    """Reads ``kernel_details`` as old and new collectors of CUPTI and that of ROCm write it."""
    numbers = {key: int(value) for key, value in _NUMBER.findall(details)}
    extents = dict(_EXTENT.findall(details))
    occupancy = _OCCUPANCY.search(details)
    shared = [numbers[k] for k in ("static_shared", "dynamic_shared", "shm", "group_mem") if k in numbers]
    # ROCm's collector writes 0 for what it does not know.
    percent = float(occupancy[2]) if occupancy else 0.0
    return Launch(
        registers=numbers.get("regs"),
        shared_bytes=sum(shared) if shared else None,
        grid=extents.get("grid", ""),
        block=extents.get("block", ""),
        occupancy_ratio=min(percent, 100.0) / 100 if percent else None,
        is_of_grid=bool(occupancy and occupancy[1]),
    )
