"""What a tuning has tried, in one file beside its trials, which is written anew after each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from tfperf_plugin.proof import files
from tfperf_plugin.proof.effect import Effect, between
from tfperf_plugin.proof.plan import Side, shown
from tfperf_plugin.proof.trial import Idle, LaunchFailed
from tfperf_plugin.proof.verdict import Verdict, Word
from tfperf_plugin.readers.logdirs.trials import TUNING, VERDICT
from tfperf_plugin.recording.switches import parts
from tfperf_plugin.records import Record

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
