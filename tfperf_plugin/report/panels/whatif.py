"""What a step would take without chosen findings: the arrays kept for it, and the answer in words."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.input.pipelines import Pipelines
from tfperf_plugin.analysis.ledger import ACCOUNTS
from tfperf_plugin.analysis.whatif.predict import Predicted
from tfperf_plugin.analysis.whatif.recorded import COMPUTE, FAR, HostPart, finish
from tfperf_plugin.errors import NotJudgeable
from tfperf_plugin.judging import former
from tfperf_plugin.judging.choices import WhatIf, choices
from tfperf_plugin.judging.engine.inputs import Inputs
from tfperf_plugin.judging.engine.run import Outcome
from tfperf_plugin.judging.engine.words import between, ms, percent, signed_percent
from tfperf_plugin.judging.verdicts import After, Finding
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import AfterWords, Report
from tfperf_plugin.report.options import BadOptionError
from tfperf_plugin.report.panels.budget import fixed
from tfperf_plugin.report.panels.timeline import Arrays
from tfperf_plugin.report.panels.verdict import after_words

ERRORS: Final = Path(__file__).parents[2] / "docs" / "accuracy.json"
"""Measured errors of predictions for simulated runs; ``python -m demo.accuracy`` writes this file."""
PAGE: Final = "accuracy"
# A limit that costs less than this share of the step gets no sentence.
_LEAST_RATIO: Final = 0.005


class ByFinding(Record, frozen=True):
    """A finding that can be chosen. ``alone_ns``: the time saved if only this finding is removed."""

    id: str
    title: str
    chosen: bool
    saving_ns: int
    alone_ns: int


class PredictedAccount(Record, frozen=True):
    """An account of the average step as recorded and as predicted."""

    id: str
    before_ns: int
    after_ns: int


class PredictionError(Record, frozen=True):
    """Error of predictions for ``runs`` simulated runs: 5th and 95th percentile of (predicted − simulated
    step) / recorded step. ``page``: the documentation page with the details."""

    low_ratio: float
    high_ratio: float
    runs: int
    page: str


class Prediction(Record, frozen=True):
    """The average step with and without the chosen findings. ``limits``: sentences about what keeps the step
    from being shorter, or is not known.

    In words: ``fixed``, how many findings are chosen; ``said``, the step without their claims, and the
    predicted one; ``after``, the predicted step as the verdict says it.
    """

    step_ns: int
    predicted_ns: int
    saved_ns: int
    limits: tuple[str, ...]
    by_finding: tuple[ByFinding, ...]
    accounts: tuple[PredictedAccount, ...]
    error: PredictionError | None
    fixed: str = ""
    said: str = ""
    after: AfterWords | None = None


def replay(hosts: Sequence[HostPart], inputs: Inputs, outcome: Outcome) -> WhatIf | None:
    """The run as it can be replayed; ``None`` without GPU steps or without ``hosts``."""
    if inputs.ledger is None or not hosts:
        return None
    recorded = finish(hosts, inputs.get(Pipelines))
    return WhatIf(recorded, inputs.ledger.average(), choices(outcome.findings, outcome.claims))


def with_predictions(findings: Sequence[Finding], run: WhatIf | None) -> tuple[Finding, ...]:
    """The findings with the predicted step without each of them alone."""
    error = published_error()
    return tuple(_predicted(finding, run, error) for finding in findings) if run else tuple(findings)


def _predicted(finding: Finding, run: WhatIf, error: PredictionError | None) -> Finding:
    if finding.saving is None or not finding.saving.accounts:
        return finding
    found = run.without((finding.id,))
    after = likely(found.predicted_ns, found.step_ns, error)
    return replace(finding, saving=replace(finding.saving, alone_ns=found.saved_ns), after=after)


def likely(ns: int, step: int, error: PredictionError | None) -> After:
    """A predicted step of ``ns``, in place of one of ``step`` ns, with the range that ``error`` gives it."""
    # A positive error means that steps got shorter than predicted.
    low, high = (error.high_ratio, error.low_ratio) if error else (0.0, 0.0)
    least, most = round(ns - low * step), round(ns - high * step)
    return After(ns, max(0, min(ns, least)), max(ns, min(step, most)))


def parse_without(text: str | None) -> tuple[str, ...]:
    """The distinct rule ids in a comma-separated list, former ids as today's."""
    parts = (part.strip() for part in (text or "").split(","))
    return tuple(dict.fromkeys(former.rule_of(part) for part in parts if part))


def prediction(report: Report, arrays: Arrays, without: Collection[str]) -> Prediction:
    """The step of ``report`` without the findings of these ids.

    Raises:
        BadOptionError: an id belongs to no finding that can be chosen.
        NotJudgeable: the profile holds no steps of a GPU, or too many GPU events.
    """
    try:
        run = WhatIf.from_arrays(arrays, report.findings)
    except KeyError as error:
        why = (
            "is too large for predictions"
            if report.ledger
            else "holds no steps of a GPU, so nothing can be predicted"
        )
        said = [row.sentence for row in report.omitted if row.what == "what_if"]
        raise NotJudgeable(said[0] if said else f"Run {report.run} {why}.") from error
    known = [choice.id for choice in run.choices]
    unknown = [id_ for id_ in without if id_ not in known]
    if unknown:
        can = f"can be chosen: {', '.join(known)}" if known else "no finding of this run would save time"
        raise BadOptionError(f"{unknown[0]!r} is no finding that says what it would save; {can}.")
    found = run.without(without)
    titles = {finding.id: finding.title for finding in report.findings}
    measured = published_error()
    after = likely(found.predicted_ns, found.step_ns, measured)
    ranks = [rank for rank, finding in enumerate(report.findings, 1) if finding.id in without]
    return Prediction(
        step_ns=found.step_ns,
        predicted_ns=found.predicted_ns,
        saved_ns=found.saved_ns,
        limits=_limits(run, found, without) if without else (),
        by_finding=tuple(
            ByFinding(c.id, titles[c.id], c.id in without, c.saving_ns, run.without((c.id,)).saved_ns)
            for c in run.choices
        ),
        accounts=tuple(
            PredictedAccount(a, found.before[a], found.after[a])
            for a in ACCOUNTS
            if found.before[a] or found.after[a]
        ),
        error=measured,
        fixed=_fixed(report, without),
        said=_said(report, after, measured, without),
        after=after_words(report, ranks, after.ns, (after.low_ns, after.high_ns)) if ranks else None,
    )


def _fixed(report: Report, without: Collection[str]) -> str:
    claims = report.budget.claims if report.budget else ()
    return fixed(sum(claim.id in without for claim in claims), len(claims))


def _said(report: Report, after: After, error: PredictionError | None, without: Collection[str]) -> str:
    if report.budget is None or report.ledger is None:
        return ""
    claimed = sum(claim.ns for claim in report.budget.claims if claim.id in without)
    left = ms(report.ledger.step_ns - claimed)
    least = "≥ " if report.budget.bound and claimed else ""
    said = f"Projected {least}{left} {_fixed(report, without)}."
    if without and ms(after.ns) != left:
        said += f" The recorded step, replayed without their causes: {ms(after.ns)}."
    if without and error:
        likely = between(after.low_ns, after.high_ns)
        said += f" Likely {likely}, as in nine of ten of {error.runs} simulated runs."
    return said


def _limits(run: WhatIf, found: Predicted, without: Collection[str]) -> tuple[str, ...]:
    least = _LEAST_RATIO * found.step_ns
    recorded = run.recorded
    input_ns = int(recorded.input_ns[0])
    chosen = [c for c in run.choices if c.id in without]
    said = []
    if found.held_ns >= least:
        said.append(
            f"The input pipeline needs {ms(input_ns)} for the batch of a step. If it were faster, the step "
            f"would be {ms(found.held_ns)} shorter."
        )
    if found.launch_ns >= least:
        said.append(
            f"The host launches kernels no faster than it did: GPUs would wait {ms(found.launch_ns)} more "
            "for launches."
        )
    if found.exposed_ns >= least:
        said.append(
            f"{ms(found.exposed_ns)} of transfer between GPUs that runs beside compute now would have to be "
            "waited for."
        )
    if input_ns < 0 and not any(c.frees_input for c in chosen):
        said.append("The profile does not say how long the input pipeline needs for a batch.")
    margins = recorded.piece_margin_ns[recorded.piece_account == COMPUTE]
    if len(margins) and (margins == FAR).all() and not any(c.frees_launches for c in chosen):
        said.append("The profile does not say when kernels were launched, so not how fast the host could be.")
    return tuple(said)


@functools.cache
def published_error() -> PredictionError | None:
    """The measured error of predictions; ``None`` if ``ERRORS`` cannot be read."""
    try:
        found = json.loads(ERRORS.read_text(encoding="utf-8"))["prediction"]
        return PredictionError(
            float(found["low_ratio"]), float(found["high_ratio"]), int(found["runs"]), PAGE
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def prediction_lines(found: Prediction) -> Sequence[str]:
    """The prediction in sentences, for terminal and Markdown."""
    chosen = [f.title for f in found.by_finding if f.chosen]
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
