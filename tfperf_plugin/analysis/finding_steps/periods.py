"""Steps that recur without a mark: the period of the kernels, or without a GPU of the host's ops."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from tfperf_plugin.analysis.finding_steps.marks import PERIOD_RATIO, PERIOD_STEPS_COUNT, Marks
from tfperf_plugin.analysis.step_functions import EAGER_OP, JIT_CALL, on_busiest_thread
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import Ints, searchsorted
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole, Role

_OUTSIDE_RATIO: Final = 0.5
"""Kernels before and behind the recurring sequences, at most, as a share of all and of their time."""
_MOST_PIECES: Final = 256
"""The longest period that is tried, in sequences."""
# What an iteration of a loop has and a layer of a model has not: a backward pass, an update, a result that
# Python reads.
_ONCE_A_STEP: Final = re.compile(
    r"^autograd::engine::|^aten::(item|_local_scalar_dense|is_nonzero)$|"
    r"^EagerLocalExecute: (Resource\w*Apply|Assign(Sub|Add)VariableOp)"
)
# Layers that keep averages assign as well, so what recurs with it may be a layer.
_ASSIGNS: Final = EAGER_OP + "AssignVariableOp"
_PROGRAM: Final = re.compile(r"^ThunkExecutor::Execute( \(wait for completion\))?$")
_DISPATCHES: Final = re.compile(r"^\w*Executable::ExecuteHelper")
# These threads compute parts of a program for the thread that runs it.
_HELPERS: Final = "tf_XLAEigen"


def from_period(devices: Sequence[DeviceTrace]) -> Marks | None:
    """The period of the kernels: a sequence that recurs on all GPUs at the same time.

    At the same time means that the GPUs' periods never interleave, and mostly begin closer together than two
    periods follow each other. A single late start, as that of the first period, is an exception.
    """
    starts = [s for d in devices if d.participates and (s := _period_starts(d)) is not None]
    if not starts or len(starts) < sum(d.participates for d in devices):
        return None
    if len({len(s) for s in starts}) > 1:
        return None
    begin = np.min(np.stack(starts), axis=0)
    late = np.max(np.stack(starts), axis=0)
    together = late - begin < np.diff(begin).min()
    if together.mean() < PERIOD_RATIO or (late[:-1] >= begin[1:]).any():
        return None
    last = max(int(d.end_ns[d.is_kernel()].max()) for d in devices if d.participates)
    end = np.append(begin[1:], last)
    return Marks("period", np.arange(len(begin), dtype=np.int64), begin, end)


def _period_starts(device: DeviceTrace) -> Ints | None:
    """The starts of the recurring kernel sequence of a GPU; ``None`` if none recurs."""
    rows = np.flatnonzero(device.is_kernel())
    start_ns, copies_ns = device.start_ns[rows], device.start_ns[device.role == Role.H2D]
    first = recurring(device.name[rows], start_ns, device.end_ns[rows], copies_ns)
    return None if first is None else np.asarray(start_ns[first])


def recurring(name: Codes, start_ns: Ints, end_ns: Ints, copies_ns: Ints) -> Ints | None:
    """The rows with which a recurring sequence of events begins; ``None`` if none recurs.

    ``copies_ns``: when copies to the GPU start. The recording may begin or end inside a sequence, so that it
    holds up to one more of what comes several times in each.
    """
    length_ns = end_ns - start_ns
    kinds = Groups(name)
    names, counts = kinds.keys[:, 0], kinds.count
    time = kinds.sum(length_ns)
    for count in sorted(set(counts[counts >= PERIOD_STEPS_COUNT].tolist())):
        fitting = counts % count <= counts // count
        if time[fitting].sum() < PERIOD_RATIO * time.sum():
            continue
        if len(name) % count == 0 and (np.diff(name.reshape(count, -1), axis=0) == 0).all():
            return np.arange(0, len(name), len(name) // count)
        anchors = np.flatnonzero(np.isin(name, names[counts == count]))
        first = anchors[name[anchors] == name[anchors[0]]]
        if _mostly_outside(first, length_ns):
            continue
        begins = _whole_periods(name, first, start_ns, copies_ns)
        if len(begins) >= PERIOD_STEPS_COUNT:
            return begins
    return _repeated(name, int(np.gcd.reduce(counts)))


def _repeated(name: Codes, most: int) -> Ints | None:
    """The rows at which a sequence starts that makes up the whole recording; ``None`` if there is none.

    ``most``: how often it comes at most. Each kernel may come several times in it, as in layers that are all
    alike.
    """
    times = np.arange(most, PERIOD_STEPS_COUNT - 1, -1)
    for size in (len(name) // times[most % times == 0]).tolist():
        if (name[size:] == name[:-size]).all():
            return np.arange(0, len(name), size)
    return None


def _mostly_outside(first: Ints, length_ns: Ints) -> bool:
    """Whether more kernels, or longer ones, run before and behind sequences that begin with ``first``."""
    end = min(len(length_ns), int(first[-1] + np.diff(first).max()))
    inside = np.array([end - first[0], length_ns[first[0] : end].sum()])
    return bool((inside < (1 - _OUTSIDE_RATIO) * np.array([len(length_ns), length_ns.sum()])).any())


def _whole_periods(name: Codes, first: Ints, start_ns: Ints, copies_ns: Ints) -> Ints:
    """The rows among ``first`` at which a period begins; empty if none recurs.

    ``name``: of all kernels; ``first``: kernels of one name, each of which may begin a period; ``copies_ns``:
    when copies to the GPU start. A sequence that recurs inside a longer period is a layer of a model, not a
    step: every k-th one holds an update, a loss or an embedding, too. Where most sequences have a copy to the
    GPU of their own, which is their batch, they are steps nevertheless.
    """
    number = dict[bytes, int]()
    pieces = np.split(name, first)[1:]
    kind = np.array([number.setdefault(piece.tobytes(), len(number)) for piece in pieces])
    odd = kind != np.bincount(kind).argmax()
    sizes = np.arange(1, min(_MOST_PIECES, len(kind) // PERIOD_STEPS_COUNT) + 1)
    recurs = np.array([1 - odd.mean(), *((kind[k:] == kind[:-k]).mean() for k in sizes[1:].tolist())])
    fits = sizes[recurs >= PERIOD_RATIO]
    if not len(fits):
        return first[:0]
    size = int(fits[0])
    # Odd ones that come at any time differ from those that come ``k`` sequences later.
    longer = sizes[1:][recurs[1:] >= 1 - odd.mean() / 2]
    copies = np.diff(searchsorted(np.sort(copies_ns), start_ns[first]))
    batched = (copies > 0).mean() >= PERIOD_RATIO
    if odd.sum() >= PERIOD_STEPS_COUNT and len(longer) and not batched:
        size = int(longer[0])
    ends = np.flatnonzero(odd[:-1] & ~odd[1:]) + 1
    offset = int(np.bincount(ends % size).argmax()) if len(ends) else 0
    return first[offset::size]


def from_host_period(host: HostTrace) -> Marks | None:
    """The steps that recur on a thread of the host; None if nothing that recurs is one.

    The layers of a model recur, too. So a sequence of ops must read a result, update or run backward; calls
    of what JAX compiled are programs of their own.
    """
    events, (rows, first) = host.events, recurring_ops(host)
    if not len(first) or not _are_steps(events, rows[first[0] : first[1]]):
        return None
    begin, last = events.start_ns[rows[first]], int(events.end_ns[rows].max())
    number = np.arange(len(begin), dtype=np.int64)
    thread = int(events.thread[rows[0]])
    return Marks("host_period", number, begin, np.append(begin[1:], last), thread=thread)


@memoized
def recurring_ops(host: HostTrace) -> tuple[Ints, Ints]:
    """Rows of the outermost ops or calls on the thread with most of them, and where among them a sequence
    begins that recurs: nowhere if none does, or where a GPU worked."""
    events, none = host.events, np.empty(0, np.int64)
    ops = (events.role == HostRole.DISPATCH) | events.named(lambda name: name.startswith(EAGER_OP))
    rows = np.flatnonzero(ops)
    if not len(rows) or host.accelerators or any(device.participates for device in host.devices):
        return none, none
    rows = on_busiest_thread(events, rows[events.enclosing(rows, ops) < 0])
    first = recurring(events.name[rows], events.start_ns[rows], events.end_ns[rows], none)
    return rows, none if first is None else first


def _are_steps(events: HostEvents, sequence: Ints) -> bool:
    """Whether this sequence of ops and calls runs a program of JAX, or holds what happens once a step."""
    begin, end = events.start_ns[sequence[0]], events.end_ns[sequence[-1]]
    inside = (events.start_ns >= begin) & (events.end_ns <= end)
    names = {events.names[code] for code in np.unique(events.name[inside]).tolist()}
    return any(JIT_CALL.fullmatch(name) or _ONCE_A_STEP.match(name) for name in names)


def has_ends_of_steps(events: HostEvents) -> bool:
    """Whether weights are assigned, a backward pass runs or a result is read, however often."""
    return any(name == _ASSIGNS or _ONCE_A_STEP.match(name) for name in events.names)


def programs_until(events: HostEvents, marks: Marks) -> Ints | None:
    """For each step the end of the programs of XLA that it runs on the CPU; None if that is not recorded.

    A call of JAX returns before its program runs on another thread, so the n-th program to begin is that of
    the n-th call.
    """
    on_own = ~events.on_threads(_HELPERS)
    rows = np.flatnonzero(events.named(_PROGRAM.match) & on_own)
    calls = np.flatnonzero(events.named(_DISPATCHES.match))
    if not len(rows):
        return None
    waits = events.named(lambda name: name.endswith("(wait for completion)"))[rows]
    begins = rows[~waits]
    # Rows are sorted by thread and time: a wait follows the program that it waits for.
    end = np.maximum.reduceat(events.end_ns[rows], np.flatnonzero(~waits)) if not waits[0] else None
    if end is None or len(begins) != len(calls):
        return None
    order = np.argsort(events.start_ns[begins], kind="stable")
    step = searchsorted(marks.begin_ns, np.sort(events.start_ns[calls]), "right") - 1
    until = marks.begin_ns.copy()
    np.maximum.at(until, step[step >= 0], end[order][step >= 0])
    return np.asarray(until)
