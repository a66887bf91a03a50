"""The rates that kernels reach while they run, where no step shows how much of its time they take."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View, merged
from tfperf_plugin.analysis.artifacts.compute.bounds import KNOWN_RATIO, Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.roofline import ops_of
from tfperf_plugin.analysis.artifacts.compute.tensor_work import work_from_allocations
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import Role


class KernelRates(Record, frozen=True):
    """All compute kernels of hosts without steps."""

    total_ns: int  #: Time of all kernels, summed.
    #: Time of matrix products at the data sheet's peak, as a share of the time of ops with such products;
    #: ``None`` if too few are known or any reading of them must be wrong.
    products_ratio: float | None
    format: str  #: Number format with most of ``total_ns``.
    #: (op, ns, share of the peak of its products or ``None``), longest first.
    longest: tuple[tuple[str, int, float | None], ...]


LONGEST_COUNT = 3


def part(view: View) -> dict[tuple[str, str], OpBound]:
    """The ops of one host without steps."""
    found: dict[tuple[str, str], OpBound] = {}
    if view.ledger:
        return found
    work = {**view.trace.op_work, **work_from_allocations(view.trace)}
    for device in view.trace.devices:
        rows = np.flatnonzero(device.role == Role.KERNEL)
        if len(rows):
            found = merged(found, ops_of(device, rows, work, view.trace.host))
    return found


def finish(found: dict[tuple[str, str], OpBound]) -> KernelRates:
    """The rates of all hosts without steps."""
    ops = sorted(found.items(), key=lambda item: (-item[1].total_ns, item[0]))
    bounds = Bounds(found, 0)
    matrix = [op for op in found.values() if op.matrix]
    matrix_ns, products_ns = sum(op.total_ns for op in matrix), sum(op.products_ns for op in matrix)
    right = (bounds.known_ratio or 0) >= KNOWN_RATIO and 0 < products_ns <= matrix_ns
    right &= not any(op.outran_ns or op.indirect_ns for op in matrix)
    return KernelRates(
        total_ns=sum(op.total_ns for op in found.values()),
        products_ratio=products_ns / matrix_ns if right else None,
        format=bounds.main_format,
        longest=tuple(
            (name or op.kernel, op.total_ns, (right and op.products_ns / op.total_ns) or None)
            for (_, name), op in ops[:LONGEST_COUNT]
        ),
    )
