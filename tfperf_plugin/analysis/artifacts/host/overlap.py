"""The part of the ledger's accounts in given time of the host, and its places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import PerStepByName, averaged
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.ledger import ACCOUNTS, HostLedger, Ledger
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import Intervals, covered_within
from tfperf_plugin.records import Record


class Overlap(Record, frozen=True):
    """Time of the ledger's accounts inside given time of the host."""

    ns: PerStepByName  #: Account → ns of the average step.
    where: Places  #: Places of the steps and GPUs with most of that time.

    @property
    def total_ns(self) -> int:
        """The sum of the accounts, per average step."""
        return sum(self.ns.values())


def overlap_part(host: HostLedger, accounts: Sequence[str], time: Intervals) -> Overlap:
    """Time of judged steps of one host that belongs to any of these accounts inside ``time``."""
    codes = np.array([ACCOUNTS.index(a) for a in accounts])
    total = np.zeros(len(accounts), np.int64)
    found = Places()
    for device in host.devices if len(time) else ():
        keep = host.judged_pieces(device, *accounts)
        begin, end = device.segments.begin_ns[keep], device.segments.end_ns[keep]
        inside = covered_within(time, begin, end)
        for i, code in enumerate(codes.tolist()):
            total[i] += inside[device.segments.owner[keep] == code].sum()
        step = device.segment_step[keep][inside > 0]
        begin, end, inside = begin[inside > 0], end[inside > 0], inside[inside > 0]
        if not len(step):
            continue
        steps = Groups(step)
        first, last, number = begin[steps.first], end[steps.last], steps.keys[:, 0]
        worst = host.steps.places("", first, last, device.device, number, steps.sum(inside))
        found = found.merged_with(worst)
    return Overlap(dict(zip(accounts, total.tolist(), strict=True)), found)


def overlap(sums: Overlap | None, ledger: Ledger) -> Overlap:
    """The overlap of an average step of the run."""
    return averaged(sums or Overlap({}, Places()), ledger.windows)
