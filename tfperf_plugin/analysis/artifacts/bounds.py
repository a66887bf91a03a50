"""How fast each instruction of XLA could run at best, by what its program computes and moves.

The bound of an execution (Williams et al. 2009, "Roofline") is the longest of three times: its matrix
operations at the peak of their number format, its other operations at that of the ordinary units, its bytes
at the memory's bandwidth. Peaks are those of ``hardware/peaks.py`` at the GPU's recorded clock. What runs
faster than its bound was misunderstood, and is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.devices import DeviceInfo, figures
from tfperf_plugin.analysis.artifacts.phases import plain_op
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.unique import unique_inverse
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace, OpWork
from tfperf_plugin.trace.roles import Precision

Work = Mapping[tuple[str, str], OpWork]
BoundBy = Literal["compute", "memory", "latency", "not judged"]

# Ours: a kernel that does nearly nothing takes at most this long, so less than that binds no kernel.
LATENCY_NS = 2_000


class Sums(Record, frozen=True):
    """All executions of an instruction: ``total_ns``, the time of their kernels, of which ``judged_ns`` have
    a bound, which sums up to ``floor_ns`` (with its ``flops`` and ``bytes``); what binds them, by time
    (``compute_ns``, ``memory_ns``, ``latency_ns``); ``above_count``: executions faster than their bound.
    """

    executions_count: int
    total_ns: int
    judged_ns: int = 0
    flops: int = 0
    bytes: int = 0
    floor_ns: int = 0
    compute_ns: int = 0
    memory_ns: int = 0
    latency_ns: int = 0
    above_count: int = 0

    @property
    def bound_by(self) -> BoundBy:
        """What binds most of the time; "not judged" if that of any execution is not known."""
        if self.judged_ns < self.total_ns or not self.total_ns:
            return "not judged"
        times: list[tuple[int, BoundBy]] = [
            (self.compute_ns, "compute"), (self.memory_ns, "memory"), (self.latency_ns, "latency"),
        ]  # fmt: skip
        return max(times, key=lambda time: time[0])[1]


class Bounds(Record, frozen=True):
    """``programs``: (program of XLA, instruction) → its sums, ``ops``: the same by op, as op rows have it;
    ``total_ns``: the time of all kernels, of XLA or not; ``windows_count`` = judged steps × GPUs behind the
    sums."""

    programs: dict[tuple[str, str], Sums]
    ops: dict[str, Sums]
    total_ns: int
    windows_count: int

    @property
    def judged_ratio(self) -> float | None:
        """Share of the kernels' time that has a bound; ``None`` without kernels."""
        judged = sum(sums.judged_ns for sums in self.programs.values())
        return judged / self.total_ns if self.total_ns else None


class Part(Record, frozen=True):
    """The same of some hosts."""

    total_ns: int
    programs: dict[tuple[str, str], Sums]


def part(view: View) -> Part:
    """The compute kernels of judged steps of one host."""
    host = view.ledger
    total = 0
    programs: dict[tuple[str, str], Sums] = {}
    for device in host.devices if host else ():
        source, rows = view.trace.devices[device.index], device.kernels
        total += int((source.end_ns[rows] - source.start_ns[rows]).sum())
        rows = rows[(source.module[rows] >= 0) & (source.op[rows] >= 0)]
        for key, sums in _device(source, rows, view.trace.op_work).items():
            programs[key] = _plus(programs[key], sums) if key in programs else sums
    return Part(total, programs)


def finish(found: Part, ledger: Ledger) -> Bounds:
    """The bounds of all hosts."""
    ops: dict[str, Sums] = {}
    for (_, op), sums in found.programs.items():
        ops[op] = _plus(ops[op], sums) if op in ops else sums
    return Bounds(found.programs, ops, found.total_ns, ledger.windows)


def _plus(one: Sums, other: Sums) -> Sums:
    fields = Sums.__struct_fields__
    return Sums(*(getattr(one, name) + getattr(other, name) for name in fields))


def _device(device: DeviceTrace, rows: Codes, work: Work) -> dict[tuple[str, str], Sums]:
    """The instructions that ran in these kernels of a GPU."""
    if not len(rows):
        return {}
    info = figures(device)
    module, op = device.module[rows], device.op[rows]
    place = module * np.int64(len(device.ops)) + op
    # Of each kernel of an instruction, how often it ran.
    distinct, inverse = unique_inverse(place * len(device.names) + device.name[rows])
    count = np.bincount(inverse)
    time = np.bincount(inverse, weights=device.end_ns[rows] - device.start_ns[rows]).astype(np.int64)
    precision = np.zeros(len(distinct), np.int8)
    np.maximum.at(precision, inverse, device.precision[rows])
    kernels: dict[int, list[tuple[int, int, int]]] = {}
    for key, *entry in zip(distinct.tolist(), count.tolist(), time.tolist(), precision.tolist(), strict=True):
        kernels.setdefault(key // len(device.names), []).append((entry[0], entry[1], entry[2]))
    runs = _runs(device, kernels, work)
    found: dict[tuple[str, str], Sums] = {}
    for key, launched in kernels.items():
        program, name = _named(device, key)
        known = work.get((program, name))
        # An execution launches each of its kernels at least once; some run several kernels of one name.
        executions = min(number for number, _, _ in launched)
        if known and known.per_run:
            executions = min(executions, runs.get(program, executions))
        sums = _sums(info, known, executions, launched)
        title = program, plain_op(name)
        found[title] = _plus(found[title], sums) if title in found else sums
    return found


def _named(device: DeviceTrace, key: int) -> tuple[str, str]:
    module, op = divmod(key, len(device.ops))
    return device.modules[module], device.ops[op]


def _runs(
    device: DeviceTrace, kernels: Mapping[int, Sequence[tuple[int, int, int]]], work: Work
) -> dict[str, int]:
    """How often each program ran: the median over instructions that run once each time."""
    counts: dict[str, list[int]] = {}
    for key, launched in kernels.items():
        program, name = _named(device, key)
        known = work.get((program, name))
        if known and known.per_run:
            counts.setdefault(program, []).append(min(number for number, _, _ in launched))
    return {program: sorted(found)[(len(found) - 1) // 2] for program, found in counts.items()}


def _sums(
    info: DeviceInfo, work: OpWork | None, executions: int, launched: list[tuple[int, int, int]]
) -> Sums:
    """``launched``: of each kernel of the instruction how often it ran, its time and its number format."""
    total = sum(time for _, time, _ in launched)
    times = work and _least_ns(info, work, max(Precision(p) for _, _, p in launched))
    if not work or not times:
        return Sums(executions, total)
    compute, memory = times
    floor = int(executions * max(compute, memory))
    if floor > total:
        return Sums(executions, total, above_count=executions)
    launches = sum(number for number, _, _ in launched)
    if floor < LATENCY_NS * launches:
        binds = 0, 0, total
    else:
        binds = (total, 0, 0) if compute >= memory else (0, total, 0)
    return Sums(executions, total, total, executions * work.flops, executions * work.bytes, floor, *binds)


def _least_ns(info: DeviceInfo, work: OpWork, precision: Precision) -> tuple[float, float] | None:
    """Least time of one execution for computing and for memory; ``None`` if the GPU's rates are not known."""
    peaks, bandwidth = info.peaks, info.memory_bandwidth
    clock, units = info.clock_khz, info.multiprocessors_count
    if not peaks or not bandwidth or not clock or not units:
        return None
    per_ns = units * clock / 1e6  # times operations per multiprocessor and clock
    compute = (work.flops - work.matrix_flops) / (peaks.fp32 * per_ns)
    if work.matrix_flops:
        ordinary = work.matrix_format == "fp32" and precision is Precision.FP32
        rate = peaks.matrix_rate("ieee fp32" if ordinary else work.matrix_format)
        if not rate:
            return None
        compute = max(compute, work.matrix_flops / (rate * per_ns))
    return compute, work.bytes * 1e9 / bandwidth
