"""What the host did between steps while a GPU was idle, as far as events say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import Largest, View
from tfperf_plugin.analysis.artifacts.step_body import pauses
from tfperf_plugin.analysis.host_activity import between_steps
from tfperf_plugin.analysis.ledger import ACCOUNTS, HostLedger, Ledger
from tfperf_plugin.analysis.steps import EAGER_OP, enclosing
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Bools,
    Intervals,
    Ints,
    covered_within,
    intersect,
    searchsorted,
    subtract,
    union,
)
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents, HostTrace

# Layers that every eager op passes: they say how Python calls, not what it does.
WRAPPERS = frozenset(
    {
        "EagerCopyToDevice",
        "EagerExecute",
        "EagerKernelExecute",
        "KernelAndDeviceFunc::Run",
        "TFE_DeleteTensorHandle",
        "TFE_Py_Execute",
        "TFE_Py_ExecuteCancelable",
        "TFE_Py_FastPathExecute_C",
        "ValidateInputTypeAndPlacement",
        "convert_to_tensor",
        "tf.constant",
    }
)


class BetweenSteps(Record, frozen=True):
    """``idle_ns``: GPU idle time between steps, per average step; ``named``: (what the host did, ns of that
    idle time meanwhile), longest first; ``longest_ns``: longest single gap of judged steps; ``partial``: only
    a part of a step was recorded, so that nothing lies between two."""

    idle_ns: int
    longest_ns: int
    named: tuple[tuple[str, int], ...]
    partial: bool = False


class Part(Record, frozen=True):
    """Sums over judged steps and GPUs of some hosts; ``whole``: some host recorded a whole step."""

    named: dict[str, int]
    longest_ns: Largest
    whole: bool


def part(view: View) -> Part | None:
    """Idle time between steps on one host, and the outermost events that ran meanwhile."""
    if view.ledger is None:
        return None
    named: dict[str, int] = {}
    longest = _add(view.trace, view.ledger, named)
    return Part(named, longest, not view.steps.partial)


def finish(found: Part, ledger: Ledger) -> BetweenSteps:
    """The same of an average step of the run."""
    windows = max(1, ledger.windows)
    ordered = sorted(
        ((n, ns // windows) for n, ns in found.named.items()), key=lambda item: (-item[1], item[0])
    )
    return BetweenSteps(
        ledger.average()["idle.between_steps"],
        found.longest_ns,
        tuple(o for o in ordered if o[1] > 0),
        not found.whole,
    )


def _add(host: HostTrace, ledger: HostLedger, named: dict[str, int]) -> int:
    """Adds to ``named`` what the host did while its GPUs were idle; the longest such gap."""
    steps = ledger.steps
    idle = idle_between(ledger, steps.judged)
    outside = between_steps(steps)
    for label, ns in named_in(host.events, steps.marker_thread, outside, idle):
        named[label] = named.get(label, 0) + ns
    return max(int((gap.end_ns - gap.begin_ns).max(initial=0)) for gap in idle)


def idle_between(ledger: HostLedger, steps: Bools) -> list[Intervals]:
    """For each GPU of a host when it idles between steps, in these steps."""
    found = []
    for device in ledger.devices:
        keep = device.segments.owner == ACCOUNTS.index("idle.between_steps")
        if not keep.any():
            found.append(EMPTY)
            continue
        keep &= steps[device.segment_step]
        found.append(union(device.segments.begin_ns[keep], device.segments.end_ns[keep]))
    return found


def named_in(
    events: HostEvents, thread: int, outside: Intervals, idle: Sequence[Intervals]
) -> list[tuple[str, int]]:
    """What a thread did in gaps between steps, by the outermost events inside them: ns of ``idle``."""
    gap = searchsorted(outside.begin_ns, events.start_ns, "right") - 1
    inside = (
        (events.thread == thread)
        & (gap >= 0)
        & (events.end_ns <= outside.end_ns[np.maximum(gap, 0)] if len(outside) else False)
        & (events.end_ns > events.start_ns)
    )
    inside &= ~events.named(WRAPPERS.__contains__)
    outermost = np.flatnonzero(inside)
    outermost = outermost[enclosing(events, outermost, inside) < 0]
    per_name = np.zeros(len(events.names), np.int64)
    for time in idle:
        covered = covered_within(time, events.start_ns[outermost], events.end_ns[outermost])
        np.add.at(per_name, events.name[outermost], covered)
    is_eager = events.named(lambda name: name.startswith(EAGER_OP))[outermost]
    rows, others = outermost[is_eager], outermost[~is_eager]
    python = subtract(pauses(events, rows), union(events.start_ns[others], events.end_ns[others]))
    return _labelled(events.names, per_name, sum(intersect(time, python).total_ns for time in idle))


def _labelled(names: tuple[str, ...], per_name: Ints, python_ns: int) -> list[tuple[str, int]]:
    """Names with their time; all eager ops together, since one callback runs many different ones."""
    codes = np.flatnonzero(per_name).tolist()
    eager = [c for c in codes if names[c].startswith(EAGER_OP)]
    rows = [(names[c], int(per_name[c])) for c in codes if c not in eager]
    if eager:
        most = max(eager, key=lambda c: int(per_name[c]))
        label = f"eager ops outside the step's function, most of all {names[most].removeprefix(EAGER_OP)}"
        # With Python's short pauses between them: who runs them needs both.
        rows.append((label, sum(int(per_name[c]) for c in eager) + python_ns))
    return rows
