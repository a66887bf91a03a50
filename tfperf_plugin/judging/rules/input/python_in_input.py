"""Steps wait for Python inside the input pipeline."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow
from tfperf_plugin.analysis.artifacts.input.stages import PYTHON
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Rule, Verdict
from tfperf_plugin.judging.engine.stage import judge_stage, waited_for, works
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, keras

WORKS = works("it runs")


def judge(late: LateInput) -> Verdict:
    """Checks whether the stage that steps wait for calls Python."""
    row = waited_for(late, "Python", lambda row: row.stage == PYTHON)
    if not isinstance(row, IteratorRow):
        return row
    return judge_stage(
        late, row,
        what=row.written,
        summary=f"{late.described} runs Python for {ms(row.batch_ns)} of each batch, while "
        f"{'GPUs wait' if late.on_gpu else 'the step waits'} for it; Python runs one call at a time.",
        share="it runs",
        basis="the Python stage's own work per step, as far as GPUs wait for input",
    )  # fmt: skip


RULE = Rule(
    id="python-in-input",
    title="Python in the input pipeline",
    action="Take Python out of the input pipeline",
    group="input",
    why="from_generator, py_function and numpy_function call Python, which runs one call at a time and shares its "
    "lock with the training loop: num_parallel_calls does not help.",
    guide=guide.BEST_PRACTICES,
    judge=judge,
    thresholds=(WORKS,),
    explained_by=("input-bound",),
    fix=Fix(
        "Take Python out of the input pipeline.",
        (
            "Write what the generator yields into TFRecord files once, and read those.",
            "Replace py_function and numpy_function by TensorFlow ops, so that map can run them in parallel.",
            "If Python must stay, let it make whole batches, or run it in several processes that write files.",
        ),
        (
            keras(
                "with tf.io.TFRecordWriter(path) as writer:  # once\n"
                "    for example in generator():\n"
                "        writer.write(serialize(example))\n"
                "ds = tf.data.TFRecordDataset(path).map(parse, num_parallel_calls=tf.data.AUTOTUNE)\n"
                "model.fit(ds.batch(batch_size).prefetch(tf.data.AUTOTUNE))"
            ),
            custom_loop(
                "ds = tf.data.TFRecordDataset(path).map(parse, num_parallel_calls=tf.data.AUTOTUNE)\n"
                "for batch in ds.batch(batch_size).prefetch(tf.data.AUTOTUNE):\n"
                "    train_step(batch)"
            ),
        ),
        (
            Link(
                "Consuming Python generators: its limits",
                "https://www.tensorflow.org/guide/data#consuming_python_generators",
            ),
        ),
    ),
    measured="The rule takes the time of from_generator's calls, and of stages that spend at least half their time "
    "in the ops PyFunc or EagerPyFunc, per request for a batch in judged steps.",
    limits=(
        "The profile shows what the Python code does only if Python calls are traced.",
        "keras.utils.PyDataset reaches tf.data through from_generator and looks like it.",
    ),
)
