"""What AllReduce took in judged steps: per step, GPU, size and call, split into transfer and waiting.

Gradients are exchanged by AllReduce; or, with sharded optimizers, by reduce-scatter and all-gather, which
together move the same bytes; or hierarchically, by a reduction to some GPUs, AllReduce between those and a
broadcast back. Bus bandwidth is that of nccl-tests.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from tfperf_plugin.artifacts.capture import tasks_count
from tfperf_plugin.artifacts.collectives import KINDS
from tfperf_plugin.guide.links import SIZE_BUCKETS
from tfperf_plugin.ledger import ACCOUNTS, DeviceLedger, HostLedger, Ledger
from tfperf_plugin.trace.intervals import Bools, Intervals, Ints, covered_within, intersect, union
from tfperf_plugin.trace.model import HostTrace, Trace
from tfperf_plugin.training import TrainingFacts

Floats = npt.NDArray[np.float64]

# The backward pass costs about twice the forward pass, so that no gradient exists before a third of a step's
# compute is done. Calls that begin before a quarter are early; several steps in one marked step make at most
# a quarter of the calls early, tensor parallelism, which exchanges in forward and backward pass alike, more.
EARLY_PROGRESS = 0.25
EARLY_RATIO = 0.27
# TensorFlow sends gradients as float32 even under mixed precision, says the guide.
FLOAT_BYTES = 4
_ALL_REDUCE = KINDS.index("all_reduce")
_SCATTER, _GATHER = KINDS.index("reduce_scatter"), KINDS.index("all_gather")
_REDUCE, _BROADCAST = KINDS.index("reduce"), KINDS.index("broadcast")
_BYTES = (
    (re.compile(r"(?i)bf16|bfloat16|_f16|half"), 2),
    (re.compile(r"(?i)f64|double"), 8),
    (re.compile(r"(?i)f32|float"), 4),
)
_COMMUNICATION = (ACCOUNTS.index("communication.transfer"), ACCOUNTS.index("communication.wait"))


Exchange = Literal["all_reduce", "sharded", "hierarchical"]
_EXCHANGES: Final[dict[Exchange, tuple[int, ...]]] = {
    "all_reduce": (_ALL_REDUCE,),
    "sharded": (_SCATTER, _GATHER),
    "hierarchical": (_REDUCE, _ALL_REDUCE, _BROADCAST),
}


@dataclass(frozen=True)
class DeviceShare:
    """One GPU in an average judged step. ``last_ratio``: share of matched calls in which it came last;
    ``caused_wait_ns``: what an average other participant waits for it."""

    host: str
    device: str
    transfer_ns: int
    wait_ns: int
    last_ratio: float
    caused_wait_ns: int


@dataclass(frozen=True)
class StepShare:
    """One step, averaged over the GPUs. ``exposed_ns``: of transfer and waiting what no compute hides."""

    number: int
    transfer_ns: int
    wait_ns: int
    exposed_ns: int


@dataclass(frozen=True)
class SizeShare:
    """Calls of a bucket of sizes, per average step and GPU. ``wire_bytes``: what crosses each link, the
    bytes times 2(n−1)/n for an AllReduce; ``participants``: of the largest call."""

    up_to_bytes: int | None
    calls_per_step: float
    size_bytes: int
    wire_bytes: int
    transfer_ns: int
    participants: int

    @property
    def busbw_gbps(self) -> float | None:
        """Bus bandwidth that these calls reached, GB/s."""
        return self.wire_bytes / self.transfer_ns if self.transfer_ns and self.wire_bytes else None


@dataclass(frozen=True)
class Call:
    """One collective call; see the report's ``CollectiveCall``."""

    kind: str
    step: int
    host: str
    begin_ns: int
    end_ns: int
    participants: int
    hosts_count: int
    size_bytes: int | None
    transfer_ns: int
    wait_ns: int
    exposed_ns: int
    last: str


@dataclass(frozen=True)
class AllReduceTimes:
    """AllReduce of an average judged step, averaged over communicating GPUs.

    ``size_bytes`` per step and GPU, ``None`` where a call does not state it; ``element_bytes`` from the
    kernels' names; ``exchange``: by which kinds of calls. ``matched_ratio``: share of calls found on several
    GPUs; of the others waiting cannot be told from transfer. ``unseen``: how it is known that GPUs take part
    with which the calls were not matched, "" if it is not; waiting for them counts as transfer.
    ``exchanging_ratio``: share of steps with any call. ``early_ratio``: share of the transfer in calls that
    come before any gradient can exist: those exchange something else. ``exposed_transfer_ns`` and
    ``exposed_wait_ns``: what no compute hides.
    """

    participants: int
    hosts_count: int
    calls_per_step: float
    size_bytes: int | None
    wire_bytes: int | None
    element_bytes: int
    exchange: Exchange
    matched_ratio: float
    unseen: str
    exchanging_ratio: float
    early_ratio: float
    transfer_ns: int
    wait_ns: int
    exposed_transfer_ns: int
    exposed_wait_ns: int
    devices: tuple[DeviceShare, ...]
    steps: tuple[StepShare, ...]
    sizes: tuple[SizeShare, ...]
    calls: tuple[Call, ...]
    calls_total: int

    @property
    def of_gradients(self) -> bool:
        """Whether nothing speaks against these calls exchanging gradients."""
        return self.exchange != "all_reduce" or self.early_ratio < EARLY_RATIO

    @property
    def gradient_bytes(self) -> int | None:
        """Bytes of one exchange, also where gradients of several steps are summed before it."""
        if not self.of_gradients or not self.size_bytes:
            return None
        return round(self.size_bytes / self.exchanging_ratio)

    @property
    def ring_factor(self) -> float:
        """How often the whole array crosses each link of a ring."""
        return 2 * (self.participants - 1) / self.participants

    @property
    def busbw_gbps(self) -> float | None:
        """Bus bandwidth that the transfer reached, GB/s."""
        return self.wire_bytes / self.transfer_ns if self.wire_bytes and self.transfer_ns else None

    @property
    def exposed_ns(self) -> int:
        """What no compute hides, waiting included."""
        return self.exposed_transfer_ns + self.exposed_wait_ns

    @property
    def by_lateness(self) -> tuple[DeviceShare, ...]:
        """GPUs by the waiting that they cause, most first."""
        return tuple(sorted(self.devices, key=lambda d: (-d.caused_wait_ns, d.host, d.device)))


# Calls listed in the report; more are counted but not listed.
CALLS_CAP = 100


@dataclass(frozen=True)
class _Rows:
    """Collective kernels of judged steps of all hosts; ``gpu``: index over all GPUs of the ledger."""

    host: Ints
    gpu: Ints
    step: Ints
    kind: Ints
    call: Ints
    start_ns: Ints
    end_ns: Ints
    wait_ns: Ints
    participants: Ints
    hosts_count: Ints
    matched: Bools
    size_bytes: Ints
    size_is_output: Bools
    exposed_ns: Ints
    progress: Floats

    def only(self, keep: Bools) -> _Rows:
        return _Rows(*(getattr(self, column.name)[keep] for column in fields(self)))

    @property
    def transfer_ns(self) -> Ints:
        return self.end_ns - self.start_ns - self.wait_ns

    @property
    def wire_bytes(self) -> Ints:
        """Bytes that cross each link: 2(n−1)/n of an AllReduce's, (n−1)/n of its two halves', else all."""
        share = (self.participants - 1) / np.maximum(self.participants, 1)
        factor = np.where(np.isin(self.kind, (_SCATTER, _GATHER)), share, np.ones(len(share)))
        factor = np.where(self.kind == _ALL_REDUCE, 2 * share, factor)
        return np.round(np.maximum(self.size_bytes, 0) * factor).astype(np.int64)

    def whole_arrays(self) -> _Rows:
        """With sizes of whole arrays, as nccl-tests count: what one GPU gets out of a reduce-scatter is one
        participant's part."""
        part = (self.kind == _SCATTER) & (self.size_bytes > 0) & self.size_is_output
        return replace(self, size_bytes=np.where(part, self.size_bytes * self.participants, self.size_bytes))


def find_allreduce(trace: Trace, ledger: Ledger, facts: TrainingFacts | None = None) -> AllReduceTimes | None:
    """AllReduce in the judged steps of all hosts; ``None`` if there is none between several GPUs.

    ``facts``: what the training recorded; the number of replicas may be larger than that of recorded GPUs.
    """
    hosts = {h.host: h for h in trace.hosts}
    gpus = [(host, device) for host in ledger.hosts for device in host.devices]
    every = _rows(ledger, gpus)
    exchange = _exchange(every)
    rows = every.only(np.isin(every.kind, _EXCHANGES[exchange]))
    if not len(rows.call):
        return None
    recorded = int(rows.participants.max())
    stated = max(h.collective_ranks for h in trace.hosts)
    present = np.unique(rows.gpu).tolist()
    # Found on several GPUs but never together, or together in groups that are joined by others.
    together = len(present) if recorded == 1 or exchange == "hierarchical" else recorded
    participants = max(together, stated)
    if participants < 2:
        return None
    spans = [_spans(host, device) for host, device in gpus]
    windows = sum(int(gpus[g][0].steps.judged.sum()) for g in present)
    per_step = [_per_step(gpus[g], rows.only(rows.gpu == g), spans[g]) for g in present]
    sums = np.sum([table.sum(axis=1) for table in per_step], axis=0)
    known = bool((rows.size_bytes >= 0).all())
    if known and stated > recorded:  # the ring is larger than what was recorded of it
        rows = replace(rows, participants=np.full(len(rows.call), stated))
    rows = rows.whole_arrays()
    return AllReduceTimes(
        participants=participants,
        hosts_count=int(rows.hosts_count.max()),
        calls_per_step=len(rows.call) / windows,
        size_bytes=_size(rows, windows, exchange) if known else None,
        wire_bytes=int(rows.wire_bytes.sum()) // windows if known else None,
        element_bytes=_element_bytes(hosts, gpus, present),
        exchange=exchange,
        matched_ratio=float(rows.matched.mean()),
        unseen=_unseen(trace, ledger, facts, len(present), stated),
        exchanging_ratio=len(np.unique(np.stack([rows.gpu, rows.step]), axis=1).T) / windows,
        early_ratio=float(
            rows.transfer_ns[rows.progress < EARLY_PROGRESS].sum() / max(1, rows.transfer_ns.sum())
        ),
        transfer_ns=int(sums[0]) // windows,
        wait_ns=int(sums[1]) // windows,
        exposed_transfer_ns=int(sums[2]) // windows,
        exposed_wait_ns=int(sums[3]) // windows,
        devices=_devices(gpus, present, per_step, rows),
        steps=_steps(gpus, present, per_step),
        sizes=_sizes(rows, windows) if known else (),
        calls=_calls(gpus, every.whole_arrays()),
        calls_total=len(np.unique(every.call)),
    )


def _rows(ledger: Ledger, gpus: Sequence[tuple[HostLedger, DeviceLedger]]) -> _Rows:
    gpu_of = {(host.host, device.index): i for i, (host, device) in enumerate(gpus)}
    parts = []
    for number, host in enumerate(ledger.hosts):
        calls, judged = host.calls, host.steps.judged
        keep = np.flatnonzero((calls.step >= 0) & judged[np.maximum(calls.step, 0)])
        lookup = np.array(
            [gpu_of.get((host.host, i), -1) for i in range(int(calls.device.max(initial=-1)) + 1)]
        )
        gpu = lookup[calls.device[keep]] if len(keep) else keep
        exposed, progress = np.zeros(len(keep), np.int64), np.zeros(len(keep))
        begin, end = host.steps.begin_ns, host.steps.end_ns
        for device in host.devices:
            mine = calls.device[keep] == device.index
            at = keep[mine]
            pieces = _pieces(host, device, _COMMUNICATION)
            exposed[mine] = covered_within(pieces, calls.start_ns[at], calls.end_ns[at])
            step, compute = calls.step[at], _pieces(host, device, (ACCOUNTS.index("compute"),))
            before = covered_within(compute, begin[step], np.clip(calls.start_ns[at], begin[step], end[step]))
            progress[mine] = before / np.maximum(1, covered_within(compute, begin[step], end[step]))
        parts.append(
            _Rows(
                np.full(len(keep), number), gpu, host.numbers[calls.step[keep]],
                calls.kind[keep].astype(np.int64),
                calls.call[keep], calls.start_ns[keep], calls.end_ns[keep], calls.wait_ns[keep],
                calls.participants[keep], calls.hosts_count[keep], calls.matched[keep],
                calls.size_bytes[keep], calls.size_is_output[keep], exposed, progress,
            )
        )  # fmt: skip
    return _Rows(*(np.concatenate([getattr(p, column.name) for p in parts]) for column in fields(_Rows)))


def _pieces(host: HostLedger, device: DeviceLedger, accounts: Sequence[int]) -> Intervals:
    keep = np.isin(device.segments.owner, accounts) & host.steps.judged[device.segment_step]
    return union(device.segments.begin_ns[keep], device.segments.end_ns[keep])


def _spans(host: HostLedger, device: DeviceLedger) -> tuple[Intervals, Intervals]:
    """Time that the ledger gives to transfer and to waiting on one GPU."""
    return _pieces(host, device, _COMMUNICATION[:1]), _pieces(host, device, _COMMUNICATION[1:])


def _per_step(
    gpu: tuple[HostLedger, DeviceLedger], rows: _Rows, exposed: tuple[Intervals, Intervals]
) -> Ints:
    """int64[4, steps] of judged steps: transfer, waiting, and what is exposed of each."""
    host, _ = gpu
    judged = host.steps.judged
    begin, end = host.steps.begin_ns[judged], host.steps.end_ns[judged]
    ready = rows.start_ns + rows.wait_ns
    every = union(rows.start_ns, rows.end_ns)
    transfer, wait = union(ready, rows.end_ns), union(rows.start_ns, ready)
    parts = (transfer, wait, intersect(exposed[0], every), intersect(exposed[1], every))
    return np.stack([covered_within(part, begin, end) for part in parts])


def _unseen(
    trace: Trace, ledger: Ledger, facts: TrainingFacts | None, communicating: int, stated: int
) -> str:
    tasks, replicas = tasks_count(trace), (facts and facts.replicas) or 0
    if stated > communicating:
        return f"calls state {stated} participants, {communicating} GPUs were recorded"
    if tasks > len(trace.hosts):
        return f"ops name {tasks} tasks, of {len(trace.hosts)} there is a profile"
    if replicas > communicating:
        return f"the training recorded {replicas} replicas, {communicating} GPUs communicate here"
    together = [h for h in ledger.hosts if len(h.calls)]
    if len(together) > 1 and any(h.clock.source == "unknown" or not _joins(h) for h in together):
        return "calls of some hosts could not be matched with those of the others"
    return ""


def _joins(host: HostLedger) -> bool:
    return bool((host.calls.hosts_count > 1).any())


def _exchange(rows: _Rows) -> Exchange:
    """By the kinds of calls that move most, or take longest where sizes are not recorded."""
    kinds = set(np.unique(rows.kind).tolist())
    known = bool((rows.size_bytes >= 0).all())
    weight = rows.whole_arrays().wire_bytes if known else rows.end_ns - rows.start_ns
    mass = {k: int(weight[rows.kind == k].sum()) for k in kinds}
    if mass.get(_ALL_REDUCE, 0) < mass.get(_SCATTER, 0) + mass.get(_GATHER, 0) or _ALL_REDUCE not in kinds:
        return "sharded"
    reduced_on, joined_on = (set(rows.gpu[rows.kind == k].tolist()) for k in (_REDUCE, _ALL_REDUCE))
    return "hierarchical" if joined_on < reduced_on and _BROADCAST in kinds else "all_reduce"


def _size(rows: _Rows, windows: int, exchange: Exchange) -> int:
    """Bytes of gradients per step and GPU: each GPU hands all of them in once, in the first kind of call."""
    reduced = rows.kind == _EXCHANGES[exchange][0]
    return int(rows.size_bytes[reduced].sum()) // windows


def _element_bytes(
    hosts: dict[str, HostTrace], gpus: Sequence[tuple[HostLedger, DeviceLedger]], present: Sequence[int]
) -> int:
    """Bytes of one gradient, from the kernels' names; float32 where they do not agree on anything else."""
    names: set[str] = set()
    for g in present:
        host, device = gpus[g]
        source = hosts[host.host].devices[device.index]
        calls = host.calls
        mine = (calls.device == device.index) & np.isin(calls.kind, (_ALL_REDUCE, _SCATTER))
        names |= {source.names[c] for c in np.unique(source.name[calls.row[mine]]).tolist()}
    sizes = {next((size for pattern, size in _BYTES if pattern.search(n)), FLOAT_BYTES) for n in names}
    return sizes.pop() if len(sizes) == 1 else FLOAT_BYTES


def _devices(
    gpus: Sequence[tuple[HostLedger, DeviceLedger]],
    present: Sequence[int],
    per_step: Sequence[Ints],
    rows: _Rows,
) -> tuple[DeviceShare, ...]:
    last, caused = _last(rows, len(gpus))
    matched = np.bincount(rows.gpu[rows.matched], minlength=len(gpus))
    result = []
    for g, table in zip(present, per_step, strict=True):
        host, device = gpus[g]
        steps = max(1, int(host.steps.judged.sum()))
        result.append(
            DeviceShare(
                host.host,
                device.device,
                int(table[0].sum()) // steps,
                int(table[1].sum()) // steps,
                float(last[g] / max(1, matched[g])),
                int(caused[g]) // steps,
            )
        )
    return tuple(result)


def _last(rows: _Rows, gpus_count: int) -> tuple[Ints, Ints]:
    """Per GPU the number of matched calls in which it came last, and the mean waiting of the others then."""
    found = rows.only(rows.matched)
    counts, caused = np.zeros(gpus_count, np.int64), np.zeros(gpus_count, np.int64)
    if not len(found.call):
        return counts, caused
    _, call = np.unique(found.call, return_inverse=True)
    call = call.reshape(-1)
    total, members = np.bincount(call, found.wait_ns), np.bincount(call)
    order = np.lexsort((found.wait_ns, call))
    first = np.concatenate([[True], np.diff(call[order]) > 0])
    winner = order[first]  # per call the row that waits least
    np.add.at(counts, found.gpu[winner], 1)
    np.add.at(caused, found.gpu[winner], (total / np.maximum(1, members - 1)).astype(np.int64))
    return counts, caused


def _steps(
    gpus: Sequence[tuple[HostLedger, DeviceLedger]], present: Sequence[int], per_step: Sequence[Ints]
) -> tuple[StepShare, ...]:
    """Steps of the same number on different hosts are one."""
    sums: dict[int, Ints] = {}
    counts: dict[int, int] = {}
    for g, table in zip(present, per_step, strict=True):
        host = gpus[g][0]
        for number, column in zip(host.numbers[host.steps.judged].tolist(), table.T, strict=True):
            sums[number] = sums.get(number, np.zeros(4, np.int64)) + column
            counts[number] = counts.get(number, 0) + 1
    return tuple(
        StepShare(n, *(int(x) // counts[n] for x in (s[0], s[1], s[2] + s[3])))
        for n, s in sorted(sums.items())
    )


def _sizes(rows: _Rows, windows: int) -> tuple[SizeShare, ...]:
    bucket = np.searchsorted(np.array(SIZE_BUCKETS), rows.size_bytes)
    return tuple(
        SizeShare(
            SIZE_BUCKETS[b] if b < len(SIZE_BUCKETS) else None,
            len(mine.call) / windows,
            int(mine.size_bytes.sum()) // windows,
            int(mine.wire_bytes.sum()) // windows,
            int(mine.transfer_ns.sum()) // windows,
            int(mine.participants.max()),
        )
        for b in np.unique(bucket).tolist()
        for mine in [rows.only(bucket == b)]
    )


def _calls(gpus: Sequence[tuple[HostLedger, DeviceLedger]], rows: _Rows) -> tuple[Call, ...]:
    """The longest calls of any kind, with who came last."""
    _, call = np.unique(rows.call, return_inverse=True)
    call = call.reshape(-1)
    count = int(call.max()) + 1
    length = np.zeros(count, np.int64)
    np.maximum.at(length, call, rows.end_ns - rows.start_ns)
    chosen = np.argsort(-length, kind="stable")[:CALLS_CAP]
    order = np.argsort(call, kind="stable")
    begin = np.searchsorted(call[order], chosen)
    end = np.searchsorted(call[order], chosen, "right")
    return tuple(_call(gpus, rows, order[b:e]) for b, e in zip(begin.tolist(), end.tolist(), strict=True))


def _call(gpus: Sequence[tuple[HostLedger, DeviceLedger]], rows: _Rows, members: Ints) -> Call:
    first = members[np.argmin(rows.wait_ns[members])]
    home = members[rows.host[members] == rows.host[members].min()]
    host, device = gpus[int(rows.gpu[first])]
    joins = int(rows.hosts_count[first]) > 1
    matched = bool(rows.matched[first])
    size = int(rows.size_bytes[first])
    return Call(
        kind=KINDS[int(rows.kind[first])],
        step=int(rows.step[first]),
        host=gpus[int(rows.gpu[home[0]])][0].host,
        begin_ns=int(rows.start_ns[home].min()),
        end_ns=int(rows.end_ns[home].max()),
        participants=int(rows.participants[first]),
        hosts_count=int(rows.hosts_count[first]),
        size_bytes=size if size >= 0 else None,
        transfer_ns=int(rows.transfer_ns[first]),
        wait_ns=int(rows.wait_ns[members].sum()),
        exposed_ns=int(rows.exposed_ns[members].max()),
        last=(f"{host.host} {device.device}" if joins else device.device) if matched else "",
    )
