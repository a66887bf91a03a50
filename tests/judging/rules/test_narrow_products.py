"""Layers with fewer channels than a tile has rows."""

from __future__ import annotations

from typing import Literal

import pytest

from tests.builders import HALF_GEMM, Host, judge, passes
from tests.judging.rules.kernels import A100, K, training
from tfperf_plugin.judging.engine.rule import Passed
from tfperf_plugin.judging.rules.one_gpu.narrow_products import RULE
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
