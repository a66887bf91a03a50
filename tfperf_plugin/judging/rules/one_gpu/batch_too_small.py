"""The batch is too small to fill this GPU."""

from __future__ import annotations

import math

from tfperf_plugin.analysis.artifacts.compute.batch import FLAT_TIMES, MOST_TIMES, Batch
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.memory.memory import Memory
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import percent
from tfperf_plugin.recording.record import TrainingFacts

SMALL = Threshold("compute in launches that do not fill the GPU", 0.5, "ratio", "most of it")
LARGER = Threshold("batch at which the curve flattens", 2, "times", "less is not worth the retuning")
GAIN = Threshold("gain per example", 0.05, "ratio", "of the step: as much as a warning needs elsewhere")
FLAT = Threshold(
    "time per example over its limit", FLAT_TIMES, "times",
    "where the curve counts as flat", fixed=True, side="≤")  # fmt: skip


def judge(
    ledger: Ledger, bounds: Bounds, batch: Batch, timeline: Timeline, memory: Memory | None,
    facts: TrainingFacts | None,
) -> Verdict:  # fmt: skip
    """Finds the batch at which kernels fill the GPU, and what that saves per example."""
    if not batch.total_ns:
        return NotApplicable("No kernel ran in a judged step.")
    times, compute = batch.flat_times, bounds.per_step(batch.total_ns)
    gain = (1 - batch.left_ratio(times)) * compute / max(1, ledger.step_ns)
    small = f"{percent(batch.small_ratio)} of the compute is in launches that do not fill the GPU"
    if batch.small_ratio < SMALL.value or times < LARGER.value or gain < GAIN.value:
        best = (1 - batch.left_ratio(math.inf)) * compute / max(1, ledger.step_ns)
        return Passed(
            f"{small}; with a larger batch, compute per example falls by {percent(best)} of the step at best"
            f"{_launches(ledger)}."
        )
    room = memory.fullest.growth if memory and memory.devices else None
    if room is not None and room < LARGER.value:
        return Passed(f"{small}, but memory allows a batch only {room:.1f} times as large.")
    fitting = times if room is None else min(times, room)
    gain = (1 - batch.left_ratio(fitting)) * compute / max(1, ledger.step_ns)
    return Found(
        title=f"Batch too small: {_times(times)} as large fills the GPU",
        summary=(
            f"{small}: their time hardly grows with the batch. By their blocks and by what they need, the time to "
            f"compute an example falls until the batch is about {_times(times)} as large{_now(facts, times)}. "
            f"{_memory(room, times)} {'There' if fitting == times else f'With {fitting:.1f} times the batch'} "
            f"computing takes {percent(batch.left_ratio(fitting))} of today's time per example. Convergence may change."
        ),
        evidence=(
            Evidence("compute in launches that do not fill the GPU", batch.small_ratio, "ratio", SMALL.value, "grids of launches, and launches whose start takes longest"),
            Evidence("batch at which the curve flattens", times, "times", LARGER.value, f"time per example within {percent(FLAT.value - 1)} of its limit"),
            Evidence("gain per example", gain, "ratio", GAIN.value, "of the step, at the batch that fits" if room else "of the step"),
            Evidence("compute per example with twice the batch", batch.left_ratio(2), "ratio", None, "of today's"),
            Evidence("compute per example with four times the batch", batch.left_ratio(4), "ratio", None, "of today's"),
            *([Evidence("batch that memory allows", room, "times", None, "allocator events")] if room else []),
            Evidence("compute whose work is known", batch.known_ratio, "ratio", None, "the rest counts as full"),
        ),
        where=timeline.worst(["compute"], "computing"),
        severity="info",
        impact_ratio=gain,
        confidence="medium",
    )  # fmt: skip


def _launches(ledger: Ledger) -> str:
    """What a larger batch brings where GPUs wait for launches, whose number does not grow with it."""
    average = ledger.average()
    waiting = sum(average[account] for account in ("idle.launch", "idle.dispatch"))
    share = waiting / max(1, ledger.step_ns)
    return f", and waiting for launches by {percent(share)}" if share >= GAIN.value else ""


def _times(times: float) -> str:
    return f"more than {MOST_TIMES:.0f} times" if times >= MOST_TIMES else f"{times:.1f} times"


def _now(facts: TrainingFacts | None, times: float) -> str:
    if not facts or not facts.batch_size:
        return ""
    return (
        f" (now {facts.batch_size} over all GPUs, as recorded; then about {round(facts.batch_size * times)})"
    )


def _memory(room: float | None, times: float) -> str:
    if room is None:
        return "Whether memory allows that was not recorded."
    return "Memory allows that." if room >= times else f"Memory allows {room:.1f} times the batch."


RULE = declared(judge, thresholds=(SMALL, LARGER, GAIN, FLAT))
