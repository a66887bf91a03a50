"""Which time of a step which finding claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.arrays.intervals import EMPTY, Intervals, Ints, intersect, merge, subtract, union
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.timeline.arrays import Pieces, StepLane

PLACED_RATIO = 0.8
"""A finding that claims less of an account owns what lies in its kernels, or else in its places."""
WHOLE_RATIO = 0.95
"""A finding that claims less of an account owns the longest of that, up to its share."""


class Claimable(NamedTuple):
    """A GPU in a step."""

    lane: StepLane
    pieces: Pieces
    kernels: Pieces


def claimed(
    report: Report | None, rows: Sequence[Claimable | None], names: Sequence[str], pixel_ns: int
) -> Iterator[tuple[str, int, int, int]]:
    """Finding, row, begin and end of all claimed time, in the order of findings. Gaps shorter than a pixel
    are closed."""
    if report is None or report.ledger is None:
        return
    total = {a.id: a.ns for a in report.ledger.accounts}
    owned = [EMPTY] * len(rows)
    for finding in report.findings:
        if finding.saving is None:
            continue
        kernels = np.array([i for i, name in enumerate(names) if name in set(finding.saving.kernels)], int)
        for index, row in enumerate(rows):
            if row is None:
                continue
            found = EMPTY
            for account, ns in finding.saving.accounts.items():
                share = ns / max(1, total.get(account, 0))
                every = _time(row, account)
                mine = every
                if account == "compute" and len(kernels):
                    mine = intersect(every, _kernels(row, kernels))
                elif share < PLACED_RATIO:
                    mine = intersect(every, _places(finding, row))
                mine = subtract(mine, owned[index])
                if share < WHOLE_RATIO:
                    mine = _longest(mine, round(share * every.total_ns))
                found = merge(found, mine)
            owned[index] = merge(owned[index], found)
            shown = _closed(found, pixel_ns)
            for begin, end in zip(shown.begin_ns.tolist(), shown.end_ns.tolist(), strict=True):
                yield finding.id, index, begin, end


def _time(row: Claimable, account: str) -> Intervals:
    mine = row.pieces.code == (ACCOUNTS.index(account) if account in ACCOUNTS else -1)
    return union(row.pieces.begin_ns[mine], row.pieces.end_ns[mine])


def _kernels(row: Claimable, kernels: Ints) -> Intervals:
    mine = np.isin(row.kernels.code, kernels)
    return union(row.kernels.begin_ns[mine], row.kernels.end_ns[mine])


def _longest(found: Intervals, most_ns: int) -> Intervals:
    """The longest ranges, the last of them cut so that all together hold ``most_ns``."""
    lengths = found.end_ns - found.begin_ns
    order = np.argsort(-lengths, kind="stable")
    before = np.cumsum(lengths[order]) - lengths[order]
    kept = np.sort(order[before < most_ns])
    end_ns = found.end_ns.copy()
    if len(kept):
        last = order[len(kept) - 1]
        end_ns[last] = min(end_ns[last], found.begin_ns[last] + most_ns - before[len(kept) - 1])
    return Intervals(found.begin_ns[kept], end_ns[kept])


def _places(finding: Finding, row: Claimable) -> Intervals:
    host, device = row.lane.step.host, row.lane.name
    mine = [p for p in finding.where if p.host == host and p.device in (None, device)]
    ranges = [(round(p.begin_ms * 1e6), round(p.end_ms * 1e6)) for p in mine]
    times = np.array(ranges, np.int64).reshape(-1, 2) - row.lane.step.begin_ns
    return union(times[:, 0], times[:, 1])


def _closed(found: Intervals, pixel_ns: int) -> Intervals:
    """The ranges without gaps shorter than a pixel."""
    if not len(found):
        return found
    apart = found.begin_ns[1:] - found.end_ns[:-1] >= max(1, pixel_ns)
    return Intervals(
        found.begin_ns[np.concatenate([[True], apart])], found.end_ns[np.concatenate([apart, [True]])]
    )
