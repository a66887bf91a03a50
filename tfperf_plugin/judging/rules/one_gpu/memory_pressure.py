"""A GPU is close to running out of memory."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.memory.memory import DeviceMemory, Memory
from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.judging.engine.rank import SEVERITY_RATIO
from tfperf_plugin.judging.engine.rule import (
    Found,
    Missing,
    NotApplicable,
    Passed,
    Threshold,
    Verdict,
    declared,
)
from tfperf_plugin.judging.engine.words import gigabytes, gpu, percent
from tfperf_plugin.judging.verdicts import Severity

FULL = Threshold("share of memory in use", 0.95, "ratio", "what is in use can grow by a twentieth at most")
NO_ROOM = Threshold(
    "share of memory in use for a warning", 0.98, "ratio", "what is in use can grow by a fiftieth at most"
)
BROKEN_UP = Threshold(
    "share of memory in use from which broken up memory counts",
    0.8,
    "ratio",
    "below, memory that was never claimed may serve",
)


def judge(memory: Memory, compute: HostCompute) -> Verdict:
    """Checks how full the fullest GPU is, and whether its free memory at the peak is in one piece."""
    if compute.on_cpu:
        return NotApplicable("The model ran on the CPU.")
    if not memory.devices:
        return Missing(
            "No allocator events of a GPU were recorded.",
            "Record with host_tracer_level=2, the default, and while training runs.",
        )
    fullest = memory.fullest
    full = fullest.used_ratio >= FULL.value
    if not full and not _broken_up(fullest):
        return Passed(f"The fullest GPU uses {percent(fullest.used_ratio)} of its memory at the peak.")
    limit = FULL if full else BROKEN_UP
    severity: Severity = "warning" if fullest.used_ratio >= NO_ROOM.value else "info"
    return Found(
        title=None if full else "Fragmented GPU memory",
        summary=f"{_peak_sentence(fullest, full)}{_holder_sentence(fullest)}",
        evidence=(
            Evidence(
                "peak in use", fullest.peak_bytes, "bytes", None, "allocator events, since the program began"
            ),
            Evidence("capacity of the allocator", fullest.capacity_bytes, "bytes", None, "allocator events"),
            Evidence("share in use at the peak", fullest.used_ratio, "ratio", limit.value, limit.source),
            *(
                Evidence(label, size, "bytes", None, source)
                for label, size, source in (
                    ("largest free block at the peak", fullest.free_block_bytes, "recorded fragmentation"),
                    ("largest allocation", fullest.largest_bytes, fullest.largest_op),
                )
                if size is not None
            ),
        ),
        where=(Place(fullest.host, fullest.peak_ms, fullest.peak_ms, "memory peak", fullest.device),),
        severity=severity,
        # A finding without a cost in time ranks like the smallest saving of its severity.
        impact_ratio=dict(SEVERITY_RATIO)[severity],
    )


def _broken_up(device: DeviceMemory) -> bool:
    """Whether enough is free at the peak for the largest allocation, but not in one piece."""
    free = device.capacity_bytes - device.recorded_peak_bytes
    block, largest = device.free_block_bytes, device.largest_bytes
    if block is None or largest is None:
        return False
    return device.recorded_peak_bytes >= BROKEN_UP.value * device.capacity_bytes and block < largest <= free


def _peak_sentence(device: DeviceMemory, full: bool) -> str:
    used = f"{gigabytes(device.peak_bytes)} of {gigabytes(device.capacity_bytes)}"
    if full:
        words = f"{gpu(device.device)} uses {used} at the peak ({percent(device.used_ratio)})."
        if device.recorded_peak_bytes < FULL.value * device.capacity_bytes:
            in_use = gigabytes(device.recorded_peak_bytes)
            return f"{words} That was before the recording; during it at most {in_use} are in use."
        return f"{words} A slightly larger batch or a longer sequence may end the training with an out-of-memory error."
    free = gigabytes(device.capacity_bytes - device.recorded_peak_bytes)
    return (
        f"{gpu(device.device)} has {free} free at the peak ({used} in use), but no more than "
        f"{gigabytes(device.free_block_bytes or 0)} in one piece; its largest allocation needs "
        f"{gigabytes(device.largest_bytes or 0)}."
    )


def _holder_sentence(device: DeviceMemory) -> str:
    if not device.alive:
        return ""
    most, made = device.alive[0], sum(a.size_bytes for a in device.alive)
    holder = most.op or "an unnamed op"
    return (
        f" Of the {gigabytes(made)} that were allocated during the recording and are in use then, the largest share, "
        f"{gigabytes(most.size_bytes)}, belongs to {holder}."
    )


RULE = declared(judge, thresholds=(FULL, NO_ROOM, BROKEN_UP))
