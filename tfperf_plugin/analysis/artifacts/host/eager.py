"""Ops that Python runs eagerly, outside any tf.function, and how long GPUs are idle meanwhile."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View, longest_first
from tfperf_plugin.analysis.artifacts.capture.framework import is_tensorflow
from tfperf_plugin.analysis.artifacts.host.overlap import OverlapPart, overlap_part
from tfperf_plugin.analysis.artifacts.host.step_body import eager_rows, pauses, step_body
from tfperf_plugin.analysis.ledger import HostLedger
from tfperf_plugin.analysis.step_functions import EAGER_OP
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.intervals import Intervals, Ints, contains, intersect, merge, subtract, union
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents, HostTrace

# A GPU that waits for the next eager op has one of these accounts.
ACCOUNTS: Final = ("idle.launch", "idle.dispatch", "idle.unknown")


class EagerOps(Record, frozen=True):
    """Eager ops inside judged steps.

    ``judged_count``/``step_ns``: judged steps of all hosts and their mean length; ``op_ns``: host time of an
    average step inside the ops; ``pause_ns``: in Python between two of them; ``most``: (op type, ns per
    step), longest first; ``kernels_ratio``: share of the kernels of judged steps that the ops launched,
    ``None`` if no launch is known; ``on_gpu``: the part of ``ACCOUNTS`` during the ops and the pauses between
    them, after a step's first kernel, ``None`` where no GPU has steps; ``tensorflow``: the host recorded a
    function or op of TensorFlow.
    """

    judged_count: int
    step_ns: int
    ops_per_step: float
    op_ns: int
    pause_ns: int
    most: tuple[tuple[str, int], ...]
    kernels_ratio: float | None
    on_gpu: OverlapPart | None
    tensorflow: bool


class Part(Record, frozen=True):
    """``EagerOps`` summed over the judged steps of some hosts."""

    judged_count: int
    judged_ns: int
    ops_count: int
    op_ns: int
    with_pauses_ns: int
    most: dict[str, int]
    eager_kernels_count: int
    kernels_count: int
    on_gpu: OverlapPart | None
    tensorflow: bool


def part(view: View) -> Part:
    """Eager ops of the steps of one host."""
    events, steps = view.trace.events, view.steps
    body = step_body(events, steps)
    rows = eager_rows(events, steps)
    rows = rows[contains(body, events.start_ns[rows])]
    chosen = union(steps.begin_ns[steps.judged], steps.end_ns[steps.judged])
    inside = events.spans(rows)
    time = _with_pauses(events, rows, inside, body)
    rows = rows[contains(chosen, events.start_ns[rows])]
    most: dict[str, int] = {}
    for code in unique(events.name[rows]).tolist():
        mine = rows[events.name[rows] == code]
        name = events.names[code].removeprefix(EAGER_OP)
        most[name] = most.get(name, 0) + int((events.end_ns[mine] - events.start_ns[mine]).sum())
    launched, launches = _kernels(view.trace, steps, rows)
    return Part(
        judged_count=int(steps.judged.sum()),
        judged_ns=chosen.total_ns,
        ops_count=len(rows),
        op_ns=intersect(inside, chosen).total_ns,
        with_pauses_ns=intersect(time, chosen).total_ns,
        most=most,
        eager_kernels_count=launched,
        kernels_count=launches,
        on_gpu=overlap_part(view.ledger, ACCOUNTS, subtract(time, _start_up(view.ledger)))
        if view.ledger
        else None,
        tensorflow=is_tensorflow(events),
    )


def finish(found: Part) -> EagerOps:
    """Eager ops of an average step."""
    count = max(1, found.judged_count)
    return EagerOps(
        judged_count=found.judged_count,
        step_ns=found.judged_ns // count,
        ops_per_step=found.ops_count / count,
        op_ns=found.op_ns // count,
        pause_ns=(found.with_pauses_ns - found.op_ns) // count,
        most=longest_first(found.most, count),
        kernels_ratio=found.eager_kernels_count / found.kernels_count if found.kernels_count else None,
        on_gpu=found.on_gpu,
        tensorflow=found.tensorflow,
    )


def _with_pauses(events: HostEvents, rows: Ints, inside: Intervals, body: Intervals) -> Intervals:
    """The ops and Python's time between two that follow each other closely, without calls of functions."""
    functions = events.spans(events.function_call)
    return merge(inside, subtract(intersect(pauses(events, rows), body), functions))


def _start_up(ledger: HostLedger) -> Intervals:
    """The time of each step before its first kernel: a tf.function starts up as well."""
    first = ledger.first_ns.min(axis=0)
    return union(ledger.steps.begin_ns, np.minimum(first, ledger.steps.end_ns))


def _kernels(host: HostTrace, steps: HostSteps, rows: Ints) -> tuple[int, int]:
    """Kernels of judged steps whose launch lies inside one of these ops, and all whose launch is known."""
    events = host.events
    eager = events.marked(rows)
    launched = total = 0
    for device, step in zip(host.devices, steps.device_step, strict=True):
        mine = np.flatnonzero(device.is_kernel() & (device.launch >= 0) & (step >= 0))
        launch = device.launch[mine[steps.judged[step[mine]]]]
        total += len(launch)
        launched += int((events.enclosing(launch, eager) >= 0).sum())
    return launched, total
