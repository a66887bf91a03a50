"""The kernels of judged steps: per (kernel, op) how often and how long, and shares by number format."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.timeline import Places
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.intervals import Ints, alone
from tfperf_plugin.arrays.unique import stable_order
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace
from tfperf_plugin.trace.roles import KernelClass, Precision, op_type, tensor_core_eligible

# Averages are rounded; a smaller difference is no overlap.
ROUNDING_NS = 100
MATRIX = (KernelClass.MATRIX_TENSOR_CORE, KernelClass.MATRIX_OTHER)
# Between two kernels that follow each other on a stream a GPU needs about a microsecond.
GAP_NS = 1_000


class KernelRow(Record, frozen=True):
    """One (kernel, op) pair on all GPUs: ``total_ns`` summed over judged steps, ``count`` launches.

    ``alone_ns``: the part in which no other kernel runs on that GPU.
    ``eligible``: the op is a product that Tensor Cores can compute, or the kernel is one. ``shape`` (of the
    op's inputs) and ``details`` (registers, shared memory, grid, block, as the collector writes them) are
    those of its first launch, "" if not recorded. ``longest``: the place of its longest launch.
    """

    name: str
    op: str
    kernel_class: KernelClass
    precision: Precision
    count: int
    total_ns: int
    op_type: str = ""
    eligible: bool = False
    max_ns: int = 0
    alone_ns: int = 0
    shape: str = ""
    details: str = ""
    longest: Place | None = None

    @property
    def mean_ns(self) -> int:
        """Length of an average launch."""
        return self.total_ns // max(1, self.count)


class Kernels(Record, frozen=True):
    """Rows by falling total; ``windows_count`` = judged steps × GPUs behind the sums."""

    rows: tuple[KernelRow, ...]
    windows_count: int

    def per_step(self, total: float) -> int:
        """The share of an average step on one GPU in a sum over all judged steps and GPUs."""
        return int(total) // max(1, self.windows_count)

    def places(self, rows: Iterable[KernelRow], label: str) -> tuple[Place, ...]:
        """The longest launches of these rows, longest first."""
        found = [(row.max_ns, replace(row.longest, label=label)) for row in rows if row.longest]
        return Places.of(found).all()

    @staticmethod
    def names(rows: Iterable[KernelRow]) -> tuple[str, ...]:
        """The names of these kernels, those with the most time first."""
        return tuple(dict.fromkeys(r.name for r in sorted(rows, key=lambda r: -r.total_ns)))

    def exposed(self, ledger: Ledger, saving_ns: int, *kinds: KernelClass) -> int:
        """How much shorter a step gets if kernels of these classes get shorter by this much, summed over
        streams.

        Where they run beside other kernels, only their share in the ledger counts.
        """
        summed = self.per_step(sum(r.total_ns for r in self.rows if r.kernel_class in kinds))
        classes = ledger.compute_classes()
        alone = sum(classes[f"compute.{kind.name.lower()}"] for kind in kinds)
        return saving_ns if summed - alone <= ROUNDING_NS else saving_ns * alone // summed

    @property
    def per_step_count(self) -> float:
        """Kernels of an average step on one GPU."""
        return sum(r.count for r in self.rows) / max(1, self.windows_count)

    @property
    def total_ns(self) -> int:
        """Summed kernel time; kernels of several streams count each."""
        return sum(r.total_ns for r in self.rows)

    def matrix_ns(self, *formats: Precision) -> int:
        """Summed time of matrix multiplications and convolutions in these number formats."""
        return sum(r.total_ns for r in self.rows if r.kernel_class in MATRIX and r.precision in formats)

    def ratio(self, *formats: Precision) -> float | None:
        """Share of these number formats in the kernel time of known format; ``None`` if no format is
        known."""
        known = sum(r.total_ns for r in self.rows if r.precision is not Precision.UNKNOWN)
        mine = sum(r.total_ns for r in self.rows if r.precision in formats)
        return mine / known if known else None


Key = tuple[str, str, int, int]


class _Sums(Struct, forbid_unknown_fields=True):
    """The sums of one (kernel, op) pair; the texts are those of its first launch."""

    shape: str
    details: str
    count: int = 0
    total_ns: int = 0
    max_ns: int = 0
    alone_ns: int = 0
    longest: Place | None = None

    def merged_with(self, other: _Sums) -> _Sums:
        """Both, ``self`` launched first."""
        longer = other if other.max_ns > self.max_ns or not self.longest else self
        return _Sums(
            self.shape,
            self.details,
            self.count + other.count,
            self.total_ns + other.total_ns,
            longer.max_ns,
            self.alone_ns + other.alone_ns,
            longer.longest,
        )


def part(view: View) -> dict[Key, _Sums]:
    """The compute kernels of judged steps of one host."""
    host = view.ledger
    table: dict[Key, _Sums] = {}
    for device in host.devices if host else ():
        assert host is not None
        step = host.steps.device_step[device.index]
        _add(table, view.trace.devices[device.index], device.kernels, host.host, host.steps.number, step)
    return table


def finish(table: dict[Key, _Sums], ledger: Ledger) -> Kernels:
    """All compute kernels of judged steps."""
    rows = [_row(*key, sums) for key, sums in table.items()]
    return Kernels(tuple(sorted(rows, key=lambda r: (-r.total_ns, r.name, r.op))), ledger.windows)


def _add(
    table: dict[Key, _Sums], source: DeviceTrace, rows: Codes, host: str, number: Ints, step: Codes
) -> None:
    """Adds these kernels of a GPU to the table; ``number``: of steps; ``step``: of each of its events."""
    if not len(rows):
        return
    key = source.name[rows].astype(np.int64) * (len(source.ops) + 1) + source.op[rows] + 1
    order = stable_order(key)
    begin = np.flatnonzero(np.diff(key[order], prepend=-1))
    length = (source.end_ns[rows] - source.start_ns[rows])[order]
    count = np.diff(begin, append=len(order)).tolist()
    single = alone(source.start_ns[rows], source.end_ns[rows])[order]
    single_total = np.add.reduceat(single, begin).tolist()
    total = np.add.reduceat(length, begin).tolist()
    most = np.maximum.reduceat(length, begin)
    at_most = np.flatnonzero(length == np.repeat(most, count))
    longest = rows[order[at_most[np.searchsorted(at_most, begin)]]].tolist()
    for i, row in enumerate(rows[order[begin]].tolist()):
        entry = table.setdefault(
            (
                source.names[source.name[row]],
                _string(source.ops, int(source.op[row])),
                int(source.kernel_class[row]),
                int(source.precision[row]),
            ),
            _Sums(
                _string(source.shapes, int(source.shape[row])),
                _string(source.details, int(source.detail[row])),
            ),
        )
        entry.count += count[i]
        entry.total_ns += total[i]
        entry.alone_ns += single_total[i]
        if most[i] > entry.max_ns or not entry.longest:
            entry.max_ns, at = int(most[i]), longest[i]
            begin_ms, end_ms = int(source.start_ns[at]) / 1e6, int(source.end_ns[at]) / 1e6
            entry.longest = Place(host, begin_ms, end_ms, "", source.device, step=int(number[step[at]]))


def _string(strings: tuple[str, ...], code: int) -> str:
    return strings[code] if code >= 0 else ""


def _row(name: str, op: str, kind: int, fmt: int, sums: _Sums) -> KernelRow:
    of_type = op_type(op)
    return KernelRow(
        name=name,
        op=op,
        kernel_class=KernelClass(kind),
        precision=Precision(fmt),
        count=sums.count,
        total_ns=sums.total_ns,
        op_type=of_type,
        eligible=(
            tensor_core_eligible(of_type)
            or kind == KernelClass.MATRIX_TENSOR_CORE
            or (kind == KernelClass.MATRIX_OTHER and not op)
        ),
        max_ns=sums.max_ns,
        alone_ns=sums.alone_ns,
        shape=sums.shape,
        details=sums.details,
        longest=sums.longest,
    )
