"""Launches wait while tf.data's work takes the host's threads and cores."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import LEAST
from tfperf_plugin.judging.engine.words import gpus, say
from tfperf_plugin.recording.record import TrainingFacts

RECURRING = Threshold("steps with such a pause", 0.1, "ratio", "threads meet by chance, so not in every step")
TIMES = Threshold(
    "waiting with much of tf.data against with little", 2.0, "times", "else it has nothing to do with tf.data"
)
AT_ONCE = Threshold("functions of tf.data at once", 2, "count", "one alone leaves other cores free")
COMPARED = Threshold("launches on either side", 20, "count", "fewer are no comparison")

PRIVATE = "Each GPU has launch threads of its own (TF_GPU_THREAD_MODE=gpu_private)."
NO_TF_DATA = "The program takes no batches from tf.data."
FEW = "Launches that come late while tf.data runs cost {share:percent} of the step."
ALONE = "Launches come late, but at most one function of tf.data runs at once."
NOT_TF_DATA = (
    "Launching waits {much:percent} of its time while much of tf.data runs, and {quiet:percent} while next to nothing "
    "does: that is not because of tf.data."
)
LATE = (
    "The step has begun, but its next kernels are launched late while up to {peak} functions of tf.data run: the {gpus} "
    "idle for {idle:ms} per step."
)
COMPARISON = "Launching waits {much:percent} of its time while much of tf.data runs, {little:percent} while little does."
NO_COMPARISON = "The recording holds too little quiet time for a comparison."
BASIS = "by how much a step is shorter if launches that come late while tf.data runs come at once"


def judge(
    ledger: Ledger, stalls: Stalls, devices: Devices, facts: TrainingFacts | None, program: Program
) -> Verdict:
    """Compares the time that a step would gain if launches came as promptly as without tf.data with the step."""
    if program.framework == "PyTorch" and not program.tf_data:
        return NotApplicable(NO_TF_DATA)
    if all(devices.private_threads.values()) or bool(facts and facts.private_threads):
        return NotApplicable(PRIVATE)
    pauses, late = stalls.by_cause["contention"], stalls.late
    share = sum(pauses.claims.values()) / max(1, ledger.step_ns)
    if pauses.steps_ratio < RECURRING.value:
        return Passed(say(FEW, share=share))
    if late.peak_count < AT_ONCE.value:
        return Passed(ALONE)
    compared = min(late.much.count, late.little.count) >= COMPARED.value
    compared &= late.much.ratio >= TIMES.value * late.little.ratio
    quiet = min(late.much.count, late.quiet.count) >= COMPARED.value
    if not compared and quiet and late.much.ratio < TIMES.value * late.quiet.ratio:
        return Passed(say(NOT_TF_DATA, much=late.much.ratio, quiet=late.quiet.ratio))
    much, little = late.much.ratio, late.little.ratio
    told = {"peak": late.peak_count, "gpus": gpus(ledger.gpus_count), "idle": pauses.idle_ns}
    comparison = (
        Evidence("launching time spent waiting, much of tf.data running", much, "ratio", min(1.0, TIMES.value * little), "launches; the threshold is twice the next line"),
        Evidence("launching time spent waiting, little of tf.data running", little, "ratio", None, "launches"),
    )  # fmt: skip
    return Found(
        summary=say(LATE, COMPARISON if compared else NO_COMPARISON, much=much, little=little, **told),
        evidence=(
            Evidence("GPU idle until a late launch while tf.data runs", pauses.idle_ns, "ns", int(LEAST.value * ledger.step_ns), "step budget, launches and tf.data's functions"),
            Evidence("share of the step", share, "ratio", LEAST.value, "step budget"),
            Evidence("steps with such a pause", pauses.steps_ratio, "ratio", RECURRING.value, "judged steps"),
            Evidence("longest pause", pauses.longest_ns, "ns", None, "late launches"),
            Evidence("functions of tf.data at once, at most", late.peak_count, "count", int(AT_ONCE.value), "InstantiatedCapturedFunction::Run"),
            *(comparison if compared else ()),
            Evidence("launch threads private to a GPU", "no", "text", None, "no thread tf_gpu_private_*"),
        ),
        where=pauses.places.all(),
        claims=pauses.claims,
        basis=BASIS,
        confidence="medium" if compared else "low",
    )  # fmt: skip


RULE = declared(
    judge,
    thresholds=(RECURRING, TIMES, AT_ONCE, COMPARED),
    explained_by=("processors-full",),
    needs=("host ops", "clocks"),
)
