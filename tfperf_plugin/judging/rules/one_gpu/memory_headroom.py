"""Memory allows a larger batch."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.compute.batch import Batch
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.memory.memory import USABLE_RATIO, Memory
from tfperf_plugin.analysis.evidence import Evidence, Missing, Place
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import gpu, percent, say
from tfperf_plugin.judging.rules.one_gpu._memory import USED, without_events
from tfperf_plugin.recording.record import TrainingFacts

LARGER = Threshold("possible growth of the batch", 1.5, "times", "less is not worth the retuning")
FAR = Threshold(
    "growth that is not stated exactly", 10, "times", "a proportion does not hold that far", side=">"
)
USABLE = Threshold(
    "share of memory to fill", USABLE_RATIO, "ratio", "the rest is kept for fragmentation and peaks", fixed=True, side="≤"
)  # fmt: skip

# With less known of the kernels, nothing is said of what a larger batch brings.
KNOWN_RATIO: Final = 0.9

NO_STEP = "No complete step was recorded, so the most memory that a step needs may lie outside the recording."
ROOM = (
    "{gpu} uses {peak:bytes} of {capacity:bytes} at the peak ({used:percent}). What grows with the batch is "
    "{transient:bytes} of it; by proportion a batch {times} as large fits. It spreads the fixed costs of a step over more "
    "examples; convergence may change."
)
RECORDED = "The training recorded a batch of {now} over all GPUs."
FASTER = "By how far kernels fill the GPU, computing an example would take about {gain:percent} less time."


def judge(
    memory: Memory, steps: Steps, compute: HostCompute, facts: TrainingFacts | None, batch: Batch | None
) -> Verdict:
    """Scales the memory that comes and goes within a step until the fullest GPU is nine tenths full."""
    if unknown := without_events(memory, compute):
        return unknown
    if not steps.complete_count:
        return Missing(NO_STEP, HOW_TO_MARK_STEPS)
    fullest = memory.fullest
    used, growth = fullest.used_ratio, fullest.growth
    if growth < LARGER.value:
        return Passed(say(USED, used=used))
    told = {
        "gpu": gpu(fullest.device), "peak": fullest.peak_bytes, "capacity": fullest.capacity_bytes, "used": used,
        "transient": fullest.transient_bytes,
        "times": f"{growth:.1f} times" if growth <= FAR.value else f"more than {FAR.value:.0f} times",
        "now": facts.batch_size if facts else None, "gain": 1 - batch.left_ratio(growth) if batch else 0,
    }  # fmt: skip
    known = batch is not None and batch.known_ratio >= KNOWN_RATIO
    return Found(
        values={"times": told["times"]},
        summary=say(ROOM, RECORDED if told["now"] else "", FASTER if known else "", **told),
        evidence=(
            Evidence("peak in use", fullest.peak_bytes, "bytes", None, "allocator events"),
            Evidence("capacity of the allocator", fullest.capacity_bytes, "bytes", None, "allocator events"),
            Evidence("least in use", fullest.lasting_bytes, "bytes", None, "allocator events: weights and optimizer state"),
            Evidence("possible growth of the batch", growth, "times", LARGER.value, f"fills {percent(USABLE.value)} of the memory"),
        ),
        where=(Place(fullest.host, fullest.peak_ms, fullest.peak_ms, "memory peak", fullest.device),),
        severity="info",
        confidence="medium",
        advice="how much larger",
    )  # fmt: skip


RULE = declared(judge, explained_by=("batch-too-small",), thresholds=(LARGER, USABLE, FAR), needs=("memory",))
