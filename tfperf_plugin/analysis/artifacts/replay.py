"""What if: a GPU's work again, with some of it launched earlier or left out."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tfperf_plugin.analysis.steps import LAUNCH_BURST_NS
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.records import Record


class Work(Record, frozen=True, dict=True):
    """What one GPU did in its steps, in order of start; arrays are per event.

    ``row``: row of the device's trace; ``step``: index of its step; ``start_ns``/``end_ns``; ``launch``: row
    of the launch in the host's events; ``launched_ns``: end of that call; ``movable``: where the GPU was idle
    before it, whether it waited for its launch and not for a batch, compilation or Python.
    """

    row: Ints
    step: Ints
    start_ns: Ints
    end_ns: Ints
    launch: Ints
    launched_ns: Ints
    movable: Bools

    @cached_property
    def idle_since_ns(self) -> Ints:
        """When all earlier work had ended; its own start for the first event."""
        reach = np.maximum.accumulate(self.end_ns)
        return np.concatenate([self.start_ns[:1], reach[:-1]])


def gained_ns(work: Work, earlier_ns: Ints, left_out: Bools, steps_count: int) -> Ints:
    """By how much each step ends earlier: int64[steps].

    Args:
        work: the events in order of start.
        earlier_ns: by how much each event's launch comes earlier.
        left_out: events that do not take place.
        steps_count: number of steps.

    Work starts when it is launched and all before it is done, and each step starts when it did. Pauses of the
    GPU other than for a launch stay as they were.
    """
    gain = np.zeros(steps_count, np.int64)
    if not len(work.row):
        return gain
    before = work.idle_since_ns
    # Work that starts long after its launch waits for the GPU itself: the pause is part of it.
    waited = (work.start_ns > before) & (work.start_ns - work.launched_ns <= LAUNCH_BURST_NS)
    # So is a short one that has another reason: it does not tie its work to the clock.
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
