"""Phases, and the tables of kernels and ops. Columns are listed here and nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Final, NamedTuple, TypeVar

from tfperf_plugin.analysis.artifacts.compute.bounds import UNKNOWN, Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels, Times
from tfperf_plugin.analysis.artifacts.compute.ops import KernelRow, Launch, Ops
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, Phases, plain_op
from tfperf_plugin.analysis.artifacts.host.host_ops import HostOpRow, HostOps
from tfperf_plugin.judging.engine.words import percent
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.tables import Described, column, explained, table, wide
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


class _Work(NamedTuple):
    """What a row of a table is about.

    ``times``: of all events in ``windows`` judged steps of GPUs; ``total_ns``: of all kernels in them.
    ``bound``: how fast it could run, ``None`` if nobody knows. ``launched``: its kernels by configuration,
    each with whether it could run on Tensor Cores. ``parts``: the number of ops or kernels that it sums.
    """

    name: str
    under: str
    phases: tuple[Phase, ...]
    times: Times
    windows: int
    total_ns: int
    bound: OpBound | None = None
    launched: tuple[tuple[KernelRow, bool | None], ...] = ()
    parts: int = 0

    @property
    def judged(self) -> OpBound | None:
        """The bound, if the work is judged by it."""
        return self.bound if self.bound and not self.bound.not_judged else None

    @property
    def judged_ns(self) -> int | None:
        """The time that is judged, in an average step on one GPU, as the next ones."""
        return self.judged.judged_ns // self.windows if self.judged else None

    @property
    def floor_ns(self) -> int | None:
        """What it needs at the rates that good libraries reach."""
        return self.judged.floor_ns // self.windows if self.judged else None

    @property
    def peak_ns(self) -> int | None:
        """What it needs at the data sheet's peaks."""
        return self.judged.peak_ns // self.windows if self.judged else None

    @property
    def win_ns(self) -> int | None:
        """The time above what it needs."""
        needed, taken = self.floor_ns, self.judged_ns
        return None if needed is None or taken is None else max(0, taken - needed)

    @property
    def bound_by(self) -> str | None:
        """What binds most of it."""
        return self.judged.bound_by if self.judged else None

    @property
    def flops(self) -> int | None:
        """Floating-point operations, a multiply-add being two."""
        return self.bound.flops // self.windows if self.bound and self.bound.work else None

    @property
    def bytes(self) -> int | None:
        """What must cross memory once."""
        return self.bound.bytes // self.windows if self.bound and self.bound.work else None

    @property
    def launch(self) -> Launch:
        """The configuration that all launches share; without what differs."""
        every = [row.launch for row, _ in self.launched]
        return Launch(
            registers=_only(one.registers for one in every),
            shared_bytes=_only(one.shared_bytes for one in every),
            grid=_only(one.grid for one in every) or "",
            block=_only(one.block for one in every) or "",
            occupancy_ratio=_only(one.occupancy_ratio for one in every),
        )

    @property
    def kernel_class(self) -> str | None:
        """What its kernels compute."""
        return _only(_CLASS.get(row.kernel_class, row.kernel_class.name.lower()) for row, _ in self.launched)

    @property
    def precision(self) -> str | None:
        """The number format of its kernels."""
        return _only(_PRECISION.get(row.precision, "") for row, _ in self.launched)

    @property
    def tensor_cores(self) -> str:
        """Whether its kernels run on Tensor Cores, or whether they could."""
        if self.launched[0][0].tensor_cores:
            return "used"
        could = _only(eligible for _, eligible in self.launched)
        return "not used" if could is None else "not used, could be" if could else "not for this op"

    @property
    def phase(self) -> str:
        """The phases whose names are told."""
        told = (phase.name.lower() for phase in self.phases if phase is not Phase.OTHER)
        return ", ".join(dict.fromkeys(PHASE_WORDS[name] for name in told))


def _only(values: Iterable[T]) -> T | None:
    """The one value; ``None`` if there are several."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


# ---------------------------------------------------------------------------------- columns

_Columns = tuple[Described[_Work], ...]
_TIMES: Final[_Columns] = (
    explained(
        column("ns", "Per step", "ns", lambda of: of.times.total_ns // of.windows),
        "Time of its kernels in an average step on one GPU; overlapping ones count in full.",
    ),
    column("ratio", "Share", "ratio", lambda of: of.times.total_ns / of.total_ns),
    explained(
        column("count_per_step", "Calls", "count", lambda of: of.times.count / of.windows),
        "Launches in an average step on one GPU.",
    ),
)
_LIMITS: Final[_Columns] = (
    explained(
        column("bound_by", "Bound by", "text", lambda of: of.bound_by, none="not judged"),
        "What takes longest of its work: arithmetic (compute), its bytes (memory), or any kernel’s least "
        "time (latency). Kernels that work for an op together with others are judged with the op.",
    ),
    # A bound below a nanosecond has no share.
    explained(
        column("bound_ratio", "Of bound", "ratio", lambda of: _over(of.peak_ns, of.judged_ns)),
        "How near it comes to the data sheet’s peaks: the time that its work needs at these, over its own.",
    ),
    explained(
        column("win_ns", "To win", "ns", lambda of: of.win_ns),
        "Its time beyond what its work needs at the rates that good libraries reach.",
    ),
    explained(
        wide("flops_per_s", "Rate", "FLOP/s", lambda of: _over(of.flops, of.judged_ns, 1e9)),
        "Floating-point operations a second; a multiply-add counts as two.",
    ),
)
_PHASE: Final[Described[_Work]] = explained(
    wide("phase", "Phase", "text", lambda of: of.phase),
    "The part of the training that the op belongs to, as far as its name says.",
)
_EACH: Final[_Columns] = (
    wide("mean_ns", "Mean", "ns", lambda of: of.times.mean_ns),
    wide("min_ns", "Shortest", "ns", lambda of: of.times.min_ns),
    wide("max_ns", "Longest", "ns", lambda of: of.times.max_ns),
)
_WORK: Final[_Columns] = (
    explained(
        wide("flops", "FLOP", "count", lambda of: of.flops),
        "Floating-point operations in a step; a multiply-add counts as two.",
    ),
    explained(
        wide("bytes", "Bytes", "bytes", lambda of: of.bytes),
        "What must cross the GPU’s memory once in a step.",
    ),
    explained(
        wide("judged_ns", "Judged", "ns", lambda of: of.judged_ns),
        "The part of its time that is held against the GPU’s limits; what is said of bounds is of this part.",
    ),
    explained(
        wide("floor_ns", "Needed", "ns", lambda of: of.floor_ns),
        "What its work takes at the rates that good libraries reach.",
    ),
    explained(
        wide("peak_ns", "At the peak", "ns", lambda of: of.peak_ns),
        "What its work takes at the data sheet’s peaks.",
    ),
)
_KERNELS: Final[_Columns] = (
    column("name", "Kernel", "name", lambda of: of.name, none="not named"),
    column("op", "Op", "name", lambda of: of.under, under=True),
    *_TIMES,
    *_LIMITS,
    _PHASE,
    *_EACH,
    explained(
        wide("kernel_class", "Class", "text", lambda of: of.kernel_class),
        "What kind of work the kernel does.",
    ),
    explained(
        wide("precision", "Precision", "text", lambda of: of.precision),
        "The kind of numbers that the kernel computes with.",
    ),
    wide("tensor_cores", "Tensor Cores", "text", lambda of: of.tensor_cores),
    wide("ops", "Ops", "count", lambda of: of.parts or None),
    explained(
        wide("configurations", "Configurations", "count", lambda of: len(of.launched)),
        "In how many ways it is launched: by other ops, or with other grids, blocks or registers.",
    ),
    explained(
        wide("registers", "Registers", "count", lambda of: of.launch.registers),
        "What each thread of the kernel takes of the GPU’s fastest memory.",
    ),
    explained(
        wide("shared_bytes", "Shared memory", "bytes", lambda of: of.launch.shared_bytes),
        "Fast memory that the threads of one block share.",
    ),
    explained(
        wide("grid", "Grid", "text", lambda of: of.launch.grid),
        "How many blocks the kernel is launched with, in three directions.",
    ),
    explained(
        wide("block", "Block", "text", lambda of: of.launch.block),
        "How many threads work together as one block, in three directions.",
    ),
    explained(
        wide("occupancy_ratio", "Occupancy", "ratio", lambda of: of.launch.occupancy_ratio),
        "Threads at work of those that a part of the GPU can hold, in theory.",
    ),
    *_WORK,
)
_OPS: Final[_Columns] = (
    column("name", "Op", "name", lambda of: of.name, none="not named"),
    column("type", "Type", "name", lambda of: of.under, under=True),
    *_TIMES,
    *_LIMITS,
    _PHASE,
    *_EACH,
    wide("kernels", "Kernels", "count", lambda of: of.parts),
    explained(
        wide("format", "Format", "text", lambda of: of.bound.format if of.bound else ""),
        "The numbers that its products multiply.",
    ),
    explained(
        wide("not_judged", "Why not judged", "text", lambda of: of.bound.not_judged if of.bound else UNKNOWN),
        "Why nothing is said of what its work needs.",
    ),
    *_WORK,
)
_TYPES: Final[_Columns] = (
    column("type", "Type", "name", lambda of: of.name, none="not named"),
    *_TIMES,
    _PHASE,
    *_EACH[:1],
    wide("ops", "Ops", "count", lambda of: of.parts),
)


def _over(part: int | None, whole: int | None, times: float = 1) -> float | None:
    return part * times / whole if part and whole else None


# ----------------------------------------------------------------------------------- tables


def kernel_tables(found: Ops, kernels: Kernels, bounds: Bounds) -> tuple[model.Table, ...]:
    """Kernels by name, ops and their types, and each kernel of each op; of judged steps, by falling time."""
    by_op = bounds.by_op()
    eligible = {(row.name, plain_op(row.op)): row.eligible for row in kernels.rows}
    windows, total = max(1, found.windows_count), max(1, found.total_ns)

    def launched(rows: Iterable[KernelRow]) -> tuple[tuple[KernelRow, bool | None], ...]:
        return tuple((row, eligible.get((row.name, row.op))) for row in rows)

    names = found.names
    alone, only = Counter(op for row in names for op in row.ops), Counter(row.op for row in found.kernels)
    by_name = [
        _Work(
            row.name, row.ops[0], tuple(one.phase for one in row.rows), row.times, windows, total,
            _bound(by_op, (op for op in row.ops if alone[op] == 1)), launched(row.rows), len(row.ops),
        )
        for row in names
    ]  # fmt: skip
    ops = [
        _Work(
            *_name_and_type(row.name),
            (row.phase,),
            row.times,
            windows,
            total,
            by_op.get(row.name),
            (),
            row.kernels_count,
        )
        for row in found.ops
    ]
    types = [
        _Work(row.type, "", (row.phase,), row.times, windows, total, None, (), row.ops_count)
        for row in found.types
    ]
    single = [
        _Work(
            row.name, row.op, (row.phase,), row.times, windows, total,
            by_op.get(row.op) if only[row.op] == 1 else None, launched((row,)),
        )
        for row in found.kernels
    ]  # fmt: skip
    named = any(row.name for row in found.ops)
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
    return table(id, title, listed, columns, brief, len(rows), note if len(rows) > cap else "", "phase")


def _bound(by_op: Mapping[str, OpBound], ops: Iterable[str]) -> OpBound | None:
    """The sum over those ops that are judged."""
    found = [by_op[op] for op in ops if op in by_op and not by_op[op].not_judged]
    return reduce(OpBound.merged_with, found) if found else None


_HOST_OPS: Final[tuple[Described[tuple[HostOpRow, int]], ...]] = (
    column("name", "Op", "name", lambda of: _name_and_type(of[0].name)[0], none="not named"),
    column("type", "Type", "name", lambda of: _name_and_type(of[0].name)[1], under=True),
    explained(
        column("self_ns", "Own time", "ns", lambda of: of[0].self_ns // of[1]),
        "Without the ops that run inside it.",
    ),
    column("ns", "Per step", "ns", lambda of: of[0].total_ns // of[1]),
    explained(
        column("calls_per_step", "Calls", "count", lambda of: of[0].calls_count / of[1]),
        "Runs of the op in a step.",
    ),
)


def host_op_tables(found: HostOps) -> tuple[model.Table, ...]:
    """The ops that ran on hosts in judged steps, replicas together, per average step and host."""
    if not found.rows:
        return ()
    steps = max(1, found.steps_count)
    rows = [(row, steps) for row in found.rows]
    note = f"The {ROWS_CAP} with the most time of {len(rows):,}." if len(rows) > ROWS_CAP else ""
    return (table("host_ops", "Ops on the host", rows[:ROWS_CAP], _HOST_OPS, 0, len(rows), note),)


def _name_and_type(op: str) -> tuple[str, str]:
    name, kind = split_op(op)
    return (name, kind) if name else (op, "")
