"""The batch's copy to the GPU is on the critical path."""

from __future__ import annotations

from tfperf_plugin.artifacts.copies import Copies
from tfperf_plugin.artifacts.timeline import Timeline
from tfperf_plugin.engine.outcome import Evidence, Fix, Snippet
from tfperf_plugin.engine.rule import Found, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import gigabytes, ms, percent
from tfperf_plugin.guide import sections
from tfperf_plugin.ledger import Ledger

EXPOSED = Threshold("exposed copy of the batch", 0.01, "ratio", "lowest severity: 1 % of the step")
PAGEABLE = Threshold("bytes from pageable memory", 0.5, "ratio", "more than half of the bytes")


def judge(ledger: Ledger, copies: Copies, timeline: Timeline) -> Verdict:
    """Compares copies to the GPU outside a step's kernels, which nothing hides, with the step."""
    batch = copies.batch
    share = batch.exposed_ns / max(1, ledger.step_ns)
    if share < EXPOSED.value:
        return Passed(f"The batch's copy to the GPU takes {percent(share)} of the step that nothing hides.")
    evidence = [
        Evidence("copy of the batch that nothing hides", batch.exposed_ns, "ns", int(EXPOSED.value * ledger.step_ns), "ledger, copy.h2d before a step's first kernel"),
        Evidence("share of the step", share, "ratio", EXPOSED.value, "ledger"),
    ]  # fmt: skip
    summary = f"Each step waits {ms(batch.exposed_ns)} for its batch to be copied to the GPU before the first kernel can run"
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
    if batch.pageable_ratio is None:
        evidence.append(Evidence("host memory", "not recorded whether pinned", "text", None, "copy events"))
    else:
        evidence.append(
            Evidence(
                "bytes from pageable memory", batch.pageable_ratio, "ratio", PAGEABLE.value, "copy events"
            )
        )
        if batch.pageable_ratio > PAGEABLE.value:
            summary += " It comes from pageable memory, which is copied twice and cannot overlap."
    return Found(
        summary=summary,
        evidence=tuple(evidence),
        where=timeline.worst(["copy.h2d"], "only the copy to the GPU runs"),
        claims={"copy.h2d": batch.exposed_ns},
        basis="copies to the GPU before the first kernel of a step while nothing else runs",
    )


RULE = Rule(
    id="h2d-copy-bound",
    topic="Copy of the batch",
    title="The GPUs wait while the batch is copied to them",
    group="input",
    why=(
        "A batch that is copied only when the step needs it makes the GPU wait. Prefetching to the device "
        "copies the next batch while the GPU works on this one."
    ),
    measured="Copies to the GPU before a step's first kernel or after its last one count, if the next kernel starts as soon as they and the copies close behind them have ended, as far as nothing else runs on that GPU and its step has got its batch (account copy.h2d).",
    limits=(
        "While batches come late, the copy costs nothing of its own: a shorter one only waits longer for its batch.",
        "The profile does not say what is copied: anything copied to the GPU at this place counts as the batch.",
        "Sizes, and whether memory is pinned, are shown only where the profile records them.",
    ),
    guide=sections.INPUT,
    judge=judge,
    explained_by=("input-bound",),
    thresholds=(EXPOSED, PAGEABLE),
    fix=Fix(
        summary="Copy the next batch while the GPU computes, and copy fewer bytes.",
        actions=(
            "Prefetch to the GPU as the last step of the pipeline.",
            "Copy compact types (uint8 images) and convert them on the GPU.",
            "In a custom loop, take batches from a distributed or prefetched dataset instead of feeding NumPy arrays.",
        ),
        snippets=(
            Snippet(
                "tf.data", "ds = ds.apply(tf.data.experimental.prefetch_to_device('/GPU:0', buffer_size=2))"
            ),
            Snippet(
                "Keras",
                "inputs = keras.Input(shape, dtype='uint8')\nx = keras.layers.Rescaling(1 / 255)(inputs)  # converts on the GPU",
            ),
            Snippet(
                "custom loop", "ds = strategy.experimental_distribute_dataset(ds)  # copies ahead of the step"
            ),
        ),
    ),
    jax=Fix(
        summary="Copy the next batch while the GPU computes, and copy fewer bytes.",
        actions=(
            "Call jax.device_put for the next batch before this step is waited for: it copies in the background.",
            "Copy compact types (uint8 images) and convert them inside the compiled step.",
        ),
        snippets=(
            Snippet(
                "JAX",
                "def ahead(batches):\n"
                "    later = None\n"
                "    for batch in batches:\n"
                "        now, later = later, jax.device_put(batch)  # copies while the step before runs\n"
                "        if now is not None:\n"
                "            yield now\n"
                "    yield later",
            ),
        ),
    ),
)
