"""Calls that allocate or free memory, of a GPU or pinned memory of the host, while a GPU is idle.

A call delays the GPU for which its thread launches next. Such calls take the driver long, and some wait for
the GPU. A framework that pools memory makes them only while the pool grows or has to shrink.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import GpuView, Largest, View, merged_all
from tfperf_plugin.analysis.evidence import Place, Places
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import sums_by_name
from tfperf_plugin.arrays.intervals import Bools, Ints, covered_within, intersect, merge, searchsorted, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import HostEvents, HostTrace, among
from tfperf_plugin.trace.roles import HostRole, Role, allocates, frees, only_makes_tensor

# Accounts in which such a call may be the reason: the host works for the GPU, or no reason is known.
HELD_ACCOUNTS: Final = ("idle.launch", "idle.host_op", "idle.dispatch", "idle.unknown")

_LOADS_DRIVER: Final = re.compile(r"^cu(Init|ModuleGetLoadingMode|GetProcAddress)")


class Allocations(Record, frozen=True):
    """Idle time of GPUs inside calls that allocate or free memory, of an average step and GPU."""

    accounts: dict[str, int]  #: Account → ns of that time.
    calls: tuple[tuple[str, float], ...]  #: (name, number of calls that delay a GPU), most first.
    frees_ratio: float  #: Share of these calls that free.
    ops: tuple[tuple[str, int], ...]  #: (calling op, ns), longest first.
    #: (number of a judged step, ns of an average GPU), for all judged steps.
    by_step: tuple[tuple[int, int], ...]
    longest_ns: int  #: Longest stretch.
    where: tuple[Place, ...]


class Part(Record, frozen=True):
    """``Allocations`` summed over the judged steps of some GPUs."""

    account_ns: dict[str, int]
    calls: dict[str, int]
    op_ns: dict[str, int]
    step_ns: dict[int, int]
    gpus: dict[int, int]  #: Number of a step → number of GPUs that have it.
    longest_ns: Largest
    where: Places


class _Calls(Record, frozen=True):
    """Outermost calls that allocate or free memory, and the event that their thread launches next."""

    row: Ints  #: Row of the call.
    gpu: Ints  #: Index of the GPU of that event.
    launched: Ints  #: Row of that event on its GPU.

    def of(self, keep: Bools) -> _Calls:
        """The calls for which ``keep`` is true."""
        return _Calls(self.row[keep], self.gpu[keep], self.launched[keep])


def part(view: View) -> Part | None:
    """The calls on one host."""
    calls = _calls(view.trace) if view.ledger else None
    return merged_all(_of_gpu(gpu, view.trace.events, calls) for gpu in view.gpus if calls)


def finish(found: Part, ledger: Ledger) -> Allocations:
    """The calls of an average step and GPU."""
    windows = ledger.windows
    calls = Counter(found.calls).most_common()
    return Allocations(
        accounts={account: ns // windows for account, ns in found.account_ns.items()},
        calls=tuple((name, number / windows) for name, number in calls),
        frees_ratio=sum(n for name, n in calls if frees(name)) / max(1, sum(found.calls.values())),
        ops=tuple((name, ns // windows) for name, ns in Counter(found.op_ns).most_common()),
        by_step=tuple((n, found.step_ns[n] // gpus) for n, gpus in sorted(found.gpus.items())),
        longest_ns=found.longest_ns,
        where=found.where.all(),
    )


def _calls(source: HostTrace) -> _Calls:
    events = source.events
    is_call = events.named(allocates)
    row = np.flatnonzero(is_call)
    row = row[events.enclosing(row, is_call) < 0]
    row = row[~_sets_up(events, row)]
    if not len(row):
        return _Calls(row, row, row)
    work = [np.flatnonzero((d.launch >= 0) & (d.role != Role.NO_WORK)) for d in source.devices]
    launch = np.concatenate([d.launch[rows] for d, rows in zip(source.devices, work, strict=True)] or [row])
    order = np.argsort(launch, kind="stable")
    at = searchsorted(launch[order], row)  # rows are sorted by thread and start
    row, at = row[at < len(order)], order[at[at < len(order)]]
    same = events.thread[launch[at]] == events.thread[row]
    gpu = np.repeat(np.arange(len(work)), [len(rows) for rows in work])
    launched = np.concatenate(work or [row])
    return _Calls(row[same], gpu[at[same]], launched[at[same]])


def _sets_up(events: HostEvents, row: Ints) -> Bools:
    """Whether each of these calls belongs to the start of CUDA's runtime, of which each library may have its
    own: right after it loaded the driver, it makes the context by a call that frees nothing."""
    before = np.maximum(row - 1, 0)
    loads = events.named(_LOADS_DRIVER.match)[before] & (events.thread[before] == events.thread[row])
    return np.asarray(loads & events.named(frees)[row])


def _of_gpu(gpu: GpuView, events: HostEvents, calls: _Calls) -> Part:
    steps, device = gpu.host.steps, gpu.source
    calls = calls.of(calls.gpu == gpu.ledger.index)
    begin, end = events.start_ns[calls.row], events.end_ns[calls.row]
    spans = union(begin, end)
    accounts = HELD_ACCOUNTS if len(spans) else ()
    held = {account: intersect(gpu.judged_time(account), spans) for account in accounts}
    idle = merge(*held.values())
    covered = covered_within(idle, begin, end)
    calls, covered = calls.of(covered > 0), covered[covered > 0]
    judged = steps.judged
    step_ns, gpus = Counter[int](), Counter[int]()
    per_step = covered_within(idle, steps.begin_ns[judged], steps.end_ns[judged])
    for number, ns in zip(gpu.host.numbers[judged].tolist(), per_step.tolist(), strict=True):
        step_ns[number] += ns
        gpus[number] += 1
    asks = events.enclosing(calls.row, _asking(events))
    inside, op = asks >= 0, device.op[calls.launched]
    op_ns = sums_by_name(events.names, events.name[asks[inside]], covered[inside])
    op_ns.update(sums_by_name(device.ops, op[~inside & (op >= 0)], covered[~inside & (op >= 0)]))
    return Part(
        account_ns={account: time.total_ns for account, time in held.items() if len(time)},
        calls=dict(sums_by_name(events.names, events.name[calls.row], np.ones(len(covered), np.int64))),
        op_ns=dict(op_ns),
        step_ns=dict(step_ns),
        gpus=dict(gpus),
        longest_ns=int((idle.end_ns - idle.begin_ns).max(initial=0)),
        where=steps.places(
            "GPU idle while memory is allocated or freed", idle.begin_ns, idle.end_ns, device.device
        ),
    )


@memoized
def _asking(events: HostEvents) -> Bools:
    """Ops for which memory is requested, without the parts of them that only make a tensor."""
    return among(events.role, HostRole.OP, HostRole.DISPATCH) & ~events.named(only_makes_tensor)
