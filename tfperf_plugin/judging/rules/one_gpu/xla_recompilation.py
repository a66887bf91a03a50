"""XLA compiles again and again."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.host.compilation import Compilation
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.recompiling import judge_recompiling
from tfperf_plugin.judging.engine.rule import Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, jax, keras

COMPILING = Threshold("waiting for XLA's compiler", 0.01, "ratio", "lowest severity: 1 % of the step")
STEPS = Threshold(
    "steady steps that compile", 2, "count", "compiling once is no pattern: a last, smaller batch does so"
)


def judge(compilation: Compilation, ledger: Ledger | None) -> Verdict:
    """Compares the time in which the step waits for XLA's compiler with the step.

    Where no GPU was recorded, the host's own compiling is compared with the host's step.
    """
    both = compilation.traced_and_compiled_count
    functions = compilation.compiling.functions or compilation.rare_compiling.functions
    return judge_recompiling(
        compilation, ledger, compilation.compiling, compilation.rare_compiling, compilation.while_compiling,
        COMPILING.value, STEPS.value,
        clause="XLA compiles", verb="compile", place="GPU idle while XLA compiles",
        anew=f"XLA compiles {listing([f.name for f in functions], 3) or 'a program'}",
        also=f" In {both} of these steps the function was traced anew as well." if both else "",
        more=(Evidence("of them traced anew as well", both, "count", None, "host events"),),
    )  # fmt: skip


RULE = Rule(
    id="xla-recompilation",
    title="XLA recompilation",
    action="Keep shapes and constants the same in every step",
    group="one_gpu",
    why="XLA compiles a program for fixed shapes. A batch of a new shape makes it compile again, which takes "
    "hundreds of milliseconds to minutes. Meanwhile the host launches nothing.",
    guide=guide.XLA,
    judge=judge,
    thresholds=(COMPILING, STEPS),
    measured="The rule takes events of XLA's compiler and, if they lie inside the program's op, all time from the "
    "start of the op until the program first runs. It counts the time within them in which a GPU is idle "
    "(account Compile wait), averaged over steady steps.",
    limits=(
        "The rule cannot tell which shape changed.",
        "Kernels that XLA tries out while it compiles count as computing, not as compiling.",
        "Names of compiler events differ between versions; compiling without any event looks like idle "
        "time without a recorded cause.",
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
            "Changing values of static_argnums and changing Python objects make new programs: pass numbers as arrays.",
            "Create jitted functions once, outside the loop: each new lambda is compiled again. jax.config.update('jax_log_compiles', True) shows what changes.",
        ),
        snippets=(
            jax(
                "jax.config.update('jax_log_compiles', True)\n"
                "batch = jnp.pad(batch, ((0, 0), (0, 512 - batch.shape[1])))"
            ),
        ),
    ),
)
