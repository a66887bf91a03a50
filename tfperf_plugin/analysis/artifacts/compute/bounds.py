"""How fast each op could run, by what it computes and moves, and what that leaves of the account ``compute``.

The bound of an execution (Williams et al. 2009, "Roofline") is the longest of three times: its matrix
operations at the peak of their number format, its other operations at that of the ordinary units, its bytes
at the memory's bandwidth. There are three: ``peak``, at the data sheet's rates, ``floor``, at the share of
them that good libraries reach at best, and ``usual``, at what they reach of usual layers
(``hardware/speeds.py``), but never more than the time that the op took. What runs faster than the peak
allows was misunderstood, or served from a cache, and is not judged.

Work is that of one execution of an op, which may be several kernels. A program's instructions run as often
as the program does; other ops as often as the rarest of their kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.capture.devices import figures
from tfperf_plugin.analysis.artifacts.compute.ops import read_details
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.compute.sequences import SHORT_NS
from tfperf_plugin.analysis.artifacts.compute.tensor_work import work_from_allocations
from tfperf_plugin.analysis.artifacts.compute.tiles import Grid, indirect, multiplies, op_products_run
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.ledger import DeviceLedger, HostLedger, Ledger, share_out
from tfperf_plugin.arrays.intervals import Ints, covered_within
from tfperf_plugin.arrays.unique import unique_inverse
from tfperf_plugin.hardware.speeds import MEMORY_REACHED, USUAL_MEMORY, Speeds
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace, OpWork
from tfperf_plugin.trace.roles import KernelClass, Precision, Role, is_layout_transpose

Work = Mapping[tuple[str, str], OpWork]
BoundBy = Literal["compute", "memory", "latency", "not judged"]
Kind = Literal["matrix", "memory", "small", "other"]
KINDS: Final[tuple[Kind, ...]] = ("matrix", "memory", "small", "other")

# Ours: a kernel that does nearly nothing takes at most this long, so less than that binds no short kernel.
LATENCY_NS: Final = 2_000
# With less of the time of matrix kernels known, MFU would be too low to be said.
KNOWN_RATIO: Final = 0.95
# Of the model's products; less does not change what MFU says.
INDIRECT_RATIO: Final = 0.1
# Of the time of matrix kernels: so much cannot be single ops that were misunderstood.
ABOVE_RATIO: Final = 0.05
_MATRIX: Final = (KernelClass.MATRIX_TENSOR_CORE, KernelClass.MATRIX_OTHER)

UNKNOWN: Final = "what it computes was not recorded"
ABOVE: Final = "faster than its bound: what it computes was misunderstood, or a cache served it"
INDIRECT: Final = "it multiplies less than the direct formula (Winograd, FFT)"
UNEVEN: Final = "its kernels were not the same in all steps"
NO_RATES: Final = "the GPU's rates are not known"


class OpBound(Record, frozen=True):
    """All executions of an op on all GPUs in judged steps.

    ``launches_count``: of kernels; ``total_ns``: their time, overlapping ones counted in full;
    ``compute_ns``: their part of the account ``compute``, where of overlapping kernels the first owns the
    time. ``floor_ns``/``peak_ns``/``usual_ns``: see above, of all executions; with ``not_judged``, the
    reason, they are 0.
    ``judged_ns``: their part of ``total_ns``, all but kernels that transform tensors for a Winograd or FFT
    convolution, whose needs nobody knows. ``turned_ns``: of kernels of a product that only turn its tensors
    into another layout.
    ``compute_bound_ns``/``memory_bound_ns``/``latency_bound_ns``: time of executions by what binds them.
    ``flops``: what its kernels run, as far as known, a multiply-add being two; ``matrix_flops``: of the
    model's products; ``bytes``: all three of all executions, 0 without ``work``. ``products_ns``: time of
    ``matrix_flops`` at the data sheet's peak of their ``format``, of which ``recomputed_ns`` repeat the
    forward pass and ``indirect_ns`` are of kernels that multiply less. ``matrix``: it multiplies matrices, or
    its kernels are named like that. ``work``: of one execution on the first GPU. ``kernel`` to
    ``kernel_ns``: the kernel with most time on any GPU; ``main_ns``: of each GPU's kernel with most time.
    ``known_ns``: part of ``total_ns`` whose products are known; ``outran_ns``: of products faster than the
    recorded clock allows. ``longest``: the place of the longest launch.
    """

    launches_count: int
    executions_count: int
    total_ns: int
    compute_ns: int
    judged_ns: int
    turned_ns: int
    floor_ns: int
    peak_ns: int
    usual_ns: int
    flops: int
    matrix_flops: int
    bytes: int
    products_ns: int
    recomputed_ns: int
    indirect_ns: int
    compute_bound_ns: int
    memory_bound_ns: int
    latency_bound_ns: int
    not_judged: str
    format: str
    matrix: bool
    work: OpWork | None
    kernel: str
    details: str
    kernel_class: KernelClass
    kernel_ns: int
    main_ns: int
    known_ns: int
    outran_ns: int
    longest: Place
    longest_ns: int

    def merged_with(self, other: OpBound) -> OpBound:
        """Both."""
        sums = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        most = max(self, other, key=lambda op: op.kernel_ns)
        longer = max(self, other, key=lambda op: op.longest_ns)
        unknown = self.not_judged or other.not_judged
        if unknown:
            sums |= dict.fromkeys(_BOUNDS, 0)
        return OpBound(
            **sums,
            not_judged=unknown,
            format=self.format or other.format,
            matrix=self.matrix or other.matrix,
            work=self.work or other.work,
            kernel=most.kernel,
            details=most.details,
            kernel_class=most.kernel_class,
            kernel_ns=most.kernel_ns,
            longest=longer.longest,
            longest_ns=longer.longest_ns,
        )

    @property
    def bound_by(self) -> BoundBy:
        """What binds most of the time."""
        if self.not_judged:
            return "not judged"
        times: list[tuple[int, BoundBy]] = [
            (self.compute_bound_ns, "compute"),
            (self.memory_bound_ns, "memory"),
            (self.latency_bound_ns, "latency"),
        ]
        return max(times, key=lambda time: time[0])[1]

    @property
    def kind(self) -> Kind:
        """The kind of its time in the account ``compute``."""
        if self.matrix:
            return "matrix"
        kinds: dict[BoundBy, Kind] = {"memory": "memory", "latency": "small"}
        return kinds.get(self.bound_by, "other")

    @property
    def run_products_ns(self) -> int:
        """The time of the operations that its kernels really multiply, at the data sheet's peak."""
        fewer = self.flops / max(1, self.matrix_flops) if self.indirect_ns and self.judged_ns else 1.0
        return round(self.products_ns * min(1.0, fewer))

    @property
    def needed_ns(self) -> int:
        """What the floor is of its part of the account ``compute``."""
        return self.floor_ns * self.compute_ns // max(1, self.total_ns)

    @property
    def likely_ns(self) -> int:
        """What products of usual layers take for its part of the account ``compute``: promises end there."""
        return self.usual_ns * self.compute_ns // max(1, self.total_ns)

    @property
    def recoverable_ns(self) -> int:
        """The rest of that part; 0 if it is not judged."""
        return self.judged_ns * self.compute_ns // max(1, self.total_ns) - self.needed_ns


_BOUNDS: Final = (
    "judged_ns",
    "floor_ns",
    "peak_ns",
    "usual_ns",
    "compute_bound_ns",
    "memory_bound_ns",
    "latency_bound_ns",
)
_SUMS: Final = (
    "launches_count", "executions_count", "total_ns", "compute_ns", "flops", "matrix_flops", "bytes",
    "products_ns", "recomputed_ns", "indirect_ns", "outran_ns", "turned_ns", "main_ns", "known_ns",
    *_BOUNDS,
)  # fmt: skip


class Bounds(Record, frozen=True):
    """``ops``: (program of XLA or "", op) → its bound, by falling ``compute_ns``; ``total_ns``: the account
    ``compute``, summed over the ``windows_count`` = judged steps × GPUs; ``step_ns``: of the average step."""

    ops: dict[tuple[str, str], OpBound]
    total_ns: int
    windows_count: int
    step_ns: int

    def per_step(self, total: float) -> int:
        """The share of an average step on one GPU in a sum over all judged steps and GPUs."""
        return int(total) // max(1, self.windows_count)

    @property
    def judged_ratio(self) -> float | None:
        """Share of the account ``compute`` whose floor is known; ``None`` without compute."""
        judged = sum(op.needed_ns + op.recoverable_ns for op in self.ops.values())
        return judged / self.total_ns if self.total_ns else None

    def parts(self, compute_ns: int) -> dict[Kind, tuple[int, int, int]]:
        """Of each kind of kernel the time needed, recoverable and not judged in an average step.

        They add up to ``compute_ns``, the account ``compute`` of the average step, exactly.
        """
        sums = np.zeros((len(KINDS), 3), np.int64)
        for op in self.ops.values():
            judged = op.needed_ns, op.recoverable_ns
            sums[KINDS.index(op.kind)] += (*judged, op.compute_ns - sum(judged))
        # Memsets belong to no op.
        sums[-1, -1] += max(0, self.total_ns - int(sums.sum()))
        shares = np.array(share_out(sums.ravel(), max(1, self.windows_count)))
        shares[int(np.argmax(sums))] += compute_ns - int(shares.sum())
        needed, recoverable, unknown = shares.reshape(sums.shape).T.tolist()
        return dict(zip(KINDS, zip(needed, recoverable, unknown, strict=True), strict=True))

    @property
    def floor_ns(self) -> int:
        """What the work of an average step needs at the rates that good libraries reach."""
        return self.per_step(sum(op.needed_ns for op in self.ops.values()))

    @property
    def peak_ns(self) -> int:
        """What the same work needs at the data sheet's peaks."""
        ops = self.ops.values()
        return self.per_step(sum(op.peak_ns * op.compute_ns // max(1, op.total_ns) for op in ops))

    @property
    def known_ratio(self) -> float | None:
        """Share of the time of matrix kernels whose operations are known; ``None`` without such kernels."""
        matrix = [op for op in self.ops.values() if op.matrix]
        total = sum(op.total_ns for op in matrix)
        return sum(op.known_ns for op in matrix) / total if total else None

    def utilization(self, recomputed: bool) -> float | None:
        """Model FLOPs utilization, or with ``recomputed`` operations that of the hardware.

        The time that the matrix operations of a step take at the data sheet's dense peak, as a share of the
        step (Chowdhery et al. 2022, appendix B; Korthikanti et al. 2022). ``None`` if too few are known, if
        they would take more than the step, or if products outrun the recorded clock.
        """
        if (self.known_ratio or 0) < KNOWN_RATIO or not self.step_ns or self.outruns_clock:
            return None
        return None if self.above_step else self._products_ratio(recomputed)

    def _products_ratio(self, recomputed: bool) -> float:
        total = sum(op.products_ns - (0 if recomputed else op.recomputed_ns) for op in self.ops.values())
        return total / max(1, self.windows_count * self.step_ns)

    @property
    def above_step(self) -> bool:
        """Whether the operations of all products would take longer than the step at the peak."""
        return self._products_ratio(recomputed=True) > 1

    @property
    def outruns_clock(self) -> bool:
        """Whether products ran faster than the recorded clock allows, so that no peak follows from it."""
        matrix = [op for op in self.ops.values() if op.matrix]
        return sum(op.outran_ns for op in matrix) > ABOVE_RATIO * sum(op.total_ns for op in matrix)

    @property
    def above(self) -> tuple[OpBound, ...]:
        """Ops that ran faster than their bound."""
        return tuple(op for op in self.ops.values() if op.not_judged == ABOVE)

    @property
    def recomputes(self) -> bool:
        """Whether any op is seen to repeat a part of the forward pass."""
        return any(op.recomputed_ns for op in self.ops.values())

    @property
    def indirect(self) -> bool:
        """Whether kernels by Winograd's algorithm or FFT run much less than the model's operations."""
        ops = self.ops.values()
        return sum(op.indirect_ns for op in ops) > INDIRECT_RATIO * sum(op.products_ns for op in ops)

    @property
    def matrix_flops(self) -> int:
        """Operations of matrix products and convolutions in an average step on one GPU."""
        return self.per_step(sum(op.matrix_flops for op in self.ops.values()))

    def by_op(self) -> dict[str, OpBound]:
        """The same by op, as the table of ops has it: programs may use one name for several instructions."""
        found: dict[str, OpBound] = {}
        for (_, name), op in self.ops.items():
            found[name] = found[name].merged_with(op) if name in found else op
        return found

    @property
    def main_format(self) -> str:
        """The number format in which products take most time at their peak, "" without products."""
        times: dict[str, int] = {}
        for op in self.ops.values():
            times[op.format] = times.get(op.format, 0) + op.products_ns
        return max(times, key=lambda name: times[name], default="")


class Part(Record, frozen=True):
    """The same of some hosts."""

    total_ns: int
    ops: dict[tuple[str, str], OpBound]


def part(view: View) -> Part:
    """The ops of one host."""
    host = view.ledger
    total = 0
    ops: dict[tuple[str, str], OpBound] = {}
    work = {**view.trace.op_work, **work_from_allocations(view.trace)} if host else {}
    for device in host.devices if host else ():
        assert host is not None
        total += int(device.sums_ns[host.steps.judged][:, 0].sum())
        source = view.trace.devices[device.index]
        for key, op in _device(source, device, host, work).items():
            ops[key] = ops[key].merged_with(op) if key in ops else op
    return Part(total, ops)


def finish(found: Part, ledger: Ledger) -> Bounds:
    """The bounds of all hosts."""
    ops = dict(sorted(found.ops.items(), key=lambda item: (-item[1].compute_ns, item[0])))
    return Bounds(ops, found.total_ns, ledger.windows, ledger.step_ns)


def owned(device: DeviceTrace, ledger: DeviceLedger, host: HostLedger) -> tuple[Ints, Ints]:
    """Rows of all compute kernels of a GPU, and the part of the account ``compute`` in judged steps of each.

    Of kernels that overlap, the one that started first owns the time.
    """
    rows = np.flatnonzero(device.role == Role.KERNEL)
    begin, end = device.start_ns[rows], device.end_ns[rows]
    if len(rows):
        begin = np.maximum(begin, np.concatenate([begin[:1], np.maximum.accumulate(end)[:-1]]))
    return rows, covered_within(host.judged_time(ledger, "compute"), begin, np.maximum(begin, end))


class _Launches(Record, frozen=True):
    """The launches of one kernel for one op: how many, their time and number format; the longest's row."""

    row: int
    count: int
    total_ns: int
    longest_ns: int
    precision: int


def _device(
    device: DeviceTrace, ledger: DeviceLedger, host: HostLedger, work: Work
) -> dict[tuple[str, str], OpBound]:
    """The ops of a GPU."""
    if not len(ledger.kernels):
        return {}
    every, share = owned(device, ledger, host)
    places, inverse = unique_inverse(_places(device, every))
    shares = dict(zip(places.tolist(), np.bincount(inverse, share).astype(np.int64).tolist(), strict=True))
    number = host.steps.number[host.steps.device_step[ledger.index]]
    return ops_of(device, ledger.kernels, work, host.host, shares, int(host.steps.judged.sum()), number)


def ops_of(
    device: DeviceTrace,
    rows: Ints | Codes,
    work: Work,
    host: str,
    shares: Mapping[int, int] = MappingProxyType({}),
    steps_count: int = 1,
    number: Ints | None = None,
) -> dict[tuple[str, str], OpBound]:
    """The ops of these kernels.

    ``shares``: place → its part of the account ``compute``; ``number``: of each event's step, if there are.
    """
    ops_count, names_count = len(device.ops) + 1, len(device.names)
    judged, inverse = unique_inverse(_places(device, rows))
    distinct, inverse = unique_inverse(inverse * names_count + device.name[rows])
    length = device.end_ns[rows] - device.start_ns[rows]
    time = np.bincount(inverse, length).astype(np.int64)
    order = np.argsort(length, kind="stable")
    longest = np.zeros(len(distinct), np.int64)
    longest[inverse[order]] = order
    precision = np.zeros(len(distinct), np.int8)
    np.maximum.at(precision, inverse, device.precision[rows])
    kernels: dict[int, list[_Launches]] = {}
    columns = (rows[longest], np.bincount(inverse), time, length[longest], precision)
    for key, *entry in zip(distinct.tolist(), *(column.tolist() for column in columns), strict=True):
        kernels.setdefault(int(judged[key // names_count]), []).append(_Launches(*entry))
    named = {key: _named(device, key, ops_count) for key in kernels}
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
        if known and known.per_run:
            executions = min(least, runs.get(program, least))
        row = max(launches, key=lambda launch: launch.longest_ns).row
        step = None if number is None else int(number[row])
        begin_ms, end_ms = int(device.start_ns[row]) / 1e6, int(device.end_ns[row]) / 1e6
        at = Place(host, begin_ms, end_ms, "", device.device, step=step)
        told = None if uneven else known
        op = _op(device, rates, name, told, executions, launches, shares.get(key, 0), at)
        if uneven and known:
            op = replace(op, not_judged=UNEVEN)
        title = program, plain_op(name)
        found[title] = found[title].merged_with(op) if title in found else op
    return found


def _places(device: DeviceTrace, rows: Ints | Codes) -> Ints:
    """A number for each pair of a program and an op."""
    return (device.module[rows].astype(np.int64) + 1) * (len(device.ops) + 1) + device.op[rows] + 1


def _named(device: DeviceTrace, key: int, ops_count: int) -> tuple[str, str]:
    module, op = key // ops_count - 1, key % ops_count - 1
    return device.modules[module] if module >= 0 else "", device.ops[op] if op >= 0 else ""


def _runs(
    kernels: Mapping[int, Sequence[_Launches]], named: Mapping[int, tuple[str, str]], work: Work
) -> dict[str, int]:
    """How often each program ran: the median over instructions that run once each time."""
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
    matrix = bool(work and work.matrix_flops) or KernelClass(device.kernel_class[main.row]) in _MATRIX
    turns = [
        one for one in launches if matrix and is_layout_transpose(device.names[device.name[one.row]], name)
    ]
    # An op may launch casts and reductions beside its product.
    products_only = [one for one in launches if KernelClass(device.kernel_class[one.row]) in _MATRIX]
    format = product_format(work, [one.precision for one in products_only or launches]) if work else ""
    if rates and format == "tf32" and not rates.peak(format):
        format = "fp32"
    direct = _times(rates, work, format) if work and rates else None
    run, transforms_ns = _run(device, work, executions, launches) if work else (None, 0)
    times = _times(rates, run, format) if run and rates else None
    why = UNKNOWN if not work else INDIRECT if not run else NO_RATES if not times else ""
    judged_ns = peak_ns = floor_ns = usual_ns = products = 0
    binds = 0, 0, 0
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
            binds = 0, 0, total
        else:
            binds = (total, 0, 0) if times.floor_ns[0] >= times.floor_ns[1] else (0, total, 0)
    return OpBound(
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
        compute_bound_ns=binds[0],
        memory_bound_ns=binds[1],
        latency_bound_ns=binds[2],
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
    """The work that kernels really do, and the time of kernels whose work is beside it.

    A convolution by Winograd's algorithm or FFT multiplies less than the direct formula, and transforms its
    tensors in kernels of which nobody knows what they need. No work if the profile does not tell how much.
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
    """The format in which an op's products run: float32 may be rounded to TF32, which kernels' names say."""
    found = set(kernels)
    if work.matrix_format == "fp32" and (Precision.TF32 in found or Precision.FP32 not in found):
        return "tf32"
    return work.matrix_format


class _Times(Record, frozen=True):
    """Least times of one execution in ns: ``products_ns`` of its matrix operations at the data sheet's peak;
    (operations, bytes) at that peak and at what is reached of it; all at what is usual; products, and all, at
    the highest clock."""

    products_ns: float
    peak_ns: tuple[float, float]
    floor_ns: tuple[float, float]
    usual_ns: float
    products_ceiling_ns: float
    ceiling_ns: float


def _times(rates: Speeds, work: OpWork, format: str) -> _Times | None:
    """``None`` if the GPU's rate in this format is not known."""
    peak, ceiling = (rates.peak(format), rates.ceiling(format)) if format else (1.0, 1.0)
    ordinary = rates.peaks.fp32 * rates.units * rates.clock_khz * 1e3
    if not peak or not ceiling:
        return None
    products, others = work.matrix_flops / peak * 1e9, (work.flops - work.matrix_flops) / ordinary * 1e9
    memory = work.bytes / rates.bytes_per_s * 1e9
    reached = rates.reached(format)
    return _Times(
        products,
        (max(products, others), memory),
        (max(products / reached, others), memory / MEMORY_REACHED),
        max(products / rates.usual(format), others, memory / USUAL_MEMORY),
        work.matrix_flops / ceiling * 1e9,
        # Two halves may be computed at once.
        max(work.matrix_flops / ceiling * 1e9, others / 4, memory),
    )
