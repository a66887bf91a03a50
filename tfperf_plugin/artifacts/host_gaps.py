"""What the host does between steps, whether or not a GPU was recorded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfperf_plugin.artifacts.between import named_in
from tfperf_plugin.artifacts.step_body import step_body
from tfperf_plugin.artifacts.timeline import first_places
from tfperf_plugin.engine.outcome import Place
from tfperf_plugin.ledger import input_waits
from tfperf_plugin.steps import HostSteps, Steps, compiling
from tfperf_plugin.trace.intervals import Intervals, merge, subtract, union
from tfperf_plugin.trace.model import Trace


@dataclass(frozen=True)
class HostGaps:
    """An average judged step of hosts that mark steps.

    ``gap_ns``: what of it the host spends outside the step's function and not waiting for a batch, tracing or
    compiling; ``named``: (what it does then, ns of it), longest first; ``where``: the longest gaps.
    """

    steps_count: int
    step_ns: int
    gap_ns: int
    named: tuple[tuple[str, int], ...]
    where: tuple[Place, ...]


def find_host_gaps(trace: Trace, steps: Steps) -> HostGaps:
    """The host's time between steps on all hosts."""
    count = total = gap = 0
    names: dict[str, int] = {}
    found: list[tuple[int, Place]] = []
    for host, host_steps in zip(trace.hosts, steps.hosts, strict=True):
        if host_steps.marker_thread < 0:
            continue
        chosen = host_steps.judged
        judged = union(host_steps.begin_ns[chosen], host_steps.end_ns[chosen])
        busy = merge(step_body(host.events, host_steps), input_waits(host.events), compiling(host.events))
        outside = subtract(judged, busy)
        count += int(chosen.sum())
        total += judged.total_ns
        gap += outside.total_ns
        for label, ns in named_in(host.events, host_steps.marker_thread, outside, [outside]):
            names[label] = names.get(label, 0) + ns
        found += _places(host.host, host_steps, outside)
    per_step = max(1, count)
    named = sorted(((n, ns // per_step) for n, ns in names.items()), key=lambda item: (-item[1], item[0]))
    return HostGaps(count, total // per_step, gap // per_step, tuple(named), first_places(found))


def _places(host: str, steps: HostSteps, outside: Intervals) -> list[tuple[int, Place]]:
    length = outside.end_ns - outside.begin_ns
    chosen = np.argsort(-length, kind="stable")[:5]
    step = np.searchsorted(steps.begin_ns, outside.begin_ns[chosen], "right") - 1
    return [
        (
            int(length[i]),
            Place(
                host,
                int(outside.begin_ns[i]) / 1e6,
                int(outside.end_ns[i]) / 1e6,
                "the host between steps",
                step=int(steps.number[s]),
            ),
        )
        for i, s in zip(chosen.tolist(), step.tolist(), strict=True)
    ]
