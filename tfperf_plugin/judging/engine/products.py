"""What the rules about matrix products share: how they describe products, and what they leave to others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.artifacts.compute.slow import Slow, SlowOp
from tfperf_plugin.analysis.evidence import Evidence, Place, Places
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable
from tfperf_plugin.judging.engine.words import count, percent

SHOWN_COUNT = 4


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


def gain_ns(op: OpBound) -> int:
    """What its part of the account ``compute`` can shrink by until it takes as long as products of usual
    layers, beside what another layout of its tensors saves.

    What 16 bit would save is a part of what they then still take: rules about number formats claim it.
    """
    own = round((1 - op.turned_ns / max(1, op.total_ns)) * op.compute_ns)
    return 0 if op.not_judged else max(0, own - op.likely_ns)


def share_of_peak(ops: Iterable[SlowOp]) -> float:
    """The time that the operations which they run need at the data sheet's peak, as a share of their time."""
    bounds = [op.bound for op in ops]
    return sum(op.run_products_ns for op in bounds) / max(1, sum(op.total_ns for op in bounds))


def teraflops(op: OpBound) -> str:
    """The rate of its matrix operations."""
    rate = op.matrix_flops / max(1, op.total_ns) / 1e3
    return f"{rate:.{0 if rate >= 100 else 1 if rate >= 1 else 3}f} TFLOP/s"


def shape(op: OpBound) -> str:
    """The sides m×n×k of its largest product; "" if not known."""
    if not op.work or not op.work.products:
        return ""
    product = op.work.products[0]
    sides = "×".join(str(side) for side in (product.m, product.n, product.k))
    batch = f"{product.batch} times " if product.batch > 1 else ""
    return f"{batch}{sides}{f', window of {product.window}' if product.window > 1 else ''}"


def name(op: SlowOp) -> str:
    """Its name as the table of ops has it."""
    return title(op.name) or op.bound.kernel[:60]


def rows(slow: Slow, ops: Sequence[SlowOp]) -> list[Evidence]:
    """Time, shape, rate and bound of the first ops; those of one shape and kernel are one row."""
    groups: dict[object, list[SlowOp]] = {}
    for op in ops:
        known = op.bound.work
        same = known.products or known.flops if known else 0
        groups.setdefault((same, op.bound.format, op.bound.kernel), []).append(op)
    found = []
    for group in list(groups.values())[:SHOWN_COUNT]:
        first = group[0].bound
        others = f" and {count(len(group) - 1, 'other')}" if len(group) > 1 else ""
        facts = [
            shape(first),
            f"{teraflops(first)} in {first.format}",
            f"{percent(share_of_peak(group[:1]))} of the peak",
            f"bound by {first.bound_by}",
            first.kernel[:60],
        ]
        spent = slow.bounds.per_step(sum(op.bound.compute_ns for op in group))
        found.append(
            Evidence(f"{name(group[0])}{others}", spent, "ns", None, "; ".join(f for f in facts if f))
        )
    return found


def places(ops: Iterable[SlowOp], label: str) -> tuple[Place, ...]:
    """Their longest launches, longest first."""
    return Places.of((op.bound.longest_ns, replace(op.bound.longest, label=label)) for op in ops).all()
