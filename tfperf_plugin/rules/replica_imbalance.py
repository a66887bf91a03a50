"""One GPU has more work than the others."""

from __future__ import annotations

import statistics

from tfperf_plugin.artifacts.timeline import Timeline
from tfperf_plugin.engine.outcome import Evidence, Fix, Snippet
from tfperf_plugin.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import gpu, ms, percent
from tfperf_plugin.guide import sections
from tfperf_plugin.ledger import HostLedger, Ledger

EXCESS = Threshold(
    "compute above the median GPU",
    0.10,
    "ratio",
    "replicas of one model differ by little; 10 % is more than jitter",
)

# Where the other GPUs spend the time in which the busiest still works.
_WAITING = ("communication.wait", "idle.stagger", "idle.unknown", "idle.sync", "idle.launch")


def judge(ledger: Ledger, timeline: Timeline) -> Verdict:
    """Compares the compute time of the busiest GPU with the median of its host."""
    hosts = [h for h in ledger.hosts if len(h.devices) > 1 and h.steps.judged.any()]
    if not hosts:
        return NotApplicable("Fewer than two GPUs of one host took part.")
    host, excess = max(((h, _excess(h)) for h in hosts), key=lambda x: (x[1], x[0].host))
    compute = _compute(host, ledger)
    busiest, most = max(compute.items(), key=lambda x: (x[1], x[0]))
    others = [ns for device, ns in compute.items() if device != busiest]
    name = gpu(busiest)
    median = int(statistics.median(others))
    if excess < EXCESS.value:
        return Passed(
            f"The busiest GPU computes {percent(max(0.0, excess))} longer than the median of the others."
        )
    # Spread evenly, every GPU would compute for the mean.
    surplus = most - sum(compute.values()) // len(compute)
    average = ledger.average()
    claims: dict[str, int] = {}
    for account in _WAITING:
        claims[account] = min(average[account], surplus - sum(claims.values()))
    return Found(
        title=f"{name} has more work than the other GPUs",
        summary=(
            f"{name} computes for {ms(most)} per step, the median of the others is {ms(median)} "
            f"({percent(excess)} more). The others wait for it."
        ),
        evidence=(
            Evidence(f"compute of {name}", most, "ns", None, "ledger, compute, per step"),
            Evidence("median of the others", median, "ns", None, "ledger, compute, per step"),
            Evidence("above the median", excess, "ratio", EXCESS.value, EXCESS.source),
        ),
        where=timeline.worst(["communication.wait", "idle.unknown"], f"waiting for {name}"),
        claims=claims,
        basis="compute of the busiest GPU − mean of all, as far as the others wait",
        confidence="high" if min(others) >= 0.5 * median else "medium",
    )


def _excess(host: HostLedger) -> float:
    sums = [int(d.sums_ns[host.steps.judged, 0].sum()) for d in host.devices]
    most = max(sums)
    rest = list(sums)
    rest.remove(most)
    median = statistics.median(rest)
    return most / median - 1 if median else 0.0


def _compute(host: HostLedger, ledger: Ledger) -> dict[str, int]:
    return {d.device: ledger.average_of(d, host.steps.judged)["compute"] for d in host.devices}


RULE = Rule(
    id="replica-imbalance",
    topic="Balance of the GPUs",
    title="One GPU has more work than the others",
    group="several_gpus",
    why=(
        "All GPUs wait for the one with most work before gradients can be exchanged. Often GPU 0 also "
        "computes metrics, the loss of the whole batch, or ops that were placed by default."
    ),
    guide=sections.MULTI_GPU,
    judge=judge,
    thresholds=(EXCESS,),
    fix=Fix(
        summary="Give every GPU the same work.",
        actions=(
            "Look in the trace for ops that only this GPU runs; move them to the host or share them out.",
            "Make the global batch divisible by the number of GPUs and drop the remainder.",
            "Create variables and metrics inside the strategy's scope, so that nothing is placed on GPU 0 by default.",
        ),
        snippets=(
            Snippet("Keras", "ds = ds.batch(per_gpu * strategy.num_replicas_in_sync, drop_remainder=True)"),
            Snippet(
                "custom loop",
                "with strategy.scope():\n    model, optimizer, metrics = build()\nloss = strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step, args=(batch,)), axis=None)",
            ),
        ),
    ),
)
