"""Idle time while PyTorch's ``DistributedDataParallel`` looks for parameters that get no gradient.

With ``find_unused_parameters=True`` PyTorch walks the graph of the whole model after each forward pass.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.host.overlap import Overlap, overlap, overlap_part
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.intervals import union
from tfperf_plugin.records import Record

SEARCH: Final = "torch.distributed.ddp.reducer::search_unused_parameters"
_ACCOUNTS: Final = ("idle.dispatch", "idle.launch", "idle.host_op", "idle.unknown")


class UnusedParameters(Record, frozen=True):
    """Searches for unused parameters in judged steps."""

    #: Number of searches.
    searches_count: int
    #: Number of judged steps of all hosts.
    steps_count: int
    #: Idle time of GPUs inside searches, per average step; ``None`` without a ledger.
    idle: Overlap | None
    #: The longest searches.
    where: Places

    @property
    def per_step_count(self) -> float:
        """Searches in a step of a host."""
        return self.searches_count / max(1, self.steps_count)


def part(view: View) -> UnusedParameters:
    """The searches on one host; ``idle`` is a sum."""
    events, steps = view.trace.events, view.steps
    rows = np.flatnonzero(events.named(SEARCH.__eq__))
    inside, _ = steps.judged_at(events.start_ns[rows])
    rows = rows[inside]
    begin, end = events.start_ns[rows], events.end_ns[rows]
    idle = overlap_part(view.ledger, _ACCOUNTS, union(begin, end)) if view.ledger else None
    where = steps.places("search for unused parameters", begin, end)
    return UnusedParameters(len(rows), int(steps.judged.sum()), idle, where)


def finish(found: UnusedParameters, ledger: Ledger) -> UnusedParameters:
    """The searches of an average step."""
    return replace(found, idle=overlap(found.idle, ledger))
