"""The optimizer waits until the host has decided whether the gradients are finite."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
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
from tfperf_plugin.judging.engine.words import gpus, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, keras
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.trace.roles import Precision

WAIT = Threshold("gap before the optimizer", 0.01, "ratio", "lowest severity: 1 % of the step")
RECURRING = Threshold("steps with the gap", 0.5, "ratio", "the check is made in every step")


def judge(
    ledger: Ledger, stalls: Stalls, kernels: Kernels, devices: Devices, facts: TrainingFacts | None
) -> Verdict:
    """Compares the time that a step would gain if the optimizer waited for no decision with the step."""
    scaling = stalls.scaling
    half = kernels.ratio(Precision.BITS16)
    mixed = bool(half) or bool(facts and facts.policy == "mixed_float16")
    if not (scaling.checked and scaling.branch):
        return NotApplicable("No optimizer that waits for a check of the gradients was seen.")
    if not mixed:
        return NotApplicable("Nothing was computed in 16 bits, so no loss is scaled.")
    if not scaling.kernels:
        return Missing(
            f"Ops of dynamic loss scaling were recorded ({scaling.branch}), but no kernel of the optimizer.",
            "Record at least ten whole steps.",
        )
    pauses = stalls.by_cause["loss_scaling"]
    gain = sum(pauses.claims.values())
    share, gap = gain / max(1, ledger.step_ns), pauses.idle_ns / max(1, ledger.step_ns)
    if gap < WAIT.value or pauses.steps_ratio < RECURRING.value:
        return Passed(f"The GPUs are idle before the optimizer for {percent(gap)} of the step.")
    bfloat16 = all(d.has_bfloat16 for d in devices.participating)
    return Found(
        summary=(
            f"After the backward pass the {gpus(ledger.gpus_count)} idle for {ms(pauses.idle_ns)} in each step: whether all gradients are "
            f"finite is copied to the host, and only then does it launch the optimizer ({scaling.branch})."
        ),
        evidence=(
            Evidence("GPU idle before the first kernel of the optimizer", pauses.idle_ns, "ns",
                     int(WAIT.value * ledger.step_ns), "step budget, and launches by correlation id"),
            Evidence("share of the step, with the checks and late launches", share, "ratio", WAIT.value, "step budget"),
            Evidence("steps with the gap", pauses.steps_ratio, "ratio", RECURRING.value, "judged steps"),
            Evidence("kernels that check gradients", pauses.claims.get("compute", 0), "ns", None,
                     "ops IsFinite and All"),
            *([Evidence("16-bit share of compute", half, "ratio", None, "kernel names and shapes")] if half else []),
        ),
        where=pauses.where,
        claims=pauses.claims,
        basis="by how much a step is shorter without the checks and with the optimizer launched without waiting for them",
        confidence="high" if stalls.gpus_count == 1 else "medium",
        fix=_fix(bfloat16),
        action="Train in bfloat16, which needs no loss scaling" if bfloat16 else "",
    )  # fmt: skip


_LINKS = (Link("Mixed precision", "https://www.tensorflow.org/guide/mixed_precision"),)
_FIXED = (
    keras(
        "optimizer = tf.keras.optimizers.Adam(loss_scale_factor=1024)  # Keras 3: a fixed scale\n"
        "model.compile(optimizer, loss, auto_scale_loss=False)"
    ),
    custom_loop(
        "scale = 1024.0\nwith tf.GradientTape() as tape:\n    scaled = scale * compute_loss(batch)\n"
        "gradients = tape.gradient(scaled, model.trainable_variables)\n"
        "optimizer.apply_gradients(zip([g / scale for g in gradients], model.trainable_variables))"
    ),
)
_FIXED_ACTIONS = (
    "Use a fixed scale: Keras 3 loss_scale_factor=1024, Keras 2 LossScaleOptimizer(optimizer, dynamic=False, initial_scale=1024). Check that the loss still falls: infinite gradients are no longer skipped.",
    "Give each step more work with a larger batch: the gap takes the same time in every step, long or short.",
)


def _fix(bfloat16: bool) -> Fix:
    """bfloat16 if the GPUs support it: it has the range of float32, so the loss needs no scaling."""
    if not bfloat16:
        return Fix(
            "Use a fixed loss scale instead of one that is checked in every step.", _FIXED_ACTIONS, _FIXED, _LINKS
        )  # fmt: skip
    return Fix(
        summary="Train in bfloat16, which needs no loss scaling, or use a fixed scale.",
        actions=(
            "These GPUs multiply bfloat16 as fast as float16: set the policy mixed_bfloat16.",
            *_FIXED_ACTIONS,
        ),
        snippets=(keras("tf.keras.mixed_precision.set_global_policy('mixed_bfloat16')"), *_FIXED[1:]),
        links=_LINKS,
    )


RULE = declared(judge, thresholds=(WAIT, RECURRING))
