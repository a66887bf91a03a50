"""List the runs of a log directory, newest first, with what their cached reports say."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from typing import TYPE_CHECKING, Any, Final

from tfperf_plugin.cli.output import Output, fit, one_line, show
from tfperf_plugin.errors import RunNotFound, UnreadableInput
from tfperf_plugin.readers import logdir

if TYPE_CHECKING:
    from tfperf_plugin.compare.board import Outline

MAX_REPORTS: Final = 200
"""Of so many runs, the newest, cached reports are read."""


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
    if arguments.format == "names":
        return Output("".join(f"{one_line(run.name)}\n" for run in found), exit_code, note)
    known = _outlines(found)
    if arguments.format == "json":
        return Output(json.dumps({"runs": _json(found, known)}, indent=2) + "\n", exit_code, note)
    text = _table(found, known)
    # In a pipe, each run stays on its line.
    return Output(fit(text) if sys.stdout.isatty() else text, exit_code, note)


def _outlines(found: tuple[logdir.Run, ...]) -> dict[str, Outline]:
    """What cached reports say, by the name of the run. Nothing is analyzed."""
    from tfperf_plugin.compare.board import outline
    from tfperf_plugin.execution.cache import ReportCache
    from tfperf_plugin.execution.pipeline import cached_report
    from tfperf_plugin.report.options import Options

    cache, known = ReportCache(), {}
    for run in found[:MAX_REPORTS]:
        with contextlib.suppress(UnreadableInput):  # "tfperf report" says why
            show(f"Looking for the report of {run.name}")
            if report := cached_report(run, Options(), cache):
                known[run.name] = outline(report)
    return known


def _json(found: tuple[logdir.Run, ...], known: dict[str, Outline]) -> list[dict[str, Any]]:
    from tfperf_plugin.report.serialize import to_json

    return [
        {
            **entry,
            "recorded": logdir.recorded(run),
            "outline": to_json(known[run.name]) if run.name in known else None,
        }
        for run, entry in zip(found, logdir.listing(found)["runs"], strict=True)
    ]


def _table(found: tuple[logdir.Run, ...], known: dict[str, Outline]) -> str:
    """A line for each run: its name and hosts, or what its report says."""
    if not known:
        return "".join(
            f"{one_line(run.name)}  {one_line(', '.join(host.host for host in run.hosts))}\n" for run in found
        )
    from tfperf_plugin.compare.board import HEADS, texts

    none = ("no report yet: tfperf report makes it",)
    rows: list[tuple[str, ...]] = [("Run", *HEADS)]
    rows += [(run.name, *(texts(known[run.name]) if run.name in known else none)) for run in found]
    lines = [tuple(map(one_line, row)) for row in rows]
    # The last text of a line, however long, widens no column.
    widths = [max(len(line[i]) for line in lines if len(line) > i + 1) for i in range(len(HEADS))]
    return "".join(
        "  ".join(text.ljust(width) for text, width in zip(line, (*widths, 0), strict=False)).rstrip() + "\n"
        for line in lines
    )
