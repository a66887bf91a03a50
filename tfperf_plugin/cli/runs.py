"""List the runs of a log directory, newest first, with what their reports say."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, Final

from tfperf_plugin.cli.output import Output, fit, one_line, progress_of, show
from tfperf_plugin.errors import RunNotFound, TfperfError
from tfperf_plugin.readers import logdir

if TYPE_CHECKING:
    from tfperf_plugin.compare.board import Outline

MAX_REPORTS: Final = 200
"""Of so many runs, the newest, reports are read."""
_NO_REPORT: Final = "no report yet: tfperf report, or tfperf runs --analyze, makes it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf runs`` takes."""
    parser.add_argument(
        "logdir",
        metavar="LOGDIR",
        help="a log directory, as given to TensorBoard, the folder of a run, or a profile (HOST.xplane.pb)",
    )
    parser.add_argument("--format", choices=("text", "json", "names"), default="text")
    parser.add_argument(
        "--analyze",
        action="store_true",
        help=f"first make the reports that the newest {MAX_REPORTS} runs lack",
    )


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
    known, failed = _outlines(found, arguments.analyze)
    if arguments.format == "json":
        return Output(json.dumps({"runs": _json(found, known)}, indent=2) + "\n", exit_code, note)
    text = _table(found, known, failed)
    # In a pipe, each run stays on its line.
    return Output(fit(text) if sys.stdout.isatty() else text, exit_code, note)


def _outlines(found: tuple[logdir.Run, ...], analyze: bool) -> tuple[dict[str, Outline], dict[str, str]]:
    """What reports say, and why others cannot be made, by the name of the run."""
    from tfperf_plugin.compare.board import outline
    from tfperf_plugin.execution.cache import ReportCache
    from tfperf_plugin.execution.pipeline import cached_report, make_report
    from tfperf_plugin.report.options import Options

    cache, known, failed = ReportCache(), {}, {}
    for run in found[:MAX_REPORTS]:
        show(f"Looking for the report of {run.name}")
        try:
            if analyze:
                known[run.name] = outline(make_report(run, Options(), progress_of(run.name), cache=cache))
            elif report := cached_report(run, Options(), cache):
                known[run.name] = outline(report)
        except TfperfError as error:
            if analyze:  # else "tfperf report" says why
                failed[run.name] = str(error)
    return known, failed


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


def _table(found: tuple[logdir.Run, ...], known: dict[str, Outline], failed: dict[str, str]) -> str:
    """A line for each run: its name and hosts, or what its report says."""
    if not known and not failed:
        return "".join(
            f"{one_line(run.name)}  {one_line(', '.join(host.host for host in run.hosts))}\n" for run in found
        )
    from tfperf_plugin.compare.board import HEADS, texts

    rows: list[tuple[str, ...]] = [("Run", *HEADS)]
    for run in found:
        why = failed.get(run.name, _NO_REPORT)
        rows.append((run.name, *(texts(known[run.name]) if run.name in known else (why,))))
    lines = [tuple(map(one_line, row)) for row in rows]
    # The last text of a line, however long, widens no column.
    widths = [max(len(line[i]) for line in lines if len(line) > i + 1) for i in range(len(HEADS))]
    return "".join(
        "  ".join(text.ljust(width) for text, width in zip(line, (*widths, 0), strict=False)).rstrip() + "\n"
        for line in lines
    )
