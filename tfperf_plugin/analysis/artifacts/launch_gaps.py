"""Pauses between two launches of a step for one GPU, and what the host's events say about them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import Largest
from tfperf_plugin.analysis.artifacts.replay import Work
from tfperf_plugin.analysis.host_activity import input_waits, step_ops
from tfperf_plugin.analysis.ledger import ACCOUNTS, DeviceLedger, HostLedger
from tfperf_plugin.analysis.steps import LAUNCH_BURST_NS, enclosing, step_function_runs
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, covered_within, searchsorted, union
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents, HostTrace, among
from tfperf_plugin.trace.roles import HostRole, Role

# A cause must be seen during this share of the GPU's pause.
COVERED_RATIO: Final = 0.8
# Accounts that a late launch inside the step fills.
_IN_STEP: Final = (
    "copy.d2h", "copy.h2d", "idle.host_op", "idle.sync", "idle.dispatch", "idle.unknown", "idle.launch",
)  # fmt: skip
# "model/where/_101:_HostRecv" brings what "model/where:Where" made.
_COPY_SUFFIX: Final = re.compile(r"(/_\d{1,18}){1,8}$")
# Numbers in LateLaunches.
LATE_COUNT: Final = 10


class LateLaunches(Record, frozen=True):
    """Launches by threads that GPUs share with other work, while much and while little of tf.data runs.

    Much is more than half of the most functions of tf.data that run at once (``peak_count``), little at most
    half, quiet at most a quarter: of few cores all may be taken by less than half. ``*_count``: launches;
    ``*_ns``: from one launch to the next, ``*_late_ns``: of that the pauses that are no part of a burst and
    have no other recorded reason. Sums over judged steps.
    """

    much_count: int = 0
    much_ns: int = 0
    much_late_ns: int = 0
    little_count: int = 0
    little_ns: int = 0
    little_late_ns: int = 0
    quiet_count: int = 0
    quiet_ns: int = 0
    quiet_late_ns: int = 0
    peak_count: Largest = 0

    @property
    def much_ratio(self) -> float:
        """Share of launching time spent waiting while much of tf.data runs."""
        return self.much_late_ns / max(1, self.much_ns)

    @property
    def little_ratio(self) -> float:
        """Share of launching time spent waiting while little of tf.data runs."""
        return self.little_late_ns / max(1, self.little_ns)

    @property
    def quiet_ratio(self) -> float:
        """Share of launching time spent waiting while next to nothing of tf.data runs."""
        return self.quiet_late_ns / max(1, self.quiet_ns)


class LaunchDelaySignals(Record, frozen=True):
    """What happened on a host that may make launches late.

    ``last_launch``: of each event the row of the last launch up to it, −1 if none; ``syncs``, ``ops``: rows
    of calls that wait for a GPU, and of ops that ran on the CPU; ``tf_data``: when its functions ran;
    ``shared``: per event whether its thread runs graphs and is no GPU's own; ``run_ns``: per step when its
    function began to run, −1 if not recorded; ``batches_ns``: when a step that had asked for a batch got it.
    """

    events: HostEvents
    last_launch: Codes
    syncs: Ints
    ops: Ints
    op_time: Intervals
    tf_data: Intervals
    work_begin_ns: Ints
    work_end_ns: Ints
    tf_data_thread: Bools
    shared: Bools
    run_ns: Ints
    batches_ns: Ints

    @staticmethod
    def of(source: HostTrace, host: HostLedger) -> LaunchDelaySignals:
        """What a host's events say."""
        events, steps = source.events, host.steps
        own = step_ops(events)
        syncs = np.flatnonzero(events.role == HostRole.SYNC)
        # An op that waits for the GPU does not work meanwhile.
        waiting = enclosing(events, syncs, own)
        is_op = own & ~events.above_launches
        is_op[waiting[waiting >= 0]] = False
        ops = np.flatnonzero(is_op)
        tf_data = events.on_threads("tf_data")
        flow = source.iterators.flow
        works = (events.role == HostRole.OP) & ~own
        # A call that waits for its function is that function; one that only starts it is none.
        waited = np.isin(flow.run_id, flow.function_id[flow.function_waits])
        runs_waited = np.zeros(len(works), np.bool_)
        runs_waited[flow.run[waited]] = True
        rows = np.flatnonzero(works)
        works[rows[enclosing(events, rows, runs_waited) >= 0]] = False
        works |= _captured(events)
        # An op of a function is no second function.
        outer = works & ~((events.parent >= 0) & works[events.parent])
        runs = step_function_runs(events)
        step = searchsorted(steps.host_begin_ns, events.start_ns[runs], "right") - 1
        run_ns = np.full(len(steps), np.iinfo(np.int64).max)
        np.minimum.at(run_ns, step[step >= 0], events.start_ns[runs][step >= 0])
        # Threads that run parts of a graph; Python's own launches are late for reasons of its own.
        pool = np.isin(events.thread, events.thread[events.role == HostRole.EXECUTOR])
        pool &= (events.thread != steps.marker_thread) & ~tf_data & ~events.on_threads("tf_gpu_private")
        rows = np.arange(len(events.role), dtype=np.int32)
        rows[events.role != HostRole.LAUNCH] = -1
        return LaunchDelaySignals(
            events=events,
            last_launch=np.maximum.accumulate(rows, out=rows),
            syncs=syncs,
            ops=ops,
            op_time=union(events.start_ns[ops], events.end_ns[ops]),
            tf_data=union(events.start_ns[works], events.end_ns[works]),
            work_begin_ns=events.start_ns[outer],
            work_end_ns=events.end_ns[outer],
            tf_data_thread=tf_data,
            shared=pool,
            run_ns=np.where(run_ns == np.iinfo(np.int64).max, -1, run_ns),
            batches_ns=input_waits(events).end_ns,
        )


def _captured(events: HostEvents) -> Bools:
    """For each event whether it is a call of a tf.data function that lasts as long as the function."""
    return events.named(lambda n: n.startswith("InstantiatedCapturedFunction") and not n.endswith("Async"))


class Launches(Record, frozen=True):
    """Work of one GPU, and for each event the pause before its launch; ``order``: in order of launching."""

    work: Work
    order: Ints
    pause_begin_ns: Ints
    pause_end_ns: Ints
    usual_ns: int

    @property
    def pause_ns(self) -> Ints:
        """For each event the pause before its launch."""
        return self.pause_end_ns - self.pause_begin_ns

    def summed(self, per_event: Ints) -> Ints:
        """For each event the sum of ``per_event`` over the launches of its step up to its own."""
        ordered, step = per_event[self.order], self.work.step[self.order]
        total = np.cumsum(ordered)
        first = np.flatnonzero(np.concatenate([[True], step[1:] != step[:-1]]))
        before = np.repeat(total[first] - ordered[first], np.diff(np.append(first, len(step))))
        result = np.empty_like(total)
        result[self.order] = total - before
        return result


def find_launches(
    device: DeviceTrace, host: HostLedger, ledger: DeviceLedger, seen: LaunchDelaySignals
) -> Launches | None:
    """What a GPU did in its judged steps, as far as launches were recorded and are not tf.data's."""
    events, steps = seen.events, host.steps
    device_step = steps.device_step[ledger.index]
    rows = np.flatnonzero((device.role != Role.NO_WORK) & (device.launch >= 0) & (device_step >= 0))
    rows = rows[steps.judged[device_step[rows]]]
    rows = rows[~seen.tf_data_thread[device.launch[rows]]]
    if not len(rows):
        return None
    launch, step = device.launch[rows], device_step[rows].astype(np.int64)
    called, returned = events.start_ns[launch], events.end_ns[launch]
    # Mostly the GPU works in the order of launching, and sorting costs more than all else here.
    ahead = (step[1:] > step[:-1]) | ((step[1:] == step[:-1]) & (called[1:] >= called[:-1]))
    order = np.arange(len(rows)) if ahead.all() else np.lexsort((called, step))
    begin = np.empty(len(rows), np.int64)
    begin[order[1:]] = returned[order[:-1]]
    first = order[np.diff(step[order], prepend=-1) != 0]  # of each step
    run, begun = seen.run_ns[step[first]], called[first]
    begin[first] = np.where(run >= 0, np.maximum(run, _last_before(seen.batches_ns, begun)), begun)
    begin = np.minimum(begin, called)
    work = Work(
        rows, step, device.start_ns[rows], device.end_ns[rows], launch, returned, np.ones(len(rows), np.bool_)
    )
    inside = among(ledger.segments.owner, *(ACCOUNTS.index(a) for a in _IN_STEP))
    time = union(ledger.segments.begin_ns[inside], ledger.segments.end_ns[inside])
    since = work.idle_since_ns
    gap = np.flatnonzero(work.start_ns > since)
    covered = covered_within(time, since[gap], work.start_ns[gap])
    work.movable[gap] = covered >= COVERED_RATIO * (work.start_ns - since)[gap]
    return Launches(work, order, begin, called, min(int(np.median(called - begin)), LAUNCH_BURST_NS))


def _last_before(times_ns: Ints, points_ns: Ints) -> Ints:
    """For each point the last of the times up to it, −1 if there is none."""
    at = searchsorted(times_ns, points_ns, "right")
    return np.concatenate([np.array([-1], np.int64), times_ns])[at]


def syncs_before(seen: LaunchDelaySignals, launches: Launches) -> tuple[Ints, Ints]:
    """For each launch the last synchronising call in the pause before it, on its thread (−1 if none), and how
    long that and what follows it closely held it up."""
    events, launch = seen.events, launches.work.launch
    if not len(seen.syncs):
        return np.full(len(launch), -1, np.int64), np.zeros(len(launch), np.int64)
    at = searchsorted(seen.syncs, launch) - 1
    row = seen.syncs[np.maximum(at, 0)]
    begin, end = events.start_ns[row], events.end_ns[row]
    found = (at >= 0) & (events.thread[row] == events.thread[launch])
    found &= (end > launches.pause_begin_ns) & (end <= launches.pause_end_ns)
    close = launches.pause_end_ns - end <= LAUNCH_BURST_NS
    until = np.where(close, launches.pause_end_ns, end)
    blocked = np.where(found, until - np.maximum(begin, launches.pause_begin_ns), 0)
    return np.where(found, row, -1), blocked


def silent_ns(seen: LaunchDelaySignals, launches: Launches) -> Ints:
    """For each launch how much of the pause before it its thread launched nothing for other GPUs either."""
    events, launch = seen.events, launches.work.launch
    before = np.where(launch > 0, seen.last_launch[launch - 1], -1)
    same = (before >= 0) & (events.thread[before] == events.thread[launch])
    since = np.where(
        same, np.maximum(launches.pause_begin_ns, events.end_ns[before]), launches.pause_begin_ns
    )
    return np.maximum(0, launches.pause_end_ns - since)


def _elapsed(since_ns: Ints, points_ns: Ints) -> Ints:
    """For each point how long ago all of the earlier moments (sorted) were, together."""
    zero = since_ns[0]
    count = searchsorted(since_ns, points_ns, "right")
    total = np.concatenate([[0], np.cumsum(since_ns - zero)])
    return np.asarray(count * (points_ns - zero) - total[count], np.int64)


def late_launches(launches: Launches, shared: Bools, seen: LaunchDelaySignals, late: Bools) -> Ints:
    """The numbers of ``LateLaunches``; unknown where the recording cuts off tf.data's work."""
    pause, at = launches.pause_ns, launches.pause_begin_ns
    begins, ends = np.sort(seen.work_begin_ns), np.sort(seen.work_end_ns)
    if not len(begins):
        return np.zeros(LATE_COUNT, np.int64)
    known = shared & (at >= ends[0]) & (at < begins[-1])
    peak = int((np.arange(1, len(begins) + 1) - searchsorted(ends, begins, "right")).max())
    until = np.maximum(launches.pause_end_ns, at + 1)
    worked_ns = _elapsed(begins, until) - _elapsed(begins, at) - _elapsed(ends, until) + _elapsed(ends, at)
    many, quiet = 2 * worked_ns > peak * (until - at), 4 * worked_ns <= peak * (until - at)
    numbers = [
        n
        for side in (known & many, known & ~many, known & quiet)
        for n in (side.sum(), pause[side].sum(), pause[side & late].sum())
    ]
    return np.array([*numbers, peak], np.int64)


def per_op(device: DeviceTrace, rows: Ints, judge: Callable[[str], bool]) -> Bools:
    """``judge`` of the op of each row; each distinct op is asked once."""
    if not device.ops:
        return np.zeros(len(rows), np.bool_)
    answers = np.zeros(len(device.ops), np.bool_)
    for code in unique(device.op[rows]).tolist():
        if code >= 0:
            answers[code] = judge(device.ops[code])
    op = device.op[rows]
    return np.asarray((op >= 0) & answers[np.maximum(op, 0)])


def _plain(op: str) -> str:
    """An op's name without its type and without what TensorFlow adds to name a copy for it."""
    return _COPY_SUFFIX.sub("", op.rsplit(":", 1)[0])


def copies_of(device: DeviceTrace, work: Work, seen: LaunchDelaySignals) -> Bools:
    """Copies made for an op that runs on the CPU: they carry its name."""
    copies = among(device.role[work.row], Role.D2H, Role.H2D)
    if not copies.any():
        return np.zeros(len(work.row), np.bool_)
    names = {_plain(seen.events.names[c]) for c in unique(seen.events.name[seen.ops]).tolist()}
    found = np.zeros(len(work.row), np.bool_)
    found[copies] = per_op(device, work.row[copies], lambda op: _plain(op) in names)
    return found


def read_back(device: DeviceTrace, launches: Launches, sync: Ints, synced: Bools) -> Bools:
    """Copies to the host that the host waits for: launched last before the call that waits."""
    found = np.zeros(len(synced), np.bool_)
    place = np.empty(len(synced), np.int64)
    place[launches.order] = np.arange(len(synced))
    at = place[synced & (sync >= 0)]
    before = launches.order[at[at > 0] - 1]
    found[before[device.role[launches.work.row[before]] == Role.D2H]] = True
    return found
