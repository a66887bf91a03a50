"""AllReduce transfers more slowly than the link between the GPUs allows."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.estimate import STARTUP_NS, AllReduceEstimate
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence, Missing, Unit
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say, together
from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.judging.rules.several_gpus._transfer import mixed_with_waiting
from tfperf_plugin.recording.record import TrainingFacts

SLOW = Threshold(
    "transfer against what the link allows", 1.5, "times",
    "published nccl-tests results of one link differ by some 10 %; half as long again is none of that",
)  # fmt: skip
TOO_SLOW = Threshold(
    "transfer so slow that GPUs of other hosts may take part", 10, "times",
    "NVLink against a network of one port",
)  # fmt: skip
MATCHED = Threshold(
    "calls found on several GPUs", 0.8, "ratio", "of others waiting cannot be told from transfer"
)

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
CAUSE = "AllReduce transfers for {transfer:ms} per step where the link would need {bound:ms}."
CAUSE_SMALL = "AllReduce transfers for {transfer:ms} per step where large calls would need {bound:ms}."
UNSET = "Unset {names}"
RING_SOURCE = "2(n−1)/n × bytes / {bandwidth} GB/s ({source})"
SLOWEST_SOURCE = "2(n−1)/n × bytes / {rate} GB/s + {start:ms} a call; line rate less 20 % for the protocol"
LARGEST_SOURCE = "2(n−1)/n × bytes / {rate} GB/s, which this link reaches at the least"
BASIS = "exposed transfer × (1 − time that the link needs / measured transfer)"
BASIS_LINK = "exposed transfer × (1 − time that a link which is surely there needs / measured transfer)"


def judge(
    times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline, facts: TrainingFacts | None
) -> Verdict:
    """Compares the transfer, without waiting, with the ring bound and what this link reaches in practice."""
    if mixed := mixed_with_waiting(times.unseen, times.matched_ratio, MATCHED):
        return mixed
    bound = estimate.bound_ns
    if bound is None:
        return _without_link(times, estimate, timeline, facts)
    ratio = times.transfer_ns / max(1, bound)
    if ratio < SLOW.value:
        return Passed(say(FAST, transfer=times.transfer_ns, ratio=f"{ratio:.2g}"))
    ring, link = estimate.ring_bound_ns, estimate.bandwidth_basis
    rate = f"{estimate.bandwidth_gbps:.3g}"
    return _slow(
        times, estimate, timeline, facts, bound,
        say(RING if ring == bound else PRACTICE, bound=bound, bandwidth=rate, source=link),
        (
            *_known("estimate of the guide", estimate.guide_ns, "parameters × 4 bytes / bandwidth"),
            *_known("ring bound", ring, say(RING_SOURCE, bandwidth=rate, source=link)),
            *_known("achievable", estimate.achievable_ns, estimate.achievable_basis),
        ),
    )  # fmt: skip


def _without_link(
    times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline, facts: TrainingFacts | None
) -> Verdict:
    """Compares the transfer with the slowest link of such GPUs, then small calls with large ones."""
    transfer, own = times.transfer_ns, estimate.largest_ns
    slowest = estimate.slowest if estimate.slowest_ns else None
    needed = estimate.slowest_ns or 0
    if slowest and transfer >= SLOW.value * needed:
        source = say(SLOWEST_SOURCE, rate=f"{slowest.busbw_gbps:.3g}", start=STARTUP_NS)
        return _slow(
            times, estimate, timeline, facts, needed,
            say(SLOWEST, link=slowest.name, bound=needed), _known(f"over {slowest.name}", needed, source),
        )  # fmt: skip
    if own and estimate.largest_gbps and transfer >= SLOW.value * own:
        rate = f"{estimate.largest_gbps:.3g}"
        return _slow(
            times, estimate, timeline, facts, own, say(LARGEST, rate=rate, bound=own),
            _known("at the rate of the largest calls", own, say(LARGEST_SOURCE, rate=rate)), small_calls=True,
        )  # fmt: skip
    if slowest and not slowest.faster:
        return Passed(say(USUAL, transfer=transfer, link=slowest.name))
    why = estimate.bandwidth_basis if estimate.bandwidth_gbps is None else NO_BYTES
    link = slowest.name if slowest else ""
    return Missing(
        say(NO_BANDWIDTH_BUT_USUAL if slowest else NO_BANDWIDTH, transfer=transfer, link=link, why=why), STATE
    )


def _slow(
    times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline, facts: TrainingFacts | None,
    bound: int, reason: str, bounds: tuple[Evidence, ...], small_calls: bool = False,
) -> Found:  # fmt: skip
    """The finding that transfer takes longer than ``bound``, which is within the reach of the link."""
    transfer, size = times.transfer_ns, estimate.size_bytes
    ratio, known = transfer / max(1, bound), estimate.bound_ns is not None
    rate = f"{times.busbw_gbps:.3g}" if times.busbw_gbps else ""
    # No other GPU takes part: several hosts were joined, or the training recorded as many replicas.
    complete = times.hosts_count > 1 or bool(facts and facts.replicas == times.participants)
    others = not complete and not small_calls and (not known or ratio >= TOO_SLOW.value)
    size_known = estimate.size_basis.startswith("recorded") or estimate.parameters_source in (
        "given",
        "recorded",
    )
    hindered = [name for name, value in HINDRANCES.items() if facts and facts.variable(name) == value]
    settings = listing([f"{name}={HINDRANCES[name]}" for name in hindered])
    parameters = estimate.parameters
    return Found(
        cause=say(CAUSE_SMALL if small_calls else CAUSE, transfer=transfer, bound=bound),
        summary=together(
            say(MOVES if rate else TRANSFERS, size=size or 0, rate=rate, transfer=transfer),
            reason,
            say(HINDERED if hindered else "", OTHERS if others else "", settings=settings),
        ),
        action=say(UNSET, names=listing(hindered, 2)) if hindered and not small_calls else "",
        advice="small calls" if small_calls else "a setting keeps NCCL off a fast path" if hindered else "",
        values={"names": listing(hindered), "unset": " ".join(f"-u {name}" for name in hindered)},
        evidence=(
            Evidence("transfer per step", transfer, "ns", int(SLOW.value * bound), "last arrival to end of each call, average GPU and step"),
            Evidence("transfer against what the link allows", ratio, "times", SLOW.value, SLOW.source),
            *bounds,
            *_known("bus bandwidth", times.busbw_gbps, "nccl-tests' definition", "GB/s", estimate.bandwidth_gbps if known else None),
            Evidence("GPUs that take part", times.participants, "count", None, "collective kernels"),
            *([Evidence("parameters", parameters or "not known", "count" if parameters else "text", None, estimate.parameters_basis)] if known else []),
        ),
        where=timeline.worst(["communication.transfer"], "AllReduce transfers"),
        claims={"communication.transfer": int(times.exposed_transfer_ns * (1 - bound / max(1, transfer)))},
        basis=BASIS if known else BASIS_LINK,
        confidence="high" if size_known and (complete or (known and not others)) else "medium",
    )  # fmt: skip


def _known(
    label: str, value: float | None, source: str, unit: Unit = "ns", limit: float | None = None
) -> tuple[Evidence, ...]:
    return () if value is None else (Evidence(label, value, unit, limit, source),)


RULE = declared(judge, thresholds=(SLOW, TOO_SLOW, MATCHED), explained_by=("allreduce-fragmented",))
