"""All-to-all calls are exposed: they run while nothing is computed."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.transfers import Transfers
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.judging.rules.several_gpus._transfer import judge_exposed, matched, mixed_with_waiting

BARE = Threshold("transfer that no compute hides", 0.05, "ratio", "of the step: worth a warning")
MATCHED = matched()

NONE = "No all-to-all between GPUs was recorded."
PAIRS = "Each GPU exchanges data with one other GPU at a time: this is not all-to-all."
TRANSFERS = "All-to-all transfers for {transfer:ms} per step."
TRANSFERS_BYTES = "All-to-all transfers for {transfer:ms} per step; each GPU hands in {size:bytes} per call."


def judge(ledger: Ledger, transfers: Transfers, timeline: Timeline) -> Verdict:
    """Compares the exposed transfer of all-to-all calls with the step."""
    if transfers.sent_matched_ratio is None:
        return NotApplicable(NONE)
    if mixed := mixed_with_waiting(transfers.unseen, transfers.sent_matched_ratio, MATCHED.value):
        return mixed
    found = transfers.all_to_all
    if found is None:
        return NotApplicable(PAIRS)
    size = (found.size_bytes or 0) / found.calls_per_step
    return judge_exposed(
        found, ledger, timeline, BARE.value,
        told=say(TRANSFERS_BYTES if size else TRANSFERS, transfer=found.transfer_ns, size=size),
        takes_part="GPUs that take part in a call", only="only all-to-all runs", calls="all-to-all calls",
    )  # fmt: skip


RULE = declared(judge, thresholds=(BARE, MATCHED))
