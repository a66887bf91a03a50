"""AllReduce transfers more slowly than the link between the GPUs allows."""

from __future__ import annotations

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.estimate import STARTUP_NS, AllReduceEstimate
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Confidence, Evidence, Unit
from tfperf_plugin.judging.engine.rule import (
    Found,
    Missing,
    NotApplicable,
    Passed,
    Threshold,
    Verdict,
    declared,
)
from tfperf_plugin.judging.engine.words import gigabytes, listing, ms
from tfperf_plugin.judging.verdicts import Fix, keras, shell
from tfperf_plugin.recording.record import TrainingFacts

SLOW = Threshold(
    "transfer against what the link allows",
    1.5,
    "times",
    "published nccl-tests results of one link differ by some 10 %; half as long again is none of that",
)
TOO_SLOW = Threshold(
    "transfer so slow that GPUs of other hosts may take part",
    10,
    "times",
    "NVLink against a network of one port",
)
MATCHED = Threshold(
    "calls found on several GPUs", 0.8, "ratio", "of others waiting cannot be told from transfer"
)


def judge(
    times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline, facts: TrainingFacts | None
) -> Verdict:
    """Compares the transfer, without waiting, with the ring bound and what this link reaches in practice."""
    if times.unseen:
        return NotApplicable(f"Waiting for other GPUs counts as transfer here: {times.unseen}.")
    if times.matched_ratio < MATCHED.value:
        return NotApplicable("Most calls were not found on a second GPU: waiting counts as transfer.")
    bound = estimate.bound_ns
    if bound is None:
        return _without_link(times, estimate, timeline, facts)
    ratio = times.transfer_ns / max(1, bound)
    if ratio < SLOW.value:
        return Passed(
            f"AllReduce transfers for {ms(times.transfer_ns)} per step, {ratio:.2g} times what the link needs."
        )
    found = _slow(
        times,
        estimate,
        timeline,
        facts,
        bound,
        f"{_expected(estimate)}: {ms(bound)}.",
        (
            *_known("estimate of the guide", estimate.guide_ns, "parameters × 4 bytes / bandwidth"),
            *_known("ring bound", estimate.ring_bound_ns, f"2(n−1)/n × bytes / {_bandwidth(estimate)}"),
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
        basis="exposed transfer × (1 − time that the link needs / measured transfer)",
        confidence=_confidence(times, estimate, facts),
    )  # fmt: skip


def _without_link(
    times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline, facts: TrainingFacts | None
) -> Verdict:
    """Compares the transfer with the slowest link of such GPUs, then small calls with large ones."""
    slowest, own = estimate.slowest, estimate.largest_ns
    if slowest and estimate.slowest_ns and times.transfer_ns >= SLOW.value * estimate.slowest_ns:
        need = f"{ms(estimate.slowest_ns)} over {slowest.name}"
        return _slow(
            times, estimate, timeline, facts, estimate.slowest_ns,
            f"The slowest link that such GPUs have in one host needs less: {need}, starting the calls included.",
            _known(f"over {slowest.name}", estimate.slowest_ns,
                   f"2(n−1)/n × bytes / {slowest.busbw_gbps:.3g} GB/s + {ms(STARTUP_NS)} a call; line rate less 20 % for the protocol"),
            _alone(times, TOO_SLOW.value, facts),
        )  # fmt: skip
    if own and estimate.largest_gbps and times.transfer_ns >= SLOW.value * own:
        return _slow(
            times, estimate, timeline, facts, own,
            f"The largest calls of this profile reach {estimate.largest_gbps:.3g} GB/s; at that rate all would need {ms(own)}.",
            _known("at the rate of the largest calls", own,
                   f"2(n−1)/n × bytes / {estimate.largest_gbps:.3g} GB/s, which this link reaches at the least"),
            "", _SMALL_CALLS,
        )  # fmt: skip
    if slowest and estimate.slowest_ns and not slowest.faster:
        return Passed(
            f"AllReduce transfers for {ms(times.transfer_ns)} per step, no longer than usual over {slowest.name}, "
            "and such GPUs have no faster link."
        )
    within = f", which even {slowest.name} allows" if slowest and estimate.slowest_ns else ""
    return Missing(
        f"AllReduce transfers for {ms(times.transfer_ns)} per step{within}; {_unknown(estimate)}.",
        "Enter the number of parameters and the bandwidth in the card AllReduce, or give --parameters and "
        "--bandwidth (GB/s per GPU and direction, or a link such as 'NVLink 3').",
    )


def _slow(
    times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline, facts: TrainingFacts | None,
    bound: int, reason: str, bounds: tuple[Evidence, ...], alone: str, fix: Fix | None = None,
) -> Found:  # fmt: skip
    """The finding that transfer takes longer than ``bound``, which is within the reach of the link."""
    speed = f" at {times.busbw_gbps:.3g} GB/s" if times.busbw_gbps else ""
    return Found(
        title="Low bandwidth of small AllReduce calls" if fix else None,
        action="Combine small AllReduce calls into fewer, larger ones" if fix else _unset(facts),
        cause=f"AllReduce transfers for {ms(times.transfer_ns)} per step where {'large calls' if fix else 'the link'} would need {ms(bound)}.",
        summary=(
            f"AllReduce transfers {_size(estimate)}per step for {ms(times.transfer_ns)}{speed}, without waiting. "
            f"{reason}{_hindered(facts)}{alone}"
        ),
        evidence=(
            Evidence("transfer per step", times.transfer_ns, "ns", int(SLOW.value * bound),
                     "last arrival to end of each call, average GPU and step"),
            Evidence("transfer against what the link allows", times.transfer_ns / max(1, bound), "times", SLOW.value, SLOW.source),
            *bounds,
            *_known("bus bandwidth", times.busbw_gbps, "nccl-tests' definition", "GB/s", estimate.bandwidth_gbps if estimate.bound_ns else None),
            Evidence("GPUs that take part", times.participants, "count", None, "collective kernels"),
        ),
        where=timeline.worst(["communication.transfer"], "AllReduce transfers"),
        claims={
            "communication.transfer": int(times.exposed_transfer_ns * (1 - bound / max(1, times.transfer_ns)))
        },
        basis="exposed transfer × (1 − time that a link which is surely there needs / measured transfer)",
        confidence="high" if _complete(times, facts) and _bytes_known(estimate) else "medium",
        fix=fix,
    )  # fmt: skip


_SMALL_CALLS = Fix(
    summary="Pack the data of small calls into large calls.",
    actions=(
        "Find out which calls are small: gradients of single variables, metrics, statistics.",
        "Pass all gradients to the optimizer in one call, and set the pack size: CommunicationOptions(bytes_per_pack=32 MB).",
        "With XLA, raise --xla_gpu_all_reduce_combine_threshold_bytes.",
    ),
    snippets=(
        keras(
            "strategy = tf.distribute.MirroredStrategy(\n    cross_device_ops=tf.distribute.NcclAllReduce(num_packs=1))"
        ),
        shell("XLA_FLAGS=--xla_gpu_all_reduce_combine_threshold_bytes=134217728 python train.py"),
    ),
)


# Values with which these variables keep NCCL from a fast path.
_HINDRANCES = {
    "NCCL_P2P_DISABLE": "1",
    "NCCL_SHM_DISABLE": "1",
    "NCCL_IB_DISABLE": "1",
    "NCCL_NVLS_ENABLE": "0",
}


def _hindered(facts: TrainingFacts | None) -> str:
    """Recorded settings that keep NCCL from a fast path."""
    found = [f"{name}={_HINDRANCES[name]}" for name in _hindrances(facts)]
    return f" The training recorded {listing(found)}, which keeps NCCL from a fast path." if found else ""


def _unset(facts: TrainingFacts | None) -> str:
    found = _hindrances(facts)
    return f"Unset {listing(found, 2)}" if found else ""


def _hindrances(facts: TrainingFacts | None) -> list[str]:
    return [name for name, value in _HINDRANCES.items() if facts and facts.variable(name) == value]


def _alone(times: AllReduceTimes, ratio: float, facts: TrainingFacts | None) -> str:
    if _complete(times, facts) or ratio < TOO_SLOW.value:
        return ""
    return " If GPUs of hosts that were not recorded take part, waiting for them is counted here."


def _unknown(estimate: AllReduceEstimate) -> str:
    if estimate.bandwidth_gbps is None:
        return estimate.bandwidth_basis
    return "how many bytes it moves is not recorded"


def _size(estimate: AllReduceEstimate) -> str:
    return f"{gigabytes(estimate.size_bytes)} " if estimate.size_bytes else ""


def _expected(estimate: AllReduceEstimate) -> str:
    if estimate.ring_bound_ns is not None and estimate.bound_ns == estimate.ring_bound_ns:
        return f"A ring needs less with {_bandwidth(estimate)}"
    return "Such links need less in practice"


def _bandwidth(estimate: AllReduceEstimate) -> str:
    return f"{estimate.bandwidth_gbps:.3g} GB/s ({estimate.bandwidth_basis})"


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
