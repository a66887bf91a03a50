"""Sentences about a GPU that arrives late in collectives: what it and its host do while others wait."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceDevice
from tfperf_plugin.analysis.artifacts.communication.lateness import LateGpu, LateOp
from tfperf_plugin.analysis.artifacts.timeline import PLACES_COUNT
from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.judging.engine.words import gpu, ms, percent

# A GPU is named if it comes last in this share of the calls.
MOST_RATIO = 0.5
# So many places of the late GPU come before those of the GPUs that wait for it.
CULPRIT_COUNT = 2


def meanwhile(late: LateGpu | None, stage: str = "", subject: str = "It") -> str:
    """What the late GPU or its host does: a sentence with a space before it, or "".

    ``stage``: the slow stage of the input pipeline as the user wrote it, "" if unknown; ``subject``: how the
    sentences before refer to the GPU.
    """
    if late is None:
        return ""
    if late.by_input:
        named = f"; the stage that it waits for is {stage}" if stage else ""
        return f" Meanwhile its host waits {ms(late.input_ns)} for a batch{named}."
    if late.by_host:
        named = f"; the host is in \u201c{late.doing}\u201d" if late.doing else ""
        idle = f"{subject} is idle for {ms(late.idle_ns)} meanwhile"
        return f" {idle} because its host launches late{named}."
    return f" {subject} works meanwhile." if late.works else ""


def takes_longer(op: LateOp) -> str:
    """How long an op takes on the GPU that comes last, and on the others."""
    if not op.most_ns:
        return f"{op.op} takes {ms(op.own_ns)} on the GPU that comes last, and runs on no other"
    others = ms(op.most_ns) if ms(op.least_ns) == ms(op.most_ns) else f"{ms(op.least_ns)} to {ms(op.most_ns)}"
    return f"{op.op} takes {ms(op.own_ns)} on the GPU that comes last, {others} on the others"


def waited_for(late: LateGpu | None, waits: Sequence[Place], name: str, host: bool) -> tuple[Place, ...]:
    """Where others wait for ``name``: first the late GPU meanwhile, then the GPUs that wait for it.

    ``host``: GPUs are named with their hosts.
    """
    does = "works" if late and late.works else "is idle" if late and late.by_host else "arrives late"
    labels = [(p, f"{does} while others wait") for p in (late.places if late else ())[:CULPRIT_COUNT]]
    labels += [(p, f"waits for {name}") for p in waits[: PLACES_COUNT - len(labels)]]
    return tuple(
        replace(p, label=f"{gpu(p.device or '', p.host if host else '')} {label}") for p, label in labels
    )


def comes_last(devices: Sequence[AllReduceDevice]) -> str:
    """Which GPU comes last in most calls: a sentence with a space before it, or "".

    ``devices``: the participants; the one that causes most waiting comes first.
    """
    if not devices or devices[0].last_ratio < MOST_RATIO:
        return ""
    return f" {name_among(devices[0], devices)} comes last in {percent(devices[0].last_ratio)} of the calls."


def last_rows(devices: Sequence[AllReduceDevice]) -> tuple[Evidence, ...]:
    """How often GPUs come last: the four that cause most waiting."""
    return tuple(
        Evidence(
            f"calls in which {name_among(d, devices)} comes last", d.last_ratio, "ratio", None,
            f"the others then wait {ms(d.caused_wait_ns)} per step",
        )
        for d in devices[:4]
        if d.last_ratio > 0
    )  # fmt: skip


def name_among(device: AllReduceDevice, devices: Sequence[AllReduceDevice]) -> str:
    """The name of a GPU, with its host if there are several."""
    several = len({d.host for d in devices}) > 1
    return gpu(device.device, device.host if several else "")
