"""Ops and kernels of judged steps: how often they run, how long, and of which kind.

Times are sums over events, so each of several parallel kernels counts. These tables show where to look; the
ledger states the cost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import reduce
from typing import TypeVar

from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels, Times
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, plain_op
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import KernelClass, Precision, split_op, uses_tensor_cores

Row = TypeVar("Row")
K = TypeVar("K")


class Launch(Record, frozen=True):
    """A kernel's launch configuration as the collector recorded it; ``None`` and "" where it did not."""

    registers: int | None
    shared_bytes: int | None
    grid: str
    block: str
    #: Share of the threads that a multiprocessor could hold, in theory.
    occupancy_ratio: float | None


class KernelRow(Record, frozen=True):
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


class OpRow(Record, frozen=True):
    """One op on all GPUs, replicas together."""

    name: str
    phase: Phase
    #: Number of kernels of different name or configuration.
    kernels_count: int
    times: Times

    @property
    def type(self) -> str:
        """The op's type, "" where not recorded."""
        return split_op(self.name)[1] if ":" in self.name else ""


class NameRow(Record, frozen=True):
    """All kernels of one name."""

    name: str
    #: Rows by falling time.
    rows: tuple[KernelRow, ...]
    #: Names of their ops by falling time.
    ops: tuple[str, ...]
    times: Times


class TypeRow(Record, frozen=True):
    """All ops of one type in one phase."""

    type: str
    phase: Phase
    ops_count: int
    times: Times


_Key = tuple[str, str, Phase, KernelClass, Precision, str]


class Ops(Record, frozen=True):
    """Ops, types of ops and kernels by falling total time."""

    ops: tuple[OpRow, ...]
    types: tuple[TypeRow, ...]
    kernels: tuple[KernelRow, ...]
    #: Number of judged steps × GPUs behind the sums.
    windows_count: int

    @property
    def total_ns(self) -> int:
        """Summed time of all kernels."""
        return sum(r.times.total_ns for r in self.ops)

    @property
    def names(self) -> tuple[NameRow, ...]:
        """Kernels by name alone, whatever launches them, by falling total."""
        rows = [
            NameRow(name, tuple(same), tuple(r.name for r in _by_op(same)), _sum(same))
            for name, same in _grouped(self.kernels, lambda r: r.name).items()
        ]
        return tuple(sorted(rows, key=lambda r: (-r.times.total_ns, r.name)))


def finish(found: Kernels) -> Ops:
    """The ops and kernels of all hosts as tables."""
    table: dict[_Key, Times] = {}
    for row in found.rows:
        op = plain_op(row.op)
        for (details, phase), times in row.launches.items():
            key = row.name, op, phase, row.kernel_class, row.precision, details
            table[key] = table[key] + times if key in table else times
    kernels = [KernelRow(*key, times) for key, times in table.items()]
    kernels.sort(key=lambda r: (-r.times.total_ns, r.name, r.op, r.details))
    ops = _by_op(kernels)
    return Ops(tuple(ops), tuple(_by_type(ops)), tuple(kernels), found.windows_count)


def _grouped(rows: Iterable[Row], key: Callable[[Row], K]) -> dict[K, list[Row]]:
    found: dict[K, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _sum(rows: Iterable[KernelRow | OpRow]) -> Times:
    return reduce(Times.__add__, (r.times for r in rows))


def _by_op(kernels: Iterable[KernelRow]) -> list[OpRow]:
    ops = _grouped(kernels, lambda r: r.op)
    rows = [OpRow(op, same[0].phase, len(same), _sum(same)) for op, same in ops.items()]
    return sorted(rows, key=lambda r: (-r.times.total_ns, r.name))


def _by_type(ops: Iterable[OpRow]) -> list[TypeRow]:
    types = _grouped(ops, lambda r: (r.type, r.phase))
    rows = [TypeRow(*key, len(same), _sum(same)) for key, same in types.items()]
    return sorted(rows, key=lambda r: (-r.times.total_ns, r.type, r.phase))


_NUMBER = re.compile(r"\b(regs|static_shared|dynamic_shared|shm|group_mem):(\d{1,12})")
_EXTENT = re.compile(r"\b(grid|block):(\d{1,10},\d{1,10},\d{1,10})")
_OCCUPANCY = re.compile(r"\bocc_pct:(\d{1,3}(?:\.\d+)?)")


def read_details(details: str) -> Launch:
    """Reads ``kernel_details`` as old and new collectors of CUPTI and that of ROCm write it."""
    numbers = {key: int(value) for key, value in _NUMBER.findall(details)}
    extents = dict(_EXTENT.findall(details))
    occupancy = _OCCUPANCY.search(details)
    shared = [numbers[k] for k in ("static_shared", "dynamic_shared", "shm", "group_mem") if k in numbers]
    # ROCm's collector writes 0 for what it does not know.
    percent = float(occupancy[1]) if occupancy else 0.0
    return Launch(
        registers=numbers.get("regs"),
        shared_bytes=sum(shared) if shared else None,
        grid=extents.get("grid", ""),
        block=extents.get("block", ""),
        occupancy_ratio=min(percent, 100.0) / 100 if percent else None,
    )
