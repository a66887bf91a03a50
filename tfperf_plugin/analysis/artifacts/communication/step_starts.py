"""Finds when each GPU of a host starts and ends each step: stagger, and GPUs that work one after another.

A turn is a run of compute kernels on one GPU that no other GPU's kernel interrupts; a hand-over is the time
from its end to the next GPU's first kernel of the same step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import GpuView, View
from tfperf_plugin.analysis.artifacts.memory.copies import between_gpus
from tfperf_plugin.analysis.launches import AT_ONCE_COUNT, LAUNCH_BURST_NS
from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.arrays.columns import smallest_of
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, covered_within, merge, searchsorted, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents
from tfperf_plugin.trace.roles import HostRole, Role

Order = Literal["fixed", "rotating", "none"]
# Orders count as fixed or rotating if this share of steps agrees.
ORDER_RATIO = 0.8
_WORK = ("compute", "copy.h2d", "copy.d2h", "copy.d2d")
# If a copy runs for this share of the time between two GPUs' work, the second GPU waits for it.
_FILLED_RATIO: Final = 0.8


class HostStarts(Record, frozen=True):
    """Starts on one host with at least two GPUs that take part. Arrays are [devices, steps] or [steps] over
    the judged steps in which every such GPU ran kernels."""

    host: str
    devices: tuple[int, ...]  #: Indices of these GPUs into the host's devices.
    names: tuple[str, ...]  #: Names of these GPUs.
    step: Ints  #: [steps]: indices of these steps.
    number: Ints  #: [steps]: numbers of these steps.
    first_ns: Ints  #: [devices, steps]: begin of the first kernel.
    last_ns: Ints  #: [devices, steps]: end of the last kernel.
    launch_ns: Ints  #: [devices, steps]: begin of the first launch, −1 if not recorded.
    #: [devices, steps]: code into ``threads``, the host thread that launched first; −1 if not recorded.
    thread: Codes
    threads: tuple[str, ...]
    idle_ns: Ints  #: [devices, steps]: the ledger's ``idle.stagger``.
    #: [steps]: the part of ``spread_ns`` in which the last GPU to start waits for its input.
    input_spread_ns: Ints
    #: [steps]: the part of ``spread_ns`` in which the last GPU to start still has other work.
    busy_spread_ns: Ints
    #: [devices, steps]: waiting in collectives because a sibling started later for neither of these reasons.
    waiting_ns: Ints
    union_ns: Ints  #: [steps]: time in which any GPU computes.
    sum_ns: Ints  #: [steps]: compute summed over GPUs.
    max_ns: Ints  #: [steps]: compute of the busiest GPU.
    work_ns: Ints  #: [steps]: time in which any GPU computes or copies.
    starting_union_ns: Ints  #: [steps]: as ``union_ns``, until the last GPU has started.
    starting_sum_ns: Ints  #: [steps]: as ``sum_ns``, until the last GPU has started.
    step_ns: Ints
    cost_ns: int  #: ``idle_ns`` of an average judged step and GPU.
    wait_ns: int  #: ``waiting_ns`` of an average judged step and GPU.
    turns: HostTurns | None  #: Hand-overs from one GPU to the next, ``None`` if there are none.

    @property
    def spread_ns(self) -> Ints:
        """Per step: last GPU's first kernel − first GPU's first kernel."""
        return np.asarray(self.first_ns.max(axis=0) - self.first_ns.min(axis=0))

    @property
    def launch_spread_ns(self) -> Ints | None:
        """Per step the spread of the first launches; ``None`` if launches are not recorded."""
        if not len(self.step) or (self.launch_ns < 0).any():
            return None
        return np.asarray(self.launch_ns.max(axis=0) - self.launch_ns.min(axis=0))

    @property
    def one_thread(self) -> bool | None:
        """Whether one host thread launches first for all GPUs in most steps; ``None`` if not recorded."""
        if not len(self.step) or (self.thread < 0).any():
            return None
        return bool((self.thread == self.thread[:1]).all(axis=0).mean() >= ORDER_RATIO)

    @property
    def order(self) -> Order:
        """Whether GPUs start in the same order in every step, in a rotating one, or in none."""
        if len(self.step) < 2:
            return "none"
        ranks = np.argsort(self.first_ns, axis=0, kind="stable")
        same = (ranks == ranks[:, :1]).all(axis=0)
        if same.mean() >= ORDER_RATIO:
            return "fixed"
        turns = ((ranks[:, 1:] - ranks[:, :-1]) % len(self.devices)).T
        steady = (turns == turns[0]).all(axis=1) & (turns == turns[:, :1]).all(axis=1)
        return "rotating" if steady.mean() >= ORDER_RATIO and turns[0, 0] != 0 else "none"

    @property
    def start_order(self) -> tuple[str, ...]:
        """Names of the GPUs by their median lateness, first one first."""
        late = np.median(self.first_ns - self.first_ns.min(axis=0), axis=1)
        return tuple(self.names[i] for i in np.argsort(late, kind="stable"))


class Starts(Record, frozen=True):
    """Starts on every host with at least two GPUs that take part in a judged step."""

    hosts: tuple[HostStarts, ...]


def part(view: View) -> Starts:
    """Starts on one host, if it has several GPUs at work."""
    found = _host(view.trace.events, view.gpus) if len(view.gpus) > 1 else None
    return Starts((found,) if found else ())


def _host(events: HostEvents, gpus: Sequence[GpuView]) -> HostStarts | None:
    host, steps = gpus[0].host, gpus[0].host.steps
    first, last = host.first_ns, host.last_ns
    took_part = last > first
    every = gpus
    gpus = [gpu for gpu in gpus if took_part[gpu.ledger.index][steps.judged].any()]
    if len(gpus) < 2:
        return None
    chosen = [gpu.ledger.index for gpu in gpus]
    step = np.flatnonzero(steps.judged & took_part[chosen].all(axis=0))
    if not len(step):
        return None
    first, last = first[chosen][:, step], last[chosen][:, step]
    ledgers = [gpu.ledger for gpu in gpus]
    sums = np.stack([d.sums_ns[step] for d in ledgers])
    wait = sums[:, :, ACCOUNTS.index("communication.wait")]
    idle = sums[:, :, ACCOUNTS.index("idle.stagger")]
    awaited, busy = (
        np.stack([covered_within(d.time(a), first.min(axis=0), first[i]) for i, d in enumerate(ledgers)])
        for a in ("idle.input", "compute")
    )

    # If no GPU had waited for input or had other work, the last GPU would have started earlier. The waiting
    # in collectives that would then remain ends when the last GPU starts.
    start, last_to_start = first - awaited - busy, (first.argmax(axis=0), np.arange(len(step)))
    waiting = np.asarray(np.minimum(wait, np.maximum(0, start.max(axis=0) - first)), np.int64)
    launch_ns, thread = (
        np.stack(x) for x in zip(*(first_launch(events, gpu, step) for gpu in gpus), strict=True)
    )
    count = max(1, int(steps.judged.sum())) * len(gpus)
    turns = _turns_of(events, every)
    any_busy = merge(*(gpu.source.busy(Role.KERNEL) for gpu in gpus))
    union_ns, sum_ns, max_ns = _turns(gpus, any_busy, first, last)
    starting_union_ns, starting_sum_ns, _ = _turns(gpus, any_busy, first, first)
    return HostStarts(
        host=host.host,
        devices=tuple(chosen),
        names=tuple(gpu.source.device for gpu in gpus),
        step=step,
        number=steps.number[step],
        first_ns=first,
        last_ns=last,
        launch_ns=launch_ns,
        thread=thread,
        threads=events.threads,
        idle_ns=idle,
        input_spread_ns=awaited[last_to_start],
        busy_spread_ns=busy[last_to_start],
        waiting_ns=waiting,
        union_ns=union_ns,
        sum_ns=sum_ns,
        max_ns=max_ns,
        work_ns=covered_within(
            merge(*(d.time(*_WORK) for d in ledgers)), first.min(axis=0), last.max(axis=0)
        ),
        starting_union_ns=starting_union_ns,
        starting_sum_ns=starting_sum_ns,
        step_ns=steps.end_ns[step] - steps.begin_ns[step],
        cost_ns=int(idle.sum()) // count,
        wait_ns=int(waiting.sum()) // count,
        turns=turns,
    )


def first_launch(events: HostEvents, gpu: GpuView, step: Ints) -> tuple[Ints, Codes]:
    """For each of ``step`` the start of the first launch of a kernel for this GPU, and the code of its
    thread; −1 if not recorded."""
    device, device_step = gpu.source, gpu.step
    kernels: Bools = device.is_kernel() & (device.launch >= 0) & (device_step >= 0)
    rows = np.flatnonzero(kernels)
    launch = device.launch[rows]
    of_step, called = device_step[rows], events.start_ns[launch]
    count = 1 + max(int(device_step.max(initial=-1)), int(step.max(initial=-1)))
    first = called == smallest_of(of_step, called)[of_step]
    row = smallest_of(of_step[first], launch[first], count)[step]
    known = row < len(events.start_ns)
    begin, thread = np.full(len(step), -1, np.int64), np.full(len(step), -1, np.int32)
    begin[known], thread[known] = events.start_ns[row[known]], events.thread[row[known]]
    return begin, thread


def _turns(gpus: Sequence[GpuView], any_busy: Intervals, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    begin, end = first.min(axis=0), last.max(axis=0)
    each = np.stack([covered_within(gpu.source.busy(Role.KERNEL), begin, end) for gpu in gpus])
    return covered_within(any_busy, begin, end), each.sum(axis=0), each.max(axis=0)


class HostTurns(Record, frozen=True):
    """The hand-overs between GPUs of one host in judged steps, and the shares with a recorded reason."""

    handovers_count: int
    #: Share in which a copy between the GPUs fills the time between their work, or most of it.
    copy_ratio: float
    collective_ratio: float  #: Share in which a collective of either GPU does so.
    #: Share in which the host waited for the first GPU, or read a result back from it, before it launched for
    #: the second.
    host_ratio: float
    fed_count: int = 0  #: Number of the hand-overs of ``host_ratio`` that begin the second GPU's step.


class _Handovers(Record, frozen=True):
    """Device indices; int64[n]: end of the first GPU's work, begin of the second's, and when the host began
    to launch that (−1 where not recorded); and whether the second GPU begins its step with it."""

    giver: Codes
    taker: Codes
    end_ns: Ints
    begin_ns: Ints
    launch_ns: Ints
    begins: Bools


def _turns_of(events: HostEvents, gpus: Sequence[GpuView]) -> HostTurns | None:
    """The hand-overs between these GPUs of one host; ``None`` if there are none."""
    between = [_Between.of(gpu.source, gpu.ledger.index) for gpu in gpus]
    waits = np.flatnonzero(events.role == HostRole.SYNC)
    sums = np.zeros(5, np.int64)
    for found in _handovers(events, gpus):
        sums += _counts(between, events.end_ns[waits], found)
    count, copies, collectives, read_back, fed = sums.tolist()
    if not count:
        return None
    return HostTurns(count, copies / count, collectives / count, read_back / count, fed)


class _Between(NamedTuple):
    """Rows of a GPU that may lie between two turns: copies to other GPUs, collectives, copies to the host."""

    gpu: int
    source: DeviceTrace
    peers: Ints
    calls: Ints
    d2h: Ints

    @classmethod
    def of(cls, source: DeviceTrace, index: int) -> _Between:
        which = (between_gpus(source), source.role == Role.COLLECTIVE, source.role == Role.D2H)
        return cls(index, source, *map(np.flatnonzero, which))


def _counts(
    between: Sequence[_Between], waited_ns: Ints, found: _Handovers
) -> tuple[int, int, int, int, int]:
    """For the hand-overs ``found``: their number; the numbers in which a copy, a collective, or the host lies
    between; and how many of the last begin a GPU's step.

    ``waited_ns``: ends of the host's waits for a GPU.
    """
    copies = np.zeros(len(found.giver), np.bool_)
    collectives, read_back = copies.copy(), copies.copy()
    for index, source, peers, calls, d2h in between:
        if not (len(peers) or len(calls) or len(d2h)):
            continue
        gives, takes = found.giver == index, found.taker == index
        if len(peers):
            copies |= (gives | takes) & _leads(found, source.start_ns[peers], source.end_ns[peers])
        for taker in between if len(peers) else ():  # the giver may work on while it sends
            to = peers[source.copy_destination[peers] == taker.source.ordinal]
            awaited = _arrives(found, source.end_ns[to]) | _fills(
                found, source.start_ns[to], source.end_ns[to]
            )
            copies |= gives & (found.taker == taker.gpu) & awaited
        if len(calls):
            collectives |= (gives | takes) & _leads(found, source.start_ns[calls], source.end_ns[calls])
        if len(d2h):
            read_back |= gives & _precedes_launch(found, source.end_ns[d2h])
    read_back |= _precedes_launch(found, waited_ns)
    fed = read_back & found.begins
    return len(found.giver), int(copies.sum()), int(collectives.sum()), int(read_back.sum()), int(fed.sum())


def _handovers(events: HostEvents, gpus: Sequence[GpuView]) -> Iterator[_Handovers]:
    """All hand-overs by time, in batches that each begin with the last kernel of the batch before."""
    starts = [gpu.source.start_ns[gpu.ledger.kernels] for gpu in gpus]
    longest = max(starts, key=len)
    each = -(-AT_ONCE_COUNT // len(starts))
    cuts = [int(longest[at]) for at in range(each, len(longest), each)]
    ends = [[*np.searchsorted(start, cuts).tolist(), len(start)] for start in starts]
    before = None
    for number in range(len(cuts) + 1):
        parts = [] if before is None else [before]
        for one, end in zip(gpus, ends, strict=True):
            source, rows = one.source, one.ledger.kernels[end[number - 1] if number else 0 : end[number]]
            gpu = np.full(len(rows), one.ledger.index, np.int32)
            parts.append(
                (gpu, one.step[rows], source.start_ns[rows], source.end_ns[rows], source.launch[rows])
            )
        gpu, step, start, end_ns, launch = (np.concatenate(c) for c in zip(*parts, strict=True))
        if not len(start):
            continue
        order = np.argsort(start, kind="stable")
        last = order[-1:]
        before = (gpu[last], step[last], start[last], end_ns[last], launch[last])
        gpu, step = gpu[order], step[order]
        changes = np.flatnonzero((gpu[1:] != gpu[:-1]) & (step[1:] == step[:-1]))
        giver, taker = order[changes], order[changes + 1]
        launched, known = launch[taker].astype(np.int64), launch[taker] >= 0
        launched[known] = events.start_ns[launched[known]]
        takes, in_step = gpu[changes + 1], step[changes]
        begins = (in_step >= 0) & (start[taker] <= gpus[0].host.first_ns[takes, np.maximum(in_step, 0)])
        yield _Handovers(gpu[changes], takes, end_ns[giver], start[taker], launched, begins)


def _leads(found: _Handovers, start: Ints, end: Ints) -> Bools:
    """For each hand-over whether an event (``start``, ``end``) begins after the first GPU's work, and the
    second GPU's work begins as soon as the event has ended."""
    order = np.argsort(end, kind="stable")
    last = searchsorted(end[order], found.begin_ns, "right") - 1
    row = order[np.maximum(last, 0)]
    close = found.begin_ns - end[row] <= LAUNCH_BURST_NS
    return np.asarray((last >= 0) & close & (start[row] >= found.end_ns))


def _arrives(found: _Handovers, end: Ints) -> Bools:
    """For each hand-over whether the second GPU's work begins as soon as an event (``end``) has ended."""
    ends = np.append(np.iinfo(np.int64).min // 2, np.sort(end))
    last = ends[searchsorted(ends, found.begin_ns, "right") - 1]
    return np.asarray(found.begin_ns - last <= LAUNCH_BURST_NS)


def _fills(found: _Handovers, start: Ints, end: Ints) -> Bools:
    """For each hand-over whether the events (``start``, ``end``) run for most of the time between the two
    GPUs' work.

    Clocks of GPUs differ by up to some tenths of a millisecond, so that an awaited event may seem to end
    late.
    """
    busy = union(start, end)
    gap = found.begin_ns - found.end_ns
    return np.asarray((gap > 0) & (covered_within(busy, found.end_ns, found.begin_ns) >= _FILLED_RATIO * gap))


def _precedes_launch(found: _Handovers, end: Ints) -> Bools:
    """For each hand-over whether an ``end`` lies between the first GPU's work and the second's launch."""
    ends = np.sort(end)
    first = searchsorted(ends, found.end_ns)
    in_time = np.append(ends, np.iinfo(np.int64).max)[first] <= found.launch_ns
    return np.asarray((found.launch_ns >= 0) & in_time)
