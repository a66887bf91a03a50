"""Matrix work runs in 32 bit on a GPU that has Tensor Cores for 16 bit."""

from __future__ import annotations

from collections.abc import Sequence

from tfperf_plugin.analysis.artifacts.devices import DeviceInfo, Devices
from tfperf_plugin.analysis.artifacts.kernels import MATRIX, KernelRow, Kernels
from tfperf_plugin.analysis.artifacts.op_names import title
from tfperf_plugin.analysis.artifacts.shapes import reading_ns
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.hardware.peaks import Peaks
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, Missing, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import listing, ms, percent
from tfperf_plugin.judging.verdicts import Fix, Link, custom_loop, jax, keras
from tfperf_plugin.recording.record import TrainingFacts
from tfperf_plugin.trace.roles import KernelClass, Precision, waits_for_memory

SAVING = Threshold("saving", 0.01, "ratio", "lowest severity: 1 % of the step")
KNOWN = Threshold(
    "matrix work whose number format is known", 0.5, "ratio", "else the profile does not say enough"
)
# With this share in 16 bit, mixed precision is on and only single layers stay in 32 bit (XProf: 10 %).
SWITCHED_ON_RATIO = 0.10
SHOWN_COUNT = 4
# Half the bits are half the bytes: memory-bound kernels gain no more.
_BYTES_RATIO = 2
# Kernels that only move float32 tensors, and last long enough to be bound by memory rather than by their start.
_MOVING = (KernelClass.ELEMENTWISE, KernelClass.NORMALISATION, KernelClass.REDUCTION)
_MOVING_NS = 10_000

_LINKS = (Link("Mixed precision", "https://www.tensorflow.org/guide/mixed_precision"),)
_WIDE = (Precision.FP32, Precision.TF32)


def judge(
    ledger: Ledger, kernels: Kernels, devices: Devices, timeline: Timeline, facts: TrainingFacts | None
) -> Verdict:
    """Bounds what 16 bit could bring by the ratio of the device's own peak rates."""
    able = [(d, p) for d in devices.participating if (p := d.peaks)]
    if not able:
        return NotApplicable("No participating GPU is known to have Tensor Cores, or AMD's matrix cores.")
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
    # The participating GPU that gains least.
    device, rates = min(able, key=lambda a: a[1].bits16 / a[1].fp32)
    wide = [r for r in kernels.rows if r.kernel_class in MATRIX and r.precision in _WIDE]
    now = {f: kernels.per_step(sum(r.total_ns for r in wide if r.precision is f)) for f in _WIDE}
    after = {
        kind: sum(_after_ns(r, rates, device) for r in wide if r.kernel_class is kind) for kind in MATRIX
    }
    gain = {kind: sum(r.total_ns for r in wide if r.kernel_class is kind) - after[kind] for kind in MATRIX}
    saving = sum(kernels.exposed(ledger, kernels.per_step(gain[kind]), kind) for kind in MATRIX)
    if saving < SAVING.value * ledger.step_ns:
        rest = f"; the rest could save at most {percent(saving / ledger.step_ns)} of the step" if wide else ""
        return Passed(f"{percent(half)} of the time of matrix kernels is 16 bit{rest}.")
    moving = {kind: kernels.per_step(_moving_ns(kernels, kind)) for kind in _MOVING}
    moved = sum(kernels.exposed(ledger, ns - ns // _BYTES_RATIO, kind) for kind, ns in moving.items())
    tf32 = now[Precision.TF32] and rates.tf32
    on = half >= SWITCHED_ON_RATIO and not (facts and facts.policy == "float32")
    return Found(
        title="Part of the matrix work still runs in 32 bit" if on else None,
        summary=(
            f"Matrix multiplications and convolutions in 32 bit take {ms(sum(now.values()))} of the step, although "
            f"these GPUs have {device.matrix_units} for 16 bit; {percent(half)} of the time of all matrix kernels is "
            f"16 bit.{_moves(sum(moving.values()))}{_policy(facts)}"
        ),
        evidence=(
            Evidence(
                "saving by products, as a share of the step",
                saving / ledger.step_ns,
                "ratio",
                SAVING.value,
                "ledger",
            ),
            Evidence("matrix work in 16 bit", half, "ratio", None, "kernel names and shapes"),
            Evidence("matrix kernels in float32", now[Precision.FP32], "ns", None, "per step and GPU"),
            Evidence("matrix kernels in TF32", now[Precision.TF32], "ns", None, "per step and GPU"),
            Evidence(
                "peak rate of 16 bit over float32",
                rates.bits16 / rates.fp32,
                "times",
                None,
                device.rates_source,
            ),
            Evidence("peak in 16 bit", device.tflops(rates.bits16), "text", None, device.rates_source),
            Evidence("peak in float32", device.tflops(rates.fp32), "text", None, device.rates_source),
            *(
                [Evidence("peak in TF32", device.tflops(tf32), "text", None, device.rates_source)]
                if tf32
                else []
            ),
            Evidence(
                "in 16 bit, at best",
                kernels.per_step(sum(after.values())),
                "ns",
                None,
                "by these rates, or reading the inputs",
            ),
            Evidence(
                "kernels that only move float32",
                sum(moving.values()),
                "ns",
                None,
                "elementwise, normalization and reduction, 10 µs and longer: half as long at best",
            ),
        ),
        where=kernels.places(wide, "matrix kernel in 32 bit") or timeline.worst(["compute"], "computing"),
        claims={"compute": saving + moved},
        basis=(
            "measured matrix time × (1 − peak rate of its format / peak rate of 16 bit) of this GPU, where "
            "float32 products on NVIDIA reach 7/8 as much of the latter, but no kernel shorter than "
            "reading its inputs in 16 bit if shapes are recorded; half the time of kernels that only move "
            "float32, since they move half the bytes; kernels that run beside others count by their share; "
            "at most the time in which the GPU works and the host does not"
        ),
        confidence="high" if facts and facts.policy == "float32" else "medium",
        fix=_fix_of_the_rest(wide) if on else None,
    )


def _moves(moving_ns: int) -> str:
    return (
        f" Kernels that only move float32 take {ms(moving_ns)}; in 16 bit they move half."
        if moving_ns
        else ""
    )


def _moving_ns(kernels: Kernels, kind: KernelClass) -> int:
    rows = (r for r in kernels.rows if r.kernel_class is kind and r.precision is Precision.FP32)
    return sum(r.total_ns for r in rows if r.mean_ns >= _MOVING_NS)


def _after_ns(row: KernelRow, rates: Peaks, device: DeviceInfo) -> int:
    """What the row's kernels take in 16 bit at best."""
    already = row.precision is Precision.TF32
    rate = rates.tf32 if already else rates.fp32
    if not rate:
        return row.total_ns
    least = row.count * reading_ns(row.shape, device.memory_bandwidth) // _BYTES_RATIO
    if waits_for_memory(row.name, row.op_type):
        least = max(least, row.total_ns // _BYTES_RATIO)
    return min(row.total_ns, max(round(row.total_ns * rates.kept(rate, already)), least))


def _fix_of_the_rest(wide: Sequence[KernelRow]) -> Fix:
    """The fix if mixed precision is on: names the layers that stayed in 32 bit, longest first."""
    layers = list(dict.fromkeys(title(row.op) for row in wide if row.op))
    named = f": {listing(layers, SHOWN_COUNT)}" if layers else ""
    return Fix(
        summary="Move the layers that still compute in 32 bit to 16 bit, where the result allows it.",
        actions=(
            f"Find out why these stay in 32 bit{named}. Products stay in 32 bit in a layer with dtype='float32', "
            "behind a cast, or in a custom layer that ignores the policy.",
            "Keep float32 only where its range is needed: in the last softmax and the loss, not in the product before them.",
        ),
        snippets=(
            keras(
                "x = keras.layers.Dense(classes)(x)  # in 16 bit, by the policy\n"
                "outputs = keras.layers.Activation('softmax', dtype='float32')(x)"
            ),
            custom_loop(
                "logits = tf.matmul(x, tf.cast(kernel, x.dtype))  # not tf.cast(x, tf.float32)\n"
                "loss = loss_fn(labels, tf.cast(logits, tf.float32))"
            ),
            jax("logits = x @ kernel.astype(x.dtype)\nloss = loss_fn(labels, logits.astype(jnp.float32))"),
        ),
        links=_LINKS,
    )


def _policy(facts: TrainingFacts | None) -> str:
    return f" The training recorded the precision policy {facts.policy}." if facts and facts.policy else ""


RULE = Rule(
    id="mixed-precision-off",
    topic="16-bit matrix work",
    title="Matrix work runs in 32 bit; the GPUs are faster in 16 bit",
    group="precision",
    why=(
        "Tensor Cores compute matrix products in 16 bit several times faster than the other units compute "
        "them in float32, and 16-bit tensors need half the memory traffic."
    ),
    measured="The rule tells the number format of each matrix multiplication and convolution from its name and, if recorded, from the shapes of its tensors. It multiplies the time of those in float32 and TF32 by 1 − peak rate of their format / peak rate of 16 bit, for the GPU that gains least. For float32 on NVIDIA it lowers this gain: products reach only 7/8 as much of the Tensor Cores' peak as of the ordinary units' peak (measured on a V100). If shapes are recorded, no kernel counts as shorter than reading its inputs in 16 bit. No depthwise convolution, matrix-by-vector product or transform of a convolution (Winograd, FFT, im2col) counts as shorter than half its time. Kernels of 10 µs and more that only move float32 (elementwise, normalization, reduction) move half the bytes, so the rule adds half their time. It judges by what the rest could save, however much runs in 16 bit already. The saving is at most the time in which a GPU works and the host does not: the host calls no step's function, runs no op of it and launches nothing.",
    limits=(
        "The saving is a bound by peak rates: memory-bound and small products gain less, and so do kernels that only move tensors if a cast must be added. The rule takes the host's time for a step as recorded, and profiling lengthens it.",
        "The rule leaves out kernels whose names do not tell a number format, and does not judge if these are most.",
        "Peak rates are known for NVIDIA GPUs from Volta on and for AMD's MI200, MI300 and MI350 series.",
    ),
    guide=guide.MIXED_PRECISION,
    judge=judge,
    thresholds=(SAVING, KNOWN),
    keeps_launches=True,
    fix=Fix(
        summary="Switch on mixed precision, then check that the validation result stays the same.",
        actions=(
            "Set the policy mixed_float16 (or mixed_bfloat16 from Ampere on) before the model is built.",
            "Keep the last softmax or the loss in float32.",
            "Make dimensions of matrix products divisible by 8.",
            "In a custom loop, scale the loss (mixed_float16 only).",
        ),
        snippets=(
            keras("keras.mixed_precision.set_global_policy('mixed_float16')"),
            custom_loop(
                "keras.mixed_precision.set_global_policy('mixed_float16')\n"
                "optimizer = keras.mixed_precision.LossScaleOptimizer(optimizer)\n"
                "with tf.GradientTape() as tape:\n    loss = optimizer.scale_loss(loss_fn(y, model(x, training=True)))"
            ),
            jax("x, params = x.astype(jnp.bfloat16), jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)"),
        ),
        links=_LINKS,
    ),
    jax=Fix(
        summary="Compute in bfloat16, then check that the validation result stays the same.",
        actions=(
            "Cast inputs and parameters to bfloat16 inside the step, and keep the parameters that the optimizer updates in float32.",
            "In Flax give layers dtype=jnp.bfloat16; param_dtype stays float32.",
            "Keep the last softmax or the loss in float32.",
            "Make dimensions of matrix products divisible by 8.",
        ),
        snippets=(
            jax(
                "def loss_fn(params, x, y):\n"
                "    low = jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)\n"
                "    return loss_of(model(low, x.astype(jnp.bfloat16)).astype(jnp.float32), y)"
            ),
        ),
    ),
)
