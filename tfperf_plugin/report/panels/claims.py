"""Which time of a step which finding claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.arrays.intervals import EMPTY, Intervals, Ints, intersect, merge, subtract, union
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.trace.model import among

WHOLE_RATIO = 0.8
"""A finding that claims this share of an account owns all of it; else it owns what lies in its places."""


class Claimable(Record, frozen=True):
    """The pieces of a GPU; times count from the begin of the step, which is at ``origin_ns``."""

    host: str
    device: str
    origin_ns: int
    begin_ns: Ints
    end_ns: Ints
    code: Ints


def claimed(
    report: Report | None, rows: Sequence[Claimable | None], pixel_ns: int
) -> Iterator[tuple[str, int, int, int]]:
    """Finding, row, begin and end of all claimed time, in the order of findings. Gaps shorter than a pixel
    are closed."""
    if report is None or report.ledger is None:
        return
    total = {a.id: a.ns for a in report.ledger.accounts}
    owned = [EMPTY] * len(rows)
    for finding in report.findings:
        mine = finding.saving.accounts if finding.saving else {}
        whole = [a for a, ns in mine.items() if ns and ns >= WHOLE_RATIO * total.get(a, 0)]
        part = [a for a, ns in mine.items() if ns and a not in whole]
        for index, row in enumerate(rows):
            if row is None:
                continue
            found = merge(_time(row, whole), intersect(_time(row, part), _places(finding, row)))
            found = subtract(found, owned[index])
            owned[index] = merge(owned[index], found)
            shown = _closed(found, pixel_ns)
            for begin, end in zip(shown.begin_ns.tolist(), shown.end_ns.tolist(), strict=True):
                yield finding.id, index, begin, end


def _time(row: Claimable, accounts: Sequence[str]) -> Intervals:
    codes = [ACCOUNTS.index(a) for a in accounts if a in ACCOUNTS]
    at = np.flatnonzero(among(row.code, *codes))
    return union(row.begin_ns[at], row.end_ns[at])


def _places(finding: Finding, row: Claimable) -> Intervals:
    ranges = [
        (round(p.begin_ms * 1e6) - row.origin_ns, round(p.end_ms * 1e6) - row.origin_ns)
        for p in finding.where
        if p.host == row.host and p.device in (None, row.device)
    ]
    times = np.array(ranges, np.int64).reshape(-1, 2)
    return union(times[:, 0], times[:, 1])


def _closed(found: Intervals, pixel_ns: int) -> Intervals:
    """The ranges without gaps shorter than a pixel."""
    if not len(found):
        return found
    apart = found.begin_ns[1:] - found.end_ns[:-1] >= max(1, pixel_ns)
    return Intervals(
        found.begin_ns[np.concatenate([[True], apart])], found.end_ns[np.concatenate([apart, [True]])]
    )
