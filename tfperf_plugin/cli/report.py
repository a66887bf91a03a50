"""Print what costs time in a run, most valuable first.

``--fail-on`` includes findings about the capture itself: a profile that recorded nothing must not pass a
check. Nor must one in which nothing can be judged: the exit code is 3 then.
"""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import get_args

from tfperf_plugin.arrays.native import reuse_memory
from tfperf_plugin.cli.output import Output, fit, progress_of, show, wants_color
from tfperf_plugin.errors import NotJudgeable, UnreadableInput
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.execution.limits import (
    LEAST_BYTES,
    MEMORY_RATIO,
    TIME_LIMIT,
    TIME_LIMIT_S,
    parse_time_limit,
)
from tfperf_plugin.execution.pipeline import Build, analyze_here, make_analysis, make_report
from tfperf_plugin.judging.verdicts import Severity
from tfperf_plugin.readers.logdirs.places import EXPECTED, hosts_beside, runs_at, together
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import (
    BANDWIDTH_FORMS,
    PARAMETERS_FORMS,
    THRESHOLD_EXAMPLE,
    BadOptionError,
    Options,
    parse_options,
)
from tfperf_plugin.report.render.agent import to_agent
from tfperf_plugin.report.render.commands import At, at
from tfperf_plugin.report.render.export import FORMATS, written
from tfperf_plugin.report.render.plain import escape
from tfperf_plugin.report.render.text import to_text
from tfperf_plugin.report.whatif import parse_without, prediction, prediction_lines

FORMS = (
    "text for a terminal (default), markdown for a pull request, json for programs, html for one file to "
    "send, agent for an agent that changes code"
)
PLACE = f"a log directory, as given to TensorBoard, the folder of a run, or a profile ({EXPECTED})"
NAME = "its name, or a part of it that no other run has"
UNJUDGED = NotJudgeable.exit_code
SEVERITIES: tuple[str, ...] = get_args(Severity)
"""Worst first."""


def add_place(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments that name a run."""
    parser.add_argument("places", metavar="LOGDIR", nargs="+", help=f"{PLACE}; several profiles are one job")
    parser.add_argument("--run", metavar="RUN", dest="name", help=f"which run: {NAME} (default: the newest)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf report`` takes."""
    add_place(parser)
    parser.add_argument("--format", choices=("text", *FORMATS), default="text", help=FORMS)
    parser.add_argument(
        "--parameters",
        metavar="N",
        help=f"how many parameters the model has: {PARAMETERS_FORMS} (default: told from the profile)",
    )
    parser.add_argument(
        "--bandwidth",
        metavar="GB/s",
        help=f"what the links of one GPU carry: {BANDWIDTH_FORMS} (default: told from the name of the GPU)",
    )
    parser.add_argument(
        "--steps-per-epoch",
        metavar="N",
        help="training steps of an epoch, where the training wrote scalars of epochs only",
    )
    parser.add_argument(
        "--try",
        action="append",
        default=[],
        dest="tried",
        metavar="RULE:THRESHOLD=VALUE",
        help=f"judge with another threshold, like {THRESHOLD_EXAMPLE.replace('%', '%%')} (may be repeated)",
    )
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        help="exit with 1 if there is a finding of this severity or a worse one; with 3 if nothing can be "
        "judged",
    )
    parser.add_argument(
        "--without",
        metavar="RULE[,RULE]",
        help="also print what a step would take without these findings, by id or title (with --format text "
        "or markdown)",
    )
    parser.add_argument("--no-cache", action="store_true", help="compute anew, and keep nothing")
    _add_resources(parser)


def _add_resources(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs",
        type=_jobs,
        metavar="N",
        help="number of hosts to read at once (default: one a processor, if memory and the run's size allow)",
    )
    parser.add_argument(
        "--memory",
        type=_memory,
        metavar="SIZE",
        help=f"use at most so much memory, like 8GB (default: {100 * MEMORY_RATIO:.0f} %% of what is free)",
    )
    parser.add_argument(
        "--time-limit",
        type=_seconds,
        metavar="SECONDS",
        help="stop after so much processor time a host "
        f"(default: ${TIME_LIMIT}, which also counts for the tab, else {TIME_LIMIT_S})",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="read the hosts on the workers of a Dask cluster, like tcp://host:8786; they must see LOGDIR",
    )


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 1024, not {text!r:.40}")
    return int(text)


def _seconds(text: str) -> int:
    try:
        return parse_time_limit(text, "it")
    except BadOptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _memory(text: str) -> int:
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)\s*([KMGT]?)(i?)B?", text.strip(), re.IGNORECASE)
    scale = "KMGT".index(match[2].upper()) + 1 if match and match[2] else 0
    size = int(float(match[1]) * (1024 if match[3] else 1000) ** scale) if match else 0
    if size < LEAST_BYTES:
        least = f"must be a size of at least {LEAST_BYTES >> 20} MiB, like 8GB"
        raise argparse.ArgumentTypeError(f"{least}, not {text!r:.40}")
    return size


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf report``. Raises TfperfError."""
    reuse_memory()
    options = parse_options(
        arguments.parameters, arguments.bandwidth, arguments.tried, arguments.steps_per_epoch
    )
    show(f"Looking for runs in {arguments.places[0]}")
    chosen = together(arguments.places, arguments.name)
    progress = progress_of(chosen.name)
    cache = None if arguments.no_cache else ReportCache()
    without = parse_without(arguments.without)
    if without and arguments.format not in ("text", "markdown"):
        raise BadOptionError(f"--without needs --format text or markdown, not {arguments.format}.")
    build: Build = partial(
        analyze_here,
        jobs=arguments.jobs,
        memory=arguments.memory,
        time_limit_s=arguments.time_limit,
        with_arrays=arguments.format == "html",
    )
    if arguments.scheduler:
        from tfperf_plugin.execution.dask import analyze_on_cluster

        build = partial(analyze_on_cluster, address=arguments.scheduler)
    arrays = None
    with told_where(chosen):
        if arguments.format == "html":
            analysis = make_analysis(chosen, options, progress, build=build, cache=cache)
            report, arrays = analysis.report, analysis.arrays
        else:
            report = make_report(chosen, options, progress, build=build, cache=cache)
    if arguments.format == "text":
        text = fit(to_text(report, color=wants_color()))
    elif arguments.format == "agent":
        text = to_agent(report, typed(chosen, arguments))
    else:
        text = written(report, arguments.format, arrays)
    if without:
        from tfperf_plugin.cli.rules import rule_id

        titles = {finding.title: finding.id for finding in report.findings}
        lines = prediction_lines(report, prediction(report, [rule_id(name, titles) for name in without]))
        if arguments.format == "markdown":
            text += "\n## What if\n\n" + "\n\n".join(map(escape, lines)) + "\n"
        else:
            text += fit("\nWhat if\n" + "".join(f"  {line}\n" for line in lines))
    exit_code = _exit_code(report, arguments.fail_on)
    unjudged = "Nothing in this profile can be judged, so --fail-on fails. " if exit_code == UNJUDGED else ""
    left_out = _left_out(chosen, arguments.places) or _other_runs(arguments.places, arguments.name)
    return Output(text, exit_code, unjudged + left_out)


@contextlib.contextmanager
def told_where(run: Run) -> Iterator[None]:
    """Names the file, or the folder of several, in an error about what it holds."""
    try:
        yield
    except UnreadableInput as error:
        file = run.hosts[0].path
        raise UnreadableInput(f"{file if len(run.hosts) == 1 else file.parent}: {error}") from error


def report_of(run: Run, cache: ReportCache | None, name: str = "") -> Report:
    """The report of a run, with usual options. ``name``: what the line of progress calls it."""
    with told_where(run):
        return make_report(run, Options(), progress_of(name or run.name), cache=cache)


def _left_out(run: Run, places: Sequence[str]) -> str:
    """Says how many hosts of the run are left out because just the file of one was named."""
    file = run.hosts[0].path
    others = hosts_beside(run) if len(places) == 1 and places[0].endswith(file.name) else 0
    if not others:
        return ""
    return f"Only {file.name} is read; give {file.parent} to read all {others + 1} hosts of the run."


def _other_runs(places: Sequence[str], name: str | None) -> str:
    """Says that a report is of the newest of several runs, where nobody chose."""
    count = len(runs_at(places[0])) if len(places) == 1 and name is None else 1
    lists = f"tfperf runs {places[0]} lists them, --run NAME reports another."
    return f"Of {count:,} runs this is the newest; {lists}" if count > 1 else ""


def typed(run: Run, arguments: argparse.Namespace) -> At:
    """What names the run on a command line; several places are one only if nobody chose among their runs."""
    return at(run.name if len(arguments.places) == 1 else arguments.name, arguments.places)


def _exit_code(report: Report, fail_on: str | None) -> int:
    if fail_on is None:
        return 0
    worst = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    if any(finding.severity in worst for finding in (*report.trust, *report.findings)):
        return 1
    return 0 if report.ledger or report.findings else UNJUDGED
