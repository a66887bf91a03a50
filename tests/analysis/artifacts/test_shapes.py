"""Recorded shapes of products."""

from __future__ import annotations

import pytest

from tfperf_plugin.analysis.artifacts.compute.shapes import input_bytes, odd_dimensions, reading_ns


@pytest.mark.parametrize(
    ("op_type", "shape", "odd"),
    [
        ("MatMul", "(half[4096,1020];half[1020,3000])", (1020,)),
        ("MatMul", "(half[4096,1024];half[1024,3072])", ()),
        ("BatchMatMulV2", "(half[3,16,512,60];half[3,16,60,512])", (60,)),
        ("Conv2D", "(half[32,57,57,64];half[3,3,64,100])", (100,)),
        ("Conv2DBackpropInput", "(int32[4];half[3,3,60,64];half[32,57,57,64])", (60,)),
        ("Conv2DBackpropFilter", "(half[32,57,57,60];int32[4];half[32,57,57,60])", ()),
        ("MatMul", "", ()),
        ("MatMul", "(half[];half[7])", ()),
    ],
)
def test_dimensions_that_are_no_multiple_of_8(op_type: str, shape: str, odd: tuple[int, ...]) -> None:
    assert odd_dimensions(op_type, shape) == odd


def test_inputs_are_read_at_least_once() -> None:
    shape = "(half[1000,1000];float[1000];int32[4])"

    assert input_bytes(shape) == 2_004_000
    assert reading_ns(shape, 1_000_000_000) == 2_004_000
    assert reading_ns(shape, None) == 0
    assert reading_ns("", 1_000_000_000) == 0
