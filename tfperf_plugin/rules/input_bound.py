"""The GPUs wait for data."""

from __future__ import annotations

from tfperf_plugin.artifacts.host_input import HostInput
from tfperf_plugin.artifacts.pipelines import Pipelines
from tfperf_plugin.artifacts.timeline import Timeline
from tfperf_plugin.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.engine.outcome import Evidence, Fix, Link, Snippet
from tfperf_plugin.engine.rank import severity_of
from tfperf_plugin.engine.rule import Found, Missing, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import ms, percent
from tfperf_plugin.guide import sections
from tfperf_plugin.ledger import Ledger

WAIT = Threshold("waiting for input", 0.01, "ratio", "lowest severity; XProf: 5 % moderate, 20 % high")


def judge(host: HostInput, pipelines: Pipelines, ledger: Ledger | None, timeline: Timeline | None) -> Verdict:
    """Compares the time in which a GPU is idle and the step waits for a batch with the step.

    Where no GPU was recorded, the host's own waiting is compared with the host's step.
    """
    if ledger is None or timeline is None:
        return _without_gpu(host, pipelines)
    waiting = ledger.average()["idle.input"]
    share = waiting / max(1, ledger.step_ns)
    if share < WAIT.value:
        return Passed(f"GPUs wait for input during {percent(share)} of the step.")
    return Found(
        summary=f"In an average step the GPUs are idle for {ms(waiting)} because the next batch is not ready."
        + _slowest(pipelines),
        evidence=(
            Evidence(
                "GPU idle while the step waits for a batch",
                waiting,
                "ns",
                int(WAIT.value * ledger.step_ns),
                "ledger, idle.input",
            ),
            Evidence("share of the step", share, "ratio", WAIT.value, "ledger"),
            *_pipeline_evidence(pipelines),
        ),
        where=timeline.worst(["idle.input"], "GPU idle, waiting for input"),
        claims={"idle.input": waiting},
        basis="all time in which a GPU is idle and the step waits for its batch",
    )


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


RULE = Rule(
    id="input-bound",
    topic="Waiting for input",
    title="The GPUs wait for input data",
    group="input",
    why="A step cannot start before its batch is there. If the input pipeline takes longer than the step, every step waits for it, however fast the GPU is.",
    guide=sections.INPUT,
    judge=judge,
    thresholds=(WAIT,),
    fix=Fix(
        summary="Make the slowest stage of the input pipeline parallel, and keep batches ready ahead of the step.",
        actions=(
            "Run map and interleave in parallel: num_parallel_calls=tf.data.AUTOTUNE.",
            "End the pipeline with prefetch(tf.data.AUTOTUNE), so that the next batch is made while this step runs.",
            "Cache what does not change between epochs, before random augmentation; batch before cheap maps.",
            "To confirm, train some steps on one batch kept in memory: the step should become shorter by the time named here.",
        ),
        snippets=(
            Snippet(
                "tf.data",
                "ds = (files.interleave(tf.data.TFRecordDataset, num_parallel_calls=tf.data.AUTOTUNE)\n"
                "      .map(parse, num_parallel_calls=tf.data.AUTOTUNE)\n"
                "      .cache()\n"
                "      .batch(batch_size)\n"
                "      .prefetch(tf.data.AUTOTUNE))",
            ),
            Snippet(
                "Keras",
                "one_batch = ds.take(1).cache().repeat()\nmodel.fit(one_batch, steps_per_epoch=50)  # is it faster?",
            ),
            Snippet(
                "custom loop",
                "batch = next(iter(ds))\nfor step in range(50):\n    train_step(batch)  # same batch: no input cost",
            ),
        ),
        links=(
            Link(
                "Better performance with the tf.data API", "https://www.tensorflow.org/guide/data_performance"
            ),
        ),
    ),
)
