"""Ops that Python runs eagerly, outside any tf.function, and how long GPUs are idle meanwhile."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import (
    PerStep,
    PerStepByName,
    Rate,
    View,
    averaged,
    longest_first,
)
from tfperf_plugin.analysis.artifacts.capture.program import is_tensorflow
from tfperf_plugin.analysis.artifacts.host.overlap import Overlap, overlap_part
from tfperf_plugin.analysis.host_activity import eager_rows, pauses, step_body
from tfperf_plugin.analysis.ledger import HostLedger
from tfperf_plugin.analysis.step_functions import EAGER_OP
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.columns import sums_by_name
from tfperf_plugin.arrays.intervals import Intervals, Ints, contains, intersect, merge, subtract, union
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents, HostTrace

# A GPU that waits for the next eager op has one of these accounts.
ACCOUNTS: Final = ("idle.launch", "idle.dispatch", "idle.unknown")


class EagerOps(Record, frozen=True):
    """Eager ops inside judged steps, or in the whole recording without one."""

    judged_count: int  #: Number of judged steps of all hosts.
    step_ns: PerStep  #: Mean length of a judged step.
    ops_per_step: Rate
    op_ns: PerStep  #: Time of the host inside the ops, in an average step.
    pause_ns: PerStep  #: Time of the host in Python between two ops, in an average step.
    ns_by_type: PerStepByName
    launched_count: int  #: Number of kernels of judged steps that the ops launched.
    kernels_count: int  #: Number of kernels of judged steps whose launch is known.
    #: Part of each account during the ops and the pauses between them, after a step's first kernel; ``None``
    #: where no GPU has steps.
    on_gpu: Overlap | None
    tensorflow: bool  #: Whether the host recorded a function or op of TensorFlow.

    @property
    def most(self) -> tuple[tuple[str, int], ...]:
        """(Op type, ns per step), longest first."""
        return longest_first(self.ns_by_type)

    @property
    def kernels_ratio(self) -> float | None:
        """Share of the kernels that the ops launched; ``None`` if no launch is known."""
        return self.launched_count / self.kernels_count if self.kernels_count else None


def part(view: View) -> EagerOps:
    """Eager ops of the steps of one host."""
    events, steps = view.trace.events, view.steps
    chosen = union(*steps.judged_ranges(events))
    body = step_body(events, steps) if len(steps) else chosen
    rows = eager_rows(events, steps)
    rows = rows[contains(body, events.start_ns[rows])]
    inside = events.spans(rows)
    time = _with_pauses(events, rows, inside, body)
    rows = rows[contains(chosen, events.start_ns[rows])]
    most = sums_by_name(events.names, events.name[rows], (events.end_ns - events.start_ns)[rows])
    launched, launches = _kernels(view.trace, steps, rows)
    in_ops = intersect(inside, chosen).total_ns
    ledger = view.ledger
    return EagerOps(
        judged_count=int(steps.judged.sum()),
        step_ns=chosen.total_ns,
        ops_per_step=len(rows),
        op_ns=in_ops,
        pause_ns=intersect(time, chosen).total_ns - in_ops,
        ns_by_type={name.removeprefix(EAGER_OP): ns for name, ns in most.items()},
        launched_count=launched,
        kernels_count=launches,
        on_gpu=overlap_part(ledger, ACCOUNTS, subtract(time, _start_up(ledger))) if ledger else None,
        tensorflow=is_tensorflow(events),
    )


def finish(found: EagerOps) -> EagerOps:
    """Eager ops of an average step."""
    return averaged(found, found.judged_count)


def _with_pauses(events: HostEvents, rows: Ints, inside: Intervals, body: Intervals) -> Intervals:
    """The time of the ops, and of Python between two close ones, without calls of functions."""
    functions = events.spans(events.function_call)
    return merge(inside, subtract(intersect(pauses(events, rows), body), functions))


def _start_up(ledger: HostLedger) -> Intervals:
    """The time of each step before its first kernel: a tf.function starts up as well."""
    first = ledger.first_ns.min(axis=0)
    return union(ledger.steps.begin_ns, np.minimum(first, ledger.steps.end_ns))


def _kernels(host: HostTrace, steps: HostSteps, rows: Ints) -> tuple[int, int]:
    """Numbers of kernels of judged steps: those that one of the ops launched, and all of known launch."""
    events = host.events
    eager = events.marked(rows)
    launched = total = 0
    for device, step in zip(host.devices, steps.device_step, strict=True):
        mine = np.flatnonzero(device.is_kernel() & (device.launch >= 0) & (step >= 0))
        launch = device.launch[mine[steps.judged[step[mine]]]]
        total += len(launch)
        launched += int((events.enclosing(launch, eager) >= 0).sum())
    return launched, total
