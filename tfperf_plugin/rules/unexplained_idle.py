"""The GPUs are idle and no recorded event says why."""

from __future__ import annotations

from tfperf_plugin.artifacts.idle import Idle
from tfperf_plugin.artifacts.timeline import Timeline
from tfperf_plugin.engine.outcome import Evidence, Fix, Snippet
from tfperf_plugin.engine.rule import Found, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import listing, ms, percent
from tfperf_plugin.guide import sections
from tfperf_plugin.ledger import Ledger

UNEXPLAINED = Threshold(
    "idle for a reason that was not recorded", 0.10, "ratio",
    "real captures: 3 % in the median, at most 10 %",
)  # fmt: skip


def judge(ledger: Ledger, idle: Idle, timeline: Timeline) -> Verdict:
    """Compares idle time that no event explains with the step, and says what is known about it."""
    account = next((a for a in idle.accounts if a.account == "idle.unknown"), None)
    share = account.ns / max(1, ledger.step_ns) if account else 0.0
    if account is None or share < UNEXPLAINED.value:
        return Passed(
            f"GPUs are idle for a reason that was not recorded during {percent(share)} of the step."
        )
    seen = [f"{name} ({ms(ns)})" for name, ns in account.seen]
    return Found(
        summary=(
            f"The GPUs are idle for {ms(account.ns)} of an average step, and no event says why: in "
            f"{account.per_step_count:.3g} stretches per step, the longest {ms(account.longest_ns)}. "
            + (
                f"Meanwhile the host runs {listing(seen)}."
                if seen
                else "The host recorded nothing meanwhile that lasts about as long."
            )
        ),
        evidence=(
            Evidence("idle for a reason that was not recorded", account.ns, "ns",
                     int(UNEXPLAINED.value * ledger.step_ns), "ledger, idle.unknown"),
            Evidence("share of the step", share, "ratio", UNEXPLAINED.value, UNEXPLAINED.source),
            Evidence("stretches", round(account.per_step_count, 1), "per_step", None, "ledger, per GPU"),
            Evidence("longest stretch", account.longest_ns, "ns", None, "ledger"),
            *(Evidence(f"of it during {name}", ns, "ns", None, "host events") for name, ns in account.seen),
        ),
        where=timeline.worst(["idle.unknown"], "GPU idle, cause not recorded"),
        claims={"idle.unknown": account.ns},
        basis="all idle time that no recorded event explains; what of it can go is known once the cause is",
        confidence="low",
    )  # fmt: skip


RULE = Rule(
    id="unexplained-idle",
    topic="Idle time without a recorded cause",
    title="The GPUs are idle and the profile does not say why",
    group="one_gpu",
    why=(
        "A GPU that is idle for a good part of the step is worth an answer. Where the host recorded no event that "
        "explains it, the first thing to change is the recording."
    ),
    measured="Idle time of a GPU that falls under none of the causes that the ledger knows (account idle.unknown). Events of the host are named that lie mostly inside this time, with the thread that they run on.",
    limits=(
        "What runs at the same time need not be the cause.",
        "Python code, waiting for locks and a processor that is busy with other programs leave no events.",
    ),
    guide=sections.BEST_PRACTICES,
    judge=judge,
    thresholds=(UNEXPLAINED,),
    fix=Fix(
        summary="Record what the host does in this time.",
        actions=(
            "Record Python calls for a few steps: python_tracer_level=1. It slows the program down, so use it to find the cause, not to measure.",
            "Wrap suspects in named blocks: tf.profiler.experimental.Trace('name'), or jax.profiler.TraceAnnotation('name').",
            "Look at the place in the trace viewer: which thread works while the GPU's row is empty?",
        ),
        snippets=(
            Snippet(
                "Keras",
                "options = tf.profiler.experimental.ProfilerOptions(python_tracer_level=1)\n"
                "tf.profiler.experimental.start(logdir, options)  # in a callback, for steps 10 to 15",
            ),
            Snippet(
                "custom loop",
                "with tf.profiler.experimental.Trace('augment'):\n    batch = augment(batch)",
            ),
            Snippet("JAX", "with jax.profiler.TraceAnnotation('augment'):\n    batch = augment(batch)"),
        ),
    ),
)
