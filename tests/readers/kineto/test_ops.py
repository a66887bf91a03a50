"""Which part of a step an op belongs to, and what it computes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.readers.kineto.traces import Trace, read
from tfperf_plugin.readers.kineto.shapes import Tensor
from tfperf_plugin.readers.kineto.work import work_of

STRIDES = b'["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"]'
X, W = Tensor("half", (8, 64, 56, 56)), Tensor("half", (128, 64, 3, 3))


def ops(around: list[str], **of_outer: Any) -> list[str]:
    """What the op of a kernel is called that is launched inside these events."""
    trace = Trace()
    for depth, name in enumerate(around):
        trace.op(name, depth, 100 - depth, **(of_outer if not depth else {}))
    trace.op("aten::mul", 40, 60)
    trace.launch(1, 45, 50)
    trace.kernel("mul", 1, 55, 70)
    (device,) = read(trace).devices
    return [device.ops[code] for code in device.op.tolist()]


@pytest.mark.parametrize(
    ("around", "called"),
    [
        ([], "aten::mul"),
        (["autograd::engine::evaluate_function: MulBackward0", "MulBackward0"], "backward/aten::mul"),
        (["CudnnConvolutionBackward"], "backward/aten::mul"),  # 2021 records no engine
        (["Optimizer.step#AdamW.step"], "AdamW/aten::mul"),
        (["Optimizer.step#Shampoo.step"], "optimizer/aten::mul"),
    ],
)
def test_what_is_around_an_op_tells_the_part_of_the_step(around: list[str], called: str) -> None:
    assert ops(around) == [called]


def test_autograd_numbers_the_ops_of_both_passes() -> None:
    assert ops(["aten::linear"], Sequence_number=7) == ["forward/aten::mul"]
    assert ops(["MulBackward0"], Sequence_number=7) == ["backward/aten::mul"]


def test_a_product_multiplies_and_adds_for_each_place() -> None:
    plain = work_of(
        "aten::addmm", [Tensor("float", (10,)), Tensor("float", (4, 3)), Tensor("float", (3, 10))], b""
    )
    batched = work_of("aten::bmm", [Tensor("half", (5, 4, 3)), Tensor("half", (5, 3, 10))], b"")

    assert plain and (plain.called, plain.work.flops) == ("4×3·3×10", 2 * 4 * 3 * 10)
    assert plain.work.bytes == 4 * (4 * 3 + 3 * 10 + 4 * 10)
    assert batched and batched.work.flops == 5 * 2 * 4 * 3 * 10
    assert batched.work.matrix_format == "fp16"


def test_strides_tell_the_places_of_a_convolution() -> None:
    found = work_of("aten::convolution", [X, W], STRIDES)

    assert found and found.work.products[0].places == (28, 28)
    assert found.work.flops == 2 * 8 * 28 * 28 * 128 * 64 * 9


@pytest.mark.parametrize(
    ("asked", "called", "times"),
    [
        ("[True, True, False]", "8×64×56×56∗128×64×3×3", 2),
        ("[True, False, False]", "8×64×56×56∗128×64×3×3 of input", 1),
        ("[False, True, True]", "8×64×56×56∗128×64×3×3 of filter", 1),
    ],
)
def test_gradients_count_as_far_as_they_are_asked_for(asked: str, called: str, times: int) -> None:
    output = Tensor("half", (8, 128, 28, 28))
    found = work_of("aten::convolution_backward", [output, X, W], f'["[2, 2]", "{asked}"]'.encode())

    assert found and found.called == called
    assert found.work.flops == times * 2 * 8 * 28 * 28 * 128 * 64 * 9


@pytest.mark.parametrize(
    ("name", "tensors", "values"),
    [
        ("aten::mm", [Tensor("half", (4, 3)), Tensor("half", (4, 3))], b""),  # sides that do not fit
        ("aten::mm", [Tensor("half", (1 << 39, 1 << 39)), Tensor("half", (1 << 39, 1 << 39))], b""),
        ("aten::convolution", [X, W], b""),  # no strides
        ("aten::convolution", [X, W], b'["", "[0, 0]", "[1, 1]", "[1, 1]"]'),
        ("aten::convolution", [X, W], b'["[1]", "[1]", "[1]"]'),
        ("aten::convolution", [X, Tensor("half", (128,))], STRIDES),
        ("aten::convolution", [X, Tensor("half", (128, 64, 99, 99))], STRIDES),
        ("aten::convolution_backward", [X, X, W], b"[[[["),
        ("aten::convolution_backward", [Tensor("half", (8, 128, 28)), X, W], b'["[True, True, False]"]'),
        ("aten::sort", [X], b""),
    ],
)  # fmt: skip
def test_what_is_not_told_is_not_guessed(name: str, tensors: list[Tensor], values: bytes) -> None:
    assert work_of(name, tensors, values) is None


def test_calls_of_the_same_sizes_in_other_types_are_other_ops() -> None:
    trace = Trace()
    for number, types in enumerate(
        (["float", "c10::Half"], ["c10::Half", "c10::Half"], ["float", "c10::Half"])
    ):
        at = 100 * number
        sizes: dict[str, Any] = {"Input_Dims": [[8, 4], [8, 4]], "Input_type": types}
        trace.op("aten::copy_", at, at + 20, **sizes)
        trace.launch(number + 1, at + 5, at + 10)
        trace.kernel("copy", number + 1, at + 30, at + 40)
    (device,) = (host := read(trace)).devices

    assert [device.ops[code] for code in device.op] == [
        "aten::copy_ 8×4", "aten::copy_ 8×4 (half, half)", "aten::copy_ 8×4"
    ]  # fmt: skip
    moved = {op: known.bytes for (_, op), known in host.op_work.items()}
    assert moved == {"aten::copy_ 8×4": 6 * 32, "aten::copy_ 8×4 (half, half)": 4 * 32}
