"""Finds the step of each launch of the host and of each event of a GPU."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.finding_steps.marks import Marks
from tfperf_plugin.analysis.launches import AT_ONCE_COUNT, launch_calls, lost_launches
from tfperf_plugin.analysis.step_functions import EAGER_OP
from tfperf_plugin.arrays.columns import LATEST, smallest_of
from tfperf_plugin.arrays.intervals import Bools, Ints, searchsorted
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents, HostTrace

# Step index of launches after the last step.
_AFTER_LAST = -2
# A launch is followed back over at most this many threads; caller, executor and its helpers are three.
MAX_HANDOVERS_COUNT = 8
# A step that lacks more of its kernels is not judged: in whole recordings none is missing.
HOLE_RATIO = 0.01


def launch_steps(events: HostEvents, marks: Marks) -> Codes:
    """For each launch among the host's events its step; other events are set to −1.

    Launches before the first step get −1, those after the last step ``_AFTER_LAST``.
    """
    step = np.full(len(events.start_ns), -1, np.int32)
    for first in range(0, len(step), AT_ONCE_COUNT):
        rows = first + np.flatnonzero(events.launches[first : first + AT_ONCE_COUNT])
        step[rows] = _steps_of(events, rows, marks)
    step[_after_last(events, marks)] = _AFTER_LAST
    return step


def holed_steps(host: HostTrace, marks: Marks) -> Bools:
    """For each step whether the recording lacks more than ``HOLE_RATIO`` of the kernels that it launches."""
    count = len(marks.begin_ns)
    lost = np.flatnonzero(lost_launches(host))
    if not len(lost):
        return np.zeros(count, np.bool_)
    lost, every = (
        np.bincount(step[step >= 0], minlength=count)
        for rows in (lost, np.flatnonzero(launch_calls(host.events)))
        for step in (_steps_of(host.events, rows, marks),)
    )
    return np.asarray(lost > HOLE_RATIO * every)


def _steps_of(events: HostEvents, rows: Ints, marks: Marks) -> Codes:
    """For each of these launches its step, −1 if none."""
    step = np.full(len(rows), -1, np.int32)
    known = np.zeros(len(rows), np.bool_)
    ids, index = marks.step_ids
    if len(ids):
        carrier = events.enclosing(rows, events.step_id != 0)
        wanted = events.step_id[np.maximum(carrier, 0)]
        at = np.minimum(searchsorted(ids, wanted), len(ids) - 1)
        known = (carrier >= 0) & (ids[at] == wanted)
        step[known] = index[at[known]]
    begun_ns = events.start_ns[_origins(events, rows[~known])]
    step[~known] = searchsorted(marks.begin_ns, begun_ns, "right") - 1
    return step


def _origins(events: HostEvents, rows: Ints) -> Ints:
    """For each row the event, on any thread, with which the chain of handovers to it began."""
    origin, handed_on = rows, events.producer >= 0
    for _ in range(MAX_HANDOVERS_COUNT if handed_on.any() else 0):
        carrier = np.where(handed_on[origin], origin, events.enclosing(origin, handed_on))
        if not (carrier >= 0).any():
            break
        origin = np.where(carrier >= 0, events.producer[np.maximum(carrier, 0)], origin)
    return origin


def _after_last(events: HostEvents, marks: Marks) -> Bools:
    """Events on the marker thread from the first op that Python runs after the last step.

    Keras' callbacks run such ops (TensorBoard's: LogicalAnd, WriteSummary) and read their results back.
    """
    if not marks.by_host:
        return np.zeros(len(events.start_ns), np.bool_)
    eager = events.named(lambda name: name.startswith(EAGER_OP))
    later = (events.thread == marks.thread) & (events.start_ns >= marks.end_ns[-1])
    begin_ns = events.start_ns[later & (eager | events.function_call)]
    return np.asarray(later & (events.start_ns >= begin_ns.min(initial=np.iinfo(np.int64).max)))


def steps_of_events(device: DeviceTrace, launch_step: Codes, marks: Marks, begin_ns: Ints) -> Codes:
    """The step of each event of a GPU, or a negative number.

    ``launch_step``: the step of each event of the host; ``begin_ns``: when the GPU begins each step.
    """
    by_time = (searchsorted(begin_ns, device.start_ns, "right") - 1).astype(np.int32)
    if not marks.by_host or marks.runs:
        return by_time
    by_time[launched_before(device)] = -1
    return np.where(device.launch >= 0, launch_step[np.maximum(device.launch, 0)], by_time).astype(np.int32)


@memoized
def launched_before(device: DeviceTrace) -> Bools:
    """Whether each event of a GPU was launched before the recording began; false if no launch is recorded.

    A stream runs its work in the order of launching. So an event without a recorded launch is older than the
    recording if it comes before the first kernel with a recorded launch: the stream's, or else the GPU's.
    """
    kernels = np.flatnonzero(device.is_kernel() & (device.launch >= 0))
    if not len(kernels):
        return np.zeros(len(device.start_ns), np.bool_)
    first = smallest_of(device.stream[kernels], device.start_ns[kernels], len(device.streams))
    first = np.where(first == LATEST, first.min(), first)
    return np.asarray((device.launch < 0) & (device.start_ns < first[device.stream]))
