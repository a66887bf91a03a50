"""Batches are made inside the step's request, because nothing makes them ahead."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.engine.severity import severity_of

WORK = Threshold("work inside the request", 0.01, "ratio", "of the step: the lowest severity")

NO_PIPELINE = "No tf.data pipeline was recorded."
FEW = "Steps wait for input during {share:percent} of their time."
AHEAD = "The pipeline makes batches ahead: {stage}."
LITTLE = "Requests for a batch do {share:percent} of a step's work themselves."
HIDES_ALL = (
    "Each step makes its own batch: {work:ms} of the request for it is work of the pipeline that nothing does ahead. The "
    "other {rest:ms} of the step could hide all of it."
)
HIDES_SOME = (
    "Each step makes its own batch: {work:ms} of the request for it is work of the pipeline that nothing does ahead. The "
    "other {rest:ms} of the step could hide as much."
)
BASIS = "the work inside requests, as far as the rest of the step is long enough to hide it"


def judge(late: LateInput) -> Verdict:
    """Compares the work of making a batch inside its request with the rest of the step, which could hide it."""
    if not late.pipelines.rows:
        return NotApplicable(NO_PIPELINE)
    if late.pipeline is None:
        return Passed(say(FEW, share=late.ratio))
    if made := late.prefetch or late.unseen:
        return Passed(say(AHEAD, stage=made.written))
    work = late.in_request_ns
    if work < WORK.value * late.step_ns:
        return Passed(say(LITTLE, share=work / max(1, late.step_ns)))
    rest = max(0, late.step_ns - late.lost_ns)
    hidden = min(work, rest)
    return Found(
        summary=say(HIDES_ALL if work <= rest else HIDES_SOME, work=work, rest=rest),
        evidence=(
            Evidence(
                "work on the thread that asks for a batch",
                work,
                "ns",
                int(WORK.value * late.step_ns),
                "iterator events inside requests, per step",
            ),
            Evidence("rest of the step, which could hide it", rest, "ns", None, "step without waiting for input"),
        ),
        where=late.where,
        claims=late.claims(hidden),
        basis=BASIS,
        severity=None if late.on_gpu else severity_of(min(hidden, late.lost_ns), late.step_ns),
        impact_ratio=late.share(hidden),
        advice="arrays were passed to fit()" if late.of_arrays else "",
    )  # fmt: skip


RULE = declared(judge, thresholds=(WORK,), explained_by=("input-bound",))
