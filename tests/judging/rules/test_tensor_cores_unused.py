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


def test_arithmetic_in_16_bit_has_less_to_gain() -> None:
    """256 operations in fp16 on the ordinary units: 64 ms × (1 − 4/11)."""
    host = training([K(64, "volta_hgemm_64x64_nn", OP)], capability=(7, 0))

    assert fires(RULE, host).claims == {"compute": 40_727_273}


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


def test_no_kernel_becomes_shorter_than_reading_its_inputs() -> None:
    """4096 × 4096 and 4096 × 32 in 16 bit are 33.8 MB: more than a bandwidth of 1 GB/s reads in 30 ms."""
    product = K(40, SLOW, OP, "(half[4096,4096];half[4096,32])")
    slow_memory = training([product], device={"memory_bandwidth": 1_000_000_000})

    assert fires(RULE, slow_memory).claims == {"compute": 40_000_000 - 33_816_576}


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
