"""Gathers, scatters and embedding lookups that move rows far below the memory's bandwidth."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compute.bounds import ABOVE, Bounds
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.artifacts.compute.slow import Slow, SlowOp, moves_rows
from tfperf_plugin.analysis.artifacts.timeline import Places
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import count, gigabytes, ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax, keras

SHARE = Threshold("saving", 0.01, "ratio", "lowest severity: 1 % of the step")
SHOWN_COUNT = 4


def judge(ledger: Ledger, bounds: Bounds, slow: Slow) -> Verdict:
    """Compares gathers and scatters with moving their rows once at the memory's bandwidth."""
    every = [op for (_, name), op in bounds.ops.items() if moves_rows(name, op)]
    if not every:
        return NotApplicable("The step has no gather, scatter or lookup on a GPU.")
    least = SHARE.value * ledger.step_ns
    ops = slow.ops("slow-gathers")
    saving, spent = slow.recoverable_ns("slow-gathers"), slow.spent_ns("slow-gathers")
    unknown = bounds.per_step(sum(op.compute_ns for op in every if op.not_judged not in ("", ABOVE)))
    if saving < least:
        if unknown >= least:
            return Missing(
                f"Gathers and scatters take {ms(unknown)} per step, but how much they move was not recorded.",
                "Compile the function with the lookup with jit_compile=True: XLA's programs tell the shapes.",
            )
        total = bounds.per_step(sum(op.compute_ns for op in every))
        return Passed(f"Gathers and scatters take {percent(total / max(1, ledger.step_ns))} of the step.")
    moved = bounds.per_step(sum(op.bound.bytes for op in ops))
    rate = sum(op.bound.bytes for op in ops) / max(1, sum(op.bound.total_ns for op in ops))
    return Found(
        summary=(
            f"{count(len(ops), 'gather or scatter', 'gathers and scatters')} of the step {'takes' if len(ops) == 1 else 'take'} {ms(spent)} to move "
            f"{gigabytes(moved)}, {rate:.3g} GB/s. At the bandwidth that kernels reach, that needs {ms(spent - saving)}."
        ),
        evidence=(
            Evidence("gathers and scatters", spent, "ns", None, "per step and GPU"),
            Evidence("above the time that their bytes need", saving, "ns", int(least), "per step and GPU"),
            Evidence("bytes of their rows and ids", moved, "bytes", None, "shapes in the profile"),
            *([Evidence("others, whose bytes were not recorded", unknown, "ns", None, "per step and GPU")] if unknown else []),
            *(_evidence(bounds, op) for op in ops[:SHOWN_COUNT]),
        ),
        where=Places.of((op.bound.longest_ns, op.bound.longest) for op in ops).all("slow gather or scatter"),
        claims={"compute": saving},
        kernels=tuple(dict.fromkeys(op.bound.kernel for op in ops)),
        basis="measured time of these ops − moving what they gather or scatter once, at 85 % of the memory's bandwidth",
        confidence="medium",
    )  # fmt: skip


def _evidence(bounds: Bounds, op: SlowOp) -> Evidence:
    rate = op.bound.bytes / max(1, op.bound.total_ns)
    return Evidence(
        title(op.name)[:100],
        bounds.per_step(op.bound.recoverable_ns),
        "ns",
        None,
        f"of {ms(bounds.per_step(op.bound.compute_ns))}, at {rate:.3g} GB/s",
    )


RULE = Rule(
    id="slow-gathers",
    title="Slow gathers and scatters",
    action="Look up each id once, and make rows longer",
    group="one_gpu",
    why=(
        "A lookup moves single rows. Short rows waste most of each access to memory, and gradients of ids that "
        "occur several times are added one after another."
    ),
    guide=guide.BEST_PRACTICES,
    judge=judge,
    thresholds=(SHARE,),
    measured=(
        "The rule takes ops that gather or scatter (GatherV2, ResourceGather, UnsortedSegmentSum, scatters of XLA "
        "and others) whose bytes are known: a gather reads and writes each row, a scatter reads and writes the row "
        "beside what it adds. The bound is their time less that of these bytes at 85 % of the bandwidth."
    ),
    limits=(
        "Memory moves at least 32 bytes at a time, so rows shorter than that cannot reach the bound.",
        "The profile does not record the ids, so the rule does not know how many of them are equal.",
    ),
    fix=Fix(
        summary="Look up each id once, keep gradients sparse, and make rows longer.",
        actions=(
            "Look up unique ids only and spread the rows afterwards: tf.unique, then tf.gather.",
            "Keep gradients of tables sparse (tf.IndexedSlices): do not turn them into dense tensors by clipping or decay.",
            "Sort ids within a batch if their order does not matter, so that equal rows are next to each other.",
            "Combine tables that are looked up with the same ids into one with longer rows, of at least 32 bytes.",
        ),
        snippets=(
            keras(
                "unique, position = tf.unique(tf.reshape(ids, [-1]))\n"
                "rows = tf.gather(embedding(unique), position)  # embedding: keras.layers.Embedding"
            ),
            custom_loop(
                "unique, position = tf.unique(tf.reshape(ids, [-1]))\n"
                "rows = tf.gather(tf.gather(table, unique), position)"
            ),
        ),
    ),
    jax=Fix(
        summary="Tell XLA what is known of the ids, and make rows longer.",
        actions=(
            "Sort ids and say so (indices_are_sorted=True), or that they are unique (unique_indices=True).",
            "Combine tables that are looked up with the same ids into one with longer rows.",
            "For a small table, multiply with one-hot vectors instead: a product is faster than many tiny rows.",
        ),
        snippets=(
            jax(
                "rows = table.at[ids].get(indices_are_sorted=True, mode='clip')\n"
                "table = table.at[ids].add(updates, indices_are_sorted=True, unique_indices=True)"
            ),
        ),
    ),
)
