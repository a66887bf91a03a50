"""Prove that a change makes training faster, by launches with and without it in random order.

Exit codes: 0 better or same; 1 worse; 2 bad usage, or a folder that cannot be written; 3 no verdict on the
times: unproven, suspicious, not comparable, or a launch that measured nothing; 130 interrupted.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shlex
from pathlib import Path
from typing import Final

from tfperf_plugin.cli.output import Output, fit, show, tell
from tfperf_plugin.cli.report import report_of
from tfperf_plugin.cli.rules import rule_id
from tfperf_plugin.errors import BadOptionError, TfperfError, UnreadableInput
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.proof import files, patch, plan, trial, verdict
from tfperf_plugin.proof.child import run_child
from tfperf_plugin.proof.code import code_of, commit_of, work_tree
from tfperf_plugin.proof.effect import LEAST_LAUNCHES, RARE
from tfperf_plugin.proof.history import Row, append
from tfperf_plugin.proof.measured import launches
from tfperf_plugin.proof.plan import AFTER, QUICK_AFTER, QUICK_STEPS, STEPS
from tfperf_plugin.readers.logdirs.files import reason
from tfperf_plugin.readers.logdirs.finding import VERDICT
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.recording.switches import parsed

OUT: Final = "tfperf-try"
NO_VERDICT: Final = 3
EXIT_CODES: Final = {"better": 0, "same": 0, "worse": 1}
_VARIABLE: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_PART_BYTES: Final = 1 << 20


def add_training(parser: argparse.ArgumentParser) -> None:
    """Declares what starts a training, and the batch that it may not tell."""
    parser.add_argument("command", metavar="COMMAND", nargs="+", help="after --: what starts the training")
    parser.add_argument(
        "--batch", metavar="N", type=int, help="examples a step, for a training that does not tell its batch"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf try`` takes."""
    parser.add_argument(
        "--env",
        metavar="K=V",
        action="append",
        default=[],
        help="the change sets K to V, or with K= unsets it",
    )
    parser.add_argument(
        "--args", metavar="TEXT", default="", help='the change adds arguments, like --args="--jit 1"'
    )
    parser.add_argument(
        "--base", metavar="REV", help="the change is what differs from this revision of git, like HEAD"
    )
    parser.add_argument(
        "--switch",
        metavar="NAME[=VALUE]",
        action="append",
        default=[],
        help="the change is one that tfperf makes in the training; `tfperf switches` lists them",
    )
    parser.add_argument("--aa", action="store_true", help="no change: learn how far launches differ")
    parser.add_argument("--finding", metavar="RULE_ID", default="", help="the finding that led to the change")
    parser.add_argument("--of", metavar="LOGDIR/RUN", help="the run with the finding, which foretells a gain")
    parser.add_argument(
        "--repeat",
        metavar="N",
        type=int,
        help=f"launches on each side, an even number (default: {LEAST_LAUNCHES})",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a first look in six short launches, not in twelve: shows large differences only",
    )
    for name, text, usual, quick in (
        ("--after", "steps that pass before", AFTER, QUICK_AFTER),
        ("--steps", "steps that are measured", STEPS, QUICK_STEPS),
    ):
        defaults = f"default: {usual}; with --quick: {quick}"
        parser.add_argument(name, metavar="N", type=int, help=f"{text} ({defaults})")
    add_training(parser)
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help=f"where plan, launches and verdict are kept (default: a folder in {OUT})",
    )


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf try``. Raises TfperfError."""
    here = Path.cwd()
    wanted = _plan(arguments, here)
    folder = Path(arguments.out) if arguments.out else Path(OUT, wanted.key[:8])
    found, note = carried_out(wanted, folder, here, run_child)
    code = 0 if wanted.aa and found.effect else EXIT_CODES.get(found.verdict, NO_VERDICT)
    return Output(fit(verdict.to_text(found, folder)), code, note)


def carried_out(
    wanted: plan.Plan,
    folder: Path,
    here: Path,
    child: trial.Child,
    usual_s: float = trial.FIRST_HANGS_S / trial.HANGS,
) -> tuple[verdict.Verdict, str]:
    """The verdict of a plan, whose launches run as far as ``folder`` lacks them, and a note or "".

    Raises TfperfError.
    """
    files.make(folder)
    with files.locked(folder):
        settled = plan.settle(wanted, folder)
        done = launches(settled, folder)
        if not verdict.complete(settled, done):
            there = f"{len(done)} of {len(settled.order)} launches are there already, in {folder}."
            tell(there if done else plan.describe(settled, folder))
            done = trial.run(settled, folder, here, child, tell, show, usual_s)
        is_new = not (folder / VERDICT).exists()
        found = verdict.conclude(settled, folder, done)
        if is_new and found.verdict == "better":
            patch.write(folder, here, next(each for each in done if each.side == "B"))
        return found, _remember(verdict.history_row(settled, done, found)) if is_new else ""


def _remember(row: Row | None) -> str:
    """Adds to the user's history; says if that failed, since the verdict stands without it."""
    try:
        if row:
            append(row)
    except TfperfError as error:
        return f"The history does not hold this trial: {error}"
    return ""


def _plan(arguments: argparse.Namespace, here: Path) -> plan.Plan:
    command = tuple(arguments.command)
    environment = dict(_variable(text) for text in arguments.env)
    changes = bool(arguments.env or arguments.args or arguments.base or arguments.switch)
    if changes == arguments.aa:
        raise BadOptionError(
            "--aa tries no change, so it goes without --env, --args, --base and --switch."
            if arguments.aa
            else "Nothing differs between the sides: name a change by --switch, --env, --args or --base, or "
            "give --aa."
        )
    if arguments.of and not arguments.finding:
        raise BadOptionError("--of needs --finding: which of the run's findings led to the change.")
    for name in ("--after", "--steps", "--batch", "--repeat"):
        value = getattr(arguments, name[2:])
        if value is not None and value < 1:
            raise BadOptionError(f"{name} must be a number from 1 on, not {value}.")
    finding = rule_id(arguments.finding, {}) if arguments.finding else ""
    if arguments.quick and (why := _not_quick(arguments, finding)):
        raise BadOptionError(f"{why} Leave out --quick.")
    of = _run(arguments.of) if arguments.of else None
    return plan.make(
        plan.Side(command, {}, commit=_base(arguments.base, here, command) if arguments.base else ""),
        plan.Side(
            (*command, *_words(arguments.args)), environment, switches=tuple(map(parsed, arguments.switch))
        ),
        code_of(here, command),
        finding=finding,
        of=hash_of(of) if of else "",
        prediction=plan.predict(report_of(of, ReportCache()), finding) if of else None,
        repeat=None if arguments.quick else arguments.repeat or LEAST_LAUNCHES,
        after=arguments.after or (QUICK_AFTER if arguments.quick else AFTER),
        steps=arguments.steps or (QUICK_STEPS if arguments.quick else STEPS),
        batch=arguments.batch,
    )


def _not_quick(arguments: argparse.Namespace, finding: str) -> str:
    """Why a quick trial makes no sense; "" if it does."""
    if arguments.repeat is not None:
        return "--repeat says how many launches a proof takes."
    if arguments.aa:
        return "--aa learns how far launches differ, which takes more than six."
    return f"{finding} is about rare steps, of which short launches hold too few." if finding in RARE else ""


def _variable(text: str) -> tuple[str, str]:
    name, is_there, value = text.partition("=")
    if not is_there or not _VARIABLE.fullmatch(name):
        raise BadOptionError(f"--env must be like TF_GPU_THREAD_MODE=gpu_private, not {text!r:.100}.")
    return name, value


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadOptionError(f"--args {text!r:.100} cannot be split into arguments: {error}.") from error


def _base(revision: str, here: Path, command: tuple[str, ...]) -> str:
    top = work_tree(here)
    inside = next(
        (each for each in command if top and Path(each).is_absolute() and top in Path(each).parents), None
    )
    if inside:
        raise BadOptionError(
            f"With --base, write {inside} relative to this folder, or both sides would run this file."
        )
    return commit_of(here, revision)


def _run(place: str) -> Run:
    """The run at a path, or LOGDIR/RUN with a name as ``tfperf runs`` lists it."""
    above, names = Path(place), list[str]()
    while not above.exists() and above != above.parent:
        names.insert(0, above.name)
        above = above.parent
    return resolve(str(above), "/".join(names)) if names and above.name else resolve(place)


def hash_of(run: Run) -> str:
    """The hash of a run's profiles, whole."""
    whole = hashlib.sha256()
    for host in run.hosts:
        try:
            with host.path.open("rb") as file:
                while part := file.read(_PART_BYTES):
                    whole.update(part)
        except OSError as error:
            raise UnreadableInput(f"{host.path} cannot be read: {reason(error)}.") from error
    return whole.hexdigest()[:16]
