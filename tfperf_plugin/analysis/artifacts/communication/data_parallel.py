"""Steps in which PyTorch's ``DataParallel`` calls the model: one process then drives all GPUs."""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import field

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.evidence import Place, Places
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.records import Record

CALL: Final = "DataParallel.forward"


class DataParallelCalls(Record, frozen=True):
    """``ratio``: share of the judged steps with such a call; ``where``: the longest calls."""

    ratio: float
    where: tuple[Place, ...]


class Part(Record, frozen=True):
    """Judged steps of some hosts, and those with a call."""

    steps: int = 0
    calling: int = 0
    where: Places = field(default_factory=Places)


def part(view: View) -> Part:
    """The calls of one host."""
    events, steps = view.trace.events, view.steps
    judged = int(steps.judged.sum())
    if CALL not in events.names:
        return Part(judged)
    rows = np.flatnonzero(events.name == events.names.index(CALL))
    step = steps.at(events.start_ns[rows])
    inside = (step >= 0) & steps.judged[step]
    rows, step = rows[inside], step[inside]
    return Part(judged, len(unique(step)), steps.places(CALL, events.start_ns[rows], events.end_ns[rows]))


def finish(sums: Part) -> DataParallelCalls:
    """Those of all hosts."""
    return DataParallelCalls(sums.calling / max(1, sums.steps), sums.where.all())
