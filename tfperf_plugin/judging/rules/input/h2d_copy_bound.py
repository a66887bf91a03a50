"""The batch's copy to the GPU is on the critical path."""

from __future__ import annotations

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.sliced_batch import SlicedBatch
from tfperf_plugin.analysis.artifacts.memory.copies import Copies
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gigabytes, ms, percent

EXPOSED = Threshold("exposed copy of the batch", 0.01, "ratio", "lowest severity: 1 % of the step")
PAGEABLE = Threshold("bytes from pageable memory", 0.5, "ratio", "more than half of the bytes", side=">")


def judge(
    ledger: Ledger, copies: Copies, timeline: Timeline, late: LateInput, sliced: SlicedBatch | None
) -> Verdict:
    """Compares exposed copies of the batch to the GPU with the step."""
    batch = copies.batch
    waited = batch.exposed_ns
    share = waited / max(1, ledger.step_ns)
    if share < EXPOSED.value:
        return Passed(f"The batch's copy to the GPU takes {percent(share)} of the step that nothing hides.")
    evidence = [
        Evidence("copy of the batch that nothing hides", waited, "ns", int(EXPOSED.value * ledger.step_ns), "account H2D copy while such copies run"),
        Evidence("share of the step", share, "ratio", EXPOSED.value, "step budget"),
    ]  # fmt: skip
    summary = f"Each step waits {ms(batch.exposed_ns)} for its batch to be copied to the GPU"
    if batch.size_bytes and batch.bandwidth_gbps:
        summary += f": {gigabytes(batch.size_bytes)} at {batch.bandwidth_gbps:.1f} GB/s"
        evidence.append(Evidence("bytes per step and GPU", batch.size_bytes, "bytes", None, "copy events"))
        evidence.append(
            Evidence(
                "achieved",
                batch.bandwidth_gbps,
                "GB/s",
                None,
                "bytes / copy time; PCIe 3 ×16 reaches about 12-13 GB/s, PCIe 4 ×16 about 25",
            )
        )
    summary += "."
    if batch.handing_ns >= EXPOSED.value * ledger.step_ns:
        summary += (
            f" After that nothing is launched for {ms(batch.handing_ns)}, until the host hands the batch on: "
            "this may stay without the copy, and the saving leaves it out."
        )
        evidence.append(
            Evidence("copied, not handed over", batch.handing_ns, "ns", int(EXPOSED.value * ledger.step_ns),
                     "pauses between launches up to the first kernel that can have read the batch; not in the saving")
        )  # fmt: skip
    if batch.pageable_ratio is None:
        evidence.append(Evidence("host memory", "not recorded whether pinned", "text", None, "copy events"))
    else:
        evidence.append(
            Evidence(
                "bytes from pageable memory",
                batch.pageable_ratio,
                "ratio",
                PAGEABLE.value,
                "copy events, or host calls that last as long as their copies",
            )
        )
        if batch.pageable_ratio > PAGEABLE.value:
            summary += " It comes from pageable memory, which is copied twice and cannot overlap."
    dropped = ""
    if sliced:
        dropped = (
            f" Of each copy of {gigabytes(sliced.copied_bytes)}, the first op, {plain_op(sliced.op)}, drops "
            f"{percent(sliced.dropped_ratio)}."
        )
        summary += (
            f"{dropped} Nothing else was seen to use that part: copy {gigabytes(sliced.kept_bytes)} instead."
        )
        evidence.append(
            Evidence("of the batch dropped by its first op", sliced.dropped_ratio, "ratio", None,
                     f"copied bytes, and the tensor {list(sliced.dims)} that {plain_op(sliced.op)} makes")
        )  # fmt: skip
    return Found(
        summary=summary,
        cause=f"Each step waits {ms(waited)} for the copy of its batch.{dropped}" if dropped else "",
        evidence=tuple(evidence),
        where=timeline.worst(["copy.h2d"], "only the copy to the GPU runs"),
        claims={"copy.h2d": waited},
        # A pipeline without prefetch rests while its batch is copied.
        independent=late.pipeline is not None and late.prefetch is None,
        fix=replace(RULE.fix, actions=(_SLICE_FIRST.format(plain_op(sliced.op)), *RULE.fix.actions))
        if sliced
        else None,
        basis="copies of the batch to the GPU while nothing else runs",
    )


_SLICE_FIRST = (
    "Slice before the copy: do in the input pipeline what {} does, ds.map(lambda x, y: (x[..., :1], y)), or store "
    "only that part."
)

RULE = declared(judge, explained_by=("input-bound",), thresholds=(EXPOSED, PAGEABLE))
