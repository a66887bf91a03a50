"""Save what one host and its GPUs did in a range as a trace that Perfetto opens."""

from __future__ import annotations

import argparse
from pathlib import Path

from tfperf_plugin.cli.output import Output, progress_of, show
from tfperf_plugin.cli.report import NAME, PLACE, told_where
from tfperf_plugin.errors import BadOptionError
from tfperf_plugin.execution.pool import slice_here
from tfperf_plugin.execution.slices import make_slice, only_host
from tfperf_plugin.readers.logdirs.files import reason
from tfperf_plugin.readers.logdirs.places import resolve
from tfperf_plugin.report.slice.choose import parse_cut


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf slice`` takes."""
    parser.add_argument("logdir", metavar="LOGDIR", help=PLACE)
    parser.add_argument("--run", metavar="RUN", dest="name", help=f"which run: {NAME} (default: the newest)")
    parser.add_argument("--host", metavar="HOST", help="which host of the run (default: the only one)")
    parser.add_argument("--begin-ms", metavar="MS", required=True, help="where it begins, as reports say it")
    parser.add_argument("--end-ms", metavar="MS", required=True, help="where it ends")
    parser.add_argument("--out", metavar="FILE", required=True, help="a new file, like slice.json.gz")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf slice``. Raises TfperfError."""
    cut = parse_cut(vars(arguments))
    show(f"Looking for runs in {arguments.logdir}")
    chosen = only_host(resolve(arguments.logdir, arguments.name), cut.host)
    with told_where(chosen):
        found = make_slice(chosen, cut, progress_of(chosen.name), slice_here)
    try:
        with Path(arguments.out).open("xb") as file:  # a profile of that name would be lost
            file.write(found.content)
    except OSError as error:
        raise BadOptionError(
            f"{arguments.out} cannot be written: {reason(error)}. Name a new file."
        ) from error
    return Output(f"{arguments.out} is written. Open it at ui.perfetto.dev.\n", note=found.note)
