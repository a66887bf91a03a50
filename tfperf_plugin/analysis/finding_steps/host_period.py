"""Steps of a program on the CPU that marks none: the sequence of ops or calls that recurs on its thread."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.analysis.finding_steps.gpu_marks import recurring
from tfperf_plugin.analysis.finding_steps.marks import Marks
from tfperf_plugin.analysis.step_functions import EAGER_OP, JIT_CALL, on_busiest_thread
from tfperf_plugin.arrays.intervals import Ints, searchsorted
from tfperf_plugin.trace.memo import memoized
from tfperf_plugin.trace.model import HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole

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
