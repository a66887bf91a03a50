"""Some products run in 32 bit although most of the step uses 16 bit."""

from __future__ import annotations

from collections.abc import Sequence

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.kernels import KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import (
    Found,
    Missing,
    NotApplicable,
    Passed,
    Threshold,
    Verdict,
    declared,
)
from tfperf_plugin.judging.engine.wide import FORMATS_UNKNOWN, SWITCHED_ON_RATIO, Wide, wide_products
from tfperf_plugin.judging.engine.words import listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, jax, keras
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.trace.roles import Precision

SAVING = Threshold("saving", 0.01, "ratio", "lowest severity: 1 % of the step")
KNOWN = Threshold(
    "matrix work whose number format is known", 0.5, "ratio", "else the profile does not say enough"
)
ON = Threshold(
    "matrix work in 16 bit from which mixed precision counts as on", SWITCHED_ON_RATIO, "ratio",
    "XProf; below, mixed-precision-off judges", fixed=True,
)  # fmt: skip
SHOWN_COUNT = 4


def judge(
    ledger: Ledger, kernels: Kernels, devices: Devices, bounds: Bounds, facts: TrainingFacts | None
) -> Verdict:
    """Bounds what the 32-bit products of a step with mixed precision would save in 16 bit."""
    wide = wide_products(ledger, kernels, devices, bounds, facts)
    if not isinstance(wide, Wide):
        return wide
    if wide.known_ratio < KNOWN.value:
        return Missing(*FORMATS_UNKNOWN)
    half, share = wide.half_ratio, wide.saving_ns / max(1, ledger.step_ns)
    if not wide.mixed:
        return NotApplicable(
            f"{percent(half)} of the time of matrix kernels is 16 bit: mixed precision is off."
        )
    if share < SAVING.value:
        return Passed(wide.passed(ledger))
    layers = list(dict.fromkeys(title(row.op) for row in wide.rows if row.op))
    return Found(
        summary=(
            f"{percent(half)} of the time of matrix kernels is 16 bit, but products in 32 bit take "
            f"{ms(sum(wide.now_ns.values()))} of the step{f': {listing(layers, SHOWN_COUNT)}' if layers else ''}. "
            f"The {wide.device.matrix_units} of {'this GPU' if ledger.gpus_count == 1 else 'these GPUs'} would compute them in {ms(wide.after_ns)} at best.{wide.policy_words}"
        ),
        evidence=(
            Evidence("saving by products, as a share of the step", share, "ratio", SAVING.value, "step budget"),
            Evidence("matrix work in 16 bit", half, "ratio", ON.value, "kernel names and shapes"),
            Evidence("matrix kernels in float32", wide.now_ns[Precision.FP32], "ns", None, "per step and GPU"),
            Evidence("matrix kernels in TF32", wide.now_ns[Precision.TF32], "ns", None, "per step and GPU"),
            Evidence("in 16 bit, at best", wide.after_ns, "ns", None, "by peak rates, the operations, or reading the inputs"),
            Evidence("peak in 16 bit", wide.device.tflops(wide.rates.bits16), "text", None, wide.device.rates_source),
            Evidence("peak in float32", wide.device.tflops(wide.rates.fp32), "text", None, wide.device.rates_source),
            *(
                Evidence(title(r.op) or r.name[:60], kernels.per_step(r.total_ns), "ns", None, r.name[:100])
                for r in wide.rows[:SHOWN_COUNT]
            ),
        ),
        where=kernels.places(wide.rows, "matrix kernel in 32 bit"),
        claims={"compute": wide.saving_ns},
        kernels=kernels.names(wide.rows),
        basis=(
            "of products whose work is known, the time that operations or bytes need at the rates of usual layers, "
            "less the same in 16 bit; of others, measured time × (1 − peak rate of their format / peak rate of 16 bit), "
            "of which float32 products on NVIDIA reach 11/16 as much, but none shorter than reading its inputs if "
            "shapes are recorded; kernels that run beside others count by their share"
        ),
        confidence="medium",
        fix=_fix(wide.rows),
    )  # fmt: skip


_LINKS = (Link("Mixed precision", "https://www.tensorflow.org/guide/mixed_precision"),)
_SNIPPETS = (
    keras(
        "x = keras.layers.Dense(classes)(x)  # in 16 bit, by the policy\n"
        "outputs = keras.layers.Activation('softmax', dtype='float32')(x)"
    ),
    custom_loop(
        "logits = tf.matmul(x, tf.cast(kernel, x.dtype))  # not tf.cast(x, tf.float32)\n"
        "loss = loss_fn(labels, tf.cast(logits, tf.float32))"
    ),
    jax("logits = x @ kernel.astype(x.dtype)\nloss = loss_fn(labels, logits.astype(jnp.float32))"),
)


def _fix(wide: Sequence[KernelRow]) -> Fix:
    """Names the layers that stayed in 32 bit, longest first."""
    layers = list(dict.fromkeys(title(row.op) for row in wide if row.op))
    named = f": {listing(layers, SHOWN_COUNT)}" if layers else ""
    return Fix(
        summary="Move the layers that still compute in 32 bit to 16 bit, where the result allows it.",
        actions=(
            f"Find out why these stay in 32 bit{named}. Products stay in 32 bit in a layer with dtype='float32', "
            "behind a cast, or in a custom layer that ignores the policy.",
            "Keep float32 only where its range is needed: in the last softmax and the loss, not in the product before them.",
        ),
        snippets=_SNIPPETS,
        links=_LINKS,
    )


RULE = declared(judge, thresholds=(SAVING, KNOWN, ON), keeps_launches=True)
