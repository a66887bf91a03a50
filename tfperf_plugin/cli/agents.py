"""How errors are told to agents: what is wrong, what is known instead, and a command that leads on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from tfperf_plugin.errors import (
    NotInReport,
    NotJudgeable,
    OutOfTime,
    RunNotFound,
    TfperfError,
    UnreadableInput,
)
from tfperf_plugin.judging.engine.words import RECORD
from tfperf_plugin.report.render.commands import PLACE, at
from tfperf_plugin.report.render.plain import quoted, short

_MOST_BYTES: Final = 600
_OPTION: Final = re.compile(r"--[a-z-]+")
_NEXT: Final[tuple[tuple[type[TfperfError], str], ...]] = (
    (RunNotFound, "tfperf runs {place}"),
    (UnreadableInput, "tfperf runs {place}"),
    (NotInReport, "tfperf report {run} --format agent"),
    (OutOfTime, "tfperf report {run} --format agent --time-limit 3600"),
    (NotJudgeable, RECORD),
)
"""Class of an error → the command that helps; others are helped by what the command takes."""


def is_for_agent(given: Sequence[str]) -> bool:
    """Whether this command line asks for a text for agents."""
    words = list(given)
    return words[:1] == ["show"] or (
        words[:1] == ["report"] and "--format agent" in " ".join(words).replace("--format=", "--format ")
    )


def error_text(error: TfperfError, given: Sequence[str]) -> str:
    """The lines "error run-not-found: …", "known: …" if names are known, and "next: …"."""
    return "".join(f"{line}\n" for line in _lines(error, given))


def _lines(error: TfperfError, given: Sequence[str]) -> Iterator[str]:
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__.removesuffix("Error")).lower()
    sentence = str(error)
    if error.known:
        sentence = f"{sentence.partition('; ')[0].rstrip('.')}."
    yield f"error {kind}: {short(sentence, _MOST_BYTES)}"
    if error.known:
        yield f"known: {', '.join(map(quoted, error.known))}"
    command = next((text for of, text in _NEXT if isinstance(error, of)), f"tfperf {given[0]} --help")
    place, run = _named(given)
    yield f"next: {command.format(place=at(None, [place]), run=at(run, [place]))}"


def _named(given: Sequence[str]) -> tuple[str, str | None]:
    """Log directory and run in a command line that may be incomplete."""
    split = [word for one in given for word in (one.split("=", 1) if one.startswith("--") else [one])]
    values = {b: a for a, b in pairwise(split) if _OPTION.fullmatch(a)}
    words = [word for word in split if word not in values and not word.startswith("-")]
    run = next((value for value, option in values.items() if option == "--run"), None)
    return next(iter(words[2 if split[0] == "show" else 1 :]), PLACE), run
