"""GPUs wait inside collectives for the last one to arrive."""

from __future__ import annotations

from collections import Counter

from tfperf_plugin.artifacts.allreduce import AllReduceTimes, DeviceShare
from tfperf_plugin.artifacts.starts import Starts
from tfperf_plugin.artifacts.timeline import Timeline
from tfperf_plugin.engine.outcome import Evidence, Fix, Snippet
from tfperf_plugin.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import gpu, listing, ms, percent
from tfperf_plugin.guide import sections
from tfperf_plugin.ledger import Ledger

WAITING = Threshold("waiting for the last GPU", 0.01, "ratio", "lowest severity: 1 % of the step")
NAMED = Threshold(
    "share of the waiting that one GPU causes", 0.8, "ratio", "a cause that covers less is not named"
)


def judge(ledger: Ledger, times: AllReduceTimes, timeline: Timeline, starts: Starts | None) -> Verdict:
    """Asks how long GPUs wait in collectives that nothing hides, and for whom."""
    if times.matched_ratio == 0:
        return NotApplicable("No call was found on a second GPU: waiting cannot be told from transfer.")
    wait, step_ns = ledger.average()["communication.wait"], max(1, ledger.step_ns)
    if wait < WAITING.value * step_ns:
        return Passed(f"GPUs wait for each other in AllReduce for {percent(wait / step_ns)} of the step.")
    order = times.by_lateness
    several = len({d.host for d in times.devices}) > 1
    names = [_name(d, several) for d in order if d.last_ratio > 0]
    names[0], share = _cause(times, several)
    named = share >= NAMED.value
    one_thread = starts is not None and any(h.one_thread for h in starts.hosts)
    summary = f"A GPU waits in AllReduce for {ms(wait)} per step until the last one has arrived. "
    if named:
        summary += f"Nearly all of it is for {names[0]}."
    else:
        summary += f"Different GPUs come last: {listing(names)}; each step another has most to do."
    return Found(
        title=f"GPUs wait in AllReduce for {names[0]}" if named else None,
        summary=summary,
        evidence=(
            Evidence("waiting per step", wait, "ns", int(WAITING.value * step_ns), "ledger, communication.wait"),
            Evidence("transfer per step", times.transfer_ns, "ns", None, "last arrival to end of each call"),
            Evidence("share of the waiting that one GPU or host causes", share, "ratio", NAMED.value, NAMED.source),
            *(
                Evidence(
                    f"calls in which {_name(d, several)} comes last", d.last_ratio, "ratio", None,
                    f"the others then wait {ms(d.caused_wait_ns)} per step",
                )
                for d in order[:4]
                if d.last_ratio > 0
            ),
        ),
        where=timeline.worst(["communication.wait"], "waits in AllReduce"),
        claims={"communication.wait": wait},
        basis="time in which only a collective runs and a participant has not arrived",
        confidence="high" if times.matched_ratio >= 0.8 else "medium",
        fix=_ONE_LATE if named else _ONE_THREAD if one_thread else None,
    )  # fmt: skip


def _cause(times: AllReduceTimes, several: bool) -> tuple[str, float]:
    """Who causes most of the waiting, and which share of it: a GPU or, of several hosts, a host."""
    caused = sum(d.caused_wait_ns for d in times.devices) or 1
    first = times.by_lateness[0]
    share = first.caused_wait_ns / caused
    if not several or share >= NAMED.value:
        return _name(first, several), share
    hosts = Counter[str]()
    for device in times.devices:
        hosts[device.host] += device.caused_wait_ns
    host, most = hosts.most_common(1)[0]
    return (host, most / caused) if most >= NAMED.value * caused else (_name(first, several), share)


def _name(device: DeviceShare, several: bool) -> str:
    return f"{device.host} {gpu(device.device)}" if several else gpu(device.device)


_SNIPPETS = (
    Snippet(
        "Keras",
        "ds = ds.bucket_by_sequence_length(\n    lambda x, y: tf.shape(x)[0],\n    bucket_boundaries=[128, 256],\n    bucket_batch_sizes=[64, 32, 16])",
    ),
    Snippet(
        "custom loop",
        "ds = ds.padded_batch(\n    global_batch, padded_shapes=([256], []), drop_remainder=True)\nds = strategy.experimental_distribute_dataset(ds)",
    ),
)
_ONE_LATE = Fix(
    summary="Find out why this GPU comes last: more work, a late start, or a slower clock.",
    actions=(
        "Open the place in the trace and compare this GPU's row with the others between the step's begin and AllReduce.",
        "Compare clocks and temperatures under load: nvidia-smi -q -d CLOCK,PERFORMANCE,TEMPERATURE. A throttled GPU slows all.",
        "Look for other programs on that GPU: nvidia-smi.",
    ),
    snippets=(
        Snippet("shell", "nvidia-smi --query-gpu=index,clocks.sm,clocks_throttle_reasons.active --format=csv -l 1"),
        *_SNIPPETS,
    ),
)  # fmt: skip

_ONE_THREAD = Fix(
    summary="Let the GPUs be launched for at the same time: one thread of the host does it one GPU after another.",
    actions=(
        "Open the place in the trace and compare the launches for the GPUs between the step's begin and AllReduce.",
        "Use tf.distribute.MirroredStrategy inside a tf.function instead of a Python loop over the GPUs.",
        "Let the host launch less, and do not wait for each step's loss, so that launching runs ahead of the GPUs.",
    ),
    snippets=(
        Snippet("Keras", "with tf.distribute.MirroredStrategy().scope():\n    model = build_model()"),
        Snippet(
            "custom loop",
            "@tf.function\ndef step(batch):\n    return strategy.run(replica_step, args=(batch,))",
        ),
        Snippet(
            "JAX",
            "mesh = jax.make_mesh((jax.device_count(),), ('batch',))\n"
            "sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec('batch'))\n"
            "state = train_step(state, jax.device_put(batch, sharding))  # one program for all GPUs",
        ),
    ),
)


RULE = Rule(
    id="allreduce-wait",
    topic="Waiting in AllReduce",
    title="GPUs wait in AllReduce for whichever comes last",
    group="several_gpus",
    why=(
        "A collective can begin only when all GPUs have arrived. Who comes early occupies its GPU with "
        "waiting; profilers show that as communication, although no data move."
    ),
    measured="A call's kernels are matched across GPUs by their order in the step or their common end, and across hosts by ends that differ by the same amount in every step. On each GPU the time until the last one has arrived is waiting, and so is a transfer as far as some participant still computes under it; counted is what no compute hides (account communication.wait).",
    limits=(
        "Waiting for a GPU that was not recorded cannot be seen and counts as transfer.",
        "Who comes last is known, why is not: a late start, more work and late input have rules of their own, and explain this one where they are found.",
    ),
    guide=sections.ALLREDUCE,
    judge=judge,
    thresholds=(WAITING, NAMED),
    explained_by=(
        "gpu-stagger",
        "replica-imbalance",
        "gpus-run-serially",
        "input-bound",
        "slow-host",
        "d2d-copies",
    ),
    fix=Fix(
        summary="Give all GPUs the same amount of work in every step.",
        actions=(
            "Sort examples of like length into one batch, or pad all to the same length.",
            "Drop the remainder of the last batch, so that no GPU gets a smaller one.",
            "Keep work that depends on the data (beam search, dynamic shapes, retries) out of the step.",
        ),
        snippets=_SNIPPETS,
    ),
)
