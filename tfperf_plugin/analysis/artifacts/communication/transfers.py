"""Transfer in collectives while nothing is computed: by kind of call, and between parts of a model.

A model that is spread over GPUs exchanges by all-to-all, or sums in each layer (tensor parallelism). These
calls send activations in the forward pass and gradients in the backward pass, and the next layer needs their
result.
"""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.allreduce import (
    OfDevices,
    averages,
    device_shares,
    per_step,
    ring_factor,
    unseen_partners,
    within_model,
)
from tfperf_plugin.analysis.artifacts.communication.calls import (
    NAMED_KINDS,
    NO_CALLS,
    SEND_RECV,
    CallRows,
    CollectiveCalls,
    Gpu,
)
from tfperf_plugin.analysis.artifacts.communication.estimate import AllReduceEstimate
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.arrays.intervals import Bools, intersect, union
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record


class KindTransfer(Record, frozen=True):
    """Calls of one kind in an average judged step, averaged over the GPUs that communicate."""

    kind: str  #: A kind of ``KINDS``, or "all_to_all".
    calls_per_step: float
    transfer_ns: int  #: Time from the last arrival to the end.
    exposed_ns: int  #: Part of ``transfer_ns`` that no compute hides, in calls found on several GPUs.
    unmatched_ns: int  #: Exposed time of its calls that were found on one GPU only, which may be waiting.
    busbw_gbps: float | None  #: Bus bandwidth, GB/s; ``None`` where a call does not state its bytes.


class Exchange(OfDevices, frozen=True):
    """Calls between parts of a model in an average judged step, averaged over the GPUs that take part."""

    calls_per_step: float
    participants: int  #: Participants of the largest call.
    size_bytes: int | None  #: Size of all calls of a GPU, ``None`` where one does not state it.
    transfer_ns: int  #: Time from the last arrival to the end.
    exposed_ns: int  #: Part of ``transfer_ns`` that no compute hides.


class Transfers(Record, frozen=True):
    """Transfer in collectives of an average judged step, averaged over the GPUs that communicate."""

    kinds: tuple[KindTransfer, ...]  #: Kinds of calls by falling exposed transfer.
    exposed_ns: int
    unmatched_ns: int  #: Exposed time of calls found on one GPU only, which may be waiting.
    hosts_count: int  #: Number of hosts that the calls join.
    unseen: str  #: As in ``AllReduceTimes``.
    #: Share of the calls that send and receive that were found on several GPUs; ``None`` without such calls.
    sent_matched_ratio: float | None
    all_to_all: Exchange | None  #: Calls that exchange all-to-all, ``None`` without any.
    tensor_parallel: Exchange | None  #: Sums within a model, ``None`` without any.


def finish(
    found: CollectiveCalls, ledger: Ledger, estimate: AllReduceEstimate | None, facts: TrainingFacts | None
) -> Transfers | NotApplicable:
    """The transfers in judged steps of all hosts."""
    gpus, every = found.rows(ledger)
    if not len(every.call):
        return NO_CALLS
    kind = every.named_kind
    present = unique(every.gpu).tolist()
    windows = sum(int(ledger.common(gpus[g][0]).sum()) for g in present)
    bare = {g: gpus[g][0].judged_time(gpus[g][1], "communication.transfer") for g in present}
    rows = every.whole_arrays()

    def exposed_ns(chosen: Bools) -> int:
        """Exposed transfer of the chosen calls, on average."""
        mine = ((g, chosen & (rows.gpu == g)) for g in present)
        spans = ((g, union(rows.start_ns[at], rows.end_ns[at])) for g, at in mine)
        return sum(intersect(bare[g], span).total_ns for g, span in spans) // windows

    kinds = []
    for code in unique(kind).tolist():
        chosen = kind == code
        transfer = int(rows.transfer_ns[chosen].sum())
        wire: float | None = None
        if (rows.size_bytes[chosen] > 0).all():
            wire = int(rows.wire_bytes[chosen].sum())
        elif NAMED_KINDS[code] == "all_reduce" and estimate and estimate.size_bytes:
            wire = estimate.size_bytes * ring_factor(estimate.participants) * windows
        kinds.append(
            KindTransfer(
                NAMED_KINDS[code],
                int(chosen.sum()) / windows,
                transfer // windows,
                exposed_ns(chosen & rows.matched),
                exposed_ns(chosen & ~rows.matched),
                None if wire is None else wire / max(1, transfer),
            )
        )
    sent = rows.matched[rows.kind == SEND_RECV]
    return Transfers(
        kinds=tuple(sorted(kinds, key=lambda k: (-k.exposed_ns, k.kind))),
        exposed_ns=exposed_ns(rows.matched),
        unmatched_ns=exposed_ns(~rows.matched),
        hosts_count=int(rows.hosts_count.max()),
        unseen=unseen_partners(found, ledger, facts, len(present)),
        sent_matched_ratio=float(sent.mean()) if len(sent) else None,
        all_to_all=_exchange(ledger, gpus, every.only(every.all_to_all)),
        tensor_parallel=_exchange(ledger, gpus, every.only(within_model(every))),
    )


def _exchange(ledger: Ledger, gpus: list[Gpu], rows: CallRows) -> Exchange | None:
    if not len(rows.call):
        return None
    tables = per_step(ledger, gpus, rows)
    windows, (transfer, _, exposed, _) = averages(tables)
    known = bool((rows.size_bytes >= 0).all())
    return Exchange(
        calls_per_step=len(rows.call) / windows,
        participants=int(rows.participants.max()),
        size_bytes=int(rows.whole_arrays().size_bytes.sum()) // windows if known else None,
        transfer_ns=transfer,
        exposed_ns=exposed,
        devices=device_shares(gpus, tables, rows, rows.wait_ns),
    )
