"""The GPU is idle between steps."""

from __future__ import annotations

from collections.abc import Sequence

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.host.host_gaps import HostGaps
from tfperf_plugin.analysis.artifacts.host.step_gaps import BetweenSteps
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS, HOW_TO_RECORD_KERNELS, NO_KERNELS
from tfperf_plugin.judging.engine.rank import severity_of
from tfperf_plugin.judging.engine.rule import Found, Missing, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import NO_GPU, gpus, ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax, keras

GAP = Threshold("idle between steps", 0.01, "ratio", "lowest severity: 1 % of the step")
NAMED = Threshold(
    "share that a named cause must cover", 0.80, "ratio", "a cause that covers less is not named"
)
NOT_RECORDED = (
    " No recorded event covers this work of the loop: loading batches in Python or NumPy, callbacks, metrics, checkpoints "
    "and logging are common."
)


def judge(
    host: HostGaps,
    devices: Devices,
    compute: HostCompute,
    ledger: Ledger | None,
    between: BetweenSteps | None,
    timeline: Timeline | None,
) -> Verdict:
    """Compares GPU idle time while the host is outside the step's function with the step.

    Where no GPU was recorded, the host's own time outside the step's function is compared with its step.
    """
    if ledger is None or between is None or timeline is None:
        if devices.all and not compute.on_cpu:
            return Missing(NO_KERNELS, HOW_TO_RECORD_KERNELS)
        return _without_gpu(host)
    if between.partial:
        return Missing(
            "Only a part of a step was recorded, so what lies between two steps is not known.",
            HOW_TO_MARK_STEPS,
        )
    share = between.idle_ns / max(1, ledger.step_ns)
    if share < GAP.value:
        return Passed(f"GPUs are idle between steps for {percent(share)} of the step.")
    summary = (
        f"Between two steps the {gpus(ledger.gpus_count)} idle for {ms(between.idle_ns)} on average, "
        "while the host is outside the step's function."
    )
    evidence = [
        Evidence("Step gap", between.idle_ns, "ns", int(GAP.value * ledger.step_ns),
                 "account Step gap"),
        Evidence("share of the step", share, "ratio", GAP.value, "step budget"),
        Evidence("longest gap", between.longest_ns, "ns", None, "step budget"),
    ]  # fmt: skip
    cause, named = _cause(between.named, between.idle_ns)
    return Found(
        summary=summary + cause,
        cause=f"The {gpus(ledger.gpus_count)} idle for {ms(between.idle_ns)} between two steps while the host runs {between.named[0][0]}."
        if named
        else f"Your loop works for {ms(between.idle_ns)} between two calls of the step's function while the {gpus(ledger.gpus_count)} idle.",
        evidence=(*evidence, *named),
        where=timeline.worst(["idle.between_steps"], "Step gap"),
        claims={"idle.between_steps": between.idle_ns},
        basis="all time in which a GPU is idle while the host is outside the step's function",
        fix=_NAMED_CAUSE if named else None,
    )


def _cause(named: Sequence[tuple[str, int]], gap_ns: int) -> tuple[str, tuple[Evidence, ...]]:
    """A sentence, with a space before it, on what the host does in the gap, and the evidence for it."""
    name, covered = named[0] if named else ("", 0)
    if not covered or covered < NAMED.value * gap_ns:
        return NOT_RECORDED, ()
    evidence = Evidence(f"of it during {name}", covered, "ns", int(NAMED.value * gap_ns), "host events")
    return f" Meanwhile the host runs {name}.", (evidence,)


def _without_gpu(host: HostGaps) -> Verdict:
    if not host.steps_count:
        return Missing("The profile does not tell where a step begins and ends.", HOW_TO_MARK_STEPS)
    share = host.gap_ns / max(1, host.step_ns)
    severity = severity_of(host.gap_ns, host.step_ns)
    if severity is None:
        return Passed(f"The host is between steps for {percent(share)} of its time.")
    evidence = [
        Evidence("the host between steps", host.gap_ns, "ns", int(GAP.value * host.step_ns),
                 "host events: outside the step's function, input and tracing left out, per step"),
        Evidence("share of the host's step", share, "ratio", GAP.value, "host events"),
    ]  # fmt: skip
    summary = (
        f"In a step of {ms(host.step_ns)} the host is outside the step's function for {ms(host.gap_ns)}."
    )
    cause, named = _cause(host.named, host.gap_ns)
    return Found(
        title="Host work between steps",
        summary=f"{summary}{cause} {NO_GPU}",
        cause=f"Between two steps the host runs {host.named[0][0]} ({ms(host.gap_ns)} per step)."
        if named
        else "",
        evidence=(*evidence, *named),
        where=host.where,
        severity=severity,
        impact_ratio=share,
    )


_KERAS_STEPS = keras("model.compile(optimizer, loss, steps_per_execution=16)")
_NAMED_CAUSE = Fix(
    summary="Do the work between steps less often, or let the host prepare the next step meanwhile.",
    actions=(
        "Do what the host runs there every N steps, or in a thread beside the training.",
        "Run several steps in one call: model.compile(steps_per_execution=16).",
    ),
    snippets=(_KERAS_STEPS,),
)

RULE = Rule(
    id="step-gaps",
    title="Gaps between steps",
    action="Do the work between steps less often",
    group="one_gpu",
    why=(
        "Callbacks, metrics, checkpoints and other Python code between two steps run while the GPU is "
        "idle. Work between all steps delays every step."
    ),
    measured="The rule averages, over steps and GPUs, the idle time of a GPU while the host is outside the step's function (account Step gap). It names what the host does if events of one name, or all eager ops together, cover most of this time on the thread that marks steps. On a host without a GPU, it takes the host's own time outside the step's function, without waiting for input, tracing and compiling.",
    limits=(
        "Python code leaves no events unless it runs inside a Trace block or Python calls are traced; without them, the rule finds the gap but not its cause.",
        "If steps are derived from the GPUs alone, the rule cannot tell when the host is outside a step, and finds no gap.",
        "Waiting for input, for compilation or for a sibling GPU within a gap counts under those causes, not here. Without a GPU, the profile does not show what a GPU would have had to wait for.",
    ),
    guide=guide.STEP_GAPS,
    judge=judge,
    thresholds=(GAP, NAMED),
    explained_by=("replica-imbalance",),
    needs_cover=True,
    yields_to=("replica-imbalance",),
    fix=Fix(
        summary="Do the work between steps less often, or let the host prepare the next step meanwhile.",
        actions=(
            "Run several steps in one call: model.compile(steps_per_execution=16).",
            "If the loop loads batches there, let tf.data load them ahead: dataset.prefetch(tf.data.AUTOTUNE).",
            "Let callbacks and custom metrics work every N batches instead of every batch.",
            "In a custom loop, do not read losses back (.numpy(), float()) in every step.",
            "To see which code it is, wrap suspects in tf.profiler.experimental.Trace('name') and profile again.",
        ),
        snippets=(
            _KERAS_STEPS,
            custom_loop(
                "@tf.function\ndef train_steps(iterator, n):\n    for _ in tf.range(n):\n"
                "        train_step(next(iterator))\n\nfor step in range(0, total, 16):\n"
                "    train_steps(iterator, tf.constant(16))  # metrics and logging every 16 steps"
            ),
        ),
    ),
    jax=Fix(
        summary="Do the work between steps less often, or let the host prepare the next step meanwhile.",
        actions=(
            "Do not read losses back in every step: float(), .item(), print and block_until_ready wait for the GPU.",
            "If the loop loads batches there, load the next one meanwhile: in a thread with a queue, in workers of a DataLoader, or with tf.data's prefetch.",
            "Run several steps per call: jax.lax.scan over several batches inside jax.jit.",
            "Let logging and evaluation work every N steps.",
            "To see which code it is, wrap suspects in jax.profiler.TraceAnnotation('name') and profile again.",
        ),
        snippets=(
            jax(
                "for step, batch in enumerate(batches):\n"
                "    state, loss = train_step(state, batch)  # returns before the GPU is done\n"
                "    if step % 100 == 0:\n"
                "        print(float(loss))"
            ),
        ),
    ),
)
