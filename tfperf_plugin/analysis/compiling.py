"""The time in which a host traces tf.functions and in which XLA compiles: two causes with different remedies.

TensorFlow records only a part of either. It marks a call that traces as a whole. Between the begin of an XLA
program's op and the program's first run lie lowering and code generation, most of it without an event.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Intervals, Ints, contains, distinct, merge, subtract, union
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import HostEvents, among
from tfperf_plugin.trace.roles import HostRole

# Events that begin to run a compiled program on a CPU or a GPU.
_RUNS: Final = re.compile(r"ExecuteAsyncOnStream|^ThunkExecutor::Execute$|:XLA GPU module$")
# Events, besides ops "name:Type", inside which an XLA program is compiled and run.
_CARRIERS: Final = frozenset({"ExecutorState::ProcessAsync::Start", "EagerKernelExecute"})


@memoized
def tracing_or_compiling(events: HostEvents) -> Intervals:
    """The time in which a tf.function is traced or XLA compiles for the step."""
    return merge(tracing(events), compile_spans(events))


@memoized
def tracing(events: HostEvents) -> Intervals:
    """The time in which a tf.function is traced for the step; tf.data's own functions do not count.

    A call that traces does so until it first runs or compiles the function.
    """
    rows = _named(events, HostRole.TRACING)
    calls = np.flatnonzero(events.traced)
    carriers, _ = _compilations(events)
    stops = distinct(np.concatenate([np.flatnonzero(events.role == HostRole.FUNCTION_RUN), carriers]))
    until = _first_inside(events, calls, stops, events.end_ns[calls])
    traced = merge(events.spans(rows), union(events.start_ns[calls], until))
    return subtract(traced, compile_spans(events))


@memoized
def compile_spans(events: HostEvents) -> Intervals:
    """The time in which XLA compiles for the step: from the begin of the program's op to its first run."""
    carriers, until = _compilations(events)
    return merge(events.spans(_named(events, HostRole.COMPILE)), union(events.start_ns[carriers], until))


def traced_calls(events: HostEvents) -> Ints:
    """Rows of events that show that a function is traced: marked calls, and graph building outside them."""
    rows = distinct(np.concatenate([np.flatnonzero(events.traced), _named(events, HostRole.TRACING)]))
    return rows[events.enclosing(rows, events.traced) < 0]


def compilations(events: HostEvents) -> Ints:
    """Rows of the events in which XLA compiles and of the ops around them."""
    return distinct(np.concatenate([_outermost(events), _compilations(events)[0]]))


@memoized
def _named(events: HostEvents, role: HostRole) -> Ints:
    return np.flatnonzero((events.role == role) & ~events.on_threads("tf_data"))


def _outermost(events: HostEvents) -> Ints:
    rows = _named(events, HostRole.COMPILE)
    parent = events.parent[rows]
    return np.asarray(rows[(parent < 0) | (events.role[parent] != HostRole.COMPILE)])


@memoized
def _compilations(events: HostEvents) -> tuple[Ints, Ints]:
    """Rows of the ops in which XLA compiles, and when each first runs its compiled program."""
    rows = _outermost(events)
    parent = events.parent[rows]
    op = among(events.role[parent], HostRole.OP, HostRole.PASSIVE_OP)
    found = (parent >= 0) & (op | events.named(_CARRIERS.__contains__)[parent])
    rows, parent = rows[found], parent[found]
    inside = Groups(parent)
    carriers, last_ns, last = inside.keys[:, 0], inside.max(events.end_ns[rows]), rows[inside.last]
    if not len(carriers):
        return carriers, last_ns
    begins = np.flatnonzero(events.named(_RUNS.search) | (events.role == HostRole.LAUNCH))
    # XLA launches kernels while it compiles, too, to find out which is fastest.
    trials = contains(events.spans(rows), events.start_ns[begins])
    after = _first_inside(events, carriers, begins[~trials], last_ns, after=last)
    return carriers, np.maximum(after, last_ns)


def _first_inside(
    events: HostEvents, rows: Ints, wanted: Ints, absent_ns: Ints, after: Ints | None = None
) -> Ints:
    """For each of ``rows`` the start of the first ``wanted`` row inside it that follows ``after``, by default
    the row itself; ``absent_ns`` if there is none."""
    at = np.searchsorted(wanted, rows if after is None else after, "right")
    first = np.append(wanted, -1)[at]  # rows of a thread follow each other in time
    known = np.maximum(first, 0)
    inside = (first >= 0) & (events.thread[known] == events.thread[rows]) if len(rows) else first >= 0
    inside &= events.start_ns[known] < events.end_ns[rows]
    return np.where(inside, events.start_ns[known], absent_ns)
