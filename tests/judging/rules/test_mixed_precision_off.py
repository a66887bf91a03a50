"""Matrix work runs in 32 bit on a GPU that has Tensor Cores for 16 bit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import HALF_GEMM, SGEMM, Host, each, fires, judge, passes
from tfperf_plugin.analysis.artifacts.compute.sixteen_bit import OWN_PRODUCTS
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable
from tfperf_plugin.judging.rules.precision.mixed_precision_off import RULE


def training(
    single: float, half: float = 0, capability: tuple[int, int] = (8, 0), vendor: str = "Nvidia",
    model: str = "",
) -> Host:  # fmt: skip
    """Steps of 100 ms with matrix work in float32 and in float16; the rest is elementwise."""

    def step(host: Host, at: float) -> None:
        if single:
            host.kernel(at, at + single, name=SGEMM, op="model/dense/MatMul:MatMul")
        if half:
            host.kernel(at + single, at + single + half, name=HALF_GEMM)
        host.kernel(at + single + half, at + 100)

    return Host(capability=capability, vendor=vendor, model=model).trained(5, 100, step)


def under_products() -> Host:
    """10 ms in float32 of each step run under products in 16 bit."""
    host = training(single=0, half=100)
    each(5, 100, lambda at: host.kernel(at + 10, at + 20, name=SGEMM, stream=8))
    return host


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize("host", [training(single=1.09), under_products()])
def test_what_could_save_less_than_the_lowest_severity_passes(host: Host) -> None:
    """1.09 ms × 10/11 are 0.991 % of the step, 1.11 ms 1.009 %."""
    passes(RULE, host)
    assert fires(RULE, training(single=1.11)).claims == {"compute": 1_009_091}


def test_a_product_that_waits_for_memory_gains_half_at_most() -> None:
    host = Host(capability=(8, 0)).steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + 100, name="void gemv2T_kernel_val<int, float, float>"))

    assert fires(RULE, host).claims == {"compute": 50_000_000}


@pytest.mark.parametrize(
    ("device", "ratio"),
    [
        ({"capability": (7, 0)}, 5.5),  # V100: 11/16 of 8
        ({"capability": (7, 5), "model": "Tesla T4"}, 5.5),
        ({"capability": (9, 4), "vendor": "AMD"}, 8),  # MI300X: 163.4 and 1307.4 TFLOP/s
        ({"capability": (9, 5), "vendor": "AMD"}, 16),  # MI355X: 157.3 and 2516.6
        ({"capability": (9, 0), "vendor": "AMD", "model": "AMD Instinct MI250X"}, 4),  # 95.7 and 383
        ({"capability": (8, 9), "model": "NVIDIA L4"}, 2.75),  # 11/16 of 4
        ({"capability": (8, 9), "model": "NVIDIA GeForce RTX 4090"}, 1.375),
        ({"capability": (8, 9)}, 1.375),  # one of both
    ],
)
def test_the_bound_is_that_of_the_gpu(device: dict[str, Any], ratio: float) -> None:
    found = fires(RULE, training(single=64, **device))

    assert found.claims == {"compute": int(64_000_000 * (1 - 1 / ratio))}
    assert ("matrix cores" in found.summary) == (device.get("vendor") == "AMD")


@pytest.mark.parametrize(
    "host",
    [
        training(single=64, capability=(6, 1)),
        training(single=64, capability=(7, 5), model="NVIDIA GeForce GTX 1660 Ti"),  # as T4, without them
        training(single=64, capability=(9, 0), vendor="AMD"),  # one of MI50 to MI250, which all report 9.0
        training(single=0),
    ],
    ids=["no Tensor Cores", "GTX 16", "unknown peaks", "no product"],
)
def test_what_has_nothing_to_gain_is_not_judged(host: Host) -> None:
    assert isinstance(judge(RULE, host), NotApplicable)


def test_an_unknown_number_format_is_not_guessed() -> None:
    def partly_known(single: float) -> Host:
        host = training(single)
        each(5, 100, lambda at: host.kernel(at + 64, at + 96, name="my_gemm_kernel", stream=8))
        return host

    assert isinstance(judge(RULE, partly_known(single=31)), Missing)
    # With half of the matrix work known, what is known is judged: 32 ms × 10/11.
    assert fires(RULE, partly_known(single=32)).claims == {"compute": 29_090_909}


def test_casts_of_weights_and_of_their_gradients_come_in_addition() -> None:
    """A cast moves 6 bytes of a parameter, Adam 28 in 14 ms. At least one for each three products."""

    def training_with(updates: float, products: int) -> Host:
        def step(host: Host, at: float) -> None:
            host.kernel(at, at + 44, name=SGEMM, op="gradient_tape/model/dense/MatMul:MatMul")
            for number in range(1, products):
                begin = at + 44 + number * 0.004
                host.kernel(begin, begin + 0.002, name=SGEMM, op="model/dense/MatMul:MatMul")
            host.kernel(at + 80, at + 80 + updates, op="adam/update/ResourceApplyAdam:ResourceApplyAdam")

        return Host(capability=(8, 0)).trained(5, 100, step)

    assert fires(RULE, training_with(14, 1)).claims == {"compute": 40_000_000 - 2 * 3_000_000}
    assert fires(RULE, training_with(0.1, 3000)).claims == {"compute": 40_000_000 - 2 * 2_000_000}


def test_what_autocast_leaves_in_float32_gains_nothing_and_is_cast() -> None:
    def torch(op: str, kernel: str) -> Host:
        def step(host: Host, at: float) -> None:
            host.event("aten::mm", at, at + 1)
            host.kernel(at, at + 44, name=SGEMM, op="forward/aten::mm 64×64·64×64")
            host.kernel(at + 44, at + 54, name=kernel, op=f"forward/{op} 64×64")

        return Host(capability=(8, 0)).trained(5, 100, step)

    gelu = torch("aten::gelu", "void at::native::vectorized_elementwise_kernel<4, float>")
    norm = torch("aten::native_layer_norm", "void at::native::vectorized_layer_norm_kernel<float, float>")
    softmax = torch("aten::_softmax", "void softmax_warp_forward<float, float, float, 7, false, false>")
    backward = torch("aten::_log_softmax_backward_data", "void cunn_SoftMaxBackward<4, float, float>")

    assert fires(RULE, gelu).claims == {"compute": 40_000_000 + 4_999_000}
    for host in (norm, softmax, backward):
        assert fires(RULE, host).claims == {"compute": 40_000_000 - 5_000_000}


def test_what_transforms_tensors_for_a_product_gains_half_at_most() -> None:
    """Winograd's and Fourier's transforms multiply nothing: in 16 bit they move half the bytes."""

    def step(host: Host, at: float) -> None:
        transform = "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(P)"
        host.kernel(at, at + 40, name=transform, op="model/conv2d/Conv2D:Conv2D")
        host.kernel(at + 40, at + 72, name=SGEMM, op="model/conv2d/Conv2D:Conv2D")
        host.kernel(at + 72, at + 100, name="copy_kernel")

    host = Host().trained(5, 100, step)

    # Half of 40 ms, and 10/11 of 32 ms.
    assert fires(RULE, host).claims == {"compute": 49_090_909}


@pytest.mark.near_miss("different")
def test_a_product_that_the_program_computes_itself_is_no_matter_of_its_format() -> None:
    host = Host(capability=(8, 0)).steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + 64, name="tiled_gemm(float const *, float *, int)"))

    assert judge(RULE, host) == NotApplicable(OWN_PRODUCTS)
