"""Waiting of the host's steps for input, with or without a recorded GPU."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import PerStep, View, averaged
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.host_activity import input_waits
from tfperf_plugin.arrays.intervals import covered_within
from tfperf_plugin.records import Record


class HostInput(Record, frozen=True):
    """Waiting for a batch in an average judged step of the host."""

    steps_count: int
    #: Length of the step.
    step_ns: PerStep
    #: Waiting for input in the step.
    wait_ns: PerStep
    #: The longest waits.
    where: Places


def part(view: View) -> HostInput:
    """Waiting for input in the judged steps of one host."""
    steps = view.steps
    judged = np.flatnonzero(steps.judged)
    if not len(judged):
        return HostInput(0, 0, 0, Places())
    waits = input_waits(view.trace.events)
    begin, end = steps.begin_ns[judged], steps.end_ns[judged]
    step = np.searchsorted(begin, waits.begin_ns, "right") - 1
    rows = np.argsort(waits.begin_ns - waits.end_ns, kind="stable")[:20]
    rows = rows[(step[rows] >= 0) & (waits.end_ns[rows] <= end[step[rows]])]
    where = steps.places("the step waits for its batch", waits.begin_ns[rows], waits.end_ns[rows])
    waiting = int(covered_within(waits, begin, end).sum())
    return HostInput(len(judged), int((end - begin).sum()), waiting, where)


def finish(found: HostInput) -> HostInput:
    """Waiting for input in an average step."""
    return averaged(found, found.steps_count)
