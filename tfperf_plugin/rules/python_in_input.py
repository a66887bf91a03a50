"""Steps wait for Python inside the input pipeline."""

from __future__ import annotations

from tfperf_plugin.artifacts.late_input import LateInput
from tfperf_plugin.artifacts.pipelines import NAMED_RATIO
from tfperf_plugin.artifacts.stages import PYTHON
from tfperf_plugin.engine.outcome import Evidence, Fix, Link, Snippet
from tfperf_plugin.engine.rank import severity_of
from tfperf_plugin.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import ms, percent
from tfperf_plugin.guide import sections

WORKS = Threshold(
    "share of the wait in which it runs",
    NAMED_RATIO,
    "ratio",
    "a cause is named from 80 % of what it explains on",
    fixed=True,
)


def judge(late: LateInput) -> Verdict:
    """Whether the stage that steps wait for calls Python."""
    if not late.pipelines.rows:
        return NotApplicable("No tf.data pipeline was recorded.")
    row = late.stage
    if not late.is_late or row is None:
        return Passed(
            f"Steps wait for input during {percent(late.ratio)} of their time, for no Python in particular."
        )
    if row.stage != PYTHON:
        return Passed(f"What steps wait for is {row.written} ({row.stage}).")
    if late.is_hidden_by_prefetch:
        return Passed(
            f"{row.written} takes {ms(row.batch_ns)} per batch, which the rest of the step would hide if batches were "
            "made ahead."
        )
    return Found(
        summary=f"{late.described} runs Python for {ms(row.batch_ns)} of each batch, while "
        f"{'GPUs wait' if late.on_gpu else 'the step waits'} for it; Python runs one call at a time.",
        evidence=(
            *late.evidence()[:1],
            Evidence(
                "share of the wait in which it runs",
                row.wait_ratio,
                "ratio",
                WORKS.value,
                "iterator events during requests for a batch",
            ),
        ),
        where=late.where,
        claims=late.claims(late.stage_ns),
        basis="the Python stage's own work per step, as far as GPUs wait for input",
        severity=None if late.on_gpu else severity_of(min(late.stage_ns, late.lost_ns), late.step_ns),
        impact_ratio=late.share(late.stage_ns),
    )


RULE = Rule(
    id="python-in-input",
    topic="Python in the input pipeline",
    title="The input pipeline runs Python",
    group="input",
    why="from_generator, py_function and numpy_function call Python, which runs one call at a time and shares its "
    "lock with the training loop: num_parallel_calls does not help.",
    guide=sections.BEST_PRACTICES,
    judge=judge,
    thresholds=(WORKS,),
    explained_by=("input-bound",),
    fix=Fix(
        "Take Python out of the input pipeline.",
        (
            "Write what the generator yields into TFRecord files once, and read those.",
            "Replace py_function and numpy_function by TensorFlow ops, so that map can run them in parallel.",
            "Where Python must stay, let it make whole batches, or run it in several processes that write files.",
        ),
        (
            Snippet(
                "Keras",
                "with tf.io.TFRecordWriter(path) as writer:  # once\n"
                "    for example in generator():\n"
                "        writer.write(serialize(example))\n"
                "ds = tf.data.TFRecordDataset(path).map(parse, num_parallel_calls=tf.data.AUTOTUNE)\n"
                "model.fit(ds.batch(batch_size).prefetch(tf.data.AUTOTUNE))",
            ),
            Snippet(
                "custom loop",
                "ds = tf.data.TFRecordDataset(path).map(parse, num_parallel_calls=tf.data.AUTOTUNE)\n"
                "for batch in ds.batch(batch_size).prefetch(tf.data.AUTOTUNE):\n"
                "    train_step(batch)",
            ),
        ),
        (
            Link(
                "Consuming Python generators: its limits",
                "https://www.tensorflow.org/guide/data#consuming_python_generators",
            ),
        ),
    ),
    measured="Time of from_generator's calls, and of stages of which at least half is spent in the ops PyFunc or "
    "EagerPyFunc, per request for a batch in judged steps.",
    limits=(
        "What the Python code does is not recorded unless Python is traced.",
        "keras.utils.PyDataset reaches tf.data through from_generator and looks like it.",
    ),
)
