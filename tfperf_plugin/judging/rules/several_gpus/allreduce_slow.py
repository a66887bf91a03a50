"""AllReduce transfers more slowly than the link between the GPUs allows."""

from __future__ import annotations

from typing import Final, NamedTuple

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.estimate import STARTUP_NS, AllReduceEstimate
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence, Missing
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import known_row
from tfperf_plugin.judging.engine.words import listing, say, together
from tfperf_plugin.judging.rules.several_gpus._transfer import matched, mixed_with_waiting
from tfperf_plugin.recording.record import TrainingFacts

SLOW = Threshold(
    "transfer against what the link allows", 1.5, "times",
    "published nccl-tests results of one link differ by some 10 %; half as long again is none of that",
)  # fmt: skip
TOO_SLOW = Threshold(
    "transfer so slow that GPUs of other hosts may take part", 10, "times",
    "NVLink against a network of one port",
)  # fmt: skip
MATCHED = matched()

# Values with which these variables keep NCCL from a fast path.
HINDRANCES: Final = {
    "NCCL_P2P_DISABLE": "1", "NCCL_SHM_DISABLE": "1", "NCCL_IB_DISABLE": "1", "NCCL_NVLS_ENABLE": "0",
}  # fmt: skip

FAST = "AllReduce transfers for {transfer:ms} per step, {ratio} times what the link needs."
USUAL = "AllReduce transfers for {transfer:ms} per step, no longer than usual over {link}, and such GPUs have no faster link."
NO_BANDWIDTH = "AllReduce transfers for {transfer:ms} per step; {why}."
NO_BANDWIDTH_BUT_USUAL = "AllReduce transfers for {transfer:ms} per step, which even {link} allows; {why}."
NO_BYTES = "how many bytes it moves is not recorded"
STATE = (
    "Enter the number of parameters and the bandwidth in the card AllReduce, or give --parameters and --bandwidth (GB/s per "
    "GPU and direction, or a link such as 'NVLink 3')."
)
TRANSFERS = "AllReduce transfers for {transfer:ms} per step, without waiting."
MOVES = "It moves {size:bytes} per step at {rate} GB/s and needs {transfer:ms} for that, without waiting."
RING = "A ring needs {bound:ms} with {bandwidth} GB/s ({source})."
PRACTICE = "Such links need {bound:ms} in practice."
SLOWEST = "The slowest link that such GPUs have in one host, {link}, would need {bound:ms}, starting the calls included."
LARGEST = "The largest calls of this profile reach {rate} GB/s; at that rate all would need {bound:ms}."
HINDERED = "The training recorded {settings}, which keeps NCCL from a fast path."
OTHERS = "If GPUs of hosts that were not recorded take part, waiting for them is counted here."
CAUSE = "AllReduce transfers for {transfer:ms} per step where {what} would need {bound:ms}."
UNSET = "Unset {names}"
RING_SOURCE = "2(n−1)/n × bytes / {bandwidth} GB/s ({source})"
SLOWEST_SOURCE = "2(n−1)/n × bytes / {rate} GB/s + {start:ms} a call; line rate less 20 % for the protocol"
LARGEST_SOURCE = "2(n−1)/n × bytes / {rate} GB/s, which this link reaches at the least"
BASIS = "exposed transfer × (1 − time that the link needs / measured transfer)"
BASIS_LINK = "exposed transfer × (1 − time that a link which is surely there needs / measured transfer)"


class Limit(NamedTuple):
    """A time within the reach of the link, which the transfer exceeds: a sentence on it, and its evidence.

    ``small_calls``: it is what the largest calls of the profile reach.
    """

    bound_ns: int
    said: str
    evidence: tuple[Evidence, ...]
    small_calls: bool = False


def judge(
    times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline, facts: TrainingFacts | None
) -> Verdict:
    """Compares the transfer, without waiting, with the ring bound and what this link reaches in practice."""
    if mixed := mixed_with_waiting(times.unseen, times.matched_ratio, MATCHED.value):
        return mixed
    transfer, size = times.transfer_ns, estimate.size_bytes
    limit = (
        _of_link(transfer, estimate)
        if estimate.bound_ns is not None
        else _without_link(transfer, estimate, times.sharded)
    )
    if not isinstance(limit, Limit):
        return limit
    bound, small = limit.bound_ns, limit.small_calls
    ratio, known = transfer / max(1, bound), estimate.bound_ns is not None
    rate = f"{times.busbw_gbps:.3g}" if times.busbw_gbps else ""
    # No other GPU takes part: several hosts were joined, or the training recorded as many replicas.
    complete = times.hosts_count > 1 or bool(facts and facts.replicas == times.participants)
    others = not complete and not small and (not known or ratio >= TOO_SLOW.value)
    size_known = estimate.size_basis.startswith("recorded") or estimate.parameters_source in (
        "given",
        "recorded",
    )
    hindered = [name for name, value in HINDRANCES.items() if facts and facts.variable(name) == value]
    settings = listing([f"{name}={HINDRANCES[name]}" for name in hindered])
    parameters = estimate.parameters
    return Found(
        cause=say(CAUSE, transfer=transfer, what="large calls" if small else "the link", bound=bound),
        summary=together(
            say(MOVES if rate else TRANSFERS, size=size or 0, rate=rate, transfer=transfer),
            limit.said,
            say(HINDERED if hindered else "", OTHERS if others else "", settings=settings),
        ),
        action=say(UNSET, names=listing(hindered, 2)) if hindered and not small else "",
        advice="small calls" if small else "a setting keeps NCCL off a fast path" if hindered else "",
        values={"names": listing(hindered), "variables": " -u ".join(hindered)},
        evidence=(
            Evidence("transfer per step", transfer, "ns", int(SLOW.value * bound), "last arrival to end of each call, average GPU and step"),
            Evidence("transfer against what the link allows", ratio, "times", SLOW.value, SLOW.source),
            *limit.evidence,
            *known_row("bus bandwidth", times.busbw_gbps, "GB/s", estimate.bandwidth_gbps if known else None, "nccl-tests' definition"),
            Evidence("GPUs that take part", times.participants, "count", None, "collective kernels"),
            *([Evidence("parameters", parameters or "not known", "count" if parameters else "text", None, estimate.parameters_basis)] if known else []),
        ),
        where=timeline.worst(["communication.transfer"], "AllReduce transfers"),
        claims={"communication.transfer": int(times.exposed_transfer_ns * (1 - bound / max(1, transfer)))},
        basis=BASIS if known else BASIS_LINK,
        confidence="high" if size_known and (complete or (known and not others)) else "medium",
    )  # fmt: skip


def _of_link(transfer: int, estimate: AllReduceEstimate) -> Limit | Verdict:
    """Compares the transfer with what this link needs."""
    bound = estimate.bound_ns or 0
    ratio = transfer / max(1, bound)
    if ratio < SLOW.value:
        return Passed(say(FAST, transfer=transfer, ratio=f"{ratio:.2g}"))
    ring, told = (
        estimate.ring_bound_ns,
        {"bandwidth": f"{estimate.bandwidth_gbps:.3g}", "source": estimate.bandwidth_basis},
    )
    return Limit(
        bound,
        say(RING if ring == bound else PRACTICE, bound=bound, **told),
        (
            *known_row("estimate of the guide", estimate.guide_ns, "ns", None, "parameters × 4 bytes / bandwidth"),
            *known_row("ring bound", ring, "ns", None, say(RING_SOURCE, **told)),
            *known_row("achievable", estimate.achievable_ns, "ns", None, estimate.achievable_basis),
        ),
    )  # fmt: skip


def _without_link(transfer: int, estimate: AllReduceEstimate, sharded: bool) -> Limit | Verdict:
    """Compares the transfer with the slowest link of such GPUs, then small calls with large ones.

    ``sharded``: the calls are of two kinds, so the rate of the largest says nothing of the others.
    """
    own, needed = estimate.largest_ns, estimate.slowest_ns or 0
    slowest = estimate.slowest if estimate.slowest_ns else None
    if slowest and transfer >= SLOW.value * needed:
        source = say(SLOWEST_SOURCE, rate=f"{slowest.busbw_gbps:.3g}", start=STARTUP_NS)
        row = Evidence(f"over {slowest.name}", needed, "ns", None, source)
        return Limit(needed, say(SLOWEST, link=slowest.name, bound=needed), (row,))
    if own and estimate.largest_gbps and not sharded and transfer >= SLOW.value * own:
        rate = f"{estimate.largest_gbps:.3g}"
        row = Evidence("at the rate of the largest calls", own, "ns", None, say(LARGEST_SOURCE, rate=rate))
        return Limit(own, say(LARGEST, rate=rate, bound=own), (row,), small_calls=True)
    if slowest and not slowest.faster:
        return Passed(say(USUAL, transfer=transfer, link=slowest.name))
    why = estimate.bandwidth_basis if estimate.bandwidth_gbps is None else NO_BYTES
    told = {"transfer": transfer, "why": why, "link": slowest.name if slowest else ""}
    return Missing(say(NO_BANDWIDTH_BUT_USUAL if slowest else NO_BANDWIDTH, **told), STATE)


RULE = declared(judge, thresholds=(SLOW, TOO_SLOW, MATCHED), explained_by=("allreduce-fragmented",))
