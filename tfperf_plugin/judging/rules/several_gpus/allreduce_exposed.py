"""AllReduce runs while nothing is computed."""

from __future__ import annotations

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceTimes
from tfperf_plugin.analysis.artifacts.communication.estimate import AllReduceEstimate
from tfperf_plugin.analysis.artifacts.compute.phases import Phases
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, keras, shell

BARE = Threshold(
    "transfer that no compute hides", 0.05, "ratio", "of the step: worth a warning, however much is hidden"
)
HIDDEN = Threshold(
    "share of the transfer under compute",
    0.7,
    "ratio",
    "a well overlapped exchange leaves only its last part bare",
    side="<",
)


def judge(
    ledger: Ledger,
    times: AllReduceTimes,
    estimate: AllReduceEstimate | None,
    phases: Phases,
    timeline: Timeline,
) -> Verdict:
    """Compares the exposed transfer with the step, and bounds how much more compute could hide."""
    if times.unseen:
        return NotApplicable(f"Waiting for other GPUs counts as transfer here: {times.unseen}.")
    if not times.of_gradients:
        return NotApplicable(
            "Many of the calls begin before any gradient exists: they combine parts of the model and cannot be moved."
        )
    transfer, exposed = times.transfer_ns, times.exposed_transfer_ns
    hidden = max(0.0, 1 - exposed / max(1, transfer))
    step_ns = max(1, ledger.step_ns)
    bare = int(BARE.value * step_ns)
    if hidden >= HIDDEN.value and exposed < bare:
        return Passed(f"{percent(hidden)} of AllReduce's transfer lies under compute.")
    # The last gradients are ready when no compute is left: one call of several can never be hidden.
    calls = times.calls_per_step if times.calls_per_step >= 2 else 0
    last = int(transfer / calls) if calls else 0
    compute = ledger.average()["compute"]
    backward = _backward(phases, compute)
    # The first call cannot start before its part of the backward pass, which may already hide other calls.
    room = backward - int(backward / calls if calls else 0) - (transfer - exposed)
    movable = max(0, min(_needed(times, estimate) * exposed // max(1, transfer) - last, room))
    return Found(
        summary=(
            f"AllReduce transfers for {ms(transfer)} per step, {ms(exposed)} of it while nothing is computed "
            f"({percent(exposed / step_ns)} of the step); {ms(movable)} of that could lie under compute."
        ),
        evidence=(
            Evidence("transfer that no compute hides", exposed, "ns", bare if exposed >= bare else None, "account Exposed transfer"),
            Evidence("transfer per step", transfer, "ns", None, "last arrival to end of each call"),
            Evidence("share of the transfer under compute", hidden, "ratio", HIDDEN.value if hidden < HIDDEN.value else None, HIDDEN.source),
            Evidence("calls per step", times.calls_per_step, "per_step", None, "collective kernels, per GPU"),
            Evidence("compute that could hide it", backward, "ns", None,
                     f"backward pass, {'from the names of ops' if _told(phases) else 'two thirds of compute'}"),
        ),
        where=timeline.worst(["communication.transfer"], "only AllReduce runs"),
        claims={"communication.transfer": movable},
        basis="exposed transfer at the link's speed, without the last call, at most the backward pass after the "
        "first call's gradients",
        confidence="high" if times.matched_ratio >= 0.8 else "medium",
        fix=_PACKED if times.calls_per_step >= 2 else None,
    )  # fmt: skip


def _told(phases: Phases) -> bool:
    return not phases.reason and phases.average_ns["backward"] > 0


def _backward(phases: Phases, compute_ns: int) -> int:
    """The compute that can hide gradients; a backward pass takes about twice as long as the forward pass."""
    return phases.average_ns["backward"] if _told(phases) else 2 * compute_ns // 3


def _needed(times: AllReduceTimes, estimate: AllReduceEstimate | None) -> int:
    """The transfer at the link's speed; allreduce-slow judges the time beyond."""
    bound = estimate.bound_ns if estimate else None
    return times.transfer_ns if bound is None else min(times.transfer_ns, bound)


_PACKS = (
    "Exchange gradients in several packs, so that the first pack can leave early: "
    "CommunicationOptions(bytes_per_pack=...)."
)
_FIX = Fix(
    summary="Give each GPU more compute per exchange, or overlap the exchange with compute.",
    actions=(
        "Increase the batch per GPU: compute grows with it, gradients do not. Check convergence and the learning rate.",
        _PACKS,
        "With XLA, let it overlap collectives with compute: --xla_gpu_enable_latency_hiding_scheduler=true.",
        "Sum the gradients of several batches and exchange them once (gradient accumulation).",
    ),
    snippets=(
        keras(
            "optimizer = keras.optimizers.AdamW(1e-3, gradient_accumulation_steps=4)\nmodel.compile(optimizer, loss)"
        ),
        custom_loop(
            "options = tf.distribute.experimental.CommunicationOptions(bytes_per_pack=32 * 1024 * 1024)\nstrategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)"
        ),
        shell("XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true python train.py"),
    ),
)
# Gradients exchanged in several calls are packed already.
_PACKED = replace(
    _FIX,
    actions=tuple(a for a in _FIX.actions if a != _PACKS),
    snippets=tuple(s for s in _FIX.snippets if "bytes_per_pack" not in s.code),
)


RULE = declared(judge, thresholds=(HIDDEN, BARE))
