"""Finds the time in which the host is inside the step, and the ops that Python runs eagerly."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.analysis.step_functions import EAGER_OP, PAUSE_NS, in_close_calls, one_by_one
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.intervals import Intervals, Ints, intersect, subtract, union
from tfperf_plugin.trace.model import HostEvents
from tfperf_plugin.trace.roles import HostRole

_FUNCTION: Final = re.compile(r"^__(inference|forward|backward)_")


def step_body(events: HostEvents, steps: HostSteps) -> Intervals:
    """The time in which the host is inside the step's function.

    If launches are recorded, ``steps.body`` holds. Otherwise the calls of tf.functions count as the step if
    each judged step makes one, and if they take longer than the eager ops beside them; without any, calls of
    what JAX compiled or PyTorch's ops, and the short pauses between them.
    """
    if events.launches.any():
        return steps.body
    calls = np.flatnonzero(events.function_call & (events.thread == steps.marker_thread))
    inside = events.spans(calls)
    if not len(calls):
        calls = one_by_one(events, steps.marker_thread)
        inside = in_close_calls(events, calls)
    first = steps.at(events.start_ns[calls])
    if not np.isin(np.flatnonzero(steps.judged), first).all():
        return steps.body
    markers = union(steps.host_begin_ns, steps.host_end_ns)
    rows = eager_rows(events, steps)
    beside = subtract(intersect(events.spans(rows), markers), inside)
    return inside if inside.total_ns > beside.total_ns else steps.body


def eager_rows(events: HostEvents, steps: HostSteps) -> Ints:
    """Rows of eager ops on the thread that marks steps (on any if none does), without functions and input."""
    wanted = events.named(lambda n: n.startswith(EAGER_OP) and not _FUNCTION.match(n.removeprefix(EAGER_OP)))
    keep = wanted & (events.role != HostRole.INPUT_WAIT)
    if steps.marker_thread >= 0:
        keep &= events.thread == steps.marker_thread
    rows = np.flatnonzero(keep)
    # While a function is traced, Python runs ops for its constants.
    return np.asarray(rows[events.enclosing(rows, events.function_call) < 0])


def pauses(events: HostEvents, rows: Ints) -> Intervals:
    """Python's time between two of the ops ``rows`` of a thread that follow each other closely."""
    begin, end, thread = events.end_ns[rows][:-1], events.start_ns[rows][1:], events.thread[rows]
    close = (thread[1:] == thread[:-1]) & (end - begin <= PAUSE_NS)
    return union(begin[close], end[close])
