"""The hand-overs between GPUs of a host that compute one after another, and what happens in them.

A turn is a run of compute kernels on one GPU that no other GPU's kernel interrupts; a hand-over is the
time from its end to the next GPU's first kernel of the same step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import GpuView
from tfperf_plugin.analysis.artifacts.memory.copies import between_gpus
from tfperf_plugin.analysis.launches import AT_ONCE_COUNT, LAUNCH_BURST_NS
from tfperf_plugin.arrays.intervals import Bools, Ints, covered_within, searchsorted, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents
from tfperf_plugin.trace.roles import HostRole, Role

# If a copy runs for this share of the time between two GPUs' work, the second GPU waits for it.
FILLED_RATIO: Final = 0.8


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


def turns_of(events: HostEvents, gpus: Sequence[GpuView]) -> HostTurns | None:
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
    return np.asarray((gap > 0) & (covered_within(busy, found.end_ns, found.begin_ns) >= FILLED_RATIO * gap))


def _precedes_launch(found: _Handovers, end: Ints) -> Bools:
    """For each hand-over whether an ``end`` lies between the first GPU's work and the second's launch."""
    ends = np.sort(end)
    first = searchsorted(ends, found.end_ns)
    in_time = np.append(ends, np.iinfo(np.int64).max)[first] <= found.launch_ns
    return np.asarray((found.launch_ns >= 0) & in_time)
