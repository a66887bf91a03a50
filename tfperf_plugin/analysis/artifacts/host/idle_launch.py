"""Late launches inside a step, their causes, and how much earlier the step could end without them.

A stall is a pause between two launches of one step for one GPU after which the GPU has nothing to do. Its
cause is the activity of the host in the pause; a pause without a known cause is no stall. One is dynamic loss
scaling: checks for finite values, and an optimizer in a branch.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal

import numpy as np
from msgspec import field
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import (
    First,
    GpuView,
    Largest,
    PerStep,
    PerStepByName,
    Rate,
    View,
    averaged,
    merged,
)
from tfperf_plugin.analysis.artifacts.host.launch_gaps import (
    COVERED_RATIO,
    LateLaunches,
    Launches,
    Work,
    between_waits,
    copies_of,
    find_launches,
    gained_ns,
    late_launches,
    on_shared_threads,
    read_back,
    silent_ns,
    syncs_before,
    tf_data_functions,
)
from tfperf_plugin.analysis.artifacts.memory.copies import exposed_ns
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.host_activity import ops_on_cpu
from tfperf_plugin.analysis.host_names import described
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import largest_of, map_codes, sums_by_name, unique
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, covered_within, intersect, merge, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, HostTrace
from tfperf_plugin.trace.roles import Role

Cause = Literal["loss_scaling", "host_op", "sync", "contention"]
CAUSES: Final[tuple[Cause, ...]] = ("loss_scaling", "host_op", "sync", "contention")
# Claims are taken from these accounts in this order.
_FIRST_OF: Final[Mapping[Cause, tuple[str, ...]]] = {
    "loss_scaling": ("idle.dispatch", "idle.unknown", "idle.sync", "idle.launch", "idle.host_op"),
    "host_op": ("idle.host_op", "idle.dispatch", "idle.unknown", "idle.launch", "idle.sync"),
    "sync": ("idle.sync", "idle.launch", "idle.dispatch", "idle.unknown"),
    "contention": ("idle.dispatch", "idle.unknown", "idle.launch"),
}
# In these accounts the pauses' own time is claimed first, because the accounts hold other delays, too.
_HELD: Final[Mapping[Cause, tuple[str, ...]]] = {"contention": _FIRST_OF["contention"]}
_COPY_ACCOUNT: Final = {Role.D2H: "copy.d2h", Role.H2D: "copy.h2d"}
NAMES_COUNT: Final = 3
# "cond_1/then/_10/cond_1/Adam/…": TensorFlow writes the branch of a conditional into the names of its ops.
_BRANCH: Final = re.compile(r"^(.*?(?:^|/)cond(?:_\d+)?/then/_\d+)/")
_OPTIMIZER: Final = re.compile(
    r"(?i)(^|/)((?=\w*adam)\w*|(sgd|momentum|rmsprop|adagrad|adadelta|adafactor|ftrl|lion|lamb|lars|\w*optimizer)"
    r"(_\d+)?)/"
)
_FINITE: Final = re.compile(r"(^|/)(IsFinite|is_finite)(_\d+)?(/|:|$)|:IsFinite$")
_ALL: Final = re.compile(r"(^|/)All(_\d+)?:All$")
# The answer to a check is one bool; TensorFlow may copy a flag or a count with it.
_ANSWER_BYTES: Final = 64


class Pauses(Record, frozen=True):
    """Pauses of one cause: sums over steps in a part, of an average step and GPU in the artifact."""

    gained_ns: PerStep = 0  #: How much earlier the step ends without them, as far as ``claims`` hold it.
    #: Account → ns of ``gained_ns``, with 0 for accounts that could hold some; in the artifact.
    claims: dict[str, int] = field(default_factory=dict)
    #: Account → ns of idle time that would vanish with the cause.
    covers: PerStepByName = field(default_factory=dict)
    idle_ns: PerStep = 0  #: Idle time of the GPU in the pauses themselves.
    longest_ns: Largest = 0
    per_step_count: Rate = 0
    steps_ratio: Rate = 0  #: Share of judged steps with a pause.
    left_out_ns: PerStep = 0  #: Part of ``idle_ns`` right after work that would not take place.
    #: What the host did → ns of ``idle_ns`` meanwhile.
    ns_by_name: PerStepByName = field(default_factory=dict)
    #: Account → time of work for the cause that nothing hides.
    spared: PerStepByName = field(default_factory=dict)
    #: Account → time of the pauses themselves, for accounts that are claimed first.
    held: PerStepByName = field(default_factory=dict)
    #: Time in which the batch is copied in the pauses: fetched ahead, it would be copied under compute.
    ahead_ns: PerStep = 0
    places: Places = field(default_factory=Places)  #: The longest pauses.

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """(what the host did, ns of ``idle_ns`` meanwhile), most first."""
        return tuple((name, ns) for name, ns in Counter(self.ns_by_name).most_common(NAMES_COUNT) if ns)

    @property
    def cause(self) -> str | None:
        """What the host does during nearly all of the pauses; ``None`` if nothing covers enough."""
        return self.named[0][0] if self.named and self.named[0][1] >= COVERED_RATIO * self.idle_ns else None

    @property
    def reads(self) -> bool:
        """Whether most of the idle time comes after work that would not take place: copies to the host."""
        return 2 * self.left_out_ns > self.idle_ns

    @property
    def copies_ns(self) -> int:
        """Time of copies made for the cause that nothing hides."""
        return sum(ns for account, ns in self.spared.items() if account.startswith("copy."))


class Stalls(Record, frozen=True):
    """Late launches by cause."""

    by_cause: dict[Cause, Pauses]
    late: LateLaunches
    scaling: _LossScaling
    gpus_count: int  #: Number of participating GPUs.


def part(view: View) -> Stalls | None:
    """Late launches of judged steps on the participating GPUs of one host."""
    host = view.ledger
    if host is None:
        return None
    found, late = dict[Cause, Pauses](), LateLaunches()
    for gpu in view.gpus:
        if launches := find_launches(gpu, view.trace.events):
            of_gpu, late_here = _of_gpu(gpu, view.trace, launches)
            found, late = merged(found, of_gpu), merged(late, late_here)
    return Stalls(found, late, _scaling_of(view), len(host.devices))


def finish(found: Stalls, ledger: Ledger) -> Stalls:
    """Late launches of the average step."""
    windows, available = ledger.windows, ledger.average()
    sums = {cause: found.by_cause.get(cause, Pauses()) for cause in CAUSES}
    means = {cause: _claiming(averaged(total, windows), cause, available) for cause, total in sums.items()}
    return replace(found, by_cause=means)


def _claiming(pauses: Pauses, cause: Cause, available: Mapping[str, int]) -> Pauses:
    """The pauses with what they claim of the accounts that hold enough, in the order of claims."""
    left, claims = pauses.gained_ns, Counter[str]()
    limits = [*pauses.spared.items(), *pauses.held.items()]
    limits += [(a, available[a]) for a in _FIRST_OF[cause]] + [("copy.h2d", pauses.ahead_ns)]
    for account, most in limits:
        taken = max(0, min(left, most, available[account] - claims[account]))
        claims[account] += taken
        left -= taken
    return replace(pauses, gained_ns=pauses.gained_ns - left, claims=dict(claims))


def _of_gpu(gpu: GpuView, host: HostTrace, launches: Launches) -> tuple[dict[Cause, Pauses], LateLaunches]:
    """The pauses of one GPU by cause, and its late launches."""
    device, work, events = gpu.source, launches.work, host.events
    since, op_time = work.idle_since_ns, events.spans(ops_on_cpu(events))
    waited = (work.start_ns > since) & work.movable & (launches.pause_ns > launches.usual_ns)
    gap_ns = np.maximum(0, work.start_ns - since)
    excess = np.maximum(0, launches.pause_ns - launches.usual_ns)

    branch, checks = _first_in_branch(device, launches)
    scaled = branch & waited
    on_cpu = waited & ~scaled & (
        covered_within(op_time, since, work.start_ns) >= COVERED_RATIO * gap_ns
    )  # fmt: skip
    sync, blocked = syncs_before(events, launches)
    synced = waited & ~scaled & ~on_cpu & (sync >= 0) & _before_last_kernel(device, work)
    synced &= since >= events.start_ns[np.maximum(sync, 0)]
    found: dict[Cause, tuple[Bools, Ints, Bools, Counter[str]]] = {}
    if scaled.any():
        found["loss_scaling"] = scaled, excess, checks | _answers(device, launches, branch), Counter()
    if on_cpu.any():
        named = _ops_in(events, union(since[on_cpu], work.start_ns[on_cpu]))
        copies = copies_of(device, work, events)
        spent = merge(op_time, device.spans(work.row[copies]))
        earlier = covered_within(spent, launches.pause_begin_ns, launches.pause_end_ns)
        found["host_op"] = on_cpu, np.minimum(earlier, excess), copies, named
    if synced.any():
        calls = described(events, sync[synced])  # by the op around a synchronizing call, else by the call
        named = sums_by_name(calls.texts, calls.code, gap_ns[synced])
        left_out = read_back(device, launches, sync, synced)
        found["sync"] = synced, np.minimum(blocked, excess), left_out, named
    counts = LateLaunches()
    tf_data = events.spans(tf_data_functions(host))
    shared = on_shared_threads(events, gpu.host.steps.marker_thread)[work.launch]
    if len(tf_data) and shared.any():
        silent = silent_ns(events, launches)
        late = (silent >= LAUNCH_BURST_NS) & ~scaled & ~on_cpu & (sync < 0) & work.movable
        begin = np.maximum(since, launches.pause_begin_ns)
        while_tf_data = covered_within(tf_data, begin, np.maximum(begin, work.start_ns))
        contended = waited & late & shared & (while_tf_data >= COVERED_RATIO * gap_ns)
        if contended.any():
            named = Counter({"tf.data": int(while_tf_data[contended].sum())})
            found["contention"] = contended, np.minimum(excess, silent), contended & False, named
        counts = late_launches(launches, shared, host, late)
    return {cause: _pauses(gpu, events, launches, cause, *pauses) for cause, pauses in found.items()}, counts


def _before_last_kernel(device: DeviceTrace, work: Work) -> Bools:
    """Whether each event starts no later than its step's last kernel; later ones read results."""
    kernels = device.is_kernel()[work.row]
    last = largest_of(work.step[kernels], work.start_ns[kernels], int(work.step.max(initial=-1)) + 1)
    return np.asarray(work.start_ns <= last[work.step])


def _pauses(
    gpu: GpuView, events: HostEvents, launches: Launches, cause: Cause,
    rows: Bools, earlier_ns: Ints, left_out: Bools, named: Counter[str],
) -> Pauses:  # fmt: skip
    """The pauses before the launches ``rows`` of one GPU.

    ``earlier_ns``: by how much each launch would come earlier without the cause; ``left_out``: work that
    would not take place; ``named``: what the host did → time meanwhile.
    """
    device, work = gpu.source, launches.work
    shift = np.where(rows, earlier_ns, 0)
    shift[left_out & ~rows] += launches.pause_ns[left_out & ~rows]
    parts = between_waits(events, launches, rows)
    gained = gained_ns(parts.work, parts.summed(shift), left_out, int(parts.work.step.max(initial=-1)) + 1)
    begin, end = work.idle_since_ns[rows], work.start_ns[rows]
    follows = np.zeros(len(rows), np.bool_)
    follows[launches.order[1:]] = left_out[launches.order[:-1]]
    dropped, gaps = work.row[left_out], union(begin, end)
    kernels = dropped[device.role[dropped] == Role.KERNEL]
    spared = {
        account: exposed_ns(gpu, dropped[device.role[dropped] == role], role)
        for role, account in _COPY_ACCOUNT.items()
    }
    covers, left = dict[str, int](), earlier_ns[rows]
    for account in _FIRST_OF[cause]:
        taken = np.minimum(left, covered_within(gpu.judged_time(account), begin, end))
        covers[account] = int(taken.sum())
        left = left - taken

    def in_pauses(account: str) -> int:
        return intersect(gpu.judged_time(account), gaps).total_ns

    return Pauses(
        gained_ns=int(gained.sum()),
        covers=covers,
        idle_ns=int((end - begin).sum()),
        left_out_ns=int((end - begin)[follows[rows]].sum()),
        longest_ns=int((end - begin).max()),
        per_step_count=len(begin),
        steps_ratio=len(unique(work.step[rows])),
        ns_by_name=named,
        spared=spared | {"compute": int((device.end_ns[kernels] - device.start_ns[kernels]).sum())},
        held={account: in_pauses(account) for account in _HELD.get(cause, ())},
        ahead_ns=in_pauses("copy.h2d"),
        places=gpu.host.steps.places("Launch wait", begin, end, device.device, work.step[rows]),
    )


def _ops_in(events: HostEvents, gaps: Intervals) -> Counter[str]:
    """Op on the CPU → time in which it ran in the pauses."""
    ops = ops_on_cpu(events)
    time = covered_within(gaps, events.start_ns[ops], events.end_ns[ops])
    ops, time = ops[time > 0], time[time > 0]
    found = described(events, ops)
    return sums_by_name(found.texts, found.code, time)


class _LossScaling(Record, frozen=True):
    """Signs that the loss is scaled dynamically."""

    checked: bool = False  #: Whether any ops test whether values are finite.
    branch: First = ""  #: Name of an optimizer op in a conditional's branch, or "".
    kernels: bool = False  #: Whether kernels of that branch were recorded in judged steps.


def _branches_of(ops: Iterable[str]) -> frozenset[str]:
    """Branches of conditionals in which an optimizer runs, by the names of ``ops``."""
    inside = (op for op in ops if "/then/" in op)
    matches = ((match[1], op[match.end() - 1 :]) for op in inside if (match := _BRANCH.match(op)))
    return frozenset(
        branch for branch, rest in matches if ":ResourceApply" in rest or _OPTIMIZER.search(rest)
    )


def _first_in_branch(device: DeviceTrace, launches: Launches) -> tuple[Bools, Bools]:
    """For each event whether its step's optimizer branch begins with it, and whether it checks that values
    are finite."""
    work = launches.work
    none = np.zeros(len(work.row), np.bool_)
    branches = _branches_of(device.ops)
    if not branches:
        return none, none
    op, ops = device.op[work.row], device.ops
    checks = map_codes(op, ops, lambda op: bool(_FINITE.search(op) or _ALL.search(op)), False)
    inside = map_codes(op, ops, lambda op: bool((m := _BRANCH.match(op)) and m[1] in branches), False)
    first = none.copy()
    ordered = launches.order[inside[launches.order]]
    step = work.step[ordered]
    first[ordered[np.concatenate([[True], step[1:] != step[:-1]]) if len(step) else slice(0)]] = True
    return first, checks & ~inside


def _answers(device: DeviceTrace, launches: Launches, branch: Bools) -> Bools:
    """Small copies to the host launched last before the optimizer's branch: they bring the check's result."""
    found = np.zeros(len(branch), np.bool_)
    at = np.flatnonzero(branch[launches.order])
    before = launches.order[np.maximum(at - 1, 0)]
    row = launches.work.row[before]
    found[before[(device.role[row] == Role.D2H) & (device.copy_bytes[row] <= _ANSWER_BYTES)]] = True
    return found & ~branch


def _scaling_of(view: View) -> _LossScaling:
    """The signs of dynamic loss scaling in a host's recording."""
    names, ops = view.trace.events.names, [gpu.source.ops for gpu in view.gpus]
    checked = any(_FINITE.search(name) for texts in (*ops, names) for name in texts)
    recorded = next(filter(None, map(_branches_of, ops)), None)
    if recorded:
        return _LossScaling(checked, min(recorded), True)
    return _LossScaling(checked, min(_branches_of(names), key=lambda b: (len(b), b), default=""), False)
