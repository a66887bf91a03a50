"""What rules about late GPUs share: sentences on what they do while others wait, and claims of that waiting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceDevice
from tfperf_plugin.analysis.artifacts.communication.lateness import LateGpu, LateOp
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.evidence import PLACES_COUNT, Evidence, Place
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.words import between, gpu, ms, say

# A GPU is named if it comes last in this share of the calls.
MOST_RATIO = 0.5
# The number of places of the late GPU, which come before the places of GPUs that wait for it.
CULPRIT_COUNT = 2


WAITS_FOR_BATCH = "Meanwhile its host waits {ns:ms} for a batch."
WAITS_FOR_STAGE = "Meanwhile its host waits {ns:ms} for a batch; the stage that it waits for is {stage}."
HOST_LATE = "{subject} is idle for {ns:ms} meanwhile because its host launches late."
HOST_LATE_IN = "{subject} is idle for {ns:ms} meanwhile because its host launches late; the host is in \u201c{doing}\u201d."
WORKS = "{subject} works meanwhile."
ALONE = "{op} takes {own:ms} on the GPU that comes last, and runs on no other."
LONGER = "{op} takes {own:ms} on the GPU that comes last, {others} on the others."
LAST = "{gpu} comes last in {ratio:percent} of the calls."


def claimed(ledger: Ledger, accounts: Iterable[str], ns: int) -> dict[str, int]:
    """Claims ``ns`` of the average step: of each account in turn as much as it holds."""
    average, claims = ledger.average(), dict[str, int]()
    for account in accounts:
        claims[account] = min(average[account], ns - sum(claims.values()))
    return claims


def meanwhile(late: LateGpu | None, late_input: LateInput, subject: str = "It") -> str:
    """What the late GPU or its host does: a sentence, or "".

    ``subject``: how the sentences before refer to the GPU.
    """
    if late is None:
        return ""
    if late.by_input:
        fed = late_input.pipeline
        stage = late_input.described if fed and fed.host == late.host else ""
        return say(WAITS_FOR_STAGE if stage else WAITS_FOR_BATCH, ns=late.input_ns, stage=stage)
    if late.by_host:
        doing = late.doing
        return say(HOST_LATE_IN if doing else HOST_LATE, subject=subject, ns=late.idle_ns, doing=doing)
    return say(WORKS, subject=subject) if late.works else ""


def takes_longer(op: LateOp) -> str:
    """How long an op takes on the GPU that comes last, and on the others: a sentence."""
    others = between(op.least_ns, op.most_ns)
    return say(LONGER if op.most_ns else ALONE, op=op.op, own=op.own_ns, others=others)


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
    """Which GPU comes last in most calls: a sentence, or "".

    ``devices``: the participants; the one that causes most waiting comes first.
    """
    if not devices or devices[0].last_ratio < MOST_RATIO:
        return ""
    return say(LAST, gpu=name_among(devices[0], devices), ratio=devices[0].last_ratio)


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
