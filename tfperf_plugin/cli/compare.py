"""Compare two runs: is NEW better than BASE, by how much, and where.

Exit codes: 0 better or same; 1 worse, or as ``--fail-on`` says; 2 bad usage or unreadable input; 3 the runs
cannot be compared, with the reasons printed.
"""

from __future__ import annotations

import argparse
import json
from itertools import takewhile
from pathlib import Path

from msgspec import MsgspecError
from msgspec.structs import replace

from tfperf_plugin.arrays.native import reuse_memory
from tfperf_plugin.cli.output import Output, fit, progress_of, wants_color
from tfperf_plugin.cli.report import NAME, told_where
from tfperf_plugin.compare.build import compare
from tfperf_plugin.compare.counts import more
from tfperf_plugin.compare.model import Comparison
from tfperf_plugin.compare.noise import DRIFT_RATIO, parse_drift
from tfperf_plugin.compare.render import to_markdown, to_text
from tfperf_plugin.errors import TfperfError, UnreadableInput
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.execution.pipeline import make_report
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.readers.logdirs.runs import Run
from tfperf_plugin.report import serialize
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.options import Options

CANNOT_COMPARE = 3
FAIL_ON = {"worse": ("worse",), "same": ("worse", "same"), "more": (), "never": ()}
"""Value of ``--fail-on`` → verdicts with exit code 1."""
# Larger files are no reports; the largest report of a demo run has less than 1 MB.
_MAX_BYTES = 256 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf compare`` takes."""
    what = "a log directory, the folder of a run, a profile, or a report saved as JSON"
    parser.add_argument("base", metavar="BASE", help=f"the run before: {what}")
    parser.add_argument("new", metavar="NEW", help="the run after: likewise")
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
        help="exit with 1 if NEW is worse (default), also if it is no better (same), if its steps have more "
        "kernels or compile more often (more, for machines whose times say nothing), or never",
    )
    parser.add_argument(
        "--drift",
        metavar="SHARE",
        help="by what share of the step launches of one training differ, like 5%% or 0.05 (default: "
        f"{DRIFT_RATIO:.0%}%); no smaller difference is called better or worse",
    )
    parser.add_argument("--no-cache", action="store_true", help="compute anew, and keep nothing")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf compare``. Raises TfperfError."""
    reuse_memory()
    drift = parse_drift(arguments.drift)
    sources = _source(arguments.base, arguments.base_run), _source(arguments.new, arguments.new_run)
    if sources[0] == sources[1]:
        raise UnreadableInput(
            "BASE and NEW are the same run. Two runs of one log directory are told apart by --base-run and "
            "--new-run; 'tfperf runs LOGDIR' lists them."
        )
    cache = None if arguments.no_cache else ReportCache()
    base, new = (
        _report(source, cache, which) for source, which in zip(sources, ("base", "new"), strict=True)
    )
    result = compare(base, new, drift)
    if result.base.run == result.new.run and arguments.format != "json":
        names = _apart(*sources)
        result = replace(
            result, base=replace(result.base, run=names[0]), new=replace(result.new, run=names[1])
        )
    grown = more(base, new) if arguments.fail_on == "more" else ()
    code = 1 if grown else _exit_code(result, arguments.fail_on)
    return Output(_render(result, arguments.format), code, " ".join(grown))


def _source(place: str, name: str | None) -> Run | Path:
    """A run to analyze, or a file that holds a report."""
    path = Path(place)
    if path.is_file() and path.suffix == ".json":
        if name is not None:
            raise UnreadableInput(f"{place} is a report of one run; it holds no run {name!r:.100} to choose.")
        return path.resolve()
    return resolve(place, name)


def _apart(*sources: Run | Path) -> list[str]:
    """Names that tell runs apart whose folders have the same name: the ends of their paths that differ."""
    places = [each.hosts[0].path.parent if isinstance(each, Run) else each for each in sources]
    parts = [str(place).replace("/plugins/profile/", "/").split("/") for place in places]
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(*parts, strict=False))))
    return ["/".join(each[same:] or each[-1:]) for each in parts]


def _report(source: Run | Path, cache: ReportCache | None, which: str) -> Report:
    if isinstance(source, Run):
        with told_where(source):
            return make_report(source, Options(), progress_of(f"{which}: {source.name}"), cache=cache)
    try:
        if source.stat().st_size > _MAX_BYTES:
            raise UnreadableInput(f"{source} is too large for a report.")
        data = source.read_bytes()
        return serialize.from_json(data.decode(json.detect_encoding(data)))
    except TfperfError:
        raise
    except OSError as error:
        raise UnreadableInput(f"{source} cannot be read: {error.strerror or error}.") from error
    except (ValueError, MsgspecError, RecursionError) as error:
        raise UnreadableInput(
            f"{source} is no report of this version of tfperf. Save it anew: "
            "tfperf report LOGDIR --format json > FILE.json"
        ) from error


def _render(result: Comparison, form: str) -> str:
    if form == "json":
        return serialize.to_text(result)
    return (
        to_markdown(result) if form == "markdown" else fit(to_text(result, color=wants_color()), widest=0.6)
    )


def _exit_code(result: Comparison, fail_on: str) -> int:
    if result.verdict == "cannot_compare":
        return CANNOT_COMPARE
    return int(result.verdict in FAIL_ON[fail_on])
