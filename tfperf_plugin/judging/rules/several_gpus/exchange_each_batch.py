"""Gradients are exchanged for each micro-batch, although the optimizer uses only their sum."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.rounds import ExchangeRounds
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import say

OFTEN = Threshold(
    "exchanges for each update", 1.5, "times", "one is enough; steps whose update was skipped have some more"
)

SHARDED = "Weights are sharded: gradients are scattered at once, so that no GPU holds all of them."
UNKNOWN = "The names of ops do not tell the passes and the optimizer, so updates cannot be counted."
ONCE = "Gradients are exchanged once for each update of the optimizer."
EXCHANGED = (
    "Gradients are exchanged {often} times for each update of the optimizer, although it uses only their sum: once for "
    "each micro-batch. All but the last exchange transfer for {transfer:ms} per step, {exposed:ms} of it while nothing is "
    "computed."
)
BASIS = (
    "exposed transfer of all exchanges but the last before an update; waiting for late GPUs moves to that one"
)


def judge(ledger: Ledger, times: AllReduceTimes, rounds: ExchangeRounds) -> Verdict:
    """Compares the exchanges of gradients with the updates that need them."""
    if times.exchange == "sharded_weights":
        return NotApplicable(SHARDED)
    if not rounds.per_update:
        return NotApplicable(UNKNOWN)
    if rounds.per_update < OFTEN.value:
        return Passed(ONCE)
    often, exposed = f"{rounds.per_update:.2g}", rounds.exposed_ns
    return Found(
        summary=say(EXCHANGED, often=often, transfer=rounds.transfer_ns, exposed=exposed),
        evidence=(
            Evidence("exchanges for each update", round(rounds.per_update, 1), "times", OFTEN.value, "AllReduce between parts of the backward pass, before the optimizer"),
            Evidence("transfer of all but the last", rounds.transfer_ns, "ns", None, "last arrival to end of each call, per step and GPU"),
            Evidence("its part that no compute hides", exposed, "ns", int(LEAST.value * ledger.step_ns), "account Exposed transfer"),
        ),
        where=rounds.where.all(),
        claims={"communication.transfer": exposed},
        basis=BASIS,
        confidence="medium" if times.unseen else "high",
    )  # fmt: skip


RULE = declared(judge, thresholds=(OFTEN,))
