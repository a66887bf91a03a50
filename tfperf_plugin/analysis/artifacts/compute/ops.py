"""Ops and kernels of judged steps: how often they run, how long, and of which kind.

Times are sums over events, so each of several parallel kernels counts. These tables say what to look at; the
ledger says what it costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, plain_op, row_phases
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.arrays.unique import unique_inverse
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace
from tfperf_plugin.trace.roles import KernelClass, Precision, uses_tensor_cores


class Times(Record, frozen=True):
    """``count`` events; their times in ns, summed, shortest and longest."""

    count: int
    total_ns: int
    min_ns: int
    max_ns: int

    def __add__(self, other: Times) -> Times:
        return Times(
            self.count + other.count,
            self.total_ns + other.total_ns,
            min(self.min_ns, other.min_ns),
            max(self.max_ns, other.max_ns),
        )

    merged_with = __add__

    @property
    def mean_ns(self) -> int:
        """Mean time of one event."""
        return self.total_ns // max(1, self.count)


class Launch(Record, frozen=True):
    """A kernel's launch configuration as the collector recorded it; ``None`` and "" where it did not.

    ``occupancy_ratio``: share of the threads that a multiprocessor could hold, in theory.
    """

    registers: int | None
    shared_bytes: int | None
    grid: str
    block: str
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
    """One op on all GPUs, replicas together; ``kernels_count``: of different name or configuration."""

    name: str
    phase: Phase
    kernels_count: int
    times: Times

    @property
    def type(self) -> str:
        """The op's type, "" where not recorded."""
        return self.name.rpartition(":")[2] if ":" in self.name else ""


class NameRow(Record, frozen=True):
    """All rows of kernels of one name, the one with most time first; ``ops``: theirs, by falling time."""

    name: str
    rows: tuple[KernelRow, ...]
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
    """Rows by falling total; ``windows_count`` = judged steps × GPUs behind the sums."""

    ops: tuple[OpRow, ...]
    types: tuple[TypeRow, ...]
    kernels: tuple[KernelRow, ...]
    windows_count: int

    @property
    def total_ns(self) -> int:
        """Summed time of all kernels."""
        return sum(r.times.total_ns for r in self.ops)

    @property
    def names(self) -> tuple[NameRow, ...]:
        """Kernels by name alone, whatever launches them, by falling total."""
        found: dict[str, list[KernelRow]] = {}
        for row in self.kernels:
            found.setdefault(row.name, []).append(row)
        rows = [
            NameRow(name, tuple(same), tuple(r.name for r in _by_op(same)), _sum(r.times for r in same))
            for name, same in found.items()
        ]
        return tuple(sorted(rows, key=lambda r: (-r.times.total_ns, r.name)))


def part(view: View) -> dict[_Key, Times]:
    """All compute kernels of judged steps of one host, by op and by launch."""
    found: dict[_Key, Times] = {}
    host = view.ledger
    for device in host.devices if host else ():
        assert host is not None
        source = view.trace.devices[device.index]
        for row in _device_rows(source, device.kernels, view.run.training):
            key = row.name, row.op, row.phase, row.kernel_class, row.precision, row.details
            found[key] = found[key] + row.times if key in found else row.times
    return found


def finish(found: dict[_Key, Times], ledger: Ledger) -> Ops:
    """The ops and kernels of all hosts as tables."""
    kernels = [KernelRow(*key, times) for key, times in found.items()]
    kernels.sort(key=lambda r: (-r.times.total_ns, r.name, r.op, r.details))
    ops = _by_op(kernels)
    return Ops(tuple(ops), tuple(_by_type(ops)), tuple(kernels), ledger.windows)


def _sum(times: Iterable[Times]) -> Times:
    return reduce(Times.__add__, times)


def _by_op(kernels: Iterable[KernelRow]) -> list[OpRow]:
    found: dict[str, tuple[Phase, int, Times]] = {}
    for row in kernels:
        phase, count, times = found.get(row.op, (row.phase, 0, None))
        found[row.op] = phase, count + 1, times + row.times if times else row.times
    rows = [OpRow(op, *entry) for op, entry in found.items()]
    return sorted(rows, key=lambda r: (-r.times.total_ns, r.name))


def _by_type(ops: Iterable[OpRow]) -> list[TypeRow]:
    found: dict[tuple[str, Phase], tuple[int, Times]] = {}
    for row in ops:
        count, times = found.get((row.type, row.phase), (0, None))
        found[row.type, row.phase] = count + 1, times + row.times if times else row.times
    rows = [TypeRow(*key, *entry) for key, entry in found.items()]
    return sorted(rows, key=lambda r: (-r.times.total_ns, r.type, r.phase))


def _device_rows(device: DeviceTrace, rows: Codes, training: bool) -> list[KernelRow]:
    if not len(rows):
        return []
    group, first = _group([device.name[rows], device.op[rows], device.detail[rows]])
    length = device.end_ns[rows] - device.start_ns[rows]
    count = np.bincount(group)
    # Sums of ns stay below 2^53, where floats are exact.
    total = np.bincount(group, weights=length).astype(np.int64)
    least, most = np.full(len(count), np.iinfo(np.int64).max), np.zeros(len(count), np.int64)
    np.minimum.at(least, group, length)
    np.maximum.at(most, group, length)
    times = zip(count.tolist(), total.tolist(), least.tolist(), most.tolist(), strict=True)
    rows = rows[first]
    phase = row_phases(device, rows, training)
    names = {code: plain_op(device.ops[code]) if code >= 0 else "" for code in set(device.op[rows].tolist())}
    return [
        KernelRow(
            device.names[device.name[row]],
            names[int(device.op[row])],
            Phase(kind),
            KernelClass(device.kernel_class[row]),
            Precision(device.precision[row]),
            device.details[device.detail[row]] if device.detail[row] >= 0 else "",
            Times(*four),
        )
        for row, kind, four in zip(rows.tolist(), phase.tolist(), times, strict=True)
    ]


def _group(columns: Sequence[Codes]) -> tuple[Ints, Ints]:
    """Numbers rows that agree in all columns of codes (from −1 on): (number of each, a row of each)."""
    group = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values = column.astype(np.int64) + 1
        group = unique_inverse(group * (int(values.max()) + 1) + values)[1]
    first = np.zeros(int(group.max()) + 1, np.int64)
    first[group] = np.arange(len(group))
    return group, first


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
