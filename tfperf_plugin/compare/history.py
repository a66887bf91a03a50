"""What the history knows of a workload, and what it keeps of a comparison."""

from __future__ import annotations

from contextlib import suppress

from tfperf_plugin.compare.comparable import device_names
from tfperf_plugin.compare.model import Comparison
from tfperf_plugin.errors import TfperfError
from tfperf_plugin.proof.history import Row, floor_of, now, workload
from tfperf_plugin.report.model import Report


def workload_of(report: Report) -> str:
    """What ``report``'s training trains and on what, as ``proof.history`` tells workloads apart."""
    return workload(
        layers=report.workload.layers.products if report.workload.layers else None,
        parameters=report.workload.parameters,
        dtype=report.workload.policy,
        batch=report.workload.batch_size,
        devices=device_names(report),
    )


def known_equal(report: Report) -> tuple[float, ...]:
    """What equal launches of ``report``'s workload differed by, in the user's history; none without one that
    can be read."""
    with suppress(TfperfError):
        return floor_of(workload_of(report))
    return ()


def row_of(result: Comparison, workload: str) -> Row:
    """A line of the history on launches that were compared: on those after the change."""
    times, found = result.times, result.launches
    return Row(
        time=now(),
        workload=workload,
        ms=times.new_ns / 1e6 if times else None,
        sd=found.sd if found else None,
        accounts={account.id: account.new_ns / 1e6 for account in result.accounts},
        findings=tuple(each.id for each in result.findings if each.new_severity),
        verdict=result.verdict,
        change=found.change if found else None,
    )
