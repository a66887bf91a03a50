"""XLA compiles again and again."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compilation import Compilation
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.inputs import HOW_TO_MARK_STEPS
from tfperf_plugin.judging.engine.rank import severity_of
from tfperf_plugin.judging.engine.rule import Found, Missing, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import count, listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, jax, keras

COMPILING = Threshold("waiting for XLA's compiler", 0.01, "ratio", "lowest severity: 1 % of the step")
STEPS = Threshold(
    "steady steps that compile", 2, "count", "compiling once is no pattern: a last, smaller batch does so"
)


def judge(compilation: Compilation, ledger: Ledger | None) -> Verdict:
    """Compares the time in which the step waits for XLA's compiler with the step.

    Where no GPU was recorded, the host's own compiling is compared with the host's step.
    """
    if not compilation.judged_count:
        return Missing("The profile does not tell where a step begins and ends.", HOW_TO_MARK_STEPS)
    compiling = compilation.compiling
    if compiling.steps_count < STEPS.value:
        return Passed(
            f"XLA compiles in {compiling.steps_count} of {count(compilation.judged_count, 'steady step')}."
        )
    if ledger is None:
        lost, where, of, step_ns = compiling.host_ns, compiling.where, "the host's step", compilation.step_ns
    else:
        idle = compilation.idle(ledger, compilation.while_compiling, "GPU idle while XLA compiles")
        lost, where, of, step_ns = idle.total_ns, idle.where, "the step", ledger.step_ns
    share = lost / max(1, step_ns)
    if share < COMPILING.value:
        return Passed(f"XLA compiles during {percent(share)} of {of}.")
    names = listing([f.name for f in compiling.functions], 3)
    effect = (
        f"the host compiles for {ms(lost)} of an average step. No GPU was recorded, so this is the host's time, not a GPU's."
        if ledger is None
        else f"the GPUs are idle for {ms(lost)} of an average step meanwhile."
    )
    both = compilation.traced_and_compiled_count
    label = "the host compiles" if ledger is None else "GPU idle while XLA compiles"
    source = "host events, per step" if ledger is None else "ledger, idle.compile while XLA compiles"
    return Found(
        summary=f"In {compiling.steps_count} of {compilation.judged_count} steady steps XLA compiles "
        f"{names or 'a program'} anew, and {effect}"
        + (f" In {both} of these steps the function was traced anew as well." if both else ""),
        evidence=(
            Evidence(label, lost, "ns", int(COMPILING.value * step_ns), source),
            Evidence(f"share of {of}", share, "ratio", COMPILING.value, source),
            Evidence(
                "steady steps that compile", compiling.steps_count, "count", int(STEPS.value), "host events"
            ),
            Evidence("of them traced anew as well", both, "count", None, "host events"),
        ),
        where=where,
        claims={} if ledger is None else {"idle.compile": lost},
        basis="all time in which a GPU is idle and XLA compiles" if ledger else "",
        severity=severity_of(lost, step_ns) if ledger is None else None,
        impact_ratio=share if ledger is None else 0.0,
    )


RULE = Rule(
    id="xla-recompilation",
    topic="Compiling again",
    title="XLA compiles again and again",
    group="one_gpu",
    why="XLA compiles a program for fixed shapes. A batch of a shape that it has not seen yet makes it compile "
    "anew, for hundreds of milliseconds to minutes, in which nothing is launched.",
    guide=guide.XLA,
    judge=judge,
    thresholds=(COMPILING, STEPS),
    measured="Events of XLA's compiler, and where they lie inside the program's op all time from the op's begin "
    "until it first runs; of these the time in which a GPU is idle (account idle.compile). Averaged over steady "
    "steps.",
    limits=(
        "It does not see which shape changed.",
        "Kernels that XLA tries out while it compiles count as computing, not as compiling.",
        "Names of compiler events differ between versions; compiling without any event looks like idling whose "
        "reason was not recorded.",
    ),
    fix=Fix(
        summary="Give XLA the same few shapes in all steps, so that it compiles once for each.",
        actions=(
            "Drop the last, smaller batch: drop_remainder=True.",
            "Pad sequences to one length, or to a few lengths (bucketing): XLA compiles once for each.",
            "Pass Python numbers that change as tensors: each new value is a new program.",
            "Where shapes must vary from step to step, leave that part out of jit_compile.",
        ),
        snippets=(
            keras(
                "ds = ds.padded_batch(batch_size, padded_shapes=([512], []), drop_remainder=True)\n"
                "model.compile(optimizer, loss, jit_compile=True)"
            ),
            custom_loop(
                "ds = ds.bucket_by_sequence_length(\n"
                "    lambda x, y: tf.shape(x)[0], bucket_boundaries=[128, 256, 512],\n"
                "    bucket_batch_sizes=[64, 32, 16, 16], pad_to_bucket_boundary=True, drop_remainder=True)"
            ),
        ),
        links=(Link("XLA: known issues", "https://www.tensorflow.org/xla/known_issues"),),
    ),
    jax=Fix(
        summary="Give XLA the same few shapes in all steps, so that it compiles once for each.",
        actions=(
            "Drop the last, smaller batch, or pad it.",
            "Pad sequences to one length, or to a few lengths: XLA compiles once for each.",
            "Values of static_argnums and Python objects that change make new programs: pass numbers as arrays.",
            "Make jitted functions once, outside the loop: a new lambda is compiled anew. jax.config.update('jax_log_compiles', True) tells what changes.",
        ),
        snippets=(
            jax(
                "jax.config.update('jax_log_compiles', True)\n"
                "batch = jnp.pad(batch, ((0, 0), (0, 512 - batch.shape[1])))"
            ),
        ),
    ),
)
