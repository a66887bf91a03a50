"""16-bit products that run beside the Tensor Cores."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import SGEMM, fires, passes, says
from tests.judging.rules.kernels import K, training
from tfperf_plugin.judging.rules.precision import tensor_cores_unused as rule
from tfperf_plugin.judging.rules.precision.tensor_cores_unused import RULE

SLOW = "volta_fp16_sgemm_fp16_128x64_nn"
OP = "model/logits/MatMul:MatMul"


CONV = "volta_fp16_scudnn_fp16_128x64_relu_interior_nn_v1"


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (K(20, SLOW, OP, "(half[4096,1020];half[1020,3000])"), "no multiple of 8: 1020."),  # 3000 = 8 × 375
        (K(20, SLOW, OP, "(half[4096,1024];half[1024,3072])"), rule.EVEN),
        (K(20, CONV, "conv/Conv2D:Conv2D", "(half[32,57,57,64];half[3,3,64,100])"), "no multiple of 8: 100."),
    ],
    ids=["odd", "even", "channels of a convolution"],
)  # fmt: skip
def test_recorded_dimensions_are_named(kernel: K, said: str) -> None:
    assert said in fires(RULE, training([kernel])).summary


def test_bfloat16_has_no_tensor_cores_before_ampere() -> None:
    slow = K(20, "void implicit_convolve_sgemm<__nv_bfloat16, 128>(P)", "model/conv/Conv2D:Conv2D")

    assert says(fires(RULE, training([slow], capability=(7, 5))), rule.NO_MODE)
    assert not says(fires(RULE, training([slow])), rule.NO_MODE)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("kernels", "beside"),
    [
        *(
            ([kernel], ())
            for kernel in (
                K(0.9, SLOW, OP),  # below 1 % of the step
                K(30, "ampere_fp16_s16816gemm_fp16_128x128_nn", OP),
                K(30, "gemm_fusion_dot_4", "dot.4", "(half[8,8])"),  # says neither
                K(30, "void gemv2N_kernel<int, int, __half, __half, __half>(P)", OP),
                K(30, "void implicit_convolve_sgemm<__half, __half>(P)", "m/dw:DepthwiseConv2dNative"),
                K(30, SGEMM, OP),  # 32 bit: another rule's
            )
        ),
        ([], [K(30, SLOW, OP)]),
    ],
)
def test_what_stays_silent(kernels: Sequence[K], beside: Sequence[K]) -> None:
    passes(RULE, training(kernels, beside=beside))
