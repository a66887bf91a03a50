"""Waiting of GPUs for each other in collectives of all kinds, and the GPUs that they wait for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np

from tfperf_plugin.analysis.artifacts.communication.allreduce import (
    OfDevices,
    averages,
    device_shares,
    per_step,
)
from tfperf_plugin.analysis.artifacts.communication.calls import NAMED_KINDS, NO_CALLS, CollectiveCalls
from tfperf_plugin.analysis.collectives import NAMES
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.arrays.intervals import covered_within, intersect, union

# If other kinds hold this share of the waiting, no kind is named.
MIXED_RATIO = 0.1


class CollectiveWaits(OfDevices, frozen=True):
    """Waiting in collectives of an average judged step, averaged over GPUs; no compute hides it. In
    ``devices``, ``caused_wait_ns`` counts only waiting that nothing hides."""

    kinds: tuple[tuple[str, int], ...]  #: (kind, waiting in ns), most first.
    #: Part until the last participant has arrived; the rest waits for one that still computes.
    arrival_ns: int
    transfer_ns: int  #: Transfer of all collectives.
    matched_ratio: float  #: Share of calls found on several GPUs.

    def for_hosts(self, hosts: Collection[str]) -> int:
        """The waiting until GPUs of these hosts have arrived, in ns."""
        total = sum(d.caused_wait_ns for d in self.devices)
        caused = sum(d.caused_wait_ns for d in self.devices if d.host in hosts)
        return self.arrival_ns * caused // max(1, total)

    @property
    def where(self) -> str:
        """The collectives in which GPUs wait."""
        total = sum(ns for _, ns in self.kinds)
        kind, most = self.kinds[0] if total else ("other", 0)
        mixed = most < (1 - MIXED_RATIO) * total
        return "collectives" if mixed or kind == "other" else NAMES[kind]


def finish(found: CollectiveCalls, ledger: Ledger) -> CollectiveWaits | NotApplicable:
    """The waiting in judged steps of all hosts."""
    gpus, rows = found.rows(ledger)
    if not len(rows.call):
        return NO_CALLS
    tables = per_step(ledger, gpus, rows)
    windows, (transfer, *_) = averages(tables)
    waiting, until_arrival = np.zeros((2, len(rows.call)), np.int64)
    arrival = 0
    for g in tables:
        host, device = gpus[g]
        mine = rows.gpu == g
        one = rows.only(mine)
        idle, ready = host.judged_time(device, "communication.wait"), one.start_ns + one.wait_ns
        waiting[mine] = covered_within(idle, one.start_ns, one.end_ns)
        until_arrival[mine] = covered_within(idle, one.start_ns, ready)
        arrival += intersect(idle, union(one.start_ns, ready)).total_ns
    kind = rows.named_kind
    kinds = Counter({NAMED_KINDS[code]: int(waiting[kind == code].sum()) for code in unique(kind).tolist()})
    return CollectiveWaits(
        kinds=tuple((kind, ns // windows) for kind, ns in kinds.most_common()),
        arrival_ns=arrival // windows,
        transfer_ns=transfer,
        matched_ratio=float(rows.matched.mean()),
        devices=device_shares(gpus, tables, rows, until_arrival),
    )


def unmatched_ratios(ledger: Ledger) -> dict[str, float]:
    """For each host that communicates the share of its time in collectives that is in calls found on one GPU
    only, in the steps that all hosts judged."""
    shares = {}
    for host in ledger.hosts:
        calls = host.calls
        if len(calls):
            chosen = calls.within(ledger.common(host))
            length = (calls.end_ns - calls.start_ns)[chosen]
            shares[host.host] = float(length[~calls.matched[chosen]].sum() / max(1, length.sum()))
    return shares
