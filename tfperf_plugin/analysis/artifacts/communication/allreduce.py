"""The time of AllReduce in judged steps by step, GPU, size and call, split into transfer and waiting.

GPUs exchange gradients by AllReduce; or, with sharded optimizers, by reduce-scatter and all-gather, which
together move the same bytes; or hierarchically, by a reduction (or reduce-scatter) within groups of GPUs,
AllReduce between the groups and a broadcast (or all-gather) back. All-gathers that fetch sharded weights do
not count, because they exchange no gradients. Nor do calls within groups of GPUs that share a model (tensor
parallelism), if other calls exchange gradients. Bus bandwidth is defined as in nccl-tests.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.communication.calls import (
    ALL_REDUCE,
    BROADCAST,
    COMMUNICATION,
    GATHER,
    REDUCE,
    SCATTER,
    CallRows,
    CollectiveCall,
    CollectiveCalls,
    Gpu,
    longest_calls,
)
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import Groups, agreed, unique
from tfperf_plugin.arrays.intervals import Bools, Ints, covered_within, intersect, union
from tfperf_plugin.hardware.links import SIZE_BUCKETS
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record

# The backward pass takes about twice as long as the forward pass, so no gradient exists before a third of a
# step's compute is done. Calls that begin before a quarter of it are early. Several training steps in one
# marked step make at most a quarter of the calls early; tensor parallelism, which exchanges in both passes,
# makes more of them early.
EARLY_PROGRESS = 0.25
EARLY_RATIO = 0.27
# According to the guide, TensorFlow sends gradients as float32 even under mixed precision.
FLOAT_BYTES = 4
_NONE = NotApplicable("No AllReduce between several GPUs was recorded.")
_BYTES = (
    (re.compile(r"(?i)bf16|bfloat16|_f16|half"), 2),
    (re.compile(r"(?i)f64|double"), 8),
    (re.compile(r"(?i)f32|float"), 4),
)


Exchange = Literal["all_reduce", "sharded", "sharded_weights", "hierarchical", "two_level"]
# Each GPU passes all its gradients to the first kind of call.
EXCHANGES: Final[dict[Exchange, tuple[int, ...]]] = {
    "all_reduce": (ALL_REDUCE,),
    "sharded": (SCATTER, GATHER),
    "sharded_weights": (SCATTER,),
    "hierarchical": (REDUCE, ALL_REDUCE, BROADCAST),
    "two_level": (SCATTER, ALL_REDUCE, GATHER),
}
_SUMMING: Final = (ALL_REDUCE, SCATTER)
LEVELS: Final = ("hierarchical", "two_level")
# An exchange gathers what it has scattered. Sharded weights (FSDP) are gathered for the forward pass and
# again for the backward pass, twice as much.
WEIGHTS_RATIO = 1.5
UNMATCHED: Final = "calls of some hosts could not be matched with those of the others"
# If a smaller share of the calls is matched, their participants are not known.
MATCHED_RATIO = 0.8


class AllReduceDevice(Record, frozen=True):
    """Transfer and waiting of one GPU in an average step."""

    host: str
    device: str
    transfer_ns: int
    wait_ns: int
    last_ratio: float  #: Share of calls in which this GPU came last.
    caused_wait_ns: int  #: Mean waiting of the other GPUs for this one, per step.


class OfDevices(Record, frozen=True):
    """Facts about several GPUs."""

    devices: tuple[AllReduceDevice, ...]

    @property
    def by_lateness(self) -> tuple[AllReduceDevice, ...]:
        """The GPUs by the waiting that they cause, most first."""
        return tuple(sorted(self.devices, key=lambda d: (-d.caused_wait_ns, d.host, d.device)))


class AllReduceStep(Record, frozen=True):
    """Transfer and waiting of one step, and the part of both that no compute hides, averaged over GPUs."""

    step: int
    transfer_ns: int
    wait_ns: int
    exposed_ns: int


class SizeShare(Record, frozen=True):
    """Calls of a bucket of sizes, per average step and GPU."""

    up_to_bytes: int | None  #: Largest size of the bucket, ``None`` for the last bucket.
    calls_per_step: float
    size_bytes: int
    wire_bytes: int  #: Bytes that cross each link, which is the size times 2(n−1)/n for an AllReduce.
    transfer_ns: int
    participants: int  #: Participants of the largest call.

    @property
    def busbw_gbps(self) -> float | None:
        """Bus bandwidth that these calls reached, GB/s."""
        return self.wire_bytes / self.transfer_ns if self.transfer_ns and self.wire_bytes else None


class AllReduceTimes(OfDevices, frozen=True):
    """AllReduce of an average judged step, averaged over communicating GPUs."""

    participants: int
    hosts_count: int
    calls_per_step: float
    size_bytes: int | None  #: Bytes per step and GPU, ``None`` where a call does not state them.
    #: Bytes that cross each link, per step and GPU; ``None`` where a call does not state its size.
    wire_bytes: int | None
    element_bytes: int  #: Size of one gradient, from the kernels' names.
    exchange: Exchange  #: Kinds of calls that exchange the gradients.
    #: Share of calls found on several GPUs. In other calls, waiting cannot be distinguished from transfer.
    matched_ratio: float
    #: Why GPUs must take part whose calls were not matched, or "". Waiting for them counts as transfer.
    unseen: str
    exchanging_ratio: float  #: Share of steps with any call.
    early_ratio: float  #: Share of the transfer in summing calls that come before any gradient can exist.
    inference: bool  #: Whether it is known that nothing is trained.
    transfer_ns: int
    wait_ns: int
    exposed_transfer_ns: int  #: Part of ``transfer_ns`` that no compute hides.
    exposed_wait_ns: int  #: Part of ``wait_ns`` that no compute hides.
    steps: tuple[AllReduceStep, ...]
    sizes: tuple[SizeShare, ...]
    calls: tuple[CollectiveCall, ...]  #: The longest calls.
    calls_total: int  #: Number of all calls.

    @property
    def of_gradients(self) -> bool:
        """Whether these calls may exchange gradients: there may be some, and few enough calls are early."""
        return not self.inference and self.early_ratio < EARLY_RATIO

    @property
    def sharded(self) -> bool:
        """Whether weights or the optimizer's state are sharded: gradients are scattered, weights gathered."""
        return self.exchange in ("sharded", "sharded_weights")

    @property
    def gradient_bytes(self) -> int | None:
        """Bytes of one exchange, also if it exchanges the summed gradients of several steps."""
        if not self.of_gradients or not self.size_bytes:
            return None
        return round(self.size_bytes / self.exchanging_ratio)

    @property
    def busbw_gbps(self) -> float | None:
        """Bus bandwidth that the transfer reached, GB/s."""
        return self.wire_bytes / self.transfer_ns if self.wire_bytes and self.transfer_ns else None

    @property
    def exposed_ns(self) -> int:
        """Transfer and waiting that no compute hides."""
        return self.exposed_transfer_ns + self.exposed_wait_ns


def ring_factor(participants: int) -> float:
    """The number of times that the whole array crosses each link of a ring."""
    return 2 * (participants - 1) / participants


def finish(
    found: CollectiveCalls, ledger: Ledger, program: Program, facts: TrainingFacts | None = None
) -> AllReduceTimes | NotApplicable:
    """AllReduce between several GPUs in the judged steps of all hosts.

    ``facts``: what the training recorded; the number of replicas may be larger than that of recorded GPUs.
    """
    gpus, every = found.rows(ledger)
    beside = every.only(~within_model(every))
    exchanging = beside if (beside.matched & np.isin(beside.kind, _SUMMING)).any() else every
    exchange = _exchange(exchanging)
    rows = exchanging.only(np.isin(exchanging.kind, EXCHANGES[exchange]))
    if not len(rows.call):
        return _NONE
    recorded = int(rows.participants.max())
    stated = found.stated
    tables = per_step(ledger, gpus, rows)
    matched = float(rows.matched.mean())
    # The GPUs never share a call, or too few calls are matched to know.
    unsure = recorded == 1 or matched < MATCHED_RATIO
    together = len(tables) if unsure or exchange in LEVELS else recorded
    participants = max(together, stated)
    if participants < 2:
        return _NONE
    windows, (transfer, wait, exposed_transfer, exposed_wait) = averages(tables)
    known = bool((rows.size_bytes >= 0).all())
    ring = max(stated, together if unsure else 0)
    if known and ring > recorded:  # some GPUs of the ring were not recorded or not recognized
        rows = replace(rows, participants=np.full(len(rows.call), ring))
    rows = rows.whole_arrays()
    # Each GPU passes all gradients once to the first kind of call.
    reduced = rows.kind == EXCHANGES[exchange][0]
    summing = rows.only(rows.kind != GATHER)
    early = summing.transfer_ns[summing.progress < EARLY_PROGRESS].sum()
    return AllReduceTimes(
        participants=participants,
        hosts_count=int(rows.hosts_count.max()),
        calls_per_step=len(rows.call) / windows,
        size_bytes=int(rows.size_bytes[reduced].sum()) // windows if known else None,
        wire_bytes=int(rows.wire_bytes.sum()) // windows if known else None,
        element_bytes=_element_bytes(found, [gpus[g] for g in tables]),
        exchange=exchange,
        matched_ratio=matched,
        unseen=unseen_partners(found, ledger, facts, len(tables)),
        exchanging_ratio=len(Groups(rows.gpu, rows.step)) / windows,
        early_ratio=float(early / max(1, summing.transfer_ns.sum())),
        inference=program.inference,
        transfer_ns=transfer,
        wait_ns=wait,
        exposed_transfer_ns=exposed_transfer,
        exposed_wait_ns=exposed_wait,
        devices=device_shares(gpus, tables, rows, rows.wait_ns),
        steps=_steps(ledger, gpus, tables),
        sizes=_sizes(rows, windows) if known else (),
        calls=longest_calls(gpus, every.whole_arrays()),
        calls_total=len(unique(every.call)),
    )


def averages(tables: Mapping[int, Ints]) -> tuple[int, list[int]]:
    """The number of steps of all GPUs together, and the rows of ``per_step`` averaged over these steps."""
    every = np.concatenate(list(tables.values()), axis=1)
    windows = every.shape[1]
    return windows, (every.sum(axis=1) // max(1, windows)).tolist()


def per_step(ledger: Ledger, gpus: Sequence[Gpu], rows: CallRows) -> dict[int, Ints]:
    """For each GPU with calls, int64[4, steps] of the steps that all hosts judged: transfer, waiting, exposed
    transfer, exposed waiting."""
    tables = {}
    for g in unique(rows.gpu).tolist():
        (host, device), mine = gpus[g], rows.only(rows.gpu == g)
        steps, ready = ledger.common(host), mine.start_ns + mine.wait_ns
        begin, end = host.steps.begin_ns[steps], host.steps.end_ns[steps]
        every = union(mine.start_ns, mine.end_ns)
        bare = (intersect(host.judged_time(device, account), every) for account in COMMUNICATION)
        times = (union(ready, mine.end_ns), union(mine.start_ns, ready), *bare)
        tables[g] = np.stack([covered_within(time, begin, end) for time in times])
    return tables


def within_model(rows: CallRows) -> Bools:
    """Whether each row is a call of GPUs that share a model: its group sums in the forward pass, too."""
    chosen = rows.matched & np.isin(rows.kind, (*_SUMMING, GATHER))
    if not chosen.any():
        return chosen
    calls = Groups(rows.call)
    first, last = (ends[calls.of_row] for ends in (calls.min(rows.gpu), calls.max(rows.gpu)))
    within = Groups(first, last, rows.participants)
    summed = np.where(chosen & (rows.kind != GATHER), rows.transfer_ns, 0)
    total = within.sum(summed)
    early = within.sum(np.where(rows.progress < EARLY_PROGRESS, summed, 0))
    return np.asarray(chosen & ((total > 0) & (early >= EARLY_RATIO * total))[within.of_row])


def unseen_partners(
    found: CollectiveCalls, ledger: Ledger, facts: TrainingFacts | None, communicating: int
) -> str:
    """The evidence that GPUs take part whose calls were not matched, or ""."""
    tasks, replicas = found.tasks_count, (facts and facts.replicas) or 0
    if found.stated > communicating:
        return f"the calls of {communicating} of {found.stated} GPUs were recorded"
    if tasks > found.hosts_count:
        return f"ops name {tasks} tasks, of {found.hosts_count} there is a profile"
    if replicas > communicating:
        return f"the calls of {communicating} of {replicas} replicas were recorded"
    if found.beside_count:
        return "other hosts were captured at the same time, into other folders"
    together = [h for h in ledger.hosts if len(h.calls)]
    apart = [h for h in together if h.clock.source == "unknown" or not (h.calls.hosts_count > 1).any()]
    if len(together) > 1 and apart:
        return UNMATCHED
    return ""


def _exchange(rows: CallRows) -> Exchange:
    """The exchange, by the kinds of calls that move most bytes or, without sizes, take longest."""
    kinds = set(unique(rows.kind).tolist())
    known = bool((rows.size_bytes >= 0).all())
    weight = rows.whole_arrays().wire_bytes if known else rows.end_ns - rows.start_ns
    mass = {k: int(weight[rows.kind == k].sum()) for k in kinds}
    less = SCATTER in kinds and mass.get(ALL_REDUCE, 0) < mass[SCATTER] + mass.get(GATHER, 0)
    if less or ALL_REDUCE not in kinds:
        return _sharded(rows, known)
    reduced_on, joined_on = (set(rows.gpu[rows.kind == k].tolist()) for k in (REDUCE, ALL_REDUCE))
    return "hierarchical" if joined_on < reduced_on and BROADCAST in kinds else "all_reduce"


def _sharded(rows: CallRows, known: bool) -> Exchange:
    """The scattering exchange, by the bytes that are gathered and the hosts that AllReduce joins."""
    scattered, joined = rows.kind == SCATTER, rows.kind == ALL_REDUCE
    amount = np.maximum(rows.whole_arrays().size_bytes, 0) if known else np.ones(len(rows.kind), np.int64)
    gathered = int(amount[rows.kind == GATHER].sum())
    if gathered >= WEIGHTS_RATIO * int(amount[scattered].sum()):
        return "sharded_weights"
    between = joined & (rows.hosts_count > 1)
    if between.any() and scattered.any() and rows.hosts_count[scattered].max() == 1:
        return "two_level"
    return "sharded"


def _element_bytes(found: CollectiveCalls, gpus: Sequence[Gpu]) -> int:
    """Bytes of one gradient, from the kernels' names; float32 where they do not agree on anything else."""
    names = frozenset[str]().union(*(found.names[host.host, device.index] for host, device in gpus))
    sizes = (next((size for pattern, size in _BYTES if pattern.search(n)), FLOAT_BYTES) for n in names)
    return agreed(sizes) or FLOAT_BYTES


def device_shares(
    gpus: Sequence[Gpu], tables: Mapping[int, Ints], rows: CallRows, caused_ns: Ints
) -> tuple[AllReduceDevice, ...]:
    """The transfer and waiting of each GPU that communicates.

    ``tables``: the result of ``per_step``; ``caused_ns``: for each row the waiting that the last GPU causes.
    """
    found, waits = rows.only(rows.matched), caused_ns[rows.matched]
    counts, caused = np.zeros((2, len(gpus)), np.int64)
    if len(found.call):
        calls = Groups(found.call)
        mean = (calls.sum(waits) / np.maximum(1, calls.count - 1)).astype(np.int64)
        last = calls.at_min(found.wait_ns)
        known = found.wait_ns[last] == 0  # the last one to arrive does not wait at all
        np.add.at(counts, found.gpu[last[known]], 1)
        np.add.at(caused, found.gpu[last[known]], mean[known])
    matched = np.bincount(found.gpu, minlength=len(gpus))
    return tuple(
        AllReduceDevice(
            gpus[g][0].host,
            gpus[g][1].device,
            int(table[0].mean()),
            int(table[1].mean()),
            float(counts[g] / max(1, matched[g])),
            int(caused[g]) // max(1, table.shape[1]),
        )
        for g, table in tables.items()
    )


def _steps(ledger: Ledger, gpus: Sequence[Gpu], tables: Mapping[int, Ints]) -> tuple[AllReduceStep, ...]:
    """Transfer and waiting of each step; steps of one number on different hosts are one."""
    sums: dict[int, Ints] = {}
    counts: dict[int, int] = {}
    for g, table in tables.items():
        host, _ = gpus[g]
        mine = host.numbers[ledger.common(host)]
        for number, column in zip(mine.tolist(), table.T, strict=True):
            sums[number] = sums.get(number, np.zeros(4, np.int64)) + column
            counts[number] = counts.get(number, 0) + 1
    return tuple(
        AllReduceStep(n, *(int(x) // counts[n] for x in (s[0], s[1], s[2] + s[3])))
        for n, s in sorted(sums.items())
    )


def _sizes(rows: CallRows, windows: int) -> tuple[SizeShare, ...]:
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
        for b in unique(bucket).tolist()
        for mine in [rows.only(bucket == b)]
    )
