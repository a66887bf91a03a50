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
from tfperf_plugin.judging.engine.words import percent, say
from tfperf_plugin.recording.record import TrainingFacts

SMALL = Threshold("compute in launches that do not fill the GPU", 0.5, "ratio", "most of it")
LARGER = Threshold("batch at which the curve flattens", 2, "times", "less is not worth the retuning")
GAIN = Threshold("gain per example", 0.05, "ratio", "of the step: as much as a warning needs elsewhere")
FLAT = Threshold(
    "time per example over its limit", FLAT_TIMES, "times",
    "where the curve counts as flat", fixed=True, side="≤")  # fmt: skip

NOTHING = "No kernel ran in a judged step."
FULL = (
    "{small:percent} of the compute is in launches that do not fill the GPU; with a larger batch, compute per example "
    "falls by {best:percent} of the step at best."
)
FULL_BUT_LAUNCHES = (
    "{small:percent} of the compute is in launches that do not fill the GPU; with a larger batch, compute per example "
    "falls by {best:percent} of the step at best, and waiting for launches by {launches:percent}."
)
NO_ROOM = "{small:percent} of the compute is in launches that do not fill the GPU, but memory allows a batch only {room} times as large."
SMALL_BATCH = (
    "{small:percent} of the compute is in launches that do not fill the GPU: their time hardly grows with the batch. By "
    "their blocks and by what they need, the time to compute an example falls until the batch is about {times} as large."
)
RECORDED = "The batch has {now} examples over all GPUs, as recorded; then it has about {then}."
UNKNOWN_ROOM = "Whether memory allows that was not recorded."
ROOM = "Memory allows that."
LESS_ROOM = "Memory allows {room} times the batch."
LEFT = "With {fitting} times the batch, computing takes {left:percent} of today's time per example. Convergence may change."


def judge(
    ledger: Ledger, bounds: Bounds, batch: Batch, timeline: Timeline, memory: Memory | None,
    facts: TrainingFacts | None,
) -> Verdict:  # fmt: skip
    """Finds the batch at which kernels fill the GPU, and what that saves per example."""
    if not batch.total_ns:
        return NotApplicable(NOTHING)
    times, compute = batch.flat_times, bounds.per_step(batch.total_ns)
    gain = (1 - batch.left_ratio(times)) * compute / max(1, ledger.step_ns)
    small, average = batch.small_ratio, ledger.average()
    if small < SMALL.value or times < LARGER.value or gain < GAIN.value:
        best = (1 - batch.left_ratio(math.inf)) * compute / max(1, ledger.step_ns)
        # The number of launches does not grow with the batch.
        waiting = (average["idle.launch"] + average["idle.dispatch"]) / max(1, ledger.step_ns)
        full = {"small": small, "best": best, "launches": waiting}
        return Passed(say(FULL_BUT_LAUNCHES if waiting >= GAIN.value else FULL, **full))
    room = memory.fullest.growth if memory and memory.devices else None
    if room is not None and room < LARGER.value:
        return Passed(say(NO_ROOM, small=small, room=f"{room:.1f}"))
    fitting = times if room is None else min(times, room)
    gain = (1 - batch.left_ratio(fitting)) * compute / max(1, ledger.step_ns)
    now = facts.batch_size if facts and facts.batch_size else 0
    told = {
        "small": small, "now": now, "then": round(now * times), "room": f"{room or 0:.1f}",
        "times": f"more than {MOST_TIMES:.0f} times" if times >= MOST_TIMES else f"{times:.1f} times",
        "fitting": f"{fitting:.1f}", "left": batch.left_ratio(fitting),
    }  # fmt: skip
    return Found(
        values={"times": told["times"]},
        summary=say(
            SMALL_BATCH, RECORDED if now else "",
            UNKNOWN_ROOM if room is None else ROOM if room >= times else LESS_ROOM, LEFT, **told,
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
        advice="how much larger",
    )  # fmt: skip


RULE = declared(judge, thresholds=(SMALL, LARGER, GAIN, FLAT))
