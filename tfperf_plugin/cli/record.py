"""Run a training and record some of its steps, without a change to it."""

from __future__ import annotations

import argparse
from typing import NoReturn

from tfperf_plugin.cli.output import tell
from tfperf_plugin.cli.watch import add_summaries
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.recording.launch import Request


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
    add_summaries(parser)
    parser.add_argument("--end", action="store_true", help="end the training once its steps are recorded")


def run(arguments: argparse.Namespace) -> NoReturn:
    """``tfperf record``: becomes the training. Raises BadOptionError if that cannot be started."""
    from tfperf_plugin.recording.notes import made
    from tfperf_plugin.recording.watched import become

    if min(arguments.after, arguments.steps) < 1 or (arguments.after_seconds or 0) < 0:
        raise BadOptionError("--after and --steps take a number from 1 on, --after-seconds one from 0 on.")
    request = Request(
        folder=made(arguments.out),
        after=arguments.after,
        steps=arguments.steps,
        after_s=arguments.after_seconds,
        end=arguments.end,
        summaries=arguments.summaries,
    )
    become(arguments.command, request, arguments.out, lambda text: tell(f"tfperf: {text}"))
