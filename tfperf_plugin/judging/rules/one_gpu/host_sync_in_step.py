"""The host waits for the GPU in the middle of the step and then launches late."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.idle_launch import Stalls
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import gpus, listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax, keras

WAIT = Threshold("idle after the host waited", 0.01, "ratio", "lowest severity; nsys-ai: 2 %")
RECURRING = Threshold("steps with such a pause", 0.5, "ratio", "once in a while is no part of the step")


def judge(ledger: Ledger, stalls: Stalls) -> Verdict:
    """Compares the time that a step would gain if the host never waited for the GPU inside it with the step."""
    pauses = stalls.by_cause["sync"]
    gain = sum(pauses.claims.values())
    share = gain / max(1, ledger.step_ns)
    if share < WAIT.value or pauses.steps_ratio < RECURRING.value:
        return Passed(f"Waiting for the GPU in the middle of the step costs {percent(share)} of it.")
    names = [name for name, _ in pauses.named]
    who = pauses.cause or (f"several calls, most of all {listing(names)}" if names else "calls that wait")
    return Found(
        summary=(
            f"In each step the host waits {round(pauses.per_step_count, 1):g} times for the GPU to finish and only then "
            f"goes on launching, in {who}. The {gpus(ledger.gpus_count)} idle for {ms(pauses.idle_ns)} per step in these "
            "pauses alone."
        ),
        evidence=(
            Evidence("GPU idle until the next launch after a wait", pauses.idle_ns, "ns", None,
                     "step budget, and synchronizing calls"),
            Evidence("share of the step", share, "ratio", WAIT.value, "step budget, with launches that come late in consequence"),
            Evidence("waits for the GPU", round(pauses.per_step_count, 1), "per_step", None,
                     "calls such as cuStreamSynchronize on the threads that launch"),
            Evidence("longest pause", pauses.longest_ns, "ns", None, "late launches"),
            *(Evidence(f"of it in {name}", ns, "ns", None, "host events") for name, ns in pauses.named),
        ),
        where=pauses.where,
        claims=pauses.claims,
        covers=pauses.covers,
        basis="by how much a step is shorter if no launch waits for these calls, including the launches that come late in consequence",
        confidence="high" if stalls.gpus_count == 1 else "medium",
    )  # fmt: skip


RULE = Rule(
    id="host-sync-in-step",
    title="Host sync in the step",
    action="Leave values on the GPU until the step is over",
    group="one_gpu",
    why=(
        "The host runs ahead of the GPU only as long as it does not wait for it. Each value that is read "
        "back inside the step drains the GPU's queue, and the GPU is idle until the host launches again."
    ),
    guide=guide.BEST_PRACTICES,
    judge=judge,
    thresholds=(WAIT, RECURRING),
    fix=Fix(
        summary="Leave values on the GPU until the step is over.",
        actions=(
            "Do not read tensors inside the step: no .numpy(), float(), bool(), print or Python if on a tensor; use tf.where, tf.cond, tf.print.",
            "Put the whole step into one tf.function, and read losses and metrics back every N steps.",
            "Use padded, fixed-size variants of ops whose number of results depends on data, so that no size must be read back.",
        ),
        snippets=(
            keras(
                "boxes, valid = tf.image.non_max_suppression_padded(\n"
                "    boxes, scores, max_output_size=100, pad_to_max_output_size=True)"
            ),
            custom_loop(
                "total = tf.Variable(0.0)\n\n@tf.function\ndef train_step(batch):\n    loss = step(batch)\n"
                "    total.assign_add(loss)  # stays on the GPU\n\nfor number, batch in enumerate(ds):\n"
                "    train_step(batch)\n    if number % 100 == 0:\n        print(float(total))"
            ),
        ),
    ),
    measured=(
        "The rule looks for pauses between two launches of a step in which the launching thread was in a "
        "synchronizing call, while the GPU ran out of work. It replays the step with all later launches "
        "moved forward by these calls."
    ),
    limits=(
        "The replay assumes that later launches do not depend on the value that was read.",
        "The rule does not see a wait that is not recorded as a driver call.",
    ),
    jax=Fix(
        summary="Leave values on the GPU until the step is over.",
        actions=(
            "Do not read arrays inside the step: no float(), bool(), .item(), np.asarray, print or Python if on an array; use jnp.where, jax.lax.cond.",
            "Put the whole step into one jax.jit, and read losses and metrics back every N steps.",
            "Call block_until_ready only for measuring.",
        ),
        snippets=(
            jax(
                "for step, batch in enumerate(batches):\n"
                "    state, loss = train_step(state, batch)\n"
                "    if step % 100 == 0:\n"
                "        print(float(loss))  # waits for the GPU"
            ),
        ),
    ),
)
