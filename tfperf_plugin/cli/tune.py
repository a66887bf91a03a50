"""Record a training, try the changes that its findings name, and prove what they bring together.

One profile says which switches to try. Each is tried alone by a quick trial; those that may help are tried
together by a whole one, whose verdict alone is claimed. Each trial has a folder, so the same command goes on
after an interruption.

Exit codes: as of ``tfperf try``; 0 also where nothing was found to gain.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tfperf_plugin.cli.output import Output, fit, show, tell
from tfperf_plugin.cli.report import report_of
from tfperf_plugin.cli.try_ import EXIT_CODES, NO_VERDICT, carried_out, hash_of
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.proof import files, plan, tuning
from tfperf_plugin.proof.child import run_child
from tfperf_plugin.proof.code import code_of
from tfperf_plugin.proof.effect import LEAST_LAUNCHES, QUICK_LAUNCHES
from tfperf_plugin.proof.plan import AFTER, QUICK_AFTER, QUICK_STEPS, STEPS
from tfperf_plugin.proof.trial import FIRST_HANGS_S, TRY, Interrupted, LaunchFailed
from tfperf_plugin.proof.tuning import TOGETHER
from tfperf_plugin.proof.verdict import Verdict, to_text
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.recording.launch import Request
from tfperf_plugin.recording.switches import parsed, parts
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.render.commands import switches_of

OUT: Final = "tfperf-tune"
PROFILE: Final = "profile"
"""The folder of the recording, in that of the tuning."""
MAY_HELP: Final = 0.97
"""A change whose quick trial is unproven is tried again if a step takes less than this share of its time."""
RECORDED_STEPS: Final = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf tune`` takes."""
    parser.usage = "tfperf tune [options] -- python train.py ..."
    parser.add_argument("command", metavar="COMMAND", nargs="+", help="after --: what starts the training")
    parser.add_argument(
        "--only",
        metavar="SWITCH,SWITCH",
        default="",
        help="try these, whatever the profile says; `tfperf switches` lists them",
    )
    parser.add_argument("--skip", metavar="SWITCH,SWITCH", default="", help="leave these out")
    parser.add_argument(
        "--batch", metavar="N", type=int, help="examples a step, for a training that does not tell its batch"
    )
    parser.add_argument("--out", metavar="FOLDER", help=f"where all is kept (default: a folder in {OUT})")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf tune``. Raises TfperfError."""
    command, only = tuple(arguments.command), _switches(arguments.only)
    skipped = {parts(text)[0].id for text in _switches(arguments.skip)}
    key = files.hash_of("\0".join((*command, *only)).encode())[:8]
    folder = Path(arguments.out) if arguments.out else Path(OUT, key)
    files.make(folder)
    with files.locked(folder):
        recorded = _recorded(command, folder / PROFILE)
        report = report_of(recorded, ReportCache())
        chosen = _chosen(report, only, skipped)
        first = report.findings[0].title if report.findings else "nothing to change"
        tell(f"The profile says: {first}. {_announced(chosen, folder)}")
        asked = _Asked(command, folder, recorded, report, arguments.batch)
        keep = functools.partial(tuning.keep, folder, command, first, chosen)
        looks: dict[str, tuning.Look] = {}
        keep(looks)
        for text, finding in chosen.items():
            looks[text] = asked.look(text, finding)
            keep(looks)
        together = [
            text for text, look in looks.items() if isinstance(look, Verdict) and _may_help(text, look)
        ]
        keep(looks, together, ended=not together)
        if not together:
            lines = [tuning.nothing(looks), *_said(looks), _read_on(folder)]
            return Output(fit("".join(f"{line}\n" for line in lines)))
        found, note = asked.prove(together, chosen)
        keep(looks, together, ended=True)
        text = to_text(found, folder / TOGETHER) + "".join(f"  {line}\n" for line in _said(looks))
        return Output(fit(text), EXIT_CODES.get(found.verdict, NO_VERDICT), note)


def _chosen(report: Report, only: Sequence[str], skipped: Collection[str]) -> dict[str, str]:
    """Switch → id of the finding that names it, or "", in the order of what findings save."""
    named = {
        parsed(text): finding.id
        for finding in report.findings
        if finding.severity != "info"
        for text in switches_of(finding)
    }
    return {text: named.get(text, "") for text in only or named if parts(text)[0].id not in skipped}


class _Asked:
    """Trials of one command."""

    def __init__(
        self, command: Sequence[str], folder: Path, run: Run, report: Report, batch: int | None
    ) -> None:
        self._base, self._here, self._folder, self._batch = tuple(command), Path.cwd(), folder, batch
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

    def look(self, switch: str, finding: str) -> tuning.Look:
        """A first look at one switch; what failed if the training does not run with it."""
        try:
            wanted = self._plan([switch], finding, quick=True)
            found, _ = carried_out(wanted, self._folder / switch, self._here, run_child)
        except LaunchFailed as error:
            if error.side == "A":  # without the switch: it fails in each trial
                raise
            return error
        return found

    def prove(self, switches: Sequence[str], findings: Mapping[str, str]) -> tuple[Verdict, str]:
        """The verdict on all of ``switches``; what is foretold is known of a single one."""
        finding = findings[switches[0]] if len(switches) == 1 else ""
        wanted = self._plan(switches, finding, quick=False)
        return carried_out(wanted, self._folder / TOGETHER, self._here, run_child)


def _switches(text: str) -> list[str]:
    return [parsed(each.strip()) for each in text.split(",") if each.strip()]


def _recorded(command: Sequence[str], place: Path) -> Run:
    """The recording of the training, which is made if it is not there."""
    if not any(place.rglob("*.*")):
        show("recording")
        request = Request(str(place.resolve()), after=QUICK_AFTER, steps=RECORDED_STEPS, end=True)
        log = place.with_suffix(".log")
        try:
            done = run_child(command, request, {TRY: "1"}, show, log=log, limit_s=FIRST_HANGS_S)
        except KeyboardInterrupt as error:
            raise Interrupted("Interrupted: nothing was recorded; the same command begins anew.") from error
        if not any(place.rglob("*.*")):
            raise LaunchFailed(f"{done.seen} Its output is in {log}.")
    return resolve(str(place))


def _announced(chosen: Mapping[str, str], folder: Path) -> str:
    if not chosen:
        return ""
    most = 2 * (QUICK_LAUNCHES * len(chosen) + LEAST_LAUNCHES)
    return (
        f"This tries {', '.join(chosen)}; the command runs {most} times at most. Everything is kept in "
        f"{folder}, and the same command goes on after an interruption."
    )


def _may_help(text: str, look: tuning.Look) -> bool:
    """Whether a change is worth a whole trial."""
    if isinstance(look, LaunchFailed) or look.effect is None or parts(text)[0].shows:
        return False
    return look.verdict == "better" or (look.verdict == "unproven" and look.effect.ratio < MAY_HELP)


def _said(looks: Mapping[str, tuning.Look]) -> Iterator[str]:
    """A line for each switch that was tried alone."""
    return (tuning.said(text, look) for text, look in looks.items())


def _read_on(folder: Path) -> str:
    return f"tfperf report {folder / PROFILE} says what else the profile shows."
