"""Compare runs, one or more launches a side: is NEW better than BASE, by how much, where.

Exit codes: 0 better, same or unproven; 1 worse or suspicious, or as ``--fail-on`` says; 2 bad usage or
unreadable input; 3 the runs cannot be compared, with the reasons printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from msgspec import MsgspecError
from msgspec.structs import replace

from tfperf_plugin.arrays.native import reuse_memory
from tfperf_plugin.cli.output import Output, fit, wants_color
from tfperf_plugin.cli.report import NAME, report_of
from tfperf_plugin.compare.build import compare_launches
from tfperf_plugin.compare.launches import Launch, row_of, workload_of
from tfperf_plugin.compare.numbers import more
from tfperf_plugin.compare.render import to_markdown, to_text
from tfperf_plugin.compare.steps import parse_drift
from tfperf_plugin.errors import BadOptionError, UnreadableInput
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.proof.history import append, floor_of
from tfperf_plugin.readers.logdirs.files import reason
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.readers.logdirs.runs import Run, recorded, stamp_in
from tfperf_plugin.report import serialize
from tfperf_plugin.report.model import Report

CANNOT_COMPARE = 3
FAIL_ON = {
    "worse": ("worse", "suspicious"),
    "same": ("worse", "suspicious", "same", "unproven"),
    "more": (),
    "never": (),
}
"""Value of ``--fail-on`` → verdicts with exit code 1."""
# Larger files are no reports; the largest report of a demo run has less than 1 MB.
_MAX_BYTES = 256 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf compare`` takes."""
    what = "a log directory, the folder of a run, a profile, or a report saved as JSON"
    parser.add_argument("base", metavar="BASE", nargs="?", help=f"the run before: {what}")
    parser.add_argument("new", metavar="NEW", nargs="?", help="the run after: likewise")
    parser.add_argument(
        "--base",
        dest="bases",
        metavar="BASE",
        nargs="+",
        default=(),
        help="in place of BASE and NEW: the launches before, each as BASE",
    )
    parser.add_argument(
        "--new",
        dest="news",
        metavar="NEW",
        nargs="+",
        default=(),
        help="the launches after; six a side that took turns by chance give a proof",
    )
    parser.add_argument("--base-run", metavar="RUN", help=f"which run of BASE: {NAME} (default: the newest)")
    parser.add_argument("--new-run", metavar="RUN", help="which run of NEW: likewise")
    parser.add_argument(
        "--format",
        choices=("text", "json", "markdown"),
        default="text",
        help="text for a terminal (default), json for programs, markdown for a pull request",
    )
    parser.add_argument(
        "--fail-on",
        choices=tuple(FAIL_ON),
        default="worse",
        help="exit with 1 if NEW is worse or suspicious (default), also if it is not proven better (same), "
        "if its steps have more kernels or compile more often (more, for machines whose times say nothing), "
        "or never",
    )
    parser.add_argument(
        "--drift",
        "--assume-drift",
        metavar="SHARE",
        help="at your own risk: by what share of the step launches of one training differ, like 3%% or 0.03; "
        "without it, one launch a side proves nothing",
    )
    parser.add_argument(
        "--history",
        metavar="FILE",
        help="add a line on several launches to this history, which also says what equal launches differ by "
        "(default: only read the user's)",
    )
    parser.add_argument("--no-cache", action="store_true", help="compute anew, and keep nothing")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf compare``. Raises TfperfError."""
    reuse_memory()
    drift = parse_drift(arguments.drift)
    bases, news = _places(arguments)
    before = [_source(place, arguments.base_run) for place in bases]
    after = [_source(place, arguments.new_run) for place in news]
    _refuse_twice(before, after)
    cache = None if arguments.no_cache else ReportCache()
    base = [_launch(source, cache, "base") for source in before]
    new = [_launch(source, cache, "new") for source in after]
    if arguments.format != "json":
        named = _apart([*before, *after], [*base, *new])
        base, new = named[: len(base)], named[len(base) :]
    history = Path(arguments.history) if arguments.history else None
    several, workload = len(base) + len(new) > 2, workload_of(base[0].report)
    result = compare_launches(base, new, drift, floor_of(workload, history) if several else ())
    if several and history:
        append(row_of(result, workload), history)
    grown = more(base[0].report, new[0].report) if arguments.fail_on == "more" else ()
    code = int(bool(grown) or result.verdict in FAIL_ON[arguments.fail_on])
    if result.verdict == "cannot_compare" and not grown:
        code = CANNOT_COMPARE
    if arguments.format == "json":
        text = serialize.to_text(result)
    elif arguments.format == "markdown":
        text = to_markdown(result)
    else:
        text = fit(to_text(result, color=wants_color()), widest=0.6)
    return Output(text, code, " ".join(grown))


def _places(arguments: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The places before and after, in either form of the command."""
    positional = [place for place in (arguments.base, arguments.new) if place is not None]
    several = [*arguments.bases], [*arguments.news]
    if positional and any(several):
        raise BadOptionError("Name the runs as BASE and NEW, or with --base and --new, but not both.")
    if any(several):
        if not all(several):
            raise BadOptionError("Name launches of both sides: --base BASE … --new NEW ….")
        return several
    if len(positional) < 2:
        raise BadOptionError("Name two runs: tfperf compare BASE NEW, or --base BASE … --new NEW ….")
    return positional[:1], positional[1:]


def _refuse_twice(before: Sequence[Run | Path], after: Sequence[Run | Path]) -> None:
    """Raises UnreadableInput if a run is named twice."""
    if len(before) == len(after) == 1 and before == after:
        raise UnreadableInput(
            "BASE and NEW are the same run. Two runs of one log directory are told apart by --base-run and "
            "--new-run; 'tfperf runs LOGDIR' lists them."
        )
    every = [*before, *after]
    for number, source in enumerate(every):
        if source in every[:number]:
            name = source.name if isinstance(source, Run) else source
            raise UnreadableInput(f"{name} is named twice. Each launch counts once; name folders of runs.")


def _source(place: str, name: str | None) -> Run | Path:
    """A run to analyze, or a file that holds a report."""
    path = Path(place)
    if path.is_file() and path.suffix == ".json":
        if name is not None:
            raise UnreadableInput(f"{place} is a report of one run; it holds no run {name!r:.100} to choose.")
        return path.resolve()
    return resolve(place, name)


def _apart(sources: Sequence[Run | Path], launches: Sequence[Launch]) -> list[Launch]:
    """The launches, with the ends of their paths that differ as names where folders have the same name."""
    names = [launch.report.run for launch in launches]
    if len(set(names)) == len(names):
        return list(launches)
    places = [each.hosts[0].path.parent if isinstance(each, Run) else each for each in sources]
    parts = [str(place).replace("/plugins/profile/", "/").split("/") for place in places]
    same = len(list(takewhile(lambda level: len(set(level)) == 1, zip(*parts, strict=False))))
    return [
        replace(launch, report=replace(launch.report, run="/".join(each[same:] or each[-1:])))
        for launch, each in zip(launches, parts, strict=True)
    ]


def _launch(source: Run | Path, cache: ReportCache | None, which: str) -> Launch:
    if isinstance(source, Run):
        return Launch(report_of(source, cache, f"{which}: {source.name}"), recorded(source))
    report = _saved(source)
    stamp = stamp_in(report.run.rpartition("/")[2])
    return Launch(report, stamp.isoformat(" ") if stamp else "")


def _saved(file: Path) -> Report:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise UnreadableInput(f"{file} is too large for a report.")
        data = file.read_bytes()
        return serialize.from_json(data.decode(json.detect_encoding(data)))
    except OSError as error:
        raise UnreadableInput(f"{file} cannot be read: {reason(error)}.") from error
    except (ValueError, MsgspecError, RecursionError) as error:
        raise UnreadableInput(
            f"{file} is no report of this version of tfperf. Save it anew: "
            "tfperf report LOGDIR --format json > FILE.json"
        ) from error
