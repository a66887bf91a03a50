"""What a step does more often than before. Counts do not depend on the machine, so a check that runs on a
shared one can rely on them where it cannot rely on times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfperf_plugin.report.model import Report

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
    return sum(row.count_per_step for row in report.ops.types) if report.ops else 0


def _host_ops(report: Report) -> float:
    """Of an average step and host; 0 if the report does not list all of them."""
    table = report.host_ops
    return sum(row.calls_per_step for row in table.rows) if table and table.total <= table.cap else 0
