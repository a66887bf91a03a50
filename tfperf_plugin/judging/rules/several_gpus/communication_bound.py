"""The GPUs spend much of the step on transfers between them, and nothing is computed meanwhile."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.by_host import RunFacts
from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.communication.allreduce import UNMATCHED, AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.estimate import STARTUP_NS, AllReduceEstimate
from tfperf_plugin.analysis.artifacts.communication.transfers import Transfers
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.collectives import NAMES
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.links import link_carrying
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import cost
from tfperf_plugin.judging.engine.words import listing, say, together

BARE = Threshold("transfer that no compute hides", 0.1, "ratio", "of the step: half of it is worth a warning")
# Half the bytes (16 instead of 32 bit), or an exchange every second step.
HALF: Final = 2
# Calls this many times as long as starting one get shorter in proportion to their bytes.
LARGE_TIMES: Final = 10
GRADIENTS: Final = ("all_reduce", "reduce_scatter")
SHARDED: Final = {"all_gather", "reduce_scatter"}

ALONE = "Collectives ({names}) run for {exposed:ms} per step while nothing is computed, {share:percent} of the step."
UNSEEN = "How much of it is transfer and how much is waiting for other GPUs is not recorded: {why}."
ON_ONE = "these calls were found on one GPU only"
LITTLE = "Collectives transfer for {share:percent} of the step with no compute beside."
BOUND = "The step is bound by communication."
SPENT = "Collectives ({names}) transfer for {exposed:ms} per step while nothing is computed, {share:percent} of the step{at}."
AT = ", at {rate} GB/s"
AT_LINK = ", at {rate} GB/s, no more than {link} carries"
LINK = "The link allows {rate} GB/s ({source})."
UNKNOWN = (
    "The link between these {parties} is not known: state it to tell a slow path from a link at its limit."
)
HALF_GRADIENTS = "With half the bytes, or an exchange every second step, {half:ms} would go."
HALF_BYTES = "With half the bytes {half:ms} would go."
CALLS = "{calls} calls per step; last arrival to end"
BASIS_ALONE = "half of the exposed time, which holds waiting as well: half the bytes take half the time"
BASIS = "half of the exposed transfer: half the bytes take half the time"


def judge(
    ledger: Ledger,
    transfers: Transfers,
    estimate: AllReduceEstimate | None,
    times: AllReduceTimes | None,
    timeline: Timeline,
    run: RunFacts,
    capture: Capture,
) -> Verdict:
    """Compares the exposed transfer of all collectives with the step."""
    step_ns, exposed = max(1, ledger.step_ns), transfers.exposed_ns
    least = int(BARE.value * step_ns)
    if transfers.unmatched_ns + exposed >= least and (transfers.unseen or exposed < least):
        return _with_waiting(ledger, transfers, timeline, bool(run.beside))
    if exposed < least:
        return Passed(say(LITTLE, share=exposed / step_ns))
    compute, most = ledger.average()["compute"], transfers.kinds[0]
    kinds = [k for k in transfers.kinds if k.exposed_ns >= exposed / 10]
    names = listing([NAMES[k.kind] for k in kinds])
    gradients = all(k.kind in GRADIENTS for k in kinds)
    several = min(transfers.hosts_count, capture.machines_count) > 1
    allowed = estimate.bandwidth_gbps if estimate else None
    # Where the link of a host is not known, the slowest one that carries the rate is named.
    rate = most.busbw_gbps
    carrier = link_carrying(rate * 1e9) if rate and not several and not allowed else None
    link = carrier.name if carrier else ""
    at = say(AT_LINK if carrier else AT, rate=f"{rate:.3g}", link=link) if rate else ""
    spent = say(SPENT, names=names, exposed=exposed, share=exposed / step_ns, at=at)
    sharded, narrow = {k.kind for k in kinds} >= SHARDED, times is not None and times.element_bytes <= 2
    bound = exposed > compute  # no overlap can hide it
    half = exposed // HALF
    return Found(
        cause=spent,
        summary=together(
            BOUND if bound else "",
            spent,
            say(
                LINK if allowed else UNKNOWN,
                HALF_GRADIENTS if gradients else HALF_BYTES,
                rate=f"{allowed or 0:.3g}", source=estimate.bandwidth_basis.partition(",")[0] if estimate else "", half=half,
                parties="hosts" if several else "GPUs",
            ),
        ),
        advice="" if bound else "compute could hide it",
        values={
            "weights are sharded": sharded,
            "weights in 32 bit": sharded and not narrow,
            "gradients in 32 bit": not sharded and not narrow,
            "in 16 bit already": narrow,
        },
        evidence=(
            *cost("transfer that no compute hides", exposed, step_ns, "account Exposed transfer", least=BARE),
            Evidence("compute per step", compute, "ns", None, "account Compute"),
            *(Evidence(f"of it in {NAMES[k.kind]}", k.exposed_ns, "ns", None, say(CALLS, calls=f"{k.calls_per_step:.3g}")) for k in kinds),
            *([Evidence("rate reached", rate, "GB/s", None, "bus bandwidth, nccl-tests' definition")] if rate else []),
        ),
        where=timeline.worst(["communication.transfer"], "only collectives run"),
        claims={"communication.transfer": half},
        basis=BASIS,
        confidence="high" if most.transfer_ns >= LARGE_TIMES * STARTUP_NS * most.calls_per_step else "medium",
        independent=bound,
    )  # fmt: skip


def _with_waiting(ledger: Ledger, transfers: Transfers, timeline: Timeline, beside: bool) -> Found:
    """Collectives of which not all GPUs were recorded: their time holds waiting as well.

    ``beside``: whether other hosts were captured into folders of their own.
    """
    step_ns, compute = max(1, ledger.step_ns), ledger.average()["compute"]
    exposed = transfers.exposed_ns + transfers.unmatched_ns
    times = sorted(((k.exposed_ns + k.unmatched_ns, NAMES[k.kind]) for k in transfers.kinds), reverse=True)
    names = [name for ns, name in times if ns >= exposed / 10]
    missing = "calls were not matched" if transfers.unseen == UNMATCHED else "not all GPUs were recorded"
    return Found(
        summary=together(
            say(ALONE, names=listing(names), exposed=exposed, share=exposed / step_ns),
            say(UNSEEN, why=transfers.unseen or ON_ONE),
        ),
        advice="hosts lie in folders of their own" if beside else missing,
        evidence=(
            *cost("collectives that no compute hides", exposed, step_ns, "account Exposed transfer", least=BARE),
            Evidence("compute per step", compute, "ns", None, "account Compute"),
            *(Evidence(f"of it in {name}", ns, "ns", None, "begin to end of its calls") for ns, name in times if ns),
        ),
        where=timeline.worst(["communication.transfer"], "only collectives run"),
        claims={"communication.transfer": exposed // HALF},
        basis=BASIS_ALONE,
        confidence="low",
    )  # fmt: skip


RULE = declared(
    judge,
    thresholds=(BARE,),
    explained_by=(
        "allreduce-slow", "allreduce-fragmented", "allreduce-exposed", "all-to-all-exposed",
        "tensor-parallel-exposed", "gpus-run-serially", "pipeline-bubble",
    ),
    yields_to=("allreduce-slow", "allreduce-fragmented"),
)  # fmt: skip
