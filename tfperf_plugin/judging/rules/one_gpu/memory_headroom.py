"""Memory allows a larger batch."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compute.batch import Batch
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.memory.memory import USABLE_RATIO, Memory
from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rule import (
    Found,
    Missing,
    NotApplicable,
    Passed,
    Threshold,
    Verdict,
    declared,
)
from tfperf_plugin.judging.engine.words import gigabytes, gpu, percent
from tfperf_plugin.recording.record import TrainingFacts

LARGER = Threshold("possible growth of the batch", 1.5, "times", "less is not worth the retuning")
FAR = Threshold(
    "growth that is not stated exactly", 10, "times", "a proportion does not hold that far", side=">"
)
USABLE = Threshold(
    "share of memory to fill",
    USABLE_RATIO,
    "ratio",
    "the rest is kept for fragmentation and peaks",
    fixed=True,
    side="≤",
)

# With less known of the kernels, nothing is said of what a larger batch brings.
KNOWN_RATIO = 0.9


def judge(
    memory: Memory, steps: Steps, compute: HostCompute, facts: TrainingFacts | None, batch: Batch | None
) -> Verdict:
    """Scales the memory that comes and goes within a step until the fullest GPU is nine tenths full."""
    if compute.on_cpu:
        return NotApplicable("The model ran on the CPU.")
    if not memory.devices:
        return Missing(
            "No allocator events of a GPU were recorded.",
            "Record with host_tracer_level=2, the default, and while training runs.",
        )
    if not steps.complete_count:
        return Missing(
            "No complete step was recorded, so the most memory that a step needs may lie outside the recording.",
            HOW_TO_MARK_STEPS,
        )
    fullest = memory.fullest
    used, growth = percent(fullest.used_ratio), fullest.growth
    if growth < LARGER.value:
        return Passed(f"The fullest GPU uses {used} of its memory at the peak.")
    times = f"{growth:.1f} times" if growth <= FAR.value else f"more than {FAR.value:.0f} times"
    return Found(
        title=f"Room for a batch {times} as large",
        summary=(
            f"{gpu(fullest.device)} uses {gigabytes(fullest.peak_bytes)} of {gigabytes(fullest.capacity_bytes)} at the peak "
            f"({used}). What grows with the batch is {gigabytes(fullest.transient_bytes)} of it; by proportion "
            f"a batch {times} as large fits{_now(facts)}. It spreads the fixed costs of a step over more examples; convergence may change.{_flat(batch, growth)}"
        ),
        evidence=(
            Evidence("peak in use", fullest.peak_bytes, "bytes", None, "allocator events"),
            Evidence("capacity of the allocator", fullest.capacity_bytes, "bytes", None, "allocator events"),
            Evidence(
                "least in use",
                fullest.lasting_bytes,
                "bytes",
                None,
                "allocator events: weights and optimizer state",
            ),
            Evidence(
                "possible growth of the batch",
                growth,
                "times",
                LARGER.value,
                f"fills {percent(USABLE.value)} of the memory",
            ),
        ),
        where=(Place(fullest.host, fullest.peak_ms, fullest.peak_ms, "memory peak", fullest.device),),
        severity="info",
        confidence="medium",
    )


def _flat(batch: Batch | None, growth: float) -> str:
    """What a larger batch does for the time to compute an example, if the kernels tell."""
    if not batch or batch.known_ratio < KNOWN_RATIO:
        return ""
    gain = 1 - batch.left_ratio(growth)
    return (
        f" By how far kernels fill the GPU, computing an example would take about {percent(gain)} less time."
    )


def _now(facts: TrainingFacts | None) -> str:
    return f" (now {facts.batch_size} over all GPUs, as recorded)" if facts and facts.batch_size else ""


RULE = declared(judge, explained_by=("batch-too-small",), thresholds=(LARGER, USABLE, FAR))
