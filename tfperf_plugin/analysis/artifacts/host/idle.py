"""Why GPUs were idle: what the host does meanwhile, by account, and the latency of launches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Final

import numpy as np
from msgspec import field
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import (
    First,
    GpuView,
    PerStep,
    PerStepByName,
    Rate,
    View,
    averaged,
    merged,
)
from tfperf_plugin.analysis.artifacts.compute.op_names import plain_kernel, title
from tfperf_plugin.analysis.artifacts.host.step_gaps import WRAPPERS, BetweenSteps
from tfperf_plugin.analysis.host_activity import already_launched, host_ops, on_the_way, step_ops
from tfperf_plugin.analysis.host_names import Described, described, marks
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS, captures
from tfperf_plugin.analysis.ledger import IDLE, HostLedger, Ledger
from tfperf_plugin.analysis.startup import starting
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.columns import EARLIEST, Groups, stable_order, unique
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Bools,
    Intervals,
    Ints,
    covered_within,
    intersect,
    merge,
    near,
    searchsorted,
    subtract,
    union,
)
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, HostTrace, among
from tfperf_plugin.trace.roles import HostRole

# A cause is named only if it covers this share of the account, and only if the account has this share of a
# step.
NAMED_RATIO: Final = 0.8
SHOWN_RATIO: Final = 0.01
# Accounts whose name is the reason; other accounts only state where the time lies.
SELF_EXPLAINED: Final = frozenset({
    "idle.compile", "idle.startup", "idle.stagger", "idle.input", "idle.launch", "idle.dispatch", "idle.sync",
})  # fmt: skip
# Of the events during idle time, at most this many names are kept, if each covers this share of it.
SEEN_COUNT: Final = 3
SEEN_RATIO: Final = 0.1
# Labels of ``idle.dispatch`` in ``seen``: time before an op's kernel, or in the call of the step's function.
BEFORE: Final = "before "
IN_CALL: Final = "in the call of the step's function"
_ON: Final = " on thread "
#: In labels of ``idle.unknown``: a function of Python works up to its first call that launches.
BEFORE_CALL: Final = ", before it calls "
BUILDS_GRAPH: Final = "while CUDA graphs are built"
_BUILDS_GRAPH: Final = re.compile(
    r"^(cu(da)?|hip)Graph(Instantiate|Destroy|ExecDestroy|ExecUpdate)|^(cu(da)?|hip)StreamEndCapture"
)
# What happens in this share of the judged steps happens in each.
_EACH_RATIO: Final = 0.5
# To run one op, and to hand a compiled program over, takes a host less.
LONG_NS: Final = 1_000_000
# Calls of Python that wait for the GPUs.
WAITS: Final = re.compile(r"block_until_ready|synchronize|device_get")
_ROLES: Final[Mapping[str, tuple[HostRole, ...]]] = {
    "idle.compile": (HostRole.COMPILE, HostRole.TRACING),
    "idle.input": (HostRole.INPUT_WAIT,),
    "idle.sync": (HostRole.SYNC,),
    "idle.unknown": (HostRole.OTHER, HostRole.CALLBACK, HostRole.PASSIVE_OP),
}


class IdleAccount(Record, frozen=True):
    """One idle account: sums over steps in a part, of the average step in the artifact."""

    account: First
    #: Longest stretch in a judged step: ns, the op (else the kernel) before it, and that after it.
    longest: Annotated[tuple[int, str, str], max]
    per_step_count: Rate  #: Number of stretches.
    ns_by_cause: PerStepByName  #: Name of what the host did → ns of the account.
    #: What happens meanwhile → ns. For ``idle.dispatch``: ``BUILDS_GRAPH``, ``IN_CALL``,
    #: ``BEFORE`` and the op whose kernel comes next, or "in" an event. For ``idle.unknown``: events and
    #: their threads, or ``BEFORE`` and an op.
    ns_by_event: PerStepByName
    #: Part of ``idle.unknown`` in which the next kernel was launched before, so that the GPU does not wait
    #: for the host.
    launched_ns: PerStep = 0
    long_ns: PerStep = 0  #: Part of ``idle.dispatch`` in stretches before ops of more than ``LONG_NS`` each.
    #: Part of ``idle.unknown``, where the recording counts as one step, outside ``launched_ns`` that comes
    #: before a kernel runs for the first time, or beside start-up.
    first_ns: PerStep = 0
    #: As in ``Idle``, of ``idle.unknown``.
    ns_by_mark: PerStepByName = field(default_factory=dict)
    ns: int = 0  #: Time of the account; in the artifact, as the next ones.
    #: Name of what the host did during most of it; ``None`` if no recorded event covers enough.
    cause: str | None = None
    covered_ns: int = 0  #: Time that ``cause`` covers.

    @property
    def longest_ns(self) -> int:
        """The length of the longest stretch."""
        return self.longest[0]

    @property
    def seen(self) -> tuple[tuple[str, int], ...]:
        """(what happens meanwhile, ns), longest first, as far as it covers enough."""
        return self._most(self.ns_by_event)

    @property
    def marked(self) -> tuple[tuple[str, int], ...]:
        """(mark of the program, ns), as ``seen``."""
        return self._most(self.ns_by_mark)

    def _most(self, ns_by_name: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
        most = Counter(ns_by_name).most_common(SEEN_COUNT)
        return tuple((name, ns) for name, ns in most if ns >= SEEN_RATIO * self.ns)

    def python_covering(self, least_ns: float) -> tuple[tuple[str, int], ...]:
        """The fewest calls of Python in ``seen``, from the longest on, that together take at least this long;
        none if they do not, or other events take longer. Those of one thread: others may overlap."""
        calls: list[tuple[str, int]] = []
        for name, ns in self.seen:
            if not name.startswith("$") or (calls and _thread(name) != _thread(calls[0][0])):
                break
            calls.append((name, ns))
            if sum(ns for _, ns in calls) >= least_ns:
                return tuple(calls)
        return ()


def _thread(label: str) -> str:
    return label.rpartition(_ON)[2]


class LaunchLatency(Record, frozen=True):
    """Time from a launch call to its kernel on one GPU, for launches at which the stream was free."""

    host: str
    device: str
    count: int  #: Number of such launches in judged steps.
    median_ns: int
    p95_ns: int


class Idle(Record, frozen=True):
    """The idle accounts and the latency of launches: sums in a part, of the average step in the artifact."""

    by_account: dict[str, IdleAccount]  #: Idle accounts that hold any time.
    latencies: tuple[LaunchLatency, ...]  #: Latencies of GPUs that have launches on a free stream.
    #: Part of ``idle.dispatch`` in which the call of the step's function is on the way to its first op or
    #: back from its last one, in the only step of a capture and in the step after a warm-up step. (In other
    #: steps a fast host calls ahead.)
    calling_ns: PerStep = 0
    #: What a program of PyTorch marks → the part of ``idle.launch`` and ``idle.dispatch`` in it and in
    #: nothing else that it marks, on one thread.
    ns_by_mark: PerStepByName = field(default_factory=dict)

    @property
    def accounts(self) -> tuple[IdleAccount, ...]:
        """The idle accounts."""
        return tuple(self.by_account.values())

    @property
    def marked(self) -> tuple[str, int] | None:
        """The mark with the largest part, and that part."""
        return next(iter(Counter(self.ns_by_mark).most_common(1)), None)


def part(view: View) -> Idle:
    """The idle accounts of one host and the launch latencies of its GPUs."""
    ledger, events = view.ledger, view.trace.events
    if ledger is None:
        return Idle({}, ())
    if "clocks" in view.trace.lacks:
        return Idle(_unexplained(view), ())
    accounts, marked = dict[str, IdleAccount](), Counter[str]()
    for account in IDLE:
        times = [(gpu.source, time) for gpu in view.gpus if len(time := gpu.judged_time(account))]
        rows = _candidates(view.trace, ledger, account) if times else np.empty(0, np.int64)
        for device, time in times:
            named = _named(events, device, time, account, rows)
            if account == "idle.unknown" and ledger.steps.source == "recording":
                new = intersect(time, _before_first_runs(view.trace, device))
                named = replace(named, first_ns=new.total_ns)
            accounts[account] = merged(accounts[account], named) if account in accounts else named
            if account in ("idle.launch", "idle.dispatch"):
                marked.update(_marked(events, time))
    found = (_latency(gpu, events) for gpu in view.gpus)
    calls = intersect(on_the_way(events), _not_ahead(ledger.steps))
    calling = sum(intersect(gpu.judged_time("idle.dispatch"), calls).total_ns for gpu in view.gpus)
    return Idle(accounts, tuple(x for x in found if x is not None), calling, dict(marked))


def _unexplained(view: View) -> dict[str, IdleAccount]:
    """The idle accounts without causes."""
    accounts = dict[str, IdleAccount]()
    for account in IDLE:
        times = ((gpu.source, time) for gpu in view.gpus if len(time := gpu.judged_time(account)))
        for device, time in times:
            one = IdleAccount(account, _longest(device, time), len(time), {}, {})
            accounts[account] = merged(accounts[account], one) if account in accounts else one
    return accounts


def _named(events: HostEvents, device: DeviceTrace, time: Intervals, account: str, rows: Ints) -> IdleAccount:
    """The idle time of one GPU in an account; ``rows``: events that may be the reason."""
    seen, marked = Counter[str](), dict[str, int]()
    launched = long = 0
    if account == "idle.dispatch":
        builds = merge(events.spans(rows), captures(events)) if len(rows) else EMPTY
        _next_ops(seen, events, device, time, builds)
        before = subtract(time, on_the_way(events))
        stretches = before.end_ns - before.begin_ns
        long = int(stretches[stretches > LONG_NS].sum())
    elif account == "idle.unknown":
        _events_during(seen, events, device, time)
        marked = _marked(events, time)
        launched = intersect(time, already_launched(device, events, LAUNCH_BURST_NS)).total_ns
    names = _reason(events, rows, time, account)
    return IdleAccount(
        account, _longest(device, time), len(time), names, dict(seen), launched, long, ns_by_mark=marked
    )


def _before_first_runs(host: HostTrace, device: DeviceTrace) -> Intervals:
    """The pauses of a GPU in which the host starts up, or prepares to launch a kernel for the first time."""
    kernels = np.flatnonzero(device.is_kernel())
    begin = np.append(device.start_ns[:1], np.maximum.accumulate(device.end_ns[kernels]))[:-1]
    end = np.maximum(begin, device.start_ns[kernels])
    new = covered_within(starting(host), begin, end) > 0
    new[Groups(device.name[kernels]).first] = True
    return subtract(union(begin[new], end[new]), already_launched(device, host.events, LAUNCH_BURST_NS))


def _longest(device: DeviceTrace, time: Intervals) -> tuple[int, str, str]:
    """The longest stretch: ns, the op (else the kernel) before it, and after it; "" if there is none."""
    at = int(np.argmax(time.end_ns - time.begin_ns))
    begin, end = time.begin_ns[at], time.end_ns[at]
    kernels = np.flatnonzero(device.is_kernel())
    first, last = searchsorted(device.start_ns[kernels], np.array([begin, end]))
    earlier, later = kernels[:first], kernels[last:]
    before = _work(device, earlier[np.argmax(device.end_ns[earlier])]) if len(earlier) else ""
    return int(end - begin), before, _work(device, later[0]) if len(later) else ""


def _work(device: DeviceTrace, kernel: int) -> str:
    """What a kernel works for: its op, else its name."""
    op = device.op[kernel]
    return title(device.ops[op]) if op >= 0 else plain_kernel(device.names[device.name[kernel]])


def _not_ahead(steps: HostSteps) -> Intervals:
    """The only step of a capture, and the one after a warm-up step: nothing was launched ahead of them."""
    first = np.append(len(steps) == 1, steps.warm_up)[:-1]
    return Intervals(steps.begin_ns[first], steps.end_ns[first])


def finish(found: Idle, ledger: Ledger, between: BetweenSteps) -> Idle:
    """The idle accounts of an average step."""
    average, windows, accounts = ledger.average(), ledger.windows, dict[str, IdleAccount]()
    for account in (a for a in IDLE if average[a]):
        ns, mean = average[account], averaged(found.by_account[account], windows)
        named = between.named if account == "idle.between_steps" else Counter(mean.ns_by_cause).most_common(1)
        cause, covered = named[0] if named and ns >= SHOWN_RATIO * ledger.step_ns else (None, 0)
        if covered < NAMED_RATIO * ns:
            cause, covered = None, 0
        accounts[account] = replace(
            mean,
            ns=ns,
            cause=cause,
            covered_ns=min(covered, ns),
            launched_ns=min(mean.launched_ns, ns),
            first_ns=min(mean.first_ns, ns),
            long_ns=min(mean.long_ns, ns),
        )
    return replace(averaged(found, windows), by_account=accounts)


def _candidates(source: HostTrace, host: HostLedger, account: str) -> Ints:
    """Rows of events that may be the reason for an account: on the threads that the account is about."""
    events = source.events
    if account == "idle.host_op":
        return np.flatnonzero(host_ops(events))
    if account == "idle.launch":
        return np.flatnonzero(step_ops(events) & events.above_launches)
    if account == "idle.dispatch":
        return _graph_builds(events, host.steps)
    if account not in _ROLES:
        return np.empty(0, np.int64)
    found = among(events.role, *_ROLES[account])
    if account == "idle.unknown":
        found &= _launching_threads(source, host)[events.thread] if len(events.threads) else False
        found &= ~events.named(_is_wrapper) & (events.step_num < 0)
    return np.flatnonzero(found)


def _graph_builds(events: HostEvents, steps: HostSteps) -> Ints:
    """Rows of calls that build or destroy CUDA graphs; none unless most steps build some."""
    rows = np.flatnonzero(events.named(_BUILDS_GRAPH.match))
    with_some = len(unique(steps.judged_at(events.start_ns[rows])[1]))
    return rows if with_some > _EACH_RATIO * steps.judged.sum() and with_some > 1 else rows[:0]


def _launching_threads(source: HostTrace, host: HostLedger) -> Bools:
    """Threads that launch for a GPU, those that give them work, and the one that marks steps."""
    events = source.events
    threads: Bools = events.launching_threads().copy()
    producer = events.producer[threads[events.thread]]
    threads[events.thread[producer[producer >= 0]]] = True
    if host.steps.marker_thread >= 0:
        threads[host.steps.marker_thread] = True
    return np.asarray(threads & ~events.threads_named("tf_data"))


def _is_wrapper(name: str) -> bool:
    """Whether an event of this name encloses or accompanies everything and so explains nothing."""
    return name in WRAPPERS or name.startswith(("Executor", "ThreadpoolListener", "Eager", "KernelAndDevice"))


def _reason(events: HostEvents, rows: Ints, time: Intervals, account: str) -> dict[str, int]:
    """The name of the event that covers most of the idle time, with the time that it covers.

    An event that goes on while the GPU works does not explain idle time, unless it is a call that waits.
    """
    covered = covered_within(time, events.start_ns[rows], events.end_ns[rows])
    keep = covered > 0
    if account == "idle.unknown":
        keep &= covered >= NAMED_RATIO * (events.end_ns[rows] - events.start_ns[rows])
    rows, covered = rows[keep], covered[keep]
    if not len(rows):
        return {}
    found = Described(rows, events.name[rows], events.names)
    if account in ("idle.sync", "idle.host_op"):
        found = described(events, rows)
    best = int(np.argmax(np.bincount(found.code, weights=covered)))
    # A call that waits is part of its op, which owns the time until the next launch as well.
    return {found.texts[best]: intersect(time, events.spans(found.carrier[found.code == best])).total_ns}


def _next_ops(
    seen: Counter[str], events: HostEvents, device: DeviceTrace, time: Intervals, builds: Intervals
) -> None:
    """Adds the time in calls of the step's function, and before kernels by their op.

    ``builds``: the time in which CUDA graphs are captured and built.
    """
    if len(building := intersect(time, builds)):
        seen[BUILDS_GRAPH] += building.total_ns
        time = subtract(time, building)
    calling = intersect(time, on_the_way(events))
    if len(calling):
        seen[IN_CALL] += calling.total_ns
        time = subtract(time, calling)
    seen.update(_before(device, time))
    if not seen:  # the collector does not record the kernels' ops
        for (name, _), ns in _outermost(events, events.role == HostRole.DISPATCH, time).items():
            seen[f"in {name}"] += ns


def _marked(events: HostEvents, time: Intervals) -> dict[str, int]:
    """Mark of the program → part of the time in it and in none inside it."""
    rows = np.flatnonzero(_marks(events))
    own = np.zeros(len(events.start_ns), np.int64)
    own[rows] = covered_within(time, events.start_ns[rows], events.end_ns[rows])
    outer = events.enclosing(rows, _marks(events))
    inside = outer >= 0
    np.subtract.at(own, outer[inside], own[rows[inside]])
    return _on_one_thread(events, rows, own[rows])


def _on_one_thread(events: HostEvents, rows: Ints, covered: Ints) -> dict[str, int]:
    """Name → sum of the time that its events cover, on the thread where that is longest."""
    pairs = Groups(events.name[rows], events.thread[rows])
    found = Counter[str]()
    for (name, _), ns in zip(pairs.keys.tolist(), pairs.sum(covered).tolist(), strict=True):
        found[events.names[name]] = max(found[events.names[name]], ns)
    return {name: ns for name, ns in found.items() if ns}


@memoized
def _marks(events: HostEvents) -> Bools:
    """Whether each event is a part of the step that a program of PyTorch marks and that launches."""
    return np.asarray(marks(events) & events.above_launches)


def _before(device: DeviceTrace, time: Intervals) -> dict[str, int]:
    """Op → part of the time that comes before a kernel of the op."""
    kernels = np.flatnonzero(device.is_kernel())
    at = searchsorted(device.start_ns[kernels], time.end_ns)
    known = at < len(kernels)
    op, length = device.op[kernels[at[known]]], (time.end_ns - time.begin_ns)[known]
    return {BEFORE + device.ops[code]: int(length[op == code].sum()) for code in unique(op[op >= 0]).tolist()}


def _events_during(seen: Counter[str], events: HostEvents, device: DeviceTrace, time: Intervals) -> None:
    """Adds for each event and thread how much of the time it covers, else the op of the next kernel.

    Events that last longer than the idle time explain nothing. Neither does a wait in which the GPU begins to
    work: the host then waits for the same as the GPU.
    """
    waits = _waits(events)
    begun = device.start_ns[device.is_kernel()]
    begins = searchsorted(begun, events.start_ns[waits]) < searchsorted(begun, events.end_ns[waits])
    says = _says(events) & ~events.marked(waits[begins])
    during = _outermost(events, says, time).items()
    seen.update({f"{name}{_ON}{thread}": ns for (name, thread), ns in during} or _before(device, time))


@memoized
def _waits(events: HostEvents) -> Ints:
    return np.flatnonzero(events.named(WAITS.search))


@memoized
def _says(events: HostEvents) -> Bools:
    """Events that may explain why a GPU is idle."""
    says = ~events.named(_is_wrapper) & (events.role != HostRole.MEMORY) & (events.step_num < 0)
    # What Python does on other threads, such as waiting for work, holds no launch up.
    python = np.flatnonzero(events.role == HostRole.PYTHON)
    says[python] &= events.launching_threads()[events.thread[python]]
    return np.asarray(says)


def _outermost(events: HostEvents, wanted: Bools, time: Intervals) -> dict[tuple[str, str], int]:
    """(name, thread) → time that the outermost wanted events of this name cover, for the pairs that cover
    most; events count if most of them lies in the time."""
    rows = near(time, events.start_ns, events.end_ns)
    rows = rows[wanted[rows]]
    begin, end = events.start_ns[rows], events.end_ns[rows]
    covered = covered_within(time, begin, end)
    enough = covered >= np.maximum(1, 0.5 * (end - begin))
    rows, covered = rows[enough], covered[enough]
    rows, covered = _functions(events, rows, covered)
    pairs = Groups(events.name[rows], events.thread[rows])
    # Broken events of one thread may overlap.
    sums = np.minimum(pairs.sum(covered), time.total_ns)
    most = np.argsort(-sums, kind="stable")[:SEEN_COUNT]
    return {
        (_up_to_call(events, rows[first], time), events.threads[events.thread[rows[first]]]): ns
        for first, ns in zip(pairs.first[most].tolist(), sums[most].tolist(), strict=True)
    }


def _up_to_call(events: HostEvents, row: int, time: Intervals) -> str:
    """The name of an event; if it is a function of Python, with that of its first call that launches, where
    the GPU idles before that call only.
    """
    name: str = events.names[events.name[row]]
    calls = np.flatnonzero((events.parent == row) & events.above_launches)
    if events.role[row] != HostRole.PYTHON or not len(calls):
        return name
    begin = events.start_ns[[row, row]]
    before, whole = covered_within(time, begin, np.array([events.start_ns[calls[0]], events.end_ns[row]]))
    return (
        f"{name}{BEFORE_CALL}{events.names[events.name[calls[0]]]}" if before >= NAMED_RATIO * whole else name
    )


def _functions(events: HostEvents, rows: Ints, covered: Ints) -> tuple[Ints, Ints]:
    """The outermost of the events ``rows``, and the time that each covers.

    In place of a function of Python the innermost function that it calls and that takes most of it, because
    the outermost ones only begin the program.
    """
    around = events.enclosing(rows, events.marked(rows))
    at = np.full(len(events.start_ns), -1, np.int64)
    at[rows] = np.arange(len(rows))
    inside = np.flatnonzero(around >= 0)
    inside = inside[np.argsort(covered[inside], kind="stable")]
    longest = np.full(len(rows), -1, np.int64)
    longest[at[around[inside]]] = inside  # of several the longest stays
    outer = np.flatnonzero(around < 0)
    while len(outer):
        inner = longest[outer]
        deeper = (inner >= 0) & (events.role[rows[outer]] == HostRole.PYTHON)
        deeper &= covered[inner] >= NAMED_RATIO * covered[outer]
        if not deeper.any():
            break
        outer = np.where(deeper, inner, outer)
    return rows[outer], covered[outer]


def _latency(gpu: GpuView, events: HostEvents) -> LaunchLatency | None:
    device, step = gpu.source, gpu.step
    rows = np.flatnonzero(device.is_kernel() & (device.launch >= 0) & (step >= 0))
    rows = rows[gpu.host.steps.judged[step[rows]]]
    if not len(rows):
        return None
    free = np.full(len(device.start_ns), EARLIEST)
    order = stable_order(device.stream)  # rows are sorted by start
    stream, end = device.stream[order], device.end_ns[order]
    follows = stream[1:] == stream[:-1]
    free[order[1:][follows]] = end[:-1][follows]
    called = events.start_ns[device.launch[rows]]
    waits = np.sort((device.start_ns[rows] - called)[free[rows] <= called])
    waits = waits[waits >= 0]
    if not len(waits):
        return None
    median, p95 = (int(waits[max(0, -(-len(waits) * p // 100) - 1)]) for p in (50, 95))
    return LaunchLatency(gpu.host.host, device.device, len(waits), median, p95)
