"""Steps in which PyTorch's ``DataParallel`` calls the model: one process then drives all GPUs."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.records import Record

CALL: Final = "DataParallel.forward"


class DataParallelCalls(Record, frozen=True):
    """Calls of ``DataParallel`` in judged steps."""

    #: Number of judged steps.
    steps_count: int
    #: Number of judged steps with such a call.
    calling_count: int
    #: The longest calls.
    where: Places

    @property
    def ratio(self) -> float:
        """Share of the steps with such a call."""
        return self.calling_count / max(1, self.steps_count)


def part(view: View) -> DataParallelCalls:
    """The calls of one host."""
    events, steps = view.trace.events, view.steps
    rows = np.flatnonzero(events.named(CALL.__eq__))
    inside, step = steps.judged_at(events.start_ns[rows])
    rows = rows[inside]
    where = steps.places(CALL, events.start_ns[rows], events.end_ns[rows])
    return DataParallelCalls(int(steps.judged.sum()), len(unique(step)), where)
