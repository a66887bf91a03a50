"""Layers with fewer channels than a tile has rows."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.builders import HALF_GEMM, SGEMM, Host, finding, fires, judge, passes, value
from tests.judging.rules.kernels import A100, K, training
from tfperf_plugin.judging.engine.rule import Missing, Passed
from tfperf_plugin.judging.rules.one_gpu.narrow_products import RULE
from tfperf_plugin.judging.rules.precision import fp32_beside_16bit
from tfperf_plugin.trace.model import OpWork, Product

OP = "model/conv/Conv2D:Conv2D"
NARROW = "volta_scudnn_128x32_relu_small_nn_v1"
Gradient = Literal["", "input", "filter"]


def work(channels: tuple[int, int], gradient: Gradient = "", examples: int = 256) -> OpWork:
    """A convolution by 3×3 of images of 112×112 places."""
    m = examples * 112 * 112
    product = Product(1, m, channels[1], channels[0], "fp32", 9, gradient, (112, 112))
    flops, size = 2 * m * channels[0] * channels[1] * 9, 4 * m * sum(channels)
    return OpWork(flops, flops, "fp32", size, False, "convolution", (product,))


def convolution(ms: float, channels: tuple[int, int] = (6, 6), gradient: Gradient = "") -> Host:
    return training([K(ms, NARROW, OP, work=work(channels, gradient))], device=A100)


def test_channels_tiles_and_padding_are_named_and_nothing_is_promised() -> None:
    """2.1 GFLOP take 0.1 ms at the peak of 19.5 TFLOP/s; 6 of 32 rows exist."""
    found = finding(RULE, convolution(30))

    assert (found.saving, found.severity) == (None, "warning")
    assert finding(RULE, convolution(15)).severity == "info"
    assert "Layers with 6 channels or units are too narrow" in found.summary
    assert "computes 32 of them at a time" in found.summary
    assert value(found, "padding") == pytest.approx(26 / 32)
    assert value(found, "rate, as a share") == pytest.approx(2_080_899_072 / 19_491.84 / 30e6, rel=1e-3)
    assert value(found, "products of narrow layers") == 30_000_000
    assert [p.label for p in found.where] == ["product of a narrow layer"]


def test_sixteen_bit_is_not_promised_to_them() -> None:
    """What they take above operations and bytes stays: of 30 ms no more than half their bytes can go."""
    passes(fp32_beside_16bit.RULE, convolution(30))

    assert fires(fp32_beside_16bit.RULE, training([K(30, SGEMM)], device=A100)).claims["compute"] > 27_000_000


@pytest.mark.parametrize(
    ("channels", "gradient", "narrow"),
    [
        ((3, 64), "", False),  # a first layer: sums over 27 numbers, has 64 columns
        ((3, 64), "filter", False),  # the places of the window are rows, too
        ((64, 6), "input", False),
        ((6, 64), "input", True),
        ((6, 6), "filter", True),
    ],
)
def test_sides_of_the_result_count(channels: tuple[int, int], gradient: Gradient, narrow: bool) -> None:
    assert isinstance(judge(RULE, convolution(60, channels, gradient)), Passed) != narrow


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "host",
    [
        convolution(60, (32, 32)),  # fills the tile
        convolution(4.9),  # below 5 % of the step
        convolution(5.5, (31, 31)),  # 1.7 times what its bytes need
        training([K(30, HALF_GEMM, "m/out/MatMul:MatMul", work=OpWork(
            2 * 8 * 8192 * 8192, 2 * 8 * 8192 * 8192, "fp16", 2 * 8192 * 8192, False, "product",
            (Product(1, 8, 8192, 8192, "fp16"),)))], device=A100),  # a small batch, not a narrow layer
    ],
    ids=["wide", "short", "fast", "batch"],
)  # fmt: skip
def test_what_stays_silent(host: Host) -> None:
    passes(RULE, host)


@pytest.mark.near_miss("hidden")
def test_what_runs_under_other_products_costs_nothing() -> None:
    beside = [K(30, NARROW, OP, work=work((6, 6)))]

    passes(RULE, training([K(1, HALF_GEMM)], device=A100, beside=beside))


def test_products_of_unknown_work_are_not_judged() -> None:
    assert isinstance(judge(RULE, training([K(30, NARROW, OP)], device=A100)), Missing)
