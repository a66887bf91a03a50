"""Batches are made inside the step's request, because nothing makes them ahead."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rank import severity_of
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.judging.verdicts import Fix, keras

WORK = Threshold("work inside the request", 0.01, "ratio", "of the step: the lowest severity")


def judge(late: LateInput) -> Verdict:
    """Compares the work of making a batch inside its request with the rest of the step, which could hide it."""
    if not late.pipelines.rows:
        return NotApplicable("No tf.data pipeline was recorded.")
    if late.pipeline is None:
        return Passed(f"Steps wait for input during {percent(late.ratio)} of their time.")
    if made := late.prefetch or late.unseen:
        return Passed(f"The pipeline makes batches ahead: {made.written}.")
    work = late.in_request_ns
    if work < WORK.value * late.step_ns:
        return Passed(
            f"Requests for a batch do {percent(work / max(1, late.step_ns))} of a step's work themselves."
        )
    rest = max(0, late.step_ns - late.lost_ns)
    hidden = min(work, rest)
    return Found(
        summary=f"Each step makes its own batch: {ms(work)} of the request for it is work of the pipeline that "
        "nothing does ahead. "
        + (
            f"The other {ms(rest)} of the step could hide all of it."
            if work <= rest
            else f"The other {ms(rest)} of the step could hide as much."
        ),
        evidence=(
            Evidence(
                "work on the thread that asks for a batch",
                work,
                "ns",
                int(WORK.value * late.step_ns),
                "iterator events inside requests, per step",
            ),
            Evidence(
                "rest of the step, which could hide it", rest, "ns", None, "step without waiting for input"
            ),
        ),
        where=late.where,
        claims=late.claims(hidden),
        basis="the work inside requests, as far as the rest of the step is long enough to hide it",
        severity=None if late.on_gpu else severity_of(min(hidden, late.lost_ns), late.step_ns),
        impact_ratio=late.share(hidden),
        fix=_OF_ARRAYS if late.of_arrays else None,
        action="Give fit() a prefetched dataset instead of arrays" if late.of_arrays else "",
    )


_OF_ARRAYS = Fix(
    "Make the next batch while this step runs: give fit() a tf.data.Dataset instead of arrays.",
    ("Keras makes this pipeline from the arrays passed to fit(). Make your own, and end it with prefetch.",),
    (
        keras(
            "ds = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10_000)\n"
            "model.fit(ds.batch(batch_size).prefetch(tf.data.AUTOTUNE))"
        ),
    ),
)

RULE = declared(judge, thresholds=(WORK,), explained_by=("input-bound",))
