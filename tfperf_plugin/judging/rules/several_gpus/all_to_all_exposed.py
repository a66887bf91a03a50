"""All-to-all calls are exposed: they run while nothing is computed."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.exchanges import ModelExchanges
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.exposed import judge_exposed
from tfperf_plugin.judging.engine.rule import NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gigabytes, ms

BARE = Threshold("transfer that no compute hides", 0.05, "ratio", "of the step: worth a warning")
MATCHED = Threshold(
    "calls found on several GPUs", 0.8, "ratio", "of others waiting cannot be told from transfer"
)


def judge(ledger: Ledger, exchanges: ModelExchanges, timeline: Timeline) -> Verdict:
    """Compares the exposed transfer of all-to-all calls with the step."""
    if not exchanges.sending:
        return NotApplicable("No all-to-all between GPUs was recorded.")
    if exchanges.unseen:
        return NotApplicable(f"Waiting for other GPUs counts as transfer here: {exchanges.unseen}.")
    if exchanges.sent_matched_ratio < MATCHED.value:
        return NotApplicable("Most calls were not found on a second GPU: waiting counts as transfer.")
    found = exchanges.all_to_all
    if found is None:
        return NotApplicable("Each GPU exchanges data with one other GPU at a time: this is not all-to-all.")
    size = found.size_bytes and gigabytes(found.size_bytes / found.calls_per_step)
    return judge_exposed(
        found, ledger, timeline, BARE.value,
        transfers="All-to-all transfers",
        begin=f"All-to-all transfers for {ms(found.transfer_ns)} per step",
        end=f" Each GPU hands in {size} per call." if size else "",
        takes_part="GPUs that take part in a call",
        only="only all-to-all runs",
        calls="all-to-all",
    )  # fmt: skip


_ACTIONS = (
    "Overlap the exchange with layers that do not depend on it (dense layers, attention, the shared expert): start it early and use its result late.",
    "Split each batch into two micro-batches, and exchange one while computing the other.",
    "Exchange less: lower the capacity factor, balance experts with an auxiliary loss, send 16-bit activations, send fewer or narrower embeddings.",
    "Keep experts or embedding tables within one host where memory allows, or exchange within hosts first and then once between hosts (hierarchical all-to-all).",
)
RULE = declared(judge, thresholds=(BARE, MATCHED))
