"""A tf.function is traced again and again."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compilation import Compilation, Function
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rank import severity_of
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import count, listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, keras

TRACING = Threshold("waiting for tracing", 0.01, "ratio", "lowest severity: 1 % of the step")
STEPS = Threshold(
    "steady steps that trace", 2, "count", "tracing once is no pattern: a last, smaller batch does so"
)


def judge(compilation: Compilation, ledger: Ledger | None) -> Verdict:
    """Compares the time in which the step waits for the tracing of functions with the step.

    Where no GPU was recorded, the host's own tracing is compared with the host's step.
    """
    if not compilation.calls_functions:
        return NotApplicable("No call of a tf.function was recorded.")
    if not compilation.judged_count:
        return Missing("The profile does not tell where a step begins and ends.", HOW_TO_MARK_STEPS)
    tracing = compilation.tracing
    if tracing.steps_count < STEPS.value:
        return Passed(
            f"{tracing.steps_count} of {count(compilation.judged_count, 'steady step')} trace a function."
        )
    if ledger is None:
        lost, where, of, step_ns = tracing.host_ns, tracing.where, "the host's step", compilation.step_ns
    else:
        idle = compilation.idle(ledger, compilation.while_tracing, "GPU idle while a function is traced")
        lost, where, of, step_ns = idle.total_ns, idle.where, "the step", ledger.step_ns
    share = lost / max(1, step_ns)
    if share < TRACING.value:
        return Passed(f"Functions are traced during {percent(share)} of {of}.")
    who = _names(tracing.functions)
    steps = f"{tracing.steps_count} of {compilation.judged_count} steady steps"
    effect = (
        f"the host traces for {ms(lost)} of an average step. No GPU was recorded, so this is the host's time, not a GPU's."
        if ledger is None
        else f"the GPUs are idle for {ms(lost)} of an average step meanwhile."
    )
    totals = [f for f in tracing.functions if f.total is not None]
    label = "the host traces" if ledger is None else "GPU idle while functions are traced"
    source = "host events, per step" if ledger is None else "ledger, idle.compile during calls that trace"
    return Found(
        summary=f"In {steps} {who} traced anew, and {effect}",
        evidence=(
            Evidence(label, lost, "ns", int(TRACING.value * step_ns), source),
            Evidence(f"share of {of}", share, "ratio", TRACING.value, source),
            Evidence(
                "steady steps that trace", tracing.steps_count, "count", int(STEPS.value), "host events"
            ),
            *(
                Evidence(f"traces of {f.name} so far", f.total or 0, "count", None, "stat tracing_count")
                for f in totals[:3]
            ),
        ),
        where=where,
        claims={} if ledger is None else {"idle.compile": lost},
        basis="all time in which a GPU is idle and a call traces a function" if ledger else "",
        severity=severity_of(lost, step_ns) if ledger is None else None,
        impact_ratio=share if ledger is None else 0.0,
    )


def _names(functions: tuple[Function, ...]) -> str:
    if not functions:
        return "functions are"
    names = listing([f.name for f in functions], 3)
    return f"the function {names} is" if len(functions) == 1 else f"the functions {names} are"


RULE = Rule(
    id="function-retracing",
    topic="Tracing again",
    title="Functions are traced again and again",
    group="one_gpu",
    why="A tf.function is traced on its first call: Python runs once and builds a graph. It is traced again for "
    "each new Python value and each new shape or type among its arguments. While Python builds the graph nothing "
    "is launched.",
    guide=guide.FUNCTIONS,
    judge=judge,
    thresholds=(TRACING, STEPS),
    measured='Calls whose stat tf_function_call begins with "traced", from their begin until they first run or '
    "compile the function, and events tf.function-graph_building; of these the time in which a GPU is idle "
    "(account idle.compile). Averaged over steady steps.",
    limits=(
        "It does not see which argument changed: the profile holds no arguments.",
        "TensorFlow before 2.2 does not mark calls that trace.",
        "Tracing while a GPU still works off its queue costs nothing and is not counted.",
    ),
    fix=Fix(
        summary="Call each tf.function with tensors of fixed types and shapes, so that it is traced once.",
        actions=(
            "Pass Python numbers, such as a step counter or a learning rate, as tensors: tf.constant(x).",
            "Fix the shapes of batches: drop_remainder=True, padding, bucketing; or allow them to vary: "
            "tf.function(reduce_retracing=True) or an input_signature with None.",
            "Create tf.functions once, outside the loop: each new one is traced anew.",
            "To see what changes: TensorFlow's log names functions that trigger retracing.",
        ),
        snippets=(
            keras(
                "ds = ds.batch(batch_size, drop_remainder=True)  # one shape for all steps\n"
                "# layers and losses: no Python numbers that change from call to call"
            ),
            custom_loop(
                "@tf.function(input_signature=[tf.TensorSpec([None, 224, 224, 3], tf.float32),\n"
                "                              tf.TensorSpec([], tf.float32)])\n"
                "def train_step(images, rate):\n    ...\n\n"
                "for step, images in enumerate(ds):\n"
                "    train_step(images, tf.constant(schedule(step)))  # not schedule(step)"
            ),
        ),
        links=(
            Link("Controlling retracing", "https://www.tensorflow.org/guide/function#controlling_retracing"),
        ),
    ),
)
