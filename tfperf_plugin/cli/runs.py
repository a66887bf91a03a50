"""List the runs of a log directory, newest first, with what their reports say."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any, Final

from tfperf_plugin.cli.output import (
    Output,
    aligned,
    broken,
    columns_of,
    cut,
    one_line,
    progress_of,
    show,
    width_of,
)
from tfperf_plugin.cli.report import PLACE
from tfperf_plugin.errors import RunNotFound, TfperfError
from tfperf_plugin.readers.logdirs.places import runs_at
from tfperf_plugin.readers.logdirs.runs import Run, choose, listing, recorded

if TYPE_CHECKING:
    from tfperf_plugin.compare.board import Outline

MAX_REPORTS: Final = 200
"""Reports are read of at most this number of runs, the newest ones."""
_NO_REPORT: Final = "no report yet"
_HOW: Final = "--analyze makes the reports that are missing."
_LEFT_OUT: Final = (
    "Each step", "GPU active", "GPUs", "Evidence", "Exposed comm.", "Compute", "Recorded", "Recoverable"
)  # fmt: skip
"""Columns that a narrow terminal leaves out, in this order."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf runs`` takes."""
    parser.add_argument("logdir", metavar="LOGDIR", help=PLACE)
    parser.add_argument(
        "--format",
        choices=("text", "json", "names"),
        default="text",
        help="text for a terminal (default), json for programs, names alone for scripts",
    )
    parser.add_argument(
        "--analyze",
        action="store_true",
        help=f"first make the reports that the newest {MAX_REPORTS} runs lack",
    )


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf runs``. Without runs, the JSON lists none and the exit code is 2."""
    found: tuple[Run, ...] = ()
    note, exit_code = "", 0
    try:
        show(f"Looking for runs in {arguments.logdir}")
        found = runs_at(arguments.logdir)
        choose(found, None, arguments.logdir)
    except RunNotFound as error:
        note, exit_code = str(error), error.exit_code
    if arguments.format == "names":
        return Output("".join(f"{one_line(run.name)}\n" for run in found), exit_code, note)
    known, failed = _outlines(found, arguments.analyze)
    if arguments.format == "json":
        return Output(json.dumps({"runs": _json(found, known)}, indent=2) + "\n", exit_code, note)
    lacking = any(run.name not in known and run.name not in failed for run in found)
    width = width_of(sys.stdout) if sys.stdout.isatty() else None
    return Output(_table(found, known, failed, width), exit_code, note or (_HOW if lacking else ""))


def _outlines(found: tuple[Run, ...], analyze: bool) -> tuple[dict[str, Outline], dict[str, str]]:
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
        except Exception as error:
            if analyze:  # else "tfperf report" says why
                failed[run.name] = str(error) if isinstance(error, TfperfError) else broken(error)
    return known, failed


def _json(found: tuple[Run, ...], known: dict[str, Outline]) -> list[dict[str, Any]]:
    from tfperf_plugin.report.serialize import to_json

    return [
        {
            **entry,
            "recorded": recorded(run),
            "outline": to_json(known[run.name]) if run.name in known else None,
        }
        for run, entry in zip(found, listing(found)["runs"], strict=True)
    ]


def _table(
    found: tuple[Run, ...], known: dict[str, Outline], failed: dict[str, str], width: int | None
) -> str:
    """A line for each run, in the columns that fit into ``width``; ``None``: all of them."""
    if not found:
        return ""
    from tfperf_plugin.compare.board import HEADS, texts

    rows = [dict(zip(("Run", "Recorded", *HEADS), ("Run", "Recorded", *HEADS), strict=True))]
    for run in found:
        row = {"Run": one_line(run.name), "Recorded": recorded(run)[:16] or "–"}
        if outline := known.get(run.name):
            row |= zip(HEADS, map(one_line, texts(outline)), strict=True)
        else:
            row["–"] = one_line(failed.get(run.name, _NO_REPORT))
        rows.append(row)
    lines = aligned([[*row.values()] for row in rows])
    for head in _LEFT_OUT:
        # The reason for a missing report may be cut off: tfperf report prints it whole.
        table = (line for line, row in zip(lines, rows, strict=True) if "–" not in row)
        if width is None or all(columns_of(line) <= width for line in table):
            break
        for row in rows:
            row.pop(head, None)
        lines = aligned([[*row.values()] for row in rows])
    return "".join(f"{cut(line, width) if width else line}\n" for line in lines)
