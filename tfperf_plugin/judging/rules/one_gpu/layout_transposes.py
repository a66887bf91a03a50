"""Tensors are transposed from one memory layout to the other around convolutions."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import title
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import count, ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax, keras
from tfperf_plugin.trace.roles import KernelClass, is_layout_transpose, rearranges_weights

SHARE = Threshold("layout transposes", 0.01, "ratio", "lowest severity: 1 % of the step")
SHOWN_COUNT = 3


def judge(ledger: Ledger, kernels: Kernels) -> Verdict:
    """Sums the kernels that only change the order of dimensions for a convolution."""
    if not any("Conv" in r.op_type or "conv" in r.name.lower() or "conv" in r.op for r in kernels.rows):
        return NotApplicable("The step has no convolution.")
    rows = [r for r in kernels.rows if is_layout_transpose(r.name, r.op)]
    turning = [r for r in rows if not rearranges_weights(r.name, r.op)]
    spent = kernels.per_step(sum(r.total_ns for r in turning))
    saving = kernels.exposed(ledger, spent, KernelClass.ELEMENTWISE)
    share = saving / max(1, ledger.step_ns)
    if share < SHARE.value:
        weights = kernels.per_step(sum(r.total_ns for r in rows)) - spent
        rest = f"; kernels that rearrange the weights of convolutions, which any layout needs, take {ms(weights)}"
        return Passed(
            f"Turning tensors between layouts takes {percent(share)} of the step{rest if weights else ''}."
        )
    number = kernels.per_step(sum(r.count for r in turning))
    by_optimizer = any("LayoutOptimizer" in r.op for r in turning)
    return Found(
        summary=(
            f"{count(number, 'kernel')} per step only transpose tensors between channels first (NCHW) and channels "
            f"last (NHWC) around convolutions; they take {ms(spent)}. "
            + (
                "TensorFlow's layout optimizer added some of them (ops named …LayoutOptimizer)."
                if by_optimizer
                else "cuDNN does so if its kernel needs another layout than the tensors have."
            )
        ),
        evidence=(
            Evidence("layout transposes", spent, "ns", int(SHARE.value * ledger.step_ns), "per step and GPU"),
            Evidence("share of the step", share, "ratio", SHARE.value, "account Compute"),
            Evidence("kernels per step", number, "count"),
            *(
                Evidence(title(r.op) or r.name[:60], kernels.per_step(r.total_ns), "ns", None, r.name[:100])
                for r in turning[:SHOWN_COUNT]
            ),
        ),
        where=kernels.places(turning, "turning a tensor to another layout"),
        claims={"compute": saving},
        kernels=kernels.names(turning),
        basis="all time of kernels that only transpose tensors for a convolution, less the share that runs beside other kernels",
        confidence="medium",
    )


RULE = Rule(
    id="layout-transposes",
    title="Layout transposes",
    action="Use one layout throughout, channels last",
    group="one_gpu",
    why=(
        "Convolutions on Tensor Cores expect images with channels last (NHWC). Channels-first tensors are "
        "transposed before each convolution and back after it, which is pure memory traffic."
    ),
    guide=guide.LAYOUT,
    judge=judge,
    thresholds=(SHARE,),
    keeps_launches=True,
    measured=(
        "The rule sums, over judged steps, kernels named nchwToNhwc and nhwcToNchw and their MIOpen "
        "equivalents, transposes that TensorFlow's layout optimizer added, and transposes that a "
        "convolution op itself launches."
    ),
    limits=(
        "The rule does not count transposes that the model itself contains, transposes of XLA, or transposes of weights: a convolution rearranges its weights whatever the layout of its images, and less often with a larger batch.",
        "A float32 layer may still be faster with channels first; measure after the change.",
    ),
    fix=Fix(
        summary="Use one layout throughout, channels last: data_format='channels_last'.",
        actions=(
            "Set data_format='channels_last' in every convolution, pooling and batch normalization.",
            "Feed images as height, width, channels; if necessary, transpose them in the input pipeline, on the CPU.",
            "If the model is channels last already: TensorFlow's layout optimizer prefers channels first in float32. "
            "Switch on mixed precision, or that optimizer off.",
        ),
        snippets=(
            keras("keras.config.set_image_data_format('channels_last')  # before the model is built"),
            custom_loop(
                "y = tf.nn.conv2d(x, filters, strides=1, padding='SAME', data_format='NHWC')\n"
                "tf.config.optimizer.set_experimental_options({'layout_optimizer': False})  # if it is NHWC already"
            ),
        ),
    ),
    jax=Fix(
        summary="Use one layout throughout, channels last.",
        actions=(
            "Give convolutions dimension numbers with channels last: NHWC, HWIO, NHWC.",
            "Feed images as height, width, channels; if necessary, transpose them in the input pipeline, on the CPU.",
        ),
        snippets=(
            jax(
                "y = jax.lax.conv_general_dilated(\n"
                "    x, filters, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))"
            ),
        ),
    ),
)
