"""Models that are cut into stages, one on each GPU, which pass micro-batches to each other in a pipeline.

GPUs form a pipeline if they hand tensors over along a chain, in each step as often backward as forward, and
if each GPU has computed next to nothing in a step when it receives its first tensor. Hand-overs are copies
between GPUs of a host, or calls that send and receive. The bubble is the time that a stage waits for them,
while the pipeline fills and drains, or while a slower stage computes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import field

from tfperf_plugin.analysis.artifacts.by_host import GpuView, View
from tfperf_plugin.analysis.artifacts.communication.calls import SEND_RECV, CallRows, CollectiveCalls
from tfperf_plugin.analysis.artifacts.memory.copies import between_gpus, judged_rows
from tfperf_plugin.analysis.ledger import HostLedger, Ledger
from tfperf_plugin.arrays.columns import Groups, smallest_of, unique
from tfperf_plugin.arrays.intervals import (
    Intervals,
    Ints,
    covered_within,
    gaps,
    intersect,
    merge,
    searchsorted,
    subtract,
    union,
)
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import Role

# Share of steps in which two GPUs must hand over equally often and in the same order.
STEADY_RATIO = 0.8
# Compute of the next stage when it first receives a tensor may be at most this share of the sender's.
BEFORE_RATIO = 0.2
# Share of send and receive calls that must be found on two GPUs.
FOUND_RATIO = 0.8
# Recorded clocks of GPUs differ by this much: a kernel may seem to start before its tensor has arrived.
CLOCKS_NS = 150_000
# Accounts of a stage that waits for a copy. Waiting for a batch or a compiler has its own cause.
_IDLE = ("idle.stagger", "idle.between_steps", "idle.sync", "idle.launch", "idle.dispatch", "idle.unknown")


class Stage(Record, frozen=True):
    """One GPU's part of a model: times and counts of an average judged step."""

    host: str
    device: str
    busy_ns: int  #: Time of compute.
    bubble_ns: int  #: Time of waiting for other stages.
    kernels_count: int = 0  #: Number of kernels.


class StagePipeline(Record, frozen=True):
    """A model that is cut into stages, one on each GPU."""

    stages: tuple[Stage, ...]  #: Stages in the order of the forward pass.
    micro_batches: int  #: Hand-overs of a step between two stages, in each direction.
    bubble_ns: Mapping[str, int]  #: Account of the ledger → waiting of the stages, summed over stages.

    @property
    def busiest(self) -> Stage:
        """The stage that computes longest."""
        return max(self.stages, key=lambda s: s.busy_ns)

    @property
    def kernel_ns(self) -> int:
        """Mean length of a kernel in the stage with the shortest kernels."""
        return min((s.busy_ns // s.kernels_count for s in self.stages if s.kernels_count), default=0)

    @property
    def ideal_ratio(self) -> float:
        """The share of its time that each of p equal stages waits: (p − 1) / (m + p − 1)."""
        others = len(self.stages) - 1
        return others / (self.micro_batches + others)

    @property
    def filling_ns(self) -> int:
        """How long the busiest stage waits per step because the pipeline fills and drains, at most its
        recorded waiting.

        Meanwhile all other stages work on one micro-batch.
        """
        others = sum(s.busy_ns for s in self.stages) - self.busiest.busy_ns
        return min(self.busiest.bubble_ns, others // self.micro_batches)


class StagePipelines(Record, frozen=True):
    """All pipelines of a run."""

    pipelines: tuple[StagePipeline, ...] = ()
    #: "host GPU" → kernels per judged step, of hosts that call for other GPUs.
    kernels_count: Mapping[str, int] = field(default_factory=dict)

    @property
    def gpus_count(self) -> int:
        """GPUs that are a stage."""
        return sum(len(p.stages) for p in self.pipelines)

    def has(self, host: str) -> bool:
        """Whether GPUs of this host are stages."""
        return any(stage.host == host for p in self.pipelines for stage in p.stages)


class _Link(Record, frozen=True):
    """Two GPUs that hand over to each other as neighboring stages."""

    first: int  #: Index of the earlier stage.
    second: int  #: Index of the later stage.
    count: int  #: Hand-overs of a step in each direction.


def part(view: View) -> StagePipelines:
    """Pipelines of one host whose stages copy to each other."""
    ledger = view.ledger
    if not ledger or not ledger.steps.judged.any():
        return StagePipelines()
    found = tuple(_copying(view.gpus)) if len(view.gpus) > 1 else ()
    calling = ledger.devices if SEND_RECV in ledger.calls.kind else ()
    counts = {f"{ledger.host} {d.device}": _per_step(ledger, len(d.kernels)) for d in calling}
    return StagePipelines(found, counts)


def finish(copying: StagePipelines, calls: CollectiveCalls, ledger: Ledger) -> StagePipelines:
    """Pipelines of all hosts, whose stages copy to each other or, if none do, send and receive."""
    if copying.pipelines:
        return copying
    return StagePipelines(tuple(_calling(calls, ledger, copying.kernels_count)))


def _chains(links: Sequence[_Link]) -> Iterator[tuple[list[int], int]]:
    """The GPUs of each chain of links in order, and the number of its micro-batches.

    A chain has no branches, is no ring, and hands over equally often everywhere.
    """
    following = {link.first: link for link in links}
    leading = {link.second for link in links}
    if len(following) < len(links) or len(leading) < len(links):
        return
    for start in sorted(following.keys() - leading):
        chain, counts = [start], set()
        while chain[-1] in following:
            link = following[chain[-1]]
            chain.append(link.second)
            counts.add(link.count)
        if len(counts) == 1:
            yield chain, counts.pop()


def _steady(counts: Ints) -> int:
    """The count that most steps agree on; 0 if they do not."""
    usual = int(np.median(counts)) if len(counts) else 0
    return usual if (counts == usual).mean(dtype=float) >= STEADY_RATIO else 0


# Stages that copy.


class _Copies(Record, frozen=True):
    """Copies from one GPU to another in judged steps."""

    step: Ints
    begin_ns: Ints
    end_ns: Ints


def _copying(gpus: Sequence[GpuView]) -> Iterator[StagePipeline]:
    sent, ledger = dict(_sent(gpus)), gpus[0].host
    by_index = {gpu.ledger.index: gpu for gpu in gpus}
    links = [link for (a, b) in sent if a < b for link in _linked(by_index, sent, a, b)]
    if len(links) < len(sent) / 2:  # some GPUs hand over otherwise
        return
    for chain, count in _chains(links):
        compute = {i: by_index[i].source.busy(Role.KERNEL) for i in chain}
        stages, every = [], Counter[str]()
        for index in chain:
            gpu = by_index[index]
            arriving = [found for (_, to), found in sent.items() if to == index]
            copies = [union(c.begin_ns, c.end_ns) for (_, to), c in sent.items() if to != index]
            others = merge(*(compute[i] for i in chain if i != index), *copies)
            waits = intersect(_waits(ledger, compute[index], arriving), others)
            found = {
                account: _per_step(ledger, intersect(gpu.judged_time(account), waits).total_ns)
                for account in _IDLE
            }
            every.update(found)
            busy = _per_step(ledger, gpu.ledger.sums_ns[ledger.steps.judged, 0].sum())
            kernels = _per_step(ledger, len(gpu.ledger.kernels))
            stages.append(Stage(ledger.host, gpu.source.device, busy, sum(found.values()), kernels))
        yield StagePipeline(tuple(stages), count, dict(every))


def _sent(gpus: Sequence[GpuView]) -> Iterator[tuple[tuple[int, int], _Copies]]:
    index_of = {gpu.source.ordinal: gpu.ledger.index for gpu in gpus}
    for gpu in gpus:
        source = gpu.source
        rows, step = judged_rows(gpu, between_gpus(source))
        receiver = source.copy_destination[rows]
        for ordinal in unique(receiver).tolist():
            to, mine = index_of.get(ordinal, -1), receiver == ordinal
            # Copies of only some steps are no part of the model.
            if len(unique(step[mine])) >= STEADY_RATIO * gpu.host.steps.judged.sum():
                at = rows[mine]
                yield (gpu.ledger.index, to), _Copies(step[mine], source.start_ns[at], source.end_ns[at])


def _linked(
    gpus: Mapping[int, GpuView], sent: Mapping[tuple[int, int], _Copies], a: int, b: int
) -> Iterator[_Link]:
    """The link of two GPUs that copy to each other, if they are stages one after the other."""
    there, back = sent[a, b], sent.get((b, a))
    if back is None:
        return
    steps = gpus[a].host.steps
    judged = np.flatnonzero(steps.judged)
    counts = [np.bincount(c.step, minlength=len(steps))[judged] for c in (there, back)]
    if not _steady(counts[0]) or _steady(counts[0]) != _steady(counts[1]):
        return
    for first, second, ahead, behind in ((a, b, there, back), (b, a, back, there)):
        begin, end = _first(ahead.step, ahead.begin_ns, judged), _first(ahead.step, ahead.end_ns, judged)
        before = begin < _first(behind.step, behind.begin_ns, judged)
        sender, receiver, surely = (
            _computed(gpus[i], judged, at)
            for i, at in ((first, begin), (second, end), (second, end - CLOCKS_NS))
        )
        nothing = receiver <= BEFORE_RATIO * sender
        # Because clocks differ, kernels after the copy may seem to run before it.
        nothing |= surely <= BEFORE_RATIO * (sender - CLOCKS_NS)
        follows = before & (sender > 0) & nothing
        if follows.mean() >= STEADY_RATIO:
            yield _Link(first, second, _steady(counts[0]))


def _first(step: Ints, at_ns: Ints, steps: Ints) -> Ints:
    """For each of ``steps`` the earliest of the times ``at_ns``; ``step``: the step of each."""
    return smallest_of(step, at_ns, int(steps.max()) + 1)[steps]


def _computed(gpu: GpuView, steps: Ints, until_ns: Ints) -> Ints:
    """For each of ``steps`` the time that kernels have run on a GPU until the step's ``until_ns``."""
    source, rows, count = gpu.source, gpu.ledger.kernels, len(gpu.host.steps)
    step = gpu.step[rows]
    until = np.zeros(count, np.int64)
    until[steps] = until_ns
    spent = np.clip(np.minimum(source.end_ns[rows], until[step]) - source.start_ns[rows], 0, None)
    return np.bincount(step, spent, count).astype(np.int64)[steps]


def _waits(ledger: HostLedger, compute: Intervals, arriving: Iterable[_Copies]) -> Intervals:
    """The time in which a stage computes nothing until a tensor arrives, without the time of copies to it."""
    begin, end = (np.concatenate(c) for c in zip(*((c.begin_ns, c.end_ns) for c in arriving), strict=True))
    idle = gaps(compute, int(ledger.steps.begin_ns[0]), int(ledger.steps.end_ns[-1]))
    arrivals = np.append(np.sort(end), np.iinfo(np.int64).max)
    first = arrivals[searchsorted(arrivals, idle.begin_ns, "right")]
    ended = first <= idle.end_ns + CLOCKS_NS
    until = np.minimum(first, idle.end_ns)[ended]
    return subtract(Intervals(idle.begin_ns[ended], until), union(begin, end))


def _per_step(ledger: HostLedger, total_ns: int) -> int:
    return int(total_ns) // max(1, int(ledger.steps.judged.sum()))


# Stages that send and receive.


def _calling(
    calls: CollectiveCalls, ledger: Ledger, kernels_count: Mapping[str, int]
) -> Iterator[StagePipeline]:
    gpus, every = calls.rows(ledger)
    rows = every.only((every.kind == SEND_RECV) & (every.said <= 0))
    paired = rows.matched & (rows.participants == 2)
    if not len(rows.call) or paired.mean() < FOUND_RATIO:
        return
    rows = rows.only(paired)
    links = list(_call_links(rows))
    # Two GPUs that send to each other may as well exchange all-to-all.
    if len(links) == 1 and not (rows.said < 0).mean() >= FOUND_RATIO:
        return
    for chain, count in _chains(links):
        stages = []
        for number in chain:
            host, device = gpus[number]
            mine = rows.only(rows.gpu == number)
            steps = ledger.common(host)
            wait = intersect(
                host.judged_time(device, "communication.wait"), union(mine.start_ns, mine.end_ns)
            )
            begin, end = host.steps.begin_ns[steps], host.steps.end_ns[steps]
            windows = max(1, int(steps.sum()))
            bubble = int(covered_within(wait, begin, end).sum()) // windows
            busy = int(device.sums_ns[steps, 0].sum()) // windows
            kernels = kernels_count.get(f"{host.host} {device.device}", 0)
            stages.append(Stage(host.host, device.device, busy, bubble, kernels))
        yield StagePipeline(tuple(stages), count, {"communication.wait": sum(s.bubble_ns for s in stages)})


def _call_links(rows: CallRows) -> Iterator[_Link]:
    """Pairs of GPUs that hand over equally often in most steps; nothing if any pair does not."""
    order = np.lexsort((rows.gpu, rows.call))
    first, second = order[:-1], order[1:]
    same = (rows.call[first] == rows.call[second]) & (rows.gpu[first] != rows.gpu[second])
    first, second = first[same], second[same]
    pairs, steps = Groups(rows.gpu[first], rows.gpu[second]), unique(rows.step)
    found = []
    for number, (a, b) in enumerate(pairs.keys.tolist()):
        mine = pairs.rows(number)
        step = rows.step[first[mine]]
        count = _steady(np.bincount(np.searchsorted(steps, step), minlength=len(steps)))
        if count < 2 or count % 2:
            return
        earliest = mine[Groups(step).at_min(rows.start_ns[first[mine]])]
        one, other = first[earliest], second[earliest]
        for ahead, behind, link in (
            (one, other, _Link(a, b, count // 2)),
            (other, one, _Link(b, a, count // 2)),
        ):
            waits = rows.wait_ns[behind] > rows.wait_ns[ahead]
            # A receiver that came first has computed nothing, whoever sends has.
            sends = (rows.progress[ahead] > 0) & (
                rows.progress[behind] <= BEFORE_RATIO * rows.progress[ahead]
            )
            if (waits & sends).mean() >= STEADY_RATIO:
                found.append(link)
                break
        else:
            return
    yield from found
