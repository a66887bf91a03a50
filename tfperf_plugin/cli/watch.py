"""Watch the machine while a process or a command runs, without a profile."""

from __future__ import annotations

import argparse
import os
import shutil

from tfperf_plugin.cli.output import Output
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.readers.logdirs.files import is_remote


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf watch`` takes."""
    parser.usage = "tfperf watch [--out LOGDIR] [--summaries] -- PID | COMMAND ..."
    parser.add_argument(
        "command", metavar="COMMAND", nargs="+", help="number of a process, or what starts one, after --"
    )
    parser.add_argument("--out", metavar="LOGDIR", default="logs", help="where the file is written (logs)")
    add_summaries(parser)


def add_summaries(parser: argparse.ArgumentParser) -> None:
    """Declares ``--summaries``."""
    parser.add_argument(
        "--summaries",
        action="store_true",
        help="also write the machine as scalars for TensorBoard's Time Series",
    )


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf watch``: becomes the command, if one is given. Raises BadOptionError if there is none such."""
    from tfperf_plugin.recording.notes import made
    from tfperf_plugin.recording.sampler.start import start
    from tfperf_plugin.recording.watched import execute

    command = arguments.command
    if not hasattr(os, "fork") or is_remote(arguments.out):
        raise BadOptionError("tfperf watch needs Linux or macOS, and a folder on a local disk.")
    if len(command) > 1 or not command[0].isdecimal():
        if not shutil.which(command[0]):
            raise BadOptionError(f"{command[0]} cannot be started: it is no program.")
        start(os.getpid(), made(arguments.out), arguments.summaries)
        execute(command, os.environ)
    try:
        os.kill(int(command[0]), 0)
    except PermissionError:  # it is another user's: it can be watched in part
        pass
    except (OSError, OverflowError) as error:
        raise BadOptionError(f"There is no process {command[0]:.40}.") from error
    start(int(command[0]), made(arguments.out), arguments.summaries)
    return Output(f"The machine is watched until process {command[0]} ends, in {arguments.out}.\n")
