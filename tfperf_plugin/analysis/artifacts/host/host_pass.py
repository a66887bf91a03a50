"""The activity of the host while a GPU works: whether it works on a step, too, or waits for the GPU."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import GpuView, PerStep, View, averaged, merged_all
from tfperf_plugin.analysis.host_activity import executing, step_ops
from tfperf_plugin.analysis.launches import LAUNCH_BURST_NS, launch_bursts, launching_ops
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import EARLIEST, LATEST, unique
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Intervals,
    Ints,
    contains,
    distinct,
    intersect,
    merge,
    searchsorted,
    subtract,
    union,
)
from tfperf_plugin.records import Record
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import DeviceTrace, HostEvents, HostTrace, among
from tfperf_plugin.trace.roles import HostRole, Role

# CUDA queues about a thousand launches (1,024); the next call waits until a kernel has ended.
_QUEUE_COUNT: Final = 1_000
_WORK: Final = ("compute", "communication.transfer", "communication.wait")


class HostPass(Record, frozen=True):
    """Times of a step in which the host does not work on a step, or waits for a GPU."""

    #: Time in which a GPU computes or communicates while the host does not work on a step: shorter kernels
    #: can shorten the step by at most this time.
    spare_ns: PerStep
    #: Part of ``spare_ns`` in which a call of the step's function is open, nothing is recorded in it, and the
    #: GPU is not done when the call ends: whether the host works there is not known.
    open_ns: PerStep
    #: Part of ``spare_ns`` between the first and last event of a thread that launches for PyTorch, outside
    #: its waits: Python, which leaves no events, may run there.
    unrecorded_ns: PerStep
    awaited_ns: PerStep  #: Time in which the host waits for the GPU in a call.


def part(view: View) -> HostPass | None:
    """Times summed over the judged steps and GPUs of one host."""
    return merged_all(_of_gpu(view.trace, gpu) for gpu in view.gpus)


def finish(found: HostPass, ledger: Ledger) -> HostPass:
    """Times of an average step and GPU."""
    return averaged(found, ledger.windows)


def _of_gpu(host: HostTrace, gpu: GpuView) -> HostPass:
    busy = gpu.judged_time(*_WORK)
    work, silent, unrecorded = _working(host, gpu.source)
    spare = subtract(busy, work)
    return HostPass(
        spare.total_ns,
        intersect(spare, silent).total_ns,
        intersect(spare, unrecorded).total_ns,
        intersect(busy, host.events.spans(host.events.role == HostRole.SYNC)).total_ns,
    )


def _working(host: HostTrace, device: DeviceTrace) -> tuple[Intervals, Intervals, Intervals]:
    """Three times without the waits for GPUs: the host begins calls of a step's function, runs their ops or
    launches; a call is open without any of these; a thread of PyTorch may run what leaves no events."""
    events = host.events
    launch = distinct(device.launch[device.is_kernel() & (device.launch >= 0)])
    if not len(launch):
        return EMPTY, EMPTY, EMPTY
    active = merge(
        executing(events),
        launch_bursts(events, distinct(device.launch[device.launch >= 0])),
        events.spans(step_ops(events)),
    )
    calls = np.flatnonzero(events.function_call)
    begin, end = events.start_ns[calls], events.end_ns[calls]
    first = np.append(active.begin_ns, np.iinfo(np.int64).max)[searchsorted(active.begin_ns, begin)]
    active = merge(active, union(begin, np.minimum(first, end)))
    quiet = subtract(union(begin, end), active)
    waits = merge(_waiting(device, events), _reading(host, quiet))
    silent = _not_drained(device, quiet)
    unrecorded = subtract(_of_pytorch(events, launch), silent)
    return subtract(active, waits), subtract(silent, waits), subtract(unrecorded, waits)


def _of_pytorch(events: HostEvents, launch: Ints) -> Intervals:
    """From the first to the last event of each thread that launches, if ops of PyTorch do."""
    if not launching_ops(events).any():
        return EMPTY
    threads, (begin, end) = unique(events.thread[launch]), _spans(events)
    return union(begin[threads], end[threads])


@memoized
def _spans(events: HostEvents) -> tuple[Ints, Ints]:
    """Where the events of each thread begin and end; several GPUs ask for it."""
    begin, end = np.full(len(events.threads), LATEST), np.full(len(events.threads), EARLIEST)
    np.minimum.at(begin, events.thread, events.start_ns)
    np.maximum.at(end, events.thread, events.end_ns)
    return begin, end


def _not_drained(device: DeviceTrace, quiet: Intervals) -> Intervals:
    """Quiet stretches that did not end because the GPU was done: it works on, or was done long before."""
    busy = device.busy(Role.KERNEL)
    done = np.append(np.iinfo(np.int64).min, busy.end_ns)[searchsorted(busy.end_ns, quiet.end_ns, "right")]
    keep = contains(busy, quiet.end_ns) | (quiet.end_ns - done > LAUNCH_BURST_NS)
    return union(quiet.begin_ns[keep], quiet.end_ns[keep])


def _waiting(device: DeviceTrace, events: HostEvents) -> Intervals:
    """The time in which the host waits for the GPU: in calls, in long copies, and for a full queue."""
    rows = np.flatnonzero(device.launch >= 0)
    rows = rows[np.argsort(events.start_ns[device.launch[rows]], kind="stable")]
    begin, end = events.start_ns[device.launch[rows]], events.end_ns[device.launch[rows]]
    done = np.sort(device.end_ns[rows], kind="stable")  # the fastest way, as most are in order
    pending = np.arange(1, len(rows) + 1) - searchsorted(done, end, "right")
    stuck = (pending >= _QUEUE_COUNT) | (
        among(device.role[rows], Role.H2D, Role.D2H) & (end - begin > LAUNCH_BURST_NS)
    )
    return merge(events.spans(events.role == HostRole.SYNC), union(begin[stuck], end[stuck]))


def _reading(host: HostTrace, quiet: Intervals) -> Intervals:
    """The part of each quiet stretch up to the last result from a GPU, which the host's next work needs.

    ``quiet``: stretches in which a call launches nothing and runs no executor.
    """
    ends = [d.end_ns[among(d.role, Role.D2H, Role.D2D)] for d in host.devices]
    arrived = np.sort(np.concatenate([np.array([np.iinfo(np.int64).min]), *ends]))
    last = arrived[searchsorted(arrived, quiet.end_ns, "right") - 1]
    found = last > quiet.begin_ns
    return union(quiet.begin_ns[found], last[found])
