"""The steps of one host: the first of six ways that finds any, and what belongs to the steps."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.finding_steps.assign import holed_steps, launch_steps, steps_of_events
from tfperf_plugin.analysis.finding_steps.body import body_time
from tfperf_plugin.analysis.finding_steps.gpu_marks import from_period, from_steps_line
from tfperf_plugin.analysis.finding_steps.host_marks import from_function_runs, from_markers
from tfperf_plugin.analysis.finding_steps.jit import from_jit_calls
from tfperf_plugin.analysis.finding_steps.programs import from_modules
from tfperf_plugin.analysis.finding_steps.pytorch import from_batches, whole_recording, without_layers
from tfperf_plugin.analysis.finding_steps.windows import interrupted_steps, step_windows
from tfperf_plugin.analysis.steps import HostSteps, rare_steps, warm_up_steps, with_slow_begin
from tfperf_plugin.arrays.intervals import EMPTY, merge
from tfperf_plugin.trace.model import HostTrace

MAX_GPU_STEPS = 1 << 15
"""Steps times GPUs of one host that are judged: 4,096 steps of eight GPUs. Each takes about two kilobytes."""


def host_steps(host: HostTrace) -> HostSteps:
    """The steps of one host, the first ones of a recording that has too many for its GPUs."""
    steps, most = _every_step(host), MAX_GPU_STEPS // max(1, len(host.devices))
    return steps.first(most) if len(steps) > most else steps


def _every_step(host: HostTrace) -> HostSteps:
    marks = from_markers(host.events) or from_batches(host.events)
    if marks is None:
        jit = from_jit_calls(host)
        # In a JAX program, TensorFlow's functions prepare data.
        functions = None if jit else from_function_runs(host.events)
        marks = (
            functions
            or from_steps_line(host.devices)
            or jit
            or from_modules(host)
            or without_layers(host, from_period(host.devices))
            or whole_recording(host)
        )
    if marks is None:
        empty = np.empty(0, np.int64)
        flags = np.empty(0, np.bool_)
        none = tuple(np.full(len(d.start_ns), -1, np.int32) for d in host.devices)
        return HostSteps(
            host.host, "none", empty, empty, empty, empty, empty, flags, flags, flags, flags,
            EMPTY, "", -1, none,
        )  # fmt: skip
    launch_step = launch_steps(host.events, marks)
    device_step = tuple(
        steps_of_events(d, launch_step, marks, marks.runs[i] if marks.runs else marks.begin_ns)
        for i, d in enumerate(host.devices)
    )
    begin, end, complete = step_windows(host.devices, device_step, marks)
    complete &= ~holed_steps(host, marks)
    interrupted = interrupted_steps(marks)
    whole, length = complete & ~interrupted, end - begin
    warm_up = with_slow_begin(warm_up_steps(host, marks.begin_ns, marks.end_ns), length, whole)
    return HostSteps(
        host=host.host,
        source=marks.source,
        number=marks.number,
        begin_ns=begin,
        end_ns=end,
        host_begin_ns=marks.begin_ns,
        host_end_ns=marks.end_ns,
        complete=complete,
        interrupted=interrupted,
        warm_up=warm_up,
        rare=rare_steps(length, whole & ~warm_up),
        body=merge(body_time(host, device_step, marks), marks.body),
        marker_name=marks.name,
        marker_thread=marks.thread,
        device_step=tuple(np.maximum(step, -1) for step in device_step),
    )
