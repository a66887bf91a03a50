"""The trials and tunings in a log directory, as the tab shows them.

Everybody who can write there may have made these files, so they are read within bounds, and nothing in them
becomes part of a path.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, TypeVar

from msgspec.structs import replace

from tfperf_plugin.errors import BadOptionError, UnreadableInput
from tfperf_plugin.proof import files
from tfperf_plugin.proof.effect import LEAST_LAUNCHES
from tfperf_plugin.proof.plan import AFTER, PLAN, QUICK_AFTER, QUICK_STEPS, STEPS, Plan, at_commit
from tfperf_plugin.proof.tuning import TOGETHER, Tried, Tuning, nothing
from tfperf_plugin.proof.verdict import Verdict
from tfperf_plugin.readers.logdirs.finding import TUNING, VERDICT, KeptTrial, find_trials
from tfperf_plugin.recording.switches import parts
from tfperf_plugin.records import Record

MOST_SHOWN: Final = 50
"""The newest trials, which are read and shown."""
MOST_BYTES: Final = 40_000
"""Of a verdict, of a tuning, and of a plan that is read here."""
_MOST_NS: Final = 10**15
_MOST_RATIO: Final = 1e6

_T = TypeVar("_T", bound=Record)


class TrialLaunch(Record, frozen=True):
    """A launch of a trial."""

    side: Literal["base", "new"]
    ns: int  # its level, a step


class TrialSwitch(Record, frozen=True):
    """A switch that a tuning tried alone."""

    switch: str
    finding: str
    state: str
    sentence: str
    shows: str
    #: Time of a step with it / without it, and the interval; null without a verdict on times.
    ratio: float | None
    low: float | None
    high: float | None


class TrialFolder(Record, frozen=True):
    """A trial; or a tuning, with the trial of what may help together if that came to an end."""

    name: str
    kind: Literal["trial", "tuning"]
    state: str  # the verdict in a word, or why there is none
    sentence: str
    written: str = ""
    reasons: tuple[str, ...] = ()
    #: What was launched.
    before: str = ""
    after: str = ""
    launches: tuple[TrialLaunch, ...] = ()
    #: The step after the change, by the interval of the effect and as foretold.
    low_ns: int | None = None
    high_ns: int | None = None
    foretold_low_ns: int | None = None
    foretold_high_ns: int | None = None
    switches: tuple[TrialSwitch, ...] = ()
    keep: str = ""  # the lines that make the change permanent, after *better*
    command: str = ""  # repeats it


class Trials(Record, frozen=True):
    """The newest trials and tunings, and how many others there are."""

    trials: tuple[TrialFolder, ...]
    more_count: int


class _Damaged(Exception):
    """A file is none that this version writes."""


def trials(logdirs: Iterable[tuple[str, str]], place: str) -> Trials:
    """What lies below ``logdirs``, pairs of a name or "" and a path, newest first.

    Raises UnreadableInput, whose sentence calls a log directory ``place``.
    """
    found = [
        replace(kept, name=f"{name}/{kept.name}" if name else kept.name)
        for name, logdir in logdirs
        for kept in find_trials(logdir, place)
    ]
    newest = sorted(found, key=lambda kept: (-_modified_ns(kept.file), kept.name))
    return Trials(tuple(map(_shown, newest[:MOST_SHOWN])), max(len(found) - MOST_SHOWN, 0))


def _modified_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _shown(kept: KeptTrial) -> TrialFolder:
    try:
        return _tuning(kept) if kept.is_tuning else _trial(kept.name, kept.path)
    except _Damaged as damaged:
        why = f"{damaged} cannot be read: it is missing, damaged, too large, or of another version of tfperf."
        return TrialFolder(kept.name, "tuning" if kept.is_tuning else "trial", "not readable", why)


def _tuning(kept: KeptTrial) -> TrialFolder:
    tuning = _read(kept.file, Tuning)
    tried = sum(each.state != "not tried" for each in tuning.tried)
    if tuning.verdict:
        proof = _trial(kept.name, kept.path / TOGETHER)
    elif tuning.ended:
        proof = TrialFolder(kept.name, "tuning", "nothing gained", nothing(tuning.tried))
    else:
        sentence = (
            f"Not finished: {tried} of {len(tuning.tried)} switches were tried; the same command goes on."
        )
        proof = TrialFolder(kept.name, "tuning", "not finished", sentence)
    return replace(
        proof,
        kind="tuning",
        written=tuning.written,
        reasons=(f"The profile says: {tuning.finding}.", *proof.reasons),
        switches=tuple(map(_switch, tuning.tried)),
        command=f"tfperf tune -- {tuning.command}",
    )


def _switch(tried: Tried) -> TrialSwitch:
    effect = tried.effect
    ratio, low, high = (effect.ratio, effect.low, effect.high) if effect else (None, None, None)
    _sound((ratio, low, high), _MOST_RATIO, TUNING)
    return TrialSwitch(
        tried.switch, tried.finding, tried.state, tried.sentence, tried.shows, ratio, low, high
    )


def _trial(name: str, folder: Path) -> TrialFolder:
    verdict, plan = _read(folder / VERDICT, Verdict), _read(folder / PLAN, Plan)
    effect, foretold = verdict.effect, verdict.prediction
    _sound([verdict.a_ns, *(row.ns for row in verdict.launches)], _MOST_NS)
    _sound((effect.low, effect.high) if effect else (), _MOST_RATIO)
    _sound((foretold.low, foretold.high) if foretold else (), _MOST_RATIO)
    before_ns = verdict.a_ns
    lines = list(_lines(plan)) if verdict.verdict == "better" else []
    return TrialFolder(
        name=name,
        kind="trial",
        state=verdict.verdict,
        sentence=verdict.sentence,
        written=plan.written,
        reasons=tuple(reason for reason in verdict.reasons if not reason.endswith(tuple(lines))),
        before=f"{verdict.a}{at_commit(verdict.base)}",
        after=verdict.b,
        launches=tuple(TrialLaunch("base" if row.side == "A" else "new", row.ns) for row in verdict.launches),
        low_ns=round(before_ns * effect.low) if effect else None,
        high_ns=round(before_ns * effect.high) if effect else None,
        foretold_low_ns=round(before_ns * foretold.low) if effect and foretold else None,
        foretold_high_ns=round(before_ns * foretold.high) if effect and foretold else None,
        keep="\n".join(lines),
        command=_command(plan),
    )


def _lines(plan: Plan) -> Iterable[str]:
    """The lines to keep the change by, which the page shows apart from the reasons."""
    for text in plan.b.switches:
        try:
            switch, value = parts(text)
        except BadOptionError:  # of another version
            continue
        if switch.keep:
            yield switch.kept(value)


def _command(plan: Plan) -> str:
    """What makes this trial, but for the run that foretold its gain."""
    usual = (QUICK_AFTER, QUICK_STEPS) if plan.quick else (AFTER, STEPS)
    repeat = len(plan.order) // 2
    added = plan.b.command[len(plan.a.command) :]
    given: list[tuple[str, object]] = [
        *(("--switch", text) for text in plan.b.switches),
        *(("--env", f"{name}={value}") for name, value in plan.b.environment.items()),
        *([("--base", plan.a.commit)] if plan.a.commit else []),
        *([("--finding", plan.finding)] if plan.finding else []),
        *([] if plan.quick or repeat == LEAST_LAUNCHES else [("--repeat", repeat)]),
        *([] if plan.after == usual[0] else [("--after", plan.after)]),
        *([] if plan.steps == usual[1] else [("--steps", plan.steps)]),
        *([] if plan.batch is None else [("--batch", plan.batch)]),
    ]
    return shlex.join(
        [
            *("tfperf", "try"),
            *(str(word) for option in given for word in option),
            *([f"--args={shlex.join(added)}"] if added else []),
            *(["--aa"] if plan.aa else []),
            *(["--quick"] if plan.quick else []),
            *("--", *plan.a.command),
        ]
    )


def _read(path: Path, kind: type[_T]) -> _T:
    try:
        found = files.read(path, kind, "", MOST_BYTES)
    except UnreadableInput as error:
        raise _Damaged(path.name) from error
    if found is None:
        raise _Damaged(path.name)
    return found


def _sound(values: Sequence[float | None], most: float, name: str = VERDICT) -> None:
    """Raises _Damaged unless these are numbers that a chart can show."""
    if not all(value is None or 0 <= value <= most for value in values):
        raise _Damaged(name)
