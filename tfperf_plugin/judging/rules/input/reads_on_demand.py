"""Steps wait for files that the pipeline reads one at a time, on demand."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow
from tfperf_plugin.analysis.artifacts.input.stages import READ_ON_DEMAND
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Rule, Verdict
from tfperf_plugin.judging.engine.stage import judge_stage, waited_for, works
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, keras

WORKS = works("it reads")


def judge(late: LateInput) -> Verdict:
    """Checks whether the stage that steps wait for reads files one at a time and only on demand."""
    row = waited_for(late, "file", lambda row: row.stage == READ_ON_DEMAND)
    if not isinstance(row, IteratorRow):
        return row
    return judge_stage(
        late, row,
        what="Reading",
        summary=f"{late.described} reads one file at a time and only when the next stage needs it: {ms(row.batch_ns)} for a "
        f"batch, while {'GPUs wait' if late.on_gpu else 'the step waits'}.",
        share="it reads",
        basis="the reading per step, as far as GPUs wait for input: reading enough files at the same time hides it",
        more=(Evidence("files read at the same time", row.at_once, "count", None, "iterator events"),),
    )  # fmt: skip


_READ = "files.interleave(tf.data.TFRecordDataset, cycle_length=16, num_parallel_calls=tf.data.AUTOTUNE)"

RULE = Rule(
    id="reads-on-demand",
    title="Sequential file reads",
    action="Read several files at once, ahead of need",
    group="input",
    why="Reading one file at a time pays the latency of the storage for every block. Reading several files at once, and ahead of need, hides it.",
    guide=guide.BEST_PRACTICES,
    judge=judge,
    thresholds=(WORKS,),
    explained_by=("input-bound",),
    fix=Fix(
        "Read several files at the same time and ahead of need.",
        (
            "Make a dataset of file names and interleave their contents: interleave(..., "
            "num_parallel_calls=tf.data.AUTOTUNE).",
            "Split the data into at least as many files as are read at the same time, of 100 MB or more each.",
            "If the data fits into memory or onto a local disk, cache() it there after the first epoch.",
        ),
        (
            keras(
                f"files = tf.data.Dataset.list_files(pattern)\nds = {_READ}\nmodel.fit(ds.batch(batch_size).prefetch(tf.data.AUTOTUNE))"
            ),
            custom_loop(
                f"files = tf.data.Dataset.list_files(pattern)\nds = {_READ}\nfor batch in ds.batch(batch_size).prefetch(tf.data.AUTOTUNE):\n    train_step(batch)"
            ),
        ),
        (
            Link(
                "Parallelizing data extraction",
                "https://www.tensorflow.org/guide/data_performance#parallelizing_data_extraction",
            ),
        ),
    ),
    measured="The rule takes the time of a file reader's calls (TFRecord, TextLine …) per request for a batch in "
    "judged steps. A reader reads on demand if no parallel interleave and no prefetch stands between it "
    "and the next stage that works.",
    limits=(
        "The profile does not record whether the storage can deliver more at the same time.",
        "Files read by ops inside a map (tf.io.read_file) count as that map's work.",
    ),
)
