"""Ops that Python runs one by one, outside any tf.function: which, and what the GPUs idle meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tfperf_plugin.artifacts.step_body import EAGER_OP, eager_rows, pauses, step_body
from tfperf_plugin.steps import HostSteps, Steps, enclosing
from tfperf_plugin.trace.intervals import Intervals, Ints, contains, intersect, merge, subtract, union
from tfperf_plugin.trace.model import HostEvents, HostTrace, Trace
from tfperf_plugin.trace.roles import HostRole


@dataclass(frozen=True)
class EagerOps:
    """Eager ops inside judged steps.

    ``judged_count``/``step_ns``: judged steps of all hosts and their mean length; ``ops_per_step``;
    ``op_ns``: host time of an average step inside them, ``pause_ns``: in Python between two of them;
    ``most``: (op type, ns per step), longest first; ``kernels_ratio``: share of the kernels of judged steps
    that they launched, ``None`` if no launch is known; ``time``: host → the ops and the pauses between them;
    ``tensorflow``: whether the host recorded any function or op of TensorFlow.
    """

    judged_count: int
    step_ns: int
    ops_per_step: float
    op_ns: int
    pause_ns: int
    most: tuple[tuple[str, int], ...]
    kernels_ratio: float | None
    time: Mapping[str, Intervals]
    tensorflow: bool


def find_eager_ops(trace: Trace, steps: Steps) -> EagerOps:
    """Eager ops of the steps of all hosts."""
    judged = total = ops = op_ns = pause_ns = 0
    eager_kernels = kernels = 0
    most: dict[str, int] = {}
    times: dict[str, Intervals] = {}
    for host, host_steps in zip(trace.hosts, steps.hosts, strict=True):
        events = host.events
        body = step_body(events, host_steps)
        rows = eager_rows(events, host_steps)
        rows = rows[contains(body, events.start_ns[rows])]
        chosen = union(host_steps.begin_ns[host_steps.judged], host_steps.end_ns[host_steps.judged])
        inside = union(events.start_ns[rows], events.end_ns[rows])
        times[host.host] = _with_pauses(events, rows, inside, body)
        judged += int(host_steps.judged.sum())
        total += chosen.total_ns
        rows = rows[contains(chosen, events.start_ns[rows])]
        ops += len(rows)
        op_ns += intersect(inside, chosen).total_ns
        pause_ns += intersect(times[host.host], chosen).total_ns
        for code in np.unique(events.name[rows]).tolist():
            mine = rows[events.name[rows] == code]
            name = events.names[code].removeprefix(EAGER_OP)
            most[name] = most.get(name, 0) + int((events.end_ns[mine] - events.start_ns[mine]).sum())
        launched, launches = _kernels(host, host_steps, rows)
        eager_kernels, kernels = eager_kernels + launched, kernels + launches
    count = max(1, judged)
    ordered = sorted(((n, ns // count) for n, ns in most.items()), key=lambda item: (-item[1], item[0]))
    return EagerOps(
        judged_count=judged,
        step_ns=total // count,
        ops_per_step=ops / count,
        op_ns=op_ns // count,
        pause_ns=(pause_ns - op_ns) // count,
        most=tuple(ordered),
        kernels_ratio=eager_kernels / kernels if kernels else None,
        time=times,
        tensorflow=any(_is_tensorflow(h.events) for h in trace.hosts),
    )


def _with_pauses(events: HostEvents, rows: Ints, inside: Intervals, body: Intervals) -> Intervals:
    """The ops and Python's time between two that follow each other closely, without calls of functions."""
    calls = events.function_call
    functions = union(events.start_ns[calls], events.end_ns[calls])
    return merge(inside, subtract(intersect(pauses(events, rows), body), functions))


def _kernels(host: HostTrace, steps: HostSteps, rows: Ints) -> tuple[int, int]:
    """Kernels of judged steps whose launch lies inside one of these ops, and all whose launch is known."""
    events = host.events
    eager = np.zeros(len(events.start_ns), np.bool_)
    eager[rows] = True
    launched = total = 0
    for device, step in zip(host.devices, steps.device_step, strict=True):
        mine = device.is_kernel() & (device.launch >= 0) & (step >= 0)
        if not len(steps) or not mine.any():
            continue
        mine &= steps.judged[np.maximum(step, 0)]
        launch = device.launch[mine]
        total += len(launch)
        if len(rows):
            launched += int((enclosing(events, launch, eager) >= 0).sum())
    return launched, total


def _is_tensorflow(events: HostEvents) -> bool:
    kinds = [HostRole.FUNCTION_RUN, HostRole.EXECUTOR]
    return bool(
        events.function_call.any()
        or np.isin(events.role, kinds).any()
        or any(n.startswith(EAGER_OP) for n in events.names)
    )
