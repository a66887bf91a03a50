"""What a trial shows: the verdict, in words, the file that holds it, and its line in the history."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final, Literal

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.judging.engine.words import ms, percent, signed_percent
from tfperf_plugin.proof import files, history, patch
from tfperf_plugin.proof.code import Code
from tfperf_plugin.proof.effect import (
    OPENINGS,
    Effect,
    between,
    contradicts,
    equal_changes,
    judge,
    launches_needed,
)
from tfperf_plugin.proof.effect import reasons as effect_reasons
from tfperf_plugin.proof.effect import sentence as sentence_of
from tfperf_plugin.proof.guards import Guard, guards, stops
from tfperf_plugin.proof.measured import EFFECT, Measured, launch_file, levels
from tfperf_plugin.proof.plan import PLAN, Plan, Prediction, at_commit, gains, shown
from tfperf_plugin.readers.logdirs.finding import VERDICT
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.recording.switches import parts
from tfperf_plugin.records import Record

VERDICT_VERSION: Final = 1
# A command in the verdict is cut at this length, in characters: the file has at most 20 kB.
_MOST_TEXT: Final = 1000

Word = Literal["better", "worse", "same", "unproven", "suspicious", "not comparable"]
Score = Literal["inside", "less", "more"]

NOT_COMPARABLE: Final = "Not comparable: the two sides did not do the same work, so their times say nothing."
_QUICK: Final = (
    "A first look: in 1 of 10 such trials, the difference lies outside of this range. For a proof, leave out "
    "--quick."
)
_CAME: Final[dict[Score | None, str]] = {
    "inside": "That came true.",
    "less": "It became less.",
    "more": "It became more.",
    None: "Whether that came true is open.",
}
# Other work is worth a word if it keeps this number of processors busy.
_BUSY: Final = 0.5


class LaunchRow(Record, frozen=True):
    """A launch in the verdict."""

    side: str
    ns: int  # its level, a step
    file: str  # hash of its file


class Verdict(Record, frozen=True):
    """What a trial shows, with hashes of all that it rests on."""

    version: int
    verdict: Word
    sentence: str
    reasons: tuple[str, ...]
    finding: str
    prediction: Prediction | None
    score: Score | None  # what came of the prediction; None if there is none or nothing is proven
    #: The levels of both sides, geometric means over their launches.
    a_ns: int
    b_ns: int
    effect: Effect | None  # None if not comparable
    mean_effect: Effect | None
    guards: tuple[Guard, ...]
    a: str
    b: str
    base: str  # the commit of side A, "" for the work tree
    plan: str  # hash of the plan's file
    source: Code
    launches: tuple[LaunchRow, ...]


def complete(plan: Plan, done: Sequence[Measured]) -> bool:
    """Whether no further launch is needed for a verdict."""
    return len(done) == len(plan.order) or stops(plan, done)


def conclude(plan: Plan, folder: Path, done: Sequence[Measured]) -> Verdict:
    """The verdict on the launches in ``folder``, which is written there once.

    Raises UnreadableInput if the folder holds another verdict: a file has changed since.
    """
    paths = [folder / PLAN, *(launch_file(folder, each.number) for each in done)]
    plan_hash, *hashes = (files.hash_of(path.read_bytes()) for path in paths)
    verdict = decide(plan, done, plan_hash, hashes)
    path = folder / VERDICT
    found = files.read(path, Verdict, "Delete it, and the same command writes it again.")
    if found is None:
        files.write_new(path, files.encode(verdict))
    elif found != verdict:
        raise UnreadableInput(
            f"{path} is not the verdict on the plan and the launches beside it: some file has changed since."
        )
    return verdict


def decide(plan: Plan, done: Sequence[Measured], plan_hash: str, hashes: Sequence[str]) -> Verdict:
    """The verdict on ``done``, the launches of ``plan`` in their order. ``hashes``: of their files."""
    usual, held = levels(plan, done), guards(plan, done)
    sides = [[x for x, each in zip(usual, done, strict=True) if each.side == side] for side in "AB"]
    a_ns, b_ns = (round(math.exp(fmean(side))) if side else 0 for side in sides)
    effect = mean_effect = None
    word: Word = "not comparable"
    if differing := tuple(guard.sentence for guard in held if guard.state in ("differs", "unknown")):
        sentence, reasons, score = NOT_COMPARABLE, differing, None
    else:
        effect, mean_effect = judge(plan.order, usual), judge(plan.order, levels(plan, done, mean=True))
        doubts = _doubts(plan, held, effect, mean_effect)
        word = "suspicious" if doubts else effect.verdict
        score = _score(plan.prediction, effect) if word in ("better", "worse", "same") else None
        sentence, reasons = _said(plan, word, effect, a_ns, b_ns)
        reasons = (*(doubts or reasons), *_notes(plan, word, score, done, held))
    return Verdict(
        version=VERDICT_VERSION,
        verdict=word,
        sentence=sentence,
        reasons=reasons,
        finding=plan.finding,
        prediction=plan.prediction,
        score=score,
        a_ns=a_ns,
        b_ns=b_ns,
        effect=effect,
        mean_effect=mean_effect,
        guards=held,
        a=shown(plan.a, _MOST_TEXT),
        b=shown(plan.b, _MOST_TEXT),
        base=plan.a.commit,
        plan=plan_hash,
        source=plan.code,
        launches=tuple(
            LaunchRow(each.side, round(math.exp(x)), file)
            for each, x, file in zip(done, usual, hashes, strict=True)
        ),
    )


def _doubts(plan: Plan, held: Sequence[Guard], effect: Effect, mean_effect: Effect) -> tuple[str, ...]:
    """Why an effect is suspicious, in sentences; empty if it is not."""
    doubts = [guard.sentence for guard in held if guard.state == "suspicious"]
    if contradicts(effect.verdict, mean_effect.ratio - 1):
        doubts.append(f"The mean over all windows says otherwise: {signed_percent(mean_effect.ratio - 1)}.")
    foretold = plan.prediction
    if foretold and effect.high < foretold.least:
        gain, most = percent(1 - effect.high), percent(1 - foretold.least)
        doubts.append(f"It gained at least {gain}, but {foretold.finding} leaves {most} at most to gain.")
    return tuple(doubts)


def _score(foretold: Prediction | None, effect: Effect) -> Score | None:
    """Whether the interval of the effect meets the range that was foretold."""
    if foretold is None:
        return None
    if effect.low > foretold.high:
        return "less"
    return "more" if effect.high < foretold.low else "inside"


def _said(plan: Plan, word: Word, effect: Effect, a_ns: int, b_ns: int) -> tuple[str, tuple[str, ...]]:
    """The verdict in a sentence, and what the times say for it."""
    if plan.aa and word in ("same", "unproven"):
        needed = launches_needed(effect.sd, EFFECT)
        return (
            f"Equal: nothing differs between the sides, and their launches by {percent(effect.sd)}; to prove "
            f"{100 * EFFECT:.0f} % takes about {needed} launches a side.",
            (),
        )
    span = between(effect.low - 1, effect.high - 1)
    return sentence_of(OPENINGS[word], "a step", a_ns, b_ns, span), effect_reasons(effect, plan.quick)


def _notes(
    plan: Plan, word: Word, score: Score | None, done: Sequence[Measured], held: Sequence[Guard]
) -> Iterator[str]:
    """What came of the prediction, and what else to know of the verdict."""
    if plan.quick:
        yield _QUICK
    yield from (guard.sentence for guard in held if guard.state == "unsaid")
    if plan.prediction:
        gain = gains(plan.prediction.high, plan.prediction.low)
        yield f"Foretold: {gain} shorter. {_CAME[score]}"
    yield from _of_switches(plan, word, done)
    if plan.aa and word in ("better", "worse"):
        yield "Nothing differs between the sides, so this is chance, or one of them disturbs the other."
    load = _load(done)
    if word == "unproven" and load is not None and load >= _BUSY:
        yield f"Other programs kept {load:.1f} processors busy; on a quiet machine, fewer launches suffice."


def _of_switches(plan: Plan, word: Word, done: Sequence[Measured]) -> Iterator[str]:
    """What each switch changed, and what to make of it."""
    switched = next((each.launch.switched for each in done if each.side == "B"), {})
    for text in plan.b.switches:
        switch, value = parts(text)
        yield f"{text} changed: {'; '.join(switched.get(switch.id, ('nothing',)))}."
        if switch.shows:
            yield f"It is a probe: it shows {switch.shows}; nobody keeps it."
        elif word == "better":
            where = "run this before the training" if switch.variables else "write into the code"
            yield f"To keep it, {where}: {switch.kept(value)}"
        if switch.limit:
            yield switch.limit


def _load(done: Sequence[Measured]) -> float | None:
    """Processors that other programs kept busy, on average; None if the system does not say."""
    loads = [each.others for each in done if each.others is not None]
    return fmean(loads) if loads else None


def to_text(verdict: Verdict, folder: Path) -> str:
    """The verdict for a terminal."""
    held = [guard for guard in verdict.guards if guard.state == "holds"]
    lines = [
        verdict.sentence,
        *(f"  {reason}" for reason in (*verdict.reasons, *patch.said(folder))),
        f"  A: {verdict.a}{at_commit(verdict.base)}",
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
    """A line of the history; None if the times say too little, or belong to a probe.

    ``done``: all launches, in their order.
    The workload is told apart as reports tell it, see ``compare.launches.workload_of``.
    """
    if found.effect is None or plan.quick or any(parts(text)[0].shows for text in plan.b.switches):
        return None
    facts = done[-1].launch.facts
    is_equal = plan.aa and found.verdict != "suspicious"
    return history.Row(
        time=history.now(),
        workload=history.workload(
            parameters=TrainingFacts((facts,)).parameters,
            dtype=facts.policy,
            batch=facts.batch_size or plan.batch,
            devices=sorted(set(done[-1].gpus)),
        ),
        revision=found.source.commit[:12],
        versions=facts.versions or {},
        environment=facts.environment or {},
        ms=found.b_ns / 1e6,
        sd=found.effect.sd,
        findings=(plan.finding,) if plan.finding else (),
        verdict="" if is_equal else found.verdict,
        change=None if is_equal else found.effect.ratio - 1,
        equal=equal_changes(levels(plan, done)) if is_equal else (),
        load=_load(done),
    )
