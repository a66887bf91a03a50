"""What ops of PyTorch compute and move, by the sizes of their inputs."""

from __future__ import annotations

import json

import pytest

from tfperf_plugin.readers.kineto.work import Tensor, Work, inputs_of, work_of

STRIDES = b'["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"]'
X, W = Tensor("half", (8, 64, 56, 56)), Tensor("half", (128, 64, 3, 3))
HALF, FLOAT, LONG = "c10::Half", "float", "long int"


def work(name: str, *tensors: tuple[str, list[int]], values: list[str] | None = None) -> Work | None:
    types, sizes = [kind for kind, _ in tensors], [size for _, size in tensors]
    inputs = inputs_of(json.dumps(sizes).encode(), json.dumps(types).encode())
    return work_of(f"aten::{name}", inputs, json.dumps(values or []).encode())


@pytest.mark.parametrize(
    ("name", "tensors"),
    [
        ("mm", [[8, 512], [512, 64]]),
        ("mm", [[8, 512], [512, 64], [8, 64]]),  # of compiled code, which tells where the result goes
        ("addmm", [[64], [8, 512], [512, 64]]),
        ("addmm", [[64], [8, 512], [512, 64], [8, 64]]),
        ("addmm", [[], [8, 512], [512, 64]]),  # what is added is a number
    ],
)
def test_a_product_is_that_of_its_two_matrices(name: str, tensors: list[list[int]]) -> None:
    found = work(name, *[(HALF, sizes) for sizes in tensors])

    assert found
    assert found.called == "8×512·512×64"
    assert found.work.flops == found.work.matrix_flops == 2 * 8 * 512 * 64
    assert found.work.bytes == 2 * (8 * 512 + 512 * 64 + 8 * 64)
    assert found.work.matrix_format == "fp16"


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


# 2 examples with 8 heads of 64; 128 queries, 256 keys.
HEADS_LAST = [[2, 128, 8, 64], [2, 256, 8, 64], [2, 256, 8, 64]]
SCORES = 2 * 8 * 128 * 256


@pytest.mark.parametrize(("mask", "share"), [("False", 1), ("True", 2)])
def test_attention_multiplies_queries_keys_and_values(mask: str, share: int) -> None:
    forward = work("_flash_attention_forward", *[(HALF, s) for s in HEADS_LAST], values=[""] * 8 + [mask])
    tensors = [(HALF, s) for s in (HEADS_LAST[0], *HEADS_LAST, HEADS_LAST[0])]
    backward = work("_flash_attention_backward", *tensors, values=[""] * 11 + [mask])

    assert forward
    assert backward
    assert forward.work.flops == 4 * SCORES * 64 // share
    assert forward.work.bytes == 2 * (2 * 2 * 128 * 8 * 64 + 2 * 2 * 256 * 8 * 64)
    assert backward.work.flops == 10 * SCORES * 64 // share
    assert backward.work.recomputed_flops == 2 * SCORES * 64 // share
    assert forward.work.kind == "attention"
    assert ("causal" in forward.called) == (share == 2)


def test_libraries_differ_in_the_order_of_dimensions() -> None:
    tensors = [(HALF, [b, h, s, d]) for b, s, h, d in HEADS_LAST]
    found = work("_scaled_dot_product_cudnn_attention", *tensors, values=[""] * 6 + ["False"])

    assert found
    assert found.work.flops == 4 * SCORES * 64


@pytest.mark.parametrize(
    ("sizes", "values"),
    [
        (HEADS_LAST, []),  # whether it is causal is not told
        ([[256, 8, 64]] * 3, [""] * 8 + ["False"]),  # sequences of several lengths are packed
        (HEADS_LAST[:2], [""] * 8 + ["False"]),
    ],
)
def test_attention_that_tells_too_little_is_not_judged(sizes: list[list[int]], values: list[str]) -> None:
    assert work("_flash_attention_forward", *[(HALF, s) for s in sizes], values=values) is None


@pytest.mark.parametrize(
    ("name", "tensors", "moved"),
    [
        ("add_", [(HALF, [64, 32]), (HALF, [32])], 2 * (64 * 32 + 32 + 64 * 32)),
        ("add", [(HALF, [64, 32]), (FLOAT, [64, 1])], 2 * 64 * 32 + 4 * 64 + 4 * 64 * 32),
        ("_softmax", [(FLOAT, [64, 32])], 4 * 2 * 64 * 32),
        ("cudnn_batch_norm_backward", [(HALF, [8, 4, 6, 6])] * 2, 2 * 3 * 8 * 4 * 36),
        ("eq", [(FLOAT, [64])], 5 * 64),
        ("sum", [(HALF, [64, 32])], 2 * 64 * 32),
        ("copy_", [(HALF, [64]), (FLOAT, [64])], (2 + 4) * 64),
        ("fill_", [(HALF, [64])], 2 * 64),
        ("embedding", [(HALF, [1000, 32]), (LONG, [4, 5])], 8 * 20 + 2 * 20 * 64),
        ("embedding_dense_backward", [(HALF, [20, 32]), (LONG, [20])], 8 * 20 + 2 * 2 * 20 * 32),
    ],
)
def test_other_ops_read_their_inputs_and_write_their_result_once(
    name: str, tensors: list[tuple[str, list[int]]], moved: int
) -> None:
    found = work(name, *tensors)

    assert found
    assert found.work.bytes == moved
    assert found.work.matrix_flops == 0


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
        ("aten::add", [Tensor("Unknown", (64,))], b""),
        ("aten::add", [], b""),
        ("aten::embedding", [Tensor("half", (0, 32))] * 2, b""),
    ],
)  # fmt: skip
def test_what_is_not_told_is_not_guessed(name: str, tensors: list[Tensor], values: bytes) -> None:
    assert work_of(name, tensors, values) is None
