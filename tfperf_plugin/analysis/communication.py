"""Matches collectives across hosts, and finds how far the hosts' clocks differ.

A collective ends for all participants at about the same moment. So the n-th call of a kind in a step on one
host and on another are the same call if the difference of their recorded ends, which is the difference of the
two clocks, is the same in every step. A strict comparison establishes the clocks. After that, other calls of
a kind that mostly joins the hosts are accepted by their order if they overlap, because real ends scatter, and
an all-to-all ends on each GPU when its own peers have finished. On the common clock, the transfer begins with
the last arrival; all time before that is waiting.
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
    USUAL_END_NS,
    Collectives,
    end_tolerance_ns,
    families,
)
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.columns import EARLIEST, LATEST, Groups, median
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.records import Record

ClockSource = Literal["same host", "collectives", "wall clock", "unknown"]
# At least this many calls, and this share of each kind of call, must agree on one difference of clocks.
AGREEING_COUNT = 3
AGREEING_RATIO = 0.8
# The share for one or two steps: they have different calls, of which some may scatter in every step.
FEW_STEPS_RATIO = 2 / 3
# Hosts that count their steps from the start of the recording may differ by this many steps.
MAX_SHIFT = 3
# Share of a kind that must agree before the rest is accepted by order. Calls that GPUs of one host share need
# no partners elsewhere; for these it is ``AGREEING_RATIO``, and some must agree strictly.
ACCEPTED_RATIO = 1 / 3
# Another shift of steps must make the ends agree this many times better than no shift.
SURER_TIMES = 3
# Ends that scatter by no more than this are common ends: only clocks are that regular.
CERTAIN_NS = 50_000
# A call that begins this shortly after another one of the same GPU was held up by it.
STRAIGHT_NS = 50_000
# Quartz clocks of computers drift by some 10 µs a second, at most about 100.
MAX_DRIFT = 2e-4
# Share of the scatter that may remain once a drift is removed; if more remains, there is no drift.
DRIFT_RATIO = 0.5


class HostClock(Record, frozen=True):
    """The clock of one host relative to the first host's clock."""

    source: ClockSource
    #: Number to add to this host's times to get the first host's; ``None`` if not known.
    offset_ns: int | None
    #: How far common ends of calls scatter around ``offset_ns``; ``None`` if it rests on wall clocks, which
    #: usually differ by some ms.
    uncertainty_ns: int | None
    step_shift: int  #: Number to add to this host's step numbers to get the first host's.


class Communication(Record, frozen=True):
    """The collectives and the clock of each host, in the order of the trace."""

    hosts: tuple[Collectives, ...]
    clocks: tuple[HostClock, ...]


class _Calls(Record, frozen=True):
    """The calls of one host, one row a call."""

    number: Ints  #: The call's number in ``Collectives.call``.
    step: Ints  #: Number of the step, the smallest int64 if none.
    kind: Ints  #: Code into ``KINDS``.
    instruction: Ints  #: As ``Collectives.instruction``.
    position: Ints  #: Position by end among its ``siblings``.
    siblings: Ints  #: Number of calls of this step, kind and instruction.
    first_ns: Ints  #: When the first GPU of this host had arrived.
    end_ns: Ints
    transfer_ns: Ints  #: Time from the last arrival to the end, at least 1.
    participants: Ints

    @property
    def ready_ns(self) -> Ints:
        """The moment at which the last GPU of this host had arrived."""
        return self.end_ns - self.transfer_ns


class _Link(Record, frozen=True):
    """For each call of a host the same call of the base."""

    partner: Ints  #: Index of the call of the base, −1 if none.
    to_base_ns: Ints  #: Number to add to the call's times to get the base's.
    uncertainty_ns: int = LATEST  #: As in ``HostClock``; ``LATEST`` if too few calls agree.
    offset_ns: int = 0
    step_shift: int = 0

    @property
    def count(self) -> int:
        return int((self.partner >= 0).sum())


def join_hosts(
    found: Sequence[Collectives], steps: Sequence[HostSteps], profile_start_ns: Sequence[int | None]
) -> Communication:
    """Matches the calls that each host recorded and numbers them for the whole run; finds the hosts' clocks.

    Every host is compared with the base: the first host that has calls. ``profile_start_ns``: the wall-clock
    time at time 0 of each host, if recorded.
    """
    if len(found) < 2:
        alone = tuple(HostClock("same host", 0, 0, 0) for _ in found)
        return Communication(tuple(_passed_on(c) for c in found), alone)
    calls = [_calls(c, s) for c, s in zip(found, steps, strict=True)]
    base = next((index for index, mine in enumerate(calls) if len(mine.number)), 0)
    count = len(calls[base].number)
    clocks, links = [], []
    for index, begin_ns in enumerate(profile_start_ns):
        own = _Link(np.arange(count), np.zeros(count, np.int64))
        link = own if index == base else _join(calls[base], calls[index])
        links.append(link)
        if index == 0:
            clocks.append(HostClock("same host", 0, 0, 0))
        elif link.uncertainty_ns < LATEST and base == 0:
            clocks.append(HostClock("collectives", link.offset_ns, link.uncertainty_ns, link.step_shift))
        else:
            clocks.append(_wall_clock(profile_start_ns[0], begin_ns, link.step_shift))
    run_wide = _renumbered(found, calls, links, count)
    return Communication(tuple(_passed_on(c) for c in run_wide), tuple(clocks))


def _calls(found: Collectives, steps: HostSteps) -> _Calls:
    calls = Groups(found.call)
    first, end = calls.first, calls.max(found.end_ns - found.clock_ns)
    step, kind = found.step[first].astype(np.int64), found.kind[first].astype(np.int64)
    ready, begin = ((column - found.clock_ns)[first] for column in (found.ready_ns, found.first_ns))
    instruction = found.instruction[first]
    family = Groups(families(step, kind, instruction))
    numbers = np.append(steps.number, EARLIEST)  # −1, no step, is the last
    return _Calls(
        number=found.call[first],
        step=numbers[step],
        kind=kind,
        instruction=instruction,
        position=family.position(end),
        siblings=family.count[family.of_row],
        first_ns=begin,
        end_ns=end,
        transfer_ns=np.maximum(end - ready, 1),
        participants=found.participants[first],
    )


def _join(first: _Calls, other: _Calls) -> _Link:
    """The calls that the hosts ``other`` and ``first`` share, and the clock of ``other``.

    Hosts may count their steps from different ones. In a steady training the ends agree to some µs or ms with
    every shift, but only with the true one to the clocks' resolution.
    """
    found = _join_shifted(first, other, 0)
    if found.uncertainty_ns <= CERTAIN_NS:
        return found
    tried = [found, *(_join_shifted(first, other, s) for s in range(-MAX_SHIFT, MAX_SHIFT + 1) if s)]
    most = max(link.count for link in tried)
    likely = [link for link in tried if link.uncertainty_ns < LATEST and link.count >= most / 2]
    best = min(likely, key=lambda link: link.uncertainty_ns, default=found)
    # Ends scatter, and in few steps some agree by chance.
    surer = SURER_TIMES * best.uncertainty_ns <= found.uncertainty_ns
    return best if surer and best.count >= AGREEING_RATIO * found.count else found


def _join_shifted(first: _Calls, other: _Calls, shift: int) -> _Link:
    partner = _same_key(first, other, shift)
    pairs = np.flatnonzero(partner >= 0)
    none = _Link(np.full(len(other.number), -1), np.zeros(len(other.number), np.int64))
    if len(pairs) < AGREEING_COUNT:
        return none
    mine = partner[pairs]
    apart = first.end_ns[mine] - other.end_ns[pairs]
    # However short the call, clocks cannot resolve a smaller difference.
    transfer = np.minimum(other.transfer_ns[pairs], first.transfer_ns[mine])
    strict = np.maximum(end_tolerance_ns(transfer), END_SKEW_NS)
    usual = np.maximum(strict, USUAL_END_NS)
    kind = other.kind[pairs]
    alike = Groups(kind, other.instruction[pairs], other.position[pairs])
    drift = _drift(alike, other.end_ns[pairs], apart)
    apart -= drift
    few = alike.count.max() < AGREEING_COUNT
    # In one or two steps all calls, or all of a kind, must agree with each other.
    groupings = (Groups(np.zeros_like(kind)), Groups(kind)) if few else (alike,)
    ratio = FEW_STEPS_RATIO if few else AGREEING_RATIO
    # If the ends agree only as closely as real ends usually do, more calls must agree.
    for tolerance, fewest in ((strict, AGREEING_COUNT), (usual, AGREEING_COUNT + 1)):
        found = (_agreeing(g, apart, tolerance, ratio, fewest) for g in groupings)
        joined = next((calls for calls in found if calls.any()), None)
        if joined is not None:
            break
    else:
        return none
    # All likely calls of these kinds give the clock more exactly than the few whose ends happen to agree.
    likely = np.isin(kind, kind[joined]) & (np.abs(apart - np.median(apart[joined])) <= usual)
    offset = int(np.median(apart[likely]))
    scatter = int(np.abs(apart[joined] - offset).max())
    agree = joined | (np.abs(apart - offset) <= usual)
    accepted = pairs[
        joined | _accepted(first, other, pairs, mine, apart - offset, drift + offset, agree, joined)
    ]
    result, clock = none.partner.copy(), none.to_base_ns.copy()
    result[accepted], clock[pairs] = partner[accepted], offset + drift
    return _Link(result, clock, scatter, offset, shift)


def _agreeing(groups: Groups, apart: Ints, tolerance: Ints, ratio: float, fewest: int) -> Bools:
    """The calls whose ends differ by the one difference that most calls of steady groups agree on."""
    close = np.abs(apart - groups.median(apart)[groups.of_row]) <= tolerance
    steady = (groups.sum(close) >= ratio * groups.count) & (groups.count >= AGREEING_COUNT)
    if not steady.any():
        return np.zeros(len(apart), np.bool_)
    # Calls that do not join hosts may be steady by chance. Those that do agree on one difference, even if
    # their kind was recorded in fewer steps.
    offset = int(np.median(apart[steady[groups.of_row] & close]))
    agrees = np.abs(apart - offset) <= tolerance
    often = groups.sum(agrees) >= ratio * groups.count
    joined: Bools = often[groups.of_row] & agrees
    return joined if joined.sum() >= fewest else np.zeros(len(apart), np.bool_)


def _accepted(
    first: _Calls, other: _Calls, pairs: Ints, mine: Ints, off_ns: Ints, clock_ns: Ints, agree: Bools,
    joined: Bools,
) -> Bools:  # fmt: skip
    """Whether each pair of calls of the two hosts may be one call although their ends do not agree strictly.

    Both hosts must have the same number of calls of the kind in the step (except in the last step, whose end
    a recording may lack), the calls must overlap on the common clock, and many calls of the kind must agree.
    If GPUs of one host share the call and need no partners elsewhere, more calls must agree.
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


def _drift(kinds: Groups, at_ns: Ints, apart_ns: Ints) -> Ints:
    """The growth of the difference of two clocks at each call since the middle of the recording.

    The rate is the median over pairs of calls of one kind that lie half a recording apart; a quartz clock
    drifts by less than ``MAX_DRIFT``.
    """
    order = np.lexsort((at_ns, kinds.of_row))
    half, end = (np.repeat(each, kinds.count) for each in (kinds.count // 2, np.cumsum(kinds.count)))
    early = np.flatnonzero((half > 0) & (np.arange(len(order)) + half < end))
    a, b = order[early], order[early + half[early]]
    none = np.zeros(len(at_ns), np.int64)
    if not len(a):
        return none
    rate = float(median((apart_ns[b] - apart_ns[a]) / np.maximum(1, at_ns[b] - at_ns[a])))
    if abs(rate) > MAX_DRIFT:
        return none
    drift = np.round(rate * (at_ns - np.median(at_ns))).astype(np.int64)
    before, after = (
        np.abs(apart - kinds.median(apart)[kinds.of_row]).mean() for apart in (apart_ns, apart_ns - drift)
    )
    return drift if after <= DRIFT_RATIO * before else none


def _same_key(first: _Calls, other: _Calls, shift: int) -> Ints:
    """For each call of ``other`` the call of ``first`` at the same place of the program, −1 if none."""
    columns = [
        np.concatenate([a, b])
        for a, b in (
            (first.step, other.step + shift), (first.kind, other.kind),
            (first.instruction, other.instruction), (first.position, other.position),
        )
    ]  # fmt: skip
    same, count = Groups(*columns), len(first.number)
    mine = np.full(len(same), -1)
    mine[same.of_row[:count]] = np.arange(count)
    outside = EARLIEST
    return np.where(other.step == outside, -1, mine[same.of_row[count:]])


def _passed_on(calls: Collectives) -> Collectives:
    """Counts waiting for a GPU that another collective holds up as transfer of that collective.

    In a hierarchical exchange most GPUs already wait for the broadcast while some still transfer between the
    groups: no GPU is late, the data are still on their way.
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
    # A GPU that took part in that collective, too, waits for a GPU that leaves it late.
    devices = int(calls.device.max()) + 1
    took_part, needed = (call * devices + calls.device for call in (calls.call, held_by[calls.call]))
    aside = (calls.start_ns < until[calls.call]) & ~np.isin(needed, took_part)
    ready = np.where(aside, np.minimum(calls.ready_ns, since[calls.call]), calls.ready_ns)
    return replace(calls, ready_ns=ready)


def _wall_clock(first: int | None, other: int | None, step_shift: int) -> HostClock:
    if first is None or other is None:
        return HostClock("unknown", None, None, step_shift)
    # The times of a profile count from its start, whose wall-clock time is recorded.
    return HostClock("wall clock", other - first, None, step_shift)


def _renumbered(
    found: Sequence[Collectives], calls: Sequence[_Calls], links: Sequence[_Link], count: int
) -> list[Collectives]:
    """The collectives with run-wide call numbers; a call of several hosts is ready when the last has arrived.

    ``count``: number of calls of the base.
    """
    room = max(1, count)  # rows without a partner look up the first entry, which must exist
    ready = np.full(room, EARLIEST)
    begin = np.full(room, LATEST)
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
