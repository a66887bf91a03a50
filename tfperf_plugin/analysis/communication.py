"""Collectives of all hosts, joined where hosts take part in the same calls, and the hosts' clocks.

A collective ends for all participants at about the same moment. So calls that join hosts are told by their
common end: the n-th call of a kind in a step on one host and on another are the same call if the
difference of their recorded ends, which is that of the two clocks, is the same in every step. That is asked
strictly to find the clocks. Once they are known, other calls of a kind that mostly joins the hosts are
accepted by their order if they overlap: real ends scatter, and an all-to-all ends on each GPU when its own
peers are through. On the clocks found so the transfer begins with the last arrival, all before is waiting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.collectives import (
    ACCEPTED_END_NS,
    ALL_TO_ALL,
    END_SKEW_NS,
    KINDS,
    USUAL_END_NS,
    Collectives,
    end_tolerance_ns,
    find_collectives,
    medians,
    ordinals,
)
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.intervals import (
    Bools,
    Intervals,
    Ints,
    covered_before,
    covered_within,
    intersect,
    union,
)
from tfperf_plugin.arrays.medians import median
from tfperf_plugin.arrays.unique import unique_inverse
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostTrace
from tfperf_plugin.trace.roles import Role

ClockSource = Literal["same host", "collectives", "wall clock", "unknown"]
# So many calls must agree on one difference of clocks, and this share of a kind of call in all steps.
AGREEING_COUNT = 3
AGREEING_RATIO = 0.8
# Of one or two steps the calls differ from each other, so of some the ends scatter in all of them.
FEW_STEPS_RATIO = 2 / 3
# Hosts that count their steps from where the recording begins may begin some steps apart.
MAX_SHIFT = 3
# Which share of a kind must agree before the rest is accepted by order. Where GPUs of one host share calls,
# which then need no partners elsewhere, it is ``AGREEING_RATIO``, and some must agree strictly.
ACCEPTED_RATIO = 1 / 3
# Another shift of steps must make ends agree so many times better than none.
SURER_TIMES = 3
# Ends that scatter by no more than this are common ends: nothing but clocks keeps such time.
CERTAIN_NS = 50_000
# A call that begins so shortly after another one of the same GPU was held up by it.
STRAIGHT_NS = 50_000
# Quartz clocks of computers drift by some 10 µs a second, at most about 100.
MAX_DRIFT = 2e-4
DRIFT_RATIO = 0.5


class HostClock(Record, frozen=True):
    """The clock of one host against that of the first one.

    ``offset_ns``: added to this host's times it gives the first host's; ``uncertainty_ns``: how far common
    ends of calls scatter around it, ``None`` if it rests on wall clocks, which are usually some ms apart;
    ``step_shift``: added to this host's numbers of steps it gives the first host's.
    """

    source: ClockSource
    offset_ns: int | None
    uncertainty_ns: int | None
    step_shift: int


class Communication(Record, frozen=True):
    """Per host, in the order of the trace: its collectives and its clock."""

    hosts: tuple[Collectives, ...]
    clocks: tuple[HostClock, ...]


class _Calls(Record, frozen=True):
    """The calls of one host: ``key`` = (step number, kind, position among the step's calls of this kind);
    ``siblings``: how many those are."""

    number: Ints
    step: Ints
    kind: Ints
    position: Ints
    siblings: Ints
    first_ns: Ints
    end_ns: Ints
    transfer_ns: Ints
    participants: Ints

    @property
    def ready_ns(self) -> Ints:
        """When the last GPU of this host had arrived."""
        return self.end_ns - self.transfer_ns


class _Link(Record, frozen=True):
    """For each call of a host the same call of the base (−1: none), and what to add to its times to have them
    on the base's clock."""

    partner: Ints
    to_base_ns: Ints

    @property
    def count(self) -> int:
        return int((self.partner >= 0).sum())


def find_communication(hosts: Sequence[HostTrace], steps: Sequence[HostSteps]) -> Communication:
    """The collectives of all hosts, with one number for each call, whichever hosts it joins."""
    found = [find_collectives(h, s) for h, s in zip(hosts, steps, strict=True)]
    return join_hosts(found, steps, [h.profile_start_ns for h in hosts])


def join_hosts(
    found: Sequence[Collectives], steps: Sequence[HostSteps], profile_start_ns: Sequence[int | None]
) -> Communication:
    """The same from what each host shows alone: its collectives, its steps and when its profile began."""
    if len(found) < 2:
        alone = tuple(HostClock("same host", 0, 0, 0) for _ in found)
        return Communication(tuple(_passed_on(c) for c in found), alone)
    calls = [_calls(c, s) for c, s in zip(found, steps, strict=True)]
    # All are joined with the first host that has calls; the first host of the run need not have any.
    base = next((index for index, mine in enumerate(calls) if len(mine.number)), 0)
    clocks = []
    links = []
    for index, begin_ns in enumerate(profile_start_ns):
        count = len(calls[base].number)
        mine, joined = (
            (_Link(np.arange(count), np.zeros(count, np.int64)), None)
            if index == base
            else _join(calls[base], calls[index])
        )
        links.append(mine)
        if index == 0:
            clocks.append(HostClock("same host", 0, 0, 0))
        elif joined and base == 0:
            clocks.append(
                HostClock("collectives", joined.offset_ns, joined.uncertainty_ns, joined.step_shift)
            )
        else:
            wall = _wall_clock(profile_start_ns[0], begin_ns)
            clocks.append(replace(wall, step_shift=joined.step_shift if joined else 0))
    joined_calls = _joined(found, calls, links, base)
    return Communication(tuple(_passed_on(c) for c in joined_calls), tuple(clocks))


def _calls(found: Collectives, steps: HostSteps) -> _Calls:
    number, first = np.unique(found.call, return_index=True)
    count = len(number)
    end = np.full(count, np.iinfo(np.int64).min)
    at = np.searchsorted(number, found.call)
    np.maximum.at(end, at, found.end_ns - found.clock_ns)
    step, kind = found.step[first].astype(np.int64), found.kind[first].astype(np.int64)
    ready, begin = ((column - found.clock_ns)[first] for column in (found.ready_ns, found.first_ns))
    family = (step + 1) * len(KINDS) + kind
    position = ordinals(family, end)
    numbers = np.append(steps.number, np.iinfo(np.int64).min)  # −1, no step, is the last
    at_family = unique_inverse(family)[1]
    siblings = np.bincount(at_family)[at_family]
    transfer = np.maximum(end - ready, 1)
    return _Calls(
        number, numbers[step], kind, position, siblings, begin, end, transfer, found.participants[first]
    )


def _join(first: _Calls, other: _Calls) -> tuple[_Link, _Joined | None]:
    """The calls of the other host that join the first one, and its clock.

    Hosts may count their steps from different ones. In a steady training every shift looks right to some
    µs or ms; the true one is right to the clocks' resolution.
    """
    found = _join_shifted(first, other, 0)
    if found[1] and found[1].uncertainty_ns <= CERTAIN_NS:
        return found
    shifts = [s for s in range(-MAX_SHIFT, MAX_SHIFT + 1) if s]
    tried = [found, *(_join_shifted(first, other, s) for s in shifts)]
    most = max(link.count for link, _ in tried)
    likely = [t for t in tried if t[1] and t[0].count >= most / 2]
    best = min(likely, key=lambda t: t[1].uncertainty_ns if t[1] else 0, default=found)
    if not found[1] or not best[1]:
        return best
    # Ends scatter, and in few steps some agree by chance.
    surer = SURER_TIMES * best[1].uncertainty_ns <= found[1].uncertainty_ns
    return best if surer and best[0].count >= AGREEING_RATIO * found[0].count else found


class _Joined(Record, frozen=True):
    offset_ns: int
    uncertainty_ns: int
    step_shift: int


def _join_shifted(first: _Calls, other: _Calls, shift: int) -> tuple[_Link, _Joined | None]:
    partner = _same_key(first, other, shift)
    pairs = np.flatnonzero(partner >= 0)
    none = _Link(np.full(len(other.number), -1), np.zeros(len(other.number), np.int64))
    if len(pairs) < AGREEING_COUNT:
        return none, None
    mine = partner[pairs]
    apart = first.end_ns[mine] - other.end_ns[pairs]
    # Clocks tell no two moments apart that are closer than this, however short the call.
    transfer = np.minimum(other.transfer_ns[pairs], first.transfer_ns[mine])
    strict = np.maximum(end_tolerance_ns(transfer), END_SKEW_NS)
    usual = np.maximum(strict, USUAL_END_NS)
    kind = other.kind[pairs]
    group = unique_inverse(kind * (int(other.position.max()) + 1) + other.position[pairs])[1]
    drift = _drift(group, other.end_ns[pairs], apart)
    apart -= drift
    few = np.bincount(group).max() < AGREEING_COUNT
    # Of one or two steps all calls, or all of a kind, must agree with each other.
    groupings = (np.zeros_like(group), kind) if few else (group,)
    ratio = FEW_STEPS_RATIO if few else AGREEING_RATIO
    # Where all ends scatter as real ones do, more calls must agree.
    for tolerance, fewest in ((strict, AGREEING_COUNT), (usual, AGREEING_COUNT + 1)):
        found = (_agreeing(g, apart, tolerance, ratio, fewest) for g in groupings)
        joined = next((calls for calls in found if calls.any()), None)
        if joined is not None:
            break
    else:
        return none, None
    # Other calls of these kinds tell the clock more exactly than the few whose ends happen to agree.
    likely = np.isin(kind, kind[joined]) & (np.abs(apart - np.median(apart[joined])) <= usual)
    offset = int(np.median(apart[likely]))
    scatter = int(np.abs(apart[joined] - offset).max())
    agree = joined | (np.abs(apart - offset) <= usual)
    accepted = pairs[
        joined | _accepted(first, other, pairs, mine, apart - offset, drift + offset, agree, joined)
    ]
    result, clock = none.partner.copy(), none.to_base_ns.copy()
    result[accepted], clock[pairs] = partner[accepted], offset + drift
    return _Link(result, clock), _Joined(offset, scatter, shift)


def _agreeing(group: Ints, apart: Ints, tolerance: Ints, ratio: float, fewest: int) -> Bools:
    """The calls whose ends differ by the one difference that most calls of steady groups agree on."""
    counts = np.bincount(group)
    middle = medians(group, apart)
    close = np.abs(apart - middle[group]) <= tolerance
    steady = (np.bincount(group, close) >= ratio * counts) & (counts >= AGREEING_COUNT)
    if not steady.any():
        return np.zeros(len(group), np.bool_)
    # Calls that do not join hosts may be steady by chance; those that do agree on one difference, also
    # kinds of calls that were recorded in fewer steps.
    offset = int(np.median(apart[steady[group] & close]))
    agrees = np.abs(apart - offset) <= tolerance
    often = np.bincount(group, agrees) >= ratio * counts
    joined: Bools = often[group] & agrees
    return joined if joined.sum() >= fewest else np.zeros(len(group), np.bool_)


def _accepted(
    first: _Calls,
    other: _Calls,
    pairs: Ints,
    mine: Ints,
    off_ns: Ints,
    clock_ns: Ints,
    agree: Bools,
    joined: Bools,
) -> Bools:
    """Which pairs of calls of the two hosts may be one call although their ends do not agree strictly.

    Their order says so, both hosts have as many calls of the kind in the step (of the last one a recording
    may lack the end), the calls overlap on the clocks, and many of the kind agree: more, where GPUs
    of one host share calls and need no others.
    """
    kind = other.kind[pairs]
    ratio = np.bincount(kind, agree) / np.maximum(1, np.bincount(kind))
    alone = np.maximum(other.participants[pairs], first.participants[mine]) == 1
    usual = (ratio[kind] >= np.where(alone, ACCEPTED_RATIO, AGREEING_RATIO)) & (
        alone | np.isin(kind, kind[joined])
    )
    begin, end = other.ready_ns[pairs] + clock_ns, other.end_ns[pairs] + clock_ns
    overlap = (begin <= first.end_ns[mine] + ACCEPTED_END_NS) & (
        first.ready_ns[mine] <= end + ACCEPTED_END_NS
    )
    together = (np.abs(off_ns) <= ACCEPTED_END_NS) | (kind == ALL_TO_ALL)
    cut = (first.step[mine] == first.step.max()) | (other.step[pairs] == other.step.max())
    even = (first.siblings[mine] == other.siblings[pairs]) | cut
    return np.asarray(usual & overlap & together & even)


def _drift(group: Ints, at_ns: Ints, apart_ns: Ints) -> Ints:
    """How much the difference of two clocks has grown at each call since the middle of the recording.

    The rate is the median of those between calls of one kind that lie half a recording apart; quartz
    clocks drift by less than ``MAX_DRIFT``.
    """
    order = np.lexsort((at_ns, group))
    counts = np.bincount(group)
    begin = np.repeat(np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    half = np.repeat(counts // 2, counts)
    place = np.arange(len(order)) - begin
    early = np.flatnonzero((half > 0) & (place + half < np.repeat(counts, counts)))
    a, b = order[early], order[early + half[early]]
    if not len(a):
        return np.zeros(len(group), np.int64)
    rates = (apart_ns[b] - apart_ns[a]) / np.maximum(1, at_ns[b] - at_ns[a])
    rate = float(median(rates))
    if abs(rate) > MAX_DRIFT:
        return np.zeros(len(group), np.int64)
    drift = np.round(rate * (at_ns - np.median(at_ns))).astype(np.int64)
    # Ends scatter; what does not make them agree much better is no drift.
    before, after = (np.abs(a - medians(group, a)[group]).mean() for a in (apart_ns, apart_ns - drift))
    return drift if after <= DRIFT_RATIO * before else np.zeros(len(group), np.int64)


def _same_key(first: _Calls, other: _Calls, shift: int) -> Ints:
    """For each call of the other host the call of the first with the same step, kind and position."""
    columns = [
        np.concatenate([a, b])
        for a, b in (
            (first.step, other.step + shift), (first.kind, other.kind), (first.position, other.position)
        )
    ]  # fmt: skip
    _, key = np.unique(np.stack(columns), axis=1, return_inverse=True)
    key = key.reshape(-1)
    mine = np.full(int(key.max(initial=-1)) + 1, -1)
    mine[key[: len(first.number)]] = np.arange(len(first.number))
    outside = np.iinfo(np.int64).min
    return np.where(other.step == outside, -1, mine[key[len(first.number) :]])


def _passed_on(calls: Collectives) -> Collectives:
    """With waiting for a GPU that is held up by another collective counted as that collective's transfer.

    In a hierarchical exchange most GPUs already wait for the broadcast while some still transfer between the
    groups: nobody is late, the data are still on their way.
    """
    if not len(calls):
        return calls
    order = np.lexsort((calls.start_ns, calls.device))
    before = np.full(len(order), -1)
    before[order[1:]] = np.where(calls.device[order[1:]] == calls.device[order[:-1]], order[:-1], -1)
    known = np.maximum(before, 0)
    straight = (before >= 0) & (calls.start_ns - calls.end_ns[known] <= STRAIGHT_NS)
    last = np.flatnonzero(calls.matched & (calls.wait_ns == 0) & straight)
    since, until = np.zeros((2, int(calls.call.max()) + 1), np.int64)
    since[calls.call[last]], until[calls.call[last]] = calls.ready_ns[known[last]], calls.end_ns[known[last]]
    held_by = np.full(len(since), -1)
    held_by[calls.call[last]] = calls.call[known[last]]
    # Who took part in that collective, too, waits for a GPU that is late out of it.
    took_part = np.stack([calls.call, calls.device], axis=1)
    asked = np.stack([held_by[calls.call], calls.device], axis=1)
    room = int(calls.device.max()) + 1
    shares = np.isin(asked @ np.array([room, 1]), took_part @ np.array([room, 1]))
    aside = (calls.start_ns < until[calls.call]) & ~shares
    ready = np.where(aside, np.minimum(calls.ready_ns, since[calls.call]), calls.ready_ns)
    return replace(calls, ready_ns=ready)


def _wall_clock(first: int | None, other: int | None) -> HostClock:
    if first is None or other is None:
        return HostClock("unknown", None, None, 0)
    # Both profiles count from their own begin, which the wall clock tells.
    return HostClock("wall clock", other - first, None, 0)


def _joined(
    found: Sequence[Collectives], calls: Sequence[_Calls], links: Sequence[_Link], base: int
) -> list[Collectives]:
    """Collectives with run-wide call numbers; what joins hosts is ready when the last host has arrived."""
    count = len(calls[base].number)
    room = max(1, count)  # what joins nobody looks at the first one, which need not be there
    ready = np.full(room, np.iinfo(np.int64).min)
    begin = np.full(room, np.iinfo(np.int64).max)
    participants, hosts_count = np.zeros(room, np.int64), np.zeros(room, np.int64)
    for mine, link in zip(calls, links, strict=True):
        rows = np.flatnonzero(link.partner >= 0)
        theirs = link.partner[rows]
        np.maximum.at(ready, theirs, (mine.ready_ns + link.to_base_ns)[rows])
        np.minimum.at(begin, theirs, (mine.first_ns + link.to_base_ns)[rows])
        np.add.at(participants, theirs, mine.participants[rows])
        np.add.at(hosts_count, theirs, 1)
    result, fresh = [], count
    for one, mine, link in zip(found, calls, links, strict=True):
        at = np.searchsorted(mine.number, one.call)
        home = link.partner[at]
        joins: Bools = (home >= 0) & (hosts_count[np.maximum(home, 0)] > 1)
        known = np.maximum(home, 0)
        number = np.where(home >= 0, home, fresh + at)
        fresh += len(mine.number)
        result.append(
            replace(
                one,
                call=number,
                first_ns=np.where(joins, begin[known] - link.to_base_ns[at] + one.clock_ns, one.first_ns),
                ready_ns=np.where(joins, ready[known] - link.to_base_ns[at] + one.clock_ns, one.ready_ns),
                participants=np.where(joins, participants[known], one.participants),
                hosts_count=np.where(joins, hosts_count[known], 1),
                matched=one.matched | joins,
            )
        )
    return result


def compute_beside(host: HostTrace, calls: Collectives) -> tuple[Intervals, ...]:
    """For each GPU of a host when it computes, as far as it runs collectives meanwhile."""
    found = []
    for index, device in enumerate(host.devices):
        mine = calls.device == index
        found.append(intersect(device.busy(Role.KERNEL), union(calls.start_ns[mine], calls.end_ns[mine])))
    return tuple(found)


def awaited_until(compute: Sequence[Sequence[Intervals]], calls: Sequence[Collectives]) -> tuple[Ints, ...]:
    """Per host and row of its collectives: until when the GPU waits for a participant, int64[rows].

    That is until all have arrived; and longer where others still compute while the transfer goes on. Such a
    transfer costs them nothing, so the step does not wait for it but for them: what a participant computes
    under a transfer beyond what this GPU does is waiting for that one, and comes first.

    ``compute``: per host that of ``compute_beside``.
    """
    if not calls:
        return ()
    parts = [_hidden(busy, mine) for busy, mine in zip(compute, calls, strict=True)]
    hidden = np.concatenate([ns for ns, _ in parts])
    call = unique_inverse(np.concatenate([mine.call for mine in calls]))[1]
    most = np.zeros(int(call.max(initial=-1)) + 1, np.int64)
    np.maximum.at(most, call, hidden)
    longer = np.split(most[call] - hidden, np.cumsum([len(mine) for mine in calls])[:-1])
    result = []
    for busy, mine, (own, ready), more in zip(compute, calls, parts, longer, strict=True):
        late = np.minimum(more, mine.end_ns - ready - own)
        until = ready.copy()
        for index in range(len(busy)):
            rows = np.flatnonzero((mine.device == index) & (late > 0))
            until[rows] = _after(busy[index], ready[rows], late[rows])
        result.append(until)
    return tuple(result)


def _hidden(compute: Sequence[Intervals], calls: Collectives) -> tuple[Ints, Ints]:
    """Per row how much of the transfer compute hides, and when all had arrived."""
    ready = np.clip(calls.ready_ns, calls.start_ns, calls.end_ns)
    hidden = np.zeros(len(ready), np.int64)
    for index, busy in enumerate(compute):
        rows = np.flatnonzero(calls.device == index)
        hidden[rows] = covered_within(busy, ready[rows], calls.end_ns[rows])
    return hidden, ready


def _after(busy: Intervals, begin_ns: Ints, idle_ns: Ints) -> Ints:
    """When, counted from each begin, so much time has passed that is not busy."""
    before = np.concatenate([[0], np.cumsum(busy.end_ns - busy.begin_ns)])
    target = begin_ns - covered_before(busy, begin_ns) + idle_ns
    passed = np.searchsorted(busy.begin_ns - before[:-1], target)
    return np.asarray(target + before[passed], np.int64)
