"""The batch's copy to the GPU is on the critical path."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.sliced_batch import SlicedBatch
from tfperf_plugin.analysis.artifacts.memory.copies import Copies
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.links import host_line_rate
from tfperf_plugin.judging.engine.rule import Found, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, cost, severity_of
from tfperf_plugin.judging.engine.words import say, together

PAGEABLE = Threshold("bytes from pageable memory", 0.5, "ratio", "more than half of the bytes", side=">")

WAITS = "Each step waits {waited:ms} for its batch to be copied to the GPU."
WAITS_AT = "Each step waits {waited:ms} for its batch to be copied to the GPU; {size:bytes} that it waits for come at {rate} GB/s."
HANDS_ON = (
    "After that nothing is launched for {handing:ms}, until the host hands the batch on: this may stay without the copy, and "
    "the saving leaves it out."
)
PAGEABLE_MEMORY = "It comes from pageable memory, which is copied twice and cannot overlap."
COMPUTES_LITTLE = (
    "Computing takes {compute:ms} of the step and can hide no more of the copy; pinned memory makes the copy itself faster, "
    "up to the {rate} GB/s of the link."
)
DROPS = "The step uses {kept:bytes} of the {copied:bytes} that each copy brings: the first op, {op}, drops {dropped:percent}."
COPY_LESS = "Nothing else was seen to use that part: copy {kept:bytes} instead."
CAUSE = "Each step waits {waited:ms} for the copy of its batch."
BASIS = "copies of the batch to the GPU while nothing else runs"
BASIS_FASTER = "how much of the copy computing can hide, and how much a link at {rate} GB/s can save"
# Whose programs choose the memory of their batches.
PINNING: Final = ("PyTorch", "")


def judge(
    ledger: Ledger, copies: Copies, timeline: Timeline, late: LateInput, sliced: SlicedBatch | None,
    program: Program, devices: Devices,
) -> Verdict:  # fmt: skip
    """Compares exposed copies of the batch to the GPU with the step."""
    batch = copies.batch
    waited = batch.exposed_ns
    hides = "copy of the batch that nothing hides"
    evidence = [*cost(hides, waited, ledger.step_ns, "account H2D copy while such copies run")]
    if batch.size_bytes and batch.bandwidth_gbps:
        waits = say(WAITS_AT, waited=waited, size=batch.size_bytes, rate=f"{batch.bandwidth_gbps:.1f}")
        speeds = "bytes / copy time; PCIe 3 ×16 reaches about 12-13 GB/s, PCIe 4 ×16 about 25"
        evidence.append(
            Evidence(
                "bytes that kernels wait for, per step and GPU",
                batch.size_bytes,
                "bytes",
                None,
                "copy events",
            )
        )
        evidence.append(Evidence("achieved", batch.bandwidth_gbps, "GB/s", None, speeds))
    else:
        waits = say(WAITS, waited=waited)
    compute, saved = ledger.average()["compute"], waited
    is_pageable = batch.pageable_ratio is not None and batch.pageable_ratio > PAGEABLE.value
    carries = max(
        (host_line_rate(d.compute_capability) for d in devices.participating), default=host_line_rate(None)
    )
    # It is copied twice: pinned, the copy takes about half as long.
    pins = is_pageable and not sliced and program.framework in PINNING and compute < waited / 2
    handing = pageable = drops = less = ""
    least = int(LEAST.value * ledger.step_ns)
    if severity_of(batch.handing_ns, ledger.step_ns):
        handing = say(HANDS_ON, handing=batch.handing_ns)
        pauses = (
            "pauses between launches up to the first kernel that can have read the batch; not in the saving"
        )
        evidence.append(Evidence("copied, not handed over", batch.handing_ns, "ns", least, pauses))
    if batch.pageable_ratio is None:
        evidence.append(Evidence("host memory", "not recorded whether pinned", "text", None, "copy events"))
    else:
        seen = "copy events, or host calls that last as long as their copies"
        evidence.append(Evidence(PAGEABLE.name, batch.pageable_ratio, "ratio", PAGEABLE.value, seen))
    if is_pageable:
        pageable = PAGEABLE_MEMORY
    if pins:
        pageable = together(PAGEABLE_MEMORY, say(COMPUTES_LITTLE, compute=compute, rate=f"{carries:g}"))
        saved = min(waited, compute + max(0, waited - round(batch.size_bytes / carries)))
    if sliced:
        op = plain_op(sliced.op)
        drops = say(
            DROPS, copied=sliced.copied_bytes, kept=sliced.kept_bytes, op=op, dropped=sliced.dropped_ratio
        )
        less = say(COPY_LESS, kept=sliced.kept_bytes)
        made = f"copied bytes, and the tensor {list(sliced.dims)} that {op} makes"
        evidence.append(
            Evidence("of the batch dropped by its first op", sliced.dropped_ratio, "ratio", None, made)
        )
    return Found(
        summary=together(waits, handing, pageable, drops, less),
        cause=together(say(CAUSE, waited=waited), drops) if drops else "",
        evidence=tuple(evidence),
        where=timeline.worst(["copy.h2d"], "only the copy to the GPU runs"),
        claims={"copy.h2d": saved},
        # A pipeline without prefetch rests while its batch is copied.
        independent=late.pipeline is not None and late.prefetch is None,
        advice="a part is dropped" if sliced else "computing hides little" if pins else "",
        values={
            "op": plain_op(sliced.op) if sliced else "",
            "pinned already": batch.pageable_ratio == 0,
            "as much goes back": copies.returns_as_much,
        },
        basis=say(BASIS_FASTER, rate=f"{carries:g}") if saved < waited else BASIS,
    )


RULE = declared(judge, explained_by=("input-bound",), thresholds=(PAGEABLE,))
