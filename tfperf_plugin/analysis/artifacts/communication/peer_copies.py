"""Copies from GPU to GPU anywhere in the step: by op, by sender and receiver, and their cost.

CUPTI records such a copy on the sending GPU, where it may run beside other work. The receiving GPU is idle
until the tensor has arrived.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from msgspec import field
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import (
    GpuView,
    PerStepByName,
    View,
    averaged,
    merged,
    merged_all,
)
from tfperf_plugin.analysis.artifacts.memory.copies import between_gpus, exposed_ns, judged_rows
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS
from tfperf_plugin.analysis.ledger import ACCOUNTS, IDLE, HostLedger, Ledger
from tfperf_plugin.arrays.columns import Groups, unique
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Intervals,
    Ints,
    covered_within,
    intersect,
    searchsorted,
    union,
)
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace
from tfperf_plugin.trace.roles import Role

# An op's copies to another GPU count only if they occur in this share of the GPU's judged steps.
RECURRING_RATIO = 0.5


class PeerOp(NamedTuple):
    """What a copy to another GPU is for."""

    op: str  #: The op, "" if not known.
    #: Whether no op is recorded for the copy itself: ``op`` ran on the sending GPU just before it.
    follows: bool


class PeerLink(NamedTuple):
    """A GPU of a host that copies to another one."""

    host: str
    sender: str
    receiver: str  #: Name of the GPU that receives, "" if not recorded.


class Copied(Record, frozen=True):
    """Copies of an average step of their hosts."""

    count: float = 0
    size_bytes: float = 0
    busy_ns: float = 0  #: Time copying, hidden or not.


class PeerCopies(Record, frozen=True):
    """Copies between GPUs that recur, in judged steps of all hosts."""

    ops: dict[PeerOp, Copied] = field(default_factory=dict)  #: By falling time.
    links: dict[PeerLink, Copied] = field(default_factory=dict)  #: By falling time.
    #: Ledger account → ns of the average step and GPU in which the sender only copies, the receiver is idle
    #: until the copy has arrived, or other GPUs wait in a collective for a GPU that a copy delayed.
    exposed_ns: PerStepByName = field(default_factory=dict)
    where: Places = field(default_factory=Places)  #: The longest copies.
    collectives: bool = False  #: Whether the GPUs also run collective kernels.

    @property
    def every(self) -> Copied:
        """The copies of all GPUs together."""
        return merged_all(self.links.values()) or Copied()


def part(view: View) -> PeerCopies:
    """Recurring copies between the GPUs of one host."""
    ledger = view.ledger
    found = PeerCopies(collectives=bool(ledger and len(ledger.calls)))
    if ledger is None or not ledger.steps.judged.any():
        return found
    arriving: dict[int, list[tuple[Ints, Ints]]] = {}
    for gpu in view.gpus:
        rows, receiver = _recurring(gpu)
        found = merged(found, _sent(gpu, rows, receiver))
        queued, end = _queued(gpu.source, rows), gpu.source.end_ns[rows]
        for ordinal in unique(receiver[receiver >= 0]).tolist():
            mine = receiver == ordinal
            arriving.setdefault(ordinal, []).append((queued[mine], end[mine]))
    late = []
    for gpu in view.gpus:
        parts = arriving.get(gpu.source.ordinal)
        awaited = _awaited(gpu.source, parts) if parts else EMPTY
        if len(awaited):
            idle = {account: intersect(gpu.judged_time(account), awaited).total_ns for account in IDLE}
            found = merged(found, PeerCopies(exposed_ns=idle))
        late.append(_lateness(gpu, awaited))
    return merged(found, PeerCopies(exposed_ns={"communication.wait": _waited(ledger, np.stack(late))}))


def finish(sums: PeerCopies, ledger: Ledger) -> PeerCopies:
    """The copies of all hosts in an average step."""
    exposed = averaged(sums, ledger.windows).exposed_ns
    return replace(
        sums,
        ops=dict(sorted(sums.ops.items(), key=lambda found: (-found[1].busy_ns, found[0]))),
        links=dict(sorted(sums.links.items(), key=lambda found: (-found[1].busy_ns, found[0]))),
        exposed_ns={account: ns for account, ns in exposed.items() if ns},
    )


def _recurring(gpu: GpuView) -> tuple[Ints, Codes]:
    """Copies to other GPUs that come from the same op and go to the same GPU in most judged steps."""
    source, steps = gpu.source, gpu.host.steps
    rows, step = judged_rows(gpu, between_gpus(source))
    receiver = source.copy_destination[rows]
    alike = Groups(source.op[rows], receiver)
    keep = alike.distinct(step)[alike.of_row] >= RECURRING_RATIO * int(steps.judged.sum())
    return rows[keep], receiver[keep]


def _sent(gpu: GpuView, rows: Ints, receiver: Codes) -> PeerCopies:
    """The recurring copies ``rows`` that one GPU sends to ``receiver``."""
    source, host = gpu.source, gpu.host
    own = source.op[rows]
    op = np.where(own >= 0, own, _op_before(source, rows)).astype(np.int64)
    begin, end = source.start_ns[rows], source.end_ns[rows]
    size = np.maximum(source.copy_bytes[rows], 0)
    steps = int(host.steps.judged.sum())

    def per_step(groups: Groups) -> Iterator[tuple[int, Copied]]:
        columns = (groups.count, groups.sum(size), groups.sum(end - begin))
        rows_of = zip(groups.keys[:, 0].tolist(), *(column.tolist() for column in columns), strict=True)
        return ((key, Copied(*(total / steps for total in totals))) for key, *totals in rows_of)

    ops: dict[PeerOp, Copied] = {}
    for key, found in per_step(Groups(op * 2 + (own < 0))):
        name = PeerOp(source.ops[key // 2], bool(key % 2)) if key >= 0 else PeerOp("", False)
        ops[name] = merged(ops[name], found) if name in ops else found
    links = {
        PeerLink(host.host, source.device, f"GPU:{key}" if key >= 0 else ""): found
        for key, found in per_step(Groups(receiver))
    }
    where = host.steps.places("a copy to another GPU", begin, end, source.device)
    return PeerCopies(ops, links, {"copy.d2d": exposed_ns(gpu, rows, Role.D2D)}, where)


def _op_before(source: DeviceTrace, rows: Ints) -> Codes:
    """For each row the op of the last kernel that started before it on this GPU; −1 if none is known."""
    kernels = np.append(np.flatnonzero(source.is_kernel()), -1)
    at = searchsorted(source.start_ns[kernels[:-1]], source.start_ns[rows], "right") - 1
    return np.where(at >= 0, source.op[kernels[at]], -1).astype(np.int32)


def _queued(source: DeviceTrace, rows: Ints) -> Ints:
    """For each copy, by start, the moment when the GPU began the series of copies that it belongs to."""
    begin, end = source.start_ns[rows], source.end_ns[rows]
    if not len(rows):
        return begin
    fresh = np.concatenate([[True], begin[1:] - np.maximum.accumulate(end)[:-1] > LAUNCH_BURST_NS])
    return begin[np.maximum.accumulate(np.where(fresh, np.arange(len(rows)), 0))]


def _lateness(gpu: GpuView, awaited: Intervals) -> Ints:
    """For each judged step the time in which a GPU only copies, or is idle until a copy has arrived."""
    steps, judged = gpu.host.steps, gpu.host.steps.judged
    copying: Ints = gpu.ledger.sums_ns[judged, ACCOUNTS.index("copy.d2d")]
    idle = intersect(awaited, gpu.ledger.time(*IDLE)) if len(awaited) else EMPTY
    return copying + covered_within(idle, steps.begin_ns[judged], steps.end_ns[judged])


def _waited(host: HostLedger, late_ns: Ints) -> int:
    """Waiting in collectives for the GPU that copies delay most, summed over steps and GPUs."""
    wait = ACCOUNTS.index("communication.wait")
    waits = np.stack([d.sums_ns[host.steps.judged, wait] for d in host.devices])
    return int(np.minimum(waits, late_ns.max(axis=0) - late_ns).sum())


def _awaited(source: DeviceTrace, parts: list[tuple[Ints, Ints]]) -> Intervals:
    """Copies to this GPU that its next kernel waits for: it starts as soon as they have arrived."""
    begin, end = (np.concatenate(c) for c in zip(*parts, strict=True))
    kernels = np.append(source.start_ns[source.is_kernel()], np.iinfo(np.int64).max)
    awaited = kernels[searchsorted(kernels, end)] - end <= LAUNCH_BURST_NS
    return union(begin[awaited], end[awaited])
