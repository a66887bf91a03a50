"""PyTorch's DistributedDataParallel looks for parameters without a gradient while GPUs wait."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.wrappers import Wrappers
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import gpus, say

NO_SEARCH = "DistributedDataParallel does not look for unused parameters."
SEARCHES = (
    "After each forward pass, DistributedDataParallel walks the graph of the whole model for parameters that get no "
    "gradient; meanwhile the {gpus} idle for {idle:ms} of a step. It does so only with find_unused_parameters=True."
)
BASIS = "all time in which a GPU is idle during the search"


def judge(ledger: Ledger, wrappers: Wrappers) -> Verdict:
    """Compares the time in which GPUs idle during the search with the step."""
    if not wrappers.searches_count or not wrappers.idle:
        return NotApplicable(NO_SEARCH)
    idle = wrappers.idle.total_ns
    share = idle / max(1, ledger.step_ns)
    return Found(
        summary=say(SEARCHES, gpus=gpus(ledger.gpus_count), idle=idle),
        evidence=(
            Evidence("idle while it searches", share, "ratio", LEAST.value, "step budget, and events search_unused_parameters"),
            Evidence("searches", round(wrappers.searches_count / max(1, wrappers.steps_count), 1), "per_step", None, "events search_unused_parameters, per host"),
        ),
        where=wrappers.searches.all(),
        claims={account: ns for account, ns in wrappers.idle.ns.items() if ns},
        basis=BASIS,
        confidence="high",
    )  # fmt: skip


RULE = declared(judge, needs=("clocks",))
