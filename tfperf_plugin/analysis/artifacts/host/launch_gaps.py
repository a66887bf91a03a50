"""Pauses between two launches of a step for one GPU, their reasons according to the host's events, and what a
step gains if work is launched earlier or left out."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import GpuView, Largest
from tfperf_plugin.analysis.host_activity import input_waits, ops_on_cpu, step_ops
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS, launching_ops
from tfperf_plugin.analysis.step_functions import step_function_runs
from tfperf_plugin.arrays.columns import EARLIEST, LATEST, map_codes, smallest_of, unique
from tfperf_plugin.arrays.intervals import Bools, Ints, covered_within, searchsorted
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, HostTrace, among
from tfperf_plugin.trace.roles import HostRole, Role, split_op

# A cause must be seen during this share of the GPU's pause.
COVERED_RATIO: Final = 0.8
# Accounts that a late launch inside the step fills.
_IN_STEP: Final = (
    "copy.d2h", "copy.h2d", "idle.host_op", "idle.sync", "idle.dispatch", "idle.unknown", "idle.launch",
)  # fmt: skip
# "model/where/_101:_HostRecv" receives the result of "model/where:Where".
_COPY_SUFFIX: Final = re.compile(r"(/_\d{1,18}){1,8}$")


class Work(Record, frozen=True, dict=True):
    """The work of one GPU in its steps, in order of start; arrays are per event."""

    row: Ints  #: Row of the device's trace.
    step: Ints  #: Index of the event's step.
    start_ns: Ints
    end_ns: Ints
    launch: Ints  #: Row of the launch in the host's events.
    launched_ns: Ints  #: End of that launch.
    #: Whether a GPU that was idle before the event waited for its launch and not for a batch, compilation or
    #: Python.
    movable: Bools
    #: Begin of the event's step, if it is the first one of a step that follows none of these steps; else the
    #: smallest int64.
    floor_ns: Ints

    @cached_property
    def idle_since_ns(self) -> Ints:
        """The moment when all earlier work had ended, or the step began."""
        reach = np.maximum.accumulate(self.end_ns)
        return np.asarray(np.maximum(np.append(EARLIEST, reach)[: len(reach)], self.floor_ns))


def gained_ns(work: Work, earlier_ns: Ints, left_out: Bools, steps_count: int) -> Ints:
    """int64[steps]: the time by which each step ends earlier.

    ``earlier_ns``: the time by which each event is launched earlier; ``left_out``: events that do not take
    place. Work starts when it is launched and all work before it is done. Each step starts when it did, and
    pauses of the GPU with another reason than a launch stay.
    """
    gain = np.zeros(steps_count, np.int64)
    if not len(work.row):
        return gain
    before = work.idle_since_ns
    # If work starts long after its launch, the GPU itself causes the pause, which then belongs to the work.
    waited = (work.start_ns > before) & (work.start_ns - work.launched_ns <= LAUNCH_BURST_NS)
    # So does a short pause with another reason: the work need not start at the recorded time.
    waited &= work.movable | (work.start_ns - before > LAUNCH_BURST_NS)
    length = np.maximum(0, work.end_ns - np.where(waited, work.start_ns, before))
    length[left_out] = 0
    ready = np.where(waited, work.start_ns, np.minimum(work.start_ns, work.launched_ns))
    ready = np.where(waited & ~work.movable, ready, ready - earlier_ns)
    ready[left_out] = np.iinfo(np.int64).min // 2
    first = np.concatenate([[True], work.step[1:] != work.step[:-1]])
    ready[first] = np.maximum(ready[first], before[first])
    done = np.cumsum(length)
    end = done + np.maximum.accumulate(ready - (done - length))
    last = np.append(np.flatnonzero(first)[1:], len(first)) - 1
    old = np.maximum.accumulate(work.end_ns)
    np.add.at(gain, work.step[last], np.maximum(0, old[last] - end[last]))
    return gain


class LaunchingTime(Record, frozen=True):
    """Time of launches, summed over judged steps."""

    count: int = 0  #: Number of launches.
    ns: int = 0  #: Time from one launch to the next.
    #: Part of ``ns`` in pauses that are longer than within a burst and have no other recorded reason.
    late_ns: int = 0

    @property
    def ratio(self) -> float:
        """Share of the launching time that is waiting."""
        return self.late_ns / max(1, self.ns)


class LateLaunches(Record, frozen=True):
    """Launches by threads that GPUs share with other work, while much and while little of tf.data runs. On
    few cores, less than half of the functions that tf.data runs at once may occupy all."""

    much: LaunchingTime = LaunchingTime()  #: While more than half of ``peak_count`` functions run.
    little: LaunchingTime = LaunchingTime()  #: While at most half of them run.
    quiet: LaunchingTime = LaunchingTime()  #: While at most a quarter of them run.
    peak_count: Largest = 0  #: Largest number of tf.data functions that run at once.


@memoized
def tf_data_functions(host: HostTrace) -> Bools:
    """For each event whether it is work of a function of tf.data.

    A call that waits for its function counts as that function; a call that only starts it does not.
    """
    events, flow = host.events, host.iterators.flow
    works = (events.role == HostRole.OP) & ~step_ops(events)
    waited = np.isin(flow.run_id, flow.function_id[flow.function_waits])
    rows = np.flatnonzero(works)
    works[rows[events.enclosing(rows, events.marked(flow.run[waited])) >= 0]] = False
    named = events.named(
        lambda name: name.startswith("InstantiatedCapturedFunction") and not name.endswith("Async")
    )
    return np.asarray(works | named)


@memoized
def on_shared_threads(events: HostEvents, marker_thread: int) -> Bools:
    """For each event whether its thread runs graphs for several GPUs, without Python's thread, whose launches
    are late for other reasons."""
    pool = np.isin(events.thread, events.thread[events.role == HostRole.EXECUTOR])
    pool &= (events.thread != marker_thread) & ~events.on_threads("tf_data")
    return np.asarray(pool & ~events.on_threads("tf_gpu_private"))


class Launches(Record, frozen=True):
    """The work of one GPU, and for each event the pause before its launch."""

    work: Work
    order: Ints  #: Indices of the events by time of launching.
    pause_begin_ns: Ints
    pause_end_ns: Ints
    usual_ns: int  #: Median length of a pause, at most ``LAUNCH_BURST_NS``.

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


def find_launches(gpu: GpuView, events: HostEvents) -> Launches | None:
    """The work of a GPU in judged steps and the pauses before its launches; ``None`` without any launch."""
    device, device_step, steps = gpu.source, gpu.step, gpu.host.steps
    rows = np.flatnonzero((device.role != Role.NO_WORK) & (device.launch >= 0) & (device_step >= 0))
    rows = rows[steps.judged[device_step[rows]]]
    rows = rows[~events.on_threads("tf_data")[device.launch[rows]]]
    if not len(rows):
        return None
    launch, step = device.launch[rows], device_step[rows].astype(np.int64)
    called, returned = events.start_ns[launch], events.end_ns[launch]
    # Mostly the GPU works in the order of launching, and sorting costs more than everything else here.
    ahead = (step[1:] > step[:-1]) | ((step[1:] == step[:-1]) & (called[1:] >= called[:-1]))
    order = np.arange(len(rows)) if ahead.all() else np.lexsort((called, step))
    begin = np.empty(len(rows), np.int64)
    begin[order[1:]] = returned[order[:-1]]
    first = order[np.diff(step[order], prepend=-1) != 0]  # of each step
    runs = events.start_ns[step_function_runs(events)]
    of_step = searchsorted(steps.host_begin_ns, runs, "right") - 1
    run = smallest_of(of_step[of_step >= 0], runs[of_step >= 0], len(steps))[step[first]]
    begun, batches_ns = called[first], np.append(-1, input_waits(events).end_ns)
    batch = batches_ns[searchsorted(batches_ns[1:], begun, "right")]
    if launching_ops(events).any():  # what a step of PyTorch does first lies in no function
        run = steps.host_begin_ns[step[first]]
    begin[first] = np.where(run < LATEST, np.maximum(run, batch), begun)
    begin = np.minimum(begin, called)
    start, floor = device.start_ns[rows], np.full(len(rows), EARLIEST)
    alone = np.flatnonzero(np.diff(step, prepend=-2) > 1)
    floor[alone] = np.minimum(steps.begin_ns[step[alone]], start[alone])
    movable = np.ones(len(rows), np.bool_)
    work = Work(rows, step, start, device.end_ns[rows], launch, returned, movable, floor)
    since = work.idle_since_ns
    gap = np.flatnonzero(work.start_ns > since)
    covered = covered_within(gpu.ledger.time(*_IN_STEP), since[gap], work.start_ns[gap])
    work.movable[gap] = covered >= COVERED_RATIO * (work.start_ns - since)[gap]
    return Launches(work, order, begin, called, min(int(np.median(called - begin)), LAUNCH_BURST_NS))


def syncs_before(events: HostEvents, launches: Launches) -> tuple[Ints, Ints]:
    """For each launch the last synchronizing call of its thread in the pause before it, −1 if none; and the
    time by which the call, and work that follows it closely, delayed the launch."""
    launch, syncs = launches.work.launch, np.flatnonzero(events.role == HostRole.SYNC)
    row = np.append(-1, syncs)[searchsorted(syncs, launch)]
    begin, end = events.start_ns[row], events.end_ns[row]
    found = (row >= 0) & (events.thread[row] == events.thread[launch])
    found &= (end > launches.pause_begin_ns) & (end <= launches.pause_end_ns)
    close = launches.pause_end_ns - end <= LAUNCH_BURST_NS
    until = np.where(close, launches.pause_end_ns, end)
    blocked = np.where(found, until - np.maximum(begin, launches.pause_begin_ns), 0)
    return np.where(found, row, -1), blocked


def between_waits(events: HostEvents, launches: Launches, removed: Bools) -> Launches:
    """The launches with a step of their own after each wait that stays: with what comes before it, the host
    gets no further ahead of the GPU.

    These are calls that returned when the GPU had done all that was launched; ``removed``: launches before
    which there would be none.
    """
    work, order, syncs = launches.work, launches.order, np.flatnonzero(events.role == HostRole.SYNC)
    row = np.append(-1, syncs)[searchsorted(syncs, work.launch)]
    waits = (row >= 0) & (events.thread[row] == events.thread[work.launch]) & ~removed
    waits &= events.end_ns[row] >= launches.pause_begin_ns
    done_ns = np.append(EARLIEST, np.maximum.accumulate(work.end_ns[order]))[:-1]
    begins = (waits[order] & (done_ns <= events.end_ns[row[order]])) | (
        np.diff(work.step[order], prepend=-1) != 0
    )
    part = np.empty(len(order), np.int64)
    part[order] = np.cumsum(begins) - 1
    return replace(launches, work=replace(work, step=np.maximum.accumulate(part)))


def silent_ns(events: HostEvents, launches: Launches) -> Ints:
    """For each launch the part of the pause before it in which its thread launched nothing for other GPUs."""
    launch, every = launches.work.launch, np.flatnonzero(events.role == HostRole.LAUNCH)
    before = np.append(-1, every)[searchsorted(every, launch)]
    same = (before >= 0) & (events.thread[before] == events.thread[launch])
    since = np.where(
        same, np.maximum(launches.pause_begin_ns, events.end_ns[before]), launches.pause_begin_ns
    )
    return np.maximum(0, launches.pause_end_ns - since)


def _elapsed(since_ns: Ints, points_ns: Ints) -> Ints:
    """For each point the sum of the times since all earlier moments of ``since_ns``, which ascend."""
    zero = since_ns[0]
    count = searchsorted(since_ns, points_ns, "right")
    total = np.concatenate([[0], np.cumsum(since_ns - zero)])
    return np.asarray(count * (points_ns - zero) - total[count], np.int64)


def late_launches(launches: Launches, shared: Bools, host: HostTrace, late: Bools) -> LateLaunches:
    """The launches of one GPU beside little and beside much work of tf.data that was recorded as a whole.

    ``host`` must hold work of tf.data. Ops inside a function do not count as functions of their own.
    """
    pause, at, works, events = (
        launches.pause_ns,
        launches.pause_begin_ns,
        tf_data_functions(host),
        host.events,
    )
    outer = works & ~((events.parent >= 0) & works[events.parent])
    begins, ends = np.sort(events.start_ns[outer]), np.sort(events.end_ns[outer])
    known = shared & (at >= ends[0]) & (at < begins[-1])
    peak = int((np.arange(1, len(begins) + 1) - searchsorted(ends, begins, "right")).max())
    until = np.maximum(launches.pause_end_ns, at + 1)
    worked_ns = _elapsed(begins, until) - _elapsed(begins, at) - _elapsed(ends, until) + _elapsed(ends, at)
    many, quiet = 2 * worked_ns > peak * (until - at), 4 * worked_ns <= peak * (until - at)
    much, little, idle = (
        LaunchingTime(int(side.sum()), int(pause[side].sum()), int(pause[side & late].sum()))
        for side in (known & many, known & ~many, known & quiet)
    )
    return LateLaunches(much, little, idle, peak)


def _plain(op: str) -> str:
    """An op's name without its type and without the suffix that TensorFlow adds for a copy."""
    return _COPY_SUFFIX.sub("", split_op(op)[0] or op)


def copies_of(device: DeviceTrace, work: Work, events: HostEvents) -> Bools:
    """Whether each event is a copy for an op that runs on the CPU: such copies have the op's name."""
    copies = among(device.role[work.row], Role.D2H, Role.H2D)
    names = {_plain(events.names[c]) for c in unique(events.name[ops_on_cpu(events)]).tolist()}
    copies[copies] = map_codes(device.op[work.row[copies]], device.ops, lambda op: _plain(op) in names, False)
    return copies


def read_back(device: DeviceTrace, launches: Launches, sync: Ints, synced: Bools) -> Bools:
    """Copies to the host that the host waits for: the last launched before the call that waits."""
    found = np.zeros(len(synced), np.bool_)
    place = np.empty(len(synced), np.int64)
    place[launches.order] = np.arange(len(synced))
    at = place[synced & (sync >= 0)]
    before = launches.order[at[at > 0] - 1]
    found[before[device.role[launches.work.row[before]] == Role.D2H]] = True
    return found
