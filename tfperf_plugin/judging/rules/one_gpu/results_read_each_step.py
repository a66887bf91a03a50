"""The host waits for the GPU at the end of the step to read results back."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.host_pass import HostPass
from tfperf_plugin.analysis.artifacts.host.idle import Idle
from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.artifacts.memory.copies import Copies
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, cost, too_little
from tfperf_plugin.judging.engine.words import gpus, say

PART = "Only a part of a step was recorded, and in it the host read no result after the last kernel."
GPU_FIRST = (
    "The GPU finishes before results are read: the host waits {awaited:ms} for it in a step, and takes {after:ms} from the "
    "end of the step's function until it has read them."
)
WAITS = (
    "At the end of a step the host waits for the GPU and reads results back before it continues. The {gpus} idle for "
    "{after:ms} per step meanwhile: nothing is launched."
)
CAUSE = (
    "For {after:ms} per step the {gpus} idle while the host waits for the step's end and reads results back."
)
BASIS = "idle time after waits for the GPU, without pauses between two launches of the step"


def judge(
    ledger: Ledger,
    idle: Idle,
    stalls: Stalls,
    steps: Steps,
    copies: Copies,
    host: HostPass,
    timeline: Timeline,
) -> Verdict:
    """Compares the idle time after waits for the GPU at the end of a step with the step."""
    if any(host.partial for host in steps.hosts) and not copies.after.per_step_count:
        return NotApplicable(PART)
    total = ledger.average()["idle.sync"]
    inside = sum(pauses.claims.get("idle.sync", 0) for pauses in stalls.by_cause.values())
    after = max(0, total - inside)
    if little := too_little(after, ledger.step_ns):
        return little
    if too_little(host.awaited_ns, ledger.step_ns):
        return Passed(say(GPU_FIRST, awaited=host.awaited_ns, after=after))
    longest = next((a.longest_ns for a in idle.accounts if a.account == "idle.sync"), 0)
    return Found(
        summary=say(WAITS, gpus=gpus(ledger.gpus_count), after=after),
        evidence=(
            *cost("GPU idle after the step's last launch", after, ledger.step_ns, "account Host sync less what host-sync-in-step claims"),
            Evidence("host waits in calls while the GPU works", host.awaited_ns, "ns", int(LEAST.value * ledger.step_ns),
                     "calls that wait for the GPU"),
            Evidence("longest stretch", longest, "ns", None, "step budget"),
        ),
        where=timeline.worst(["idle.sync"], "Host sync: the host reads results"),
        cause=say(CAUSE, gpus=gpus(ledger.gpus_count), after=after),
        claims={"idle.sync": after},
        basis=BASIS,
        confidence="medium",
    )  # fmt: skip


RULE = declared(judge, needs=("clocks",))
