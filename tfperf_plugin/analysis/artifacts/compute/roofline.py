"""Computes the bounds of ops (``bounds.py``) from their kernels and from what they compute and move.

Work is that of one execution of an op, which may be several kernels. A program's instructions run as often
as the program does; other ops as often as the rarest of their kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import GpuView, View, merged
from tfperf_plugin.analysis.artifacts.capture.devices import figures
from tfperf_plugin.analysis.artifacts.compute.bounds import (
    ABOVE,
    INDIRECT,
    NO_RATES,
    UNEVEN,
    UNKNOWN,
    BoundBy,
    Bounds,
    OpBound,
)
from tfperf_plugin.analysis.artifacts.compute.ops import read_details
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.sequences import SHORT_NS
from tfperf_plugin.analysis.artifacts.compute.tensor_work import work_from_allocations
from tfperf_plugin.analysis.artifacts.compute.tiles import Grid, indirect, multiplies, op_products_run
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.launches import launching_ops
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import Ints, covered_within
from tfperf_plugin.hardware.speeds import MEMORY_REACHED, USUAL_MEMORY, Speeds
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents, OpWork
from tfperf_plugin.trace.roles import MATRIX, KernelClass, Precision, Role, is_layout_transpose

Work = Mapping[tuple[str, str], OpWork]
# Ours: a kernel that does nearly nothing takes at most this long, so less than that binds no short kernel.
LATENCY_NS: Final = 2_000


def part(view: View) -> Bounds:
    """The ops of one host."""
    found = Bounds({}, 0)
    work = {**view.trace.op_work, **work_from_allocations(view.trace)} if view.ledger else {}
    for gpu in view.gpus:
        computing = int(gpu.ledger.sums_ns[gpu.host.steps.judged][:, 0].sum())
        found = merged(found, Bounds(_ops_of_gpu(gpu, view.trace.events, work), computing))
    return found


def finish(found: Bounds, ledger: Ledger) -> Bounds:
    """The bounds of all hosts."""
    ops = dict(sorted(found.ops.items(), key=lambda item: (-item[1].compute_ns, item[0])))
    return Bounds(ops, found.total_ns, ledger.windows, ledger.step_ns)


def _owned(gpu: GpuView) -> tuple[Ints, Ints]:
    """Rows of all compute kernels of a GPU, and the part of each in the account ``compute`` of judged steps.

    Of kernels that overlap, the one that started first owns the time.
    """
    rows = np.flatnonzero(gpu.source.role == Role.KERNEL)
    begin, end = gpu.source.start_ns[rows], gpu.source.end_ns[rows]
    if len(rows):
        begin = np.maximum(begin, np.concatenate([begin[:1], np.maximum.accumulate(end)[:-1]]))
    return rows, covered_within(gpu.judged_time("compute"), begin, np.maximum(begin, end))


class _Launches(Record, frozen=True):
    """The launches of one kernel for one op."""

    row: int  #: Row of the longest launch.
    count: int  #: Number of launches.
    total_ns: int  #: Time of all launches.
    longest_ns: int  #: Time of the longest launch.
    precision: int  #: ``Precision`` of the kernel.


def _ops_of_gpu(gpu: GpuView, events: HostEvents, work: Work) -> dict[tuple[str, str], OpBound]:
    host, rows = gpu.host, gpu.ledger.kernels
    if not len(rows):
        return {}
    every, share = _owned(gpu)
    places = Groups(_places(gpu.source, every))
    shares = dict(zip(places.keys[:, 0].tolist(), places.sum(share).tolist(), strict=True))
    number = host.steps.number[gpu.step]
    calls = _calls(gpu.source, rows, events)
    return ops_of(gpu.source, rows, work, host.host, shares, int(host.steps.judged.sum()), number, calls)


def _calls(device: DeviceTrace, rows: Ints | Codes, events: HostEvents) -> dict[int, int]:
    """Place → number of calls of the op, where the host recorded each call, as in PyTorch."""
    if not (is_op := launching_ops(events)).any():
        return {}
    call = np.append(events.parent, -1)[device.launch[rows]]
    places = Groups(_places(device, rows))
    known = places.sum(~np.append(is_op, False)[call]) == 0
    return dict(zip(places.keys[known, 0].tolist(), places.distinct(call)[known].tolist(), strict=True))


def ops_of(
    device: DeviceTrace,
    rows: Ints | Codes,
    work: Work,
    host: str,
    shares: Mapping[int, int] = MappingProxyType({}),
    steps_count: int = 1,
    number: Ints | None = None,
    calls: Mapping[int, int] = MappingProxyType({}),
) -> dict[tuple[str, str], OpBound]:
    """The bounds of the ops of the kernels ``rows``, by (program, op).

    ``shares``: place → its part of the account ``compute``; ``steps_count``: number of judged steps;
    ``number``: of each event's step, if there are steps; ``calls``: place → number of calls of its op, where
    that is known.
    """
    rows = rows[::-1]  # of equally long launches the last one is shown
    each = Groups(_places(device, rows), device.name[rows])
    length = device.end_ns[rows] - device.start_ns[rows]
    longest = each.at_max(length)
    columns = (
        each.keys[:, 0],
        rows[longest],
        each.count,
        each.sum(length),
        length[longest],
        each.max(device.precision[rows]),
    )
    kernels: dict[int, list[_Launches]] = {}
    for key, *entry in np.stack(columns, axis=1).tolist():
        kernels.setdefault(key, []).append(_Launches(*entry))
    named = {key: _named(device, key) for key in kernels}
    runs = _runs(kernels, named, work)
    rates = figures(device).speeds
    found: dict[tuple[str, str], OpBound] = {}
    for key, launches in kernels.items():
        program, name = named[key]
        known = work.get((program, name))
        # An execution launches each of its kernels at least once; some run several kernels of one name.
        least = executions = min(launch.count for launch in launches)
        # A kernel that is missing in most steps does not tell how often the op ran.
        uneven = least < min(max(launches, key=lambda launch: launch.total_ns).count, steps_count)
        if key in calls:
            executions, uneven = calls[key], False
        if known and known.per_run:
            executions = min(least, runs.get(program, least))
        row = max(launches, key=lambda launch: launch.longest_ns).row
        step = None if number is None else int(number[row])
        begin_ms, end_ms = int(device.start_ns[row]) / 1e6, int(device.end_ns[row]) / 1e6
        at = Place(host, begin_ms, end_ms, "", device.device, step=step)
        even_work = None if uneven else known
        op = _op(device, rates, name, even_work, executions, launches, shares.get(key, 0), at)
        if uneven and known:
            op = replace(op, not_judged=UNEVEN)
        title = program, plain_op(name)
        found[title] = found[title].merged_with(op) if title in found else op
    return found


def _places(device: DeviceTrace, rows: Ints | Codes) -> Ints:
    """A number for the pair of program and op of each row, its *place*."""
    return (device.module[rows].astype(np.int64) + 1) * (len(device.ops) + 1) + device.op[rows] + 1


def _named(device: DeviceTrace, key: int) -> tuple[str, str]:
    module, op = (code - 1 for code in divmod(key, len(device.ops) + 1))
    return device.modules[module] if module >= 0 else "", device.ops[op] if op >= 0 else ""


def _runs(
    kernels: Mapping[int, Sequence[_Launches]], named: Mapping[int, tuple[str, str]], work: Work
) -> dict[str, int]:
    """Program → number of its runs: the median over instructions that run once each time."""
    counts: dict[str, list[int]] = {}
    for key, launches in kernels.items():
        known = work.get(named[key])
        if known and known.per_run:
            counts.setdefault(named[key][0], []).append(min(launch.count for launch in launches))
    return {program: sorted(found)[(len(found) - 1) // 2] for program, found in counts.items()}


def _op(
    device: DeviceTrace,
    rates: Speeds | None,
    name: str,
    work: OpWork | None,
    executions: int,
    launches: Sequence[_Launches],
    compute_ns: int,
    longest: Place,
) -> OpBound:
    total = sum(launch.total_ns for launch in launches)
    count = sum(launch.count for launch in launches)
    main = max(launches, key=lambda launch: launch.total_ns)
    matrix = bool(work and work.matrix_flops) or KernelClass(device.kernel_class[main.row]) in MATRIX
    turns = [
        one for one in launches if matrix and is_layout_transpose(device.names[device.name[one.row]], name)
    ]
    # An op may launch casts and reductions beside its product.
    products_only = [one for one in launches if KernelClass(device.kernel_class[one.row]) in MATRIX]
    format = product_format(work, [one.precision for one in products_only or launches]) if work else ""
    if rates and format == "tf32" and not rates.peak(format):
        format = "fp32"
    direct = _times(rates, work, format) if work and rates else None
    run, transforms_ns = _run(device, work, executions, launches) if work else (None, 0)
    times = _times(rates, run, format) if run and rates else None
    why = UNKNOWN if not work else INDIRECT if not run else NO_RATES if not times else ""
    judged_ns = peak_ns = floor_ns = usual_ns = products = 0
    binds: dict[BoundBy, int] = {}
    if direct:
        products = round(executions * direct.products_ns)
    if times:
        judged_ns = total - transforms_ns
        peak_ns = min(judged_ns, round(executions * max(times.peak_ns)))
        floor_ns = min(judged_ns, round(executions * max(times.floor_ns)))
        usual_ns = min(judged_ns, round(executions * times.usual_ns))
        if executions * times.ceiling_ns > judged_ns:
            why, judged_ns, peak_ns, floor_ns, usual_ns = ABOVE, 0, 0, 0, 0
        elif floor_ns < min(LATENCY_NS * count, judged_ns // 2) and total <= SHORT_NS * count:
            binds = {"latency": total}
        else:
            binds = {"compute" if times.floor_ns[0] >= times.floor_ns[1] else "memory": total}
    return OpBound(
        name=plain_op(name),
        launches_count=count,
        executions_count=executions,
        total_ns=total,
        compute_ns=compute_ns,
        judged_ns=judged_ns,
        turned_ns=sum(launch.total_ns for launch in turns),
        floor_ns=floor_ns,
        peak_ns=peak_ns,
        usual_ns=usual_ns,
        flops=executions * (run.flops if run else work.flops) if work else 0,
        matrix_flops=executions * work.matrix_flops if work else 0,
        bytes=executions * work.bytes if work else 0,
        products_ns=products,
        recomputed_ns=round(products * work.recomputed_flops / work.matrix_flops) if products and work else 0,
        indirect_ns=products if run is not work else 0,
        bound_ns=binds,
        not_judged=why,
        format=format if direct else "",
        matrix=matrix,
        work=work,
        kernel=device.names[device.name[main.row]],
        details=device.details[device.detail[main.row]] if device.detail[main.row] >= 0 else "",
        kernel_class=KernelClass(device.kernel_class[main.row]),
        kernel_ns=main.total_ns,
        main_ns=main.total_ns,
        known_ns=total if direct else 0,
        outran_ns=total if times and executions * times.products_ceiling_ns > total - transforms_ns else 0,
        longest=longest,
        longest_ns=max(launch.longest_ns for launch in launches),
    )


def _run(
    device: DeviceTrace, work: OpWork, executions: int, launches: Sequence[_Launches]
) -> tuple[OpWork | None, int]:
    """The work that kernels really do, and the time of kernels whose work comes in addition.

    A convolution by Winograd's algorithm or FFT multiplies less than the direct formula, and transforms its
    tensors in kernels whose needs nobody knows. No work if the profile does not show how much.
    """
    names = [device.names[device.name[launch.row]] for launch in launches]
    if not work.matrix_flops or not any(indirect(name) for name in names):
        return work, 0
    named = list(zip(names, launches, strict=True))
    kernels = [
        (name, _grid(device, launch.row))
        for name, launch in named
        for _ in range(round(launch.count / executions))
    ]
    found = op_products_run(kernels, work)
    if not found:
        return None, 0
    transforms_ns = sum(launch.total_ns for name, launch in named if not multiplies(name))
    # Products read and write transformed tensors.
    return replace(work, flops=found, matrix_flops=found, bytes=0), transforms_ns


def _grid(device: DeviceTrace, row: int) -> Grid:
    detail = device.detail[row]
    extents = read_details(device.details[detail]).grid.split(",") if detail >= 0 else []
    x, y, z = (int(extent) for extent in extents) if len(extents) == 3 else (0, 0, 0)
    return x, y, z


def product_format(work: OpWork, kernels: Iterable[int]) -> str:
    """The format in which an op's products run: float32 may be rounded to TF32, as kernels' names show."""
    found = set(kernels)
    if work.matrix_format == "fp32" and (Precision.TF32 in found or Precision.FP32 not in found):
        return "tf32"
    return work.matrix_format


class _Times(Record, frozen=True):
    """Least times of one execution, ns."""

    products_ns: float  #: Matrix operations at the data sheet's peak.
    peak_ns: tuple[float, float]  #: (operations, bytes) at the data sheet's peak.
    floor_ns: tuple[float, float]  #: (operations, bytes) at the share of the peak that good libraries reach.
    usual_ns: float  #: All work at usual rates.
    products_ceiling_ns: float  #: Matrix operations at the highest clock.
    ceiling_ns: float  #: All work at the highest clock.


def _times(rates: Speeds, work: OpWork, format: str) -> _Times | None:
    """The least times of an execution; ``None`` if the GPU's rate in this format is not known."""
    peak, ceiling = (rates.peak(format), rates.ceiling(format)) if format else (1.0, 1.0)
    ordinary = rates.peaks.fp32 * rates.units * rates.clock_khz * 1e3
    if not peak or not ceiling:
        return None
    products, others = work.matrix_flops / peak * 1e9, (work.flops - work.matrix_flops) / ordinary * 1e9
    memory = work.bytes / rates.bytes_per_s * 1e9
    attention = work.kind == "attention"
    reached, usual = rates.reached(format, attention), rates.usual(format, attention)
    return _Times(
        products,
        (max(products, others), memory),
        (max(products / reached, others), memory / MEMORY_REACHED),
        max(products / usual, others, memory / USUAL_MEMORY),
        work.matrix_flops / ceiling * 1e9,
        # Two halves may be computed at once.
        max(work.matrix_flops / ceiling * 1e9, others / 4, memory),
    )
