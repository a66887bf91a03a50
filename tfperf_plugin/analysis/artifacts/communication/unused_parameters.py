"""Idle time while PyTorch's ``DistributedDataParallel`` looks for parameters that get no gradient.

With ``find_unused_parameters=True`` it walks the graph of the whole model after each forward pass.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.host.overlap import Overlap, OverlapPart, overlap, overlap_part
from tfperf_plugin.analysis.artifacts.timeline import Places
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.intervals import union
from tfperf_plugin.records import Record

SEARCH: Final = "torch.distributed.ddp.reducer::search_unused_parameters"
_ACCOUNTS: Final = ("idle.dispatch", "idle.launch", "idle.host_op", "idle.unknown")


class UnusedParameters(Record, frozen=True):
    """``count``: searches per average step and host; ``idle``: time of GPUs inside them; ``where``: the
    longest searches."""

    count: float
    idle: Overlap
    where: tuple[Place, ...]


class Part(Record, frozen=True):
    """The searches in judged steps of some hosts; ``idle`` is ``None`` without a ledger."""

    searches: int
    steps: int
    idle: OverlapPart | None
    where: Places


def part(view: View) -> Part:
    """The searches on one host."""
    events, steps = view.trace.events, view.steps
    rows = np.flatnonzero(events.named(SEARCH.__eq__))
    step = steps.at(events.start_ns[rows])
    inside = (step >= 0) & steps.judged[step]
    rows, number = rows[inside], steps.number[step[inside]]
    begin, end = events.start_ns[rows], events.end_ns[rows]
    idle = overlap_part(view.ledger, _ACCOUNTS, union(begin, end)) if view.ledger else None
    where = Places.of_ranges(view.trace.host, "search for unused parameters", begin, end, number)
    return Part(len(rows), int(steps.judged.sum()), idle, where)


def finish(found: Part, ledger: Ledger) -> UnusedParameters:
    """Those of an average step."""
    idle = overlap(found.idle, ledger, "")
    return UnusedParameters(found.searches / max(1, found.steps), idle, found.where.all())
