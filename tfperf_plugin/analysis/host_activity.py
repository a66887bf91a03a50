"""The activity of a host's threads: their ops, their waiting, and the work that they launch and delay."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS, launch_bursts, launch_calls, launching_ops
from tfperf_plugin.analysis.step_functions import EAGER_OP, PAUSE_NS, in_close_calls, one_by_one, step_ids
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.columns import EARLIEST, LATEST, first_places, map_codes, value_at
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
    subtract,
    union,
)
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, among
from tfperf_plugin.trace.roles import MIGRATIONS, HostRole, Role, allocates, only_makes_tensor

# A call that lasts this share of its copy waits for the copy.
BLOCKED_RATIO: Final = 0.8

# TensorFlow's op for the next batch, and the one that sends its result to the GPU
# ("IteratorGetNext/_3:_Send").
_BATCH_OP: Final = re.compile(r"(^|/)IteratorGetNext(AsOptional)?(_\d+)?(/_\d+)*:")

# XLA's compiled programs for CPUs, where their ops are not recorded.
_CPU_PROGRAM: Final = re.compile(
    r"^(Cpu|TfrtCpu|PjRtCpu)\w{0,40}Executable::Execute|^ThunkExecutor::Execute( \(wait for completion\))?$"
)
_OP_ENDS: Final = "end: "

# No kernel is shorter than about a microsecond.
_SHORTEST_KERNEL_NS: Final = 1_000
# No GPU's memory is faster (B200, MI355X: 8 TB/s), so no kernel reads a batch in less time.
FASTEST_BYTES_PER_NS: Final = 8_000
# Recording each call of Python slows it down several times.
_CLOSE_NS: Final = 1_000_000
_FUNCTION: Final = re.compile(r"^__(inference|forward|backward)_")


def between_steps(steps: HostSteps) -> Intervals:
    """The time in which the host is outside the step's function between two steps."""
    if len(steps) == 1:
        return EMPTY
    return gaps(steps.body, int(steps.begin_ns[0]), int(max(_last_call_end(steps), steps.begin_ns[0])))


def last_read_back(steps: HostSteps) -> Intervals:
    """The time after the last step's function in which the host waits for the GPU and reads the loss back."""
    marked_by_host = steps.marker_thread >= 0
    return union(np.array([_last_call_end(steps)]), steps.end_ns[-1:]) if marked_by_host else EMPTY


def _last_call_end(steps: HostSteps) -> int:
    """The moment at which the last step's function returned; a marker around it may last longer."""
    ends = np.minimum(steps.body.end_ns, steps.host_end_ns[-1])
    return int(max(steps.host_begin_ns[-1], ends.max(initial=EARLIEST)))


@memoized
def dispatching(events: HostEvents) -> Intervals:
    """The time in which the host runs the ops of a step.

    TensorFlow's executor works, or a call is on the way to it or back: from its start in Python to its first
    op, or from its last op to its return. Or JAX and XLA's runtime hand a compiled program to the GPUs.
    """
    return merge(executing(events), on_the_way(events))


@memoized
def on_the_way(events: HostEvents) -> Intervals:
    """The time in which a call of a step's function is on the way to its first op, or back from its last."""
    executor = executing(events)
    calls = np.flatnonzero(events.function_call)
    if not len(executor) or not len(calls):
        return EMPTY
    begin, end = events.start_ns[calls], events.end_ns[calls]
    first = np.append(executor.begin_ns, LATEST)[searchsorted(executor.begin_ns, begin)]
    last = np.append(EARLIEST, executor.end_ns)[searchsorted(executor.begin_ns, end)]
    inside = (first < end) & (last > begin)
    return union(np.concatenate([begin[inside], last[inside]]), np.concatenate([first[inside], end[inside]]))


@memoized
def executing(events: HostEvents) -> Intervals:
    """The time in which TensorFlow's executor works for a step, or a compiled program is handed over."""
    ids = step_ids(events)
    own = np.flatnonzero((events.role == HostRole.EXECUTOR) & ~events.on_threads("tf_data"))
    own = own[np.isin(events.step_id[own], ids)] if len(ids) else own
    handed = np.flatnonzero((events.role == HostRole.DISPATCH) & ~events.on_threads("tf_data"))
    return events.spans(np.concatenate([own, handed]))


@memoized
def step_ops(events: HostEvents) -> Bools:
    """For each event whether it is an op of a step that does more than pass tensors on."""
    ops: Bools = (events.role == HostRole.OP) & ~events.on_threads("tf_data") & ~_of_other_work(events)
    return ops


@memoized
def compiled_on_cpu(events: HostEvents) -> Bools:
    """For each event whether it is an op of a program that XLA runs on the CPU; without ops, the program.

    XLA's thread pool records a second event where an op ends, with the same name after "end: ".
    """
    ops = {name.removeprefix(_OP_ENDS) for name in events.names if name.startswith(_OP_ENDS)}
    found = events.named(ops.__contains__)
    return found if found.any() else events.named(_CPU_PROGRAM.match)


@memoized
def host_ops(events: HostEvents) -> Bools:
    """For each event whether it is an op of a step that launches nothing."""
    return np.asarray((step_ops(events) & ~events.above_launches) | events.marked(_torch_host_ops(events)))


@memoized
def ops_on_cpu(events: HostEvents) -> Ints:
    """Rows of ops of a step that ran on the CPU. An op that waits for the GPU does not work meanwhile."""
    waiting = events.enclosing(np.flatnonzero(events.role == HostRole.SYNC), step_ops(events))
    return np.flatnonzero(host_ops(events) & ~events.marked(waiting[waiting >= 0]))


def _torch_host_ops(events: HostEvents) -> Ints:
    """Rows of the outermost ops of PyTorch that compute on the CPU, on threads that launch.

    They neither launch, wait nor allocate for a GPU, and last longer than a pause between launches.
    """
    busy = among(events.role, HostRole.LAUNCH, HostRole.SYNC) | launch_calls(events) | events.named(allocates)
    ops = launching_ops(events) & ~events.above(busy) & ~events.named(only_makes_tensor)
    ops &= (events.end_ns - events.start_ns > LAUNCH_BURST_NS) & events.launching_threads()[events.thread]
    rows = np.flatnonzero(ops)
    return np.asarray(rows[events.enclosing(rows, ops | (events.role == HostRole.INPUT_WAIT)) < 0])


def self_ns(events: HostEvents, rows: Ints) -> Ints:
    """The time of each of ``rows`` without the time of rows that lie directly inside it."""
    length = events.end_ns - events.start_ns
    found = length.copy()
    outer = events.enclosing(rows, events.marked(rows))
    np.subtract.at(found, outer[outer >= 0], length[rows][outer >= 0])
    return np.asarray(found[rows])


def _of_other_work(events: HostEvents) -> Bools:
    """For each event whether it is an op of a function of tf.data, on any thread: its id is of no step.

    Where the recording ends within the executor's event, which has the id, the op's name tells.
    """
    own_ids = step_ids(events)
    if not len(own_ids):
        return np.zeros(len(events.start_ns), np.bool_)
    rows = np.flatnonzero(events.role == HostRole.OP)
    carrier = events.enclosing(rows, events.step_id != 0)
    other = (carrier >= 0) & ~np.isin(events.step_id[carrier], own_ids)
    other |= (carrier < 0) & np.isin(events.name[rows], events.name[rows[other]])
    return events.marked(rows[other])


@memoized
def input_waits(events: HostEvents) -> Intervals:
    """The time in which a step waits for a batch that it has requested from its input pipeline."""
    return events.spans(input_wait_rows(events))


@memoized
def input_wait_rows(events: HostEvents) -> Ints:
    """Rows of requests for a batch that block a step.

    A request inside the step's graph carries the id of the step. Requests with another id belong to
    tf.data's background work and block nothing.
    """
    rows = np.flatnonzero(events.role == HostRole.INPUT_WAIT)
    own_ids = step_ids(events)
    ids = events.step_id[rows]
    background = (ids != 0) & (len(own_ids) > 0) & ~np.isin(ids, own_ids)
    captured = events.on_threads("tf_data_iterator_resource") | events.on_threads("tf_data_private")
    return np.asarray(rows[~background & ~captured[rows]])


def awaited_input(device: DeviceTrace, events: HostEvents) -> Intervals:
    """The waits for input that keep this GPU waiting.

    A wait keeps a GPU waiting from the last launch for the GPU during the wait, if the time from the wait's
    end to the next launch is shorter than the wait. Otherwise the GPU waits for something else.
    """
    rows = input_wait_rows(events)
    launched = device.is_kernel() & (device.launch >= 0)
    if not len(rows) or not launched.any():
        return EMPTY
    launches = np.sort(events.start_ns[distinct(device.launch[launched])])
    end = events.end_ns[rows]
    after = searchsorted(launches, end)
    begin = np.maximum(events.start_ns[rows], np.append(EARLIEST, launches)[after])
    following = np.append(launches, LATEST)[after]
    released = (after < len(launches)) & (following - end <= end - begin)
    return union(begin[released], end[released])


def blocks_host(device: DeviceTrace, events: HostEvents, rows: Ints) -> Bools:
    """For each copy whether the call that launched it lasts as long as the copy.

    Calls that copy from pinned memory return at once. From pageable memory the driver itself copies, and the
    call returns after that. Short copies do not count: their calls take as long anyway.
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
    """For each copy whether it delays the step.

    A copy delays it if the next kernel starts as soon as the copy, and the copies closely after it, have
    ended; if a thread of the step is blocked in the call that copies; or if a wait for the GPU ends with the
    copy. A batch that is prefetched for a later step delays nothing, whatever the GPU waits for meanwhile:
    only its request can make a step wait for it.
    """
    if not len(rows):
        return np.zeros(0, np.bool_)
    every = np.flatnonzero(among(device.role, Role.H2D, Role.D2H, Role.D2D, *MIGRATIONS))
    begin, end = device.start_ns[every], device.end_ns[every]
    # A copy under compute costs nothing, so it must not connect other copies to a kernel either.
    bare = covered_within(device.busy(Role.KERNEL), begin, end) < end - begin
    chains = union(begin[bare], end[bare] + LAUNCH_BURST_NS)
    until = device.end_ns[rows] + LAUNCH_BURST_NS
    if len(chains):
        chain = searchsorted(chains.begin_ns, device.start_ns[rows], "right") - 1
        part = (chain >= 0) & (first_places(every[bare], rows) >= 0)
        until = np.where(part, chains.end_ns[np.maximum(chain, 0)], until)
    kernels = np.append(device.start_ns[device.is_kernel()], LATEST)
    following = kernels[searchsorted(kernels, device.end_ns[rows])]
    blocked = blocks_host(device, events, rows)
    blocked[blocked] = _step_threads(device, events)[events.thread[device.launch[rows][blocked]]]
    delays = (following <= until) | _ends_wait(events, device.start_ns[rows], device.end_ns[rows])
    return np.asarray((delays & ~launched_by(device, rows, _working_ahead(events))) | blocked)


def _ends_wait(events: HostEvents, begin_ns: Ints, end_ns: Ints) -> Bools:
    """For each copy whether a wait of the host for the GPU covers most of it and ends with it."""
    waits = events.spans(events.role == HostRole.SYNC)
    if not len(waits):
        return np.zeros(len(end_ns), np.bool_)
    first = np.minimum(searchsorted(waits.end_ns, end_ns), len(waits) - 1)
    waited = end_ns - np.maximum(waits.begin_ns[first], begin_ns)
    late = waits.end_ns[first] - end_ns
    ends = (late >= 0) & (late <= LAUNCH_BURST_NS)
    return np.asarray(ends & (waited >= BLOCKED_RATIO * (end_ns - begin_ns)))


@memoized
def _working_ahead(events: HostEvents) -> Bools:
    """For each event whether its thread brings later batches: of tf.data or, in PyTorch, without kernels."""
    ahead = events.on_threads("tf_data") & ~events.on_threads("tf_data_iterator_get_next")
    if not launching_ops(events).any():
        return ahead
    launching = np.zeros(len(events.threads), np.bool_)
    launching[events.thread[events.launches & events.named(lambda name: "Launch" in name)]] = True
    return np.asarray(ahead | ~launching[events.thread])


def brings_batch(device: DeviceTrace, rows: Ints) -> Bools:
    """For each row whether its op requests the batch."""
    return map_codes(device.op[rows], device.ops, lambda op: bool(_BATCH_OP.search(op)), False)


def handing_over(device: DeviceTrace, events: HostEvents) -> Intervals:
    """The time from a batch's copy from pageable memory until a kernel that needs it is launched.

    This time consists of pauses between launches from the copy's end up to the launch of the first kernel
    that can have read the batch, because it lasts long enough. If the batch is so small that any kernel could
    read it, it is the first kernel of an executor run that began after the copy: ops that wait for a batch
    get a run of their own.
    """
    rows = np.flatnonzero((device.role == Role.H2D) & (device.copy_bytes > 0))
    rows = rows[brings_batch(device, rows)]
    rows = rows[blocks_host(device, events, rows)]
    if not len(rows):
        return EMPTY
    least_ns = int(device.copy_bytes[rows].min()) // FASTEST_BYTES_PER_NS
    readers = np.flatnonzero(device.is_kernel() & (device.end_ns - device.start_ns >= least_ns))
    begun = device.start_ns[readers]
    if least_ns < _SHORTEST_KERNEL_NS:
        run = events.enclosing(device.launch[readers], events.role == HostRole.EXECUTOR)
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
    pauses = gaps(events.spans(calls), int(until.begin_ns[0]), int(until.end_ns[-1]))
    pauses = intersect(pauses, until)
    long = pauses.end_ns - pauses.begin_ns > LAUNCH_BURST_NS
    return union(pauses.begin_ns[long], pauses.end_ns[long])


def launched_by(device: DeviceTrace, rows: Ints, chosen: Bools) -> Bools:
    """For each row whether one of the chosen events of the host launched it."""
    return value_at(chosen, device.launch[rows], False)


def _step_threads(device: DeviceTrace, events: HostEvents) -> Bools:
    """For each thread whether it launches kernels or runs the executor for steps; never one of tf.data."""
    threads: Bools = _executing_threads(events).copy()
    threads[events.thread[device.launch[device.is_kernel() & (device.launch >= 0)]]] = True
    return np.asarray(threads & ~events.threads_named("tf_data"))


@memoized
def _executing_threads(events: HostEvents) -> Bools:
    """For each thread whether it runs the executor for steps."""
    threads = np.zeros(len(events.threads), np.bool_)
    executor = np.flatnonzero(events.role == HostRole.EXECUTOR)
    own_ids = step_ids(events)
    threads[events.thread[executor[np.isin(events.step_id[executor], own_ids)]]] = True
    return threads


def already_launched(device: DeviceTrace, events: HostEvents, after_ns: int = 0) -> Intervals:
    """The time in which the GPU is idle although its next kernel is launched.

    A GPU needs about a microsecond from one kernel to the next, which shows between tiny kernels.
    ``after_ns``: count only times that last longer; in a shorter one the launch is in flight. Between kernels
    of one launch, as of a CUDA graph, none is.
    """
    rows = np.flatnonzero(device.is_kernel())
    if not len(events.end_ns) or not len(rows):
        return EMPTY
    busy_until = np.maximum.accumulate(device.end_ns[rows])
    later, launch = rows[1:], device.launch[rows[1:]]
    begun = launch == device.launch[rows[:-1]]
    begin = np.where(begun, 0, events.end_ns[np.maximum(launch, 0)])
    begin = np.maximum(busy_until[:-1], begin)
    keep = (launch >= 0) & (begin + np.where(begun, 0, after_ns) < device.start_ns[later])
    return union(begin[keep], device.start_ns[later][keep])


def launching(device: DeviceTrace, events: HostEvents, launch_ops: Bools) -> Intervals:
    """The time in which the host is busy launching for this GPU, or a launch is in flight.

    A call that waits for its own work, such as a copy to the host, does not count. Short pauses between
    launches count; in PyTorch they belong to ops, see ``running_ops``.
    """
    rows = _launched(device, events)
    launch = device.launch[rows]
    in_flight = union(
        events.start_ns[launch], np.minimum(device.start_ns[rows], events.end_ns[launch] + LAUNCH_BURST_NS)
    )
    launch = distinct(launch)  # rows are sorted by thread and start
    parents = events.parent[launch]
    ops = distinct(parents[(parents >= 0) & launch_ops[np.maximum(parents, 0)]])
    calls = events.spans(launch) if launching_ops(events).any() else launch_bursts(events, launch)
    return merge(in_flight, calls, events.spans(ops))


def running_ops(device: DeviceTrace, events: HostEvents) -> Intervals:
    """The time in which the host runs Python and ops of PyTorch between close launches for this GPU.

    Where calls of Python are recorded, which takes long itself, launches may lie further apart, if the
    threads that launch are never silent for long meanwhile.
    """
    if not launching_ops(events).any():
        return EMPTY
    bursts = launch_bursts(events, distinct(device.launch[_launched(device, events)]))
    if not len(bursts) or not (events.role == HostRole.PYTHON).any():
        return bursts
    pauses = gaps(bursts, int(bursts.begin_ns[0]), int(bursts.end_ns[-1]))
    begin, end = pauses.begin_ns, pauses.end_ns
    close = end - begin <= _CLOSE_NS
    close &= covered_within(_never_silent(events), begin, end) == end - begin
    return merge(bursts, union(begin[close], end[close]))


@memoized
def _never_silent(events: HostEvents) -> Intervals:
    """The time in which threads that launch soon begin or end something: Python, an op or a call."""
    rows = np.flatnonzero(events.launching_threads()[events.thread])
    time_ns = np.sort(np.concatenate([events.start_ns[rows], events.end_ns[rows]]))
    soon = np.diff(time_ns) <= LAUNCH_BURST_NS
    return union(time_ns[:-1][soon], time_ns[1:][soon])


def _launched(device: DeviceTrace, events: HostEvents) -> Ints:
    """Rows of the GPU's events whose launch does not wait for them."""
    rows = np.flatnonzero(device.launch >= 0)
    return np.asarray(rows[events.role[device.launch[rows]] != HostRole.SYNC])


def synchronizing(events: HostEvents) -> Intervals:
    """Synchronizing calls, each up to the thread's next launch if that follows closely."""
    rows, launch = (np.flatnonzero(events.role == role) for role in (HostRole.SYNC, HostRole.LAUNCH))
    end, following = events.end_ns[rows], np.append(launch, -1)[searchsorted(launch, rows, "right")]
    until = value_at(events.start_ns, following, LATEST)
    close = (value_at(events.thread, following) == events.thread[rows]) & (until - end <= LAUNCH_BURST_NS)
    return union(events.start_ns[rows], np.where(close, np.maximum(end, until), end))


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
