"""Copies in the middle of the step make kernels wait."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.memory.copies import Copies, CopyGroup
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax, keras
from tfperf_plugin.trace.roles import Role

EXPOSED = Threshold(
    "exposed copies in the middle of the step", 0.01, "ratio", "lowest severity: 1 % of the step"
)
RECURRING = Threshold(
    "steps with such copies",
    0.5,
    "ratio",
    "at the same place in every step, says the guide; half of them at least",
)

READ_BACK = Threshold(
    "bytes read back after the last kernel", 1_000_000, "bytes", "a loss and metrics are a few bytes"
)

_WORDS = {Role.H2D: "to the GPU", Role.D2H: "to the host", Role.D2D: "within the GPU"}


def judge(ledger: Ledger, copies: Copies, timeline: Timeline) -> Verdict:
    """Compares exposed copies, other than those of the batch and the loss, with the step.

    d2d-copies judges copies between GPUs.
    """
    groups = list(copies.middle)
    if copies.after.size_bytes >= READ_BACK.value:
        groups.append(copies.after)
    recurring = [g for g in groups if g.exposed_ns and g.steps_ratio >= RECURRING.value]
    exposed = sum(g.exposed_ns for g in recurring)
    share = exposed / max(1, ledger.step_ns)
    if share < EXPOSED.value:
        return Passed(f"Copies inside the step take {percent(share)} of it that nothing hides.")
    worst = max(recurring, key=lambda g: g.exposed_ns)
    ops = [op for op, _ in worst.ops]
    place = "After its last kernel the GPU" if worst is copies.after else "In the middle of a step the GPU"
    named = (
        f" Most come from {listing(ops)}." if ops else " The profile does not name the ops that cause them."
    )
    evidence = [
        Evidence("copies that nothing hides", exposed, "ns", int(EXPOSED.value * ledger.step_ns), "accounts H2D, D2H and D2D copy, other than the batch and the loss"),
        Evidence("share of the step", share, "ratio", EXPOSED.value, "step budget"),
    ]  # fmt: skip
    return Found(
        title="D2H copies after the step" if worst is copies.after else None,
        summary=f"{place} does nothing but copy, mostly {_WORDS[worst.direction]}: {ms(exposed)} per step.{named}",
        action="Copy fewer results to the host after each step"
        if worst is copies.after
        else "Move less data inside the GPU"
        if worst.direction is Role.D2D
        else "",
        cause=f"{place} only copies for {ms(exposed)}, mostly {_WORDS[worst.direction]} for {ops[0]}."
        if ops
        else "",
        evidence=(*evidence, *(row for group in recurring for row in _copied(group))),
        where=timeline.worst(sorted({g.account for g in recurring}), "only a copy runs"),
        claims={
            account: sum(g.exposed_ns for g in recurring if g.account == account)
            for account in dict.fromkeys(g.account for g in recurring)
        },
        basis="copies other than the batch and the loss while nothing else runs",
        fix={Role.D2D: _FIX_WITHIN_GPU, Role.H2D: _FIX_TO_GPU}.get(worst.direction),
    )


def _copied(group: CopyGroup) -> tuple[Evidence, ...]:
    """Number of the copies, and their bytes if recorded."""
    way, often = _WORDS[group.direction], round(group.per_step_count, 1)
    return (
        Evidence(f"copies {way}", often, "per_step", None, "copy events"),
        Evidence(f"bytes {way}", group.size_bytes, "bytes", None, "copy events, per step and GPU"),
    )[: 2 if group.size_bytes else 1]


_FIX_WITHIN_GPU = Fix(
    summary="Move less data inside the GPU.",
    actions=(
        "In the trace, see which kernels run before and after the copies, and which tensor has the size of the copies.",
        "Let ops work in place, donate buffers that are no longer used, and avoid concat and split of large tensors.",
        "Let XLA fuse ops that only move data: jit_compile=True.",
    ),
    snippets=(
        keras("model.compile(optimizer, loss, jit_compile=True)"),
        jax("train_step = jax.jit(train_step, donate_argnums=(0,))  # updates the state in place"),
    ),
)
_TO_GPU = (
    "Find the op that runs on the CPU: tf.debugging.set_log_device_placement(True).",
    "Replace ops without a GPU version (tf.unique, string ops, py_function) or move them into the input pipeline.",
)
_DEVICES = keras(
    "tf.debugging.set_log_device_placement(True)  # first statement of the program\nmodel.fit(ds.take(1))"
)
_FIX_TO_GPU = Fix(
    summary="Keep the step's tensors on the GPU, and pass data from the host only in the batch.",
    actions=(
        *_TO_GPU,
        "Do not pass NumPy arrays or Python values to the step: feed batches through the input pipeline "
        "and create constants once.",
    ),
    snippets=(
        _DEVICES,
        custom_loop(
            "table = tf.constant(table)  # once, outside the loop\nfor batch in ds.prefetch(tf.data.AUTOTUNE):\n"
            "    train_step(batch, table)"
        ),
    ),
)


RULE = declared(
    judge, thresholds=(EXPOSED, RECURRING, READ_BACK), explained_by=("host-op-in-step", "host-sync-in-step")
)
