"""The launches of work: ops of PyTorch, and bursts of calls that closely follow each other on one thread."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.arrays.columns import EARLIEST, LATEST
from tfperf_plugin.arrays.intervals import EMPTY, Bools, Intervals, Ints, merge, union
from tfperf_plugin.readers.times import CLOCKS_DIFFER_NS
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole, Role, is_of_pytorch

# Ops of PyTorch and of libraries for it, without what is around them; XLA's classes are capitalized.
_TORCH_OP: Final = re.compile(r"(?!autograd::|c10d::)[a-z_]\w*::")
# Calls of a driver or runtime that launch kernels, by their names alone.
LAUNCH_CALL: Final = re.compile(r"^(cu(da)?|hip)\w{0,20}Launch\w{0,20}Kernel|^(cu(da)?|hip)GraphLaunch$")
_CAPTURE_BEGINS: Final = re.compile(r"^(cu(da)?|hip)StreamBeginCapture")
_CAPTURE_ENDS: Final = re.compile(r"^(cu(da)?|hip)StreamEndCapture")
# Two launches of a thread that follow each other within this time belong to one burst of launches: the
# guide states 20-40 us of launch latency; scheduling an op in between takes about as long again.
# A launch older than this is no longer in flight: its kernel waits for something else.
LAUNCH_BURST_NS = 100_000
# From this share of its kernels on, a recording tells which call launched which kernel.
TOLD_RATIO: Final = 0.5
# Number of events that are processed together where each takes several temporary columns.
AT_ONCE_COUNT = 1 << 18


def launch_bursts(events: HostEvents, launch: Ints) -> Intervals:
    """The calls that make these launches (ascending rows), and the short pauses between them."""
    found = EMPTY
    for first in range(0, len(launch), AT_ONCE_COUNT):
        rows = launch[first : first + AT_ONCE_COUNT + 1]  # up to the first one of the next
        begin, end, thread = events.start_ns[rows], events.end_ns[rows], events.thread[rows]
        follows = (thread[1:] == thread[:-1]) & (begin[1:] - end[:-1] <= LAUNCH_BURST_NS)
        end[:-1][follows] = np.maximum(end[:-1], begin[1:])[follows]
        found = merge(found, union(begin, end))
    return found


@memoized
def launching_ops(events: HostEvents) -> Bools:
    """For each event whether it is an op of PyTorch, which launches its kernels itself."""
    return np.asarray((events.role == HostRole.DISPATCH) & events.named(_TORCH_OP.match))


def has_pytorch_kernels(host: HostTrace) -> bool:
    """Whether GPUs ran kernels of PyTorch itself, as in a recording without its ops."""
    names = {name for device in host.devices for name in device.names}
    return any(map(is_of_pytorch, names))


@memoized
def launch_calls(events: HostEvents) -> Bools:
    """For each event whether it is a call that launches a kernel."""
    return events.named(LAUNCH_CALL.search)


@memoized
def lost_launches(host: HostTrace) -> Bools:
    """For each event of the host whether it launches a kernel that the recording does not hold.

    CUPTI can lose the kernels of a stretch of time without a message. A call that CUDA only captures into a
    graph runs nothing yet, and what is launched last may still wait, behind a kernel as long as the longest,
    when the recording ends; so may all of that where clocks differ. Nothing counts as lost where kernels were
    not asked for, or where most of them do not tell their launch.
    """
    events = host.events
    lost: Bools = launch_calls(events).copy()
    known = [device.launch[device.is_kernel()] >= 0 for device in host.devices]
    told, count = sum(int(rows.sum()) for rows in known), sum(map(len, known))
    if "kernels of graphs" in host.lacks or told <= TOLD_RATIO * count:
        lost[:] = False
    for device in host.devices:
        lost[device.launch[device.launch >= 0]] = False
    if (rows := np.flatnonzero(lost)).size:
        lost[rows[_queued(host, rows) | _is_captured(events, rows)]] = False
    return lost


def _queued(host: HostTrace, rows: Ints) -> Bools:
    """Whether kernels of these calls may still wait when the recording ends: they are the last ones, and no
    call begins later than the last recorded kernel ends, and one as long as the longest after it.

    Copies to and from the host do not count: they overtake kernels, which wait for copies between GPUs. Where
    clocks differ, nothing says how late that is.
    """
    last_launch_ns, until_ns = LATEST, EARLIEST
    for device in filter(lambda device: device.participates, host.devices):
        work = np.flatnonzero(device.is_kernel() | (device.role == Role.D2D))
        start_ns, end_ns, launch = device.start_ns[work], device.end_ns[work], device.launch[work]
        called_ns = host.events.start_ns[launch[launch >= 0]]
        until_ns = max(until_ns, int(end_ns.max() + (end_ns - start_ns).max()) + CLOCKS_DIFFER_NS)
        last_launch_ns = min(last_launch_ns, int(called_ns.max()) if len(called_ns) else LATEST)
    begun_ns = host.events.start_ns[rows]
    until_ns = LATEST if "clocks" in host.lacks else until_ns
    return np.asarray((begun_ns > last_launch_ns) & (begun_ns < until_ns))


@memoized
def _capture_marks(events: HostEvents) -> tuple[Bools, Ints]:
    """For each event whether a capture into a graph begins with it, and the events that begin or end one."""
    begins, ends = events.named(_CAPTURE_BEGINS.search), events.named(_CAPTURE_ENDS.search)
    return begins, np.flatnonzero(begins | ends)


def captures(events: HostEvents) -> Intervals:
    """The time in which threads capture what they launch into a graph."""
    begins, marks = _capture_marks(events)
    first, then = marks[:-1], marks[1:]
    pairs = begins[first] & ~begins[then] & (events.thread[first] == events.thread[then])
    return union(events.start_ns[first[pairs]], events.end_ns[then[pairs]])


def _is_captured(events: HostEvents, rows: Ints) -> Bools:
    """Whether the thread of each of these calls captures its launches into a graph at that time."""
    begins, marks = _capture_marks(events)
    every = np.concatenate([marks, rows])
    order = np.lexsort((events.start_ns[every], events.thread[every]))
    every, place = every[order], np.arange(len(order))
    latest = np.maximum.accumulate(np.where(order < len(marks), place, -1))
    mark = every[np.maximum(latest, 0)]
    captured = np.empty(len(order), np.bool_)
    captured[order] = (latest >= 0) & begins[mark] & (events.thread[mark] == events.thread[every])
    return captured[len(marks) :]
