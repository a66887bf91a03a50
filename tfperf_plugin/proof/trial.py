"""Runs what is missing of a plan, launch by launch; what was measured stays, however this ends."""

from __future__ import annotations

import contextlib
import math
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

from tfperf_plugin.errors import TfperfError
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.proof import files
from tfperf_plugin.proof.child import Outcome
from tfperf_plugin.proof.code import candidates, checked_out, contents, named, of_training
from tfperf_plugin.proof.effect import ROUND, launches_needed, spread
from tfperf_plugin.proof.guards import stops
from tfperf_plugin.proof.measured import EFFECT, Clock, Measured, gpus, launch_file, launches, levels, machine
from tfperf_plugin.proof.plan import Plan, Side
from tfperf_plugin.recording.launch import Request
from tfperf_plugin.recording.switches import parts

TRY: Final = "TFPERF_TRY"
"""The variable that is set to 1 for each launch of a trial."""
BASE: Final = "base"
"""The folder in a trial's folder where another revision is checked out."""
# A launch hangs if it takes longer than this factor times the longest one before, and than this time.
HANGS: Final = 10
HANGS_S: Final = 120
_TAIL_BYTES: Final = 4096
_MOST_SHOWN: Final = 200
FIRST_HANGS_S: Final = 3 * 3600
"""The first launch has none to be held against."""


Child = Callable[..., Outcome]
"""Runs one launch, as ``child.run_child`` does."""


class LaunchFailed(TfperfError):
    """A launch measured nothing, so that there is no verdict.

    ``side``: "A" or "B"; "" if it belongs to no trial.
    """

    exit_code = 3

    def __init__(self, text: str, side: str = "") -> None:
        super().__init__(text)
        self.side = side


class Idle(LaunchFailed):
    """A launch was as without its switch, which found nothing to change."""


class Interrupted(TfperfError):
    """The user ended a trial before its last launch."""

    exit_code = 130


def run(
    plan: Plan,
    folder: Path,
    here: Path,
    child: Child,
    say: Callable[[str], None],
    show: Callable[[str], None],
    usual_s: float = FIRST_HANGS_S / HANGS,
) -> list[Measured]:
    """Runs the launches of ``plan`` that are missing and returns all of them.

    Ends early if a fact shows that the sides cannot be compared. ``here``: where the user's command runs;
    ``say`` takes lines that stay, ``show`` lines that the next one replaces; ``usual_s``: about how long the
    first launch takes.

    Raises LaunchFailed, Interrupted, BadOptionError, UnreadableInput.
    """
    done = {each.number: each for each in launches(plan, folder)}
    try:
        with contextlib.ExitStack() as stack:
            places: dict[str, Path] = {}
            for number, name in enumerate(plan.order, 1):
                if number in done or stops(plan, list(done.values())):
                    continue
                side = plan.a if name == "A" else plan.b
                if name not in places:
                    made = checked_out(here, side.commit, folder / BASE) if side.commit else None
                    places[name] = stack.enter_context(made) if made else here
                before = list(done.values())
                measured = _launch(plan, folder, number, side, places[name], child, show, before, usual_s)
                files.write_new(launch_file(folder, number), files.encode(measured))
                done[number] = measured
                say(progress(plan, [done[key] for key in sorted(done)], measured))
    except KeyboardInterrupt as error:
        raise Interrupted(
            f"Interrupted: {len(done)} of {len(plan.order)} launches are kept in {folder}; the same command "
            "goes on."
        ) from error
    return [done[number] for number in sorted(done)]


def _launch(
    plan: Plan,
    folder: Path,
    number: int,
    side: Side,
    place: Path,
    child: Child,
    show: Callable[[str], None],
    before: Sequence[Measured],
    usual_s: float,
) -> Measured:
    which = f"launch {number} of {len(plan.order)}"
    show(which)
    idle, letter = "", plan.order[number - 1]
    lay, clock = contents(candidates(place, side.command), place), Clock()
    longest_s = max((each.seconds for each in before), default=usual_s)
    log = folder / f"launch-{number:03}.log"
    out = Path(tempfile.mkdtemp(dir=folder, prefix=".launch-"))
    try:
        outcome = child(
            side.command,
            Request(
                str(out.resolve()),
                after=plan.after,
                steps=plan.steps,
                profile=False,
                end=True,
                switches=side.switches,
            ),
            {**side.environment, TRY: "1"},
            lambda line: show(f"{which} · {line}"),
            folder=place,
            log=log,
            limit_s=max(HANGS_S, HANGS * longest_s),
        )
    finally:
        shutil.rmtree(out, ignore_errors=True)
    if problem := _problem(outcome) or (idle := _idle(outcome, side)):
        kept = f"{len(before)} measured launches are kept" if before else "nothing was measured"
        raise (Idle if idle else LaunchFailed)(
            f"{which.capitalize()} (side {letter}) {problem}{'' if idle else last_line(log)} Its output is "
            f"in {log}; {kept}, and the same command tries it again.",
            letter,
        )
    assert outcome.launch
    imported = contents(of_training(outcome.launch.sources, place, side.command), place)
    given = contents(named(place, side.command), place)
    return Measured(
        number=number,
        side="A" if letter == "A" else "B",
        exit_code=outcome.exit_code,
        ended=outcome.ended,
        seconds=clock.seconds(),
        others=clock.others(),
        # A file that is named and changes, such as a log, is what the training writes.
        sources={name: now for name, now in given.items() if lay.get(name) == now} | imported,
        changed=next((name for name, now in imported.items() if lay.get(name, now) != now), ""),
        machine=machine(),
        gpus=gpus(),
        launch=outcome.launch,
    )


def _problem(outcome: Outcome) -> str:
    """Why a launch counts for nothing, as the rest of a sentence; "" if it counts."""
    if outcome.launch is None or not outcome.launch.windows:
        return f"measured nothing: {outcome.seen or 'it made too few steps.'}"
    if any(window.ns <= 0 or window.steps <= 0 for window in outcome.launch.windows):
        return "has steps that take no time, so nothing can be compared."
    return ""


def _idle(outcome: Outcome, side: Side) -> str:
    """Which switch changed nothing, as the rest of a sentence; "" if all took effect."""
    switched = outcome.launch.switched if outcome.launch else {}
    idle = next((switch for switch, _ in map(parts, side.switches) if switch.id not in switched), None)
    return f"ran unchanged: {idle.id} needs {idle.finds}." if idle else ""


def last_line(log: Path) -> str:
    """What the command wrote last, such as an error, as a sentence of its own."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f" It ends with {last[-_MOST_SHOWN:]!r}." if last else ""


def progress(plan: Plan, done: Sequence[Measured], last: Measured) -> str:
    """One line on the launch that ended, the time that is left, and what noise allows."""
    count = len(plan.order)
    left_s = (count - len(done)) * sum(each.seconds for each in done) / len(done)
    words = [
        f"launch {last.number} of {count}",
        f"{ms(math.exp(levels(plan, [last])[0]))} a step",
        *([] if last.others is None else [f"other load {last.others:.1f}"]),
        *([f"{duration(left_s)} left"] if len(done) < count else []),
    ]
    if len(done) % ROUND == 0 and len(done) < count:
        sides = [levels(plan, [each for each in done if each.side == side]) for side in "AB"]
        sd, seen = spread(sides), fmean(sides[1]) - fmean(sides[0])
        # What a difference takes that is smaller than the one seen so far matters to nobody.
        large = not plan.aa and abs(seen) > EFFECT
        which = f"the {percent(abs(math.expm1(seen)))} seen so far" if large else f"{100 * EFFECT:.0f} %"
        needed = launches_needed(sd, seen if large else EFFECT)
        words.append(f"launches differ by {percent(sd)}: {which} needs {needed} a side")
    return " · ".join(words)


def duration(seconds: float) -> str:
    """A time to wait in words: "40 s", "3 min", "2.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
