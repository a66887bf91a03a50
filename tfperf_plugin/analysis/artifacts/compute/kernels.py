"""The kernels of judged steps: per (kernel, op) how often and how long, and shares by number format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import First, GpuView, View, merged
from tfperf_plugin.analysis.artifacts.compute.op_names import plain_kernel, title
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, row_phases
from tfperf_plugin.analysis.evidence import Evidence, Place, Places
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import alone
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import MATRIX, KernelClass, Precision, op_type, tensor_core_eligible

# Averages are rounded; a smaller difference is no overlap.
ROUNDING_NS = 100
# Between two kernels that follow each other on a stream a GPU needs about a microsecond.
GAP_NS = 1_000


class Times(Record, frozen=True):
    """Times of some events, ns."""

    count: int  #: Number of events.
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


Launches = dict[tuple[str, Phase], Times]
"""By launch configuration, as the collector writes it ("" if not recorded), and phase."""


def _same(one: Any, _: Any) -> Any:
    return one


def _longer(one: tuple[int, Place], other: tuple[int, Place]) -> tuple[int, Place]:
    return max(one, other, key=lambda found: found[0])


class KernelRow(Record, frozen=True):
    """One (kernel, op) pair on all GPUs."""

    name: First
    op: First
    kernel_class: Annotated[KernelClass, _same]
    precision: Annotated[Precision, _same]
    times: Times  #: Times of its launches in judged steps.
    op_type: First
    eligible: bool  #: Whether the op is a product that Tensor Cores can compute, or the kernel is one.
    alone_ns: int  #: Time in which no other kernel runs on that GPU.
    shape: First  #: Shape of the op's inputs at the first launch that records it, "" if none does.
    longest: Annotated[tuple[int, Place], _longer]  #: Time in ns and place of its longest launch.
    launches: Launches


class Kernels(Record, frozen=True):
    """All compute kernels of judged steps."""

    rows: tuple[KernelRow, ...]  #: (kernel, op) pairs by falling total time.
    windows_count: int  #: Number of judged steps × GPUs behind the sums.

    def per_step(self, total: float) -> int:
        """An average step's share, on one GPU, of a sum over all judged steps and GPUs."""
        return int(total) // max(1, self.windows_count)

    def spent_ns(self, rows: Iterable[KernelRow]) -> int:
        """The time of the kernels ``rows`` in an average step on one GPU."""
        return self.per_step(sum(r.times.total_ns for r in rows))

    def evidence(self, rows: Iterable[KernelRow]) -> Iterator[Evidence]:
        """Evidence of the time of each of ``rows`` in an average step on one GPU, labelled by its op,
        or by its name where others are of the same op."""
        named = [(row, title(row.op)) for row in rows]
        ops = [op for _, op in named]
        for row, op in named:
            label = op if op and ops.count(op) == 1 else plain_kernel(row.name)[:60]
            yield Evidence(label, self.spent_ns([row]), "ns", None, row.name[:100])

    def places(self, rows: Iterable[KernelRow], label: str) -> tuple[Place, ...]:
        """The longest launches of these rows, longest first."""
        return Places.of(row.longest for row in rows).all(label)

    @staticmethod
    def names(rows: Iterable[KernelRow]) -> tuple[str, ...]:
        """The names of the kernels ``rows``, by falling time."""
        return tuple(dict.fromkeys(r.name for r in sorted(rows, key=lambda r: -r.times.total_ns)))

    def exposed(self, ledger: Ledger, saving_ns: int, *kinds: KernelClass) -> int:
        """Time by which a step gets shorter if kernels of the classes ``kinds`` get shorter by ``saving_ns``,
        summed over streams.

        Where they run beside other kernels, only their share in the ledger counts.
        """
        summed = self.spent_ns(r for r in self.rows if r.kernel_class in kinds)
        classes = ledger.compute_classes()
        alone = sum(classes[f"compute.{kind.name.lower()}"] for kind in kinds)
        return saving_ns if summed - alone <= ROUNDING_NS else saving_ns * alone // summed

    @property
    def per_step_count(self) -> float:
        """Kernels of an average step on one GPU."""
        return sum(r.times.count for r in self.rows) / max(1, self.windows_count)

    @property
    def total_ns(self) -> int:
        """Summed kernel time; kernels of several streams count each."""
        return sum(r.times.total_ns for r in self.rows)

    def matrix_ns(self, *formats: Precision) -> int:
        """Summed time of matrix multiplications and convolutions in these number formats."""
        return sum(r.times.total_ns for r in self.rows if r.kernel_class in MATRIX and r.precision in formats)

    def ratio(self, *formats: Precision) -> float | None:
        """Share of these number formats in the kernel time of known format; ``None`` if no format is
        known."""
        known = sum(r.times.total_ns for r in self.rows if r.precision is not Precision.UNKNOWN)
        mine = sum(r.times.total_ns for r in self.rows if r.precision in formats)
        return mine / known if known else None


Key = tuple[str, str, KernelClass, Precision]
"""Kernel and op, with the kernel's class and format."""


def part(view: View) -> dict[Key, KernelRow]:
    """The compute kernels of judged steps of one host."""
    found: dict[Key, KernelRow] = {}
    for gpu in view.gpus:
        if len(gpu.ledger.kernels):
            found = merged(found, _of_gpu(gpu, view.run.training))
    return found


def finish(found: dict[Key, KernelRow], ledger: Ledger) -> Kernels:
    """The compute kernels of judged steps of all hosts."""
    rows = sorted(found.values(), key=lambda r: (-r.times.total_ns, r.name, r.op))
    return Kernels(tuple(rows), ledger.windows)


def _of_gpu(gpu: GpuView, training: bool) -> dict[Key, KernelRow]:
    source, rows = gpu.source, gpu.ledger.kernels
    start, end = source.start_ns[rows], source.end_ns[rows]
    length = end - start
    kinds = Groups(source.name[rows], source.op[rows], source.precision[rows], source.detail[rows])
    longest = kinds.at_max(length)
    columns = (
        rows[kinds.first],
        rows[longest],
        row_phases(source, rows[kinds.last], training),
        kinds.sum(alone(start, end)),
        kinds.count,
        kinds.sum(length),
        kinds.min(length),
        length[longest],
    )
    table = np.stack(columns, axis=1)[np.argsort(kinds.first)]
    found: dict[Key, KernelRow] = {}
    for row, place, phase, own, *numbers in table.tolist():
        key = name, op, kind, precision = (
            source.names[source.name[row]],
            _text(source.ops, source.op[row]),
            KernelClass(source.kernel_class[row]),
            Precision(source.precision[row]),
        )
        times, of_type = Times(*numbers), op_type(op)
        product = kind is KernelClass.MATRIX_TENSOR_CORE or (kind is KernelClass.MATRIX_OTHER and not op)
        made = KernelRow(
            name, op, kind, precision, times, of_type, tensor_core_eligible(of_type) or product, own,
            _text(source.shapes, source.shape[row]), (times.max_ns, gpu.place(place)),
            {(_text(source.details, source.detail[row]), Phase(phase)): times},
        )  # fmt: skip
        found[key] = merged(found[key], made) if key in found else made
    return found


def _text(texts: Sequence[str], code: int) -> str:
    return texts[code] if code >= 0 else ""
