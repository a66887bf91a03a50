"""What the threads of a host do: which op or wait they are in, what they launch, what they hold up."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.analysis.steps import (
    LAUNCH_BURST_NS,
    HostSteps,
    enclosing,
    launch_bursts,
    step_function_runs,
)
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Bools,
    Intervals,
    Ints,
    covered_within,
    distinct,
    gaps,
    intersect,
    merge,
    searchsorted,
    union,
)
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, among
from tfperf_plugin.trace.roles import HostRole, Role

# A call that lasts this share of its copy waits for it.
BLOCKED_RATIO: Final = 0.8

# TensorFlow's op for the next batch, and what sends its result to the GPU ("IteratorGetNext/_3:_Send").
_BATCH_OP: Final = re.compile(r"(^|/)IteratorGetNext(AsOptional)?(_\d+)?(/_\d+)*:")

# No kernel is shorter than about a microsecond.
_SHORTEST_KERNEL_NS: Final = 1_000
# No GPU's memory is faster (B200, MI355X: 8 TB/s), so no kernel reads a batch in less time.
_FASTEST_BYTES_PER_NS: Final = 8_000


def between_steps(steps: HostSteps) -> Intervals:
    """When the host is outside the step's function, between two steps: nothing comes after the last one.

    A capture of one step knows nothing of the time between two.
    """
    if len(steps) == 1:
        return EMPTY
    return gaps(steps.body, int(steps.begin_ns[0]), int(max(_last_call_end(steps), steps.begin_ns[0])))


def last_read_back(steps: HostSteps) -> Intervals:
    """The time after the last step's function in which the host waits for the GPU and reads the loss back."""
    told_by_host = steps.marker_thread >= 0
    return union(np.array([_last_call_end(steps)]), steps.end_ns[-1:]) if told_by_host else EMPTY


def _last_call_end(steps: HostSteps) -> int:
    """When the last step's function has returned; a marker around it may last longer."""
    ends = np.minimum(steps.body.end_ns, steps.host_end_ns[-1])
    return int(max(steps.host_begin_ns[-1], ends.max(initial=np.iinfo(np.int64).min)))


@memoized
def dispatching(events: HostEvents) -> Intervals:
    """When the host runs the ops of a step: TensorFlow's executor works, or the call is on the way there; or
    JAX and XLA's runtime hand a compiled program to the GPUs.

    A call is on the way from when Python made it to its first op, and from its last op to when it returns.
    """
    return merge(_executing(events), on_the_way(events))


@memoized
def on_the_way(events: HostEvents) -> Intervals:
    """When a call of a step's function is on the way to its first op, or back from its last one."""
    executor = _executing(events)
    calls = np.flatnonzero(events.function_call)
    if not len(executor) or not len(calls):
        return EMPTY
    begin, end = events.start_ns[calls], events.end_ns[calls]
    first = np.append(executor.begin_ns, np.iinfo(np.int64).max)[searchsorted(executor.begin_ns, begin)]
    last = np.append(np.iinfo(np.int64).min, executor.end_ns)[searchsorted(executor.begin_ns, end)]
    inside = (first < end) & (last > begin)
    return union(np.concatenate([begin[inside], last[inside]]), np.concatenate([first[inside], end[inside]]))


@memoized
def _executing(events: HostEvents) -> Intervals:
    """When TensorFlow's executor works for a step, or JAX and XLA's runtime hand a program over."""
    runs = step_function_runs(events)
    own = np.flatnonzero((events.role == HostRole.EXECUTOR) & ~events.on_threads("tf_data"))
    own = own[np.isin(events.step_id[own], events.step_id[runs])] if len(runs) else own
    handed = np.flatnonzero((events.role == HostRole.DISPATCH) & ~events.on_threads("tf_data"))
    own = np.concatenate([own, handed])
    return union(events.start_ns[own], events.end_ns[own])


@memoized
def step_ops(events: HostEvents) -> Bools:
    """For each event whether it is an op of a step: not of tf.data, and none that only passes tensors on."""
    ops: Bools = (events.role == HostRole.OP) & ~events.on_threads("tf_data") & ~_of_other_work(events)
    return ops


def _of_other_work(events: HostEvents) -> Bools:
    """Ops that run under an id which is no step's: tf.data's functions, on whatever thread."""
    other = np.zeros(len(events.start_ns), np.bool_)
    own_ids = events.step_id[step_function_runs(events)]
    rows = np.flatnonzero(events.role == HostRole.OP)
    if len(own_ids):
        carrier = enclosing(events, rows, events.step_id != 0)
        other[rows] = (carrier >= 0) & ~np.isin(events.step_id[np.maximum(carrier, 0)], own_ids)
    return other


@memoized
def input_waits(events: HostEvents) -> Intervals:
    """When a step has asked its input pipeline for a batch and has not got it."""
    rows = input_wait_rows(events)
    return union(events.start_ns[rows], events.end_ns[rows])


@memoized
def input_wait_rows(events: HostEvents) -> Ints:
    """Rows of requests for a batch that block a step.

    A request inside the step's graph carries the id of the step; requests with another id belong to
    tf.data's own background work and block nobody.
    """
    rows = np.flatnonzero(events.role == HostRole.INPUT_WAIT)
    own_ids = events.step_id[step_function_runs(events)]
    ids = events.step_id[rows]
    background = (ids != 0) & (len(own_ids) > 0) & ~np.isin(ids, own_ids)
    captured = events.on_threads("tf_data_iterator_resource") | events.on_threads("tf_data_private")
    return np.asarray(rows[~background & ~captured[rows]])


def awaited_input(device: DeviceTrace, events: HostEvents, begin_ns: Ints, end_ns: Ints) -> Intervals:
    """Those of the waits for input that keep this GPU waiting.

    A wait keeps a GPU waiting from the last launch for it during the wait on, if the next launch for
    it follows the wait's end closer than the wait was long: else it waits for something else.
    """
    if not len(begin_ns):
        return EMPTY
    launches = np.sort(events.start_ns[distinct(device.launch[device.is_kernel() & (device.launch >= 0)])])
    if not len(launches):
        return EMPTY
    after = searchsorted(launches, end_ns)
    last = np.where(after > 0, launches[after - 1], np.iinfo(np.int64).min)
    begin = np.maximum(begin_ns, last)
    following = launches[np.minimum(after, len(launches) - 1)]
    released = (after < len(launches)) & (following - end_ns <= end_ns - begin)
    return union(begin[released], end_ns[released])


def blocks_host(device: DeviceTrace, events: HostEvents, rows: Ints) -> Bools:
    """For each copy whether the call that launched it lasts as long as the copy.

    Copies from pinned memory return at once; the driver itself copies from pageable memory, and the call ends
    when it has. Short copies tell nothing: their calls take as long anyway.
    """
    launch = device.launch[rows]
    call = np.maximum(launch, 0)
    begin, end = device.start_ns[rows], device.end_ns[rows]
    if not len(events.start_ns):
        return np.zeros(len(rows), np.bool_)
    inside = np.minimum(end, events.end_ns[call]) - np.maximum(begin, events.start_ns[call])
    waits = (launch >= 0) & (events.role[call] != HostRole.SYNC) & (end - begin >= LAUNCH_BURST_NS)
    return np.asarray(waits & (inside >= BLOCKED_RATIO * (end - begin)))


def delays_kernel(device: DeviceTrace, events: HostEvents, rows: Ints) -> Bools:
    """For each copy whether it holds up the step.

    It does if the next kernel starts as soon as it, and the copies that follow it closely, end; or if a
    thread of the step is stuck in the call that copies. A batch prefetched for a later step delays nobody,
    whatever else the GPU waits for meanwhile: a step waits for what tf.data copies ahead only when it asks
    for its batch.
    """
    every = np.flatnonzero(among(device.role, Role.H2D, Role.D2H, Role.D2D))
    begin, end = device.start_ns[every], device.end_ns[every]
    # A copy under compute costs nothing, so it must not tie others to a kernel either.
    bare = covered_within(device.busy(Role.KERNEL), begin, end) < end - begin
    chains = union(begin[bare], end[bare] + LAUNCH_BURST_NS)
    until = device.end_ns[rows] + LAUNCH_BURST_NS
    if len(chains):
        chain = searchsorted(chains.begin_ns, device.start_ns[rows], "right") - 1
        part = (chain >= 0) & np.isin(rows, every[bare])
        until = np.where(part, chains.end_ns[np.maximum(chain, 0)], until)
    kernels = np.append(device.start_ns[device.is_kernel()], np.iinfo(np.int64).max)
    following = kernels[searchsorted(kernels, device.end_ns[rows])]
    stuck = blocks_host(device, events, rows)
    stuck[stuck] = _step_threads(device, events)[events.thread[device.launch[rows][stuck]]]
    return np.asarray(((following <= until) & ~_prefetched(device, events, rows)) | stuck)


def brings_batch(device: DeviceTrace, rows: Ints) -> Bools:
    """For each row whether its op asks for the batch."""
    asks = np.array([*(bool(_BATCH_OP.search(op)) for op in device.ops), False], np.bool_)
    return asks[device.op[rows]]  # −1, no op, is the last


def handing_over(device: DeviceTrace, events: HostEvents) -> Intervals:
    """When a batch has been copied from pageable memory but nothing that needs it is launched yet.

    The pauses between launches from the copy's end up to the launch of the first kernel that lasts long
    enough to have read the batch: what runs before that cannot have. Where any kernel does, it is the first
    one of a run of the executor that began after the copy: what waits for a batch gets a run of its own.
    """
    rows = np.flatnonzero((device.role == Role.H2D) & (device.copy_bytes > 0))
    rows = rows[brings_batch(device, rows)]
    rows = rows[blocks_host(device, events, rows)]
    if not len(rows):
        return EMPTY
    least_ns = int(device.copy_bytes[rows].min()) // _FASTEST_BYTES_PER_NS
    readers = np.flatnonzero(device.is_kernel() & (device.end_ns - device.start_ns >= least_ns))
    begun = device.start_ns[readers]
    if least_ns < _SHORTEST_KERNEL_NS:
        run = enclosing(events, device.launch[readers], events.role == HostRole.EXECUTOR)
        begun = np.where(run >= 0, events.start_ns[run], begun)
    order = np.argsort(begun, kind="stable")
    readers, begun = readers[order], begun[order]
    first = searchsorted(begun, device.end_ns[rows])
    rows, first = rows[first < len(readers)], first[first < len(readers)]
    launch = device.launch[readers[first]]
    known = launch >= 0
    begin, end = device.end_ns[rows[known]], events.start_ns[launch[known]]
    until = union(begin[begin < end], end[begin < end])
    if not len(until):
        return EMPTY
    calls = device.launch[device.launch >= 0]
    pauses = gaps(
        union(events.start_ns[calls], events.end_ns[calls]), int(until.begin_ns[0]), int(until.end_ns[-1])
    )
    pauses = intersect(pauses, until)
    long = pauses.end_ns - pauses.begin_ns > LAUNCH_BURST_NS
    return union(pauses.begin_ns[long], pauses.end_ns[long])


def _prefetched(device: DeviceTrace, events: HostEvents, rows: Ints) -> Bools:
    """For each copy whether a thread of tf.data launched it that works ahead of the steps."""
    launch = device.launch[rows]
    if not len(events.start_ns) or not len(rows):
        return np.zeros(len(rows), np.bool_)
    ahead = events.on_threads("tf_data") & ~events.on_threads("tf_data_iterator_get_next")
    return np.asarray((launch >= 0) & ahead[np.maximum(launch, 0)])


def _step_threads(device: DeviceTrace, events: HostEvents) -> Bools:
    """For each thread whether it launches kernels or runs the executor for steps: tf.data's do neither."""
    threads: Bools = _executing_threads(events).copy()
    threads[events.thread[device.launch[device.is_kernel() & (device.launch >= 0)]]] = True
    return np.asarray(threads & ~np.array([t.startswith("tf_data") for t in events.threads], np.bool_))


@memoized
def _executing_threads(events: HostEvents) -> Bools:
    """For each thread whether it runs the executor for steps."""
    threads = np.zeros(len(events.threads), np.bool_)
    executor = np.flatnonzero(events.role == HostRole.EXECUTOR)
    own_ids = events.step_id[step_function_runs(events)]
    threads[events.thread[executor[np.isin(events.step_id[executor], own_ids)]]] = True
    return threads


def already_launched(device: DeviceTrace, events: HostEvents) -> Intervals:
    """When the GPU is idle although its next kernel is launched: what the host does then delays nothing.

    Between two kernels that follow each other a GPU needs about a microsecond, and tiny kernels show it.
    """
    rows = np.flatnonzero(device.is_kernel())
    if not len(events.end_ns) or not len(rows):
        return EMPTY
    busy_until = np.maximum.accumulate(device.end_ns[rows])
    later, launch = rows[1:], device.launch[rows[1:]]
    begin = np.maximum(busy_until[:-1], events.end_ns[np.maximum(launch, 0)])
    keep = (launch >= 0) & (begin < device.start_ns[later])
    return union(begin[keep], device.start_ns[later][keep])


def launching(device: DeviceTrace, events: HostEvents, launch_ops: Bools) -> Intervals:
    """When the host is busy launching for this GPU, or a launch is in flight."""
    rows = np.flatnonzero(device.launch >= 0)
    launch = device.launch[rows]
    in_flight = union(
        events.start_ns[launch], np.minimum(device.start_ns[rows], events.end_ns[launch] + LAUNCH_BURST_NS)
    )
    launch = distinct(launch)  # rows are sorted by thread and start
    parents = events.parent[launch]
    ops = distinct(parents[(parents >= 0) & launch_ops[np.maximum(parents, 0)]])
    return merge(in_flight, launch_bursts(events, launch), union(events.start_ns[ops], events.end_ns[ops]))


def synchronizing(events: HostEvents) -> Intervals:
    """Synchronising calls, each up to the thread's next launch if that follows closely."""
    rows = np.flatnonzero(events.role == HostRole.SYNC)
    launch = np.flatnonzero(events.role == HostRole.LAUNCH)
    end = events.end_ns[rows].copy()
    after = searchsorted(launch, rows, "right")
    has_next = after < len(launch)
    following = launch[np.minimum(after, max(0, len(launch) - 1))] if len(launch) else rows
    close = (
        has_next
        & (events.thread[following] == events.thread[rows])
        & (events.start_ns[following] - end <= LAUNCH_BURST_NS)
    )
    end[close] = np.maximum(end[close], events.start_ns[following][close])
    return union(events.start_ns[rows], end)
