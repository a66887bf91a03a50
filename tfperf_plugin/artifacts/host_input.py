"""How long the host's steps wait for input, whether or not a GPU was recorded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfperf_plugin.artifacts.timeline import first_places
from tfperf_plugin.engine.outcome import Place
from tfperf_plugin.ledger import input_waits
from tfperf_plugin.steps import Steps
from tfperf_plugin.trace.intervals import covered_within
from tfperf_plugin.trace.model import Trace


@dataclass(frozen=True)
class HostInput:
    """``step_ns`` and ``wait_ns``: an average judged step and its waiting; ``where``: the longest waits."""

    steps_count: int
    step_ns: int
    wait_ns: int
    where: tuple[Place, ...]


def find_host_input(trace: Trace, steps: Steps) -> HostInput:
    """Waiting for input in the judged steps of all hosts."""
    count = total = waiting = 0
    found: list[tuple[int, Place]] = []
    for host, host_steps in zip(trace.hosts, steps.hosts, strict=True):
        judged = np.flatnonzero(host_steps.judged)
        if not len(judged):
            continue
        waits = input_waits(host.events)
        begin, end = host_steps.begin_ns[judged], host_steps.end_ns[judged]
        count += len(judged)
        total += int((end - begin).sum())
        waiting += int(covered_within(waits, begin, end).sum())
        step = np.searchsorted(begin, waits.begin_ns, "right") - 1
        for i in np.argsort(waits.begin_ns - waits.end_ns, kind="stable")[:20].tolist():
            s = int(step[i])
            if s < 0 or waits.end_ns[i] > end[s]:
                continue
            place = Place(
                host.host,
                int(waits.begin_ns[i]) / 1e6,
                int(waits.end_ns[i]) / 1e6,
                "the step waits for its batch",
                step=int(host_steps.number[judged[s]]),
            )
            found.append((int(waits.end_ns[i] - waits.begin_ns[i]), place))
    return HostInput(count, total // max(1, count), waiting // max(1, count), first_places(found))
