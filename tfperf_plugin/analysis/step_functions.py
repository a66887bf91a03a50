"""The calls that run steps: functions of TensorFlow, what JAX compiled, and ops that Python runs eagerly."""

from __future__ import annotations

import re

import numpy as np

from tfperf_plugin.arrays.intervals import Intervals, Ints
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import HostEvents
from tfperf_plugin.trace.roles import HostRole

# TensorFlow's name prefix of an op that Python runs eagerly.
EAGER_OP = "EagerLocalExecute: "
# 99 % of the pauses between two eager ops of a step are shorter, as recorded with TensorFlow 2.21 on a CPU
# (Keras with run_eagerly: median 79 µs, 99 % below 0.95 ms; a custom loop: below 0.28 ms).
PAUSE_NS = 1_000_000
# The event that jax.jit and jax.pmap record for a call. It ends when the work is handed over. A loop of calls
# need not be a training loop, so reports speak of calls.
JIT_CALL = re.compile(r"(?:PjitFunction|JaxCompiledFunction|(?:Jax)?PmapFunction)\((.*)\)", re.DOTALL)
_JIT_WAIT = re.compile(r"(?i)block_?(host_?)?until_?(ready|done)")


@memoized
def step_function_runs(events: HostEvents) -> Ints:
    """Rows of FunctionRun events that are not tf.data's own functions."""
    rows = np.flatnonzero((events.role == HostRole.FUNCTION_RUN) & (events.step_id != 0))
    captured = events.named(lambda name: name.startswith("InstantiatedCapturedFunction"))
    parent = events.parent[rows]
    inside = (parent >= 0) & captured[np.maximum(parent, 0)]
    return np.asarray(rows[~events.on_threads("tf_data")[rows] & ~inside])


@memoized
def jit_calls(events: HostEvents) -> Ints:
    """Rows of the outermost calls of what JAX compiled, on the thread that makes most of them, by time."""
    wanted = events.named(JIT_CALL.fullmatch)
    rows = np.flatnonzero(wanted)
    rows = rows[events.enclosing(rows, wanted) < 0]
    if not len(rows):
        return rows
    return np.asarray(rows[events.thread[rows] == np.argmax(np.bincount(events.thread[rows]))])


def inside_calls(events: HostEvents, rows: Ints) -> Intervals:
    """When the host calls a function that JAX compiled or waits for its result."""
    waiting = np.flatnonzero(events.named(_JIT_WAIT.search) & (events.thread == events.thread[rows[0]]))
    return events.spans(np.concatenate([rows, waiting]))
