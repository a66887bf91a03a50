"""PyTorch's wrappers for several GPUs in judged steps: ``DataParallel``, and a search of its successor.

``DataParallel`` drives all GPUs from one process. With ``find_unused_parameters=True``,
``DistributedDataParallel`` walks the graph of the whole model after each forward pass.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.host.overlap import Overlap, overlap, overlap_part
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.arrays.intervals import union
from tfperf_plugin.records import Record

CALL: Final = "DataParallel.forward"
SEARCH: Final = "torch.distributed.ddp.reducer::search_unused_parameters"
_ACCOUNTS: Final = ("idle.dispatch", "idle.launch", "idle.host_op", "idle.unknown")


class Wrappers(Record, frozen=True):
    """Calls of the wrappers in judged steps of all hosts."""

    steps_count: int
    calling_count: int  #: Number of steps that call ``DataParallel``.
    calls: Places  #: The longest of these calls.
    searches_count: int  #: Number of searches for unused parameters.
    searches: Places  #: The longest searches.
    idle: Overlap | None  #: Idle time of GPUs inside searches, per average step; ``None`` without a ledger.

    @property
    def calling_ratio(self) -> float:
        """Share of the steps that call ``DataParallel``."""
        return self.calling_count / max(1, self.steps_count)


def part(view: View) -> Wrappers:
    """The calls on one host; ``idle`` is a sum."""
    events, steps = view.trace.events, view.steps
    found = []
    for name, label in ((CALL, CALL), (SEARCH, "search for unused parameters")):
        rows = np.flatnonzero(events.named(name.__eq__))
        inside, step = steps.judged_at(events.start_ns[rows])
        begin, end = events.start_ns[rows[inside]], events.end_ns[rows[inside]]
        found.append((step, begin, end, steps.places(label, begin, end)))
    (calling, _, _, calls), (searching, begin, end, searches) = found
    idle = overlap_part(view.ledger, _ACCOUNTS, union(begin, end)) if view.ledger else None
    steps_count = int(steps.judged.sum())
    return Wrappers(steps_count, len(unique(calling)), calls, len(searching), searches, idle)


def finish(found: Wrappers, ledger: Ledger | None) -> Wrappers:
    """The calls of all hosts."""
    return replace(found, idle=overlap(found.idle, ledger) if ledger else None)
