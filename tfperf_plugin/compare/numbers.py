"""Key numbers and settings of both runs, and what a step does more often than before.

Counts do not depend on the machine, so a check that runs on a shared one can rely on them where it cannot
rely on times.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from tfperf_plugin.compare.model import NumberChange, SettingChange
from tfperf_plugin.report.model import Report
from tfperf_plugin.report.tables import table_of

MORE_RATIO: Final = 0.05
"""Counts differ by less between launches of the same program."""
_COMPILES: Final = ("function-retracing", "xla-recompilation")
"""Rules that count how often the step is traced or compiled again."""
_KEY_NUMBERS: Final = (
    ("step time on the device", "device_time_ratio"),
    ("op time on the device", "ops_on_device_ratio"),
    ("compute in 16 bit", "compute_16bit_ratio"),
    ("compute in TF32", "compute_tf32_ratio"),
    ("GPU active", "gpu_busy_ratio"),
)
_UTILIZATION: Final = (
    ("model FLOPs utilization (MFU)", "mfu_ratio"),
    ("hardware FLOPs utilization (HFU)", "hfu_ratio"),
    ("compute whose need is known", "compute_judged_ratio"),
)
_ALLREDUCE: Final[tuple[tuple[str, Literal["ns", "bytes", "GB/s"], str], ...]] = (
    ("AllReduce, bytes per step", "bytes", "bytes_per_step"),
    ("AllReduce, transfer", "ns", "transfer_ns"),
    ("AllReduce, waiting", "ns", "wait_ns"),
    ("AllReduce, not hidden by compute", "ns", "exposed_ns"),
    ("AllReduce, bus bandwidth", "GB/s", "busbw_gbps"),
)


def number_changes(base: Report, new: Report) -> tuple[NumberChange, ...]:
    """The key numbers, AllReduce and memory that at least one run knows; what compute needs if both do."""
    both = base, new
    rows, needs = (
        [NumberChange(label, "ratio", *(getattr(r.key_numbers, name) for r in both)) for label, name in named]
        for named in (_KEY_NUMBERS, _UTILIZATION)
    )
    names = "compute, needed", "compute, could be won", "compute, not judged"
    times = zip(names, _split(base), _split(new), strict=True)
    needs += [NumberChange(name, "ns", before, after) for name, before, after in times]
    rows += [row for row in needs if row.base is not None and row.new is not None]
    rows += [
        NumberChange(label, unit, *(getattr(r.allreduce, name, None) for r in both))
        for label, unit, name in _ALLREDUCE
    ]
    peaks = (r.memory.devices[0].peak_bytes if r.memory else None for r in both)
    rows.append(NumberChange("memory of the fullest GPU at its peak", "bytes", *peaks))
    return tuple(row for row in rows if row.base is not None or row.new is not None)


def _split(report: Report) -> tuple[int | None, ...]:
    """Time of compute that is needed, that could be won and that is not judged."""
    parts = report.ledger.compute_parts if report.ledger else ()
    if not parts:
        return None, None, None
    return (
        sum(part.floor_ns for part in parts),
        sum(part.recoverable_ns for part in parts),
        sum(part.not_judged_ns for part in parts),
    )


def setting_changes(base: Report, new: Report) -> tuple[SettingChange, ...]:
    """The recorded settings that differ, from the first host of each run that recorded one."""
    if not base.training or not new.training:
        return ()
    before, after = (
        {fact.label: fact.value for record in reversed(run.training) for fact in record.facts}
        for run in (base, new)
    )
    absent = "not recorded"
    return tuple(
        SettingChange(label, before.get(label, absent), after.get(label, absent))
        for label in dict.fromkeys([*before, *after])
        if before.get(label) != after.get(label)
    )


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


def _host_ops(report: Report) -> float:
    return report.key_numbers.host_ops_per_step or 0


def _kernels(report: Report) -> float:
    """Of an average step and GPU; 0 if none was recorded."""
    table = table_of(report, "types")
    return sum(row["count_per_step"] for row in table.records()) if table else 0
