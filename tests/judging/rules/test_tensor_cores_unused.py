"""16-bit products that run beside the Tensor Cores."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.builders import SGEMM, Host, Stats, finding, fires, judge, passes, says, value
from tests.judging.rules.kernels import A100, K, training
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.precision import tensor_cores_unused as rule
from tfperf_plugin.judging.rules.precision.tensor_cores_unused import RULE

SLOW = "volta_fp16_sgemm_fp16_128x64_nn"
OP = "model/logits/MatMul:MatMul"


def test_the_saving_is_bounded_by_the_peaks_of_the_gpu() -> None:
    found = finding(RULE, training([K(64, SLOW, OP)], capability=(7, 0)))

    # A V100 does 128 float32 operations per SM and clock, its Tensor Cores 1024, of which
    # products reach 11/16 as much: 64 ms × (1 − 2/11).
    assert found.saving and (found.saving.ns, found.saving.bound) == (52_363_637, True)
    assert found.severity == "critical"
    assert value(found, "16-bit products beside") == value(found, "model/logits/MatMul") == 64_000_000
    assert value(found, "share of all 16-bit products") == 0.64
    assert value(found, "on Tensor Cores, at best") == 11_636_363
    assert (found.where[0].begin_ms, found.where[0].end_ms) == (0, 64)
    assert says(found, rule.UNKNOWN)


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


def test_no_kernel_becomes_shorter_than_products_of_usual_layers() -> None:
    """8192³ in fp16 take 6.41 ms at 55 % of 312 TFLOP/s; 1/11 of 20 ms is less."""
    host = training([K(20, SLOW, OP)], device=A100)
    host.work(OP, 2 * 8192**3, 3 * 2 * 8192**2)

    assert fires(RULE, host).claims == {"compute": pytest.approx(20_000_000 - 6_410_000, rel=1e-3)}


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


@pytest.mark.parametrize(
    "host", [training([K(64, SLOW, OP)], capability=(6, 1)), training([K(100, SGEMM, OP)])]
)
def test_without_tensor_cores_or_products_in_16_bit_nothing_is_judged(host: Host) -> None:
    assert isinstance(judge(RULE, host), NotApplicable)


def test_rates_are_stated_with_the_clock_of_the_profile() -> None:
    v100: Stats = {"core_count": 80, "clock_rate": 1_530_000}
    found = fires(RULE, training([K(64, SLOW, OP)], capability=(7, 0), device=v100))

    rate = "125.3 TFLOP/s: 1024 operations per SM and clock × 80 SMs × 1.53 GHz"
    assert value(found, "Tensor Cores") == rate
    assert str(value(found, "ordinary units, float32")).startswith("15.7 TFLOP/s")
