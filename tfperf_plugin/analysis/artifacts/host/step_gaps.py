"""The activity of the host between steps, and while a GPU was idle there, as far as events show it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import (
    Largest,
    PerStep,
    PerStepByName,
    View,
    averaged,
    longest_first,
)
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.host_activity import (
    between_steps,
    compiled_on_cpu,
    input_waits,
    pauses,
    step_body,
)
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.startup import tracing_or_compiling
from tfperf_plugin.analysis.step_functions import EAGER_OP
from tfperf_plugin.arrays.columns import sums_by_name
from tfperf_plugin.arrays.intervals import (
    Intervals,
    covered_within,
    intersect,
    merge,
    searchsorted,
    subtract,
    union,
)
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents

# If more of their time than this lies outside of steps, the host hands them over: a gap says nothing.
AHEAD_RATIO = 0.5
# Layers that every eager op passes through: they show how Python calls, not what it does.
WRAPPERS = frozenset({
    "EagerCopyToDevice", "EagerExecute", "EagerKernelExecute", "KernelAndDeviceFunc::Run",
    "TFE_DeleteTensorHandle", "TFE_Py_Execute", "TFE_Py_ExecuteCancelable", "TFE_Py_FastPathExecute_C",
    "ValidateInputTypeAndPlacement", "convert_to_tensor", "tf.constant",
})  # fmt: skip


class HostGaps(Record, frozen=True):
    """An average judged step of hosts that mark steps, whether or not a GPU was recorded."""

    steps_count: int
    step_ns: PerStep
    #: Part in which the host is outside the step's function and neither waits for a batch, traces, compiles
    #: nor runs an XLA program.
    gap_ns: PerStep
    ns_by_name: PerStepByName  #: Name → time of what the host does in the gaps.
    where: Places  #: The longest gaps.


class BetweenSteps(Record, frozen=True):
    """The activity of hosts between steps, and idle time of GPUs meanwhile."""

    host: HostGaps
    ns_by_name: dict[str, int]  #: What the host did → ns of ``idle.between_steps``.
    longest_ns: Largest  #: Longest time between two judged steps in which a GPU is idle.
    whole: bool  #: Whether some host with a GPU recorded a whole step, so that there may be a gap.

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """(what the host did, ns of ``idle.between_steps``), longest first."""
        return longest_first(self.ns_by_name)


def part(view: View) -> BetweenSteps:
    """The time between steps on one host, and the outermost events that ran while its GPUs were idle."""
    host, steps = _host_gaps(view), view.steps
    if view.ledger is None:
        return BetweenSteps(host, {}, 0, False)
    idle = [gpu.judged_time("idle.between_steps") for gpu in view.gpus]
    named = named_in(view.trace.events, steps.marker_thread, between_steps(steps), idle)
    longest = max(int((gap.end_ns - gap.begin_ns).max(initial=0)) for gap in idle)
    return BetweenSteps(host, named, longest, not steps.partial)


def finish(found: BetweenSteps, ledger: Ledger | None) -> BetweenSteps:
    """The time between steps in an average step of the run."""
    windows = ledger.windows if ledger else 1
    names = {name: ns // windows for name, ns in found.ns_by_name.items() if ns >= windows}
    return replace(found, host=averaged(found.host, found.host.steps_count), ns_by_name=names)


def _host_gaps(view: View) -> HostGaps:
    """One host's time between steps; nothing if it does not mark steps or runs far ahead of them."""
    events, steps = view.trace.events, view.steps
    # The host may have handed them over and gone on.
    computing = events.spans(compiled_on_cpu(events))
    late = subtract(computing, union(steps.begin_ns, steps.end_ns))
    if steps.marker_thread < 0 or late.total_ns > AHEAD_RATIO * computing.total_ns:
        return HostGaps(0, 0, 0, {}, Places())
    chosen = steps.judged
    judged = union(steps.begin_ns[chosen], steps.end_ns[chosen])
    busy = merge(step_body(events, steps), input_waits(events), tracing_or_compiling(events), computing)
    outside = subtract(judged, busy)
    names = named_in(events, steps.marker_thread, outside, [outside])
    places = steps.places("the host between steps", outside.begin_ns, outside.end_ns)
    return HostGaps(int(chosen.sum()), judged.total_ns, outside.total_ns, names, places)


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
    found = {name.removeprefix("$"): ns for name, ns in named.items() if name not in eager}
    if eager:
        most = max(eager, key=eager.__getitem__).removeprefix(EAGER_OP)
        # Python's short pauses between eager ops belong to them.
        is_eager = events.named(lambda name: name.startswith(EAGER_OP))[outermost]
        python = subtract(pauses(events, outermost[is_eager]), events.spans(outermost[~is_eager]))
        label = f"eager ops outside the step's function, most of all {most}"
        found[label] = sum(eager.values()) + sum(intersect(time, python).total_ns for time in idle)
    return found
