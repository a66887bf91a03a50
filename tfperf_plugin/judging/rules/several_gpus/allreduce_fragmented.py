"""Gradients are exchanged in many small calls."""

from __future__ import annotations

import math

from tfperf_plugin.analysis.artifacts.communication.allreduce import MATCHED_RATIO, AllReduceTimes, SizeShare
from tfperf_plugin.analysis.artifacts.communication.estimate import STARTUP_NS, AllReduceEstimate
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence, Missing
from tfperf_plugin.hardware.links import SIZE_BUCKETS
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gigabytes, say, together
from tfperf_plugin.judging.rules.several_gpus._transfer import mixed_with_waiting, without_gradients

PACK = Threshold(
    "bytes per call that XLA's combiner aims at", 30 * 1024**2 + 7, "bytes",
    "XLA's default combine threshold for all-reduce on GPUs", side="",
)  # fmt: skip
CALLS = Threshold(
    "calls against those needed at that size", 4.0, "times",
    "some more calls help to overlap them with compute",
)  # fmt: skip
STARTUP = Threshold(
    "starting a call", STARTUP_NS, "ns",
    "published sweeps: a call of 16 kB takes 17 µs between 8 H100 and 50 µs between 8 V100", side="",
)  # fmt: skip
COSTLY = Threshold(
    "share of the transfer that the number of calls explains", 0.5, "ratio", "else the link is what is slow"
)
TINY = Threshold(
    "bytes in calls that carry no gradients", 0.01, "ratio",
    "weights' gradients are the bulk of what is sent", side="<",
)  # fmt: skip
SLOWER = Threshold(
    "transfer against what one large call needs", 1.5, "times", "as for allreduce-slow: less is usual scatter"
)

FEW = "Gradients are exchanged in {calls} calls per step."
NO_BYTES = "Gradients are exchanged in {calls} calls per step; how many bytes they move is not recorded."
STATE_PARAMETERS = "Type the number of parameters in the card AllReduce, or give --parameters."
LARGE = "{size:bytes} in {calls} calls per step, {mean:bytes} each on average."
NO_BANDWIDTH = "{calls} calls per step of {mean:bytes} on average; what a large call would take is not known."
STATE_BANDWIDTH = "Type the bandwidth in the card AllReduce, or give --bandwidth."
FAST = "{calls} calls per step take {ratio} times what one large call would."
LINK = "{calls} calls per step explain {extra:ms} of {transfer:ms}; the rest is the link's speed."
FRAGMENTED = (
    "{size:bytes} of gradients are exchanged in {calls} calls per step, {mean:bytes} each on average. The transfer takes "
    "{transfer:ms}; in large calls it would take {bound:ms}. The number of calls costs {claimed:ms} outside compute."
)
TINY_CALLS = (
    "{calls} of the calls move {share:percent} of the bytes: metrics, statistics or flags rather than gradients, and each "
    "makes all GPUs wait for each other."
)
OF_TINY = "{size:bytes} in {transfer:ms} per step"
AT_LARGEST = "at the rate of the largest calls of this profile"
RING = "ring bound with {bandwidth} GB/s ({source})"
BASIS = "exposed part of the cost of starting the calls that packs would save, and of the waiting in unnecessary calls unless it is for one GPU"


def judge(times: AllReduceTimes, estimate: AllReduceEstimate, timeline: Timeline) -> Verdict:
    """Compares the number of calls with what the bytes need, and their time with that of large calls."""
    if mixed := mixed_with_waiting(times.unseen):
        return mixed
    if none := without_gradients(times):
        return none
    calls, size = times.calls_per_step, estimate.size_bytes
    number = f"{calls:.3g}"
    if size is None:
        if calls < CALLS.value:
            return Passed(say(FEW, calls=number))
        return Missing(say(NO_BYTES, calls=number), STATE_PARAMETERS)
    needed = max(1, math.ceil(size / PACK.value))
    mean = round(size / max(1.0, calls))
    if calls < CALLS.value * needed:
        return Passed(say(LARGE, size=size, calls=number, mean=mean))
    bound = estimate.ring_bound_ns or estimate.largest_ns
    if bound is None:
        return Missing(say(NO_BANDWIDTH, calls=number, mean=mean), STATE_BANDWIDTH)
    transfer = times.transfer_ns
    ratio = transfer / max(1, bound)
    if ratio < SLOWER.value:
        return Passed(say(FAST, calls=number, ratio=f"{ratio:.2g}"))
    # By measurements of this link at such sizes, else by the longest time to start a call.
    measured = max(0, (estimate.achievable_ns or 0) - bound) if estimate.achievable_by_size else None
    extra = min(transfer - bound, round((calls - needed) * STARTUP.value) if measured is None else measured)
    if extra < COSTLY.value * transfer:
        return Passed(say(LINK, calls=number, extra=extra, transfer=transfer))
    source = AT_LARGEST
    if estimate.ring_bound_ns is not None:
        source = say(RING, bandwidth=f"{estimate.bandwidth_gbps:.3g}", source=estimate.bandwidth_basis)
    claimed = int(times.exposed_transfer_ns * extra / max(1, transfer))
    tiny = next((s for s in times.sizes if s.up_to_bytes == SIZE_BUCKETS[0]), None)
    return Found(
        summary=together(
            say(FRAGMENTED, size=size, calls=number, mean=mean, transfer=transfer, bound=bound, claimed=claimed),
            _tiny_words(times, tiny),
        ),
        evidence=(
            Evidence("calls per step", calls, "per_step", CALLS.value * needed, f"{CALLS.source}; collective kernels per GPU"),
            Evidence("bytes per call, mean", mean, "bytes", int(PACK.value), PACK.source),
            Evidence("transfer per step", transfer, "ns", int(SLOWER.value * bound), SLOWER.source),
            Evidence("the same bytes in large calls", bound, "ns", None, source),
            Evidence("what the number of calls explains", extra, "ns", int(COSTLY.value * transfer), COSTLY.source),
            *([Evidence(f"calls of up to {gigabytes(SIZE_BUCKETS[0])}", tiny.calls_per_step, "per_step", None, say(OF_TINY, size=tiny.size_bytes, transfer=tiny.transfer_ns))] if tiny else []),
        ),
        where=timeline.worst(["communication.transfer"], "many small AllReduce calls"),
        claims={"communication.transfer": claimed} | _waits(times, calls - needed),
        basis=BASIS,
        confidence="high" if times.size_bytes and times.matched_ratio >= MATCHED_RATIO else "medium",
    )  # fmt: skip


def _waits(times: AllReduceTimes, calls: float) -> dict[str, int]:
    """Waiting due to extra calls: GPUs leave a call at different times and wait for each other in the next one.
    A GPU that causes most of the waiting would be late for fewer calls as well."""
    caused = [d.caused_wait_ns for d in times.devices]
    even = max(caused, default=0) <= (1 + 1 / max(1, len(caused))) / 2 * sum(caused)
    wait = int(times.exposed_wait_ns * calls / max(1.0, times.calls_per_step)) if even else 0
    return {"communication.wait": wait} if wait else {}


def _tiny_words(times: AllReduceTimes, tiny: SizeShare | None) -> str:
    """A sentence on tiny calls: if most calls move next to nothing, they carry no gradients of weights."""
    if tiny is None or not times.size_bytes or tiny.calls_per_step < times.calls_per_step / 2:
        return ""
    share = tiny.size_bytes / times.size_bytes
    if share >= TINY.value:
        return ""
    return say(TINY_CALLS, calls=f"{tiny.calls_per_step:.3g}", share=share)


RULE = declared(judge, thresholds=(PACK, CALLS, SLOWER, STARTUP, COSTLY, TINY))
