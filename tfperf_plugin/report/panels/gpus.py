"""The GPUs of a report: each one, all in short, and in which order their ledgers come."""

from __future__ import annotations

from collections import Counter
from typing import Final

from tfperf_plugin.analysis.artifacts.devices import Devices
from tfperf_plugin.report import model
from tfperf_plugin.report.rows import row_of

FEW: Final = 16
"""So many GPUs are shown in the order of hosts; of more those first that hold up the others."""
IDLE_CAP: Final = 24
"""More names than these nobody reads."""


def gpus(devices: Devices) -> tuple[model.Device, ...]:
    """Every visible GPU."""
    return tuple(
        row_of(
            model.Device, d, compute_capability=".".join(str(x) for x in d.compute_capability or ()) or None
        )
        for d in devices.all
    )


def in_short(devices: Devices) -> model.Gpus:
    """How many GPUs there are, of which kinds, and which of them ran nothing."""
    idle = [model.GpuName(d.host, d.device) for d in devices.all if not d.participates]
    kinds = Counter(d.name for d in devices.all)
    return model.Gpus(
        total=len(devices.all),
        kinds=tuple(model.GpuKind(name, count) for name, count in kinds.items()),
        idle=tuple(idle[:IDLE_CAP]),
        idle_total=len(idle),
        idle_cap=IDLE_CAP,
    )


def slowest_first(rows: tuple[model.DeviceAccounts, ...]) -> tuple[model.DeviceAccounts, ...]:
    """Of many GPUs those first that do most themselves in a step; a few as they are."""
    return rows if len(rows) <= FEW else tuple(sorted(rows, key=_own_ns, reverse=True))


def _own_ns(row: model.DeviceAccounts) -> int:
    """The step without waiting for others."""
    return row.step_ns - sum(a.ns for a in row.accounts if a.id == "communication.wait")
