"""A bias is added right before batch normalization, which removes it again."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.compute.op_names import work
from tfperf_plugin.analysis.artifacts.compute.sequences import Sequences
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import count, ms
from tfperf_plugin.judging.verdicts import Fix, custom_loop, keras
from tfperf_plugin.trace.roles import KernelClass

SHARE = Threshold("saving", 0.01, "ratio", "lowest severity: 1 % of the step")
_TYPES = ("BiasAdd", "BiasAddGrad")


def judge(ledger: Ledger, sequences: Sequences, kernels: Kernels) -> Verdict:
    """Sums bias additions that a batch normalization follows, and their gradients."""
    if not sequences.has_batch_norm:
        return NotApplicable("The step has no batch normalization that op names show.")
    if not sequences.biased:
        return Passed("No batch normalization follows a bias addition.")
    layers = {work(op)[0] for op in sequences.biased}
    rows = [r for r in kernels.rows if r.op_type in _TYPES and work(r.op)[0] in layers]
    added, gradients = (
        kernels.per_step(sum(r.total_ns for r in rows if r.op_type == kind)) for kind in _TYPES
    )
    saving = kernels.exposed(ledger, added + gradients, KernelClass.ELEMENTWISE, KernelClass.REDUCTION)
    if saving < SHARE.value * ledger.step_ns:
        return Passed(
            f"{count(len(layers), 'bias', 'biases')} before batch normalization: {ms(saving)} per step."
        )
    return Found(
        summary=(
            f"{count(len(layers), 'layer')} add a bias right before batch normalization. Subtracting the mean "
            f"removes it again, so it has no effect, but adding it and its gradient take {ms(saving)} per step."
        ),
        cause=f"{count(len(layers), 'layer')} add a bias right before batch normalization: {ms(saving)} per step.",
        evidence=(
            Evidence("layers with such a bias", len(layers), "count", None, "order of kernels on a stream"),
            Evidence("adding it", added, "ns", None, "per step and GPU"),
            Evidence("its gradient", gradients, "ns", None, "per step and GPU"),
        ),
        where=kernels.places(rows, "bias before batch normalization"),
        claims={"compute": saving},
        kernels=kernels.names(rows),
        basis="all time of these bias additions and their gradients, less the share that runs beside other kernels",
        bound=False,
    )


RULE = Rule(
    id="bias-before-batchnorm",
    title="Bias before batch normalization",
    action="Remove the bias before each batch normalization",
    group="one_gpu",
    why=(
        "Batch normalization subtracts the mean of each channel and thereby removes the bias; its own "
        "offset replaces it. The addition and its gradient read and write the whole tensor for nothing."
    ),
    guide=guide.BEST_PRACTICES,
    judge=judge,
    thresholds=(SHARE,),
    measured=(
        "The rule sums BiasAdd kernels that a batch normalization kernel follows on the same stream and in "
        "the same step, and the BiasAddGrad kernels of the same layers."
    ),
    limits=(
        "The rule relies on op names and the order of kernels. If XLA or a library fuses the bias into the "
        "product, the bias costs nothing and the rule does not see it.",
    ),
    fix=Fix(
        summary="Remove the bias from layers that batch normalization follows.",
        actions=(
            "Set use_bias=False in the convolution or dense layer before each BatchNormalization.",
            "Old checkpoints hold the bias: load them by name, or subtract the bias from the moving mean once.",
        ),
        snippets=(
            keras(
                "x = keras.layers.Conv2D(64, 3, use_bias=False)(x)\nx = keras.layers.BatchNormalization()(x)"
            ),
            custom_loop(
                "y = tf.nn.conv2d(x, filters, 1, 'SAME')  # no tf.nn.bias_add before the normalization\n"
                "y = batch_norm(y, training=True)"
            ),
        ),
    ),
)
