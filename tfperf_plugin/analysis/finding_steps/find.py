"""The steps of one host: the first of six ways that finds any, and when each step takes place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.finding_steps.assign import holed_steps, launch_steps, steps_of_events
from tfperf_plugin.analysis.finding_steps.marks import (
    PERIOD_RATIO,
    Marks,
    from_function_runs,
    from_markers,
    from_steps_line,
)
from tfperf_plugin.analysis.finding_steps.periods import (
    from_host_period,
    from_period,
    programs_until,
)
from tfperf_plugin.analysis.finding_steps.programs import from_jit_calls, from_modules
from tfperf_plugin.analysis.finding_steps.pytorch import (
    from_batches,
    whole_recording,
    without_epochs,
    without_layers,
)
from tfperf_plugin.analysis.launches import launch_bursts
from tfperf_plugin.analysis.step_functions import in_close_calls, jit_calls
from tfperf_plugin.analysis.steps import HostSteps, holding_others, rare_steps, warm_up_steps, with_slow_begin
from tfperf_plugin.arrays.columns import EARLIEST, largest_of
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Bools,
    Intervals,
    Ints,
    contains,
    covered_within,
    distinct,
    merge,
    searchsorted,
    union,
)
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents, HostTrace
from tfperf_plugin.trace.roles import OPTIMIZER_STEP, Role

MAX_GPU_STEPS = 1 << 15
"""Steps times GPUs of one host that are judged: 4,096 steps of eight GPUs. Each takes about two kilobytes."""
# The host runs ahead if it begins this share of the steps while the GPU has much of the previous one to do.
RUN_AHEAD_RATIO = 0.5
# From this share of a step on, that is much.
BEHIND_RATIO = 0.02


def host_steps(host: HostTrace) -> HostSteps:
    """The steps of one host, the first ones of a recording that has too many for its GPUs."""
    steps, most = _every_step(host), MAX_GPU_STEPS // max(1, len(host.devices))
    return steps.first(most) if len(steps) > most else steps


def _every_step(host: HostTrace) -> HostSteps:
    marks = without_epochs(host.events, from_markers(host.events)) or from_batches(host.events)
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
            or from_host_period(host)
            or whole_recording(host)
        )
    if marks is None:
        empty, flags = np.empty(0, np.int64), np.empty(0, np.bool_)
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
    begin, end, complete = step_windows(host.devices, device_step, marks, programs_until(host.events, marks))
    holed = holed_steps(host, marks)
    complete &= ~(holed | np.append(False, holed[:-1]))  # nothing tells when the GPU ended a step with holes
    complete &= ~holding_others(marks.number, end - begin)
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


def step_windows(
    devices: Sequence[DeviceTrace], device_step: Sequence[Codes], marks: Marks, on_cpu_until: Ints | None
) -> tuple[Ints, Ints, Bools]:
    """Begin and end of each step's window, and whether the recording holds it as a whole.

    ``on_cpu_until``: for each step the end of its programs on the CPU; None if there are none.
    """
    count, gpus = len(marks.begin_ns), list(zip(devices, device_step, strict=True))
    last_kernel = np.full(count, EARLIEST) if on_cpu_until is None else on_cpu_until
    for device, step in gpus:
        rows = np.flatnonzero(device.is_kernel() & (step >= 0))
        np.maximum.at(last_kernel, step[rows], device.end_ns[rows])
    busy_until = np.maximum.accumulate(last_kernel)
    begin = np.maximum(marks.begin_ns, marks.earlier_ns)
    # Until when the GPUs ran recorded kernels that were launched before the first step.
    old = [device.end_ns[device.is_kernel() & (step == -1)] for device, step in gpus]
    earlier = max((int(end.max()) for end in old if len(end)), default=int(marks.begin_ns[0]))
    # Where the device marks the steps, no host can run ahead.
    if marks.by_host:
        begin[1:] = np.maximum(begin[1:], busy_until[:-1])
        begin[0] = max(int(begin[0]), earlier)
        begin = np.maximum.accumulate(begin)
    # The last step's last copy to the host brings the loss.
    read_back = [device.end_ns[(device.role == Role.D2H) & (step == count - 1)] for device, step in gpus]
    end = np.append(
        begin[1:], max(x.max(initial=begin[-1]) for x in (marks.end_ns, last_kernel[-1:], *read_back))
    )
    complete = np.ones(count, np.bool_)
    # The GPU's recording may stop before the host's: capacity, or a GPU that lags behind at the end.
    with_kernels = np.flatnonzero(last_kernel > EARLIEST)
    last = int(with_kernels[-1]) if len(with_kernels) else count - 1
    complete[last + 1 :] = False
    complete[last] = (last < count - 1 or marks.ends_known) and _holds_what_others_do(last, gpus, count)
    # A host that runs ahead launched before the recording what the GPU ran at the start of the first step. If
    # those kernels are not in the recording, the GPU only seems idle.
    known = marks.by_host and earlier > marks.begin_ns[0]
    behind_ns = begin[1:] - marks.begin_ns[1:]
    if count > 1 and not known and np.mean(behind_ns > BEHIND_RATIO * (end - begin)[:-1]) >= RUN_AHEAD_RATIO:
        complete[0] = False
        starts = [device.start_ns[device.is_kernel() & (step == 0)] for device, step in gpus]
        first = min((start[0] for start in starts if len(start)), default=EARLIEST)
        begin[0] = max(begin[0], min(first, begin[1]))
    return begin, end, complete & (end > begin)


def _holds_what_others_do(last: int, gpus: Sequence[tuple[DeviceTrace, Codes]], count: int) -> bool:
    """Whether each GPU runs as many kernels in step ``last`` as in others.

    Of the first one, whether the launches of its kernels are recorded: they tell if any is missing.
    """
    for device, step in gpus:
        rows = np.flatnonzero(device.is_kernel() & (step >= 0))
        kernels = np.bincount(step[rows], minlength=count)[: last + 1]
        if not last:
            known = count > 1 and bool((device.launch[rows] >= 0).all())
        else:
            known = kernels[:-1].min() <= kernels[-1] <= kernels[:-1].max()
        if not known:
            return False
    return True


def interrupted_steps(marks: Marks) -> Bools:
    """Steps after which the host does other work for at least a step's length before the next step begins.

    Work that lies between most steps belongs to them: it is a second function of the same training loop.
    """
    interrupted = np.zeros(len(marks.begin_ns), np.bool_)
    if len(marks.begin_ns) > 1:
        between = covered_within(
            marks.other, marks.end_ns[:-1], np.maximum(marks.begin_ns[1:], marks.end_ns[:-1])
        )
        interrupted[:-1] = between >= np.median(np.diff(marks.begin_ns))
    return interrupted if interrupted.mean() < 0.5 else np.zeros_like(interrupted)


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
        inside = merge(in_close_calls(events, calls), others)
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
    """For each marker when PyTorch's optimizer last returns inside it, else the marker's end."""
    rows = np.flatnonzero(events.named(OPTIMIZER_STEP.match))
    rows = rows[events.thread[rows] == marks.thread]
    step = searchsorted(marks.begin_ns, events.start_ns[rows], "right") - 1
    inside = (step >= 0) & (events.end_ns[rows] <= marks.end_ns[step])
    end_ns = largest_of(step[inside], events.end_ns[rows[inside]], len(marks.end_ns))
    return np.where(end_ns > marks.begin_ns, end_ns, marks.end_ns)
