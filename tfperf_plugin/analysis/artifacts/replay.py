"""Replays a GPU's work with some of it launched earlier or left out."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.records import Record


class Work(Record, frozen=True, dict=True):
    """The work of one GPU in its steps, in order of start; arrays are per event."""

    #: Row of the device's trace.
    row: Ints
    #: Index of the event's step.
    step: Ints
    start_ns: Ints
    end_ns: Ints
    #: Row of the launch in the host's events.
    launch: Ints
    #: End of that launch.
    launched_ns: Ints
    #: Whether a GPU that was idle before the event waited for its launch and not for a batch, compilation or
    #: Python.
    movable: Bools

    @cached_property
    def idle_since_ns(self) -> Ints:
        """The moment when all earlier work had ended; for the first event, its own start."""
        reach = np.maximum.accumulate(self.end_ns)
        return np.concatenate([self.start_ns[:1], reach[:-1]])


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
