"""A GPU is close to running out of memory."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.artifacts.memory.memory import DeviceMemory, Memory
from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import SEVERITIES
from tfperf_plugin.judging.engine.words import gpu, say, together
from tfperf_plugin.judging.rules.one_gpu._memory import USED, without_events
from tfperf_plugin.judging.verdicts import Severity

FULL = Threshold("share of memory in use", 0.95, "ratio", "what is in use can grow by a twentieth at most")
NO_ROOM = Threshold(
    "share of memory in use for a warning", 0.98, "ratio", "what is in use can grow by a fiftieth at most"
)
BROKEN_UP = Threshold(
    "share of memory in use from which broken up memory counts", 0.8, "ratio", "below, memory that was never claimed may serve"
)  # fmt: skip
HELD = Threshold(
    "share of the card that the allocator may use", 0.7, "ratio",
    "JAX reserves 0.75 by default, TensorFlow nearly all: less was free, or the program set a limit", side="<"
)  # fmt: skip

NEARLY_FULL = (
    "{gpu} uses {peak:bytes} of {capacity:bytes} at the peak ({used:percent}). A slightly larger batch or a longer "
    "sequence may end the training with an out-of-memory error."
)
FULL_BEFORE = (
    "{gpu} uses {peak:bytes} of {capacity:bytes} at the peak ({used:percent}). That was before the recording; during it "
    "at most {recorded:bytes} are in use."
)
BROKEN = (
    "{gpu} has {free:bytes} free at the peak ({peak:bytes} of {capacity:bytes} in use), but no more than {block:bytes} in "
    "one piece; its largest allocation needs {largest:bytes}."
)
HOLDER = (
    "Of the {made:bytes} that were allocated during the recording and are in use then, the largest share, {size:bytes}, "
    "belongs to {op}."
)
HELD_BY_OTHERS = (
    "That is {share:percent} of the card's {card:bytes}: other processes held the rest when the program began, or it set "
    "a limit."
)


def judge(memory: Memory, compute: HostCompute, devices: Devices) -> Verdict:
    """Checks how full the fullest GPU is, and whether its free memory at the peak is in one piece."""
    if unknown := without_events(memory, compute):
        return unknown
    fullest = memory.fullest
    full, peak, capacity = (
        fullest.used_ratio >= FULL.value,
        fullest.recorded_peak_bytes,
        fullest.capacity_bytes,
    )
    if not full and not _broken_up(fullest):
        return Passed(say(USED, used=fullest.used_ratio))
    limit = FULL if full else BROKEN_UP
    severity: Severity = "warning" if fullest.used_ratio >= NO_ROOM.value else "info"
    before = peak < FULL.value * capacity
    # (label, bytes, source); bytes are ``None`` if they are not known.
    blocks = (
        ("largest free block at the peak", fullest.free_block_bytes, "recorded fragmentation"),
        ("largest allocation", fullest.largest_bytes, fullest.largest_op),
    )
    told = {
        "gpu": gpu(fullest.device), "peak": fullest.peak_bytes, "capacity": capacity, "used": fullest.used_ratio,
        "recorded": peak, "free": capacity - peak, "block": blocks[0][1], "largest": blocks[1][1],
    }  # fmt: skip
    card = next(
        (d.memory_bytes for d in devices.all if (d.host, d.device) == (fullest.host, fullest.device)), None
    )
    held = card is not None and capacity < HELD.value * card
    return Found(
        summary=together(
            say(BROKEN if not full else FULL_BEFORE if before else NEARLY_FULL, **told),
            say(HELD_BY_OTHERS, share=capacity / card, card=card) if card and held else "",
            _holder_sentence(fullest),
        ),
        evidence=(
            Evidence(
                "peak in use", fullest.peak_bytes, "bytes", None, "allocator events, since the program began"
            ),
            Evidence("capacity of the allocator", capacity, "bytes", None, "allocator events"),
            *((Evidence("memory of the card", card or 0, "bytes", None, "device plane"),) if held else ()),
            Evidence("share in use at the peak", fullest.used_ratio, "ratio", limit.value, limit.source),
            *(
                Evidence(label, size, "bytes", None, source)
                for label, size, source in blocks
                if size is not None
            ),
        ),
        where=(Place(fullest.host, fullest.peak_ms, fullest.peak_ms, "memory peak", fullest.device),),
        severity=severity,
        # A finding without a cost in time ranks like the smallest saving of its severity.
        impact_ratio=SEVERITIES[severity].default,
        advice="" if full else "memory is broken up",
        values={"the rest of the card is held": held},
    )


def _broken_up(device: DeviceMemory) -> bool:
    """Whether enough is free at the peak for the largest allocation, but not in one piece."""
    free = device.capacity_bytes - device.recorded_peak_bytes
    block, largest = device.free_block_bytes, device.largest_bytes
    if block is None or largest is None:
        return False
    return device.recorded_peak_bytes >= BROKEN_UP.value * device.capacity_bytes and block < largest <= free


def _holder_sentence(device: DeviceMemory) -> str:
    if not device.alive:
        return ""
    most, made = device.alive[0], sum(a.size_bytes for a in device.alive)
    return say(HOLDER, made=made, size=most.size_bytes, op=most.op or "an unnamed op")


RULE = declared(judge, thresholds=(FULL, NO_ROOM, BROKEN_UP, HELD), needs=("memory",))
