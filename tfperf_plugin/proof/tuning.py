"""Which switches a tuning tries and proves together, and what it has tried: in one file beside its trials."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from tfperf_plugin.proof import files
from tfperf_plugin.proof.effect import Effect, between
from tfperf_plugin.proof.plan import Side, shown
from tfperf_plugin.proof.trial import Idle, LaunchFailed
from tfperf_plugin.proof.verdict import Verdict, Word
from tfperf_plugin.readers.logdirs.finding import TUNING, VERDICT
from tfperf_plugin.recording.switches import SWITCHES, parsed, parts
from tfperf_plugin.recording.switches.switch import Switch
from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.commands import switches_of

TOGETHER: Final = "together"
"""The folder of the trial of all changes that may help, in that of the tuning."""
TUNING_VERSION: Final = 1
# Together they hold the file below 40 kB.
_MOST_TRIED: Final = 40
_MOST_TEXT: Final = 400

State = Literal[Word, "found nothing to change", "failed", "not tried"]
Look = Verdict | LaunchFailed
"""What a first look at one switch shows, or why the training does not run with it."""


class Tried(Record, frozen=True):
    """A switch that is tried alone."""

    switch: str
    finding: str  # the finding that named it, or ""
    state: State
    sentence: str  # "" if it was not tried
    effect: Effect | None
    shows: str  # what a probe shows; "" for what one would keep
    keep: str  # the lines that make it permanent; "" for a probe
    verdict: str  # hash of the verdict's file, or ""


class Tuning(Record, frozen=True):
    """How far a tuning is."""

    version: int
    written: str
    command: str
    finding: str  # title of the first finding, or ""
    tried: tuple[Tried, ...]
    together: tuple[str, ...]  # switches that are proven together
    ended: bool
    verdict: str  # hash of the verdict's file on all together, or ""


def keep(
    folder: Path,
    command: Sequence[str],
    finding: str,
    chosen: Mapping[str, str],
    looks: Mapping[str, Look],
    together: Sequence[str] = (),
    ended: bool = False,
) -> None:
    """Writes into ``folder`` how far a tuning is; to be called by who holds it.

    ``chosen``: switch → the finding that named it. Raises BadOptionError if nothing can be written.
    """
    kept = Tuning(
        version=TUNING_VERSION,
        written=files.now(),
        command=shown(Side(tuple(command), {}), _MOST_TEXT),
        finding=finding,
        tried=tuple(
            _tried(text, named, looks.get(text), folder) for text, named in list(chosen.items())[:_MOST_TRIED]
        ),
        together=tuple(together[:_MOST_TRIED]),
        ended=ended,
        verdict=_hash(folder / TOGETHER) if together and ended else "",
    )
    files.write(folder / TUNING, files.encode(kept))


def nothing(tried: Collection[object]) -> str:
    """What to say of a tuning that has nothing to prove."""
    if not tried:
        return "Nothing was tried: there is no switch for what the findings say."
    return "Nothing that was tried makes a step shorter by an amount that a first look shows."


def said(text: str, look: Look) -> str:
    """What the first look at a switch shows, in a line."""
    if isinstance(look, LaunchFailed):
        why = f"it needs {parts(text)[0].finds}." if isinstance(look, Idle) else look
        return f"{text} {_state(look)}: {why}"
    if look.effect is None:
        return f"{text}: {look.sentence} {look.reasons[0]}"
    span = between(look.effect.low - 1, look.effect.high - 1)
    shows = f" It shows {parts(text)[0].shows}." if parts(text)[0].shows else ""
    return f"{text} alone, at first look: {look.verdict}{span}.{shows}"


def _tried(text: str, finding: str, look: Look | None, folder: Path) -> Tried:
    switch, value = parts(text)
    return Tried(
        switch=text,
        finding=finding,
        state=_state(look),
        sentence=said(text, look)[:_MOST_TEXT] if look else "",
        effect=look.effect if isinstance(look, Verdict) else None,
        shows=switch.shows,
        keep=switch.kept(value),
        verdict=_hash(folder / text) if isinstance(look, Verdict) else "",
    )


def _state(look: Look | None) -> State:
    if isinstance(look, Verdict):
        return look.verdict
    if isinstance(look, LaunchFailed):
        return "found nothing to change" if isinstance(look, Idle) else "failed"
    return "not tried"


def _hash(folder: Path) -> str:
    return files.hash_of((folder / VERDICT).read_bytes())


# ------------------------------------------------------------------------------------------ choosing

LOOKS: Final = 3
"""Switches that are tried without ``--budget``: 30 launches, with those of the proof."""
MAY_HELP: Final = 0.97
"""A change whose quick trial is unproven is tried again if a step takes less than this share of its time."""


def chosen(
    report: Report, only: Sequence[str], skipped: Collection[str], allowed: Collection[str]
) -> dict[str, str]:
    """Switch → id of the finding that names it, or "": in the order of what findings save, then what often
    helps in such a program."""
    named = {
        parsed(text): finding.id
        for finding in report.findings
        if finding.severity != "info"
        for text in switches_of(finding)
        if _is_allowed(parts(text)[0], allowed)
    }
    work = report.workload
    frameworks = {work.framework, "Keras" if work.keras else ""}
    general = [
        parsed(switch.id)
        for switch in SWITCHES
        if switch.helps_often and frameworks.intersection(switch.works_in)
    ]
    wanted = only or dict.fromkeys((*named, *general))
    return {text: named.get(text, "") for text in wanted if parts(text)[0].id not in skipped}


def _is_allowed(switch: Switch, allowed: Collection[str]) -> bool:
    """Whether a switch may be tried without being named: nobody keeps a probe, and equal losses show that the
    training is the same."""
    is_seen = switch.alters == "training" and "Losses" not in switch.differs
    return bool(switch.shows) or is_seen or switch.alters in ("nothing", *allowed)


def may_help(text: str, look: Look) -> bool:
    """Whether a change is worth a whole trial."""
    if isinstance(look, LaunchFailed) or look.effect is None or parts(text)[0].shows:
        return False
    return look.verdict == "better" or (look.verdict == "unproven" and look.effect.ratio < MAY_HELP)
