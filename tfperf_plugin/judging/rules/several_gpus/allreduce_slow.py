"""AllReduce transfers more slowly than the link between the GPUs allows."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.estimate import STARTUP_NS, AllReduceEstimate
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Confidence, Evidence, Missing, Unit
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say, together
from tfperf_plugin.judging.engine.words import listing
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
    "NCCL_P2P_DISABLE": "1",
    "NCCL_SHM_DISABLE": "1",
    "NCCL_IB_DISABLE": "1",
    "NCCL_NVLS_ENABLE": "0",
}

UNSEEN = "Waiting for other GPUs counts as transfer here: {why}."
UNMATCHED = "Most calls were not found on a second GPU: waiting counts as transfer."
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
TRANSFERS_AT = "AllReduce transfers for {transfer:ms} per step at {rate} GB/s, without waiting."
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
    if times.unseen:
        return NotApplicable(say(UNSEEN, why=times.unseen))
    if times.matched_ratio < MATCHED.value:
        return NotApplicable(UNMATCHED)
    bound = estimate.bound_ns
    if bound is None:
        return _without_link(times, estimate, timeline, facts)
    ratio = times.transfer_ns / max(1, bound)
    if ratio < SLOW.value:
        return Passed(say(FAST, transfer=times.transfer_ns, ratio=f"{ratio:.2g}"))
    found = _slow(
        times,
        estimate,
        timeline,
        facts,
        bound,
        _expected(estimate, bound),
        (
            *_known("estimate of the guide", estimate.guide_ns, "parameters × 4 bytes / bandwidth"),
            *_known("ring bound", estimate.ring_bound_ns, say(RING_SOURCE, **_bandwidth(estimate))),
            *_known("achievable", estimate.achievable_ns, estimate.achievable_basis),
        ),
        _alone(times, ratio, facts),
    )
    parameters = Evidence(
        "parameters",
        estimate.parameters or "not known",
        "count" if estimate.parameters else "text",
        None,
        estimate.parameters_basis,
    )
    return replace(
        found,
        evidence=(*found.evidence, parameters),
        basis=BASIS,
        confidence=_confidence(times, estimate, facts),
    )  # fmt: skip


def _without_link(
    times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline, facts: TrainingFacts | None
) -> Verdict:
    """Compares the transfer with the slowest link of such GPUs, then small calls with large ones."""
    slowest, own = estimate.slowest, estimate.largest_ns
    if slowest and estimate.slowest_ns and times.transfer_ns >= SLOW.value * estimate.slowest_ns:
        rate = f"{slowest.busbw_gbps:.3g}"
        return _slow(
            times, estimate, timeline, facts, estimate.slowest_ns,
            say(SLOWEST, link=slowest.name, bound=estimate.slowest_ns),
            _known(f"over {slowest.name}", estimate.slowest_ns,
                   say(SLOWEST_SOURCE, rate=rate, start=STARTUP_NS)),
            _alone(times, TOO_SLOW.value, facts),
        )  # fmt: skip
    if own and estimate.largest_gbps and times.transfer_ns >= SLOW.value * own:
        rate = f"{estimate.largest_gbps:.3g}"
        return _slow(
            times, estimate, timeline, facts, own,
            say(LARGEST, rate=rate, bound=own),
            _known("at the rate of the largest calls", own,
                   say(LARGEST_SOURCE, rate=rate)),
            "", small_calls=True,
        )  # fmt: skip
    if slowest and estimate.slowest_ns and not slowest.faster:
        return Passed(say(USUAL, transfer=times.transfer_ns, link=slowest.name))
    why = estimate.bandwidth_basis if estimate.bandwidth_gbps is None else NO_BYTES
    if slowest and estimate.slowest_ns:
        told = say(NO_BANDWIDTH_BUT_USUAL, transfer=times.transfer_ns, link=slowest.name, why=why)
    else:
        told = say(NO_BANDWIDTH, transfer=times.transfer_ns, why=why)
    return Missing(told, STATE)


def _slow(
    times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline, facts: TrainingFacts | None,
    bound: int, reason: str, bounds: tuple[Evidence, ...], alone: str, small_calls: bool = False,
) -> Found:  # fmt: skip
    """The finding that transfer takes longer than ``bound``, which is within the reach of the link."""
    transfer = times.transfer_ns
    rate = f"{times.busbw_gbps:.3g}" if times.busbw_gbps else ""
    if rate and estimate.size_bytes:
        moves = say(MOVES, size=estimate.size_bytes, rate=rate, transfer=transfer)
    else:
        moves = say(TRANSFERS_AT, transfer=transfer, rate=rate) if rate else say(TRANSFERS, transfer=transfer)
    hindered = _hindrances(facts)
    settings = listing([f"{name}={HINDRANCES[name]}" for name in hindered])
    return Found(
        cause=say(CAUSE_SMALL if small_calls else CAUSE, transfer=transfer, bound=bound),
        summary=together(moves, reason, say(HINDERED, settings=settings) if hindered else "", alone),
        action=say(UNSET, names=listing(hindered, 2)) if hindered and not small_calls else "",
        advice="small calls" if small_calls else "",
        evidence=(
            Evidence("transfer per step", times.transfer_ns, "ns", int(SLOW.value * bound), "last arrival to end of each call, average GPU and step"),
            Evidence("transfer against what the link allows", times.transfer_ns / max(1, bound), "times", SLOW.value, SLOW.source),
            *bounds,
            *_known("bus bandwidth", times.busbw_gbps, "nccl-tests' definition", "GB/s", estimate.bandwidth_gbps if estimate.bound_ns else None),
            Evidence("GPUs that take part", times.participants, "count", None, "collective kernels"),
        ),
        where=timeline.worst(["communication.transfer"], "AllReduce transfers"),
        claims={
            "communication.transfer": int(times.exposed_transfer_ns * (1 - bound / max(1, times.transfer_ns)))
        },
        basis=BASIS_LINK,
        confidence="high" if _complete(times, facts) and _bytes_known(estimate) else "medium",
    )  # fmt: skip


def _hindrances(facts: TrainingFacts | None) -> list[str]:
    return [name for name, value in HINDRANCES.items() if facts and facts.variable(name) == value]


def _alone(times: AllReduceTimes, ratio: float, facts: TrainingFacts | None) -> str:
    if _complete(times, facts) or ratio < TOO_SLOW.value:
        return ""
    return OTHERS


def _expected(estimate: AllReduceEstimate, bound: int) -> str:
    if estimate.ring_bound_ns is not None and estimate.bound_ns == estimate.ring_bound_ns:
        return say(RING, bound=bound, **_bandwidth(estimate))
    return say(PRACTICE, bound=bound)


def _bandwidth(estimate: AllReduceEstimate) -> dict[str, str]:
    return {"bandwidth": f"{estimate.bandwidth_gbps:.3g}", "source": estimate.bandwidth_basis}


def _known(
    label: str, value: float | None, source: str, unit: Unit = "ns", limit: float | None = None
) -> tuple[Evidence, ...]:
    return () if value is None else (Evidence(label, value, unit, limit, source),)


def _confidence(
    times: AllReduceTimes, estimate: AllReduceEstimate, facts: TrainingFacts | None
) -> Confidence:
    """High if the bytes are known, and no other GPU takes part."""
    plausible = times.transfer_ns < TOO_SLOW.value * (estimate.bound_ns or 1)
    return "high" if _bytes_known(estimate) and (_complete(times, facts) or plausible) else "medium"


def _bytes_known(estimate: AllReduceEstimate) -> bool:
    recorded = estimate.size_basis.startswith("recorded")
    return recorded or estimate.parameters_source in ("given", "recorded")


def _complete(times: AllReduceTimes, facts: TrainingFacts | None) -> bool:
    """Whether it is known that no other GPU takes part."""
    return times.hosts_count > 1 or bool(facts and facts.replicas == times.participants)


RULE = declared(judge, thresholds=(SLOW, TOO_SLOW, MATCHED), explained_by=("allreduce-fragmented",))
