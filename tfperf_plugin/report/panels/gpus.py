"""The GPUs of a report: a list, a summary, and the order of their ledgers."""

from __future__ import annotations

from collections import Counter
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.report import model
from tfperf_plugin.report.tables import row_of

FEW: Final = 16
"""Up to this number, GPUs are shown in the order of hosts; more are sorted, the slowest first."""
IDLE_CAP: Final = 24
"""Limit for the listed names of idle GPUs, and of those that were not recorded."""


def gpus(devices: Devices) -> tuple[model.Device, ...]:
    """Every visible GPU."""
    return tuple(
        row_of(
            model.Device, d, compute_capability=".".join(str(x) for x in d.compute_capability or ()) or None
        )
        for d in devices.all
    )


def used_count(report: model.Report) -> int:
    """The number of GPUs that take part in the training."""
    return sum(device.participates for device in report.devices)


def summarize_gpus(devices: Devices) -> model.Gpus:
    """The number of GPUs by name, which GPUs ran no kernel, and of which none was recorded."""
    unrecorded = [_name(d) for d in devices.unrecorded]
    doubted = set(unrecorded)
    idle = [n for d in devices.all if not d.participates and (n := _name(d)) not in doubted]
    kinds = Counter(d.name for d in devices.all)
    return model.Gpus(
        total=len(devices.all),
        kinds=tuple(model.GpuKind(name, count) for name, count in kinds.items()),
        idle=tuple(idle[:IDLE_CAP]),
        idle_total=len(idle),
        unrecorded=tuple(unrecorded[:IDLE_CAP]),
        unrecorded_total=len(unrecorded),
    )


def _name(device: DeviceInfo) -> model.GpuName:
    return model.GpuName(device.host, device.device)


def slowest_first(rows: tuple[model.DeviceAccounts, ...]) -> tuple[model.DeviceAccounts, ...]:
    """Sorts more than ``FEW`` GPUs by their own time in a step, longest first."""
    return rows if len(rows) <= FEW else tuple(sorted(rows, key=_own_ns, reverse=True))


def _own_ns(row: model.DeviceAccounts) -> int:
    """The step without waiting for other GPUs."""
    return row.step_ns - sum(a.ns for a in row.accounts if a.id == "communication.wait")
