"""What the rules about one kind of input pipeline stage share: they judge the stage that steps wait for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.pipelines import NAMED_RATIO, IteratorRow
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.engine.severity import severity_of

NO_PIPELINE = "No tf.data pipeline was recorded."
NOT_THIS = "Steps wait for input during {share:percent} of their time, but for no {kind} in particular."
OTHER = "What steps wait for is {stage} ({kind})."
HIDDEN = "{what} takes {batch:ms} per batch, which the rest of the step would hide if the pipeline made batches ahead."


def works(what: str) -> Threshold:
    """The share of the wait that makes a stage the cause; ``what``: what it does meanwhile."""
    source = "a cause is named from 80 % of what it explains on"
    return Threshold(f"share of the wait in which {what}", NAMED_RATIO, "ratio", source, fixed=True)


def waited_for(late: LateInput, kind: str, fits: Callable[[IteratorRow], bool]) -> IteratorRow | Verdict:
    """The stage that steps wait for, if it ``fits``; ``kind``: what the rule is about, such as "map"."""
    if not late.pipelines.rows:
        return NotApplicable(NO_PIPELINE)
    row = late.stage
    if not late.is_late or row is None:
        return Passed(say(NOT_THIS, share=late.ratio, kind=kind))
    return row if fits(row) else Passed(say(OTHER, stage=row.written, kind=row.stage))


def judge_stage(
    late: LateInput, row: IteratorRow, what: str, summary: str, share: str, basis: str,
    more: tuple[Evidence, ...] = (), values: Mapping[str, str] = MappingProxyType({}),
) -> Verdict:  # fmt: skip
    """The cost of that stage, unless making batches ahead would hide it; ``share``: such as "it reads"."""
    if late.is_hidden_by_prefetch:
        return Passed(say(HIDDEN, what=what, batch=row.batch_ns))
    ratio = Evidence(
        f"share of the wait in which {share}", row.wait_ratio, "ratio", NAMED_RATIO,
        "iterator events during requests for a batch",
    )  # fmt: skip
    return Found(
        summary=summary,
        evidence=(*late.evidence()[:1], ratio, *more),
        where=late.where,
        claims=late.claims(late.stage_ns),
        basis=basis,
        severity=None if late.on_gpu else severity_of(min(late.stage_ns, late.lost_ns), late.step_ns),
        impact_ratio=late.share(late.stage_ns),
        values=values,
    )
