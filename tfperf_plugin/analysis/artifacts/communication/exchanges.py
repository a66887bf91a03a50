"""Exchanges inside a model that is spread over GPUs: all-to-all, and sums of tensor parallelism.

Such calls send activations in the forward pass and gradients in the backward pass, and the next layer needs
their result.
"""

from __future__ import annotations

import numpy as np

from tfperf_plugin.analysis.artifacts.communication.allreduce import (
    OfDevices,
    device_shares,
    per_step,
    unseen_partners,
    within_model,
)
from tfperf_plugin.analysis.artifacts.communication.calls import (
    NO_CALLS,
    SEND_RECV,
    CallRows,
    CollectiveCalls,
    Gpu,
)
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.intervals import Bools
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.records import Record


class Exchange(OfDevices, frozen=True):
    """Calls of one purpose in an average judged step, averaged over the GPUs that take part."""

    calls_per_step: float
    #: Participants of the largest call.
    participants: int
    #: Size of all calls of a GPU, ``None`` where one does not state it.
    size_bytes: int | None
    #: Time from the last arrival to the end.
    transfer_ns: int
    #: Part of ``transfer_ns`` that no compute hides.
    exposed_ns: int


class ModelExchanges(Record, frozen=True):
    """The exchanges of a run, ``None`` where there are none."""

    all_to_all: Exchange | None
    tensor_parallel: Exchange | None
    #: Whether GPUs send and receive at all.
    sending: bool
    #: Share of the calls that send and receive that were found on several GPUs.
    sent_matched_ratio: float
    #: As in ``AllReduceTimes``.
    unseen: str


def finish(
    found: CollectiveCalls, ledger: Ledger, facts: TrainingFacts | None
) -> ModelExchanges | NotApplicable:
    """The exchanges in judged steps of all hosts."""
    gpus, rows = found.rows(ledger)
    if not len(rows.call):
        return NO_CALLS
    sent = rows.matched[rows.kind == SEND_RECV]
    return ModelExchanges(
        all_to_all=_exchange(ledger, gpus, rows, rows.all_to_all),
        tensor_parallel=_exchange(ledger, gpus, rows, within_model(rows)),
        sending=bool(len(sent)),
        sent_matched_ratio=float(sent.mean()) if len(sent) else 0.0,
        unseen=unseen_partners(found, ledger, facts, len(unique(rows.gpu))),
    )


def _exchange(ledger: Ledger, gpus: list[Gpu], every: CallRows, chosen: Bools) -> Exchange | None:
    rows = every.only(chosen)
    if not len(rows.call):
        return None
    tables = per_step(ledger, gpus, rows)
    windows = sum(table.shape[1] for table in tables.values())
    transfer, _, exposed, _ = np.sum([table.sum(axis=1) for table in tables.values()], axis=0).tolist()
    known = bool((rows.size_bytes >= 0).all())
    return Exchange(
        calls_per_step=len(rows.call) / windows,
        participants=int(rows.participants.max()),
        size_bytes=int(rows.whole_arrays().size_bytes.sum()) // windows if known else None,
        transfer_ns=transfer // windows,
        exposed_ns=exposed // windows,
        devices=device_shares(gpus, tables, rows, rows.wait_ns),
    )
