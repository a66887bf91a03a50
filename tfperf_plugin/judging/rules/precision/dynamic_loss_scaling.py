"""The optimizer waits until the host has decided whether the gradients are finite."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.evidence import Evidence, Missing
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST, too_little
from tfperf_plugin.judging.engine.words import gpus, say
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.trace.roles import Precision

RECURRING = Threshold("steps with the gap", 0.5, "ratio", "the check is made in every step")

NONE = "No optimizer that waits for a check of the gradients was seen."
NOT_MIXED = "Nothing was computed in 16 bits, so no loss is scaled."
NO_KERNEL = "Ops of dynamic loss scaling were recorded ({branch}), but no kernel of the optimizer."
RECORD = "Record at least ten whole steps."
LITTLE = "The GPUs are idle before the optimizer for {gap:percent} of the step."
WAITS = (
    "After the backward pass the {gpus} idle for {idle:ms} in each step: whether all gradients are finite is copied to the "
    "host, and only then does it launch the optimizer ({branch})."
)
BASIS = "by how much a step is shorter without the checks and with the optimizer launched without waiting for them"


def judge(
    ledger: Ledger, stalls: Stalls, kernels: Kernels, devices: Devices, facts: TrainingFacts | None
) -> Verdict:
    """Compares the time that a step would gain if the optimizer waited for no decision with the step."""
    scaling = stalls.scaling
    half = kernels.ratio(Precision.BITS16)
    if not (scaling.checked and scaling.branch):
        return NotApplicable(NONE)
    if not half and not (facts and facts.policy == "mixed_float16"):
        return NotApplicable(NOT_MIXED)
    if not scaling.kernels:
        return Missing(say(NO_KERNEL, branch=scaling.branch), RECORD)
    pauses = stalls.by_cause["loss_scaling"]
    gain = sum(pauses.claims.values())
    share = gain / max(1, ledger.step_ns)
    if pauses.steps_ratio < RECURRING.value:
        return Passed(say(LITTLE, gap=pauses.idle_ns / max(1, ledger.step_ns)))
    if little := too_little(pauses.idle_ns, ledger.step_ns):
        return little
    return Found(
        summary=say(WAITS, gpus=gpus(ledger.gpus_count), idle=pauses.idle_ns, branch=scaling.branch),
        evidence=(
            Evidence("GPU idle before the first kernel of the optimizer", pauses.idle_ns, "ns", int(LEAST.value * ledger.step_ns), "step budget, and launches by correlation id"),
            Evidence("share of the step, with the checks and late launches", share, "ratio", LEAST.value, "step budget"),
            Evidence("steps with the gap", pauses.steps_ratio, "ratio", RECURRING.value, "judged steps"),
            Evidence("kernels that check gradients", pauses.claims.get("compute", 0), "ns", None, "ops IsFinite and All"),
            *([Evidence("16-bit share of compute", half, "ratio", None, "kernel names and shapes")] if half else []),
        ),
        where=pauses.places.all(),
        claims=pauses.claims,
        basis=BASIS,
        confidence="high" if stalls.gpus_count == 1 else "medium",
        advice="bfloat16" if all(d.has_bfloat16 for d in devices.participating) else "",
    )  # fmt: skip


RULE = declared(judge, thresholds=(RECURRING,), needs=("clocks",))
