"""Late launches inside a step, their causes, and how much earlier the step could end without them.

A stall is a pause between two launches of one step for one GPU after which the GPU has nothing to do. Its
cause is the activity of the host in the pause; a pause without a known cause is no stall.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal

import numpy as np
from msgspec import field

from tfperf_plugin.analysis.artifacts.by_host import GpuView, Largest, View, merged
from tfperf_plugin.analysis.artifacts.compute.loss_scaling import (
    LossScaling,
    answers,
    first_in_branch,
    scaling_of,
)
from tfperf_plugin.analysis.artifacts.host.launch_gaps import (
    COVERED_RATIO,
    LateLaunches,
    LaunchDelaySignals,
    Launches,
    Work,
    copies_of,
    find_launches,
    gained_ns,
    late_launches,
    read_back,
    silent_ns,
    syncs_before,
)
from tfperf_plugin.analysis.artifacts.memory.copies import exposed_ns
from tfperf_plugin.analysis.evidence import Place, Places
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, covered_within, intersect, union
from tfperf_plugin.arrays.unique import largest_of, sums_by_name, unique
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import DeviceTrace, among
from tfperf_plugin.trace.roles import HostRole, Role

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

# A function of Python with its file and line.
_LINE: Final = re.compile(r"\.py:\d")


class Pauses(Record, frozen=True):
    """Pauses of one cause, per average step and GPU."""

    #: How much earlier the step ends without them.
    gained_ns: int = 0
    #: Account → ns of ``gained_ns``, with 0 for accounts that could hold some.
    claims: Mapping[str, int] = field(default_factory=dict)
    #: Account → ns of idle time that would vanish with the cause.
    covers: Mapping[str, int] = field(default_factory=dict)
    #: Idle time of the GPU in the pauses themselves.
    idle_ns: int = 0
    #: Longest pause.
    longest_ns: int = 0
    per_step_count: float = 0.0
    #: Share of judged steps with a pause.
    steps_ratio: float = 0.0
    #: (what the host did, ns of ``idle_ns`` meanwhile), most first.
    named: tuple[tuple[str, int], ...] = ()
    #: Time of copies made for the cause that nothing hides.
    copies_ns: int = 0
    #: The longest pauses.
    where: tuple[Place, ...] = ()

    @property
    def cause(self) -> str | None:
        """What the host does during nearly all of the pauses; ``None`` if nothing covers enough."""
        return self.named[0][0] if self.named and self.named[0][1] >= COVERED_RATIO * self.idle_ns else None


class Stalls(Record, frozen=True):
    """Late launches by cause."""

    by_cause: Mapping[Cause, Pauses]
    late: LateLaunches
    scaling: LossScaling
    #: Number of participating GPUs.
    gpus_count: int


class Part(Record, frozen=True):
    """``Stalls`` summed over judged steps and GPUs of some hosts."""

    sums: dict[Cause, _Sum]
    late: LateLaunches
    scaling: LossScaling
    gpus_count: int


def part(view: View) -> Part | None:
    """Late launches of judged steps on the participating GPUs of one host."""
    host = view.ledger
    if host is None:
        return None
    seen, sums, late = LaunchDelaySignals.of(view.trace, host), dict[Cause, _Sum](), LateLaunches()
    for gpu in view.gpus:
        if launches := find_launches(gpu, seen):
            of_gpu, late_here = _of_gpu(gpu, seen, launches)
            sums, late = merged(sums, of_gpu), merged(late, late_here)
    return Part(sums, late, scaling_of(view), len(host.devices))


def finish(found: Part, ledger: Ledger) -> Stalls:
    """Late launches of the average step."""
    windows, available = ledger.windows, ledger.average()
    sums = {cause: found.sums.get(cause, _Sum()) for cause in CAUSES}
    return Stalls(
        {cause: total.finished(cause, windows, available) for cause, total in sums.items()},
        found.late,
        found.scaling,
        found.gpus_count,
    )


class _Sum(Record, frozen=True):
    """One cause on all GPUs so far; times are sums over steps."""

    gained: int = 0
    idle: int = 0
    longest: Largest = 0
    count: int = 0
    with_pause: int = 0
    ahead: int = 0
    spared: dict[str, int] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)
    #: Account → time of the pauses themselves, for accounts that are claimed first.
    held: dict[str, int] = field(default_factory=dict)
    #: Account → idle time in pauses that earlier launches would save.
    covered: dict[str, int] = field(default_factory=dict)
    where: Places = field(default_factory=Places)

    def finished(self, cause: Cause, windows: int, available: Mapping[str, int]) -> Pauses:
        gained = left = self.gained // windows
        claims: Counter[str] = Counter()
        limits = [(a, ns // windows) for a, ns in self.spared.items()]
        limits += [(a, ns // windows) for a, ns in self.held.items()]
        limits += [(a, available[a]) for a in _FIRST_OF[cause]] + [("copy.h2d", self.ahead // windows)]
        for account, most in limits:
            taken = max(0, min(left, most, available[account] - claims[account]))
            claims[account] += taken
            left -= taken
        spared = sum(ns // windows for a, ns in self.spared.items() if a.startswith("copy."))
        named = [(name, ns // windows) for name, ns in Counter(self.named).most_common(NAMES_COUNT)]
        return Pauses(
            gained_ns=gained - left,
            claims=dict(claims),
            covers={account: ns // windows for account, ns in self.covered.items()},
            idle_ns=self.idle // windows,
            longest_ns=self.longest,
            per_step_count=self.count / windows,
            steps_ratio=self.with_pause / windows,
            named=tuple((name, ns) for name, ns in named if ns),
            copies_ns=spared,
            where=self.where.all(),
        )


def _of_gpu(
    gpu: GpuView, seen: LaunchDelaySignals, launches: Launches
) -> tuple[dict[Cause, _Sum], LateLaunches]:
    """The pauses of one GPU by cause, and its late launches."""
    device, work = gpu.source, launches.work
    since = work.idle_since_ns
    waited = (work.start_ns > since) & work.movable & (launches.pause_ns > launches.usual_ns)
    gap_ns = np.maximum(0, work.start_ns - since)
    excess = np.maximum(0, launches.pause_ns - launches.usual_ns)

    branch, checks = first_in_branch(device, launches)
    scaled = branch & waited
    on_cpu = waited & ~scaled & (
        covered_within(seen.op_time, since, work.start_ns) >= COVERED_RATIO * gap_ns
    )  # fmt: skip
    sync, blocked = syncs_before(seen, launches)
    synced = waited & ~scaled & ~on_cpu & (sync >= 0) & _before_last_kernel(device, work)
    synced &= since >= seen.events.start_ns[np.maximum(sync, 0)]
    found: dict[Cause, tuple[Bools, Ints, Bools, Counter[str]]] = {}
    if scaled.any():
        found["loss_scaling"] = scaled, excess, checks | answers(device, launches, branch), Counter()
    if on_cpu.any():
        named = _ops_in(seen, union(since[on_cpu], work.start_ns[on_cpu]))
        found["host_op"] = on_cpu, excess, copies_of(device, work, seen), named
    if synced.any():
        named = _syncs(seen, sync[synced], gap_ns[synced])
        left_out = read_back(device, launches, sync, synced)
        found["sync"] = synced, np.minimum(blocked, excess), left_out, named
    counts = LateLaunches()
    shared = seen.shared[work.launch]
    if len(seen.tf_data) and shared.any():
        silent = silent_ns(seen, launches)
        late = (silent >= LAUNCH_BURST_NS) & ~scaled & ~on_cpu & (sync < 0) & work.movable
        begin = np.maximum(since, launches.pause_begin_ns)
        while_tf_data = covered_within(seen.tf_data, begin, np.maximum(begin, work.start_ns))
        contended = waited & late & shared & (while_tf_data >= COVERED_RATIO * gap_ns)
        if contended.any():
            named = Counter({"tf.data": int(while_tf_data[contended].sum())})
            found["contention"] = contended, np.minimum(excess, silent), contended & False, named
        counts = late_launches(launches, shared, seen, late)
    return {cause: _sum(gpu, launches, cause, *pauses) for cause, pauses in found.items()}, counts


def _before_last_kernel(device: DeviceTrace, work: Work) -> Bools:
    """Whether each event starts no later than its step's last kernel; later ones read results."""
    kernels = device.is_kernel()[work.row]
    last = largest_of(work.step[kernels], work.start_ns[kernels], int(work.step.max(initial=-1)) + 1)
    return np.asarray(work.start_ns <= last[work.step])


def _sum(
    gpu: GpuView, launches: Launches, cause: Cause,
    rows: Bools, earlier_ns: Ints, left_out: Bools, named: Counter[str],
) -> _Sum:  # fmt: skip
    """The pauses before the launches ``rows`` of one GPU.

    ``earlier_ns``: by how much each launch would come earlier without the cause; ``left_out``: work that
    would not take place; ``named``: what the host did → time meanwhile.
    """
    device, work = gpu.source, launches.work
    shift = np.where(rows, earlier_ns, 0)
    shift[left_out & ~rows] += launches.pause_ns[left_out & ~rows]
    gained = gained_ns(work, launches.summed(shift), left_out, len(gpu.host.steps))
    begin, end = work.idle_since_ns[rows], work.start_ns[rows]
    dropped, gaps = work.row[left_out], union(begin, end)
    kernels = dropped[device.role[dropped] == Role.KERNEL]
    spared = {
        account: exposed_ns(gpu, dropped[device.role[dropped] == role], role)
        for role, account in _COPY_ACCOUNT.items()
    }
    covered, left = dict[str, int](), earlier_ns[rows]
    for account in _FIRST_OF[cause]:
        taken = np.minimum(left, covered_within(gpu.judged_time(account), begin, end))
        covered[account] = int(taken.sum())
        left = left - taken

    def in_pauses(account: str) -> int:
        return intersect(gpu.judged_time(account), gaps).total_ns

    return _Sum(
        gained=int(gained.sum()),
        idle=int((end - begin).sum()),
        longest=int((end - begin).max()),
        count=len(begin),
        with_pause=len(unique(work.step[rows])),
        ahead=in_pauses("copy.h2d"),  # a batch that was fetched ahead would be copied under compute
        spared=spared | {"compute": int((device.end_ns[kernels] - device.start_ns[kernels]).sum())},
        named=named,
        held={account: in_pauses(account) for account in _HELD.get(cause, ())},
        covered=covered,
        where=gpu.host.steps.places("Launch wait", begin, end, device.device, work.step[rows]),
    )


def _ops_in(seen: LaunchDelaySignals, gaps: Intervals) -> Counter[str]:
    """Op on the CPU → time in which it ran in the pauses."""
    events = seen.events
    time = covered_within(gaps, events.start_ns[seen.ops], events.end_ns[seen.ops])
    return sums_by_name(events.names, events.name[seen.ops], time)


def _syncs(seen: LaunchDelaySignals, rows: Ints, gap_ns: Ints) -> Counter[str]:
    """Op around synchronizing calls, else the call → the pauses after them.

    Of PyTorch's ops the outermost one counts, such as aten::item, with the line of Python that calls it.
    """
    events = seen.events
    is_op = among(events.role, HostRole.OP, HostRole.PASSIVE_OP)
    of_torch = (events.role == HostRole.DISPATCH) & events.named(lambda name: name.startswith("aten::"))
    carrier = events.enclosing(rows, is_op | of_torch)
    known = np.flatnonzero(carrier >= 0)
    while len(known):
        above = events.enclosing(carrier[known], of_torch)
        known, above = known[above >= 0], above[above >= 0]
        carrier[known] = above
    row = np.where(carrier >= 0, carrier, rows)
    line = events.enclosing(row, (events.role == HostRole.PYTHON) & events.named(_LINE.search))
    pairs = Groups(events.name[row], np.where(line >= 0, events.name[line], -1))
    names = [
        events.names[name] + (f" at {events.names[code].lstrip('$')}" if code >= 0 else "")
        for name, code in pairs.keys.tolist()
    ]
    return sums_by_name(names, pairs.of_row, gap_ns)
