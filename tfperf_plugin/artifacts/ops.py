"""Ops and kernels of judged steps, and ops on the host: how often, how long, what kind.

Times are summed over events, so kernels that run at once count each: these tables say what to look at, the
ledger says what it costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from tfperf_plugin.artifacts.by_host import View, merged
from tfperf_plugin.artifacts.phases import Phase, plain_op, row_phases
from tfperf_plugin.ledger import Ledger
from tfperf_plugin.records import Record
from tfperf_plugin.steps import HostSteps, Steps, enclosing
from tfperf_plugin.trace.intervals import Ints
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents
from tfperf_plugin.trace.roles import HostRole, KernelClass, Precision, uses_tensor_cores

# Up to so many pairs of codes are counted in a table of all pairs; more are sorted.
_DENSE_COUNT = 1 << 22
_EAGER = "EagerLocalExecute: "


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
    """What the collector says about how a kernel was launched; ``None`` and "" where it does not.

    ``occupancy_ratio``: share of the threads that a multiprocessor could hold, in theory.
    """

    registers: int | None
    shared_bytes: int | None
    grid: str
    block: str
    occupancy_ratio: float | None


class KernelRow(Record, frozen=True):
    """One kernel as one op launches it, with one configuration, on all GPUs."""

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


class HostOpRow(Record, frozen=True):
    """One op on threads of the hosts. ``self_ns``: its time without the ops that ran inside it."""

    name: str
    calls_count: int
    total_ns: int
    self_ns: int


class HostOps(Record, frozen=True):
    """Rows by falling self time; ``steps_count``: judged steps of all hosts behind the sums."""

    rows: tuple[HostOpRow, ...]
    steps_count: int


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
    """The same of all hosts as tables."""
    kernels = [KernelRow(*key, times) for key, times in found.items()]
    kernels.sort(key=lambda r: (-r.times.total_ns, r.name, r.op, r.details))
    ops = _by_op(kernels)
    return Ops(tuple(ops), tuple(_by_type(ops)), tuple(kernels), ledger.windows)


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


def _device_rows(device: DeviceTrace, rows: Ints, training: bool) -> list[KernelRow]:
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
        key = group * (int(values.max()) + 1) + values
        size = int(key.max()) + 1
        if size > _DENSE_COUNT:
            _, group = np.unique(key, return_inverse=True)
            group = group.reshape(-1)
            continue
        used = np.zeros(size, np.bool_)
        used[key] = True
        group = (np.cumsum(used) - 1)[key]
    first = np.zeros(int(group.max()) + 1, np.int64)
    first[group] = np.arange(len(group))
    return group, first


_NUMBER = re.compile(r"\b(regs|static_shared|dynamic_shared|shm|group_mem):(\d{1,12})")
_EXTENT = re.compile(r"\b(grid|block):(\d{1,10},\d{1,10},\d{1,10})")
_OCCUPANCY = re.compile(r"\bocc_pct:(\d{1,3}(?:\.\d+)?)")


def read_details(details: str) -> Launch:
    """What ``kernel_details`` says, as CUPTI's collectors, old and new, and ROCm's write it."""
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


class Calls(Record, frozen=True):
    """Calls of one op on hosts; see ``HostOpRow``."""

    count: int
    total_ns: int
    self_ns: int


def host_part(view: View) -> dict[str, Calls]:
    """Ops on threads of one host that begin in a judged step, replicas together."""
    found: dict[str, Calls] = {}
    for name, *numbers in _host_rows(view.trace.events, view.steps):
        calls = Calls(*numbers)
        found[name] = merged(found[name], calls) if name in found else calls
    return found


def host_finish(found: dict[str, Calls], steps: Steps) -> HostOps:
    """Those of all hosts."""
    rows = [HostOpRow(name, c.count, c.total_ns, c.self_ns) for name, c in found.items()]
    rows.sort(key=lambda r: (-r.self_ns, -r.total_ns, r.name))
    return HostOps(tuple(rows), steps.judged_count)


def _host_rows(events: HostEvents, steps: HostSteps) -> list[tuple[str, int, int, int]]:
    """Per name: calls, total and self time."""
    eager = np.array(
        [n.startswith(_EAGER) and not n.startswith(f"{_EAGER}__") for n in events.names], np.bool_
    )
    is_op = events.role == HostRole.OP
    if len(eager):
        is_op |= eager[events.name]
    rows = np.flatnonzero(is_op)
    if not len(rows) or not len(steps):
        return []
    length = events.end_ns[rows] - events.start_ns[rows]
    own = np.zeros(len(events.start_ns), np.int64)
    own[rows] = length
    outer = enclosing(events, rows, is_op)
    np.subtract.at(own, outer[outer >= 0], length[outer >= 0])
    step = np.searchsorted(steps.begin_ns, events.start_ns[rows], "right") - 1
    inside = (step >= 0) & (events.start_ns[rows] < steps.end_ns[step]) & steps.judged[step]
    rows, length = rows[inside], length[inside]
    count = np.bincount(events.name[rows])
    total = np.bincount(events.name[rows], weights=length)
    mine = np.bincount(events.name[rows], weights=np.maximum(own[rows], 0))
    return [
        (
            plain_op(events.names[code]).removeprefix(_EAGER),
            int(count[code]),
            int(total[code]),
            int(mine[code]),
        )
        for code in np.flatnonzero(count).tolist()
    ]
