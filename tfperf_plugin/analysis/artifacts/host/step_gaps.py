"""The activity of the host between steps while a GPU was idle, as far as events show it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import Largest, View, longest_first
from tfperf_plugin.analysis.artifacts.host.step_body import pauses
from tfperf_plugin.analysis.host_activity import between_steps
from tfperf_plugin.analysis.ledger import ACCOUNTS, HostLedger, Ledger
from tfperf_plugin.analysis.step_functions import EAGER_OP
from tfperf_plugin.arrays.intervals import (
    Bools,
    Intervals,
    covered_within,
    intersect,
    searchsorted,
    subtract,
    union,
)
from tfperf_plugin.arrays.unique import sums_by_name
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents

# Layers that every eager op passes through: they show how Python calls, not what it does.
WRAPPERS = frozenset({
    "EagerCopyToDevice", "EagerExecute", "EagerKernelExecute", "KernelAndDeviceFunc::Run",
    "TFE_DeleteTensorHandle", "TFE_Py_Execute", "TFE_Py_ExecuteCancelable", "TFE_Py_FastPathExecute_C",
    "ValidateInputTypeAndPlacement", "convert_to_tensor", "tf.constant",
})  # fmt: skip


class BetweenSteps(Record, frozen=True):
    """Idle time of GPUs between steps."""

    #: Idle time per average step.
    idle_ns: int
    #: Longest gap between two judged steps.
    longest_ns: int
    #: (what the host did, ns of ``idle_ns``), longest first.
    named: tuple[tuple[str, int], ...]
    #: Whether only a part of a step was recorded, so that there is no gap.
    partial: bool = False


class Part(Record, frozen=True):
    """Sums over judged steps and GPUs of some hosts."""

    named: dict[str, int]
    longest_ns: Largest
    #: Whether some host recorded a whole step.
    whole: bool


def part(view: View) -> Part | None:
    """Idle time between steps on one host, and the outermost events that ran meanwhile."""
    if view.ledger is None:
        return None
    steps = view.ledger.steps
    idle = idle_between(view.ledger, steps.judged)
    named = named_in(view.trace.events, steps.marker_thread, between_steps(steps), idle)
    longest = max(int((gap.end_ns - gap.begin_ns).max(initial=0)) for gap in idle)
    return Part(named, longest, not view.steps.partial)


def finish(found: Part, ledger: Ledger) -> BetweenSteps:
    """Idle time between steps of an average step of the run."""
    windows = ledger.windows
    return BetweenSteps(
        ledger.average()["idle.between_steps"],
        found.longest_ns,
        longest_first({name: ns // windows for name, ns in found.named.items() if ns >= windows}),
        not found.whole,
    )


def idle_between(ledger: HostLedger, steps: Bools) -> list[Intervals]:
    """For each GPU of a host the time in which it is idle between steps, within ``steps``."""
    code, found = ACCOUNTS.index("idle.between_steps"), []
    for device in ledger.devices:
        keep = (device.segments.owner == code) & steps[device.segment_step]
        found.append(union(device.segments.begin_ns[keep], device.segments.end_ns[keep]))
    return found


def named_in(
    events: HostEvents, thread: int, outside: Intervals, idle: Sequence[Intervals]
) -> dict[str, int]:
    """Name of the outermost events of a thread in gaps between steps → ns of ``idle`` that they cover.

    All eager ops count as one, because one callback runs many different ones.
    """
    gap = searchsorted(outside.begin_ns, events.start_ns, "right") - 1
    inside = (
        (events.thread == thread)
        & (gap >= 0)
        & (events.end_ns <= outside.end_ns[np.maximum(gap, 0)] if len(outside) else False)
        & (events.end_ns > events.start_ns)
    )
    inside &= ~events.named(WRAPPERS.__contains__)
    outermost = np.flatnonzero(inside)
    outermost = outermost[events.enclosing(outermost, inside) < 0]
    begin, end = events.start_ns[outermost], events.end_ns[outermost]
    covered = np.sum([covered_within(time, begin, end) for time in idle], axis=0)
    named = sums_by_name(events.names, events.name[outermost], covered)
    eager = {name: ns for name, ns in named.items() if name.startswith(EAGER_OP)}
    found = {name: ns for name, ns in named.items() if name not in eager}
    if eager:
        most = max(eager, key=eager.__getitem__).removeprefix(EAGER_OP)
        # Python's short pauses between eager ops belong to them.
        is_eager = events.named(lambda name: name.startswith(EAGER_OP))[outermost]
        python = subtract(pauses(events, outermost[is_eager]), events.spans(outermost[~is_eager]))
        label = f"eager ops outside the step's function, most of all {most}"
        found[label] = sum(eager.values()) + sum(intersect(time, python).total_ns for time in idle)
    return found
