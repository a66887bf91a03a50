"""The GPU waits for the host to launch kernels."""

from __future__ import annotations

from tfperf_plugin.artifacts.capture import Capture
from tfperf_plugin.artifacts.kernels import Kernels
from tfperf_plugin.artifacts.timeline import Timeline
from tfperf_plugin.engine.outcome import Evidence, Fix, Link, Snippet
from tfperf_plugin.engine.rule import Found, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import count, ms, percent
from tfperf_plugin.guide import sections
from tfperf_plugin.ledger import Ledger
from tfperf_plugin.training import TrainingFacts

WAIT = Threshold("waiting for launches", 0.01, "ratio", "lowest severity; XProf: 3 % moderate, 15 % high")
LATENCY = Threshold(
    "mean kernel", 40_000, "ns", "guide: a launch takes 20-40 µs; kernels not longer than that starve the GPU"
)


def judge(
    ledger: Ledger, kernels: Kernels, capture: Capture, timeline: Timeline, facts: TrainingFacts | None
) -> Verdict:
    """Compares GPU idle time while the host is launching with the step."""
    waiting = ledger.average()["idle.launch"]
    share = waiting / max(1, ledger.step_ns)
    if share < WAIT.value:
        return Passed(f"GPUs wait for launches during {percent(share)} of the step.")
    launches = sum(r.count for r in kernels.rows)
    mean = kernels.total_ns // max(1, launches)
    small = mean <= LATENCY.value
    traced = capture.python_events_per_step > 0
    return Found(
        summary=(
            f"The GPUs are idle for {ms(waiting)} per step while the host launches their next kernels. "
            f"A step has {count(round(kernels.per_step_count), 'kernel')} on each GPU, {ms(mean)} long on average"
            + (": about as long as a launch takes." if small else ".")
            + (
                " Python calls were traced, which makes launching slower than it is in training."
                if traced
                else ""
            )
        ),
        evidence=(
            Evidence(
                "GPU idle while the host launches",
                waiting,
                "ns",
                int(WAIT.value * ledger.step_ns),
                "ledger, idle.launch",
            ),
            Evidence("share of the step", share, "ratio", WAIT.value, "ledger"),
            Evidence(
                "kernels per step and GPU",
                round(kernels.per_step_count),
                "count",
                None,
                "kernels of judged steps",
            ),
            Evidence("mean kernel", mean, "ns", int(LATENCY.value), LATENCY.source),
        ),
        where=timeline.worst(["idle.launch"], "GPU idle while the host launches"),
        claims={"idle.launch": waiting},
        basis="all time in which a GPU is idle and its next kernel is being launched",
        confidence="low" if traced else "high" if small else "medium",
        fix=_COMPILED if facts and facts.jit_compile else None,
    )


_SNIPPETS = (
    Snippet("Keras", "ds = ds.unbatch().batch(2 * batch_size)"),
    Snippet(
        "custom loop", "flat = tf.concat([tf.reshape(t, [-1]) for t in tensors], 0)  # one op instead of many"
    ),
)
_COMPILED = Fix(
    summary="The training recorded jit_compile=True: XLA fuses kernels already. Give each launch more work.",
    actions=(
        "Use a larger batch, if memory and convergence allow it.",
        "Replace loops over small tensors by one vectorised op; concatenate small tensors.",
        "Run several steps per call: steps_per_execution in compile, or a loop inside the tf.function.",
    ),
    snippets=_SNIPPETS,
)


RULE = Rule(
    id="kernel-launch-bound",
    topic="Kernel launches",
    title="The GPUs wait for kernel launches",
    group="one_gpu",
    why=(
        "Launching a kernel costs the host 20 to 40 µs. If kernels are shorter than that, the host cannot "
        "keep up and the GPU waits between them."
    ),
    measured="A GPU waits for launches while it is idle and either the host is launching for it, with the op around the launch and pauses of up to 0.1 ms, or a launch is under way (account idle.launch). Kernels of judged steps are counted and their mean duration is held against what a launch takes.",
    limits=(
        "Launches must be recorded and joined to their kernels by correlation ids; without them the time stays unexplained.",
        "Tracing itself makes launching slower, most of all with Python calls traced, which lowers the confidence.",
        "The saving is all of the waiting; how much of it fusion or a larger batch removes depends on the model.",
    ),
    guide=sections.LAUNCH,
    judge=judge,
    thresholds=(WAIT, LATENCY),
    explained_by=(
        "eager-execution",
        "host-thread-contention",
        "host-sync-in-step",
        "host-op-in-step",
        "dynamic-loss-scaling",
    ),
    needs_cover=True,
    yields_to=("host-thread-contention",),
    fix=Fix(
        summary="Give each launch more work: larger batches, fused kernels, fewer and larger ops.",
        actions=(
            "Let XLA fuse small kernels: jit_compile=True.",
            "Use a larger batch, if memory and convergence allow it.",
            "Replace loops over small tensors by one vectorised op; concatenate small tensors.",
            "Make sure that the step runs inside tf.function, not eagerly.",
        ),
        snippets=(
            Snippet("Keras", "model.compile(optimizer, loss, jit_compile=True)"),
            Snippet("custom loop", "@tf.function(jit_compile=True)\ndef train_step(batch):\n    ..."),
        ),
        links=(Link("XLA", "https://www.tensorflow.org/xla"),),
    ),
)
