"""Phases, ops and kernels in the report: the largest rows and the number of all rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any, Final, TypeVar

from msgspec.structs import asdict

from tfperf_plugin.analysis.artifacts.compute.bounds import UNKNOWN, Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels, Times
from tfperf_plugin.analysis.artifacts.compute.ops import KernelRow, NameRow, OpRow, Ops, TypeRow, read_details
from tfperf_plugin.analysis.artifacts.compute.phases import Phases, plain_op
from tfperf_plugin.analysis.artifacts.host.host_ops import HostOps
from tfperf_plugin.records import Record
from tfperf_plugin.report import model
from tfperf_plugin.report.rows import row_of
from tfperf_plugin.trace.roles import KernelClass, Precision, split_op

T = TypeVar("T")
R = TypeVar("R", bound=Record)

# Rows of each table; XProf lists 1000, but few people read that far, and every report holds them.
ROWS_CAP: Final = 200
TYPES_CAP: Final = 100

_PRECISION: Final = {
    Precision.BITS16: "16 bit", Precision.TF32: "TF32", Precision.FP32: "32 bit", Precision.FP64: "64 bit",
}  # fmt: skip
_CLASS: Final = {KernelClass.MATRIX_TENSOR_CORE: "matrix product", KernelClass.MATRIX_OTHER: "matrix product"}
_UNKNOWN_LAUNCH: Final = asdict(read_details(""))


def phases(found: Phases) -> model.Phases:
    """Compute time by phase of training."""
    compute = sum(found.average_ns.values())
    items = tuple(
        model.Account(name, ns, ns / compute if compute else 0.0) for name, ns in found.average_ns.items()
    )
    return model.Phases(None if found.reason else items, found.told_ratio, found.reason)


def op_table(found: Ops, bounds: Bounds) -> model.OpTable:
    """The ops that ran on GPUs in judged steps, and how fast they could run."""
    windows, total = max(1, found.windows_count), max(1, found.total_ns)
    by_op = bounds.by_op()
    rows = tuple(
        _timed(
            model.Op,
            row,
            windows,
            total,
            **_name_and_type(row.name),
            kernels=row.kernels_count,
            **_bound(bound := by_op.get(row.name), windows),
            format=bound.format if bound else "",
            not_judged=bound.not_judged if bound else UNKNOWN,
        )
        for row in found.ops[:ROWS_CAP]
    )
    types = tuple(
        _timed(model.OpType, row, windows, total, type=row.type, ops=row.ops_count)
        for row in found.types[:TYPES_CAP]
    )
    return model.OpTable(types, rows, len(found.ops), ROWS_CAP)


def kernel_table(found: Ops, kernels: Kernels, bounds: Bounds) -> model.KernelTable:
    """The kernels of judged steps."""
    windows, total = max(1, found.windows_count), max(1, found.total_ns)
    eligible = {(row.name, plain_op(row.op)): row.eligible for row in kernels.rows}
    launched, by_op = Counter(row.op for row in found.kernels), bounds.by_op()
    rows = tuple(
        _timed(
            model.Kernel,
            row,
            windows,
            total,
            **asdict(row.launch),
            name=row.name,
            op=row.op,
            kernel_class=_class(row.kernel_class),
            precision=_PRECISION.get(row.precision, ""),
            tensor_cores=row.tensor_cores,
            eligible=eligible.get((row.name, row.op)),
            **_bound(by_op.get(row.op) if launched[row.op] == 1 else None, windows),
        )
        for row in found.kernels[:ROWS_CAP]
    )
    names = found.names
    alone = Counter(op for row in names for op in row.ops)
    judged = {op: by_op[op] for op, count in alone.items() if count == 1 and op in by_op}
    summed = tuple(_kernel_name(row, windows, total, eligible, judged) for row in names[:ROWS_CAP])
    return model.KernelTable(rows, len(found.kernels), ROWS_CAP, summed, len(names))


def _kernel_name(
    row: NameRow,
    windows: int,
    total_ns: int,
    eligible: Mapping[tuple[str, str], bool | None],
    judged: Mapping[str, OpBound],
) -> model.KernelName:
    bounds = [judged[op] for op in row.ops if op in judged and not judged[op].not_judged]
    launches = [asdict(one.launch) for one in row.rows]
    return _times(
        model.KernelName,
        row.times,
        windows,
        total_ns,
        **{key: _shared((one[key] for one in launches), none) for key, none in _UNKNOWN_LAUNCH.items()},
        name=row.name,
        op=row.ops[0],
        ops=len(row.ops),
        configurations=len(row.rows),
        phases=tuple(dict.fromkeys(one.phase.name.lower() for one in row.rows)),
        kernel_class=_shared((_class(one.kernel_class) for one in row.rows), ""),
        precision=_shared((_PRECISION.get(one.precision, "") for one in row.rows), ""),
        tensor_cores=row.rows[0].tensor_cores,
        eligible=_shared((eligible.get((one.name, one.op)) for one in row.rows), None),
        **_bound(reduce(OpBound.merged_with, bounds) if bounds else None, windows),
    )


def _shared(values: Iterable[T], differs: T) -> T:
    """The one value, or ``differs``."""
    found = set(values)
    return found.pop() if len(found) == 1 else differs


def _class(kind: KernelClass) -> str:
    return _CLASS.get(kind, kind.name.lower())


def _bound(op: OpBound | None, windows: int) -> dict[str, Any]:
    """What an op computes, moves and needs in an average step on one GPU."""
    work, floor = op and op.work, op if op and not op.not_judged else None
    return {
        "flops": op.flops // windows if op and work else None,
        "bytes": op.bytes // windows if op and work else None,
        "floor_ns": floor and floor.floor_ns // windows,
        "peak_ns": floor and floor.peak_ns // windows,
        "judged_ns": floor and floor.judged_ns // windows,
        "bound_by": op.bound_by if op else "not judged",
    }


def _timed(kind: type[R], row: OpRow | TypeRow | KernelRow, windows: int, total_ns: int, **more: Any) -> R:
    """A row of the report with the phase and the times of ``row`` per average step."""
    return _times(kind, row.times, windows, total_ns, phase=row.phase.name.lower(), **more)


def _times(kind: type[R], times: Times, windows: int, total_ns: int, **more: Any) -> R:
    return row_of(
        kind,
        times,
        count_per_step=times.count / windows,
        ns=times.total_ns // windows,
        ratio=times.total_ns / total_ns,
        **more,
    )


def host_op_table(found: HostOps) -> model.HostOpTable | None:
    """The ops that ran on hosts in judged steps; ``None`` if there are none."""
    if not found.rows:
        return None
    steps = max(1, found.steps_count)
    rows = tuple(
        model.HostOp(
            **_name_and_type(r.name),
            calls_per_step=r.calls_count / steps,
            ns=r.total_ns // steps,
            self_ns=r.self_ns // steps,
        )
        for r in found.rows[:ROWS_CAP]
    )
    return model.HostOpTable(rows, len(found.rows), ROWS_CAP)


def _name_and_type(op: str) -> dict[str, str]:
    name, kind = split_op(op)
    return {"name": name, "type": kind} if name else {"name": op, "type": ""}
