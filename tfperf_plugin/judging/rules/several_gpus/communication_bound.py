"""The GPUs spend much of the step on transfers between them, and nothing is computed meanwhile."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.communication.estimate import STARTUP_NS, AllReduceEstimate
from tfperf_plugin.analysis.artifacts.communication.transfers import KindTransfer, Transfers
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.links import link_carrying
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say, together
from tfperf_plugin.judging.engine.words import listing

BARE = Threshold("transfer that no compute hides", 0.1, "ratio", "of the step: half of it is worth a warning")
# Half the bytes (16 instead of 32 bit), or an exchange every second step.
HALF: Final = 2
# Calls this many times as long as starting one get shorter in proportion to their bytes.
LARGE_TIMES: Final = 10
WORDS: Final = {
    "all_reduce": "AllReduce",
    "reduce_scatter": "reduce-scatter",
    "all_gather": "all-gather",
    "all_to_all": "all-to-all",
    "send_recv": "send and receive",
    "other": "other collectives",
}
GRADIENTS: Final = ("all_reduce", "reduce_scatter")

UNSEEN = "Waiting for other GPUs counts as transfer here: {why}."
UNMATCHED = (
    "Collectives take {unmatched:ms} per step in calls that were found on one GPU only, where waiting cannot be told from "
    "transfer."
)
LITTLE = "Collectives transfer for {share:percent} of the step with no compute beside."
BOUND = "The step is bound by communication."
SPENT = "Collectives ({names}) transfer for {exposed:ms} per step while nothing is computed, {share:percent} of the step."
SPENT_AT = (
    "Collectives ({names}) transfer for {exposed:ms} per step while nothing is computed, {share:percent} of the step, at "
    "{rate} GB/s."
)
SPENT_LIKE = (
    "Collectives ({names}) transfer for {exposed:ms} per step while nothing is computed, {share:percent} of the step, at "
    "{rate} GB/s, no more than {link} carries."
)
LINK = "The link allows {rate} GB/s ({source})."
UNKNOWN_GPUS = (
    "The link between these GPUs is not known: state it to tell a slow path from a link at its limit."
)
UNKNOWN_HOSTS = (
    "The link between these hosts is not known: state it to tell a slow path from a link at its limit."
)
HALF_GRADIENTS = "With half the bytes, or an exchange every second step, {half:ms} would go."
HALF_BYTES = "With half the bytes {half:ms} would go."
CALLS = "{calls} calls per step; last arrival to end"
BASIS = "half of the exposed transfer: half the bytes take half the time"


def judge(
    ledger: Ledger, transfers: Transfers, estimate: AllReduceEstimate | None, timeline: Timeline
) -> Verdict:
    """Compares the exposed transfer of all collectives with the step."""
    if transfers.unseen:
        return NotApplicable(say(UNSEEN, why=transfers.unseen))
    step_ns, exposed = max(1, ledger.step_ns), transfers.exposed_ns
    least = int(BARE.value * step_ns)
    if exposed < least:
        if transfers.unmatched_ns + exposed >= least:
            return NotApplicable(say(UNMATCHED, unmatched=transfers.unmatched_ns))
        return Passed(say(LITTLE, share=exposed / step_ns))
    compute, most = ledger.average()["compute"], transfers.kinds[0]
    kinds = [k for k in transfers.kinds if k.exposed_ns >= exposed / 10]
    names = listing([WORDS.get(k.kind, k.kind) for k in kinds])
    gradients = all(k.kind in GRADIENTS for k in kinds)
    spent = _spent(names, exposed, exposed / step_ns, most, transfers.hosts_count, estimate)
    bound = exposed > compute  # no overlap can hide it
    half = exposed // HALF
    return Found(
        cause=spent,
        summary=together(
            BOUND if bound else "",
            spent,
            _link(transfers.hosts_count, estimate),
            say(HALF_GRADIENTS, half=half) if gradients else say(HALF_BYTES, half=half),
        ),
        advice="" if bound else "compute could hide it",
        evidence=(
            Evidence("transfer that no compute hides", exposed, "ns", least, "account Exposed transfer"),
            Evidence("share of the step", exposed / step_ns, "ratio", BARE.value, "step budget"),
            Evidence("compute per step", compute, "ns", None, "account Compute"),
            *(
                Evidence(f"of it in {WORDS.get(k.kind, k.kind)}", k.exposed_ns, "ns", None, say(CALLS, calls=f"{k.calls_per_step:.3g}"))
                for k in kinds
            ),
            *((Evidence("rate reached", most.busbw_gbps, "GB/s", None, "bus bandwidth, nccl-tests' definition"),)
              if most.busbw_gbps else ()),
        ),
        where=timeline.worst(["communication.transfer"], "only collectives run"),
        claims={"communication.transfer": exposed // HALF},
        basis=BASIS,
        confidence="high" if most.transfer_ns >= LARGE_TIMES * STARTUP_NS * most.calls_per_step else "medium",
        independent=bound,
    )  # fmt: skip


def _spent(
    names: str,
    exposed: int,
    share: float,
    most: KindTransfer,
    hosts_count: int,
    estimate: AllReduceEstimate | None,
) -> str:
    """The cost, the rate reached and, where a host's link is not known, the slowest link that carries it."""
    told = {"names": names, "exposed": exposed, "share": share}
    if not most.busbw_gbps:
        return say(SPENT, **told)
    rate = f"{most.busbw_gbps:.3g}"
    known = hosts_count > 1 or (estimate and estimate.bandwidth_gbps)
    link = None if known else link_carrying(most.busbw_gbps * 1e9)
    return say(SPENT_LIKE, rate=rate, link=link.name, **told) if link else say(SPENT_AT, rate=rate, **told)


def _link(hosts_count: int, estimate: AllReduceEstimate | None) -> str:
    """What is known about the link, or how to learn whether the path is slow."""
    if estimate and estimate.bandwidth_gbps:
        basis = estimate.bandwidth_basis.partition(",")[0]
        return say(LINK, rate=f"{estimate.bandwidth_gbps:.3g}", source=basis)
    return UNKNOWN_HOSTS if hosts_count > 1 else UNKNOWN_GPUS


RULE = declared(
    judge,
    thresholds=(BARE,),
    explained_by=(
        "allreduce-slow",
        "allreduce-fragmented",
        "allreduce-exposed",
        "all-to-all-exposed",
        "tensor-parallel-exposed",
        "gpus-run-serially",
        "pipeline-bubble",
    ),
    yields_to=("allreduce-slow", "allreduce-fragmented"),
)
