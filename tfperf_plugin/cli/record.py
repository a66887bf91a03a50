"""Run a training and record some of its steps, without a change to it."""

from __future__ import annotations

import argparse
import shlex
import sys

from tfperf_plugin.cli.output import Output, one_line
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.recording.launch import Request

NO_STEP = 3
"""The exit code where nothing was recorded, though the command succeeded."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf record`` takes."""
    parser.usage = "tfperf record [options] -- python train.py ..."
    parser.add_argument("command", metavar="COMMAND", nargs="+", help="what starts the training, after --")
    parser.add_argument(
        "--after",
        metavar="N",
        type=int,
        default=30,
        help="steps that pass before (30): they compile and fill caches",
    )
    parser.add_argument("--steps", metavar="N", type=int, default=20, help="steps that are recorded (20)")
    parser.add_argument(
        "--after-seconds",
        metavar="S",
        type=float,
        help="record five seconds after S seconds, for loops whose steps tfperf does not see",
    )
    parser.add_argument("--out", metavar="LOGDIR", default="logs", help="where the profile is written (logs)")
    parser.add_argument("--end", action="store_true", help="end the training once its steps are recorded")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf record``. The exit code is the command's, or 3 if nothing was recorded."""
    from tfperf_plugin.proof.child import run_child

    if min(arguments.after, arguments.steps) < 1 or (arguments.after_seconds or 0) < 0:
        raise BadOptionError("--after and --steps take a number from 1 on, --after-seconds one from 0 on.")
    request = Request(
        folder=arguments.out,
        after=arguments.after,
        steps=arguments.steps,
        after_s=arguments.after_seconds,
        end=arguments.end,
    )
    then = "which ends it" if arguments.end else "and the training goes on"
    outcome = run_child(arguments.command, request, {}, lambda text: _say(f"{text}, {then}"))
    if outcome.profile is None:
        return Output("", outcome.exit_code or NO_STEP, outcome.seen)
    report = shlex.join(["tfperf", "report", arguments.out])
    note = f"{outcome.said} are recorded in {outcome.profile}; next: {report}"
    # A training that hung at its exit was ended by tfperf, after all was written.
    return Output("", 0 if outcome.ended else outcome.exit_code, note)


def _say(text: str) -> None:
    print(f"tfperf: {one_line(text)}", file=sys.stderr, flush=True)
