"""Matrix work runs in 32 bit on a GPU that has Tensor Cores for 16 bit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.builders import HALF_GEMM, SGEMM, Host, each, finding, fires, judge, value
from tfperf_plugin.judging.engine.rule import Missing, NotApplicable, Passed
from tfperf_plugin.judging.rules.precision.mixed_precision_off import RULE


def training(
    single: float,
    half: float = 0,
    capability: tuple[int, int] = (8, 0),
    vendor: str = "Nvidia",
    model: str = "",
) -> Host:
    """Steps of 100 ms with matrix work in float32 and in float16; the rest is elementwise."""
    host = Host(capability=capability, vendor=vendor, model=model)
    host.steps(5, 100)

    def step(at: float) -> None:
        if single:
            host.kernel(at, at + single, name=SGEMM, op="model/dense/MatMul:MatMul")
        if half:
            host.kernel(at + single, at + single + half, name=HALF_GEMM)
        host.kernel(at + single + half, at + 100)

    each(5, 100, step)
    return host


def test_the_saving_is_bounded_by_the_peaks_of_the_gpu() -> None:
    found = finding(RULE, training(single=64))

    # An A100 does 128 float32 and 2048 float16 operations per SM and clock, of which products
    # reach 11/16 as much: 64 ms × (1 − 1/11).
    assert found.saving is not None
    assert (found.saving.ns, found.saving.bound) == (58_181_818, True)
    assert found.severity == "critical"
    assert found.confidence == "medium"
    assert value(found, "matrix kernels in float32") == 64_000_000
    assert value(found, "matrix work in 16 bit") == 0
    assert value(found, "peak rate") == 16


def test_a_volta_gains_less() -> None:
    # 128 float32 and 1024 float16 operations: 64 ms × (1 − 2/11).
    assert fires(RULE, training(single=64, capability=(7, 0))).claims == {"compute": 52_363_636}


def test_where_mixed_precision_is_on_another_rule_judges_the_rest() -> None:
    passed = judge(RULE, training(single=72, half=8))

    assert isinstance(passed, Passed)
    assert passed.reason == (
        "10 % of the time of matrix kernels is 16 bit: mixed precision is on; "
        "fp32-beside-16bit judges the rest."
    )


def test_where_nothing_is_16_bit_the_policy_is_the_fix() -> None:
    found = finding(RULE, training(single=74, half=6))

    assert found.title == RULE.title
    assert found.saving is not None
    assert found.saving.ns == 67_272_727


@pytest.mark.near_miss("below")
def test_what_could_save_less_than_the_lowest_severity_passes() -> None:
    # 1.09 ms × 10/11 = 0.991 % of the step; 1.11 ms: 1.009 %.
    passed = judge(RULE, training(single=1.09, half=98))

    assert isinstance(passed, Passed)
    assert passed.reason == (
        "99 % of the time of matrix kernels is 16 bit. The rest could save at most 1.0 % of the step."
    )
    assert fires(RULE, training(single=1.11, half=0)).claims == {"compute": 1_009_091}


def test_a_product_that_waits_for_memory_gains_half_at_most() -> None:
    host = Host(capability=(8, 0))
    host.steps(5, 100)
    each(5, 100, lambda at: host.kernel(at, at + 100, name="void gemv2T_kernel_val<int, float, float>"))

    assert fires(RULE, host).claims == {"compute": 50_000_000}


@pytest.mark.parametrize(
    ("device", "ratio"),
    [
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


def test_amd_gpus_without_known_peaks_are_not_judged() -> None:
    """MI50 to MI250 all report 9.0."""
    assert isinstance(judge(RULE, training(single=64, capability=(9, 0), vendor="AMD")), NotApplicable)


@pytest.mark.near_miss("hidden")
def test_products_in_32_bit_under_products_in_16_bit_cost_nothing() -> None:
    host = training(single=0, half=100)
    each(5, 100, lambda at: host.kernel(at + 10, at + 20, name=SGEMM, stream=8))

    assert isinstance(judge(RULE, host), Passed)


def test_a_warm_up_step_in_32_bit_does_not_count() -> None:
    host = Host(capability=(8, 0))
    host.steps(6, 100)
    host.event("XlaCompile", 0, 60)
    host.kernel(60, 100, name=SGEMM)
    each(5, 100, lambda at: host.kernel(at + 100, at + 200, name=HALF_GEMM))

    assert isinstance(judge(RULE, host), Passed)


def test_gpus_without_tensor_cores_have_nothing_to_gain() -> None:
    assert isinstance(judge(RULE, training(single=64, capability=(6, 1))), NotApplicable)


def test_without_matrix_work_the_question_does_not_arise() -> None:
    assert isinstance(judge(RULE, training(single=0)), NotApplicable)


def test_an_unknown_number_format_is_not_guessed() -> None:
    def partly_known(single: float) -> Host:
        host = training(single)
        each(5, 100, lambda at: host.kernel(at + 64, at + 96, name="my_gemm_kernel", stream=8))
        return host

    missing = judge(RULE, partly_known(single=31))

    assert isinstance(missing, Missing)
    assert "host_tracer_level=3" in missing.how
    # With half of the matrix work known, what is known is judged: 32 ms × 10/11.
    assert fires(RULE, partly_known(single=32)).claims == {"compute": 29_090_909}


def test_without_kernels_it_cannot_be_judged() -> None:
    host = Host()
    host.steps(5, 100)

    assert isinstance(judge(RULE, host), Missing)


def test_cards_of_turing_without_tensor_cores_are_not_judged() -> None:
    """GTX 16 cards share the compute capability 7.5 with T4 and RTX 20, but have no Tensor Cores."""
    gtx = training(single=64, capability=(7, 5), model="NVIDIA GeForce GTX 1660 Ti")

    assert isinstance(judge(RULE, gtx), NotApplicable)
    assert fires(RULE, training(single=64, capability=(7, 5), model="Tesla T4"))


def test_what_only_moves_float32_moves_half_the_bytes() -> None:
    """Half of 20 ms is added, but nothing of kernels that are too short to wait for memory."""
    host = Host(capability=(8, 0))
    host.steps(5, 100)

    def step(at: float) -> None:
        host.kernel(at, at + 64, name=SGEMM, op="model/dense/MatMul:MatMul")
        host.kernel(
            at + 64,
            at + 84,
            name="void cwise_op_float<float>",
            op="m/Relu:Relu",
            stats={"shape": "(float[8])"},
        )
        for number in range(100):
            begin = at + 84 + number * 0.01
            host.kernel(
                begin, begin + 0.009, name="void tiny<float>", op="m/Mul:Mul", stats={"shape": "(float[1])"}
            )

    each(5, 100, step)

    assert fires(RULE, host).claims == {"compute": 58_181_818 + 10_000_000}


def test_what_transforms_tensors_for_a_product_gains_half_at_most() -> None:
    """Winograd's and Fourier's transforms multiply nothing: in 16 bit they move half the bytes."""
    host = Host()
    host.steps(5, 100)

    def step(at: float) -> None:
        transform = "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(P)"
        host.kernel(at, at + 40, name=transform, op="model/conv2d/Conv2D:Conv2D")
        host.kernel(at + 40, at + 72, name=SGEMM, op="model/conv2d/Conv2D:Conv2D")
        host.kernel(at + 72, at + 100, name="copy_kernel")

    each(5, 100, step)

    # Half of 40 ms, and 10/11 of 32 ms.
    assert fires(RULE, host).claims == {"compute": 49_090_909}
