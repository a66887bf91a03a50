"""Stages of a model wait for each other while the pipeline fills and drains."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.communication.model_stages import (
    BEFORE_RATIO,
    STEADY_RATIO,
    StagePipeline,
    StagePipelines,
)
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, too_little
from tfperf_plugin.judging.engine.words import gpu, say, together

KERNEL = Threshold(
    "mean kernel with twice as many micro-batches", 20_000, "ns",
    "guide: a launch takes 20 to 40 µs; the GPU waits for shorter kernels, and nothing is saved",
)  # fmt: skip
STEADY = Threshold(
    "steps with the same hand-overs", STEADY_RATIO, "ratio", "else it is no schedule of micro-batches", True
)
BEFORE = Threshold(
    "computed before the first tensor comes", BEFORE_RATIO, "ratio",
    "of what the stage before has computed; a GPU that has done more does not depend on it", True, side="≤",
)  # fmt: skip
UNEVEN_RATIO: Final = 0.1
SHOWN_COUNT: Final = 8

NO_CHAIN = "No GPUs hand tensors to each other along a chain, back and forth."
NOT_ALL = "Only {stages} of {gpus} GPUs are stages of a model."
NOT_SPLIT = (
    "The {stages} stages hand over once each way in a step: batches are not split into micro-batches. gpus-run-serially "
    "judges stages that take turns."
)
WAIT = (
    "The model is split into {stages} stages, which pass on {batches:micro-batch|micro-batches} per step. Each waits for the "
    "others for {bubble:percent} of the step on average; equal stages would wait for {ideal:percent} of the time for forward "
    "and backward passes."
)
UNEVEN = "Stage {number} ({gpu}) computes longest, {busy:ms} per step where the mean is {mean:ms}, and the others wait for it."
SHORT = "Their kernels, {mean:ms} on average, are too short for smaller micro-batches."
SAVES = "Twice as many micro-batches save up to {saving:ms}."
CAUSE = (
    "Each of the {stages} stages waits for the others for {bubble:percent} of the step on average, with "
    "{batches:micro-batch|micro-batches} per step."
)
COMPUTES = "computes {busy:ms} per step"
BASIS = "half of the time for which the busiest stage waits while the pipeline fills and drains"


def judge(found: StagePipelines, ledger: Ledger, timeline: Timeline) -> Verdict:
    """Measures how long stages of a model wait, and how much of that more micro-batches would save."""
    if not found.pipelines:
        return NotApplicable(NO_CHAIN)
    gpus = sum(len(host.devices) for host in ledger.hosts)
    if found.gpus_count < gpus:
        return NotApplicable(say(NOT_ALL, stages=found.gpus_count, gpus=gpus))
    pipeline = min(found.pipelines, key=lambda p: p.filling_ns)
    stages, batches = len(pipeline.stages), pipeline.micro_batches
    step_ns = max(1, ledger.step_ns)
    if batches == 1:
        return NotApplicable(say(NOT_SPLIT, stages=stages))
    saving = pipeline.filling_ns // 2
    bubble = sum(s.bubble_ns for s in pipeline.stages) / stages / step_ns
    if little := too_little(saving, step_ns):
        return little
    short = pipeline.kernel_ns < 2 * KERNEL.value
    covers = _covered(found, gpus)
    busiest = pipeline.busiest
    number, mean = pipeline.stages.index(busiest), sum(s.busy_ns for s in pipeline.stages) / stages
    uneven = busiest.busy_ns >= (1 + UNEVEN_RATIO) * mean
    told = {"stages": stages, "batches": batches, "bubble": bubble}
    return Found(
        summary=together(
            say(WAIT, ideal=pipeline.ideal_ratio, **told),
            say(UNEVEN, number=number + 1, gpu=_device(pipeline, number), busy=busiest.busy_ns, mean=mean) if uneven else "",
            say(SHORT if short else SAVES, mean=pipeline.kernel_ns, saving=saving),
        ),
        cause=say(CAUSE, **told),
        evidence=(
            *(() if short else (Evidence("saved by twice as many micro-batches", saving, "ns", int(LEAST.value * step_ns), "half of what the busiest stage waits while the others work on one micro-batch"),)),
            Evidence("stages", stages, "count", None, "GPUs that hand over along a chain"),
            Evidence("micro-batches per step", batches, "count", None, "hand-overs between two stages, each way"),
            Evidence("waiting of a stage, average", bubble, "ratio", None, "idle or waiting in send and receive until others hand over"),
            Evidence("ideal waiting", pipeline.ideal_ratio, "ratio", None, "(p − 1) / (m + p − 1) for p equal stages, m micro-batches"),
            *(
                Evidence(f"waiting of stage {number + 1} ({_device(pipeline, number)})", stage.bubble_ns / step_ns, "ratio", None, say(COMPUTES, busy=stage.busy_ns))
                for number, stage in enumerate(pipeline.stages[:SHOWN_COUNT])
            ),
            Evidence("mean kernel with twice as many micro-batches", pipeline.kernel_ns // 2, "ns", int(KERNEL.value), "account Compute, of the stage with the shortest kernels"),
            Evidence("compute of the busiest stage", busiest.busy_ns, "ns", None, "account Compute"),
        ),
        where=timeline.worst([max(covers, key=covers.__getitem__)], "a stage waits for another one"),
        severity="info" if short else None,
        impact_ratio=bubble if short else 0.0,
        claims={} if short else _shared_out(saving, covers),
        basis=BASIS,
        confidence="medium",
        covers=covers,
        advice="kernels are short" if short else "",
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


def _device(pipeline: StagePipeline, number: int) -> str:
    stage = pipeline.stages[number]
    several = len({s.host for s in pipeline.stages}) > 1
    return gpu(stage.device, stage.host if several else "")


RULE = declared(
    judge, thresholds=(KERNEL, STEADY, BEFORE), explained_by=("gpus-run-serially",), needs=("clocks",)
)
