"""Print one finding, check, account, op, step or host of a report, for an agent.

Ids stand in `tfperf report --format agent` and in what this command prints: `input-bound`, `idle.launch`,
`op:1f3a9c02`, `step:9`, `host:worker0`.
"""

from __future__ import annotations

import argparse

from tfperf_plugin.arrays.native import reuse_memory
from tfperf_plugin.cli.output import Output, show
from tfperf_plugin.cli.report import add_place, report_of, typed
from tfperf_plugin.execution.cache import ReportCache
from tfperf_plugin.readers.logdirs.places import together
from tfperf_plugin.report.render.show import to_show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf show`` takes."""
    parser.add_argument(
        "id",
        metavar="ID",
        help="what to show: the id of a rule or an account, op:…, step:NUMBER or host:NAME",
    )
    add_place(parser)
    parser.add_argument("--page", type=int, default=1, metavar="N", help="which 20 rows (default: the first)")


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf show``. Raises TfperfError."""
    reuse_memory()
    show(f"Looking for runs in {arguments.places[0]}")
    chosen = together(arguments.places, arguments.name)
    report = report_of(chosen, ReportCache())
    return Output(to_show(report, arguments.id, arguments.page, typed(chosen, arguments)))
