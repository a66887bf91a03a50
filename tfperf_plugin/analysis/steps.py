"""Finds the training steps and assigns each event to a step.

A step's window on a host runs from its begin to the begin of the next step. It begins when the host
begins the step or, where the host runs ahead, when the last kernel of the previous step has ended. So
windows tile time, and a step's kernels lie in its own window although launches are asynchronous.

A device event belongs to the step of its launch (found by correlation id). If the launch lies under an
executor or FunctionRun event with TensorFlow's step id, that id names the step. Otherwise it is the step in
which the host began the work: a launch on a helper thread is followed back to the call that handed it over.
Events of a stream without a recorded launch, before the stream's first kernel with one, were launched before
the recording began and belong to no step. Other events without a recorded launch are assigned by start time.

The last step ends with the work that its function launched and with the loss that the host reads back. What a
callback runs after that belongs to no step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.compiling import tracing_or_compiling
from tfperf_plugin.analysis.starting import allocating, first_calls, loading
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
from tfperf_plugin.arrays.medians import median
from tfperf_plugin.arrays.unique import unique, unique_inverse
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole, Role

StepSource = Literal["markers", "function_runs", "steps_line", "jit_calls", "modules", "period", "none"]

# A step is a warm-up step if compiling, tracing or start-up takes this share of it, unlike most later ones.
# Guide: the first steps trace and compile; they say nothing about training.
WARM_UP_RATIO = 0.05
# The first one or two steps are also warm-up if they take this many times as long as the slowest later one:
# choosing algorithms, filling buffers or starting the profiler says nothing about training. Fewer later steps
# than this must be clearer; with fewer than two it is unknown what is usual.
SLOW_BEGIN_FACTOR = 1.5
SLOW_BEGIN_LATER_COUNT = 4
SLOW_BEGIN_COUNT = 2
FEW_FACTOR = 3.0
# A step is a rare long one if it is longer than the median by so many standard deviations, estimated from the
# median absolute deviation, and by this factor, with fewer whole steps than this by ``FEW_FACTOR``. If more
# than this share of the steps is long, they are as usual as the others. So are those that no gap separates
# from the others.
RARE_DEVIATIONS = 3.0
MAD_TO_SIGMA = 1.4826
RARE_FACTOR = 1.5
RARE_LEAST_COUNT = 4
RARE_ENOUGH_COUNT = 8
RARE_RATIO = 0.25
APART_FACTOR = 1.15
# Two launches of a thread that follow each other within this time belong to one burst of launches: the
# guide states 20-40 us of launch latency; scheduling an op in between takes about as long again.
# A launch older than this is no longer in flight: its kernel waits for something else.
LAUNCH_BURST_NS = 100_000
# So many events are processed together where each takes several temporary columns.
AT_ONCE_COUNT = 1 << 18
# Step markers around inference or evaluation are used only where nothing else marks steps.
_EVALUATION = ("test", "predict", "eval", "validation")
# Share of a device's kernel time whose names must recur with one period before the period counts.
PERIOD_RATIO = 0.8
# Python's pauses between two ops of a step are shorter (``artifacts/step_body.py``).
JIT_PAUSE_NS = 1_000_000
PERIOD_STEPS_COUNT = 3
# The host runs ahead if it begins this share of the steps before the GPU has finished the previous step.
RUN_AHEAD_RATIO = 0.5
# Step index of launches after the last step. −1 stands for launches before the first step.
_AFTER_LAST = -2
# TensorFlow's name prefix of an op that Python runs eagerly.
EAGER_OP = "EagerLocalExecute: "
# The event that jax.jit and jax.pmap record for a call. It ends when the work is handed over. A loop of calls
# need not be a training loop, so reports speak of calls.
_JIT_CALL = re.compile(r"(?:PjitFunction|JaxCompiledFunction|(?:Jax)?PmapFunction)\((.*)\)", re.DOTALL)
# XLA's own event around the launches of one run of a program on one GPU: its name follows the program's.
_EXECUTION = ":XLA GPU module"
_JIT_WAIT = re.compile(r"(?i)block_?(host_?)?until_?(ready|done)")
# A compiled function or XLA module marks the steps only if it takes this share of the kernel time.
DOMINANT_RATIO = 0.5
JIT_CALLS_COUNT = 2
MAX_GPU_STEPS = 1 << 17
"""Steps times GPUs of one host that are judged: 16,384 steps of eight GPUs. Each takes half a kilobyte."""
# A launch is followed back over at most this many threads; caller, executor and its helpers are three.
MAX_HANDOVERS_COUNT = 8


class HostSteps(Record, frozen=True):
    """The steps of one host, in time order; arrays are per step.

    ``begin_ns``/``end_ns``: the window; ``host_begin_ns``/``host_end_ns``: the span of the host's marker;
    ``complete``: the recording holds its begin and the next step's begin; ``interrupted``: between the two
    the host did other work of at least a step's length, such as an evaluation; ``warm_up``: the step traces
    or compiles, or it is a first step that takes far longer than any later one;
    ``rare``: a whole step that takes far longer than most;
    ``marker_thread``: code of the thread that marks steps, −1 if the host does not; ``body``: time in which
    the host is inside the step's function; ``device_step``: for each GPU the step index of each of its
    events, −1 if none; ``later_count``: steps recorded after these and not judged (``MAX_GPU_STEPS``).
    """

    host: str
    source: StepSource
    number: Ints
    begin_ns: Ints
    end_ns: Ints
    host_begin_ns: Ints
    host_end_ns: Ints
    complete: Bools
    interrupted: Bools
    warm_up: Bools
    rare: Bools
    body: Intervals
    marker_name: str
    marker_thread: int
    device_step: tuple[Codes, ...]
    later_count: int = 0

    def without_events(self) -> HostSteps:
        """The steps without the fields whose size grows with the number of events."""
        return replace(self, device_step=(), body=EMPTY)

    def first(self, count: int) -> HostSteps:
        """The first ``count`` steps; events of later ones belong to none."""
        return replace(
            self,
            number=self.number[:count],
            begin_ns=self.begin_ns[:count],
            end_ns=self.end_ns[:count],
            host_begin_ns=self.host_begin_ns[:count],
            host_end_ns=self.host_end_ns[:count],
            complete=self.complete[:count],
            interrupted=self.interrupted[:count],
            warm_up=self.warm_up[:count],
            rare=self.rare[:count],
            device_step=tuple(np.where(step < count, step, -1) for step in self.device_step),
            later_count=len(self) - count,
        )

    @property
    def judged(self) -> Bools:
        """The usual steps, which all averages are of: the whole ones, or else the longest but warm-ups."""
        usable = self._whole
        if usable.any() or not (~self.warm_up).any():
            return usable
        length = np.where(self.warm_up, -1, self.end_ns - self.begin_ns)
        return np.asarray(np.arange(len(length)) == int(np.argmax(length)))

    @property
    def partial(self) -> bool:
        """Whether no step is whole, so that a part of a step stands for it."""
        return len(self.number) > 0 and not bool(self._whole.any())

    @property
    def whole_count(self) -> int:
        """Number of complete usual steps: neither interrupted, nor warm-ups, nor rare."""
        return int(self._whole.sum())

    @property
    def _whole(self) -> Bools:
        return self.complete & ~self.interrupted & ~self.warm_up & ~self.rare

    def __len__(self) -> int:
        return len(self.number)


class Steps(Record, frozen=True):
    """The steps of all hosts, in the order of ``Trace.hosts``."""

    hosts: tuple[HostSteps, ...]

    @property
    def source(self) -> StepSource:
        """How the steps were found on the first host that has any."""
        return next((h.source for h in self.hosts if len(h)), "none")

    @property
    def judged_count(self) -> int:
        """Number of judged steps on the host with the most."""
        return max((int(h.judged.sum()) for h in self.hosts), default=0)

    @property
    def rare_count(self) -> int:
        """Number of rare long steps on the host with the most."""
        return max((int(h.rare.sum()) for h in self.hosts), default=0)

    @property
    def complete_count(self) -> int:
        """Number of whole usual steps on the host with the most."""
        return max((h.whole_count for h in self.hosts), default=0)


class _Marks(Record, frozen=True):
    """Where the steps begin and end, and what else the source of the steps says about them."""

    source: StepSource
    number: Ints
    begin_ns: Ints
    end_ns: Ints
    name: str
    thread: int
    step_ids: tuple[Ints, Ints]  # TensorFlow's step ids, sorted, and the step index of each
    other: Intervals  # when the host ran other marked work or other functions
    body: Intervals = EMPTY  # when the host is inside the step's function outside of the marks
    runs: tuple[Ints, ...] = ()  # for each GPU when it begins each step, if that differs from the host

    @property
    def by_host(self) -> bool:
        """Whether the host marks the steps; otherwise its clock says nothing about them."""
        return self.thread >= 0


def host_steps(host: HostTrace) -> HostSteps:
    """The steps of one host, the first ones of a recording that has too many for its GPUs."""
    steps, most = _every_step(host), MAX_GPU_STEPS // max(1, len(host.devices))
    return steps.first(most) if len(steps) > most else steps


def _every_step(host: HostTrace) -> HostSteps:
    marks = _from_markers(host.events)
    if marks is None:
        jit = _from_jit_calls(host)
        # In a JAX program, TensorFlow's functions prepare data.
        functions = None if jit else _from_function_runs(host.events)
        marks = (
            functions
            or _from_steps_line(host.devices)
            or jit
            or _from_modules(host)
            or _from_period(host.devices)
        )
    if marks is None:
        empty = np.empty(0, np.int64)
        flags = np.empty(0, np.bool_)
        none = tuple(np.full(len(d.start_ns), -1, np.int32) for d in host.devices)
        return HostSteps(
            host.host, "none", empty, empty, empty, empty, empty, flags, flags, flags, flags,
            EMPTY, "", -1, none,
        )  # fmt: skip
    launch_step = _launch_steps(host.events, marks)
    launch_step[_after_last(host.events, marks)] = _AFTER_LAST
    device_step = tuple(
        _device_steps(d, launch_step, marks, marks.runs[i] if marks.runs else marks.begin_ns)
        for i, d in enumerate(host.devices)
    )
    begin, end, complete = _windows(host.devices, device_step, marks)
    interrupted = _interrupted(marks)
    whole, length = complete & ~interrupted, end - begin
    warm_up = _slow_begin(_warm_up(host, marks), length, whole)
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
        rare=_rare(length, whole & ~warm_up),
        body=merge(_body(host, device_step, marks), marks.body),
        marker_name=marks.name,
        marker_thread=marks.thread,
        device_step=tuple(np.maximum(step, -1) for step in device_step),
    )


# ------------------------------------------------------------------------------ where steps begin


def _from_markers(events: HostEvents) -> _Marks | None:
    """Host events with a step number: Keras' ``train`` and ``Profiled batch``, a user's Trace, JAX."""
    rows = np.flatnonzero(events.step_num >= 0)
    if not len(rows):
        return None
    is_main = _main_group(events, rows)
    others = np.concatenate([rows[~is_main], _calls_of(events, step_function_runs(events))])
    rows = rows[is_main]
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    # A marker inside a marker of the same name (nested Trace blocks) is no step of its own.
    reach = np.maximum.accumulate(events.end_ns[rows])
    rows = rows[np.concatenate([[True], events.start_ns[rows][1:] >= reach[:-1]])]
    begin, end = events.start_ns[rows], events.end_ns[rows]
    return _Marks(
        "markers", events.step_num[rows].astype(np.int64), begin, end,
        events.names[events.name[rows[0]]], int(events.thread[rows[0]]), _ids_inside(events, begin),
        _other_work(events, others, begin),
    )  # fmt: skip


def _main_group(events: HostEvents, rows: Ints) -> Bools:
    """Whether each marker has the name that marks steps: the name whose markers cover most time.

    Names that recur come first, because a marker around an epoch is no step. Evaluation counts only if there
    is nothing else.
    """
    codes = events.name[rows]
    names = unique(codes).tolist()
    candidates = [n for n in names if not events.names[n].lower().startswith(_EVALUATION)] or names
    duration = events.end_ns[rows] - events.start_ns[rows]

    def weight(name: int) -> tuple[bool, int]:
        mine = codes == name
        return int(mine.sum()) >= PERIOD_STEPS_COUNT, int(duration[mine].sum())

    return np.asarray(codes == max(candidates, key=weight))


def _ids_inside(events: HostEvents, begin_ns: Ints) -> tuple[Ints, Ints]:
    """TensorFlow's ids of the FunctionRuns that begin inside each step."""
    runs = step_function_runs(events)
    index = searchsorted(begin_ns, events.start_ns[runs], "right") - 1
    inside = index >= 0
    ids, first = np.unique(events.step_id[runs][inside], return_index=True)
    return ids, index[inside][first]


@memoized
def step_function_runs(events: HostEvents) -> Ints:
    """Rows of FunctionRun events that are not tf.data's own functions."""
    rows = np.flatnonzero((events.role == HostRole.FUNCTION_RUN) & (events.step_id != 0))
    captured = events.named(lambda name: name.startswith("InstantiatedCapturedFunction"))
    parent = events.parent[rows]
    inside = (parent >= 0) & captured[np.maximum(parent, 0)]
    return np.asarray(rows[~events.on_threads("tf_data")[rows] & ~inside])


def _other_work(events: HostEvents, rows: Ints, begin_ns: Ints) -> Intervals:
    """The time of the rows in which no step begins: an event that encloses steps is no other work."""
    begin, end = events.start_ns[rows], events.end_ns[rows]
    return events.spans(rows[searchsorted(begin_ns, begin) == searchsorted(begin_ns, end)])


def _calls_of(events: HostEvents, runs: Ints) -> Ints:
    """The call around each FunctionRun, or the run itself where no call encloses it."""
    caller = events.enclosing(runs, events.function_call)
    return np.where(caller >= 0, caller, runs)


def _from_function_runs(events: HostEvents) -> _Marks | None:
    """One step per TensorFlow step id: the component functions of one step share the id."""
    rows = step_function_runs(events)
    if not len(rows):
        return None
    caller = events.enclosing(rows, events.function_call)
    names = np.where(caller >= 0, events.name[np.maximum(caller, 0)], -1).astype(np.int32)
    others = np.empty(0, np.int64)
    if len(unique(names)) > 1:
        covered = events.end_ns - events.start_ns
        weight = {n: int(covered[np.maximum(caller[names == n], 0)].sum()) for n in unique(names).tolist()}
        keep = names == max(weight, key=lambda n: (n >= 0, weight[n]))
        others = _calls_of(events, rows[~keep])
        rows, caller = rows[keep], caller[keep]
    ids, first = np.unique(events.step_id[rows], return_index=True)
    member = searchsorted(ids, events.step_id[rows])
    begin = np.full(len(ids), np.iinfo(np.int64).max)
    end = np.full(len(ids), np.iinfo(np.int64).min)
    span = np.where(caller >= 0, caller, rows)
    np.minimum.at(begin, member, events.start_ns[span])
    np.maximum.at(end, member, events.end_ns[span])
    executor = np.flatnonzero(events.role == HostRole.EXECUTOR)
    at = np.minimum(searchsorted(ids, events.step_id[executor]), len(ids) - 1)
    known = ids[at] == events.step_id[executor]
    np.maximum.at(end, at[known], events.end_ns[executor][known])
    order = np.argsort(begin, kind="stable")
    rank = np.empty(len(ids), np.int64)
    rank[order] = np.arange(len(ids))
    name = events.names[events.name[span[0]]]
    return _Marks(
        "function_runs", np.arange(len(ids), dtype=np.int64), begin[order], end[order],
        name, int(events.thread[rows[first[0]]]), (ids, rank),
        _other_work(events, others, begin[order]),
    )  # fmt: skip


def _from_steps_line(devices: Sequence[DeviceTrace]) -> _Marks | None:
    """The stored line "Steps" of the GPUs; steps of several GPUs with one name are one step."""
    spans: dict[str, tuple[int, int]] = {}
    for device in devices:
        for begin, end, name in device.step_line:
            old = spans.get(name, (begin, end))
            spans[name] = (min(begin, old[0]), max(end, old[1]))
    if not spans:
        return None
    items = sorted(spans.items(), key=lambda item: item[1])
    numbers = [int(name) if name.isdecimal() and len(name) < 18 else i for i, (name, _) in enumerate(items)]
    begins, ends = (np.array([span[k] for _, span in items], np.int64) for k in (0, 1))
    return _marks_without_host("steps_line", np.array(numbers, np.int64), begins, ends)


@memoized
def jit_calls(events: HostEvents) -> Ints:
    """Rows of the outermost calls of what JAX compiled, on the thread that makes most of them, by time."""
    wanted = events.named(_JIT_CALL.fullmatch)
    rows = np.flatnonzero(wanted)
    rows = rows[events.enclosing(rows, wanted) < 0]
    if not len(rows):
        return rows
    return np.asarray(rows[events.thread[rows] == np.argmax(np.bincount(events.thread[rows]))])


def _from_jit_calls(host: HostTrace) -> _Marks | None:
    """Calls of the JAX function whose kernels take most of the GPUs' time.

    The same calls of other functions must recur between its calls; otherwise several of its calls make up a
    step.
    """
    events, rows = host.events, jit_calls(host.events)
    if len(rows) < JIT_CALLS_COUNT or not host.devices:
        return None
    begin, name = events.start_ns[rows], events.name[rows]
    none = np.empty(0, np.int64)
    every = _Marks("jit_calls", none, begin, events.end_ns[rows], "", -1, (none, none), EMPTY)
    call_of_launch = _launch_steps(events, every)
    columns = [(d.launch[k], d.start_ns[k], d.end_ns[k]) for d, k in _work(host.devices)]
    launch, starts, ends = (np.concatenate(column) for column in zip(*columns, strict=True))
    call = np.where(launch >= 0, call_of_launch[launch], -1)
    spent = np.bincount(name[call[call >= 0]], (ends - starts)[call >= 0], minlength=len(events.names))
    main = int(np.argmax(spent))
    at = np.flatnonzero(name == main)
    if not spent[main] or len(at) < JIT_CALLS_COUNT or spent[main] < DOMINANT_RATIO * (ends - starts).sum():
        return None
    between = [p.tobytes() for p in np.split(name, at)[1:-1]]
    if Counter(between).most_common(1)[0][1] < PERIOD_RATIO * len(between):
        return None
    runs = _delayed_runs(host, call_of_launch, at, begin[at])
    others = (call >= 0) & (name[np.maximum(call, 0)] != main)
    found = _JIT_CALL.fullmatch(events.names[main])
    return _Marks(
        "jit_calls", np.arange(len(at), dtype=np.int64), begin[at], events.end_ns[rows[at]],
        found[1] if found else "", int(events.thread[rows[0]]), (none, none),
        union(starts[others], ends[others]), _inside_calls(events, rows), runs,
    )  # fmt: skip


def _delayed_runs(host: HostTrace, call_of_launch: Codes, call: Ints, begin_ns: Ints) -> tuple[Ints, ...]:
    """For each GPU when it begins the run of each of these calls, if calls return before they launch.

    A launch then lies in a later call, but the n-th run still belongs to the n-th call if there are as many
    runs as calls.
    """
    program, _ = _main_program(host.devices)
    runs = _program_runs(host, program)
    if any(r is not None and (len(r) != len(call) or (r < begin_ns).any()) for r in runs):
        return ()
    launched = [
        call_of_launch.astype(np.int64)[d.launch[searchsorted(d.start_ns, r)]]
        for d, r in zip(host.devices, runs, strict=True)
        if r is not None
    ]
    if all((searchsorted(call, of, "right") - 1 == np.arange(len(call))).all() for of in launched):
        return ()
    return tuple(begin_ns if r is None else r for r in runs)


def _inside_calls(events: HostEvents, rows: Ints) -> Intervals:
    """When the host calls a function that JAX compiled or waits for its result."""
    waiting = np.flatnonzero(events.named(_JIT_WAIT.search) & (events.thread == events.thread[rows[0]]))
    return events.spans(np.concatenate([rows, waiting]))


def _from_modules(host: HostTrace) -> _Marks | None:
    """Runs of the XLA program that computes most: each GPU's n-th run is the n-th step."""
    program, share = _main_program(host.devices)
    if share < DOMINANT_RATIO:
        return None
    runs = _aligned(_program_runs(host, program))
    counts = [len(r) for r in runs if r is not None]
    if not counts or min(counts) < PERIOD_STEPS_COUNT:
        return None
    begin = np.min(np.stack([r for r in runs if r is not None]), axis=0)
    last = max(int(d.end_ns[d.is_kernel()].max()) for d in host.devices if d.participates)
    marks = _marks_without_host(
        "modules", np.arange(len(begin), dtype=np.int64), begin, np.append(begin[1:], last)
    )
    name = program.rpartition("(")[0]
    return replace(marks, name=name, runs=tuple(begin if r is None else r for r in runs))


def _aligned(runs: Sequence[Ints | None]) -> list[Ints | None]:
    """The runs that all GPUs have; none if their numbers differ by more than one.

    The recording may begin or end while some GPUs are in a run that others have not begun. A GPU with one
    more run leaves out its first or its last, whichever brings the rest closer to a GPU with fewer.
    """
    known = [r for r in runs if r is not None]
    base = min(known, key=len, default=np.empty(0, np.int64))
    if any(len(r) > len(base) + 1 for r in known):
        return []
    return [
        r
        if r is None or len(r) == len(base)
        else min((r[:-1], r[1:]), key=lambda kept: int(np.abs(kept - base).sum()))
        for r in runs
    ]


def _main_program(devices: Sequence[DeviceTrace]) -> tuple[str, float]:
    """The recurring XLA program that computes most, and its share of all compute since its first run.

    What runs before, such as making the weights, is no training. Neither is waiting: when processes start, a
    collective may take a minute.
    """
    spent: dict[str, int] = {}
    for device, mine in _work(devices):
        length, module = device.end_ns[mine] - device.start_ns[mine], device.module[mine]
        known = np.flatnonzero(_recurring(device, mine))
        time = np.bincount(module[known], length[known])
        for code in np.flatnonzero(time).tolist():
            spent[device.modules[code]] = spent.get(device.modules[code], 0) + int(time[code])
    program = max(spent, key=lambda n: spent[n], default="")
    total = 0
    for device, mine in _work(devices):
        own = [m == program for m in device.modules]
        first = int(np.argmax(np.array([*own, False])[device.module[mine]])) if len(mine) else 0
        total += int((device.end_ns[mine] - device.start_ns[mine])[first:].sum())
    return program, spent.get(program, 0) / max(1, total)


def _work(devices: Sequence[DeviceTrace]) -> list[tuple[DeviceTrace, Ints]]:
    """The GPUs and rows of what they compute; collectives only where no GPU computes, because they wait."""
    computes = any((d.role == Role.KERNEL).any() for d in devices)
    return [(d, np.flatnonzero(d.role == Role.KERNEL if computes else d.is_kernel())) for d in devices]


def _recurring(device: DeviceTrace, rows: Ints) -> Bools:
    """Whether each kernel is of a program whose every instruction recurs.

    The recording may cut the first run and the last.
    """
    module, instruction = device.module[rows].astype(np.int64), _instructions(device, rows)
    each = unique_inverse(module * (int(instruction.max(initial=0)) + 1) + instruction)[1]
    rarest = np.full(len(device.modules) + 1, len(rows))
    np.minimum.at(rarest, module, np.bincount(each)[each])  # −1, no module, is the last
    return np.asarray((module >= 0) & (rarest[module] >= PERIOD_STEPS_COUNT - 1))


def _instructions(device: DeviceTrace, rows: Ints) -> Ints:
    """A number for each kernel's name and op."""
    return device.name[rows].astype(np.int64) * (len(device.ops) + 1) + device.op[rows] + 1


def _program_runs(host: HostTrace, program: str) -> list[Ints | None]:
    """When each run of a program begins on each GPU: ``None`` without a run, empty if it cannot be told."""
    return _executed_runs(host, program) or _repeated_runs(host.devices, program)


def _executed_runs(host: HostTrace, program: str) -> list[Ints | None]:
    """The runs as the host recorded them: each execution of a program launches its kernels."""
    name = program.rpartition("(")[0] + _EXECUTION
    executes = host.events.named(lambda event: event == name)
    found: list[Ints | None] = []
    for device in host.devices if executes.any() else ():
        rows = _kernels_of(device, program)
        launched = rows[device.launch[rows] >= 0]
        by = host.events.enclosing(device.launch[launched].astype(np.int64), executes)
        if (by >= 0).sum() < PERIOD_RATIO * len(rows):
            return []
        # A GPU runs its kernels in the order of their launches, so the first one of a run begins it.
        _, first = np.unique(by[by >= 0], return_index=True)
        found.append(np.sort(device.start_ns[launched[by >= 0]][first]) if len(rows) else None)
    return found


def _kernels_of(device: DeviceTrace, program: str) -> Ints:
    if program not in device.modules:
        return np.empty(0, np.int64)
    return np.flatnonzero(device.is_kernel() & (device.module == device.modules.index(program)))


class _Candidates(Record, frozen=True):
    """The instructions of a program that may begin its runs on one GPU: one row each, by first start.

    ``key``: name and op of the kernel; ``rest_ns``: how long the program usually pauses before it.
    """

    key: tuple[tuple[str, str], ...]
    rest_ns: Ints


def _candidates(device: DeviceTrace, rows: Ints) -> _Candidates:
    """The instructions outside of loops: each runs once in a run, except perhaps at the recording's ends."""
    start, end = device.start_ns[rows], device.end_ns[rows]
    _, first, kind, counts = np.unique(
        _instructions(device, rows), return_index=True, return_inverse=True, return_counts=True
    )
    rest = start - np.concatenate([start[:1], np.maximum.accumulate(end)[:-1]])
    # The median of each instruction's rests.
    middle = np.cumsum(counts) - 1 - counts // 2
    single = np.flatnonzero(counts <= counts.min() + 1)
    single = single[np.argsort(first[single])]
    at = rows[first[single]]
    names = (device.names[name] for name in device.name[at].tolist())
    ops = (device.ops[op] if op >= 0 else "" for op in device.op[at].tolist())
    return _Candidates(tuple(zip(names, ops, strict=True)), rest[np.lexsort((rest, kind))][middle][single])


def _repeated_runs(devices: Sequence[DeviceTrace], program: str) -> list[Ints | None]:
    """The runs told from the kernels alone.

    An instruction outside of loops runs once in each run of its program. The runs of all GPUs begin with that
    one of them before which the program pauses longest on all GPUs together: a GPU that waits elsewhere for
    the others does not begin its runs there. From one run to the next a GPU must run the same kernels.
    """
    rows = [_kernels_of(d, program) for d in devices]
    of_gpu = [_candidates(d, mine) for d, mine in zip(devices, rows, strict=True) if len(mine)]
    if not of_gpu:
        return [None for _ in devices]
    common = set(of_gpu[0].key).intersection(*(c.key for c in of_gpu[1:]))
    rests = dict.fromkeys((key for key in of_gpu[0].key if key in common), 0)
    for candidates in of_gpu:
        for key, rest in zip(candidates.key, candidates.rest_ns.tolist(), strict=True):
            if key in rests:
                rests[key] += rest
    # The first instruction of several that rest as long.
    begins = max(rests, key=lambda key: rests[key], default=None)
    return [
        (np.empty(0, np.int64) if begins is None else _begun_by(d, program, mine, begins))
        if len(mine)
        else None
        for d, mine in zip(devices, rows, strict=True)
    ]


def _begun_by(device: DeviceTrace, program: str, mine: Ints, begins: tuple[str, str]) -> Ints:
    """When a GPU begins its runs with this instruction, empty if runs differ or the first is no whole one."""
    rows = np.flatnonzero(device.is_kernel())
    kinds = _instructions(device, rows)
    name, op = begins
    wanted = (device.name[mine] == device.names.index(name)) & (
        device.op[mine] == (device.ops.index(op) if op else -1)
    )
    at = searchsorted(rows, mine[wanted])
    runs = [np.sort(run).tobytes() for run in np.split(kinds, at)]
    whole = runs[1:-1]
    if not whole or Counter(whole).most_common(1)[0][1] < PERIOD_RATIO * len(whole):
        return np.empty(0, np.int64)
    # Before the first run, this program and those that are not known ran at most the rest of an earlier one.
    before = device.module[rows[: at[0]]]
    earlier = (before < 0) | (before == device.modules.index(program))
    longest = max(len(run) for run in whole) // kinds.itemsize
    return np.asarray(device.start_ns[rows[at if earlier.sum() <= longest else at[:0]]])


def _from_period(devices: Sequence[DeviceTrace]) -> _Marks | None:
    """The period of the kernels: a sequence that recurs on all GPUs at the same time.

    At the same time means that within each period the GPUs begin closer together than any two periods.
    """
    starts = [s for d in devices if d.participates and (s := _period_starts(d)) is not None]
    if not starts or len(starts) < sum(d.participates for d in devices):
        return None
    if len({len(s) for s in starts}) > 1:
        return None
    begin = np.min(np.stack(starts), axis=0)
    late = np.max(np.stack(starts), axis=0)
    if (late - begin).max() >= np.diff(begin).min():
        return None
    last = max(int(d.end_ns[d.is_kernel()].max()) for d in devices if d.participates)
    end = np.append(begin[1:], last)
    return _marks_without_host("period", np.arange(len(begin), dtype=np.int64), begin, end)


def _period_starts(device: DeviceTrace) -> Ints | None:
    """When the recurring kernel sequence of a GPU begins each time; ``None`` if none recurs."""
    rows = np.flatnonzero(device.is_kernel())
    names, counts = np.unique(device.name[rows], return_counts=True)
    duration = device.end_ns[rows] - device.start_ns[rows]
    time = np.bincount(device.name[rows], duration)[names]
    for count in sorted(set(counts[counts >= PERIOD_STEPS_COUNT].tolist())):
        fitting = counts % count == 0
        if time[fitting].sum() < PERIOD_RATIO * time.sum():
            continue
        if len(rows) % count == 0 and (np.diff(device.name[rows].reshape(count, -1), axis=0) == 0).all():
            return np.asarray(device.start_ns[rows][:: len(rows) // count])
        anchors = np.flatnonzero(np.isin(device.name[rows], names[counts == count]))
        first = anchors[device.name[rows][anchors] == device.name[rows][anchors[0]]]
        pieces = [p.tobytes() for p in np.split(device.name[rows], first)[1:]]
        if Counter(pieces).most_common(1)[0][1] >= PERIOD_RATIO * len(pieces):
            return np.asarray(device.start_ns[rows][first])
    return None


def _marks_without_host(source: StepSource, number: Ints, begin: Ints, end: Ints) -> _Marks:
    return _Marks(source, number, begin, end, "", -1, (EMPTY.begin_ns, EMPTY.begin_ns), EMPTY)


# ---------------------------------------------------------------------------- what belongs to them


def _launch_steps(events: HostEvents, marks: _Marks) -> Codes:
    """For each launch among the host's events its step, −1 if none; other events are set to −1."""
    step = np.full(len(events.start_ns), -1, np.int32)
    if not len(marks.begin_ns):
        return step
    for first in range(0, len(step), AT_ONCE_COUNT):
        rows = first + np.flatnonzero(events.launches[first : first + AT_ONCE_COUNT])
        step[rows] = _steps_of(events, rows, marks)
    return step


def _steps_of(events: HostEvents, rows: Ints, marks: _Marks) -> Codes:
    """For each of these launches its step, −1 if none."""
    step = np.full(len(rows), -1, np.int32)
    known = np.zeros(len(rows), np.bool_)
    ids, index = marks.step_ids
    if len(ids):
        carrier = events.enclosing(rows, events.step_id != 0)
        wanted = events.step_id[np.maximum(carrier, 0)]
        at = np.minimum(searchsorted(ids, wanted), len(ids) - 1)
        known = (carrier >= 0) & (ids[at] == wanted)
        step[known] = index[at[known]]
    begun_ns = events.start_ns[_origins(events, rows[~known])]
    step[~known] = searchsorted(marks.begin_ns, begun_ns, "right") - 1
    return step


def _after_last(events: HostEvents, marks: _Marks) -> Bools:
    """Events on the marker thread from the first op that Python runs after the last step.

    Keras' callbacks run such ops (TensorBoard's: LogicalAnd, WriteSummary) and read their results back.
    """
    if not marks.by_host:
        return np.zeros(len(events.start_ns), np.bool_)
    eager = events.named(lambda name: name.startswith(EAGER_OP))
    later = (events.thread == marks.thread) & (events.start_ns >= marks.end_ns[-1])
    begin_ns = events.start_ns[later & (eager | events.function_call)]
    return np.asarray(later & (events.start_ns >= begin_ns.min(initial=np.iinfo(np.int64).max)))


def _read_back(devices: Sequence[DeviceTrace], device_step: Sequence[Codes], count: int) -> int:
    """When the last copy of the last step to the host ends: it brings the loss."""
    ends = [
        d.end_ns[(d.role == Role.D2H) & (step == count - 1)]
        for d, step in zip(devices, device_step, strict=True)
    ]
    return int(np.concatenate(ends or [np.empty(0, np.int64)]).max(initial=np.iinfo(np.int64).min))


def _origins(events: HostEvents, rows: Ints) -> Ints:
    """For each row the event, on any thread, with which the chain of handovers to it began."""
    origin, handed_on = rows, events.producer >= 0
    for _ in range(MAX_HANDOVERS_COUNT if handed_on.any() else 0):
        carrier = np.where(handed_on[origin], origin, events.enclosing(origin, handed_on))
        if not (carrier >= 0).any():
            break
        origin = np.where(carrier >= 0, events.producer[np.maximum(carrier, 0)], origin)
    return origin


def _device_steps(device: DeviceTrace, launch_step: Codes, marks: _Marks, begin_ns: Ints) -> Codes:
    by_time = (searchsorted(begin_ns, device.start_ns, "right") - 1).astype(np.int32)
    if not marks.by_host or marks.runs:
        return by_time
    by_time[launched_before(device)] = -1
    return np.where(device.launch >= 0, launch_step[np.maximum(device.launch, 0)], by_time).astype(np.int32)


@memoized
def launched_before(device: DeviceTrace) -> Bools:
    """Whether each event of a GPU was launched before the recording began; false if no launch is recorded.

    A stream runs its work in the order of launching. So an event without a recorded launch is older than the
    recording if it comes before the first kernel with a recorded launch: the stream's, or else the GPU's.
    """
    kernels = np.flatnonzero(device.is_kernel() & (device.launch >= 0))
    if not len(kernels):
        return np.zeros(len(device.start_ns), np.bool_)
    first = np.full(len(device.streams), np.iinfo(np.int64).max)
    np.minimum.at(first, device.stream[kernels], device.start_ns[kernels])
    first = np.where(first == np.iinfo(np.int64).max, first.min(), first)
    return np.asarray((device.launch < 0) & (device.start_ns < first[device.stream]))


def _windows(
    devices: Sequence[DeviceTrace], device_step: Sequence[Codes], marks: _Marks
) -> tuple[Ints, Ints, Bools]:
    count = len(marks.begin_ns)
    last_kernel = np.full(count, np.iinfo(np.int64).min)
    for device, step in zip(devices, device_step, strict=True):
        rows = np.flatnonzero(device.is_kernel() & (step >= 0))
        np.maximum.at(last_kernel, step[rows], device.end_ns[rows])
    busy_until = np.maximum.accumulate(last_kernel)
    begin = marks.begin_ns.copy()
    # Until when the GPUs ran recorded kernels that were launched before the first step.
    old = [d.end_ns[d.is_kernel() & (step == -1)] for d, step in zip(devices, device_step, strict=True)]
    earlier = max((int(end.max()) for end in old if len(end)), default=int(marks.begin_ns[0]))
    # Where the device marks the steps, no host can run ahead.
    if marks.by_host:
        begin[1:] = np.maximum(begin[1:], busy_until[:-1])
        if count > 1:
            begin[0] = max(int(begin[0]), earlier)
        begin = np.maximum.accumulate(begin)
    tail = max(
        int(marks.end_ns[-1]), int(last_kernel[-1]), int(begin[-1]), _read_back(devices, device_step, count)
    )
    end = np.append(begin[1:], tail)
    complete = np.ones(count, np.bool_)
    # The GPU's recording may stop before the host's: capacity, or a GPU that lags behind at the end.
    with_kernels = np.flatnonzero(last_kernel > np.iinfo(np.int64).min)
    complete[int(with_kernels[-1]) if len(with_kernels) else count - 1 :] = False
    complete[-1] = False
    # A host that runs ahead launched before the recording what the GPU ran at the begin of the first step. If
    # those kernels are not in the recording, the GPU only seems idle.
    known = marks.by_host and earlier > marks.begin_ns[0]
    if count > 1 and not known and np.mean(begin[1:] > marks.begin_ns[1:]) >= RUN_AHEAD_RATIO:
        complete[0] = False
        begin[0] = max(begin[0], min(_first_kernel(devices, device_step), begin[1]))
    return begin, end, complete & (end > begin)


def _interrupted(marks: _Marks) -> Bools:
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


def _first_kernel(devices: Sequence[DeviceTrace], device_step: Sequence[Codes]) -> int:
    """Start of the first kernel of the first step on any GPU."""
    starts = [
        d.start_ns[rows[0]]
        for d, step in zip(devices, device_step, strict=True)
        if len(rows := np.flatnonzero(d.is_kernel() & (step == 0)))
    ]
    return int(min(starts, default=np.iinfo(np.int64).min))


def _warm_up(host: HostTrace, marks: _Marks) -> Bools:
    """Leading steps that trace, compile or start up for a visible share of their time, if most later ones do
    not."""
    starting = merge(first_calls(host), loading(host.events), allocating(host))
    end = np.append(marks.begin_ns[1:], max(int(marks.end_ns[-1]), int(marks.begin_ns[-1])))
    busy = covered_within(merge(tracing_or_compiling(host.events), starting), marks.begin_ns, end)
    heavy = busy / np.maximum(1, end - marks.begin_ns) >= WARM_UP_RATIO
    leading = np.logical_and.accumulate(heavy)
    later = heavy[~leading]
    return leading if len(later) and later.mean() < 0.5 else np.zeros_like(heavy)


def _slow_begin(warm_up: Bools, length_ns: Ints, whole: Bools) -> Bools:
    """The warm-up steps, plus the first whole ones after them that take far longer than all later ones."""
    usable = np.flatnonzero(whole & ~warm_up)
    for count in range(SLOW_BEGIN_COUNT, 0, -1):
        first, later = usable[:count], usable[count:]
        factor = SLOW_BEGIN_FACTOR if len(later) >= SLOW_BEGIN_LATER_COUNT else FEW_FACTOR
        if len(later) >= 2 * count and length_ns[first].min() > factor * length_ns[later].max():
            return np.asarray(warm_up | (np.arange(len(warm_up)) <= first[-1]))
    return warm_up


def _rare(length_ns: Ints, whole: Bools) -> Bools:
    """The few whole steps that take far longer than the median one, and stand apart from the others."""
    count = int(whole.sum())
    if count < RARE_LEAST_COUNT:
        return np.zeros_like(whole)
    usual = median(length_ns[whole])
    sigma = MAD_TO_SIGMA * median(np.abs(length_ns[whole] - usual))
    factor = RARE_FACTOR if count >= RARE_ENOUGH_COUNT else FEW_FACTOR
    ordered = np.sort(length_ns[whole])
    apart = (ordered[1:] >= APART_FACTOR * ordered[:-1]) & (ordered[1:] > factor * usual)
    least = ordered[1:][apart & (ordered[1:] > usual + RARE_DEVIATIONS * sigma)]
    long = whole & (length_ns >= least.min(initial=np.iinfo(np.int64).max))
    # Of 19 steps, every fourth one may be 5.
    return np.asarray(long if long.sum() <= RARE_RATIO * (count + 1) else np.zeros_like(long))


def _body(host: HostTrace, device_step: Sequence[Codes], marks: _Marks) -> Intervals:
    """The time in which the host is inside the step's function.

    Keras' markers enclose callbacks too, and JAX' often the loading of the batch. So calls of tf.functions on
    the marker's thread are better, or of what JAX compiled, if most of the steps' kernels are launched during
    one of them. Otherwise it is the time of the markers and of the launches that other threads make for the
    marker's thread.
    """
    if not marks.by_host:  # the host's steps are not recorded, so it never counts as outside
        return union(marks.begin_ns[:1], np.maximum(marks.end_ns[-1:], marks.begin_ns[-1:] + 1))
    events, markers = host.events, union(marks.begin_ns, marks.end_ns)
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


def _in_close_calls(events: HostEvents, calls: Ints) -> Intervals:
    """When the host calls functions that JAX compiled, waits for a result, or is between two close calls."""
    inside = _inside_calls(events, calls)
    begin, end = inside.end_ns[:-1], inside.begin_ns[1:]
    close = end - begin <= JIT_PAUSE_NS
    return merge(inside, union(begin[close], end[close]))


def launch_bursts(events: HostEvents, launch: Ints) -> Intervals:
    """The calls that make these launches (ascending rows), and the short pauses between them."""
    found = EMPTY
    for first in range(0, len(launch), AT_ONCE_COUNT):
        rows = launch[first : first + AT_ONCE_COUNT + 1]  # up to the first one of the next
        begin, end, thread = events.start_ns[rows], events.end_ns[rows], events.thread[rows]
        follows = (thread[1:] == thread[:-1]) & (begin[1:] - end[:-1] <= LAUNCH_BURST_NS)
        found = merge(found, union(begin, end), union(end[:-1][follows], begin[1:][follows]))
    return found
