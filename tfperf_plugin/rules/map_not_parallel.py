"""Steps wait for a map that handles one element after the other."""

from __future__ import annotations

from tfperf_plugin.artifacts.late_input import LateInput
from tfperf_plugin.artifacts.pipelines import NAMED_RATIO
from tfperf_plugin.artifacts.stages import PREPROCESSING, has_parallel_calls, ops_of
from tfperf_plugin.engine.outcome import Evidence, Fix, Link, Snippet
from tfperf_plugin.engine.rank import severity_of
from tfperf_plugin.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import ms, percent
from tfperf_plugin.guide import sections

WORKS = Threshold(
    "share of the wait in which the map works",
    NAMED_RATIO,
    "ratio",
    "a cause is named from 80 % of what it explains on",
    fixed=True,
)


def judge(late: LateInput) -> Verdict:
    """Whether the stage that steps wait for is a map without parallel calls."""
    if not late.pipelines.rows:
        return NotApplicable("No tf.data pipeline was recorded.")
    row = late.stage
    if not late.is_late or row is None:
        return Passed(
            f"Steps wait for input during {percent(late.ratio)} of their time, for no map in particular."
        )
    if row.stage != PREPROCESSING or not {"Map", "ParallelMap"} & set(ops_of(row.kind, row.dataset)):
        return Passed(f"What steps wait for is {row.written} ({row.stage}).")
    if has_parallel_calls(row.kind, row.parallelism):
        return Passed(
            f"{row.written} runs in parallel already, at most {row.at_once} calls at the same time."
        )
    if late.is_hidden_by_prefetch:
        return Passed(
            f"{row.written} takes {ms(row.batch_ns)} per batch, which the rest of the step would hide if batches were "
            "made ahead."
        )
    return Found(
        summary=f"{late.described} handles one element after the other and takes {ms(row.batch_ns)} for a batch, while "
        f"{'GPUs wait' if late.on_gpu else 'the step waits'} for it.",
        evidence=(
            *late.evidence()[:1],
            Evidence(
                "share of the wait in which it works",
                row.wait_ratio,
                "ratio",
                WORKS.value,
                "iterator events during requests for a batch",
            ),
            Evidence("calls of it at the same time", row.at_once, "count", None, "iterator events"),
        ),
        where=late.where,
        claims=late.claims(late.stage_ns),
        basis="the map's own work per step, as far as GPUs wait for input: with enough cores it hides",
        severity=None if late.on_gpu else severity_of(min(late.stage_ns, late.lost_ns), late.step_ns),
        impact_ratio=late.share(late.stage_ns),
        fix=_fix(row.written),
    )


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
            Snippet(
                "Keras",
                f"ds = ds.map(prepare, {_PARALLEL})\nmodel.fit(ds.batch(batch_size).prefetch(tf.data.AUTOTUNE))",
            ),
            Snippet(
                "custom loop",
                f"ds = ds.map(prepare, {_PARALLEL}).batch(batch_size).prefetch(tf.data.AUTOTUNE)\n"
                "for batch in ds:\n    train_step(batch)",
            ),
        ),
        (
            Link(
                "Parallelizing data transformation",
                "https://www.tensorflow.org/guide/data_performance#parallelizing_data_transformation",
            ),
        ),
    )


RULE = Rule(
    id="map-not-parallel",
    topic="Parallel maps",
    title="The input's map runs one call at a time",
    group="input",
    why="A map without num_parallel_calls uses one core of the host. TensorFlow runs some of them in parallel by "
    "itself, but none with random or other stateful ops.",
    guide=sections.BEST_PRACTICES,
    judge=judge,
    thresholds=(WORKS,),
    explained_by=("input-bound",),
    fix=_fix(".map(...)"),
    measured="The time of the map's iterator events without the iterators upstream, per request for a batch in judged "
    "steps; where the map is asynchronous, the time in which threads run its function.",
    limits=(
        "How many cores the host has for more calls is not recorded.",
        "The map that is the bottleneck is judged, not others behind it.",
    ),
)
