"""What a step would take once chosen findings are fixed: the route ``predict`` and ``--without``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from tfperf_plugin.errors import NotJudgeable
from tfperf_plugin.judging import former
from tfperf_plugin.judging.engine.words import between, ms, percent, signed_percent
from tfperf_plugin.judging.verdicts import After
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import AfterWords, Report
from tfperf_plugin.report.options import BadOptionError
from tfperf_plugin.report.panels.budget import fixed, held
from tfperf_plugin.report.panels.verdict import after_words
from tfperf_plugin.report.projection import PredictionError, after, published_error

UNKNOWN_INPUT: Final = "The profile does not say how long the input pipeline needs for a batch."


class Prediction(Record, frozen=True):
    """The average step once the findings of the ids ``without`` are fixed."""

    step_ns: int  # the step as recorded
    predicted_ns: int  # the step without the findings
    saved_ns: int  # the difference
    without: tuple[str, ...]  # in the report's order
    can: tuple[str, ...]  # ids of all findings that can be chosen
    limits: tuple[str, ...]  # sentences: what keeps the step from being shorter, or is not known
    error: PredictionError | None
    fixed: str  # how many findings are fixed
    said: str  # the projection and its range
    after: AfterWords | None  # as the verdict says it; ``None`` if nothing is chosen


def parse_without(text: str | None) -> tuple[str, ...]:
    """The distinct rule ids in a comma-separated list, former ids as today's."""
    parts = (part.strip() for part in (text or "").split(","))
    return tuple(dict.fromkeys(former.rule_of(part) for part in parts if part))


def prediction(report: Report, without: Collection[str]) -> Prediction:
    """The step of ``report`` without the findings of these ids.

    Raises:
        BadOptionError: an id belongs to no finding that can be chosen.
        NotJudgeable: the profile holds no steps of a GPU.
    """
    if report.ledger is None or report.budget is None:
        raise NotJudgeable(f"Run {report.run} holds no steps of a GPU, so nothing can be predicted.")
    claims = report.budget.claims
    can = tuple(claim.id for claim in claims)
    unknown = [id_ for id_ in without if id_ not in can]
    if unknown:
        which = f"can be chosen: {', '.join(can)}" if can else "no finding of this run would save time"
        raise BadOptionError(f"{unknown[0]!r} is no finding that says what it would save; {which}.")
    chosen = [claim for claim in claims if claim.id in without]
    found, step_ns = after(report, without), report.ledger.step_ns
    words = fixed(chosen, claims)
    ranks = [claim.rank for claim in chosen]
    return Prediction(
        step_ns=step_ns,
        predicted_ns=found.ns,
        saved_ns=step_ns - found.ns,
        without=tuple(claim.id for claim in chosen),
        can=can,
        limits=tuple(_limits(report, without)) if chosen else (),
        error=published_error(),
        fixed=words,
        said=_said(report, found, words, bool(chosen)),
        after=after_words(report, ranks, found) if chosen else None,
    )


def _said(report: Report, found: After, words: str, changed: bool) -> str:
    least = "≥ " if report.budget and report.budget.bound and changed else ""
    said = f"Projected {least}{ms(found.ns)} {words}."
    if changed and (error := published_error()):
        likely = between(found.low_ns, found.high_ns)
        said += f" Likely {likely}, as in nine of ten of {error.runs} simulated runs."
    return said


def _limits(report: Report, without: Collection[str]) -> Iterator[str]:
    if sentence := held(report, without):
        yield sentence
    if not report.input or report.input.needed_ns is None:
        yield UNKNOWN_INPUT


def prediction_lines(report: Report, found: Prediction) -> Sequence[str]:
    """The prediction in sentences, for terminal and Markdown."""
    chosen = [f.title for f in report.findings if f.id in found.without]
    lines = [
        f"A step would take about {ms(found.predicted_ns)} instead of {ms(found.step_ns)} "
        f"(−{percent(found.saved_ns / max(1, found.step_ns))}) without: {'; '.join(chosen)}."
    ]
    if found.error:
        lines.append(error_sentence(found.error))
    return (*lines, *found.limits)


def error_sentence(error: PredictionError) -> str:
    """The error in a sentence."""
    return (
        f"In {error.runs} simulated runs, nine of ten such predictions were off by "
        f"{signed_percent(error.low_ratio)} to {signed_percent(error.high_ratio)} of the step; "
        "plus: the step got shorter than predicted."
    )
