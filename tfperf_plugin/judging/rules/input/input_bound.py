"""The training is input-bound: GPUs wait for the next batch."""

from __future__ import annotations

from collections.abc import Sequence

from tfperf_plugin.analysis.artifacts.input.host_input import HostInput
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.pipelines import NAMED_RATIO, IteratorRow
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
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rank import severity_of
from tfperf_plugin.judging.engine.rule import Found, Missing, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import NO_GPU, gpu, gpus, listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, Snippet, custom_loop, keras

WAIT = Threshold("waiting for input", 0.01, "ratio", "lowest severity; XProf: 5 % moderate, 20 % high")
NAMED = Threshold(
    "share of the wait in which the stage to blame works",
    NAMED_RATIO,
    "ratio",
    "a cause is named from 80 % of what it explains on",
    fixed=True,
)


def judge(host: HostInput, late: LateInput, ledger: Ledger | None, timeline: Timeline | None) -> Verdict:
    """Compares the time in which a GPU is idle and the step waits for a batch with the step.

    If the batch of one GPU or host is late, the others wait for it in AllReduce, which counts as well. If no
    GPU was recorded, the host's own waiting is compared with the host's step.
    """
    if ledger is None or timeline is None:
        return _without_gpu(host, late)
    idle = ledger.average()["idle.input"]
    lost, gain, share = late.lost_ns, late.idle_ns, late.ratio
    siblings = lost - gain
    if share < WAIT.value:
        waits = idle / max(1, ledger.step_ns)
        but = ", no longer than others work" if waits >= WAIT.value else ""
        return Passed(f"GPUs wait for input during {percent(waits)} of the step{but}.")
    fix = _fix(late)
    return Found(
        summary=_waiting_gpus(ledger, idle, siblings) + _bottleneck(late),
        cause="" if siblings else _cause(late, f"the {gpus(ledger.gpus_count)} idle for {ms(idle)} per step"),
        evidence=(
            Evidence("GPU idle while the step waits for a batch", idle, "ns", int(WAIT.value * ledger.step_ns),
                     "account Input wait"),
            *([Evidence("waiting in AllReduce for GPUs whose batch is late", siblings, "ns", None,
                        "account Straggler wait, per step and GPU")] if siblings else []),
            Evidence("share of the step", share, "ratio", WAIT.value, "step budget"),
            *_batch_rates(ledger, lost),
            *late.evidence(),
            *_pipeline_evidence(late),
        ),
        where=timeline.worst(["idle.input"], "Input wait"),
        claims={"idle.input": gain, "communication.wait": siblings} if siblings else {"idle.input": gain},
        basis="by how much a step is shorter if no GPU is idle while the step waits for its batch"
        + (" and no other GPU waits for it in AllReduce" if siblings else ""),
        fix=fix,
        action=_ACTIONS[fix.summary],
    )  # fmt: skip


def _waiting_gpus(ledger: Ledger, idle: int, siblings: int) -> str:
    """A sentence on the GPUs that wait."""
    several = len(ledger.hosts) > 1
    groups: list[tuple[str, list[int]]] = []
    for host in ledger.hosts:
        if not host.steps.judged.any():
            continue
        waits = [ledger.average_of(d, host.steps.judged)["idle.input"] for d in host.devices]
        if several and min(waits) >= WAIT.value * ledger.step_ns:
            groups.append((f"each GPU of {host.host}", waits))
            continue
        for device, ns in zip(host.devices, waits, strict=True):
            groups.append((gpu(device.device, host.host if several else ""), [ns]))
    late = [(name, ns) for name, ns in groups if min(ns) >= WAIT.value * ledger.step_ns]
    lost = [ns for _, waits in late for ns in waits]
    rest = sum(len(waits) for _, waits in groups) - len(lost)
    if not late or not rest:
        return f"In a step the {gpus(ledger.gpus_count)} idle for {ms(idle)} because the next batch is not ready."
    one = len(late) == 1
    in_time = "the other GPU gets its own" if rest == 1 else f"the other {rest} GPUs get theirs"
    wait = (
        f" Waiting for {'it' if len(lost) == 1 else 'them'} in AllReduce takes {ms(siblings)} per step."
        if siblings
        else ""
    )
    return (
        f"In a step {listing([name for name, _ in late])} {'is' if one else 'are each'} idle for "
        f"{ms(sum(lost) // len(lost))} because {'its' if one else 'their'} next batch is not ready; {in_time} in time.{wait}"
    )


def _batch_rates(ledger: Ledger, lost: int) -> tuple[Evidence, ...]:
    """The rate of batches that a pipeline for several GPUs delivers, and the rate that they need."""
    fed = max(len(h.devices) for h in ledger.hosts)
    if fed < 2 or lost >= ledger.step_ns:
        return ()
    delivered, needed = fed * 1e9 / ledger.step_ns, fed * 1e9 / (ledger.step_ns - lost)
    return (
        Evidence("GPUs fed by one input pipeline", fed, "count", None, "GPUs of one host that run kernels"),
        Evidence(
            "batches per second delivered", _rate(delivered), "count", None, "one a GPU and step: GPUs / step"
        ),
        Evidence(
            "batches per second needed",
            _rate(needed),
            "count",
            None,
            "GPUs / (step − waiting for input): what they would take if they never waited",
        ),
    )


def _rate(per_second: float) -> float:
    return float(f"{per_second:.3g}")


def _without_gpu(host: HostInput, late: LateInput) -> Verdict:
    if not host.steps_count:
        return Missing("The profile does not tell where a step begins and ends.", HOW_TO_MARK_STEPS)
    share = host.wait_ns / max(1, host.step_ns)
    severity = severity_of(host.wait_ns, host.step_ns)
    if severity is None:
        return Passed(f"Steps wait for input during {percent(share)} of their time on the host.")
    fix = _fix(late)
    return Found(
        title="Input wait on the host",
        cause=_cause(late, f"the host waits {ms(host.wait_ns)} per step"),
        summary=f"In a step of {ms(host.step_ns)} the host waits {ms(host.wait_ns)} for the next batch."
        f"{_bottleneck(late)} {NO_GPU}",
        evidence=(
            Evidence(
                "the step waits for a batch",
                host.wait_ns,
                "ns",
                int(WAIT.value * host.step_ns),
                "host events IteratorGetNext, per step",
            ),
            Evidence("share of the host's step", share, "ratio", WAIT.value, "host events"),
            *late.evidence(),
            *_pipeline_evidence(late),
        ),
        where=host.where,
        severity=severity,
        impact_ratio=share,
        fix=fix,
        action=_ACTIONS[fix.summary],
    )


_STAGE_WORK = {
    READ_ON_DEMAND: "reads one file at a time, only when the next stage needs it",
    READ_AHEAD: "reads ahead, and reading still takes longest",
    PREPROCESSING: "prepares the examples",
    PYTHON: "runs Python, one call at a time",
    BATCHING: "puts examples together into batches",
    TRANSFER: "copies batches to the GPU",
}


def _cause(late: LateInput, effect: str) -> str:
    """The stage to blame and what it takes, where one is named."""
    row = late.stage
    return f"{late.described} takes {ms(row.batch_ns)} per batch, so {effect}." if row else ""


def _bottleneck(late: LateInput) -> str:
    """A sentence on the bottleneck stage, as the user wrote it, and what it does."""
    row = late.stage
    if row is None:
        if late.of_arrays:
            return " Keras makes the pipeline itself, from the arrays passed to fit()."
        if late.of_generator:
            return (
                " Its pipeline is .prefetch(1) and nothing else, as Keras makes it of a generator or Sequence that is "
                "passed to fit() with one worker: Python makes one batch at a time."
            )
        if unseen := late.unseen:
            return f" The bottleneck lies behind {unseen.written} and was not recorded."
        none = (
            f" No stage of its pipeline works during {percent(NAMED.value)} of the wait, so none is blamed."
        )
        return none if late.pipeline else ""
    what = "files" if row.stage in (READ_ON_DEMAND, READ_AHEAD) else "calls"
    at_once = f" ({row.at_once} {what} at a time)" if row.at_once > 1 else ""
    text = (
        f" The bottleneck is {late.described}: it {_STAGE_WORK[row.stage]}{at_once}, and takes {ms(row.batch_ns)} per "
        f"batch, working during {percent(row.wait_ratio)} of the wait."
    )
    kept = _wasteful_filter(late)
    if kept and kept.passed is not None and kept.filtered is not None and row.stage != PREPROCESSING:
        dropped = kept.filtered / (kept.passed + kept.filtered)
        text += f" {kept.written} then drops {percent(dropped)} of what was read."
    return text


def _wasteful_filter(late: LateInput) -> IteratorRow | None:
    """A filter that drops at least as much as it keeps, so that much work is wasted."""
    rows = [r for r in late.pipelines.asked if r.filtered and r.filtered >= (r.passed or 0)]
    return max(rows, key=lambda r: r.filtered or 0, default=None)


def _pipeline_evidence(late: LateInput) -> tuple[Evidence, ...]:
    """Further evidence from the pipeline: buffers, batches, dropped records."""
    found = []
    buffer, pipeline, kept = late.prefetch, late.pipeline, _wasteful_filter(late)
    if buffer and buffer.buffer_limit:
        found.append(
            Evidence(
                f"mean fill of the prefetch buffer of {buffer.buffer_limit}",
                buffer.buffered_elements or 0,
                "count",
                None,
                "iterator events; an empty buffer means the producer is too slow",
            )
        )
    if pipeline and pipeline.batch_bytes:
        found.append(Evidence("size of a batch", pipeline.batch_bytes, "bytes", None, "request for a batch"))
    if kept and kept.passed is not None and kept.filtered:
        found.append(
            Evidence(
                f"records that {kept.written} keeps",
                kept.passed / (kept.passed + kept.filtered),
                "ratio",
                None,
                "iterator events, since its iterator was made",
            )
        )
    return tuple(found)


_PARALLEL = "num_parallel_calls=tf.data.AUTOTUNE"
_BEHIND = (
    "Speed up what fills {}, such as a generator or the reading of files: batches are made ahead already, "
    "but too slowly. Its calls lasted longer than the recording or were not recorded; record more steps to "
    "see them."
)
_CONFIRM = "To confirm, train a few steps on one batch kept in memory: the step should become shorter by the time shown here."
_ONE_BATCH = (
    keras(
        "one_batch = ds.take(1).cache().repeat()\nmodel.fit(one_batch, steps_per_epoch=50)  # is it faster?"
    ),
    custom_loop(
        "batch = next(iter(ds))\nfor step in range(50):\n    train_step(batch)  # same batch: no input cost"
    ),
)
_WHOLE_PIPELINE = Snippet(
    "tf.data",
    "ds = (files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)\n"
    "      .map(parse, num_parallel_calls=tf.data.AUTOTUNE)\n"
    "      .cache()\n"
    "      .batch(batch_size)\n"
    "      .prefetch(tf.data.AUTOTUNE))",
)
_BATCH_FIRST = Snippet(
    "tf.data",
    "ds = (ds.batch(batch_size)\n"
    "      .map(parse_batch, num_parallel_calls=tf.data.AUTOTUNE)  # one call a batch\n"
    "      .prefetch(tf.data.AUTOTUNE))",
)
_LINKS = (
    Link("Better performance with the tf.data API", "https://www.tensorflow.org/guide/data_performance"),
)


_OF_ARRAYS = Fix(
    "Give fit() a tf.data.Dataset instead of arrays: then the pipeline is yours to change.",
    (
        "Make a dataset of the arrays that ends with batch() and prefetch(tf.data.AUTOTUNE), so that the next batch is "
        "made while this step runs.",
        "Keep the arrays in compact types (uint8 images) and convert them on the GPU.",
        _CONFIRM,
    ),
    (
        keras(
            "ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000)\n"
            "model.fit(ds.batch(batch_size).prefetch(tf.data.AUTOTUNE))"
        ),
        *_ONE_BATCH,
    ),
    _LINKS,
)


_OF_GENERATOR = Fix(
    "Make batches in several processes, or with tf.data: one Python thread is too slow for this GPU.",
    (
        "If fit() gets a generator: make it a keras.utils.Sequence (Keras 3: PyDataset), whose batches can be made in "
        "any order, and let several processes make them: workers=8, use_multiprocessing=True. Each process runs the "
        "whole of __getitem__, so several batches are made at a time.",
        "Better, make it a tf.data.Dataset: from_tensor_slices or files, map(..., num_parallel_calls=tf.data.AUTOTUNE), "
        "batch, prefetch(tf.data.AUTOTUNE).",
        "Do once what does not change between epochs, such as decoding and resizing: store the result.",
        _CONFIRM,
    ),
    (
        keras("model.fit(sequence, workers=8, use_multiprocessing=True, max_queue_size=16)  # a Sequence, no generator"),
        keras("class Batches(keras.utils.PyDataset): ...  # Keras 3\nmodel.fit(Batches(workers=8, use_multiprocessing=True, max_queue_size=16))"),
        *_ONE_BATCH,
    ),
    _LINKS,
)  # fmt: skip


_AHEAD = "Make batches ahead of the step: the rest of the step is long enough to hide that."
_LIGHTER = (
    "Take work out of the slowest stage of the input pipeline, and keep batches ready ahead of the step."
)
_CHEAPER = "Make the slowest stage of the input pipeline cheaper: it runs in parallel already."
_MORE_AT_ONCE = (
    "Make the slowest stage of the input pipeline parallel, and keep batches ready ahead of the step."
)
_ACTIONS = {
    _OF_GENERATOR.summary: "Make batches in several processes or with tf.data",
    _OF_ARRAYS.summary: "Give fit() a prefetched dataset instead of arrays",
    _AHEAD: "Make batches ahead of the step",
    _LIGHTER: "",
    _CHEAPER: "Make the slowest input stage cheaper",
    _MORE_AT_ONCE: "Run the slowest input stage in parallel",
}


def _fix(late: LateInput | None) -> Fix:
    """What to change in this pipeline; never what it does already."""
    if late and late.of_arrays:
        return _OF_ARRAYS
    if late and late.of_generator:
        return _OF_GENERATOR
    row = late.stage if late else None
    rows = late.pipelines.asked if late else ()
    unseen = late.unseen if late else None
    ahead = late is not None and unseen is None and late.is_hidden_by_prefetch
    actions = [] if ahead else [_BEHIND.format(unseen.written)] if unseen else _stage_actions(row, rows)
    kept = _wasteful_filter(late) if late else None
    if kept and row is not kept:
        actions.append(
            f"Drop records before they cost anything: {kept.written} drops most of them after they were "
            "read. Filter when the files are written, or select files instead of records."
        )
    if late and late.pipeline and late.prefetch is None and unseen is None:
        actions.append(
            "End the pipeline with prefetch(tf.data.AUTOTUNE), so that the next batch is made while this step runs."
        )
    if not any(is_cache(r.kind) for r in rows):
        actions.append("Cache what does not change between epochs, before random augmentation.")
    if ahead:
        summary = _AHEAD
    elif row is None or row.stage in (READ_ON_DEMAND, READ_AHEAD, PYTHON, TRANSFER):
        summary = _LIGHTER
    elif has_parallel_calls(row.kind, row.parallelism):
        summary = _CHEAPER
    else:
        summary = _MORE_AT_ONCE
    parallel = row is not None and has_parallel_calls(row.kind, row.parallelism)
    return Fix(
        summary, (*actions, _CONFIRM), (_BATCH_FIRST if parallel else _WHOLE_PIPELINE, *_ONE_BATCH), _LINKS
    )


def _stage_actions(row: IteratorRow | None, rows: Sequence[IteratorRow]) -> list[str]:
    if row is not None:
        return [_stage_action(row, rows)]
    if not rows:
        return [f"Run map and interleave in parallel: {_PARALLEL}."]
    return [
        "Begin with the stage that works longest per batch; the table of the input pipeline lists all stages.",
        "Record more steps if single calls are as long as the recording: it does not hold calls that it cuts off.",
    ]


def _stage_action(row: IteratorRow, rows: Sequence[IteratorRow]) -> str:
    """What speeds up the slowest stage most."""
    if row.stage == PYTHON:
        return (
            f"Replace {row.written} by TensorFlow ops, or run its Python once ahead of training and store what it "
            "makes: Python runs one call at a time, whatever num_parallel_calls says."
        )
    if row.stage == READ_ON_DEMAND:
        return f"Read several files at the same time: interleave(..., {_PARALLEL})."
    if row.stage == READ_AHEAD:
        reader = next((r for r in rows if r.kind.startswith("ParallelInterleave")), row)
        return (
            f"{reader.written} reads several files at the same time already: read from faster or nearer storage, "
            "store less per example, or copy the files to the machine before training."
        )
    if row.stage == TRANSFER:
        return "Send less to the GPU: compact types (uint8 images) that are converted there."
    if has_parallel_calls(row.kind, row.parallelism):
        degree = f", {row.at_once} calls at a time" if row.at_once > 1 else ""
        fixed = f" Its degree is fixed; {_PARALLEL} finds a better one." if row.autotune is False else ""
        return (
            f"{row.written} runs in parallel already{degree}: make its function cheaper, apply it to whole batches, "
            f"move part of it to the GPU, store its result, or give the host more cores.{fixed}"
        )
    if "Filter" in ops_of(row.kind, row.dataset):
        return (
            f"{row.written} runs one record at a time: test whole batches, filter before decoding, or filter when "
            "the files are written."
        )
    what = "batch" if row.stage == BATCHING else "map"
    return f"Run {what} in parallel: {row.written} becomes {_with_parallel_calls(row.written)}."


def _with_parallel_calls(text: str) -> str:
    """``.map(...)`` with parallel calls; the first call of several that TensorFlow fused."""
    head, closing, tail = text.partition(")")
    head = head.partition(", num_parallel_calls=")[0]
    return f"{head}, {_PARALLEL}{closing or ')'}{tail}" if "(" in head else f"{text} with {_PARALLEL}"


RULE = declared(judge, thresholds=(WAIT, NAMED))
