"""The calls that run steps: functions of TensorFlow, what JAX compiled, and ops that Python runs eagerly."""

from __future__ import annotations

import re

import numpy as np

from tfperf_plugin.analysis.launches import launching_ops
from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.arrays.intervals import EMPTY, Intervals, Ints, merge, searchsorted, union
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
# The op that calls a function, as Keras' recurrent layers do: the function runs under an id of its own.
_CALL_OP = re.compile(r":(Stateful)?PartitionedCall$")
# A thread takes over what another one hands to it in less time.
_HANDED_NS = 100_000
# Functions call functions, but not as deep as this power of two.
_DEPTH_LOG2 = 5
_JIT_WAIT = re.compile(r"(?i)block_?(host_?)?until_?(ready|done)|^np\.asarray\(jax\.Array\)$")


@memoized
def step_function_runs(events: HostEvents) -> Ints:
    """Rows of FunctionRun events that are not tf.data's own functions."""
    rows = np.flatnonzero((events.role == HostRole.FUNCTION_RUN) & (events.step_id != 0))
    captured = events.named(lambda name: name.startswith("InstantiatedCapturedFunction"))
    parent = events.parent[rows]
    inside = (parent >= 0) & captured[np.maximum(parent, 0)]
    return np.asarray(rows[~events.on_threads("tf_data")[rows] & ~inside])


@memoized
def step_ids(events: HostEvents) -> Ints:
    """TensorFlow's ids of the functions of steps, and of the functions that their ops call.

    The id of a called function first appears while the op that calls it runs, or just after it.
    """
    own = unique(events.step_id[step_function_runs(events)])
    calls = np.flatnonzero(events.named(_CALL_OP.search))
    if not len(own) or not len(calls):
        return own
    calls = calls[np.argsort(events.start_ns[calls], kind="stable")]
    with_id = events.step_id != 0
    rows = np.flatnonzero(with_id)
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    ids, first = np.unique(events.step_id[rows], return_index=True)
    begin = events.start_ns[rows[first]]
    call = np.maximum(0, searchsorted(events.start_ns[calls], begin, "right") - 1)
    carrier = events.enclosing(calls, with_id)[call]
    called = (events.start_ns[calls[call]] <= begin) & (begin <= events.end_ns[calls[call]] + _HANDED_NS)
    called &= (carrier >= 0) & ~np.isin(ids, own)
    caller = np.where(called, searchsorted(ids, events.step_id[carrier]), np.arange(len(ids)))
    for _ in range(_DEPTH_LOG2):
        caller = caller[caller]
    return np.asarray(ids[np.isin(ids[caller], own)])


@memoized
def jit_calls(events: HostEvents) -> Ints:
    """Rows of the outermost calls of what JAX compiled, by time, on the thread that makes most of them."""
    wanted = events.named(JIT_CALL.fullmatch)
    rows = np.flatnonzero(wanted)
    return on_busiest_thread(events, rows[events.enclosing(rows, wanted) < 0])


def on_busiest_thread(events: HostEvents, rows: Ints) -> Ints:
    """Those of ``rows`` on the thread with most of them."""
    thread = events.thread[rows]
    return np.asarray(rows[thread == np.argmax(np.bincount(thread))]) if len(rows) else rows


def inside_calls(events: HostEvents, rows: Ints) -> Intervals:
    """The time in which the host is in the calls ``rows`` of what JAX compiled, or waits for a result."""
    waiting = np.flatnonzero(events.named(_JIT_WAIT.search) & (events.thread == events.thread[rows[0]]))
    return events.spans(np.concatenate([rows, waiting]))


def in_close_calls(events: HostEvents, calls: Ints) -> Intervals:
    """The time in ``calls`` of compiled functions or ops, in waits for results, and between close calls."""
    if not len(calls):
        return EMPTY
    inside = inside_calls(events, calls)
    begin, end = inside.end_ns[:-1], inside.begin_ns[1:]
    close = end - begin <= PAUSE_NS
    return merge(inside, union(begin[close], end[close]))


def one_by_one(events: HostEvents, thread: int | None) -> Ints:
    """Rows of the outermost calls of what JAX compiled, else of PyTorch's outermost ops, on ``thread``, or
    on that with most of them."""
    calls = jit_calls(events)
    if not len(calls):
        ops = launching_ops(events)
        calls = np.flatnonzero(ops)
        calls = calls[events.enclosing(calls, ops | (events.role == HostRole.INPUT_WAIT)) < 0]
    if thread is None:
        return on_busiest_thread(events, calls)
    return np.asarray(calls[events.thread[calls] == thread])
