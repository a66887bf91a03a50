"""Ops of GPUs for rules: sums of their times, the rows and places that show them, and claims on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.kernels import KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.artifacts.compute.slow import Slow
from tfperf_plugin.analysis.evidence import Evidence, Place, Places
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable
from tfperf_plugin.judging.engine.words import count, percent
from tfperf_plugin.records import Record

SHOWN_COUNT = 4


class JudgedOps(Record, frozen=True):
    """Ops that a rule judges together, in the order in which it shows them."""

    bounds: Bounds
    ops: tuple[OpBound, ...]

    @staticmethod
    def of(slow: Slow, cause: str) -> JudgedOps:
        """The ops with the given cause, by falling time above the floor."""
        return JudgedOps(slow.bounds, slow.ops(cause))

    @property
    def longest_first(self) -> JudgedOps:
        """The same ops by falling time."""
        return replace(self, ops=tuple(sorted(self.ops, key=lambda op: -op.compute_ns)))

    def per_step(self, value: Callable[[OpBound], float]) -> int:
        """The sum of ``value`` over the ops, for an average step on one GPU."""
        return self.bounds.per_step(sum(value(op) for op in self.ops))

    @property
    def spent_ns(self) -> int:
        """The part of the account ``compute`` in an average step on one GPU."""
        return self.per_step(lambda op: op.compute_ns)

    @property
    def needed_ns(self) -> int:
        """The floor of ``spent_ns``."""
        return self.per_step(lambda op: op.needed_ns)

    @property
    def share_of_peak(self) -> float:
        """The time of the operations that they run at the data sheet's peak, as a share of their time."""
        total = sum(op.total_ns for op in self.ops)
        return sum(op.run_products_ns for op in self.ops) / max(1, total)

    def evidence(
        self, value: Callable[[OpBound], float], source: Callable[[OpBound], str]
    ) -> Iterator[Evidence]:
        """Rows on the first ops: the time ``value`` in an average step on one GPU."""
        for op in self.ops[:SHOWN_COUNT]:
            yield Evidence(name(op), self.bounds.per_step(value(op)), "ns", None, source(op))

    def products(self) -> Iterator[Evidence]:
        """Rows on the first products with time, shape, rate and bound; one for each shape and kernel."""
        groups: dict[object, list[OpBound]] = {}
        for op in self.ops:
            same = op.products or (op.work.flops if op.work else 0)
            groups.setdefault((same, op.format, op.kernel), []).append(op)
        for group in list(groups.values())[:SHOWN_COUNT]:
            first = group[0]
            others = f" and {count(len(group) - 1, 'other')}" if len(group) > 1 else ""
            facts = [
                shape(first),
                f"{teraflops(first)} in {first.format}",
                f"{percent(JudgedOps(self.bounds, (first,)).share_of_peak)} of the peak",
                f"bound by {first.bound_by}",
                first.kernel[:60],
            ]
            spent = JudgedOps(self.bounds, tuple(group)).spent_ns
            yield Evidence(f"{name(first)}{others}", spent, "ns", None, "; ".join(filter(None, facts)))

    def places(self, label: str) -> tuple[Place, ...]:
        """The longest launches, longest first."""
        return Places.of((op.longest_ns, op.longest) for op in self.ops).all(label)

    def claimed(self, saving_ns: int, label: str) -> dict[str, Any]:
        """Fields of a finding that claims ``saving_ns`` of these ops."""
        kernels = tuple(dict.fromkeys(op.kernel for op in self.ops))
        return _claimed(saving_ns, self.places(label), kernels)


def claimed(saving_ns: int, kernels: Kernels, rows: Sequence[KernelRow], label: str) -> dict[str, Any]:
    """Fields of a finding that claims ``saving_ns`` of the kernels ``rows``."""
    return _claimed(saving_ns, kernels.places(rows, label), kernels.names(rows))


def _claimed(saving_ns: int, places: tuple[Place, ...], kernels: tuple[str, ...]) -> dict[str, Any]:
    return {"where": places, "claims": {"compute": saving_ns}, "kernels": kernels, "confidence": "medium"}


def judged(bounds: Bounds) -> tuple[OpBound, ...] | Missing | NotApplicable:
    """The matrix products and convolutions whose floor is known, or why there are none."""
    products = [op for op in bounds.ops.values() if op.matrix]
    known = tuple(op for op in products if not op.not_judged)
    if not products:
        return NotApplicable("The step has no matrix product or convolution.")
    if not known:
        return Missing(
            f"No matrix product can be judged: {products[0].not_judged}.",
            "Record with host_tracer_level=2, the default: the sizes of tensors come from the events of "
            "TensorFlow's allocator; compiled programs are recorded with their sizes.",
        )
    return known


def teraflops(op: OpBound) -> str:
    """The rate of its matrix operations."""
    rate = op.matrix_flops / max(1, op.total_ns) / 1e3
    return f"{rate:.{0 if rate >= 100 else 1 if rate >= 1 else 3}f} TFLOP/s"


def shape(op: OpBound) -> str:
    """The sides m×n×k of its largest product; "" if not known."""
    if not op.products:
        return ""
    product = op.products[0]
    sides = "×".join(str(side) for side in (product.m, product.n, product.k))
    batch = f"{product.batch} times " if product.batch > 1 else ""
    return f"{batch}{sides}{f', window of {product.window}' if product.window > 1 else ''}"


def name(op: OpBound) -> str:
    """The name of an op as the table of ops has it."""
    return title(op.name)[:100] or op.kernel[:60]
