"""Phases, ops, kernels and memory as the report shows them: the largest rows, with how many there are."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.host_ops import HostOps
from tfperf_plugin.analysis.artifacts.kernels import Kernels
from tfperf_plugin.analysis.artifacts.memory import DeviceMemory, Memory
from tfperf_plugin.analysis.artifacts.ops import KernelRow, Ops
from tfperf_plugin.analysis.artifacts.phases import Phases, plain_op
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.report import model
from tfperf_plugin.report.rows import row_of
from tfperf_plugin.trace.roles import KernelClass, Precision

# Rows of each table; XProf lists 1000, but nobody reads so far, and every report carries them.
ROWS_CAP: Final = 200
TYPES_CAP: Final = 100
ALIVE_CAP: Final = 50
# GPUs whose memory is listed, the fullest ones, and points of their timelines together.
MEMORY_CAP = 16
POINTS_CAP = 3200

_PRECISION: Final = {
    Precision.BITS16: "16 bit", Precision.TF32: "TF32", Precision.FP32: "32 bit", Precision.FP64: "64 bit",
}  # fmt: skip
_CLASS: Final = {KernelClass.MATRIX_TENSOR_CORE: "matrix product", KernelClass.MATRIX_OTHER: "matrix product"}


def phases(found: Phases) -> model.Phases:
    """Compute by phase."""
    compute = sum(found.average_ns.values())
    items = tuple(
        model.Account(name, ns, ns / compute if compute else 0.0) for name, ns in found.average_ns.items()
    )
    return model.Phases(None if found.reason else items, found.told_ratio, found.reason)


def op_table(found: Ops) -> model.OpTable:
    """The ops that ran on GPUs in judged steps."""
    windows, total = max(1, found.windows_count), max(1, found.total_ns)
    rows = tuple(
        model.Op(
            *_name_and_type(row.name),
            row.phase.name.lower(),
            row.kernels_count,
            row.times.count / windows,
            row.times.total_ns // windows,
            row.times.total_ns / total,
            row.times.mean_ns,
            row.times.min_ns,
            row.times.max_ns,
        )
        for row in found.ops[:ROWS_CAP]
    )
    types = tuple(
        model.OpType(
            row.type,
            row.phase.name.lower(),
            row.ops_count,
            row.times.count / windows,
            row.times.total_ns // windows,
            row.times.total_ns / total,
            row.times.mean_ns,
        )
        for row in found.types[:TYPES_CAP]
    )
    return model.OpTable(types, rows, len(found.ops), ROWS_CAP)


def kernel_table(found: Ops, kernels: Kernels) -> model.KernelTable:
    """The kernels of judged steps."""
    windows, total = max(1, found.windows_count), max(1, found.total_ns)
    eligible = {(row.name, plain_op(row.op)): row.eligible for row in kernels.rows}
    rows = tuple(
        _kernel(row, eligible.get((row.name, row.op)), windows, total) for row in found.kernels[:ROWS_CAP]
    )
    return model.KernelTable(rows, len(found.kernels), ROWS_CAP)


def _kernel(row: KernelRow, eligible: bool | None, windows: int, total_ns: int) -> model.Kernel:
    launch = row.launch
    return model.Kernel(
        name=row.name,
        op=row.op,
        phase=row.phase.name.lower(),
        kernel_class=_CLASS.get(row.kernel_class, row.kernel_class.name.lower()),
        precision=_PRECISION.get(row.precision, ""),
        tensor_cores=row.tensor_cores,
        eligible=eligible,
        registers=launch.registers,
        shared_bytes=launch.shared_bytes,
        grid=launch.grid,
        block=launch.block,
        occupancy_ratio=launch.occupancy_ratio,
        count_per_step=row.times.count / windows,
        ns=row.times.total_ns // windows,
        ratio=row.times.total_ns / total_ns,
        mean_ns=row.times.mean_ns,
        min_ns=row.times.min_ns,
        max_ns=row.times.max_ns,
    )


def host_op_table(found: HostOps) -> model.HostOpTable | None:
    """The ops that ran on hosts in judged steps; ``None`` if there are none."""
    if not found.rows:
        return None
    steps = max(1, found.steps_count)
    rows = tuple(
        model.HostOp(*_name_and_type(r.name), r.calls_count / steps, r.total_ns // steps, r.self_ns // steps)
        for r in found.rows[:ROWS_CAP]
    )
    return model.HostOpTable(rows, len(found.rows), ROWS_CAP)


def _name_and_type(op: str) -> tuple[str, str]:
    name, _, kind = op.rpartition(":")
    return (name, kind) if name else (op, "")


def memory(found: Memory, steps: Steps) -> model.Memory | None:
    """The allocators of GPUs; ``None`` if none was recorded."""
    if not found.devices:
        return None
    fullest = found.fullest
    points = POINTS_CAP // min(MEMORY_CAP, len(found.devices))
    order = sorted(found.devices, key=lambda d: (d is not fullest, -d.used_ratio, d.host, d.device))
    growth = fullest.growth if steps.complete_count and fullest.transient_bytes else None
    listed = tuple(_gpu_memory(d, points) for d in order[:MEMORY_CAP])
    return model.Memory(listed, len(order), growth)


def _gpu_memory(device: DeviceMemory, most_points: int) -> model.GpuMemory:
    at, used = device.timeline(most_points)
    return row_of(
        model.GpuMemory,
        device,
        alive=tuple(model.Allocation(a.op, a.size_bytes, a.count) for a in device.alive[:ALIVE_CAP]),
        alive_total=len(device.alive),
        points=model.MemoryPoints(tuple((at / 1e6).tolist()), tuple(used.tolist())),
    )
