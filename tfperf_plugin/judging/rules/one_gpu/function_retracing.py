"""A tf.function is traced again and again."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.compilation import Compilation, Function
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.recompiling import judge_recompiling
from tfperf_plugin.judging.engine.rule import NotApplicable, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import listing
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
    return judge_recompiling(
        compilation, ledger, compilation.tracing, compilation.rare_tracing, compilation.while_tracing,
        TRACING.value, STEPS.value,
        clause="functions are traced", verb="trace", place="GPU idle while a function is traced",
        anew=f"{_names(compilation.tracing.functions or compilation.rare_tracing.functions)} traced",
        more=tuple(
            Evidence(f"traces of {f.name} so far", f.total or 0, "count", None, "stat tracing_count")
            for f in [f for f in compilation.tracing.functions if f.total is not None][:3]
        ),
    )  # fmt: skip


def _names(functions: tuple[Function, ...]) -> str:
    if not functions:
        return "functions are"
    names = listing([f.name for f in functions], 3)
    return f"the function {names} is" if len(functions) == 1 else f"the functions {names} are"


RULE = Rule(
    id="function-retracing",
    title="tf.function retracing",
    action="Call each tf.function with fixed types and shapes",
    group="one_gpu",
    why="TensorFlow traces a tf.function on its first call: Python runs once and builds a graph. Each new "
    "Python value, shape or type among the arguments triggers another trace. While Python builds the "
    "graph, the host launches nothing.",
    guide=guide.FUNCTIONS,
    judge=judge,
    thresholds=(TRACING, STEPS),
    measured='The rule takes calls whose stat tf_function_call begins with "traced", from their start until they '
    "first run or compile the function, and tf.function-graph_building events. It counts the time within "
    "them in which a GPU is idle (account Compile wait), averaged over steady steps.",
    limits=(
        "The profile holds no arguments, so the rule cannot tell which one changed.",
        "TensorFlow before 2.2 does not mark calls that trace.",
        "Tracing costs nothing while a GPU still has queued work, and then does not count.",
    ),
    fix=Fix(
        summary="Call each tf.function with tensors of fixed types and shapes, so that it is traced once.",
        actions=(
            "Pass Python numbers, such as a step counter or a learning rate, as tensors: tf.constant(x).",
            "Fix the shapes of batches: drop_remainder=True, padding, bucketing; or allow them to vary: "
            "tf.function(reduce_retracing=True) or an input_signature with None.",
            "Create tf.functions once, outside the loop: each new one is traced again.",
            "To see what changes, look into TensorFlow's log: it names functions that trigger retracing.",
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
