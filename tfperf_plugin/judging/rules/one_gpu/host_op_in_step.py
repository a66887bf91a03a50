"""An op of the step runs on the CPU while the GPU waits."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.idle_launch import Pauses, Stalls
from tfperf_plugin.analysis.artifacts.host.placement import Placement
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import gpus, listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, keras

WAIT = Threshold("waiting for ops on the CPU", 0.01, "ratio", "lowest severity: 1 % of the step")
RECURRING = Threshold("steps with such a pause", 0.5, "ratio", "once in a while is no part of the step")
COPIES = ("copy.d2h", "copy.h2d")


def judge(ledger: Ledger, stalls: Stalls, placement: Placement) -> Verdict:
    """Compares the time that a step would gain without its ops on the CPU with the step.

    Copies to and from such an op count with it if the op itself takes longer than they do; otherwise
    excessive-memcpy claims them.
    """
    pauses = stalls.by_cause["host_op"]
    copying = pauses.copies_ns >= pauses.idle_ns
    claims = {a: 0 if copying and a in COPIES else ns for a, ns in pauses.claims.items()}
    gain = sum(claims.values())
    share = gain / max(1, ledger.step_ns)
    if share < WAIT.value or pauses.steps_ratio < RECURRING.value:
        return Passed(f"GPUs wait for ops on the CPU during {percent(share)} of the step.")
    evidence = [
        Evidence("GPU idle while ops run on the CPU", pauses.idle_ns, "ns", int(WAIT.value * ledger.step_ns),
                 "step budget, and events of ops that launch nothing"),
        Evidence("share of the step", share, "ratio", WAIT.value, "step budget"),
        Evidence("pauses for such ops", round(pauses.per_step_count, 1), "per_step", None, "late launches"),
        Evidence("longest pause", pauses.longest_ns, "ns", None, "late launches"),
    ]  # fmt: skip
    evidence += [Evidence(f"of it during {name}", ns, "ns", None, "host events") for name, ns in pauses.named]
    if pauses.copies_ns:
        evidence.append(Evidence("copies to and from these ops", pauses.copies_ns, "ns", None, "copies that carry the op's name"))  # fmt: skip
    if placement.by_time_ratio is not None:
        evidence.append(Evidence("op time spent on GPUs", placement.by_time_ratio, "ratio", None, "key number 2 of the guide"))  # fmt: skip
    return Found(
        summary=(
            f"In a step the {gpus(ledger.gpus_count)} idle for {ms(pauses.idle_ns)} while the CPU runs "
            f"{_ops_sentence(pauses)}, whose result the next kernels need."
        ),
        evidence=tuple(evidence),
        where=pauses.where,
        claims=claims,
        basis="by how much a step is shorter if these ops and their copies delay no launch",
        confidence="high" if stalls.gpus_count == 1 else "medium",
    )


def _ops_sentence(pauses: Pauses) -> str:
    if pauses.cause:
        return pauses.cause
    names = [name for name, _ in pauses.named]
    return f"several ops, most of all {listing(names)}" if names else "ops of the step"


RULE = Rule(
    id="host-op-in-step",
    title="CPU op stalls the GPU",
    action="Move the CPU op out of the step, or onto the GPU",
    group="one_gpu",
    why=(
        "An op without a GPU version, or Python code inside the step, runs on the CPU. Ops that need its "
        "result are launched only afterward, and the GPU is idle until then."
    ),
    guide=guide.PLACEMENT,
    judge=judge,
    thresholds=(WAIT, RECURRING),
    fix=Fix(
        summary="Take the op out of the step, or let the GPU run it.",
        actions=(
            "See where ops run: tf.debugging.set_log_device_placement(True) as the first statement.",
            "Replace py_function and numpy_function by TensorFlow ops; replace ops without a GPU version (tf.unique, string ops).",
            "Move work that depends only on the input into the input pipeline: dataset.map runs while the previous step does.",
            "If only a metric or a log line needs it, compute it every N steps, outside the step.",
        ),
        snippets=(
            keras(
                "ds = ds.map(lambda x, y: ((x, prepare(x)), y),  # instead of in the model\n"
                "            num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)"
            ),
            custom_loop(
                "tf.debugging.set_log_device_placement(True)  # first statement of the program\n"
                "train_step(next(iterator))  # prints the device of each op"
            ),
        ),
        links=(Link("Use a GPU: logging device placement", "https://www.tensorflow.org/guide/gpu"),),
    ),
    measured=(
        "The rule looks for pauses between two launches of a step after which the GPU was idle, and during "
        "at least 80 % of which an op that launches nothing ran on the CPU. It replays the step with all "
        "later launches moved forward by these pauses."
    ),
    limits=(
        "An op counts as the cause because it ran while the GPU waited; the profile does not hold the dependencies between ops.",
        "The rule needs host events of level 2; copies count only if they carry the op's name.",
    ),
    jax=Fix(
        summary="Take the op out of the step, or let the GPU run it.",
        actions=(
            "Look for callbacks to the host: jax.pure_callback, jax.experimental.io_callback, jax.debug.print.",
            "Move work that depends only on the input into the input pipeline.",
            "If only a metric or a log line needs it, compute it every N steps, outside the step.",
        ),
    ),
)
