"""AllReduce runs while nothing is computed."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.allreduce import MATCHED_RATIO, AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.estimate import AllReduceEstimate
from tfperf_plugin.analysis.artifacts.compute.phases import Phases
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say
from tfperf_plugin.judging.rules.several_gpus._transfer import mixed_with_waiting, without_gradients

BARE = Threshold(
    "transfer that no compute hides", 0.05, "ratio", "of the step: worth a warning, however much is hidden"
)
HIDDEN = Threshold(
    "share of the transfer under compute", 0.7, "ratio",
    "a well overlapped exchange leaves only its last part bare", side="<",
)  # fmt: skip

HIDES = "{hidden:percent} of AllReduce's transfer lies under compute."
BARE_TRANSFER = (
    "{calls} for {transfer:ms} per step, {exposed:ms} of it while nothing is computed ({share:percent} of the "
    "step); {movable:ms} of that could lie under compute."
)
ALL_REDUCE, SCATTER_GATHER = "AllReduce transfers", "ReduceScatter and AllGather transfer"
NAMED_BACKWARD = "backward pass, from the names of ops"
TWO_THIRDS = "backward pass, two thirds of compute"
BASIS = (
    "exposed transfer at the link's speed, without the last call, at most the backward pass after the first call's "
    "gradients"
)


def judge(
    ledger: Ledger,
    times: AllReduceTimes,
    estimate: AllReduceEstimate | None,
    phases: Phases,
    timeline: Timeline,
) -> Verdict:
    """Compares the exposed transfer with the step, and bounds how much more compute could hide."""
    if mixed := mixed_with_waiting(times.unseen):
        return mixed
    if none := without_gradients(times):
        return none
    transfer, exposed = times.transfer_ns, times.exposed_transfer_ns
    hidden = max(0.0, 1 - exposed / max(1, transfer))
    step_ns = max(1, ledger.step_ns)
    bare = int(BARE.value * step_ns)
    if hidden >= HIDDEN.value and exposed < bare:
        return Passed(say(HIDES, hidden=hidden))
    # The last gradients are ready when no compute is left: one call of several can never be hidden.
    calls = times.calls_per_step if times.calls_per_step >= 2 else 0
    last = int(transfer / calls) if calls else 0
    named = not phases.reason and phases.average_ns["backward"] > 0
    # A backward pass takes about twice as long as the forward pass.
    backward = phases.average_ns["backward"] if named else 2 * ledger.average()["compute"] // 3
    # The first call cannot start before its part of the backward pass, which may already hide other calls.
    room = backward - int(backward / calls if calls else 0) - (transfer - exposed)
    # What takes longer than the link needs is judged by allreduce-slow.
    bound = estimate.bound_ns if estimate else None
    needed = transfer if bound is None else min(transfer, bound)
    movable = max(0, min(needed * exposed // max(1, transfer) - last, room))
    return Found(
        summary=say(
            BARE_TRANSFER,
            calls=SCATTER_GATHER if times.sharded else ALL_REDUCE,
            transfer=transfer, exposed=exposed, share=exposed / step_ns, movable=movable,
        ),
        evidence=(
            Evidence("transfer that no compute hides", exposed, "ns", bare if exposed >= bare else None, "account Exposed transfer"),
            Evidence("transfer per step", transfer, "ns", None, "last arrival to end of each call"),
            Evidence("share of the transfer under compute", hidden, "ratio", HIDDEN.value if hidden < HIDDEN.value else None, HIDDEN.source),
            Evidence("calls per step", times.calls_per_step, "per_step", None, "collective kernels, per GPU"),
            Evidence("compute that could hide it", backward, "ns", None, NAMED_BACKWARD if named else TWO_THIRDS),
        ),
        where=timeline.worst(["communication.transfer"], "only AllReduce runs"),
        claims={"communication.transfer": movable},
        basis=BASIS,
        confidence="high" if times.matched_ratio >= MATCHED_RATIO else "medium",
        values={"gradients in 32 bit": times.element_bytes > 2},
        advice="weights are sharded" if times.sharded else "gradients are packed already" if calls else "",
    )  # fmt: skip


RULE = declared(judge, thresholds=(HIDDEN, BARE), explained_by=("exchange-each-batch",))
