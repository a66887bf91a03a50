"""Steps wait for a map that handles one element after the other."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow
from tfperf_plugin.analysis.artifacts.input.stages import PREPROCESSING, has_parallel_calls, ops_of
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Passed, Verdict, declared
from tfperf_plugin.judging.engine.stage import judge_stage, waited_for, works
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, keras

WORKS = works("the map works")


def judge(late: LateInput) -> Verdict:
    """Checks whether the stage that steps wait for is a map without parallel calls."""
    row = waited_for(late, "map", _is_map)
    if not isinstance(row, IteratorRow):
        return row
    if has_parallel_calls(row.kind, row.parallelism):
        return Passed(
            f"{row.written} runs in parallel already, at most {row.at_once} calls at the same time."
        )
    return judge_stage(
        late, row,
        what=row.written,
        summary=f"{late.described} handles one element after the other and takes {ms(row.batch_ns)} for a batch, while "
        f"{'GPUs wait' if late.on_gpu else 'the step waits'} for it.",
        share="it works",
        basis="the map's own work per step, as far as GPUs wait for input: enough parallel calls hide it",
        more=(Evidence("calls of it at the same time", row.at_once, "count", None, "iterator events"),),
        fix=_fix(row.written),
    )  # fmt: skip


def _is_map(row: IteratorRow) -> bool:
    return row.stage == PREPROCESSING and bool({"Map", "ParallelMap"} & set(ops_of(row.kind, row.dataset)))


_PARALLEL = "num_parallel_calls=tf.data.AUTOTUNE"


def _fix(written: str) -> Fix:
    return Fix(
        "Let the map handle several elements at the same time.",
        (
            f"Add {_PARALLEL} to {written}.",
            "If the order of examples does not matter, add deterministic=False.",
            "Apply it after batch() if its function can handle whole batches: fewer calls for the same work.",
        ),
        (
            keras(
                f"ds = ds.map(prepare, {_PARALLEL})\nmodel.fit(ds.batch(batch_size).prefetch(tf.data.AUTOTUNE))"
            ),
            custom_loop(
                f"ds = ds.map(prepare, {_PARALLEL}).batch(batch_size).prefetch(tf.data.AUTOTUNE)\n"
                "for batch in ds:\n    train_step(batch)"
            ),
        ),
        (
            Link(
                "Parallelizing data transformation",
                "https://www.tensorflow.org/guide/data_performance#parallelizing_data_transformation",
            ),
        ),
    )


RULE = declared(judge, thresholds=(WORKS,), explained_by=("input-bound",))
