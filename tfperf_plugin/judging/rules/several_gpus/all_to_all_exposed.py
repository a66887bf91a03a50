"""All-to-all calls are exposed: they run while nothing is computed."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.communication.exchanges import ModelExchanges
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
    """Compares the exposed transfer of all-to-all calls with the step."""
    if not exchanges.sending:
        return NotApplicable("No all-to-all between GPUs was recorded.")
    if exchanges.unseen:
        return NotApplicable(f"Waiting for other GPUs counts as transfer here: {exchanges.unseen}.")
    if exchanges.sent_matched_ratio < MATCHED.value:
        return NotApplicable("Most calls were not found on a second GPU: waiting counts as transfer.")
    found = exchanges.all_to_all
    if found is None:
        return NotApplicable("Each GPU exchanges data with one other GPU at a time: this is not all-to-all.")
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
    "Overlap the exchange with layers that do not depend on it (dense layers, attention, the shared expert): start it early and use its result late.",
    "Split each batch into two micro-batches, and exchange one while computing the other.",
    "Exchange less: lower the capacity factor, balance experts with an auxiliary loss, send 16-bit activations, send fewer or narrower embeddings.",
    "Keep experts or embedding tables within one host where memory allows, or exchange within hosts first and then once between hosts (hierarchical all-to-all).",
)
RULE = Rule(
    id="all-to-all-exposed",
    title="Exposed all-to-all",
    action="Overlap all-to-all with compute, or exchange less",
    group="several_gpus",
    why=(
        "When experts or embedding tables are spread over GPUs, every GPU sends data to every other GPU in "
        "the forward and the backward pass. The next layer needs that data, so the GPUs compute nothing "
        "until it arrives, unless the model has independent work."
    ),
    measured="Send and receive calls count as all-to-all if their op or type says so, or if at least three GPUs take part. Transfer runs from the last GPU's arrival to the end of a call. The part during which no participant runs a compute kernel is exposed (account Exposed transfer). The saving is the exposed transfer, at most the step's compute time.",
    limits=(
        "The rule does not check whether the model has work that can run before the result arrives.",
        "If neither the op nor the type is recorded, a ring exchange among three or more GPUs looks like all-to-all, and calls between two GPUs are not judged.",
        "Waiting for a late GPU is not transfer; allreduce-wait and slow-host report it.",
    ),
    guide=guide.ALLREDUCE,
    judge=judge,
    thresholds=(BARE, MATCHED),
    fix=Fix(
        summary="Overlap the exchange of experts or embeddings with compute, or exchange less.",
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
        summary="Overlap the exchange of experts with compute, or exchange less.",
        actions=(
            "Let XLA overlap all-to-all with compute: --xla_gpu_enable_latency_hiding_scheduler=true.",
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
