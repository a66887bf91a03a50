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
from tfperf_plugin.judging.engine.words import listing, ms, percent

BARE = Threshold("transfer that no compute hides", 0.1, "ratio", "of the step: half of it is worth a warning")
# Half the bytes (16 instead of 32 bit), or an exchange every second step.
_HALF: Final = 2
# Calls this many times as long as starting one get shorter in proportion to their bytes.
_LARGE: Final = 10
_WORDS: Final = {
    "all_reduce": "AllReduce",
    "reduce_scatter": "reduce-scatter",
    "all_gather": "all-gather",
    "all_to_all": "all-to-all",
    "send_recv": "send and receive",
    "other": "collectives",
}
_GRADIENTS: Final = ("all_reduce", "reduce_scatter")


def judge(
    ledger: Ledger, transfers: Transfers, estimate: AllReduceEstimate | None, timeline: Timeline
) -> Verdict:
    """Compares the exposed transfer of all collectives with the step."""
    if transfers.unseen:
        return NotApplicable(f"Waiting for other GPUs counts as transfer here: {transfers.unseen}.")
    step_ns, exposed = max(1, ledger.step_ns), transfers.exposed_ns
    least = int(BARE.value * step_ns)
    if exposed < least:
        if transfers.unmatched_ns + exposed >= least:
            return NotApplicable(
                f"Collectives take {ms(transfers.unmatched_ns)} per step in calls that were found on one GPU only, "
                "where waiting cannot be told from transfer."
            )
        return Passed(
            f"Collectives transfer for {percent(exposed / step_ns)} of the step with no compute beside."
        )
    compute, most = ledger.average()["compute"], transfers.kinds[0]
    kinds = [k for k in transfers.kinds if k.exposed_ns >= exposed / 10]
    names = listing([_WORDS.get(k.kind, k.kind) for k in kinds])
    gradients = all(k.kind in _GRADIENTS for k in kinds)
    half = "half the bytes, or an exchange every second step," if gradients else "half the bytes"
    begin = (
        f"{names[0].upper()}{names[1:]} transfer{'s' if len(kinds) == 1 and names != 'collectives' else ''}"
    )
    spent = f"{begin} for {ms(exposed)} per step while nothing is computed ({percent(exposed / step_ns)} of the step)"
    rate = _rate(most, transfers.hosts_count, estimate)
    bound = exposed > compute  # no overlap can hide it
    return Found(
        title=None if bound else "Exposed communication",
        cause=f"{spent}{rate}.",
        summary=(
            f"{'The step is bound by communication: ' if bound else ''}{spent}{rate}. "
            f"{_link(most, transfers.hosts_count, estimate)}With {half} {ms(exposed // _HALF)} would go."
        ),
        evidence=(
            Evidence("transfer that no compute hides", exposed, "ns", least, "account Exposed transfer"),
            Evidence("share of the step", exposed / step_ns, "ratio", BARE.value, "step budget"),
            Evidence("compute per step", compute, "ns", None, "account Compute"),
            *(
                Evidence(f"of it in {_WORDS.get(k.kind, k.kind)}", k.exposed_ns, "ns", None,
                         f"{k.calls_per_step:.3g} calls per step; last arrival to end")
                for k in kinds
            ),
            *((Evidence("rate reached", most.busbw_gbps, "GB/s", None, "bus bandwidth, nccl-tests' definition"),)
              if most.busbw_gbps else ()),
        ),
        where=timeline.worst(["communication.transfer"], "only collectives run"),
        claims={"communication.transfer": exposed // _HALF},
        basis="half of the exposed transfer: half the bytes take half the time",
        confidence="high" if most.transfer_ns >= _LARGE * STARTUP_NS * most.calls_per_step else "medium",
        independent=bound,
    )  # fmt: skip


def _rate(most: KindTransfer, hosts_count: int, estimate: AllReduceEstimate | None) -> str:
    """The rate reached and, where a host's link is not known, the slowest link that carries it."""
    if not most.busbw_gbps:
        return ""
    known = hosts_count > 1 or (estimate and estimate.bandwidth_gbps)
    link = None if known else link_carrying(most.busbw_gbps * 1e9)
    like = f", no more than {link.name} carries" if link else ""
    return f", at {most.busbw_gbps:.3g} GB/s{like}"


def _link(most: KindTransfer, hosts_count: int, estimate: AllReduceEstimate | None) -> str:
    """What is known about the link, or how to learn whether the path is slow."""
    if estimate and estimate.bandwidth_gbps:
        basis = estimate.bandwidth_basis.partition(",")[0]
        return f"The link allows {estimate.bandwidth_gbps:.3g} GB/s ({basis}). "
    between = "hosts" if hosts_count > 1 else "GPUs"
    return f"The link between these {between} is not known: state it to tell a slow path from a link at its limit. "


_STATE = "State the link: enter it in the card AllReduce, or give --bandwidth (GB/s per GPU and direction, or a link such as 'PCIe 4 x16'). nvidia-smi topo -m shows it; NCCL_DEBUG=INFO shows the path that NCCL takes."
_LESS = (
    "More work per exchange: raise the batch per GPU if memory and convergence allow it; gradients stay as many.",
    "Use fewer GPUs, or GPUs that are joined by NVLink, if the link is at its limit.",
)
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
