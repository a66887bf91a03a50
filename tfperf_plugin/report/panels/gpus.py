"""The GPUs of a report: a list, a summary, and their memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.memory.memory import DeviceMemory, Memory
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.words import count, gigabytes, gpu, multiple, percent
from tfperf_plugin.report import model
from tfperf_plugin.report.tables import Described, column, row_of, table

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


# -------------------------------------------------------------------------------------------- memory

# Memory is listed for this many GPUs, the fullest, with this many points in all timelines together.
MEMORY_CAP: Final = 16
POINTS_CAP: Final = 3200
ALIVE_CAP: Final = 50
# Growth beyond this is not stated exactly: a proportion does not hold that far.
FAR: Final = 10
_NOT_MATCHED: Final = " What is alive cannot be told: addresses were not recorded."


def memory(found: Memory, steps: Steps) -> model.Memory | None:
    """Memory of the GPUs; ``None`` if no allocator was recorded."""
    if not found.devices:
        return None
    fullest = found.fullest
    points = POINTS_CAP // min(MEMORY_CAP, len(found.devices))
    order = sorted(found.devices, key=lambda d: (d is not fullest, -d.used_ratio, d.host, d.device))
    growth = fullest.growth if steps.complete_count and fullest.transient_bytes else None
    rows = [_gpu_memory(d, points) for d in order[:MEMORY_CAP]]
    made = model.Memory(tuple(rows), len(order), growth)
    first, *others = (replace(row, said=f"{gpu(row.device)} {_uses(row)}{_made_of(row)}") for row in rows)
    first = replace(first, said=peak(made) + _made_of(rows[0]) + _room(growth))
    return replace(made, devices=(first, *others))


def peak(found: model.Memory) -> str:
    """The peak memory of the fullest GPU, without a full stop."""
    fullest = found.devices[0]
    several = len({device.host for device in found.devices}) > 1
    most = f", the most of {count(found.devices_total, 'GPU')}" if found.devices_total > 1 else ""
    name = f"{gpu(fullest.device)} of {fullest.host}" if several else gpu(fullest.device)
    return f"{name} {_uses(fullest)}{most}"


def _gpu_memory(device: DeviceMemory, most_points: int) -> model.GpuMemory:
    at, used = device.timeline(most_points)
    row = row_of(
        model.GpuMemory,
        device,
        alive=device.alive[:ALIVE_CAP],
        alive_total=len(device.alive),
        points=model.MemoryPoints(tuple((at / 1e6).tolist()), tuple(used.tolist())),
    )
    return replace(row, note=_note(row))


def _uses(row: model.GpuMemory) -> str:
    share = percent(row.peak_bytes / row.capacity_bytes)
    return f"uses {gigabytes(row.peak_bytes)} of {gigabytes(row.capacity_bytes)} ({share}) at the peak"


def _made_of(row: model.GpuMemory) -> str:
    """What was there before the recording, and what holds most of the rest."""
    during = gigabytes(row.recorded_peak_bytes)
    earlier = row.peak_bytes > row.recorded_peak_bytes
    said = f". That was before the recording; during it, the GPU uses at most {during}." if earlier else "."
    if row.before_bytes:
        lasting = f"{gigabytes(row.before_bytes)} were allocated before the recording"
        said = f"{said} {lasting}, as weights and optimizer state are."
    if not row.alive:
        return said
    most, size = row.alive[0].op or "an op that is not named", gigabytes(row.alive[0].size_bytes)
    return f"{said} Of what was allocated during the recording, {most} holds the most: {size}."


def _room(growth: float | None) -> str:
    if growth is None or growth <= 1:
        return ""
    times = f"more than {FAR}×" if growth > FAR else multiple(growth)
    return f" By proportion a batch {times} as large fits, with a tenth left free; convergence may change."


def _note(row: model.GpuMemory) -> str:
    """How broken up the free memory is, and whether blocks were matched."""
    if row.fragmentation_ratio is None or row.free_block_bytes is None:
        holes = "How broken up the free memory is was not recorded."
    else:
        free = gigabytes(row.capacity_bytes - row.recorded_peak_bytes)
        holes = (
            f"Of the {free} free at the recorded peak, {gigabytes(row.free_block_bytes)} are in one piece "
            f"(fragmentation {percent(row.fragmentation_ratio)})."
        )
    return holes + (_NOT_MATCHED if row.matched == "none" else "")


_MEANINGS: Final = {
    "lasting_bytes": "What is in use all the time that was recorded.",
    "free_block_bytes": "A larger tensor finds no place, even if more is free in pieces.",
}
_GPUS: Final[tuple[Described[model.GpuMemory], ...]] = (
    column("gpu", "GPU", "name", lambda one: gpu(one.device, one.host)),
    column("peak_bytes", "Peak", "bytes", lambda one: one.peak_bytes),
    column("capacity_bytes", "Capacity", "bytes", lambda one: one.capacity_bytes),
    column("peak_ratio", "Share", "ratio", lambda one: one.peak_bytes / one.capacity_bytes),
    column("lasting_bytes", "Least in use", "bytes", lambda one: one.lasting_bytes),
    column(
        "free_block_bytes",
        "Largest free block at the peak",
        "bytes",
        lambda one: one.free_block_bytes,
        none="not recorded",
    ),
)


def memory_blocks(found: model.Memory) -> Iterator[model.SectionBlock]:
    """What the fullest GPU's memory holds, and the peak of each GPU."""
    yield model.Sentence(found.devices[0].said, "GPU memory")
    yield table("memory", "Each GPU", found.devices, _GPUS, 0, found.devices_total, meanings=_MEANINGS)
