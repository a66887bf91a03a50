"""What a trial shows: the verdict, in words, the file that holds it, and its line in the history."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from statistics import fmean
from typing import Final, Literal

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.judging.engine.words import ms, percent, signed_percent
from tfperf_plugin.proof import files, history
from tfperf_plugin.proof.effect import (
    OPENINGS,
    Effect,
    between,
    judge,
    launches_needed,
    reasons,
    sentence,
)
from tfperf_plugin.proof.floor import equal_changes
from tfperf_plugin.proof.guards import Guard, guards, stops
from tfperf_plugin.proof.measured import EFFECT, Measured, launch_file, levels
from tfperf_plugin.proof.plan import PLAN, Plan, Prediction, Side, gains, shown
from tfperf_plugin.records import Record

VERDICT: Final = "verdict.json"
VERDICT_VERSION: Final = 1
# A command in the verdict is cut after so many characters: the file has at most 20 kB.
_MOST_TEXT: Final = 1000

Word = Literal["better", "worse", "same", "unproven", "suspicious", "not comparable"]
Score = Literal["inside", "less", "more"]

NOT_COMPARABLE: Final = "Not comparable: the two sides did not do the same work, so their times say nothing."
AA: Final = (
    "Equal: nothing differs between the sides, and their launches by {sd}; to prove {effect} takes about "
    "{needed} launches a side."
)
FALSE: Final = "Nothing differs between the sides, so this is chance, or one of them disturbs the other."
MEAN: Final = "The mean over all windows says otherwise: {change}."
BOUND: Final = "It gained at least {gain}, but {finding} leaves {most} at most to gain."
INSIDE: Final = "Foretold: {gain} shorter. That came true."
LESS: Final = "Foretold: {gain} shorter. It became less."
MORE: Final = "Foretold: {gain} shorter. It became more."
OPEN: Final = "Foretold: {gain} shorter. Whether that came true is open."
LOAD: Final = "Other programs kept {load:.1f} processors busy; on a quiet machine, fewer launches suffice."
# Other work of so many processors is worth a word.
_BUSY: Final = 0.5


class Row(Record, frozen=True):
    """A launch in the verdict: its side, its level in ns a step, the hash of its file."""

    side: str
    ns: int
    file: str


class Verdict(Record, frozen=True):
    """``a_ns``, ``b_ns``: the levels of both sides, geometric means over their launches; ``effect``: None if
    not comparable; ``score``: what came of the prediction, None if there is none or nothing is proven;
    ``of``, ``plan``: hashes of the profile with the finding and of the plan's file; ``commit``, ``diff``,
    ``code``: see ``Code``; ``base``: the commit of side A, "" for the work tree; ``reasons``: sentences."""

    version: int
    tool_version: str
    written: str
    verdict: Word
    sentence: str
    reasons: tuple[str, ...]
    aa: bool
    finding: str
    of: str
    prediction: Prediction | None
    score: Score | None
    statistic: str
    a_ns: int
    b_ns: int
    effect: Effect | None
    mean_effect: Effect | None
    guards: tuple[Guard, ...]
    a: str
    b: str
    base: str
    plan: str
    commit: str
    diff: str
    code: str
    launches: tuple[Row, ...]


def complete(plan: Plan, done: Sequence[Measured]) -> bool:
    """Whether no further launch is needed for a verdict."""
    return len(done) == len(plan.order) or stops(plan, done)


def conclude(plan: Plan, folder: Path, done: Sequence[Measured]) -> Verdict:
    """The verdict on the launches in ``folder``, which is written there once.

    Raises UnreadableInput if the folder holds another verdict: a file has changed since.
    """
    verdict = decide(plan, done, *_hashes(folder, done))
    data = files.encode(verdict)
    path = folder / VERDICT
    found = files.read(path, Verdict, "Delete it, and the same command writes it again.")
    if found is None:
        files.write_new(path, data)
    elif found != verdict:
        raise UnreadableInput(
            f"{path} is not the verdict on the plan and the launches beside it: some file has changed since."
        )
    return verdict


def _hashes(folder: Path, done: Sequence[Measured]) -> tuple[str, tuple[str, ...]]:
    paths = [folder / PLAN, *(launch_file(folder, each.number) for each in done)]
    plan, *others = (files.hash_of(path.read_bytes()) for path in paths)
    return plan, tuple(others)


def decide(plan: Plan, done: Sequence[Measured], plan_hash: str, hashes: Sequence[str]) -> Verdict:
    """The verdict on ``done``, the launches of ``plan`` in their order. ``hashes``: of their files."""
    usual = levels(plan, done)
    held = guards(plan, done)
    sides = [[x for x, each in zip(usual, done, strict=True) if each.side == side] for side in "AB"]
    a_ns, b_ns = (round(math.exp(fmean(side))) if side else 0 for side in sides)
    effect = mean_effect = None
    if len(done) == len(plan.order):
        effect, mean_effect = judge(plan.order, usual), judge(plan.order, levels(plan, done, mean=True))
    word, reasons = _word(plan, held, effect, mean_effect)
    if word == "not comparable":
        effect = mean_effect = None
    score = _score(plan.prediction, effect) if word in ("better", "worse", "same") else None
    return Verdict(
        version=VERDICT_VERSION,
        tool_version=plan.tool_version,
        written=plan.written,
        verdict=word,
        sentence=_sentence(plan, word, a_ns, b_ns, effect),
        reasons=(*reasons, *_told(plan, word, effect, score, done)),
        aa=plan.aa,
        finding=plan.finding,
        of=plan.of,
        prediction=plan.prediction,
        score=score,
        statistic=plan.statistic,
        a_ns=a_ns,
        b_ns=b_ns,
        effect=effect,
        mean_effect=mean_effect,
        guards=held,
        a=_cut(plan.a),
        b=_cut(plan.b),
        base=plan.a.commit,
        plan=plan_hash,
        commit=plan.code.commit,
        diff=plan.code.diff,
        code=plan.code.digest,
        launches=tuple(
            Row(each.side, round(math.exp(x)), file)
            for each, x, file in zip(done, usual, hashes, strict=True)
        ),
    )


def _cut(side: Side) -> str:
    text = shown(side.environment, side.command)
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"


def _word(
    plan: Plan, held: Sequence[Guard], effect: Effect | None, mean_effect: Effect | None
) -> tuple[Word, tuple[str, ...]]:
    """The verdict, and why it is not that of the times alone."""
    if bad := [guard.sentence for guard in held if guard.state in ("differs", "unknown")]:
        return "not comparable", tuple(bad)
    assert effect and mean_effect
    doubts = [guard.sentence for guard in held if guard.state == "suspicious"]
    if effect.verdict in ("better", "worse") and (effect.ratio < 1) != (mean_effect.ratio < 1):
        doubts.append(MEAN.format(change=signed_percent(mean_effect.ratio - 1)))
    foretold = plan.prediction
    if foretold and effect.high < foretold.least:
        gain, most = percent(1 - effect.high), percent(1 - foretold.least)
        doubts.append(BOUND.format(gain=gain, finding=foretold.finding, most=most))
    return ("suspicious", tuple(doubts)) if doubts else (effect.verdict, ())


def _score(foretold: Prediction | None, effect: Effect | None) -> Score | None:
    """Whether the interval of the effect meets the range that was foretold."""
    if foretold is None or effect is None:
        return None
    if effect.low > foretold.high:
        return "less"
    return "more" if effect.high < foretold.low else "inside"


def _sentence(plan: Plan, word: Word, a_ns: int, b_ns: int, effect: Effect | None) -> str:
    if word == "not comparable" or effect is None:
        return NOT_COMPARABLE
    if plan.aa and word in ("same", "unproven"):
        needed = launches_needed(effect.sd, EFFECT)
        return AA.format(sd=percent(effect.sd), effect=f"{100 * EFFECT:.0f} %", needed=needed)
    return sentence(OPENINGS[word], "a step", a_ns, b_ns, between(effect.low - 1, effect.high - 1))


def _told(
    plan: Plan, word: Word, effect: Effect | None, score: Score | None, done: Sequence[Measured]
) -> tuple[str, ...]:
    # The sentence on equal sides says how many launches it takes.
    known = plan.aa and word in ("same", "unproven")
    said = list(reasons(effect)) if effect and word == effect.verdict and not known else []
    if plan.prediction and word != "not comparable":
        sentence = {"inside": INSIDE, "less": LESS, "more": MORE, None: OPEN}[score]
        said.append(sentence.format(gain=gains(plan.prediction.high, plan.prediction.low)))
    if plan.aa and word in ("better", "worse"):
        said.append(FALSE)
    loads = [each.others for each in done if each.others is not None]
    if word == "unproven" and loads and fmean(loads) >= _BUSY:
        said.append(LOAD.format(load=fmean(loads)))
    return tuple(said)


def to_text(verdict: Verdict, folder: Path) -> str:
    """The verdict for a terminal."""
    held = [guard for guard in verdict.guards if guard.state == "holds"]
    lines = [
        verdict.sentence,
        *(f"  {reason}" for reason in verdict.reasons),
        f"  A: {verdict.a}" + (f" at commit {verdict.base[:12]}" if verdict.base else ""),
        f"  B: {verdict.b}",
        f"  Equal on both sides: {', '.join(guard.name.lower() for guard in held) or 'nothing'}.",
        *(
            f"  Launches of {side}: {', '.join(ms(row.ns) for row in verdict.launches if row.side == side)}"
            for side in "AB"
        ),
        f"  {folder / VERDICT} holds this, with the hashes of plan, launches and source.",
    ]
    return "".join(f"{line}\n" for line in lines)


def history_row(plan: Plan, done: Sequence[Measured], found: Verdict) -> history.Row | None:
    """A line of the history; None if the times say nothing. ``done``: all launches, in their order.

    The workload is told apart as reports tell it, see ``compare.past.workload_of``.
    """
    if found.effect is None:
        return None
    facts = done[-1].launch.facts
    trainable, loads = facts.trainable_parameters, [m.others for m in done if m.others is not None]
    is_equal = plan.aa and found.verdict != "suspicious"
    return history.Row(
        time=f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}",
        workload=history.workload(
            parameters=facts.parameters if trainable is None else trainable,
            dtype=facts.policy,
            batch=facts.batch_size,
            devices=sorted(set(done[-1].gpus)),
        ),
        revision=found.commit[:12],
        versions=facts.versions or {},
        environment=facts.environment or {},
        ms=found.b_ns / 1e6,
        sd=found.effect.sd,
        findings=(plan.finding,) if plan.finding else (),
        verdict="" if is_equal else found.verdict,
        change=None if is_equal else found.effect.ratio - 1,
        equal=equal_changes(levels(plan, done)) if is_equal else (),
        load=fmean(loads) if loads else None,
    )
