"""Sums of tensor parallelism are exposed: they run while nothing is computed."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.exchanges import ModelExchanges
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.exposed import judge_exposed
from tfperf_plugin.judging.engine.rule import NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gigabytes, ms

BARE = Threshold("transfer that no compute hides", 0.05, "ratio", "of the step: worth a warning")


def judge(ledger: Ledger, exchanges: ModelExchanges, timeline: Timeline) -> Verdict:
    """Compares the exposed transfer within layers that are spread over GPUs with the step."""
    if exchanges.unseen:
        return NotApplicable(f"Waiting for other GPUs counts as transfer here: {exchanges.unseen}.")
    found = exchanges.tensor_parallel
    if found is None:
        return NotApplicable(
            "No GPUs sum in both the forward and the backward pass, as those that share a layer do."
        )
    size = found.size_bytes and gigabytes(found.size_bytes / found.calls_per_step)
    calls = f"{found.calls_per_step:.3g} calls per step" + (f" of {size}" if size else "")
    return judge_exposed(
        found, ledger, timeline, BARE.value,
        transfers="Sums within the model transfer",
        begin=f"{found.participants} GPUs sum parts of the model in the forward and the backward pass: {calls} transfer "
        f"for {ms(found.transfer_ns)}",
        end="",
        takes_part="GPUs that share a layer",
        only="only a sum within the model runs",
        calls="these calls",
    )  # fmt: skip


_ACTIONS = (
    "Spread each layer over fewer GPUs, at most those connected by NVLink, and use the other GPUs for data parallelism, whose exchange compute can hide.",
    "Replace each sum by reduce-scatter and all-gather around the layers in between (sequence parallelism), which also divides the activations.",
    "Split products so that one part is summed while the next one is computed (asynchronous tensor parallelism).",
    "Give each GPU a larger batch: compute per call grows, the cost of starting a call does not.",
    "If the sums are those of synchronized batch normalization, use the plain one with a larger batch per GPU.",
)
RULE = declared(judge, thresholds=(BARE,))
