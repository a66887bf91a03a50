"""Stages of a model wait for each other while the pipeline fills and drains."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.model_stages import (
    BEFORE_RATIO,
    STEADY_RATIO,
    StagePipeline,
    StagePipelines,
)
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, gpu, ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop

SAVED = Threshold("saved by twice as many micro-batches", 0.01, "ratio", "of the step: lowest severity")
KERNEL = Threshold(
    "mean kernel with twice as many micro-batches",
    20_000,
    "ns",
    "guide: a launch takes 20 to 40 µs; the GPU waits for shorter kernels, and nothing is saved",
)
STEADY = Threshold(
    "steps with the same hand-overs", STEADY_RATIO, "ratio", "else it is no schedule of micro-batches", True
)
BEFORE = Threshold(
    "computed before the first tensor comes",
    BEFORE_RATIO,
    "ratio",
    "of what the stage before has computed; a GPU that has done more does not depend on it",
    True,
    side="≤",
)
_UNEVEN_RATIO = 0.1
_SHOWN_COUNT = 8


def judge(found: StagePipelines, ledger: Ledger, timeline: Timeline) -> Verdict:
    """Measures how long stages of a model wait, and how much of that more micro-batches would save."""
    if not found.pipelines:
        return NotApplicable("No GPUs hand tensors to each other along a chain, back and forth.")
    gpus = sum(len(host.devices) for host in ledger.hosts)
    if found.gpus_count < gpus:
        return NotApplicable(f"Only {found.gpus_count} of {gpus} GPUs are stages of a model.")
    pipeline = min(found.pipelines, key=lambda p: p.filling_ns)
    stages, batches = len(pipeline.stages), pipeline.micro_batches
    step_ns = max(1, ledger.step_ns)
    if batches == 1:
        return NotApplicable(
            f"The {stages} stages hand over once each way in a step: batches are not split into micro-batches. "
            f"gpus-run-serially judges stages that take turns."
        )
    saving = pipeline.filling_ns // 2
    bubble = sum(s.bubble_ns for s in pipeline.stages) / stages / step_ns
    if saving < SAVED.value * step_ns:
        return Passed(
            f"The {stages} stages wait for each other for {percent(bubble)} of the step; twice as many micro-batches "
            f"would save {percent(saving / step_ns)}."
        )
    short = pipeline.kernel_ns < 2 * KERNEL.value
    busiest, covers = pipeline.busiest, _covered(found, gpus)
    advice = (
        f"Their kernels, {ms(pipeline.kernel_ns)} on average, are too short for smaller micro-batches."
        if short
        else f"Twice as many micro-batches save up to {ms(saving)}."
    )
    return Found(
        summary=(
            f"The model is split into {stages} stages, which pass on {count(batches, 'micro-batch', 'micro-batches')} "
            f"per step. Each waits for the others for {percent(bubble)} of the step on average; equal "
            f"stages would wait for {percent(pipeline.ideal_ratio)} of the time for forward and backward passes. {_balance(pipeline)}{advice}"
        ),
        evidence=(
            *(() if short else (Evidence(
                "saved by twice as many micro-batches", saving, "ns", int(SAVED.value * step_ns),
                "half of what the busiest stage waits while the others work on one micro-batch",
            ),)),
            Evidence("stages", stages, "count", None, "GPUs that hand over along a chain"),
            Evidence("micro-batches per step", batches, "count", None, "hand-overs between two stages, each way"),
            Evidence("waiting of a stage, average", bubble, "ratio", None, "idle or waiting in send and receive until others hand over"),
            Evidence("ideal waiting", pipeline.ideal_ratio, "ratio", None, "(p − 1) / (m + p − 1) for p equal stages, m micro-batches"),
            *(
                Evidence(
                    f"waiting of {_name(pipeline, number)}", stage.bubble_ns / step_ns, "ratio", None,
                    f"computes {ms(stage.busy_ns)} per step",
                )
                for number, stage in enumerate(pipeline.stages[:_SHOWN_COUNT])
            ),
            Evidence(
                "mean kernel with twice as many micro-batches", pipeline.kernel_ns // 2, "ns", int(KERNEL.value),
                "account Compute, of the stage with the shortest kernels",
            ),
            Evidence("compute of the busiest stage", busiest.busy_ns, "ns", None, "account Compute"),
        ),
        where=timeline.worst([max(covers, key=covers.__getitem__)], "a stage waits for another one"),
        severity="info" if short else None,
        impact_ratio=bubble if short else 0.0,
        claims={} if short else _shared_out(saving, covers),
        basis="half of the time for which the busiest stage waits while the pipeline fills and drains",
        confidence="medium",
        covers=covers,
        fix=_LARGER_BATCH if short else None,
        action="Use fewer stages, or a larger batch" if short else "",
        cause=f"Each of the {stages} stages waits for the others for {percent(bubble)} of the step on average, with "
        f"{count(batches, 'micro-batch', 'micro-batches')} per step.",
    )  # fmt: skip


def _covered(found: StagePipelines, gpus: int) -> dict[str, int]:
    """The waiting of stages by account, per average step and GPU."""
    accounts = sorted({a for p in found.pipelines for a in p.bubble_ns})
    total = {a: sum(p.bubble_ns.get(a, 0) for p in found.pipelines) // gpus for a in accounts}
    return {account: ns for account, ns in total.items() if ns}


def _shared_out(saving_ns: int, covers: dict[str, int]) -> dict[str, int]:
    """The saving over the accounts in which stages wait, in proportion."""
    total = sum(covers.values())
    return {account: ns * min(saving_ns, total) // total for account, ns in covers.items()}


def _name(pipeline: StagePipeline, number: int) -> str:
    stage = pipeline.stages[number]
    several = len({s.host for s in pipeline.stages}) > 1
    return f"stage {number + 1} ({gpu(stage.device, stage.host if several else '')})"


def _balance(pipeline: StagePipeline) -> str:
    """Which stage holds up the others, if one does."""
    busiest = pipeline.busiest
    mean = sum(s.busy_ns for s in pipeline.stages) / len(pipeline.stages)
    if busiest.busy_ns < (1 + _UNEVEN_RATIO) * mean:
        return ""
    name = _name(pipeline, pipeline.stages.index(busiest))
    return (
        f"{name.capitalize().replace('gpu', 'GPU')} computes longest, {ms(busiest.busy_ns)} per step where the mean is "
        f"{ms(mean)}, and the others wait for it. "
    )


_LARGER_BATCH = Fix(
    summary="Use fewer stages, or a larger batch that is split into more micro-batches of the same size.",
    actions=(
        "Use fewer stages if the model fits, and the other GPUs for data parallelism.",
        "Add micro-batches without making them smaller: a larger batch, if convergence allows it.",
        "Make kernels fewer and longer, for example with XLA: then smaller micro-batches pay off as well.",
    ),
    snippets=(
        custom_loop(
            "batches = dataset.batch(2 * batch_size)  # cut into twice as many micro-batches of the same size\nparts = tf.split(batch, 2 * micro_batches)"
        ),
    ),
)
_ACTIONS = (
    "Split each batch into more micro-batches, as long as each still fills a GPU; four times as many micro-batches as stages leave a bubble of less than a fifth.",
    "Run each micro-batch's backward pass as early as possible (one forward, one backward: 1F1B): the bubble stays the same, but fewer micro-batches are in memory at once, so more of them fit.",
    "Give each GPU several smaller parts of the model in turn (interleaved schedule): with k parts, filling and draining take 1/k of the time.",
    "Move layers from the stage that computes longest to the others.",
    "Use fewer stages if the model fits, and the other GPUs for data parallelism.",
)
RULE = declared(judge, thresholds=(SAVED, KERNEL, STEADY, BEFORE), explained_by=("gpus-run-serially",))
