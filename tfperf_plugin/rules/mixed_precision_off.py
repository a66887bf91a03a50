"""Matrix work runs in 32 bit on a GPU that has Tensor Cores for 16 bit."""

from __future__ import annotations

from tfperf_plugin.artifacts.devices import DeviceInfo, Devices
from tfperf_plugin.artifacts.kernels import MATRIX, KernelRow, Kernels
from tfperf_plugin.artifacts.shapes import reading_ns
from tfperf_plugin.artifacts.timeline import Timeline
from tfperf_plugin.engine.outcome import Evidence, Fix, Link, Snippet
from tfperf_plugin.engine.rule import Found, Missing, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.engine.words import ms, percent
from tfperf_plugin.guide import sections
from tfperf_plugin.guide.hardware import Peaks
from tfperf_plugin.ledger import Ledger
from tfperf_plugin.trace.roles import Precision
from tfperf_plugin.training import TrainingFacts

SHARE_16BIT = Threshold("matrix work in 16 bit", 0.10, "ratio", "XProf advises below 10 %")
KNOWN = Threshold(
    "matrix work whose number format is known", 0.5, "ratio", "else the profile does not say enough"
)

_WIDE = (Precision.FP32, Precision.TF32)


def judge(
    ledger: Ledger, kernels: Kernels, devices: Devices, timeline: Timeline, facts: TrainingFacts | None
) -> Verdict:
    """Bounds what 16 bit could bring by the ratio of the device's own peak rates."""
    able = [(d, p) for d in devices.participating if (p := d.peaks)]
    if not able:
        return NotApplicable("No participating GPU is known to have Tensor Cores.")
    narrow = (Precision.BITS16, Precision.BITS8)
    formats = (*narrow, Precision.TF32, Precision.FP32, Precision.FP64)
    known, matrix = kernels.matrix_ns(*formats), kernels.matrix_ns(*formats, Precision.UNKNOWN)
    if not matrix:
        return NotApplicable("The step has no matrix multiplication or convolution.")
    if known < KNOWN.value * matrix:
        return Missing(
            "The number format of most matrix kernels cannot be told from their names.",
            "Record tensor shapes with ProfilerOptions(host_tracer_level=3); TensorFlow 2.21 ignores that option.",
        )
    half = kernels.matrix_ns(*narrow) / known
    if half >= SHARE_16BIT.value:
        return Passed(f"{percent(half)} of the time of matrix kernels is 16 bit.")
    # The participating GPU that gains least.
    device, rates = min(able, key=lambda a: a[1].bits16 / a[1].fp32)
    wide = [r for r in kernels.rows if r.kernel_class in MATRIX and r.precision in _WIDE]
    now = {f: kernels.per_step(sum(r.total_ns for r in wide if r.precision is f)) for f in _WIDE}
    after = sum(_after_ns(r, rates, device) for r in wide)
    saving = kernels.exposed(ledger, kernels.per_step(sum(r.total_ns for r in wide) - after), *MATRIX)
    tf32 = now[Precision.TF32] and rates.tf32
    return Found(
        summary=(
            f"Matrix multiplications and convolutions take {ms(kernels.per_step(matrix))} of the step and only "
            f"{percent(half)} of that is 16 bit, although these GPUs have Tensor Cores for it.{_policy(facts)}"
        ),
        evidence=(
            Evidence("matrix work in 16 bit", half, "ratio", SHARE_16BIT.value, "kernel names and shapes"),
            Evidence("matrix kernels in float32", now[Precision.FP32], "ns", None, "per step and GPU"),
            Evidence("matrix kernels in TF32", now[Precision.TF32], "ns", None, "per step and GPU"),
            Evidence(
                "peak rate of 16 bit over float32",
                rates.bits16 / rates.fp32,
                "times",
                None,
                "compute capability",
            ),
            Evidence("peak in 16 bit", device.tflops(rates.bits16), "text", None, "compute capability"),
            Evidence("peak in float32", device.tflops(rates.fp32), "text", None, "compute capability"),
            *(
                [Evidence("peak in TF32", device.tflops(tf32), "text", None, "compute capability")]
                if tf32
                else []
            ),
            Evidence(
                "in 16 bit, at best",
                kernels.per_step(after),
                "ns",
                None,
                "ratio of these rates, or reading the inputs",
            ),
        ),
        where=kernels.places(wide, "matrix kernel in 32 bit") or timeline.worst(["compute"], "computing"),
        claims={"compute": saving},
        basis=(
            "measured matrix time × (1 − peak rate of its format / peak rate of 16 bit) of this GPU, but no kernel "
            "shorter than reading its inputs in 16 bit where shapes are recorded; what runs beside other products counts by its share"
        ),
        confidence="high" if facts and facts.policy == "float32" else "medium",
    )


def _after_ns(row: KernelRow, rates: Peaks, device: DeviceInfo) -> int:
    """What the row's kernels take in 16 bit at best."""
    rate = rates.tf32 if row.precision is Precision.TF32 else rates.fp32
    if not rate:
        return row.total_ns
    least = row.count * reading_ns(row.shape, device.memory_bandwidth) // 2
    return min(row.total_ns, max(row.total_ns * rate // rates.bits16, least))


def _policy(facts: TrainingFacts | None) -> str:
    return f" The training recorded the precision policy {facts.policy}." if facts and facts.policy else ""


RULE = Rule(
    id="mixed-precision-off",
    topic="16-bit matrix work",
    title="Matrix work runs in 32 bit; the GPUs are faster in 16 bit",
    group="precision",
    why=(
        "Tensor Cores compute matrix products in 16 bit several times faster than the other units do in "
        "float32, and 16-bit tensors need half the memory traffic."
    ),
    measured="The number format of each matrix multiplication and convolution is told from its name and, where they are recorded, from the shapes of its tensors. The time of those in float32 and TF32 is multiplied by 1 − peak rate of its format / peak rate of 16 bit, by the compute capability of the GPU that gains least; where shapes are recorded, no kernel counts as shorter than reading its inputs in 16 bit.",
    limits=(
        "It is a bound by peak rates: kernels that wait for memory, and small ones, gain less; that all other kernels move half the bytes in 16 bit is not counted.",
        "Kernels whose names do not tell a number format are left out, and if they are most the rule does not judge.",
        "Peak rates are known for NVIDIA GPUs only.",
    ),
    guide=sections.MIXED_PRECISION,
    judge=judge,
    thresholds=(SHARE_16BIT, KNOWN),
    fix=Fix(
        summary="Switch on mixed precision, then check that the validation result stays the same.",
        actions=(
            "Set the policy mixed_float16 (or mixed_bfloat16 from Ampere on) before the model is built.",
            "Keep the last softmax or the loss in float32.",
            "Make dimensions of matrix products divisible by 8.",
            "In a custom loop, scale the loss (mixed_float16 only).",
        ),
        snippets=(
            Snippet("Keras", "keras.mixed_precision.set_global_policy('mixed_float16')"),
            Snippet(
                "custom loop",
                "keras.mixed_precision.set_global_policy('mixed_float16')\n"
                "optimizer = keras.mixed_precision.LossScaleOptimizer(optimizer)\n"
                "with tf.GradientTape() as tape:\n    loss = optimizer.scale_loss(loss_fn(y, model(x, training=True)))",
            ),
            Snippet(
                "JAX",
                "x, params = x.astype(jnp.bfloat16), jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)",
            ),
        ),
        links=(Link("Mixed precision", "https://www.tensorflow.org/guide/mixed_precision"),),
    ),
    jax=Fix(
        summary="Compute in bfloat16, then check that the validation result stays the same.",
        actions=(
            "Cast inputs and parameters to bfloat16 inside the step, keep the parameters that the optimizer updates in float32.",
            "In Flax give layers dtype=jnp.bfloat16; param_dtype stays float32.",
            "Keep the last softmax or the loss in float32.",
            "Make dimensions of matrix products divisible by 8.",
        ),
        snippets=(
            Snippet(
                "JAX",
                "def loss_fn(params, x, y):\n"
                "    low = jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)\n"
                "    return loss_of(model(low, x.astype(jnp.bfloat16)).astype(jnp.float32), y)",
            ),
        ),
    ),
)
