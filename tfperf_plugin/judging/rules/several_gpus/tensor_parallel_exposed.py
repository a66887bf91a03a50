"""Sums of tensor parallelism are exposed: they run while nothing is computed."""

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


def judge(ledger: Ledger, exchanges: ModelExchanges, timeline: Timeline) -> Verdict:
    """Compares the exposed transfer within layers that are spread over GPUs with the step."""
    if exchanges.unseen:
        return NotApplicable(f"Waiting for other GPUs counts as transfer here: {exchanges.unseen}.")
    found = exchanges.tensor_parallel
    if found is None:
        return NotApplicable(
            "No GPUs sum in both the forward and the backward pass, as those that share a layer do."
        )
    size = found.size_bytes and gigabytes(found.size_bytes / found.calls_per_step)
    calls = f"{found.calls_per_step:.3g} calls per step" + (f" of {size}" if size else "")
    return judge_exposed(
        found, ledger, timeline, BARE.value,
        transfers="Sums within the model transfer",
        begin=f"{found.participants} GPUs sum parts of the model in the forward and the backward pass: {calls} transfer "
        f"for {ms(found.transfer_ns)}",
        end="",
        takes_part="GPUs that share a layer",
        only="only a sum within the model runs",
        calls="these calls",
    )  # fmt: skip


_ACTIONS = (
    "Spread each layer over fewer GPUs, at most those connected by NVLink, and use the other GPUs for data parallelism, whose exchange compute can hide.",
    "Replace each sum by reduce-scatter and all-gather around the layers in between (sequence parallelism), which also divides the activations.",
    "Split products so that one part is summed while the next one is computed (asynchronous tensor parallelism).",
    "Give each GPU a larger batch: compute per call grows, the cost of starting a call does not.",
    "If the sums are those of synchronized batch normalization, use the plain one with a larger batch per GPU.",
)
RULE = Rule(
    id="tensor-parallel-exposed",
    title="Exposed tensor-parallel sums",
    action="Overlap the sums within the model, or sum less",
    group="several_gpus",
    why=(
        "If a layer is spread over GPUs (tensor parallelism), each GPU holds a part of every result. The "
        "parts must be summed before the next layer, in the forward and the backward pass. Unlike "
        "gradients, these sums cannot wait."
    ),
    measured="Calls of AllReduce, reduce-scatter and all-gather in a group of GPUs count here if 27 % or more of the transfer of the group's sums begins before a quarter of the step's compute is done, when no gradient exists. Transfer runs from the last GPU's arrival to the end of a call. The part during which no participant runs a compute kernel is exposed (account Exposed transfer). The saving is the exposed transfer, at most the step's compute time.",
    limits=(
        "Any other sum in the forward pass looks the same, such as the calls of some kilobytes that synchronized batch normalization makes.",
        "Gradients that the same GPUs exchange count here as well.",
        "The rule does not consider what fewer GPUs per layer would cost in memory and in other exchanges.",
    ),
    guide=guide.ALLREDUCE,
    judge=judge,
    thresholds=(BARE,),
    fix=Fix(
        summary="Spread layers over fewer GPUs, or overlap these sums with compute.",
        actions=_ACTIONS,
        snippets=(
            keras(
                "devices = keras.distribution.list_devices()\nmesh = keras.distribution.DeviceMesh(\n    (len(devices) // 2, 2), ('batch', 'model'), devices)  # two GPUs share a layer"
            ),
            custom_loop(
                "mesh = tf.experimental.dtensor.create_mesh(\n    [('batch', gpus // 2), ('model', 2)], device_type='GPU')  # two GPUs share a layer"
            ),
        ),
    ),
    jax=Fix(
        summary="Spread layers over fewer GPUs, or overlap these sums with compute.",
        actions=(
            *_ACTIONS[:2],
            "Let XLA overlap collectives with compute: --xla_gpu_enable_latency_hiding_scheduler=true.",
            *_ACTIONS[3:],
        ),
        snippets=(
            jax(
                "mesh = jax.make_mesh((jax.device_count() // 2, 2), ('batch', 'model'))  # two GPUs share a layer"
            ),
            shell("XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true python train.py"),
        ),
    ),
)
