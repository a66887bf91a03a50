"""Transfer in collectives of each kind while nothing is computed, and its bandwidth."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.communication.allreduce import unseen_partners
from tfperf_plugin.analysis.artifacts.communication.calls import NO_CALLS, CollectiveCalls
from tfperf_plugin.analysis.artifacts.communication.estimate import AllReduceEstimate
from tfperf_plugin.analysis.collectives import KINDS
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.intervals import Bools, intersect, union
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record


class KindTransfer(Record, frozen=True):
    """Calls of one kind in an average judged step, averaged over the GPUs that communicate."""

    #: A kind of ``KINDS``, or "all_to_all".
    kind: str
    calls_per_step: float
    #: Time from the last arrival to the end.
    transfer_ns: int
    #: Part of ``transfer_ns`` that no compute hides, in calls found on several GPUs.
    exposed_ns: int
    #: Exposed time of its calls that were found on one GPU only, which may be waiting.
    unmatched_ns: int
    #: Bus bandwidth, GB/s; ``None`` where a call does not state its bytes.
    busbw_gbps: float | None


class Transfers(Record, frozen=True):
    """Transfer in collectives of an average judged step, averaged over the GPUs that communicate."""

    #: Kinds of calls by falling exposed transfer.
    kinds: tuple[KindTransfer, ...]
    exposed_ns: int
    #: Exposed time of calls found on one GPU only, which may be waiting.
    unmatched_ns: int
    #: Number of hosts that the calls join.
    hosts_count: int
    #: As in ``AllReduceTimes``.
    unseen: str


def finish(
    found: CollectiveCalls, ledger: Ledger, estimate: AllReduceEstimate | None, facts: TrainingFacts | None
) -> Transfers | NotApplicable:
    """The transfers in judged steps of all hosts."""
    gpus, rows = found.rows(ledger)
    if not len(rows.call):
        return NO_CALLS
    names = (*KINDS, "all_to_all")
    kind = np.where(rows.all_to_all, len(KINDS), rows.kind)
    present = unique(rows.gpu).tolist()
    windows = sum(int(ledger.common(gpus[g][0]).sum()) for g in present)
    bare = {g: gpus[g][0].judged_time(gpus[g][1], "communication.transfer") for g in present}
    rows = rows.whole_arrays()

    def exposed(chosen: Bools) -> int:
        """Exposed transfer of the chosen calls, all GPUs together."""
        mine = ((g, chosen & (rows.gpu == g)) for g in present)
        return sum(intersect(bare[g], union(rows.start_ns[at], rows.end_ns[at])).total_ns for g, at in mine)

    kinds = []
    for code in unique(kind).tolist():
        chosen = kind == code
        transfer, sizes = int(rows.transfer_ns[chosen].sum()), rows.size_bytes[chosen]
        rate = int(rows.wire_bytes[chosen].sum()) / max(1, transfer) if (sizes > 0).all() else None
        if rate is None and names[code] == "all_reduce" and estimate and estimate.size_bytes:
            factor = 2 * (estimate.participants - 1) / estimate.participants
            rate = estimate.size_bytes * factor * windows / max(1, transfer)
        kinds.append(
            KindTransfer(
                names[code],
                int(chosen.sum()) / windows,
                transfer // windows,
                exposed(chosen & rows.matched) // windows,
                exposed(chosen & ~rows.matched) // windows,
                rate,
            )
        )
    kinds.sort(key=lambda k: (-k.exposed_ns, k.kind))
    return Transfers(
        kinds=tuple(kinds),
        exposed_ns=exposed(rows.matched) // windows,
        unmatched_ns=exposed(~rows.matched) // windows,
        hosts_count=int(rows.hosts_count.max()),
        unseen=unseen_partners(found, ledger, facts, len(present)),
    )
