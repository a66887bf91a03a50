"""List the runs of a log directory, newest first."""

from __future__ import annotations

import argparse
import json
import sys

from tfperf_plugin.cli.output import Output, fit, one_line, show
from tfperf_plugin.errors import RunNotFound
from tfperf_plugin.readers import logdir


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf runs`` takes."""
    parser.add_argument(
        "logdir",
        metavar="LOGDIR",
        help="a log directory, as given to TensorBoard, the folder of a run, or a profile (HOST.xplane.pb)",
    )
    parser.add_argument("--format", choices=("text", "json", "names"), default="text")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf runs``. Without runs, the JSON lists none and the exit code is 2."""
    found: tuple[logdir.Run, ...] = ()
    note, exit_code = "", 0
    try:
        show(f"Looking for runs in {arguments.logdir}")
        found = logdir.runs_at(arguments.logdir)
        logdir.choose(found, None, arguments.logdir)
    except RunNotFound as error:
        note, exit_code = str(error), error.exit_code
    if arguments.format == "json":
        return Output(json.dumps(logdir.listing(found), indent=2) + "\n", exit_code, note)
    if arguments.format == "names":
        return Output("".join(f"{one_line(run.name)}\n" for run in found), exit_code, note)
    lines = [
        f"{one_line(run.name)}  {one_line(', '.join(host.host for host in run.hosts))}\n" for run in found
    ]
    text = "".join(lines)
    # In a pipe, each run stays on its line.
    return Output(fit(text) if sys.stdout.isatty() else text, exit_code, note)
