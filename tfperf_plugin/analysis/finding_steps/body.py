"""The time in which the host is inside the step's function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tfperf_plugin.analysis.finding_steps.marks import PERIOD_RATIO, Marks
from tfperf_plugin.analysis.launches import launch_bursts
from tfperf_plugin.analysis.step_functions import PAUSE_NS, inside_calls, jit_calls
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Intervals,
    Ints,
    contains,
    distinct,
    merge,
    searchsorted,
    union,
)
from tfperf_plugin.arrays.unique import largest_of
from tfperf_plugin.trace.model import Codes, HostEvents, HostTrace

_OPTIMIZER: Final = "Optimizer.step#"


def body_time(host: HostTrace, device_step: Sequence[Codes], marks: Marks) -> Intervals:
    """The time in which the host is inside the step's function.

    Keras' markers enclose callbacks too, and JAX' markers often the loading of the batch. So calls of
    tf.functions on the marker's thread are better, or calls of functions that JAX compiled, if most of the
    steps' kernels are launched during one of them. Otherwise it is the time of the markers and of the
    launches that other threads make for the marker's thread. PyTorch's marker lasts until the next one
    begins, its step until the optimizer returns.
    """
    if not marks.by_host:  # the host's steps are not recorded, so it never counts as outside
        return union(marks.begin_ns[:1], np.maximum(marks.end_ns[-1:], marks.begin_ns[-1:] + 1))
    events = host.events
    markers = union(marks.begin_ns, _optimized_ns(events, marks))
    calls = np.flatnonzero(events.function_call & (events.thread == marks.thread))
    launch = np.flatnonzero(events.launches)
    if not len(launch):
        return markers
    elsewhere = (events.thread[launch] != marks.thread) & ~events.on_threads("tf_data")[launch]
    others = launch_bursts(events, launch[elsewhere])
    markers = merge(markers, others)
    inside = events.spans(calls)
    if not len(calls) and marks.source == "markers":
        calls = jit_calls(events)
        calls = calls[events.thread[calls] == marks.thread]
        inside = merge(_in_close_calls(events, calls), others) if len(calls) else EMPTY
    if not len(calls):
        return markers
    kernels = [
        d.launch[d.is_kernel() & (d.launch >= 0) & (step >= 0)]
        for d, step in zip(host.devices, device_step, strict=True)
    ]
    launches = events.start_ns[distinct(np.concatenate([np.empty(0, np.int64), *kernels]))]
    if not len(launches):
        launches = events.start_ns[launch]
    return inside if contains(inside, launches).mean() >= PERIOD_RATIO else markers


def _optimized_ns(events: HostEvents, marks: Marks) -> Ints:
    """For each marker the moment at which PyTorch's optimizer last returns inside it; the marker's end if it
    does not run."""
    rows = np.flatnonzero(events.named(lambda name: name.startswith(_OPTIMIZER)))
    rows = rows[events.thread[rows] == marks.thread]
    step = searchsorted(marks.begin_ns, events.start_ns[rows], "right") - 1
    inside = (step >= 0) & (events.end_ns[rows] <= marks.end_ns[step])
    end_ns = largest_of(step[inside], events.end_ns[rows[inside]], len(marks.end_ns))
    return np.where(end_ns > marks.begin_ns, end_ns, marks.end_ns)


def _in_close_calls(events: HostEvents, calls: Ints) -> Intervals:
    """The time in which the host calls functions that JAX compiled, waits for a result, or is between two
    close calls."""
    inside = inside_calls(events, calls)
    begin, end = inside.end_ns[:-1], inside.begin_ns[1:]
    close = end - begin <= PAUSE_NS
    return merge(inside, union(begin[close], end[close]))
