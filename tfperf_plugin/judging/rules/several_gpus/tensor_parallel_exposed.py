"""Sums of tensor parallelism are exposed: they run while nothing is computed."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.exchanges import ModelExchanges
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.rules.several_gpus._exposed import judge_exposed

BARE = Threshold("transfer that no compute hides", 0.05, "ratio", "of the step: worth a warning")

UNSEEN = "Waiting for other GPUs counts as transfer here: {why}."
NONE = "No GPUs sum in both the forward and the backward pass, as those that share a layer do."
SUMS = (
    "{n} GPUs sum parts of the model in the forward and the backward pass: {calls} calls per step transfer for "
    "{transfer:ms}."
)
SUMS_BYTES = (
    "{n} GPUs sum parts of the model in the forward and the backward pass: {calls} calls per step of {size:bytes} transfer "
    "for {transfer:ms}."
)


def judge(ledger: Ledger, exchanges: ModelExchanges, timeline: Timeline) -> Verdict:
    """Compares the exposed transfer within layers that are spread over GPUs with the step."""
    if exchanges.unseen:
        return NotApplicable(say(UNSEEN, why=exchanges.unseen))
    found = exchanges.tensor_parallel
    if found is None:
        return NotApplicable(NONE)
    calls, size = found.calls_per_step, found.size_bytes
    return judge_exposed(
        found, ledger, timeline, BARE.value,
        told=say(SUMS_BYTES if size else SUMS, n=found.participants, calls=f"{calls:.3g}", transfer=found.transfer_ns,
                 size=(size or 0) / calls),
        takes_part="GPUs that share a layer",
        only="only a sum within the model runs",
        calls="sums within the model",
    )  # fmt: skip


RULE = declared(judge, thresholds=(BARE,))
