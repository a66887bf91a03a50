"""Finds why other GPUs wait for a GPU in a collective: the work of the GPU and of its host meanwhile."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import GpuView, View
from tfperf_plugin.analysis.artifacts.communication.balance import family_of, name_of, op_or_kernel
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.ledger import ACCOUNTS, IDLE, Ledger
from tfperf_plugin.analysis.step_functions import step_function_runs
from tfperf_plugin.arrays.columns import largest_of, median, unique, unique_inverse
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, covered_within, intersect, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents
from tfperf_plugin.trace.roles import HostRole

# A host is late if its GPU is idle for the first share of the delay; below the second share, the GPU works.
BY_HOST_RATIO = 0.5
WORKS_RATIO = 0.2
# Only calls count whose delay is at least this share of the GPU's longest delay in the step.
MOST_RATIO = 0.5
# An event names the host's activity if it covers the first share of the idle time, and at most the second
# share of a step: an event that encloses the whole step says nothing.
COVERED_RATIO = 0.8
WRAPPER_RATIO = 0.95
# An op makes a GPU late if it takes longer there than on other GPUs by this share of the delay.
OP_RATIO = 0.5
# That holds only if the op alone is longer. The relative excess of an op is its time on the late GPU over
# its shortest time on another GPU, less 1. The relative excess of all other ops of the late GPU must be below
# this share of the op's.
ALIKE_RATIO = 0.5
# Number of ops of each GPU, longest first, and of steps that are compared.
OPS_COUNT = 16
STEPS_COUNT = 64
_IDLE = [ACCOUNTS.index(account) for account in IDLE]


class OpTime(Record, frozen=True):
    """Kernel time of a family of ops on one GPU."""

    family: str  #: Name that the ops share, see ``family_of``.
    name: str  #: Name of the op with the family's longest kernel.
    kernel: str  #: Name of that kernel.
    ns: tuple[int, ...]  #: Time in each of ``GpuOps.steps``.
    place: Place  #: Place of the longest kernel.


class GpuOps(Record, frozen=True):
    """The longest ops of one GPU."""

    host: str
    device: str
    steps: tuple[int, ...]  #: Numbers of judged steps.
    #: For each of these steps the longest delay behind the first participant where the GPU arrives last.
    late_ns: tuple[int, ...]
    ops: tuple[OpTime, ...]


class LateOp(Record, frozen=True):
    """The op that makes GPUs late, by medians of the judged steps."""

    op: str
    kernel: str  #: Name of its kernel that takes longest.
    own_ns: int  #: Time on the GPU for which the other GPUs wait longest in the step.
    least_ns: int  #: Shortest time on the other GPUs.
    most_ns: int  #: Longest time on the other GPUs.
    place: Place  #: Place where it takes longest.


class LateGpu(Record, frozen=True):
    """One GPU in an average judged step."""

    host: str
    device: str
    #: Mean over steps of the longest delay behind the first participant, of collectives at which the GPU
    #: arrives last.
    late_ns: int
    #: How long the GPU is idle between the previous collective and this one, beyond the usual idle time of
    #: other GPUs, so that its host is late.
    idle_ns: int
    input_ns: int  #: Part of ``idle_ns`` in which it waits for a batch.
    #: Name of the event of the marking or launching thread during most of ``idle_ns``, "" if no one event
    #: covers enough.
    doing: str
    #: Places where other GPUs wait for it longest, from the first participant to this GPU.
    places: tuple[Place, ...] = ()

    @property
    def by_host(self) -> bool:
        """Whether the host is late: the GPU is idle for most of the delay."""
        return self.idle_ns >= BY_HOST_RATIO * self.late_ns > 0

    @property
    def works(self) -> bool:
        """Whether the GPU is at work for nearly all of the delay."""
        return self.idle_ns <= WORKS_RATIO * self.late_ns

    @property
    def by_input(self) -> bool:
        """Whether the host is late because it waits for a batch."""
        return self.by_host and self.input_ns >= COVERED_RATIO * self.idle_ns


class Lateness(Record, frozen=True):
    """All GPUs for which other GPUs wait, and the op that makes them late."""

    rows: tuple[LateGpu, ...] = ()
    #: Longest ops of every GPU of the run; empty once ``op`` is found among all hosts.
    ops: tuple[GpuOps, ...] = ()
    op: LateOp | None = None

    def of(self, host: str, device: str | None = None) -> LateGpu | None:
        """The row of one GPU or, without ``device``, of the host's GPU with the longest delay."""
        found = [r for r in self.rows if r.host == host and device in (None, r.device)]
        return max(found, key=lambda r: r.late_ns, default=None)


def part(view: View) -> Lateness:
    """The GPUs of one host."""
    ledger = view.ledger
    if ledger is None or not ledger.steps.judged.any():
        return Lateness()
    rows = (_row(view.trace.events, gpu) for gpu in view.gpus)
    ops = map(_ops, view.gpus)
    return Lateness(tuple(row for row in rows if row), tuple(ops) if ledger.calls.matched.any() else ())


def _ops(gpu: GpuView) -> GpuOps:
    """The ops of a GPU that take most time in judged steps, without names of replicas."""
    source, steps, step_of = gpu.source, gpu.host.steps, gpu.step
    judged = np.flatnonzero(steps.judged)[:STEPS_COUNT]
    column = np.full(len(steps), -1)
    column[judged] = np.arange(len(judged))
    rows = gpu.ledger.kernels[column[step_of[gpu.ledger.kernels]] >= 0]
    length = source.end_ns[rows] - source.start_ns[rows]
    key = op_or_kernel(source, rows)
    keys, at = unique_inverse(key)
    numbers: dict[str, int] = {}
    families = (family_of(name_of(source, k)) for k in keys.tolist())
    family = np.array([numbers.setdefault(f, len(numbers)) for f in families], np.int64)[at]
    sums = np.zeros((len(numbers), len(judged)), np.int64)
    np.add.at(sums, (family, column[step_of[rows]]), length)
    names, found = tuple(numbers), []
    for number in np.argsort(-sums.sum(axis=1), kind="stable")[:OPS_COUNT].tolist():
        mine = np.flatnonzero(family == number)
        most = mine[length[mine].argmax()]
        name = title(name_of(source, int(key[most])))
        kernel = source.names[source.name[rows[most]]]
        place = gpu.place(int(rows[most]))
        found.append(OpTime(names[number], name, kernel, tuple(sums[number].tolist()), place))
    _, longest = _longest(gpu)
    return GpuOps(
        gpu.host.host, source.device, tuple(steps.number[judged].tolist()), tuple(longest[judged].tolist()),
        tuple(found),
    )  # fmt: skip


def _longest(gpu: GpuView) -> tuple[Bools, Ints]:
    """The calls of judged steps in which the GPU comes last, as flags; and its longest delay in each step."""
    calls, steps = gpu.host.calls, gpu.host.steps
    keep = (calls.device == gpu.ledger.index) & calls.matched & (calls.wait_ns == 0)
    keep &= calls.within(steps.judged)
    late = (calls.start_ns - calls.first_ns)[keep]
    return keep, largest_of(calls.step[keep], late, len(steps), absent=0)


def _row(events: HostEvents, gpu: GpuView) -> LateGpu | None:
    calls, steps, device = gpu.host.calls, gpu.host.steps, gpu.source.device
    keep, longest = _longest(gpu)
    if not keep.any():
        return None
    late = calls.start_ns - calls.first_ns
    # A delay that is small for its step is scatter, or the rest of an earlier delay.
    most = np.flatnonzero(keep & (late > 0) & (late >= MOST_RATIO * longest[np.maximum(calls.step, 0)]))
    way = union(_since(gpu)[most], calls.start_ns[most])
    idle = intersect(way, gpu.judged_time(*IDLE))
    waits = intersect(way, gpu.judged_time("idle.input"))
    judged_ns = int((steps.end_ns - steps.begin_ns)[steps.judged].sum())
    name = _doing(events, gpu, idle, judged_ns)
    count = int(steps.judged.sum())
    places = steps.places("", calls.first_ns[most], calls.start_ns[most], device, calls.step[most])
    return LateGpu(
        gpu.host.host, device, int(longest.sum()) // count, idle.total_ns // count,
        waits.total_ns // count, name, places.all(),
    )  # fmt: skip


def _since(gpu: GpuView) -> Ints:
    """For each row of the host's collectives the moment when the GPU had finished the earlier ones, but not
    before the start of the step."""
    calls = gpu.host.calls
    since = gpu.host.steps.begin_ns[np.maximum(calls.step, 0)]
    mine = np.flatnonzero(calls.device == gpu.ledger.index)  # sorted by start
    through = np.maximum.accumulate(calls.end_ns[mine])[:-1]
    since[mine[1:]] = np.maximum(since[mine[1:]], through)
    return np.minimum(since, calls.start_ns)


def finish(found: Lateness, ledger: Ledger) -> Lateness:
    """The lateness on all hosts; only idle time beyond the median of the other GPUs counts."""
    idle = {
        (host.host, device.device): int(device.sums_ns[ledger.common(host)][:, _IDLE].sum(axis=1).mean())
        for host in ledger.hosts
        for device in host.devices
    }
    rows = []
    for row in found.rows:
        own = idle.get((row.host, row.device), 0)
        others = [ns for key, ns in idle.items() if key != (row.host, row.device)]
        beyond = max(0, own - int(median(others))) if others else 0
        rows.append(replace(row, idle_ns=min(row.idle_ns, beyond), input_ns=min(row.input_ns, beyond)))
    return Lateness(tuple(rows), op=_late_op(found.ops, ledger))


def _late_op(gpus: tuple[GpuOps, ...], ledger: Ledger) -> LateOp | None:
    """The op that takes longer on the GPU that comes last than on another GPU by most of the delay.

    Which GPU comes last may change from step to step. The first GPU to arrive is not necessarily the one on
    which the op is shortest, so the difference is an upper bound for the effect of the op.
    """
    shift = {host.host: host.clock.step_shift for host in ledger.hosts}
    numbers = sorted(set.intersection(*({n + shift[g.host] for n in g.steps} for g in gpus))) if gpus else []
    names = tuple(dict.fromkeys(o.family for g in gpus for o in g.ops))
    if len(gpus) < 2 or not numbers or not names:
        return None
    columns = [[g.steps.index(n - shift[g.host]) for n in numbers] for g in gpus]
    late = np.array([np.array(g.late_ns)[c] for g, c in zip(gpus, columns, strict=True)])
    last, every = late.argmax(axis=0), np.arange(len(numbers))
    times = np.zeros((len(names), *late.shape), np.int64)
    for index, (g, c) in enumerate(zip(gpus, columns, strict=True)):
        for o in g.ops:
            times[names.index(o.family), index] = np.array(o.ns)[c]
    own = times[:, last, every]
    others = times.copy()
    others[:, last, every] = np.iinfo(np.int64).max
    first = others.argmin(axis=1)
    least = others.min(axis=1)
    others[:, last, every] = -1
    rest_own = times.sum(axis=0)[last, every] - own
    rest_least = np.take_along_axis(times.sum(axis=0)[None], first[:, None], axis=1)[:, 0] - least
    longer = np.median(own - least, axis=1)
    # If a GPU has more data, or a slower clock, its other ops take longer, too.
    alone = (rest_own - rest_least) * least < ALIKE_RATIO * (own - least) * rest_least
    longer[~(np.median(alone, axis=1) > 0)] = 0
    best = int(longer.argmax())
    if longer[best] < OP_RATIO * max(1, median(late.max(axis=0))):
        return None
    longest = max((o for g in gpus for o in g.ops if o.family == names[best]), key=lambda o: max(o.ns))
    most = others.max(axis=1)
    own_ns, least_ns, most_ns = (int(np.median(ns[best])) for ns in (own, least, most))
    return LateOp(longest.name, longest.kernel, own_ns, least_ns, most_ns, longest.place)


def _doing(events: HostEvents, gpu: GpuView, idle: Intervals, judged_ns: int) -> str:
    """The name of the most specific event that covers most of the ``idle`` time on a thread that matters."""
    best, name = int(WRAPPER_RATIO * judged_ns), ""
    if not idle.total_ns:
        return ""
    for thread in _threads(events, gpu):
        rows = _candidates(events, thread, idle)
        for code in unique(events.name[rows]).tolist():
            mine = rows[events.name[rows] == code]
            spans = events.spans(mine)
            covered = intersect(spans, idle).total_ns
            if covered >= COVERED_RATIO * idle.total_ns and spans.total_ns < best:
                best, name = spans.total_ns, events.names[code]
    return name


def _threads(events: HostEvents, gpu: GpuView) -> list[int]:
    """The thread that marks steps, and the one that launches most for the GPU."""
    launch = gpu.source.launch[gpu.ledger.kernels]
    launch = launch[launch >= 0]
    marks = [thread for thread in [gpu.host.steps.marker_thread] if thread >= 0]
    if not len(launch):
        return marks
    return list(dict.fromkeys([*marks, int(np.bincount(events.thread[launch]).argmax())]))


def _candidates(events: HostEvents, thread: int, idle: Intervals) -> Ints:
    """Events of a thread in the ``idle`` time, without step markers, functions and executors."""
    said = (events.thread == thread) & (events.step_num < 0) & ~events.function_call
    said &= (events.role != HostRole.EXECUTOR) & (events.role != HostRole.FUNCTION_RUN)
    said[step_function_runs(events)] = False
    rows = np.flatnonzero(said)
    return rows[covered_within(idle, events.start_ns[rows], events.end_ns[rows]) > 0]
