"""Visible GPUs that ran nothing."""

from __future__ import annotations

from collections import Counter

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, gpu, listing, say, together
from tfperf_plugin.judging.verdicts import Severity
from tfperf_plugin.recording.record import TrainingFacts

CRITICAL = Threshold(
    "share of visible GPUs that ran nothing", 0.5, "ratio", "half of the capacity that was paid for"
)
WARNING = Threshold(
    "share of visible GPUs that ran nothing, for a warning", 0.05, "ratio", "lowest share that warns"
)

STARTING = (
    "The recording ends while GPUs are still being started: it does not show which of them stay unused."
)
LOST = "The host works for {n:GPU|GPUs} of which no kernel was recorded: that is the recording's fault."
NOTHING = "No GPU ran anything; see the notes on the recording."
ONE_GPU = "At most one GPU is visible."
ALL_WORK = "All {visible} visible GPUs ran kernels."
OTHERS = "The GPUs communicate with others that were not recorded: other processes may use the rest."
IDLE = "{names} ran no kernel while this profile was recorded."
COPIES = "{n:of them has|of them have} a few copies, but no kernel."
CAPACITY = "This is unused capacity; it does not lengthen the step."
FOR_ONE = "The program uses one GPU only."
AS_MANY = "The training was set up for {n:replicas}: as many as GPUs that work."
NOT_AS_MANY = "The training recorded {n:replicas} of the model, on {working:GPUs} that work."


def judge(devices: Devices, capture: Capture, facts: TrainingFacts | None) -> Verdict:
    """Counts GPUs that the host sees and on which no kernel ran: unused capacity, not step time."""
    # If a host has no kernel at all, its recording failed rather than its training.
    silent = devices.silent_hosts
    judged = [d for d in devices.all if d.host not in silent]
    if _one_machine(judged):  # each process sees all GPUs of the machine and uses some
        used = {d.device for d in judged if d.participates}
        judged = [d for d in judged if d.participates or (d.host == judged[0].host and d.device not in used)]
    starting = {d.host for d in devices.unseen("starting")}
    lost = devices.unseen("unrecorded")
    judged = [d for d in judged if d.host not in starting and d not in lost]
    visible = len(judged)
    if starting and visible < 2:
        return NotApplicable(STARTING)
    if lost and visible < 2:
        return NotApplicable(say(LOST, n=len(lost)))
    if not visible and devices.all:
        return NotApplicable(NOTHING)
    if visible < 2:
        return NotApplicable(ONE_GPU)
    idle = [d for d in judged if not d.participates]
    if not idle:
        return Passed(say(ALL_WORK, visible=visible))
    recorded = capture.communicating_devices_count
    if recorded and (recorded == 1 or capture.collective_ranks > recorded):
        return NotApplicable(OTHERS)
    share = len(idle) / visible
    replicas = facts.replicas if facts else None
    # A program on one GPU is meant for one, unless it recorded more replicas.
    working = visible - len(idle)
    single = working == 1 and (replicas or 1) == 1
    limit = CRITICAL if share >= CRITICAL.value else WARNING
    severity: Severity = "info"
    if not single and share >= WARNING.value:
        severity = "critical" if limit is CRITICAL else "warning"
    copies_only = sum(d.events_count > 0 for d in idle)
    return Found(
        values={"idle": len(idle), "visible": visible},
        summary=together(
            say(IDLE, COPIES if copies_only else "", CAPACITY, FOR_ONE if single else "", names=_names(judged, idle), n=copies_only),
            say(AS_MANY if replicas == working else NOT_AS_MANY, n=replicas, working=working) if replicas else "",
        ),
        evidence=(
            Evidence("visible GPUs", visible, "count", None, "device planes of the profile"),
            Evidence("GPUs without any kernel", len(idle), "count", None, "device planes of the profile"),
            Evidence("share without any kernel", share, "ratio", limit.value if share >= limit.value else None, limit.source),
            *([Evidence("replicas of the model", replicas, "count", visible, "recorded by the training")] if replicas else []),
        ),
        severity=severity,
        impact_ratio=0.0 if single else share,
        advice="some are idle",
    )  # fmt: skip


def _one_machine(judged: list[DeviceInfo]) -> bool:
    """Whether the files come from processes on one machine: all see the same GPUs, and no two use the same one."""
    hosts = {d.host for d in judged}
    seen = {tuple(sorted((d.device, d.name) for d in judged if d.host == h)) for h in hosts}
    used = [d.device for d in judged if d.participates]
    return len(hosts) > 1 and len(seen) == 1 and len(used) == len(set(used)) and len(used) < len(judged)


def _names(judged: list[DeviceInfo], idle: list[DeviceInfo]) -> str:
    """The idle GPUs or, if they are many, their number on each host."""
    if len({d.host for d in judged}) == 1:
        return listing([gpu(d.device) for d in idle], 8)
    if len(idle) <= 4:
        return listing([gpu(d.device, d.host) for d in idle])
    per_host = Counter(d.host for d in idle)
    return listing([f"{count(number, 'GPU')} of {host}" for host, number in per_host.items()])


RULE = declared(judge, thresholds=(CRITICAL, WARNING), needs=("other GPUs",))
