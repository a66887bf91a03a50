"""All-to-all runs while nothing is computed."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.exchanges import ModelExchanges
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.exposed import judge_exposed
from tfperf_plugin.judging.engine.rule import NotApplicable, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import gigabytes, ms
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax, keras, shell

BARE = Threshold("transfer that no compute hides", 0.05, "ratio", "of the step: worth a warning")
MATCHED = Threshold(
    "calls found on several GPUs", 0.8, "ratio", "of others waiting cannot be told from transfer"
)


def judge(ledger: Ledger, exchanges: ModelExchanges, timeline: Timeline) -> Verdict:
    """Asks how much of the transfer of all-to-all lies under compute."""
    if not exchanges.sending:
        return NotApplicable("No all-to-all between GPUs was recorded.")
    if exchanges.unseen:
        return NotApplicable(f"Waiting for other GPUs counts as transfer here: {exchanges.unseen}.")
    if exchanges.sent_matched_ratio < MATCHED.value:
        return NotApplicable("Most calls were not found on a second GPU: waiting counts as transfer.")
    found = exchanges.all_to_all
    if found is None:
        return NotApplicable("GPUs send to and receive from one other GPU at a time: that is no all-to-all.")
    size = found.size_bytes and gigabytes(found.size_bytes / found.calls_per_step)
    return judge_exposed(
        found, ledger, timeline, BARE.value,
        transfers="All-to-all transfers",
        begin=f"All-to-all transfers for {ms(found.transfer_ns)} per step",
        end=f" Each GPU hands in {size} per call." if size else "",
        takes_part="GPUs that take part in a call",
        only="only all-to-all runs",
        calls="all-to-all",
    )  # fmt: skip


_ACTIONS = (
    "Let the layers that need no exchange (dense layers, attention, the shared expert) compute meanwhile: issue the exchange early and use its result late.",
    "Split each batch into two micro-batches, so that one is exchanged while the other one is computed.",
    "Exchange less: a lower capacity factor, experts balanced by an auxiliary loss, 16-bit activations, fewer or narrower embeddings per exchange.",
    "Keep experts or embedding tables within a host as far as memory allows, or exchange within hosts first and between them once (hierarchical all-to-all).",
)
RULE = Rule(
    id="all-to-all-exposed",
    topic="All-to-all under compute",
    title="Nothing is computed while GPUs exchange activations all-to-all",
    group="several_gpus",
    why=(
        "Experts and embedding tables that are spread over GPUs make every GPU send to every other one, in the "
        "forward and the backward pass. The next layer needs what comes, so the GPUs stand still unless there is "
        "something else to compute."
    ),
    measured="Calls by send and receive count where their op or type says all-to-all or three GPUs or more take part. Of their transfer (last arrival to end), what lies outside compute kernels on every participant is exposed (account communication.transfer). The saving is the exposed part, no longer than there is compute.",
    limits=(
        "Whether the model has something to compute that does not need the result is not looked at.",
        "Where neither op nor type is recorded, sending around a ring of three GPUs or more looks the same, and of two GPUs nothing is said.",
        "Waiting for a GPU that comes late is no transfer; allreduce-wait and slow-host speak of it.",
    ),
    guide=guide.ALLREDUCE,
    judge=judge,
    thresholds=(BARE, MATCHED),
    fix=Fix(
        summary="Compute something while experts or embeddings are exchanged, or exchange less.",
        actions=_ACTIONS,
        snippets=(
            keras(
                "import keras\nkeras.mixed_precision.set_global_policy('mixed_bfloat16')  # half the bytes of an exchange"
            ),
            custom_loop(
                "sent = exchange(embeddings)  # first: nothing below needs it\nhidden = bottom_layers(dense)\noutput = top_layers(hidden, sent)"
            ),
        ),
    ),
    jax=Fix(
        summary="Compute something while experts are exchanged, or exchange less.",
        actions=(
            "Let XLA schedule all-to-all beside compute: --xla_gpu_enable_latency_hiding_scheduler=true.",
            *_ACTIONS[1:],
        ),
        snippets=(
            shell("XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true python train.py"),
            jax(
                "halves = batch.reshape(2, -1, *batch.shape[1:])\nhidden = [experts(half) for half in halves]  # two independent chains in one program"
            ),
        ),
    ),
)
