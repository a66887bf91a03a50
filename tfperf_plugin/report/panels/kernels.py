"""Phases, and the tables of kernels and ops. Columns are listed here and nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial, reduce
from typing import Any, Final, NamedTuple, TypeVar

from tfperf_plugin.analysis.artifacts.compute.bounds import UNKNOWN, Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels, Times
from tfperf_plugin.analysis.artifacts.compute.ops import KernelOfOp, Ops
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, Phases, plain_op
from tfperf_plugin.analysis.artifacts.host.host_ops import HostOpRow, HostOps
from tfperf_plugin.arrays.columns import agreed
from tfperf_plugin.judging.engine.words import percent
from tfperf_plugin.records import Record
from tfperf_plugin.report import model
from tfperf_plugin.report.tables import Described, column, table, wide
from tfperf_plugin.trace.roles import KernelClass, Precision, split_op

T = TypeVar("T")

# Rows of each table; XProf lists 1000, but few people read that far, and every report holds them.
ROWS_CAP: Final = 200
TYPES_CAP: Final = 100
BRIEF: Final = 5

PHASE_WORDS: Final = {
    "forward": "forward pass",
    "loss": "loss",
    "backward": "backward pass",
    "optimizer": "optimizer",
    "other": "not told by names",
}
_PRECISION: Final = {
    Precision.BITS16: "16 bit", Precision.TF32: "TF32", Precision.FP32: "32 bit", Precision.FP64: "64 bit",
}  # fmt: skip
_CLASS: Final = {KernelClass.MATRIX_TENSOR_CORE: "matrix product", KernelClass.MATRIX_OTHER: "matrix product"}


def phases(found: Phases) -> model.Phases:
    """Compute time by phase of training."""
    compute = sum(found.average_ns.values())
    items = tuple(
        model.Account(name, ns, ns / compute if compute else 0.0) for name, ns in found.average_ns.items()
    )
    return model.Phases(None if found.reason else items, found.told_ratio, found.reason)


class _Limits(NamedTuple):
    """How fast work could run in an average step on one GPU; ``None`` for what nobody knows."""

    judged_ns: int | None = None  # its time that is judged
    floor_ns: int | None = None  # what it needs at the rates that good libraries reach
    peak_ns: int | None = None  # what it needs at the data sheet's peaks
    win_ns: int | None = None  # its time above ``floor_ns``
    bound_by: str | None = None  # what binds most of it
    flops: int | None = None  # floating-point operations, a multiply-add being two
    bytes: int | None = None  # what must cross memory once


class _Work(Record, frozen=True, dict=True):
    """What a row of a table is about."""

    name: str
    under: str  # the op of a kernel, the type of an op
    phases: tuple[Phase, ...]
    times: Times  # of all events in ``windows``
    windows: int  # the number of judged steps of GPUs
    total_ns: int  # the time of all kernels in them
    parts: int = 0  # the number of ops or kernels that it sums
    bound: OpBound | None = None
    kernels: tuple[KernelOfOp, ...] = ()  # by launch configuration
    could_use_tensor_cores: bool | None = None

    @cached_property
    def limits(self) -> _Limits:
        """How fast it could run."""
        bound, windows = self.bound, self.windows
        if bound is None:
            return _Limits()
        flops, size = (bound.flops // windows, bound.bytes // windows) if bound.work else (None, None)
        if bound.not_judged:
            return _Limits(flops=flops, bytes=size)
        judged_ns, floor_ns = bound.judged_ns // windows, bound.floor_ns // windows
        win_ns = max(0, judged_ns - floor_ns)
        return _Limits(judged_ns, floor_ns, bound.peak_ns // windows, win_ns, bound.bound_by, flops, size)

    def shared(self, value: Callable[[KernelOfOp], T]) -> T | None:
        """What all its kernels have in common; ``None`` if they differ."""
        return agreed(map(value, self.kernels))

    @property
    def tensor_cores(self) -> str:
        """Whether its kernels run on Tensor Cores, or whether they could."""
        if self.kernels[0].tensor_cores:
            return "used"
        could = self.could_use_tensor_cores
        return "not used" if could is None else "not used, could be" if could else "not for this op"

    @property
    def phase(self) -> str:
        """The phases whose names are told."""
        told = (phase.name.lower() for phase in self.phases if phase is not Phase.OTHER)
        return ", ".join(dict.fromkeys(PHASE_WORDS[name] for name in told))


# ---------------------------------------------------------------------------------- columns

_MEANINGS: Final = {
    "ns": "Time of its kernels in an average step on one GPU; overlapping ones count in full.",
    "count_per_step": "Launches in an average step on one GPU.",
    "bound_by": "What takes longest of its work: arithmetic (compute), its bytes (memory), or any kernel’s "
    "least time (latency). Kernels that work for an op together with others are judged with the op.",
    "bound_ratio": "How near it comes to the data sheet’s peaks: the time that its work needs at these, "
    "over its own.",
    "win_ns": "Its time beyond what its work needs at the rates that good libraries reach.",
    "flops_per_s": "Floating-point operations a second; a multiply-add counts as two.",
    "phase": "The part of the training that the op belongs to, as far as its name says.",
    "flops": "Floating-point operations in a step; a multiply-add counts as two.",
    "bytes": "What must cross the GPU’s memory once in a step.",
    "judged_ns": "The part of its time that is held against the GPU’s limits; what is said of bounds is of "
    "this part.",
    "floor_ns": "What its work takes at the rates that good libraries reach.",
    "peak_ns": "What its work takes at the data sheet’s peaks.",
    "kernel_class": "What kind of work the kernel does.",
    "precision": "The kind of numbers that the kernel computes with.",
    "configurations": "In how many ways it is launched: by other ops, or with other grids, blocks or "
    "registers.",
    "registers": "What each thread of the kernel takes of the GPU’s fastest memory.",
    "shared_bytes": "Fast memory that the threads of one block share.",
    "grid": "How many blocks the kernel is launched with, in three directions.",
    "block": "How many threads work together as one block, in three directions.",
    "occupancy_ratio": "Threads at work of those that a part of the GPU can hold, in theory; in PyTorch’s "
    "traces no more than the grid fills.",
    "format": "The numbers that its products multiply.",
    "not_judged": "Why nothing is said of what its work needs.",
}
_Columns = tuple[Described[_Work], ...]
_TIMES: Final[_Columns] = (
    column("ns", "Per step", "ns", lambda of: of.times.total_ns // of.windows),
    column("ratio", "Share", "ratio", lambda of: of.times.total_ns / of.total_ns),
    column("count_per_step", "Calls", "count", lambda of: of.times.count / of.windows),
)
_PHASE: Final[Described[_Work]] = wide("phase", "Phase", "text", lambda of: of.phase)
_EACH: Final[_Columns] = (
    wide("mean_ns", "Mean", "ns", lambda of: of.times.mean_ns),
    wide("min_ns", "Shortest", "ns", lambda of: of.times.min_ns),
    wide("max_ns", "Longest", "ns", lambda of: of.times.max_ns),
)
_TIMES_AND_LIMITS: Final[_Columns] = (
    *_TIMES,
    column("bound_by", "Bound by", "text", lambda of: of.limits.bound_by, none="not judged"),
    # A bound below a nanosecond has no share.
    column("bound_ratio", "Of bound", "ratio", lambda of: _over(of.limits.peak_ns, of.limits.judged_ns)),
    column("win_ns", "To win", "ns", lambda of: of.limits.win_ns),
    wide("flops_per_s", "Rate", "FLOP/s", lambda of: _over(of.limits.flops, of.limits.judged_ns, 1e9)),
    _PHASE,
    *_EACH,
)
_WORK: Final[_Columns] = (
    wide("flops", "FLOP", "count", lambda of: of.limits.flops),
    wide("bytes", "Bytes", "bytes", lambda of: of.limits.bytes),
    wide("judged_ns", "Judged", "ns", lambda of: of.limits.judged_ns),
    wide("floor_ns", "Needed", "ns", lambda of: of.limits.floor_ns),
    wide("peak_ns", "At the peak", "ns", lambda of: of.limits.peak_ns),
)
_KERNELS: Final[_Columns] = (
    column("name", "Kernel", "name", lambda of: of.name, none="not named"),
    column("op", "Op", "name", lambda of: of.under, under=True),
    *_TIMES_AND_LIMITS,
    wide("kernel_class", "Class", "text", lambda of: of.shared(_class)),
    wide(
        "precision", "Precision", "text", lambda of: of.shared(lambda row: _PRECISION.get(row.precision, ""))
    ),
    wide("tensor_cores", "Tensor Cores", "text", lambda of: of.tensor_cores),
    wide("ops", "Ops", "count", lambda of: of.parts or None),
    wide("configurations", "Configurations", "count", lambda of: len(of.kernels)),
    wide("registers", "Registers", "count", lambda of: of.shared(lambda row: row.launch.registers)),
    wide("shared_bytes", "Shared memory", "bytes", lambda of: of.shared(lambda row: row.launch.shared_bytes)),
    wide("grid", "Grid", "text", lambda of: of.shared(lambda row: row.launch.grid) or ""),
    wide("block", "Block", "text", lambda of: of.shared(lambda row: row.launch.block) or ""),
    wide(
        "occupancy_ratio", "Occupancy", "ratio", lambda of: of.shared(lambda row: row.launch.occupancy_ratio)
    ),
    *_WORK,
)
_OPS: Final[_Columns] = (
    column("name", "Op", "name", lambda of: of.name, none="not named"),
    column("type", "Type", "name", lambda of: of.under, under=True),
    *_TIMES_AND_LIMITS,
    wide("kernels", "Kernels", "count", lambda of: of.parts),
    wide("format", "Format", "text", lambda of: of.bound.format if of.bound else ""),
    wide("not_judged", "Why not judged", "text", lambda of: of.bound.not_judged if of.bound else UNKNOWN),
    *_WORK,
)
_TYPES: Final[_Columns] = (
    column("type", "Type", "name", lambda of: of.name, none="not named"),
    *_TIMES,
    _PHASE,
    *_EACH[:1],
    wide("ops", "Ops", "count", lambda of: of.parts),
)


def _class(row: KernelOfOp) -> str:
    return _CLASS.get(row.kernel_class, row.kernel_class.name.lower())


def _over(part: int | None, whole: int | None, times: float = 1) -> float | None:
    return part * times / whole if part and whole else None


# ----------------------------------------------------------------------------------- tables


def kernel_tables(found: Ops, kernels: Kernels, bounds: Bounds) -> tuple[model.Table, ...]:
    """Kernels by name, ops and their types, and each kernel of each op; of judged steps, by falling time."""
    by_op = bounds.by_op()
    eligible = {(row.name, plain_op(row.op)): row.eligible for row in kernels.rows}
    work = partial(_Work, windows=max(1, found.windows_count), total_ns=max(1, found.total_ns))

    def launched(*rows: KernelOfOp) -> dict[str, Any]:
        could = agreed(eligible.get((row.name, row.op)) for row in rows)
        return {"kernels": rows, "could_use_tensor_cores": could}

    names = [(name, [op.name for op in name.ops]) for name in found.names]
    alone, only = Counter(op for _, ops in names for op in ops), Counter(row.op for row in found.kernels)
    by_name = []
    for name, of_name in names:
        judged = [by_op[op] for op in of_name if alone[op] == 1 and op in by_op and not by_op[op].not_judged]
        bound = reduce(OpBound.merged_with, judged) if judged else None
        told = tuple(one.phase for one in name.rows)
        of = {"parts": len(of_name), "bound": bound, **launched(*name.rows)}
        by_name.append(work(name.name, of_name[0], told, name.times, **of))
    single = []
    for row in found.kernels:
        bound = by_op.get(row.op) if only[row.op] == 1 else None
        single.append(work(row.name, row.op, (row.phase,), row.times, bound=bound, **launched(row)))
    ops = [
        work(*_name_and_type(op.name), (op.phase,), op.times, parts=len(op.rows), bound=by_op.get(op.name))
        for op in found.ops
    ]
    types = [work(of.name, "", (of.phase,), of.times, parts=len(of.ops)) for of in found.types]
    named = any(op.name for op in found.ops)
    return (
        _table("kernels", "Kernels", by_name, _KERNELS, BRIEF),
        _table("ops", "Ops", ops, _OPS, BRIEF if named else 0),
        _table("types", "Types of ops", types, _TYPES, 0, TYPES_CAP),
        _table("launches", "Kernels of each op", single, _KERNELS, 0),
    )


def _table(
    id: str, title: str, rows: list[_Work], columns: _Columns, brief: int, cap: int = ROWS_CAP
) -> model.Table:
    listed = rows[:cap]
    share = sum(of.times.total_ns for of in listed) / max(1, *(of.total_ns for of in listed), 1)
    note = f"The {cap} with the most time of {len(rows):,}: {percent(min(1.0, share))} of kernel time."
    note = note if len(rows) > cap else ""
    return table(id, title, listed, columns, brief, len(rows), note, "phase", _MEANINGS)


_HOST_OPS: Final[tuple[Described[tuple[HostOpRow, int]], ...]] = (
    column("name", "Op", "name", lambda of: _name_and_type(of[0].name)[0], none="not named"),
    column("type", "Type", "name", lambda of: _name_and_type(of[0].name)[1], under=True),
    column("self_ns", "Own time", "ns", lambda of: of[0].self_ns // of[1]),
    column("ns", "Per step", "ns", lambda of: of[0].total_ns // of[1]),
    column("calls_per_step", "Calls", "count", lambda of: of[0].calls_count / of[1]),
)
_HOST_MEANINGS: Final = {
    "self_ns": "Without the ops that run inside it.",
    "calls_per_step": "Runs of the op in a step.",
}


def host_op_tables(found: HostOps) -> tuple[model.Table, ...]:
    """The ops that ran on hosts in judged steps, replicas together, per average step and host."""
    if not found.rows:
        return ()
    rows = [(row, max(1, found.steps_count)) for row in found.rows]
    note = f"The {ROWS_CAP} with the most time of {len(rows):,}." if len(rows) > ROWS_CAP else ""
    listed, many = rows[:ROWS_CAP], len(rows)
    return (table("host_ops", "Ops on the host", listed, _HOST_OPS, 0, many, note, meanings=_HOST_MEANINGS),)


def _name_and_type(op: str) -> tuple[str, str]:
    name, kind = split_op(op)
    return (name, kind) if name else (op, "")
