"""The training is input-bound: GPUs wait for the next batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput, ready_batches
from tfperf_plugin.analysis.artifacts.input.pipelines import BUSY_RATIO, NAMED_RATIO, IteratorRow
from tfperf_plugin.analysis.artifacts.input.stages import (
    BATCHING,
    PREPROCESSING,
    PYTHON,
    READ_AHEAD,
    READ_ON_DEMAND,
    TRANSFER,
    has_parallel_calls,
    is_cache,
    ops_of,
)
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS, NO_STEPS
from tfperf_plugin.judging.engine.rule import Found, Missing, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, cost, severity_at, severity_of, too_little
from tfperf_plugin.judging.engine.words import NO_GPU, gpu, gpus, listing, say, together, whole

NAMED = Threshold(
    "share of the wait in which the stage to blame works", NAMED_RATIO, "ratio", "a cause is named from 80 % of what it explains on", fixed=True
)  # fmt: skip
SLOWER = Threshold(
    "making a batch, against the step", 1.1, "times", "ours: 0.57 at most in 10 profiles whose pipeline keeps up, 1.6 and more in 3 where it is too slow"
)  # fmt: skip

PARALLEL: Final = "num_parallel_calls=tf.data.AUTOTUNE"

BY_OTHERS = "GPUs wait for input during {share:percent} of the step, no longer than others work."
ALL_WAIT = "In a step the {gpus} idle for {idle:ms} because the next batch is not ready."
ONE_WAITS = "In a step {name} is idle for {idle:ms} because its next batch is not ready; {in_time} in time."
SOME_WAIT = (
    "In a step {names} are each idle for {idle:ms} because their next batch is not ready; {in_time} in time."
)
IN_TIME = "the other {n} GPUs get theirs"
IN_TIME_ONE = "the other GPU gets its own"
SIBLINGS = "Waiting for them in AllReduce takes {siblings:ms} per step."
CAUSE = "{stage} takes {batch:ms} per batch, so the {gpus} idle for {idle:ms} per step."
CAUSE_HOST = "{stage} takes {batch:ms} per batch, so the host waits {wait:ms} per step."
OF_ARRAYS = "Keras makes the pipeline itself, from the arrays passed to fit()."
OF_GENERATOR = (
    "Its pipeline is .prefetch(1) and nothing else, as Keras makes it of a generator or Sequence that is passed to fit() with "
    "one worker: Python makes one batch at a time."
)
UNSEEN = "The bottleneck lies behind {stage} and was not recorded."
NONE_BLAMED = "No stage of its pipeline alone explains the wait, so none is blamed."
BOTTLENECK = "The bottleneck is {stage}: it {does}{at_once}, and takes {batch:ms} per batch, working during {ratio:percent} of the wait."
HIDES_ALL = (
    "Each step makes its own batch: {work:ms} of the request for it is work of the pipeline that nothing does ahead. The "
    "other {rest:ms} of the step could hide all of it."
)
HIDES_SOME = (
    "Each step makes its own batch: {work:ms} of the request for it is work of the pipeline that nothing does ahead. The "
    "other {rest:ms} of the step could hide as much."
)
DROPS = "{filter} then drops {dropped:percent} of what was read."
HOST_WAITS = "In {whole} the host waits {wait:ms} for the next batch."
FILLS = (
    "Batches are late while cache() is being filled; later epochs take them from it. So only a recording of a later epoch "
    "shows the usual step."
)
LAY_READY = (
    "But a batch lay ready in {stage}, and taking it took {taken:ms}: what fills the rest of the wait was not recorded. This was "
    "seen in one step, so it is not counted as a saving in each."
)
THERE = "Recorded steps took batches that lay ready in {stage}."
MAKES = (
    "But the pipeline makes {n:batch|batches} of {size} in {making:ms}, and {stage} alone works {work:ms} for that: over the "
    "training, a step takes at least {work:ms} on average, not {step:ms}."
)
ONE_AT_A_TIME = "That stage {does}."
GPU_UNKNOWN = "The recording does not show whether a GPU takes longer than that."
CAUSE_READY = (
    "The input pipeline makes {n:batch|batches} of {size} in {making:ms}, with {stage} as the slowest stage; recorded steps, of "
    "{step:ms}, took batches that lay ready."
)
NOT_KNOWN = (
    "The pipeline made no others in the time of a step, so the profile does not tell whether it keeps up."
)
MORE_STEPS = "Record 20 steps or more in the middle of an epoch."
ALONE = "The DataLoader has no worker processes (num_workers=0), so the {gpus} idle for {idle:ms} per step."
ALONE_ON_HOST = (
    "Its DataLoader has no worker processes (num_workers=0): it makes each batch itself, in between."
)
MAY_START = (
    "Its DataLoader has worker processes: they may have been starting, which takes as long for each new iterator, or be too slow; "
    "the recording does not tell which."
)
TOO_SLOW = "The worker processes of the DataLoader do not keep up, so the {gpus} idle for {idle:ms} per step."
BASIS = "by how much a step is shorter if no GPU is idle while the step waits for its batch"
BASIS_SIBLINGS = (
    "by how much a step is shorter if no GPU is idle while the step waits for its batch and no other GPU waits for it in "
    "AllReduce"
)
ITERATORS: Final = "iterator events of the recording"
# A wait for arrays in memory that takes less than this share of a single step is not known to come again.
MOST_RATIO: Final = 0.5
ONE_BATCH = "One step was recorded, and most of it is something else: record more steps to see what batches usually take."
ONE_BY_ONE: Final = "preprocessing, one by one"
NO_WORKERS: Final = "the DataLoader has no workers"
STARTING: Final = "the worker processes may be starting"
ONCE: Final = "it is there once"
HIDES: Final = "the rest of the step can hide it"
READS: Final = {
    PYTHON: "Python",
    READ_ON_DEMAND: "one file at a time",
    READ_AHEAD: "several files at a time",
    TRANSFER: "copies",
}
DOES: Final = {
    READ_ON_DEMAND: "reads one file at a time, only when the next stage needs it",
    READ_AHEAD: "reads ahead, and reading still takes longest",
    PREPROCESSING: "prepares the examples",
    ONE_BY_ONE: "handles one element after the other",
    PYTHON: "runs Python, one call at a time",
    BATCHING: "puts examples together into batches",
    TRANSFER: "copies batches to the GPU",
}


def judge(late: LateInput, compute: HostCompute, ledger: Ledger | None, timeline: Timeline | None) -> Verdict:
    """Compares the time in which a GPU is idle and the step waits for a batch with the step.

    If the batch of one GPU or host is late, the others wait for it in AllReduce, which counts as well. If no
    GPU was recorded, the host's own waiting is compared with the host's step.
    """
    if ledger is None or timeline is None:
        return _without_gpu(late, compute.on_cpu)
    idle = ledger.average()["idle.input"]
    lost, siblings = late.lost_ns, late.lost_ns - late.idle_ns
    if severity_of(idle, ledger.step_ns) and too_little(lost, ledger.step_ns):
        return Passed(say(BY_OTHERS, share=idle / ledger.step_ns))
    if verdict := _of_ready_batches(late):
        return verdict
    row, once = late.stage, _once(late)
    case, values = _advice(late)
    alone, too_slow = _loader(late)
    about = {"gpus": gpus(ledger.gpus_count), "idle": idle}
    blamed = say(ALONE, **about) if alone else say(TOO_SLOW, **about) if too_slow else ""
    values |= {"no workers": alone, "workers are too slow": too_slow}
    return Found(
        summary=together(_waiting_gpus(ledger, idle, siblings), _bottleneck(late), blamed, once),
        cause=say(CAUSE, stage=late.described, batch=row.batch_ns, gpus=gpus(ledger.gpus_count), idle=idle)
        if row and not siblings
        else blamed,
        evidence=(
            Evidence("GPU idle while the step waits for a batch", idle, "ns", int(LEAST.value * ledger.step_ns), "account Input wait"),
            *([Evidence("waiting in AllReduce for GPUs whose batch is late", siblings, "ns", None,
                        "account Straggler wait, per step and GPU")] if siblings else []),
            Evidence("share of the step", late.ratio, "ratio", LEAST.value, "step budget"),
            *_batch_rates(ledger, lost),
            *_pipeline_evidence(late),
        ),
        where=timeline.worst(["idle.input"], "Input wait"),
        claims={} if once else late.claims,
        severity="info" if once else None,
        independent=bool(once),
        basis=BASIS_SIBLINGS if siblings else BASIS,
        advice=case or (NO_WORKERS if alone else ""),
        values=values,
        frees_input=case != HIDES,
    )  # fmt: skip


def _waiting_gpus(ledger: Ledger, idle: int, siblings: int) -> str:
    """A sentence on the GPUs that wait."""
    several = len(ledger.hosts) > 1
    groups: list[tuple[str, list[int]]] = []
    for host in ledger.hosts:
        if not host.steps.judged.any():
            continue
        waits = [ledger.average_of(d, host.steps.judged)["idle.input"] for d in host.devices]
        if several and severity_of(min(waits), ledger.step_ns):
            groups.append((f"each GPU of {host.host}", waits))
            continue
        for device, ns in zip(host.devices, waits, strict=True):
            groups.append((gpu(device.device, host.host if several else ""), [ns]))
    late = [(name, ns) for name, ns in groups if severity_of(min(ns), ledger.step_ns)]
    lost = [ns for _, waits in late for ns in waits]
    rest = sum(len(waits) for _, waits in groups) - len(lost)
    if not late or not rest:
        return say(ALL_WAIT, gpus=gpus(ledger.gpus_count), idle=idle)
    names = listing([name for name, _ in late])
    each, in_time = sum(lost) // len(lost), IN_TIME_ONE if rest == 1 else say(IN_TIME, n=rest)
    told = {"idle": each, "in_time": in_time}
    some = say(ONE_WAITS, name=names, **told) if len(late) == 1 else say(SOME_WAIT, names=names, **told)
    return together(some, say(SIBLINGS, siblings=siblings) if siblings else "")


def _batch_rates(ledger: Ledger, lost: int) -> tuple[Evidence, ...]:
    """The rate of batches that a pipeline for several GPUs delivers, and the rate that they need."""
    fed = max(len(h.devices) for h in ledger.hosts)
    if fed < 2 or lost >= ledger.step_ns:
        return ()
    delivered, needed = fed * 1e9 / ledger.step_ns, fed * 1e9 / (ledger.step_ns - lost)
    rates = [float(f"{rate:.3g}") for rate in (delivered, needed)]
    return (
        Evidence("GPUs fed by one input pipeline", fed, "count", None, "GPUs of one host that run kernels"),
        Evidence("batches per second delivered", rates[0], "count", None, "one a GPU and step: GPUs / step"),
        Evidence("batches per second needed", rates[1], "count", None, "GPUs / (step − waiting for input): what they would take if they never waited"),
    )  # fmt: skip


def _without_gpu(late: LateInput, on_cpu: bool) -> Verdict:
    # Without workers the batch is made anew in each step, which may be the only one that was recorded.
    alone, workers = _loader(late)
    starting = workers and not late.steps_count
    if not late.steps_count and not (on_cpu and (alone or (workers and late.ratio >= BUSY_RATIO))):
        return Missing(NO_STEPS, HOW_TO_MARK_STEPS)
    if verdict := _of_ready_batches(late):
        return verdict
    case, values = _advice(late)
    row, once = late.stage, _once(late)
    few = late.of_arrays and late.steps_count == 1 and late.ratio < MOST_RATIO
    of = "the host's step" if late.steps_count else "the recording"
    return Found(
        title="Input wait on the host",
        cause=say(CAUSE_HOST, stage=late.described, batch=row.batch_ns, wait=late.lost_ns) if row else "",
        summary=together(
            say(HOST_WAITS, ALONE_ON_HOST if alone else MAY_START if starting else "", whole=whole(late.step_ns, late.steps_count), wait=late.lost_ns),
            _bottleneck(late), once, ONE_BATCH if few else "", NO_GPU,
        ),
        evidence=(
            *cost("the step waits for a batch", late.lost_ns, late.step_ns, "host events IteratorGetNext, per step", of, "host events"),
            *_pipeline_evidence(late),
        ),
        where=late.where,
        severity="info" if once or few else "warning" if starting else None,
        confidence="low" if few else "high",
        independent=bool(once),
        impact_ratio=late.ratio,
        advice=case or (NO_WORKERS if alone else STARTING if starting else ""),
        values=values | {"no workers": alone, "workers are too slow": workers},
    )  # fmt: skip


def _once(late: LateInput) -> str:
    """Why the wait is there once, and so no saving in each step; "" if it comes again."""
    if late.fills_cache:
        return say(FILLS)
    taken, prefetch = late.handed_over_ns, late.prefetch
    if late.on_gpu or taken is None or prefetch is None:
        return ""
    return say(LAY_READY, stage=prefetch.written, taken=taken)


def _of_ready_batches(late: LateInput) -> Verdict | None:
    """What is known of steps that hardly wait because enough batches lay ready; ``None`` if the pipeline keeps up."""
    ready, step, waits = ready_batches(late.pipelines), late.step_ns, severity_at(late.ratio)
    if ready is None or waits not in (None, "info"):
        return None
    if ready.making_ns is not None and ready.making_ns < SLOWER.value * step:
        return None
    ready_there = say(THERE, stage=ready.prefetch.written)
    row, making = ready.stage, ready.making_ns
    if not (row and making and ready.batch_size) or ready.stage_ns < SLOWER.value * step:
        return None if waits else Missing(together(ready_there, NOT_KNOWN), MORE_STEPS)
    rows, least = late.pipelines.asked, round(SLOWER.value * step)
    case, values = _stage_advice(row, rows)
    makes = {"n": round(ready.requests), "size": ready.batch_size, "making": making, "step": step}
    return Found(
        summary=together(
            ready_there,
            say(MAKES, stage=row.written, work=ready.stage_ns, **makes),
            say(ONE_AT_A_TIME, does=DOES[_kind(row)]),
            "" if late.on_gpu else GPU_UNKNOWN,
        ),
        cause=say(CAUSE_READY, stage=row.written, **makes),
        evidence=(
            Evidence("making the batches of a step", making, "ns", least, f"{ITERATORS}, by the elements of a batch"),
            Evidence("the recorded step", step, "ns", None, "steps"),
            Evidence(f"{row.written} works for them", ready.stage_ns, "ns", least, ITERATORS),
            Evidence("calls of it at the same time", row.at_once, "count", None, ITERATORS),
        ),
        confidence="medium",
        impact_ratio=1 - step / ready.stage_ns,
        advice=case,
        values=values | {"batches lay ready": True, "no cache": not any(is_cache(r.kind) for r in rows)},
    )  # fmt: skip


def _kind(row: IteratorRow) -> str:
    """The stage's kind; a map without parallel calls has one of its own."""
    is_map = bool({"Map", "ParallelMap"} & set(ops_of(row.kind, row.dataset)))
    return ONE_BY_ONE if row.stage == PREPROCESSING and is_map and not _is_parallel(row) else row.stage


def _is_parallel(row: IteratorRow) -> bool:
    return has_parallel_calls(row.kind, row.parallelism)


def _own_batch_ns(late: LateInput) -> tuple[int, int]:
    """Work per step inside the request for a batch that nothing does ahead, 0 if it is too little to say; and the
    rest of the step, which could hide it."""
    work = 0 if late.unseen else late.in_request_ns
    return work if severity_of(work, late.step_ns) else 0, max(0, late.step_ns - late.lost_ns)


def _bottleneck(late: LateInput) -> str:
    """Sentences on the bottleneck stage, as the user wrote it, and on batches that the step itself makes."""
    row, (work, rest) = late.stage, _own_batch_ns(late)
    ahead = say(HIDES_ALL if work <= rest else HIDES_SOME, work=work, rest=rest) if work else ""
    if late.of_arrays:
        return together(OF_ARRAYS, ahead)
    if row is None and late.of_generator:
        return together(OF_GENERATOR, ahead)
    if row is None:
        unseen = late.unseen
        unblamed = NONE_BLAMED if late.pipeline else ""
        return together(say(UNSEEN, stage=unseen.written) if unseen else unblamed, ahead)
    kept, drops = _wasteful_filter(late), ""
    if kept and row.stage != PREPROCESSING:
        drops = say(DROPS, filter=kept.written, dropped=1 - _kept_ratio(kept))
    what = "files" if row.stage in (READ_ON_DEMAND, READ_AHEAD) else "calls"
    at_once = f" (up to {row.at_once} {what} at a time)" if row.at_once > 1 else ""
    told = {"does": DOES[_kind(row)], "at_once": at_once, "batch": row.batch_ns, "ratio": row.wait_ratio}
    blamed = say(BOTTLENECK, stage=late.described, **told)
    return together(blamed, drops, ahead)


def _wasteful_filter(late: LateInput) -> IteratorRow | None:
    """A filter that drops at least as much as it keeps, so that much work is wasted."""
    rows = [r for r in late.pipelines.asked if r.filtered and r.filtered >= (r.passed or 0)]
    return max(rows, key=lambda r: r.filtered or 0, default=None)


def _kept_ratio(row: IteratorRow) -> float:
    """The share of the records that a filter keeps."""
    return (row.passed or 0) / ((row.passed or 0) + (row.filtered or 0))


def _pipeline_evidence(late: LateInput) -> list[Evidence]:
    """Evidence from the pipeline: its bottleneck, buffers, batches, dropped records."""
    found, row, (work, rest) = list(late.evidence()), late.stage, _own_batch_ns(late)
    buffer, pipeline, kept = late.prefetch, late.pipeline, _wasteful_filter(late)
    if row and row.at_once == 1 and row.parallelism is None:
        once = {READ_ON_DEMAND: "files read at the same time", ONE_BY_ONE: "calls of it at the same time"}
        if label := once.get(_kind(row)):
            found.append(Evidence(label, 1, "count", None, "iterator events"))
    if work:
        found += [
            Evidence("work on the thread that asks for a batch", work, "ns", None, "iterator events inside requests, per step"),
            Evidence("rest of the step, which could hide it", rest, "ns", None, "step without waiting for input"),
        ]  # fmt: skip
    if buffer and buffer.buffer_limit and buffer.buffered_elements is not None:
        fill = f"mean fill of the prefetch buffer (room for {buffer.buffer_limit})"
        empty = "iterator events; an empty buffer means the producer is too slow"
        found.append(Evidence(fill, buffer.buffered_elements, "count", None, empty))
    if pipeline and pipeline.batch_bytes:
        found.append(Evidence("size of a batch", pipeline.batch_bytes, "bytes", None, "request for a batch"))
    if kept:
        since = "iterator events, since its iterator was made"
        found.append(Evidence(f"records that {kept.written} keeps", _kept_ratio(kept), "ratio", None, since))
    return found


def _advice(late: LateInput) -> tuple[str, dict[str, object]]:
    """The case of the page, and what of this pipeline its actions depend on; never what it does already."""
    if _once(late):
        return ONCE, {"a cache is filled": late.fills_cache}
    if late.of_arrays:
        return "arrays were passed to fit()", {"on a GPU": late.on_gpu}
    if late.of_generator:
        return "a generator was passed to fit()", {}
    row, rows, unseen = late.stage, late.pipelines.asked, late.unseen
    kept = _wasteful_filter(late)
    about: dict[str, object] = {
        "no prefetch": late.pipeline is not None and late.prefetch is None and unseen is None,
        "no cache": not any(is_cache(r.kind) for r in rows),
        "a filter drops most": kept is not None and row is not kept,
        "filter": kept.written if kept else "",
    }
    if unseen:
        return "", about | {"not recorded": True, "stage": unseen.written}
    if late.is_hidden_by_prefetch:
        return HIDES, about
    if row is None:
        return "", about | {"nothing is recorded": not rows, "no stage is blamed": bool(rows)}
    case, told = _stage_advice(row, rows)
    return case, about | told


def _stage_advice(row: IteratorRow, rows: Sequence[IteratorRow]) -> tuple[str, dict[str, object]]:
    """The case of the page for a pipeline of ``rows`` whose bottleneck is ``row``, and what its actions depend on."""
    parallel = _is_parallel(row)
    reader = next((r for r in rows if r.kind.startswith("ParallelInterleave")), row)
    kind = "one batch at a time" if row.stage == BATCHING else "one element at a time"
    kind = "a filter" if "Filter" in ops_of(row.kind, row.dataset) else kind
    kind = READS.get(row.stage) or ("parallel already" if parallel else kind)
    about: dict[str, object] = {
        kind: True,
        "its degree is fixed": kind == "parallel already" and row.autotune is False,
        "stage": (reader if row.stage == READ_AHEAD else row).written,
        "with_parallel_calls": _with_parallel_calls(row.written),
    }
    return "" if row.stage in READS else "parallel already" if parallel else "in sequence", about


def _loader(late: LateInput) -> tuple[bool, bool]:
    """Whether steps wait for a DataLoader of PyTorch without workers, or with some: its iterator tells."""
    return late.without_workers, "_MultiProcessing" in late.request


def _with_parallel_calls(text: str) -> str:
    """``.map(...)`` with parallel calls; the first call of several that TensorFlow fused."""
    head, closing, tail = text.partition(")")
    head = head.partition(", num_parallel_calls=")[0]
    return f"{head}, {PARALLEL}{closing or ')'}{tail}" if "(" in head else f"{text} with {PARALLEL}"


# What the machine lacks stands behind the stage that is the bottleneck.
MACHINE: Final = ("quota-throttled", "processors-full", "network-full", "disk-full")

RULE = declared(
    judge,
    thresholds=(NAMED, SLOWER),
    explained_by=MACHINE,
    yields_to=("quota-throttled",),
    needs=("input", "clocks"),
)
