"""What a step does more often than before. Counts do not depend on the machine, so a check that runs on a
shared one can rely on them where it cannot rely on times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.report.model import Report, Table
from tfperf_plugin.report.panels.tables import table_of

MORE_RATIO: Final = 0.05
"""Counts differ by less between launches of the same program."""
_COMPILES: Final = ("function-retracing", "xla-recompilation")
"""Rules that count how often the step is traced or compiled again."""


def more(base: Report, new: Report) -> tuple[str, ...]:
    """A sentence for each count that grew from ``base`` to ``new``; empty if none did."""
    return tuple(_more(base, new))


def _more(base: Report, new: Report) -> Iterator[str]:
    for what, before, after in (
        ("kernels", _kernels(base), _kernels(new)),
        ("ops on the host", _host_ops(base), _host_ops(new)),
    ):
        if before and after > before * (1 + MORE_RATIO):
            yield f"A step has {after:,.0f} {what}, not {before:,.0f}."
    known = {finding.id for finding in base.findings}
    for finding in new.findings:
        if finding.id in _COMPILES and finding.id not in known:
            yield f"{finding.title}: {finding.cause or finding.summary}"


def _kernels(report: Report) -> float:
    """Of an average step and GPU; 0 if none was recorded."""
    return _sum(table_of(report, "types"), "count_per_step")


def _host_ops(report: Report) -> float:
    """Of an average step and host; 0 if the report does not list all of them."""
    table = table_of(report, "host_ops")
    return _sum(table, "calls_per_step") if table and len(table.rows) == table.total else 0


def _sum(table: Table | None, column: str) -> float:
    return sum(row[column] for row in table.records()) if table else 0
