"""Sums of tensor parallelism are exposed: they run while nothing is computed."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.transfers import Transfers
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.judging.rules.several_gpus._transfer import judge_exposed, mixed_with_waiting

BARE = Threshold("transfer that no compute hides", 0.05, "ratio", "of the step: worth a warning")

NONE = "No GPUs sum in both the forward and the backward pass, as those that share a layer do."
SUMS = (
    "{n} GPUs sum parts of the model in the forward and the backward pass: {calls} calls per step transfer for "
    "{transfer:ms}."
)
SUMS_BYTES = (
    "{n} GPUs sum parts of the model in the forward and the backward pass: {calls} calls per step of {size:bytes} transfer "
    "for {transfer:ms}."
)


def judge(ledger: Ledger, transfers: Transfers, timeline: Timeline) -> Verdict:
    """Compares the exposed transfer within layers that are spread over GPUs with the step."""
    if mixed := mixed_with_waiting(transfers.unseen):
        return mixed
    found = transfers.tensor_parallel
    if found is None:
        return NotApplicable(NONE)
    calls = found.calls_per_step
    size = (found.size_bytes or 0) / calls
    return judge_exposed(
        found, ledger, timeline, BARE.value,
        told=say(SUMS_BYTES if size else SUMS, n=found.participants, calls=f"{calls:.3g}", size=size, transfer=found.transfer_ns),
        takes_part="GPUs that share a layer", only="only a sum within the model runs", calls="sums within the model",
    )  # fmt: skip


RULE = declared(judge, thresholds=(BARE,))
