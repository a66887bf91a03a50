"""Record a training, try the changes that its findings name, and prove what they bring together.

One profile says which switches to try; where there is room, those that often help follow. Each is tried alone
by a quick trial; those that may help are tried together by a whole one, whose verdict alone is claimed. Each
trial has a folder, so the same command goes on after an interruption.

Exit codes: as of ``tfperf try``; 0 also where nothing was found to gain.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import math
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tfperf_plugin.cli.output import Output, fit, show, tell
from tfperf_plugin.cli.report import report_of
from tfperf_plugin.cli.try_ import EXIT_CODES, NO_VERDICT, add_training, carried_out, hash_of
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.proof import files, plan, tuning
from tfperf_plugin.proof.child import run_child
from tfperf_plugin.proof.code import code_of
from tfperf_plugin.proof.effect import LEAST_LAUNCHES, QUICK_LAUNCHES
from tfperf_plugin.proof.plan import AFTER, QUICK_AFTER, QUICK_STEPS, STEPS
from tfperf_plugin.proof.trial import FIRST_HANGS_S, HANGS, TRY, Interrupted, LaunchFailed, last_line
from tfperf_plugin.proof.tuning import TOGETHER
from tfperf_plugin.proof.verdict import Verdict, to_text
from tfperf_plugin.readers.logdirs.finding import find_runs
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.recording.launch import Request
from tfperf_plugin.recording.switches import parsed, parts
from tfperf_plugin.report.model import Report

OUT: Final = "tfperf-tune"
PROFILE: Final = "profile"
"""The folder of the recording, in that of the tuning."""
RECORDED_STEPS: Final = 20
_UNITS_S: Final = {"s": 1, "min": 60, "h": 3600}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf tune`` takes."""
    parser.usage = "tfperf tune [options] -- python train.py ..."
    parser.add_argument(
        "--only",
        metavar="SWITCH,SWITCH",
        default="",
        help="try these, whatever the profile says; `tfperf switches` lists them",
    )
    parser.add_argument("--skip", metavar="SWITCH,SWITCH", default="", help="leave these out")
    parser.add_argument(
        "--allow",
        metavar="numerics|training",
        action="append",
        choices=("numerics", "training"),
        default=[],
        help="try as well what computes in another number format, or trains in another way",
    )
    parser.add_argument(
        "--budget",
        metavar="TIME",
        type=_seconds,
        help=f"try what a time such as 20min suffices for (default: {tuning.LOOKS} switches)",
    )
    add_training(parser)
    parser.add_argument("--out", metavar="FOLDER", help=f"where all is kept (default: a folder in {OUT})")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf tune``. Raises TfperfError."""
    command, only = tuple(arguments.command), _switches(arguments.only)
    skipped = {parts(text)[0].id for text in _switches(arguments.skip)}
    key = files.hash_of("\0".join((*command, *only)).encode())[:8]
    folder = Path(arguments.out) if arguments.out else Path(OUT, key)
    files.make(folder)
    with files.locked(folder):
        recorded, usual_s = _recorded(command, folder / PROFILE)
        report = report_of(recorded, ReportCache())
        chosen = tuning.chosen(report, only, skipped, arguments.allow)
        if not only and not arguments.budget:
            chosen = dict(itertools.islice(chosen.items(), tuning.LOOKS))
        first = report.findings[0].title if report.findings else "nothing to change"
        tell(f"The profile says: {first}. {_announced(chosen, folder)}")
        asked = _Asked(command, folder, recorded, report, arguments.batch, usual_s)
        keep = functools.partial(tuning.keep, folder, command, first, chosen)
        looks = asked.looks(chosen, arguments.budget or math.inf, keep)
        together = [text for text, look in looks.items() if tuning.may_help(text, look)]
        keep(looks, together, ended=not together)
        if not together:
            lines = [tuning.nothing(looks), *_said(looks), _read_on(folder)]
            return Output(fit("".join(f"{line}\n" for line in lines)))
        try:
            found, note = asked.prove(together, chosen)
        except LaunchFailed as error:
            lines = [f"{', '.join(together)} failed: {error}", *_said(looks), _read_on(folder)]
            return Output(fit("".join(f"{line}\n" for line in lines)), NO_VERDICT)
        keep(looks, together, ended=True)
        text = to_text(found, folder / TOGETHER) + "".join(f"  {line}\n" for line in _said(looks))
        return Output(fit(text), EXIT_CODES.get(found.verdict, NO_VERDICT), note)


class _Asked:
    """Trials of one command."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        run: Run,
        report: Report,
        batch: int | None,
        usual_s: float,
    ) -> None:
        self._base, self._here, self._folder, self._batch = tuple(command), Path.cwd(), folder, batch
        self._usual_s = usual_s
        self._report, self._of = report, hash_of(run)

    def _plan(self, switches: Sequence[str], finding: str, quick: bool) -> plan.Plan:
        return plan.make(
            plan.Side(self._base, {}),
            plan.Side(self._base, {}, switches=tuple(switches)),
            code_of(self._here, self._base),
            finding=finding,
            of=self._of if finding else "",
            prediction=plan.predict(self._report, finding) if finding else None,
            repeat=None if quick else LEAST_LAUNCHES,
            after=QUICK_AFTER if quick else AFTER,
            steps=QUICK_STEPS if quick else STEPS,
            batch=self._batch,
        )

    def looks(
        self, chosen: Mapping[str, str], budget_s: float, keep: Callable[[Mapping[str, tuning.Look]], None]
    ) -> dict[str, tuning.Look]:
        """First looks, as far as the time suffices for one more and for the proof; ``keep`` keeps them."""
        found: dict[str, tuning.Look] = {}
        keep(found)
        began_s = time.monotonic()
        for text, finding in chosen.items():
            spent_s = time.monotonic() - began_s
            left = len(found) + 1 + LEAST_LAUNCHES / QUICK_LAUNCHES
            if found and spent_s / len(found) * left > budget_s:
                tell(f"The time does not suffice to try {text} and what follows.")
                break
            found[text] = self.look(text, finding)
            keep(found)
        return found

    def look(self, switch: str, finding: str) -> tuning.Look:
        """A first look at one switch; what failed if the training does not run with it."""
        try:
            wanted = self._plan([switch], finding, quick=True)
            found, _ = carried_out(wanted, self._folder / switch, self._here, run_child, self._usual_s)
        except LaunchFailed as error:
            if error.side == "A":  # without the switch: it fails in each trial
                raise
            return error
        return found

    def prove(self, switches: Sequence[str], findings: Mapping[str, str]) -> tuple[Verdict, str]:
        """The verdict on all of ``switches``; what is foretold is known of a single one."""
        finding = findings[switches[0]] if len(switches) == 1 else ""
        wanted = self._plan(switches, finding, quick=False)
        return carried_out(wanted, self._folder / TOGETHER, self._here, run_child, self._usual_s)


def _seconds(text: str) -> float:
    """A time such as "20min" in seconds. Raises ArgumentTypeError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|min|h)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"a time such as 20min, 90s or 1.5h, not {text!r:.100}")
    return float(found[1]) * _UNITS_S[found[2]]


def _switches(text: str) -> list[str]:
    return [parsed(each.strip()) for each in text.split(",") if each.strip()]


def _recorded(command: Sequence[str], place: Path) -> tuple[Run, float]:
    """The recording of the training, which is made if it is not there, and about how long a launch takes."""
    if place.is_dir():
        return resolve(str(place)), FIRST_HANGS_S / HANGS
    show("recording")
    made, log, began_s = place.with_name(".recording"), place.with_suffix(".log"), time.monotonic()
    shutil.rmtree(made, ignore_errors=True)
    request = Request(str(made.resolve()), after=QUICK_AFTER, steps=RECORDED_STEPS, end=True)
    try:
        done = run_child(command, request, {TRY: "1"}, show, log=log, limit_s=FIRST_HANGS_S)
        seen = done.seen or ("" if find_runs(str(made)) else "No whole profile was written.")
        if seen:
            short = " steps" in seen and not done.exit_code
            needs = f" tfperf tune needs {AFTER + STEPS} steps." if short else ""
            raise LaunchFailed(f"{seen}{last_line(log)} Its output is in {log}.{needs}")
        made.rename(place)
    except KeyboardInterrupt as error:
        raise Interrupted("Interrupted: nothing was recorded; the same command begins anew.") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return resolve(str(place)), time.monotonic() - began_s


def _announced(chosen: Mapping[str, str], folder: Path) -> str:
    if not chosen:
        return ""
    most = 2 * (QUICK_LAUNCHES * len(chosen) + LEAST_LAUNCHES)
    return (
        f"This tries {', '.join(chosen)}; the command runs {most} times at most. Everything is kept in "
        f"{folder}, and the same command goes on after an interruption."
    )


def _said(looks: Mapping[str, tuning.Look]) -> Iterator[str]:
    """A line for each switch that was tried alone."""
    return (tuning.said(text, look) for text, look in looks.items())


def _read_on(folder: Path) -> str:
    return f"tfperf report {folder / PROFILE} says what else the profile shows."
