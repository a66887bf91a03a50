"""A bias that batch normalization takes away again."""

from __future__ import annotations

import pytest

from tests.builders import HALF_GEMM, fires, passes
from tests.judging.rules.kernels import K, training
from tfperf_plugin.judging.rules.one_gpu.bias_before_batchnorm import RULE

CONV = K(20, HALF_GEMM, "model/conv/Conv2D:Conv2D")
BIAS = K(4, "void tensorflow::BiasNHWCKernel<Eigen::half>(P)", "model/conv/BiasAdd:BiasAdd")
NORM = K(6, "void cudnn::bn_fw_tr_1C11_kernel_NCHW<__half>(P)", "model/bn/FusedBatchNormV3:FusedBatchNormV3")
RELU = K(5, "Relu_GPU_DT_HALF_DT_HALF_kernel", "model/relu/Relu:Relu")
GRADIENT = K(
    3, "void tensorflow::BiasGradNHWC_SharedAtomics<Eigen::half>(P)",
    "gradient_tape/model/conv/BiasAdd/BiasAddGrad:BiasAddGrad",
)  # fmt: skip


def test_a_normalisation_that_is_written_op_by_op_is_told_by_its_scope() -> None:
    moments = K(
        6, "void tensorflow::functor::ColumnReduceKernel<half>(P)", "model/batch_normalization_3/mean:Mean"
    )

    assert fires(RULE, training([CONV, BIAS, moments])).claims == {"compute": 4_000_000}


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("kernels", "beside"),
    [
        ([CONV, NORM], []),
        ([BIAS, RELU, NORM], []),
        ([CONV, K(0.9, BIAS.name, BIAS.op), NORM], []),
        ([CONV, BIAS], [NORM]),
        ([], [BIAS, NORM, GRADIENT]),
    ],
    ids=["no bias", "an activation between", "below 1 %", "on another stream", "under a product"],
)
def test_what_stays_silent(kernels: list[K], beside: list[K]) -> None:
    passes(RULE, training(kernels, beside=beside))
