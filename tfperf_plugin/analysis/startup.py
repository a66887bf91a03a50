"""Work that the first steps of a training, or of a recording, do once: start-up, tracing and compilation.

cuDNN's algorithms are tried out, the first calls to the driver wait while it sets itself up, libraries set
themselves up, kernels are loaded when they are first used, functions of PyTorch compile in their first calls,
a compiled program of JAX allocates its buffers in its first call, and worker processes of a DataLoader start.

That a host traces tf.functions and that XLA compiles are two causes with different remedies, of which
TensorFlow records only a part. It marks a call that traces as a whole. Between the start of an XLA program's
op and the program's first run lie lowering and code generation, most of it without an event.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import numpy as np

from tfperf_plugin.analysis.launches import has_pytorch_kernels, launching_ops
from tfperf_plugin.arrays.columns import Groups, largest_of, map_codes, smallest_of, unique
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
    subtract,
    union,
)
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents, HostTrace, among
from tfperf_plugin.trace.roles import HostRole, Role, allocates, checks_algorithm, frees

# The driver loads code when it is first used: in calls of these names, or in the launch of a kernel.
_LOADS: Final = re.compile(r"^cu(ModuleLoad|ModuleGetFunction|LibraryLoad|LibraryGet|KernelGetFunction)")
_CALL: Final = re.compile(r"^(cu(da)?|hip)[A-Z]")
# A library that sets itself up, such as cuBLAS, calls cudaFree for nothing but its side effect, that the
# runtime starts, and asks for 11 to 16 attributes of the GPU. A pool that returns memory asks for none.
_SETS_UP: Final = re.compile(r"^(cuda|hip)(Free|DeviceGetAttribute|GetSymbolAddress)$")
_ASKS: Final = re.compile(r"Attribute$")
ASKED_COUNT: Final = 8
# Kernels that compilers for PyTorch generate at run time: TorchScript's two fusers, and Triton's.
_GENERATED: Final = re.compile(r"^(fused_|nvfuser_|CudaCodeGen::kernel|triton_)")
# Ops that are no function of the program: PyTorch's own, what the program marks, and calls of such kernels.
_NO_FUNCTION: Final = re.compile(rf"::|#|{_GENERATED.pattern}")
# XLA's runtime allocates what a program needs before each call; later calls find the memory in its pool.
_ALLOCATES: Final = "Build buffer allocations"

# With torch.backends.cudnn.benchmark, an op that first meets a shape measures algorithms between CUDA events.
_CONVOLVES: Final = re.compile(r"^aten::\w*conv")
_MEASURES: Final = re.compile(r"^(cuda|hip)EventSynchronize$")

# The DataLoader's worker processes begin to work when it is iterated over.
_OF_WORKERS: Final = re.compile(r"enumerate\(DataLoader\)#_MultiProcessing")

# The first calls of a recording, for each GPU, that the driver may hold: those with correlation ids 1 to 3.
FIRST_CALLS_COUNT: Final = 3
# A call takes tens of µs; one that the driver holds takes milliseconds, and many times what later ones take.
HELD_NS: Final = 1_000_000
HELD_FACTOR: Final = 10
# A function of TorchScript runs as written in its first call, and compiles in the second one.
COMPILING_CALLS_COUNT: Final = 2
# Functions that are looked at: each takes a pass over the events, and programs have few.
MOST_FUNCTIONS: Final = 256
# Number of later calls that show the usual length of a call.
LATER_CALLS_COUNT: Final = 10
# Events that begin to run a compiled program on a CPU or a GPU.
_RUNS: Final = re.compile(r"ExecuteAsyncOnStream|^ThunkExecutor::Execute$|:XLA GPU module$")
# Events, besides ops "name:Type", inside which an XLA program is compiled and run.
_CARRIERS: Final = frozenset({"ExecutorState::ProcessAsync::Start", "EagerKernelExecute"})


def starting(host: HostTrace) -> Intervals:
    """The time in which a host does what only starts do."""
    return merge(*causes(host).values())


@memoized
def causes(host: HostTrace) -> Mapping[str, Intervals]:
    """Cause of start-up → the time that it takes, which no other cause takes before it."""
    first, (_, compiles) = _first_calls(host), compiling(host)
    sets_up = subtract(_setting_up(host), first)
    loading = subtract(_loading(host), merge(first, sets_up, compiles))
    return {
        "trying": subtract(_trying(host.events), merge(first, sets_up, loading, compiles)),
        "calling": first,
        "setting up": sets_up,
        "loading": loading,
        "compiling": subtract(compiles, merge(first, sets_up)),
        "allocating": _allocating(host),
        "starting workers": _starting_workers(host.events),
    }


def _first_calls(host: HostTrace) -> Intervals:
    """The time in which the driver holds the first calls of a recording although the GPUs are idle."""
    rows = np.flatnonzero(_is_launch(host.events))
    count = FIRST_CALLS_COUNT * sum(d.participates for d in host.devices)
    if len(rows) < count + LATER_CALLS_COUNT:
        return EMPTY
    first = rows[np.argpartition(host.events.start_ns[rows], count)[:count]]
    return _held(host, first, host.events.start_ns[first])


def _setting_up(host: HostTrace) -> Intervals:
    """The time in which libraries set themselves up although the GPUs are idle."""
    events = host.events
    calls = np.flatnonzero(events.named(_CALL.match))
    own = events.named(_SETS_UP.match)[calls]
    if not own.any():
        return EMPTY
    thread = events.thread[calls]
    run = np.cumsum(np.append(True, (thread[1:] != thread[:-1]) | (own[1:] != own[:-1]))) - 1
    asked = np.bincount(run, own & events.named(_ASKS.search)[calls])
    freed = np.bincount(run, own & events.named(frees)[calls])
    runs = np.flatnonzero((asked >= ASKED_COUNT) & (freed > 0))
    begin = events.start_ns[calls[searchsorted(run, runs)]]
    end = events.end_ns[calls[searchsorted(run, runs, "right") - 1]]
    long = _idle_ns(host, begin, end) >= HELD_NS
    return union(begin[long], end[long])


def _loading(host: HostTrace) -> Intervals:
    """The time in which the driver loads code.

    It loads code in calls for that; and in PyTorch, and in programs of which only CUDA's calls are recorded,
    when a kernel is first used: then the call that launches it is held, or the op before its call, as
    libraries set themselves up.
    """
    events, held = host.events, EMPTY
    if launching_ops(events).any() or has_pytorch_kernels(host) or "compilation" in host.lacks:
        first = unique(np.concatenate([EMPTY.begin_ns, *map(_first_launches, host.devices)]))
        held = _held(host, first, _since_op(events, first))
    return merge(events.spans(events.named(_LOADS.search)), held)


@memoized
def compiling(host: HostTrace) -> tuple[Ints, Intervals]:
    """Calls (rows) in which functions of PyTorch compile, and the time in which they do, while the GPUs idle.

    No event tells it: a first call of a function does nothing that is recorded for a while. It takes many
    times as long as later ones, or, if there are none, it is the first to launch a kernel that was generated
    at run time.
    """
    events = host.events
    if not launching_ops(events).any():
        return np.empty(0, np.int64), EMPTY
    ops = (events.role == HostRole.DISPATCH) & events.above_launches
    functions = np.flatnonzero(ops & ~events.named(_NO_FUNCTION.search))
    functions = functions[events.end_ns[functions] - events.start_ns[functions] >= HELD_NS]
    call, begin, end = _pauses(events, functions)
    long = _idle_ns(host, begin, end) >= HELD_NS
    calls = unique(call[long])
    calls = calls[_compiles(host, calls)]
    long &= np.isin(call, calls)
    return calls, union(begin[long], end[long])


def _pauses(events: HostEvents, calls: Ints) -> tuple[Ints, Ints, Ints]:
    """The pauses before, between and after the events directly inside calls: call, begin and end of each."""
    inside = np.flatnonzero(events.marked(calls)[events.parent] & (events.parent >= 0))
    call = np.append(events.parent[inside], calls)
    begin = np.append(events.end_ns[inside], events.start_ns[calls])
    end = np.append(events.start_ns[inside], events.end_ns[calls])
    order = np.lexsort((begin, call))
    return call[order], begin[order], end[np.lexsort((end, call))]


def _compiles(host: HostTrace, calls: Ints) -> Bools:
    """Whether each of these calls is a first one of its function, and unlike later ones."""
    events = host.events
    first = unique(np.concatenate([EMPTY.begin_ns, *(_first_launches(d, _GENERATED) for d in host.devices)]))
    generates = np.isin(calls, events.enclosing(first, events.marked(calls)))
    found = np.zeros(len(calls), np.bool_)
    for name in unique(events.name[calls])[:MOST_FUNCTIONS].tolist():
        every = np.flatnonzero(events.name == name)
        every = every[np.argsort(events.start_ns[every], kind="stable")]
        length = events.end_ns[every] - events.start_ns[every]
        for number, row in enumerate(every[:COMPILING_CALLS_COUNT].tolist()):
            later, mine = length[number + 1 :], calls == row
            once = length[number] >= HELD_FACTOR * np.median(later) if len(later) else generates[mine]
            found[mine] = once
    return found


def _first_launches(device: DeviceTrace, named: re.Pattern[str] | None = None) -> Ints:
    """For each kernel, or each with such a name, the event of the host that launched it first."""
    rows = np.flatnonzero(device.is_kernel() & (device.launch >= 0))
    if named:
        rows = rows[map_codes(device.name[rows], device.names, lambda name: bool(named.search(name)), False)]
    return device.launch[rows[Groups(device.name[rows]).first]].astype(np.int64)


def _since_op(events: HostEvents, calls: Ints) -> Ints:
    """For each of ``calls`` the start of the op that makes it or, if later, the end of the last call before
    it on its thread that launches, synchronizes or allocates.

    Of PyTorch's own ops inside each other the outermost counts: nothing of the program runs before the inner.
    """
    ops = launching_ops(events)
    own = ops & events.named(lambda name: name.startswith("aten::"))
    inner = own & own[events.parent] & (events.parent >= 0)
    op = events.enclosing(calls, ops)
    op = np.where(inner[op] & (op >= 0), events.enclosing(op, own & ~inner), op)
    begin = np.where(op >= 0, events.start_ns[np.maximum(op, 0)], events.start_ns[calls])
    others = among(events.role, HostRole.LAUNCH, HostRole.SYNC) | events.named(allocates)
    every = np.flatnonzero(others)  # sorted by thread and start
    before = every[np.maximum(0, np.searchsorted(every, calls) - 1)]
    same = (before < calls) & (events.thread[before] == events.thread[calls])
    return np.maximum(begin, np.where(same, events.end_ns[before], begin))


def _held(host: HostTrace, rows: Ints, begin: Ints) -> Intervals:
    """The time in which calls take far longer than others although the GPUs do nothing.

    ``rows``: the calls; ``begin``: when each began to be held.
    """
    events, end = host.events, host.events.end_ns[rows]
    if not (end - begin >= HELD_NS).any():
        return EMPTY
    others = np.flatnonzero(_is_launch(events) & ~events.marked(rows))
    known = len(others) >= LATER_CALLS_COUNT
    usual = int(np.median(events.end_ns[others] - events.start_ns[others])) if known else 0
    held = _idle_ns(host, begin, end) >= max(HELD_NS, HELD_FACTOR * usual)
    return union(begin[held], end[held])


def _idle_ns(host: HostTrace, begin: Ints, end: Ints) -> Ints:
    """For each range the time in which no GPU works."""
    busy = merge(*(d.spans(slice(None)) for d in host.devices if d.participates))
    return end - begin - covered_within(busy, begin, end)


def _is_launch(events: HostEvents) -> Bools:
    return np.asarray(events.launches & (events.role == HostRole.LAUNCH) & ~events.named(allocates))


def _allocating(host: HostTrace) -> Intervals:
    """The time in which the first calls of compiled programs allocate buffers, once for each GPU."""
    events = host.events
    rows = np.flatnonzero(events.named(_ALLOCATES.__eq__))
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    working = sum(d.participates for d in host.devices)
    rows = rows[: max(working, len(unique(events.thread[rows])))]
    return events.spans(rows[events.end_ns[rows] - events.start_ns[rows] >= HELD_NS])


def _trying(events: HostEvents) -> Intervals:
    """The time in which convolutions of PyTorch try out algorithms."""
    measures = np.flatnonzero(events.named(_MEASURES.match))
    ops = unique(events.enclosing(measures, events.named(_CONVOLVES.match)))
    return events.spans(ops[ops >= 0])


def _starting_workers(events: HostEvents) -> Intervals:
    """The time in which the first batch of worker processes is fetched, if later ones take far less."""
    rows = np.flatnonzero(events.named(_OF_WORKERS.match))
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    length = events.end_ns[rows] - events.start_ns[rows]
    starts = len(rows) > 1 and length[0] >= max(HELD_NS, HELD_FACTOR * length[1:].max())
    return events.spans(rows[:1]) if starts else EMPTY


def trials(device: DeviceTrace, step: Codes) -> tuple[Bools, Intervals]:
    """Whether each event of a GPU tries out algorithms for an op, and the time in which the GPU does so.

    ``step``: index of the step of each event. An op tries algorithms from its first kernel in the step up to
    the last check. The kernel after that is the one that was chosen.
    """
    checks = map_codes(device.name, device.names, checks_algorithm, False)
    if not checks.any():
        return checks, EMPTY
    ops = Groups(step, device.op)
    op = ops.of_row
    until = largest_of(op[checks], device.end_ns[checks], len(ops))
    tried = (device.role == Role.KERNEL) & (device.end_ns <= until[op])
    # Of kernels without an op, only those among the checks can be told.
    named = tried & ((device.op >= 0) | checks)
    begin = smallest_of(op[named], device.start_ns[named], len(ops))
    found = begin < until
    time = union(begin[found], until[found])
    unnamed = (device.op < 0) & among(device.role, Role.KERNEL, Role.MEMSET)
    return (tried & named) | (unnamed & contains(time, device.start_ns)), time


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
    """The time in which XLA compiles for the step: from the start of the program's op to its first run."""
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
