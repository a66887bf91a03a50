"""Kernel time of each op on each GPU: what one GPU of a host does beyond its siblings.

Replicas run the same ops under names that differ by the replica's scope (``replica_1/``) and by the
numbers that TensorFlow adds to make names unique (``update_3_1``). Without both, names of different
layers fall together too, so the numbers are compared by such families and shown by the op that
contributes most.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import GpuView, View
from tfperf_plugin.arrays.columns import Groups, median
from tfperf_plugin.arrays.intervals import Ints, intersect
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace
from tfperf_plugin.trace.roles import Role

_REPLICA = re.compile(r"(^|/)replica_\d+/")
_NUMBER = re.compile(r"(_\d{1,18}){1,8}(?=[/:]|$)")


class Surplus(Record, frozen=True):
    """A family of ops on the busiest GPU and on its siblings, the host's other GPUs, per judged step."""

    #: Op of the family with most time on the busiest GPU, or the kernel's name if ops are not recorded.
    op: str
    ops_count: int  #: Number of ops of the family on the busiest GPU.
    own_ns: int  #: Kernel time on the busiest GPU.
    others_ns: int  #: Median kernel time of the siblings.
    only_there: bool  #: Whether no sibling runs any op of the family.

    @property
    def surplus_ns(self) -> int:
        """Time beyond the siblings' median; negative if the siblings need more."""
        return self.own_ns - self.others_ns


class HostBalance(Record, frozen=True):
    """Compute of one host's GPUs in judged steps."""

    host: str
    names: tuple[str, ...]  #: Names of the GPUs.
    compute_ns: tuple[int, ...]  #: Account ``compute`` of each GPU, median of the steps.
    kernels_count: tuple[float, ...]  #: Compute kernels of each GPU per step.
    busiest: int  #: Index of the GPU that computes longest.
    busiest_ratio: float  #: Share of steps in which the busiest GPU computes longest.
    rows: tuple[Surplus, ...]  #: Families of ops by falling surplus on the busiest GPU.
    #: Time per step in which siblings are idle between steps while the busiest GPU computes, summed.
    between_ns: int = 0

    @property
    def others_ns(self) -> int:
        """Median compute of the siblings of the busiest GPU."""
        return int(np.median(self._siblings))

    @property
    def least_ns(self) -> int:
        """Compute of the sibling with the least."""
        return min(self._siblings)

    @property
    def excess_ratio(self) -> float:
        """By how much the busiest GPU exceeds its siblings' median compute; 0 if they do not compute."""
        return self.compute_ns[self.busiest] / self.others_ns - 1 if self.others_ns else 0.0

    @property
    def _siblings(self) -> list[int]:
        return [ns for i, ns in enumerate(self.compute_ns) if i != self.busiest]

    @property
    def more_ns(self) -> int:
        """The sum of all surpluses of the busiest GPU."""
        return sum(r.surplus_ns for r in self.rows if r.surplus_ns > 0)

    @property
    def more_kernels_ratio(self) -> float:
        """Kernels of the busiest GPU beyond the median of its siblings, as a share of that median."""
        usual = float(median([n for i, n in enumerate(self.kernels_count) if i != self.busiest]))
        return self.kernels_count[self.busiest] / usual - 1 if usual else 0.0


class Balance(Record, frozen=True):
    """The hosts with at least two GPUs that take part in a judged step."""

    hosts: tuple[HostBalance, ...]


def part(view: View) -> Balance:
    """Kernel time by GPU and op of one host, if it has several GPUs at work."""
    several = len(view.gpus) > 1 and view.steps.judged.any()
    return Balance((_host(view.gpus),) if several else ())


def family_of(op: str) -> str:
    """The op's name without the scope of a replica and without the numbers that make names unique."""
    return _NUMBER.sub("", _REPLICA.sub(r"\1", op))


def _host(gpus: Sequence[GpuView]) -> HostBalance:
    judged = gpus[0].host.steps.judged
    steps = int(judged.sum())
    ops: dict[str, int] = {}
    tables = [_table(gpu.source, gpu.ledger.kernels, ops) for gpu in gpus]
    time = np.zeros((len(tables), len(ops)), np.int64)
    counts = []
    for row, (codes, totals, count) in zip(time, tables, strict=True):
        np.add.at(row, codes, totals)
        counts.append(count / steps)
    compute = np.stack([gpu.ledger.sums_ns[judged, 0] for gpu in gpus])
    usual = np.median(compute, axis=1).astype(np.int64)
    busiest = int(usual.argmax())
    return HostBalance(
        host=gpus[0].host.host,
        names=tuple(gpu.source.device for gpu in gpus),
        compute_ns=tuple(usual.tolist()),
        kernels_count=tuple(counts),
        busiest=busiest,
        busiest_ratio=float((compute[busiest] == compute.max(axis=0)).mean()),
        rows=_rows(tuple(ops), time, busiest, steps),
        between_ns=_between_ns(gpus, busiest) // steps,
    )


def _between_ns(gpus: Sequence[GpuView], busiest: int) -> int:
    """The time in which siblings of the busiest GPU are idle between steps while it computes, summed."""
    computes = gpus[busiest].source.busy(Role.KERNEL)
    others = (gpu for i, gpu in enumerate(gpus) if i != busiest)
    return sum(intersect(computes, gpu.judged_time("idle.between_steps")).total_ns for gpu in others)


def _table(source: DeviceTrace, rows: Codes, ops: dict[str, int]) -> tuple[Ints, Ints, int]:
    """For each op of these kernels its index in ``ops``, which grows, and its time; and their number."""
    kinds = Groups(op_or_kernel(source, rows))
    texts = (name_of(source, key) for (key,) in kinds.keys.tolist())
    codes = [ops.setdefault(_REPLICA.sub(r"\1", text), len(ops)) for text in texts]
    return np.array(codes, np.int64), kinds.sum(source.end_ns[rows] - source.start_ns[rows]), len(rows)


def op_or_kernel(source: DeviceTrace, rows: Codes) -> Ints:
    """A number for the op of each of these kernels where it is recorded, else for the kernel's name."""
    return np.where(source.op[rows] >= 0, source.op[rows], len(source.ops) + source.name[rows])


def name_of(source: DeviceTrace, key: int) -> str:
    """The op or kernel that has this number in ``op_or_kernel``."""
    return source.ops[key] if key < len(source.ops) else source.names[key - len(source.ops)]


def _rows(ops: Sequence[str], time: Ints, busiest: int, steps: int) -> tuple[Surplus, ...]:
    numbers: dict[str, int] = {}
    family = np.array([numbers.setdefault(family_of(op), len(numbers)) for op in ops], np.int64)
    totals = np.zeros((len(time), len(numbers)), np.int64)
    np.add.at(totals.T, family, time.T)
    others = np.median(np.delete(totals, busiest, axis=0), axis=0).astype(np.int64)
    siblings = np.delete(totals, busiest, axis=0).max(axis=0, initial=0)
    own = time[busiest]
    # The op shown for its family: the one with most time on the busiest GPU beyond its siblings' median.
    beyond = own - np.median(np.delete(time, busiest, axis=0), axis=0)
    order = np.lexsort((-own, -beyond, family))
    _, first = np.unique(family[order], return_index=True)
    shown = order[first]
    ops_count = np.bincount(family, weights=own > 0, minlength=len(numbers)).astype(np.int64)
    surplus = totals[busiest] - others
    return tuple(
        Surplus(
            ops[shown[f]],
            int(ops_count[f]),
            int(totals[busiest, f]) // steps,
            int(others[f]) // steps,
            bool(siblings[f] == 0),
        )
        for f in np.argsort(-surplus, kind="stable").tolist()
        if totals[busiest, f]
    )
