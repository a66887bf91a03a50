"""Collective kernels (AllReduce and the like), matched across the GPUs of a host.

The kernel of a GPU that arrives early spins until the last participant has arrived. So a kernel's
duration is not transfer time: the transfer runs from the last start to the end, and all time before it is
waiting. (nccl-tests' definition of bus bandwidth counts the transfer only.) A GPU waits longer while other
GPUs still compute under the transfer: ``awaited_until``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np

from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.columns import Groups, Numbers, map_codes, unique, unique_inverse
from tfperf_plugin.arrays.intervals import (
    Bools,
    Intervals,
    Ints,
    covered_before,
    covered_within,
    intersect,
    union,
)
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostTrace
from tfperf_plugin.trace.roles import Role

_KINDS = (
    ("all_reduce", re.compile(r"(?i)all[_-]?reduce|\bcross_device_reduce")),
    ("reduce_scatter", re.compile(r"(?i)reduce[_-]?scatter")),
    ("all_gather", re.compile(r"(?i)all[_-]?gather")),
    ("broadcast", re.compile(r"(?i)broadcast")),
    (
        "send_recv",
        re.compile(r"(?i)send[_-]?recv|all[_-]?to[_-]?all|permute|^(send|recv)$|\bep::|deep_ep::"),
    ),
    ("reduce", re.compile(r"(?i)reduce")),
)
KINDS = (*(kind for kind, _ in _KINDS), "other")
# The kinds that reports tell apart, as NCCL calls them: of the calls that send and receive, those between
# more than two GPUs are a kind of their own.
NAMES = {
    "all_reduce": "AllReduce",
    "reduce_scatter": "ReduceScatter",
    "all_gather": "AllGather",
    "broadcast": "Broadcast",
    "send_recv": "SendRecv",
    "reduce": "Reduce",
    "other": "other collectives",
    "all_to_all": "AllToAll",
}
# Sending and receiving, and all-to-all, which NCCL builds from them: such a call has no common end.
ALL_TO_ALL = KINDS.index("send_recv")
# The kernels of one call end together if their ends differ by less than this share of the transfer. The limit
# is never below the resolution of GPU clocks (CUPTI converts them to the host's clock to some µs) and never
# above the time that the last chunk takes around a ring.
END_SKEW_RATIO = 1 / 8
END_SKEW_NS = 20_000
END_SKEW_MOST_NS = 250_000
# That strict limit establishes calls. Real ends scatter more: between processes of one machine the median is
# 56 to 102 µs, the 90th percentile 98 to 215, the maximum 369. If this share of a kind's kernels ends within
# the usual limit of the middle of its call, all calls of the kind are accepted by their order up to the
# accepted limit. (Were two groups of GPUs taken for one, half would.)
USUAL_END_NS = 150_000
ACCEPTED_END_NS = 500_000
CLOSE_RATIO = 0.6
# A GPU's clock is off if this many calls, and this share of all, show the same difference of ends.
STEADY_COUNT = 3
STEADY_RATIO = 0.8


class Collectives(Record, frozen=True):
    """The collective kernels of one host; one row a kernel, sorted by start."""

    device: Codes  #: Index into the host's devices.
    row: Ints  #: Row in that device.
    kind: Codes  #: Code into ``KINDS``.
    #: Number that names the instruction of a compiled program, the same on all hosts; 0 for other calls.
    instruction: Ints
    step: Codes  #: Index of the step, −1 if none.
    #: Number of the call: rows with the same number are one call, on this host or, where ``hosts_count`` > 1,
    #: on several.
    call: Ints
    start_ns: Ints
    end_ns: Ints
    #: When the first recorded participant had arrived; the row's own start if the call was not matched.
    first_ns: Ints
    #: When the last recorded participant had arrived; the row's own start if the call was not matched.
    ready_ns: Ints
    participants: Ints  #: Number of recorded GPUs in the call.
    hosts_count: Ints
    matched: Bools  #: Whether the call was found on several GPUs.
    #: How far the GPU's clock is ahead of the host's other GPUs, where ends of calls show it; else 0.
    clock_ns: Ints
    size_bytes: Ints  #: Size of the array, −1 if not recorded.
    #: Whether ``size_bytes`` is the size of one GPU's output and not of the whole array.
    size_is_output: Bools

    def of_device(self, device: int, awaited_until_ns: Ints | None = None) -> tuple[Intervals, Intervals]:
        """Transfer and wait intervals of one GPU.

        ``awaited_until_ns``: for each row of the host the moment until which its GPU waits; by default until
        all participants have arrived.
        """
        mine = self.device == device
        until = self.ready_ns if awaited_until_ns is None else awaited_until_ns
        ready = np.clip(until[mine], self.start_ns[mine], self.end_ns[mine])
        return union(ready, self.end_ns[mine]), union(self.start_ns[mine], ready)

    @property
    def wait_ns(self) -> Ints:
        """For each row the time for which it waits for the last participant."""
        return np.asarray(np.clip(self.ready_ns - self.start_ns, 0, self.end_ns - self.start_ns))

    def within(self, steps: Bools) -> Bools:
        """For each row whether ``steps`` is true for its step."""
        return np.asarray((self.step >= 0) & steps[np.maximum(self.step, 0)])

    def __len__(self) -> int:
        return len(self.device)


def find_collectives(host: HostTrace, steps: HostSteps) -> Collectives:
    """The collectives of one host, matched by kind and order within each step, else by their common end.

    GPUs issue the collectives of a step in one order, else they would deadlock. So the n-th call of a kind on
    one GPU is the n-th on every other, if all take part; in a compiled program, the n-th run of an
    instruction. Where only some GPUs take part (groups of GPUs, hierarchical reductions), kernels of a kind
    that end together are one call. A match counts only if all its kernels overlap in time and end together.
    If many calls of a kind do so, its remaining calls count by their order as long as they overlap. GPU
    clocks with a steady difference are corrected first.
    """
    parts = [_of_device(index, device, steps) for index, device in enumerate(host.devices)]
    if parts:
        columns = (np.concatenate(c) for c in zip(*parts, strict=True))
        device_of, row, kind, instruction, step, start, end, size, output = columns
    else:
        device_of = kind = step = np.empty(0, np.int32)
        row = instruction = start = end = size = np.empty(0, np.int64)
        output = np.empty(0, np.bool_)
    call, participants, first, ready, matched, clock = _match(device_of, kind, instruction, step, start, end)
    order = np.argsort(start, kind="stable")
    return Collectives(
        device_of[order], row[order], kind[order], instruction[order], step[order], call[order], start[order],
        end[order], first[order], ready[order], participants[order], np.ones(len(order), np.int64),
        matched[order], clock[order], size[order], output[order],
    )  # fmt: skip


def end_tolerance_ns(transfer_ns: Ints) -> Ints:
    """The largest distance between the ends of kernels of one call with this transfer time."""
    usual = np.clip((transfer_ns * END_SKEW_RATIO).astype(np.int64), END_SKEW_NS, END_SKEW_MOST_NS)
    return np.asarray(np.minimum(transfer_ns, usual), np.int64)


def _of_device(
    index: int, device: DeviceTrace, steps: HostSteps
) -> tuple[Codes, Ints, Codes, Ints, Codes, Ints, Ints, Ints, Bools]:
    rows = np.flatnonzero(device.role == Role.COLLECTIVE)
    return (
        np.full(len(rows), index, np.int32), rows, _kinds(device, rows), _instructions(device, rows),
        steps.device_step[index][rows],
        device.start_ns[rows], device.end_ns[rows], device.collective_bytes[rows].astype(np.int64),
        device.collective_output[rows],
    )  # fmt: skip


def _kinds(device: DeviceTrace, rows: Ints) -> Codes:
    """The kind of each row: as recorded, else by the kernel's name, else by the op that launched it.

    NCCL runs some collectives of many GPUs in a kernel that is named after another one (``SendRecv``).
    """
    unknown = np.int32(len(_KINDS))
    found = np.full(len(rows), unknown)
    for codes, texts in (
        (device.collective_type, device.collective_types),
        (device.name, device.names),
        (device.op, device.ops),
    ):
        found = np.where(found == unknown, map_codes(codes[rows], texts, _kind, unknown), found)
    return found


def _instructions(device: DeviceTrace, rows: Ints) -> Ints:
    """Numbers the instructions of compiled programs, alike on all GPUs and hosts; 0 outside of programs."""
    named = map_codes(device.op[rows], device.ops, lambda op: crc32(op.encode()), 0)
    return np.where(device.module[rows] >= 0, named, 0).astype(np.int64)


def _kind(name: str) -> int:
    return next((i for i, (_, pattern) in enumerate(_KINDS) if pattern.search(name)), len(_KINDS))


def _match(
    device: Codes, kind: Codes, instruction: Ints, step: Codes, start: Ints, end: Ints
) -> tuple[Ints, Ints, Ints, Ints, Bools, Ints]:
    if not len(device):
        empty = np.empty(0, np.int64)
        return empty, empty, empty, empty, np.empty(0, np.bool_), empty
    family = families(step, kind)
    call, whole = _by_order(families(step, kind, instruction), device, start)
    clock = _clocks(call, device, kind, end, whole)[device]
    start, end = start - clock, end - clock
    good = _is_call(call, device, start, end)
    good |= _accepted(call, kind, start, end, good, whole)
    if not good.all():
        rest = np.flatnonzero(~good)
        call[rest] = call.max() + 1 + _by_end(family[rest], start[rest], end[rest])
        good[rest] = _is_call(call[rest], device[rest], start[rest], end[rest])
    # A kernel that was not matched is a call of its own.
    calls = Groups(np.where(good, call, call.max() + 1 + np.arange(len(call))))
    call = calls.of_row
    first, ready = calls.min(start)[call], calls.max(start)[call]
    return call, calls.count[call], first + clock, ready + clock, good, clock


def families(step: Numbers, kind: Numbers, instruction: Ints | None = None) -> Ints:
    """Numbers the rows by step, kind and, in a compiled program, instruction."""
    family = (step.astype(np.int64) + 1) * len(KINDS) + kind
    if instruction is None or not instruction.any():
        return family
    number, code = unique_inverse(instruction)
    return np.asarray(family * len(number) + code)


def _by_order(family: Ints, device: Codes, start: Ints) -> tuple[Ints, Bools]:
    """Call numbers by order, and for each row whether several GPUs take part in all calls of its family.

    ``family``: the result of ``families``. A call by order counts only if all GPUs that run the family take
    part in it.
    """
    by_family = Groups(family)
    calls = Groups(family, Groups(family, device).position(start))
    call, of_family = calls.of_row, by_family.of_row
    whole = calls.count[call] == by_family.distinct(device)[of_family]
    several = (by_family.sum(~whole)[of_family] == 0) & (calls.count[call] > 1)
    # Each row of a call that lacks a GPU gets a number of its own for now.
    return np.where(whole, call, call.max() + 1 + np.arange(len(call))), several


def _clocks(call: Ints, device: Codes, kind: Codes, end: Ints, whole: Bools) -> Ints:
    """For each GPU the time by which its clock is ahead, if the clocks differ by more than usual; else 0.

    Clocks differ if, in most calls that all GPUs share, the ends differ from their mean by the same amounts.
    """
    none = np.zeros(int(device.max()) + 1, np.int64)
    size = np.bincount(call)
    rows = np.flatnonzero(whole & (kind != ALL_TO_ALL) & (size[call] == len(unique(device))))
    if not len(rows):
        return none
    calls, gpus, end = Groups(call[rows]), Groups(device[rows]), end[rows] - end[rows[0]]
    ahead = np.round(end - (calls.sum(end) / calls.count)[calls.of_row]).astype(np.int64)
    usual = gpus.median(ahead)
    steady = gpus.sum(np.abs(ahead - usual[gpus.of_row]) <= USUAL_END_NS) >= STEADY_RATIO * len(calls)
    apart = int(np.abs(usual).max())
    if len(calls) < STEADY_COUNT or not steady.all() or not END_SKEW_NS < apart <= END_SKEW_MOST_NS:
        return none
    none[unique(device)] = usual
    return none


def _accepted(call: Ints, kind: Codes, start: Ints, end: Ints, good: Bools, whole: Bools) -> Bools:
    """For each row whether its call by order counts although its ends, unlike most of its kind, lie apart.

    An all-to-all ends on each GPU when its own peers have finished.
    """
    calls = Groups(call)
    first_end, last_end, last_start = calls.min(end), calls.max(end), calls.max(start)
    overlap = last_start <= first_end + ACCEPTED_END_NS
    close = whole & (good | (np.abs(end - calls.median(end)[calls.of_row]) <= USUAL_END_NS))
    agree, all_of_kind = (np.bincount(kind[rows], minlength=len(KINDS)) for rows in (close, whole))
    usual = agree >= np.maximum(1, CLOSE_RATIO * all_of_kind)
    together = (last_end - first_end <= ACCEPTED_END_NS)[calls.of_row] | (kind == ALL_TO_ALL)
    return np.asarray(whole & usual[kind] & together & overlap[calls.of_row])


def _by_end(family: Ints, start: Ints, end: Ints) -> Ints:
    """Call numbers for kernels of one family that end right after each other."""
    order = np.lexsort((end, family))
    length = (end - start)[order]
    apart = np.diff(end[order]) >= end_tolerance_ns(np.minimum(length[1:], length[:-1]))
    fresh = np.concatenate([[True], apart | (np.diff(family[order]) != 0)])
    call = np.empty(len(order), np.int64)
    call[order] = np.cumsum(fresh) - 1
    return call


def _is_call(call: Ints, device: Codes, start: Ints, end: Ints) -> Bools:
    """For each row whether its call has several GPUs, each once, that overlap and end together."""
    calls = Groups(call)
    first_end, last_end, last_start = calls.min(end), calls.max(end), calls.max(start)
    together = last_end - first_end < end_tolerance_ns(np.maximum(first_end - last_start, 0))
    once_each = (calls.count > 1) & (calls.distinct(device) == calls.count)
    return np.asarray((once_each & together)[calls.of_row])


def compute_beside(host: HostTrace, calls: Collectives) -> tuple[Intervals, ...]:
    """For each GPU of a host the time in which it computes while it runs a collective."""
    found = []
    for index, device in enumerate(host.devices):
        mine = calls.device == index
        found.append(intersect(device.busy(Role.KERNEL), union(calls.start_ns[mine], calls.end_ns[mine])))
    return tuple(found)


def awaited_until(compute: Sequence[Sequence[Intervals]], calls: Sequence[Collectives]) -> tuple[Ints, ...]:
    """For each host, int64[rows]: until when the GPU of each row of ``calls`` waits for a participant.

    A GPU waits until all have arrived, and longer while other GPUs still compute during the transfer. To GPUs
    that compute, the transfer costs nothing, so the step waits for them and not for the transfer: if a
    participant computes under the transfer for longer than this GPU, the difference is waiting for that
    participant, and comes first.

    ``compute``: the result of ``compute_beside`` for each host.
    """
    parts = [_hidden(busy, mine) for busy, mine in zip(compute, calls, strict=True)]
    hidden = np.concatenate([ns for ns, _ in parts])
    call = Groups(np.concatenate([mine.call for mine in calls]))
    longer = np.split(call.max(hidden)[call.of_row] - hidden, np.cumsum([len(mine) for mine in calls])[:-1])
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
    """For each row the part of the transfer that compute hides, and when the last participant arrived."""
    ready = np.clip(calls.ready_ns, calls.start_ns, calls.end_ns)
    hidden = np.zeros(len(ready), np.int64)
    for index, busy in enumerate(compute):
        rows = np.flatnonzero(calls.device == index)
        hidden[rows] = covered_within(busy, ready[rows], calls.end_ns[rows])
    return hidden, ready


def _after(busy: Intervals, begin_ns: Ints, idle_ns: Ints) -> Ints:
    """The moments by which ``idle_ns`` of idle time has passed since each ``begin_ns``."""
    before = np.concatenate([[0], np.cumsum(busy.end_ns - busy.begin_ns)])
    target = begin_ns - covered_before(busy, begin_ns) + idle_ns
    passed = np.searchsorted(busy.begin_ns - before[:-1], target)
    return np.asarray(target + before[passed], np.int64)
