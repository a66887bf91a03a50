"""The GPUs wait for data."""

from __future__ import annotations

from tfperf_plugin.artifacts.host_input import HostInput
from tfperf_plugin.artifacts.hosts import Hosts
from tfperf_plugin.artifacts.pipelines import IteratorRow, Pipelines
from tfperf_plugin.artifacts.timeline import Timeline
from tfperf_plugin.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.engine.outcome import Evidence, Fix, Link, Snippet
from tfperf_plugin.engine.rank import severity_of
from tfperf_plugin.engine.rule import Found, Missing, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import gpu, listing, ms, percent
from tfperf_plugin.guide import sections
from tfperf_plugin.ledger import Ledger

WAIT = Threshold("waiting for input", 0.01, "ratio", "lowest severity; XProf: 5 % moderate, 20 % high")


def judge(
    host: HostInput,
    pipelines: Pipelines,
    ledger: Ledger | None,
    hosts: Hosts | None,
    timeline: Timeline | None,
) -> Verdict:
    """Compares the time in which a GPU is idle and the step waits for a batch with the step.

    Where one GPU's or host's batch comes late, the others wait for it in AllReduce: that counts as well.
    Where no GPU was recorded, the host's own waiting is compared with the host's step.
    """
    if ledger is None or timeline is None:
        return _without_gpu(host, pipelines)
    idle = ledger.average()["idle.input"]
    gain, siblings = (idle, 0) if hosts is None or hosts.input_ns is None else hosts.input_ns
    lost = gain + siblings
    share = lost / max(1, ledger.step_ns)
    if share < WAIT.value:
        waits = idle / max(1, ledger.step_ns)
        but = ", no longer than others work" if waits >= WAIT.value else ""
        return Passed(f"GPUs wait for input during {percent(waits)} of the step{but}.")
    evidence = [
        Evidence(
            "GPU idle while the step waits for a batch",
            idle,
            "ns",
            int(WAIT.value * ledger.step_ns),
            "ledger, idle.input",
        ),
        Evidence("share of the step", share, "ratio", WAIT.value, "ledger"),
    ]
    if siblings:
        evidence.insert(
            1,
            Evidence(
                "waiting in AllReduce for GPUs whose batch is late",
                siblings,
                "ns",
                None,
                "ledger, communication.wait, per step and GPU",
            ),
        )
    return Found(
        summary=_who(ledger, idle, siblings) + _slowest(pipelines),
        evidence=(*evidence, *_demand(ledger, lost), *_pipeline_evidence(pipelines)),
        where=timeline.worst(["idle.input"], "GPU idle, waiting for input"),
        claims={"idle.input": gain, "communication.wait": siblings} if siblings else {"idle.input": gain},
        basis="what a step is shorter without the time in which a GPU is idle and the step waits for its batch"
        + (", or others wait for that GPU in AllReduce" if siblings else ""),
        fix=_fix(pipelines),
    )


def _who(ledger: Ledger, idle: int, siblings: int) -> str:
    """Which GPUs wait, if not all do."""
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
            groups.append((f"{host.host} {gpu(device.device)}" if several else gpu(device.device), [ns]))
    late = [(name, ns) for name, ns in groups if min(ns) >= WAIT.value * ledger.step_ns]
    lost = [ns for _, waits in late for ns in waits]
    rest = sum(len(waits) for _, waits in groups) - len(lost)
    if not late or not rest:
        return f"In an average step the GPUs are idle for {ms(idle)} because the next batch is not ready."
    one = len(late) == 1
    in_time = "the other GPU gets its own" if rest == 1 else f"the other {rest} GPUs get theirs"
    wait = (
        f" Waiting for {'it' if len(lost) == 1 else 'them'} in AllReduce takes {ms(siblings)} of an average step."
        if siblings
        else ""
    )
    return (
        f"In an average step {listing([name for name, _ in late])} {'is' if one else 'are each'} idle for "
        f"{ms(sum(lost) // len(lost))} because {'its' if one else 'their'} next batch is not ready; {in_time} in time.{wait}"
    )


def _demand(ledger: Ledger, lost: int) -> tuple[Evidence, ...]:
    """What the input pipeline of a host with several GPUs delivers, and what the GPUs could take."""
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


def _without_gpu(host: HostInput, pipelines: Pipelines) -> Verdict:
    if not host.steps_count:
        return Missing("The profile does not tell where a step begins and ends.", HOW_TO_MARK_STEPS)
    share = host.wait_ns / max(1, host.step_ns)
    severity = severity_of(host.wait_ns, host.step_ns)
    if severity is None:
        return Passed(f"Steps wait for input during {percent(share)} of their time on the host.")
    return Found(
        title="Steps wait for input data",
        summary=f"In an average step of {ms(host.step_ns)} the host waits {ms(host.wait_ns)} for the next batch."
        + _slowest(pipelines)
        + " No GPU was recorded, so this is the host's time, not a GPU's.",
        evidence=(
            Evidence(
                "the step waits for a batch",
                host.wait_ns,
                "ns",
                int(WAIT.value * host.step_ns),
                "host events IteratorGetNext, per step",
            ),
            Evidence("share of the host's step", share, "ratio", WAIT.value, "host events"),
            *_pipeline_evidence(pipelines),
        ),
        where=host.where,
        severity=severity,
        impact_ratio=share,
        fix=_fix(pipelines),
    )


def _slowest(pipelines: Pipelines) -> str:
    slowest = pipelines.bottleneck
    return f" The slowest stage is {slowest.name} ({slowest.stage})." if slowest else ""


def _pipeline_evidence(pipelines: Pipelines) -> tuple[Evidence, ...]:
    rows = []
    slowest = pipelines.bottleneck
    if slowest:
        rows.append(
            Evidence(
                f"self time of {slowest.name}",
                slowest.self_ns,
                "ns",
                None,
                "iterator events, whole recording",
            )
        )
        if slowest.parallelism is not None:
            rows.append(
                Evidence(
                    f"parallelism of {slowest.kind}", slowest.parallelism, "count", None, "iterator events"
                )
            )
    buffer = next((r for r in pipelines.rows if r.kind == "Prefetch" and r.buffer_limit), None)
    if buffer:
        rows.append(
            Evidence(
                f"mean fill of the prefetch buffer of {buffer.buffer_limit}",
                buffer.buffered_elements or 0,
                "count",
                None,
                "iterator events; an empty buffer means the producer is too slow",
            )
        )
    return tuple(rows)


_PARALLEL = "num_parallel_calls=tf.data.AUTOTUNE"
_CONFIRM = "To confirm, train some steps on one batch kept in memory: the step should become shorter by the time named here."
_ONE_BATCH = (
    Snippet(
        "Keras",
        "one_batch = ds.take(1).cache().repeat()\nmodel.fit(one_batch, steps_per_epoch=50)  # is it faster?",
    ),
    Snippet(
        "custom loop",
        "batch = next(iter(ds))\nfor step in range(50):\n    train_step(batch)  # same batch: no input cost",
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


def _fix(pipelines: Pipelines) -> Fix:
    """What to change in this pipeline: never what it already does."""
    slowest, kinds = pipelines.bottleneck, {r.kind for r in pipelines.rows}
    actions = (
        [_stage_action(slowest, kinds)] if slowest else [f"Run map and interleave in parallel: {_PARALLEL}."]
    )
    prefetches = any(kind.startswith("Prefetch") for kind in kinds)
    if not prefetches:
        actions.append(
            "End the pipeline with prefetch(tf.data.AUTOTUNE), so that the next batch is made while this step runs."
        )
    if not any("Cache" in kind for kind in kinds):
        actions.append("Cache what does not change between epochs, before random augmentation.")
    parallel = slowest is not None and _is_parallel(slowest)
    if not parallel:
        summary = (
            "Make the slowest stage of the input pipeline parallel, and keep batches ready ahead of the step."
        )
    else:
        summary = "Make the slowest stage of the input pipeline cheaper: it runs in parallel already."
    return Fix(
        summary, (*actions, _CONFIRM), (_BATCH_FIRST if parallel else _WHOLE_PIPELINE, *_ONE_BATCH), _LINKS
    )


def _is_parallel(row: IteratorRow) -> bool:
    if row.parallelism is not None:
        return row.parallelism > 1
    return row.kind.startswith(("Parallel", "MapAndBatch"))


def _stage_action(row: IteratorRow, kinds: set[str]) -> str:
    """What helps the slowest stage most."""
    if row.stage == "Python":
        return "Replace Python code in the pipeline (from_generator, py_function) by TensorFlow ops, or run it once ahead of training: Python runs one call at a time."
    if row.stage in ("reading", "reading ahead"):
        if any(kind.startswith("ParallelInterleave") for kind in kinds):
            return "Files are read in parallel already: read from faster or nearer storage, store less per example, or spread the data over more files."
        return f"Read several files at the same time: interleave(..., {_PARALLEL})."
    if not _is_parallel(row):
        what = "batch" if row.stage == "batching" else "map"
        return f"Run {what} in parallel: {_PARALLEL}."
    degree = f", {row.parallelism} calls at a time" if row.parallelism else ""
    fixed = f" Its degree is fixed; {_PARALLEL} finds a better one." if row.autotune is False else ""
    return f"{row.kind} runs in parallel already{degree}: make its function cheaper, apply it to whole batches, move part of it to the GPU, or give the host more cores.{fixed}"


RULE = Rule(
    id="input-bound",
    topic="Waiting for input",
    title="The GPUs wait for input data",
    group="input",
    why="A step cannot start before its batch is there. If the input pipeline takes longer than the step, every step waits for it, however fast the GPU is.",
    measured="A GPU waits for input while it is idle and the step has asked for a batch (IteratorGetNext and its like) and has not got it (account idle.input). That time is averaged over steps and GPUs; where other GPUs wait in AllReduce for a GPU whose batch is late, what they would gain is added.",
    limits=(
        "Only requests that the profile names are seen: data that are read or made inside the step without an iterator look like other host work.",
        "The stage that is named has the largest own time per parallel call over the whole recording; that it was the one waited for is likely, not certain.",
        "If something else would hold up the step soon after, it becomes shorter by less than is stated.",
    ),
    guide=sections.INPUT,
    judge=judge,
    thresholds=(WAIT,),
    fix=_fix(Pipelines((), None, ())),
)
