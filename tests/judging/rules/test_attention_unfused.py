"""Attention that several ops compute, with the scores in memory."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.builders import (
    HALF_GEMM,
    SGEMM,
    Host,
    fires,
    judge,
    passes,
    says,
    value,
)
from tests.judging.rules.kernels import A100, K, moving, training
from tfperf_plugin.judging.engine.rule import NotApplicable
from tfperf_plugin.judging.rules.precision import attention_unfused as rule
from tfperf_plugin.judging.rules.precision.attention_unfused import RULE
from tfperf_plugin.trace.model import OpWork, Product

LAYER = "model/encoder_0/attention"
SOFTMAX = "void tensorflow::(anonymous namespace)::GenerateNormalizedProb<Eigen::half, float, 8>(P)"
MUL = "Mul_GPU_DT_HALF_DT_HALF_kernel"

# 16 examples with 16 heads of 64 in fp16, 1024 queries and keys: 268 million scores, 537 MB.
BATCH, LENGTH, SIZE = 256, 1024, 64
SCORES_BYTES = BATCH * LENGTH * LENGTH * 2


def product(m: int, n: int, k: int) -> OpWork:
    flops = 2 * BATCH * m * n * k
    size = 2 * BATCH * (m * n + m * k + k * n)
    return OpWork(flops, flops, "fp16", size, False, "product", (Product(BATCH, m, n, k, "fp16"),))


MAKES, TAKES = product(LENGTH, LENGTH, SIZE), product(LENGTH, SIZE, LENGTH)


def attention(
    ms: float = 2, makes: OpWork | None = MAKES, takes: OpWork | None = TAKES, gemm: str = HALF_GEMM
) -> list[K]:
    return [
        K(ms, gemm, f"{LAYER}/MatMul:BatchMatMulV2", work=makes),
        K(ms, MUL, f"{LAYER}/mul:Mul"),
        K(ms, SOFTMAX, f"{LAYER}/Softmax:Softmax"),
        K(ms, gemm, f"{LAYER}/MatMul_1:BatchMatMulV2", work=takes),
    ]


def test_products_save_at_most_what_they_take_above_the_rest_of_their_work() -> None:
    found = fires(RULE, training([*attention(0.45), K(5, MUL, "loss/mul:Mul")], device=A100))

    # 0.45 ms − max(0.220 ms for operations at half of the peak, 0.051 ms for 67 MB) = 0.230 ms < 0.406 ms.
    floor = 2 * BATCH * LENGTH * LENGTH * SIZE / (0.5 * 311.9e12) * 1e9
    assert found.claims["compute"] == pytest.approx(900_000 + 2 * (450_000 - floor), rel=0.001)


def passing(elements: int) -> OpWork:
    return OpWork(elements, 0, "", 4 * elements)


def test_of_pytorch_sizes_tell_what_belongs_to_it() -> None:
    """Its layers share names, and so do two of the products of the gradient that multiply scores."""
    scores, size = "256×1024×1024", "256×1024×64"
    every, values = passing(SCORES_BYTES // 2), passing(SCORES_BYTES // 32)
    forward = [
        K(2, HALF_GEMM, f"forward/aten::bmm {size}·256×64×1024", work=MAKES),
        K(2, MUL, f"forward/aten::mul {scores}", work=every),
        K(2, SOFTMAX, f"forward/aten::_softmax {scores}", work=every),
        K(2, MUL, f"forward/aten::copy_ {size}", work=values),
        K(2, HALF_GEMM, f"forward/aten::bmm {scores}·{size}", work=TAKES),
    ]
    taking = K(2, HALF_GEMM, f"backward/aten::bmm {scores}·{size}", work=TAKES)
    backward = [
        taking,
        K(2, HALF_GEMM, f"backward/aten::bmm {size}·256×64×1024", work=MAKES),
        K(2, SOFTMAX, f"backward/aten::_softmax_backward_data {scores}", work=every),
        K(2, MUL, f"backward/aten::mul {scores}", work=every),
        K(2, HALF_GEMM, f"backward/aten::bmm 256×64×1024·{scores}", work=product(SIZE, LENGTH, LENGTH)),
        taking,
        K(1, MUL, "backward/aten::add 256×1024×64", work=values),
    ]
    layer = [*forward, *backward]
    found = fires(RULE, training([*layer, *layer], device=A100))

    again = 2 * BATCH * LENGTH * LENGTH * SIZE / (0.5 * 311.9e12) * 1e9
    assert value(found, "kernels between the products") == 2 * 8_000_000
    assert value(found, "scores computed again") == pytest.approx(2 * again, rel=0.001)
    assert found.claims["compute"] == pytest.approx(2 * (8_000_000 + 6 * 406_184 - again), rel=0.001)
    assert says(found, "2 attentions of this model are")


XLA = [
    K(2, HALF_GEMM, "custom-call.1", work=replace(MAKES, attention="custom-call.1")),
    K(1, "loop_add_fusion", "loop_add_fusion", work=moving(10**8)),
    K(3, "input_reduce_fusion", "f.2", work=replace(moving(2 * SCORES_BYTES), attention="custom-call.1")),
    K(2, HALF_GEMM, "custom-call.2", work=replace(TAKES, attention="custom-call.1")),
]
WIDE_MAKES, WIDE_TAKES = (replace(w, matrix_format="fp32", bytes=2 * w.bytes) for w in (MAKES, TAKES))


@pytest.mark.parametrize(
    ("kernels", "claimed", "wide"),
    [
        (
            attention(makes=None, takes=None),
            4_000_000,
            False,
        ),  # without shapes, only what lies between counts
        (attention(10, WIDE_MAKES, WIDE_TAKES, SGEMM), 10_000_000, True),  # mixed precision has its share
        (XLA, 3_812_368, False),  # the program says what belongs to it, in any order
    ],
    ids=["no shapes", "float32", "XLA"],
)
def test_what_is_claimed_of_others(kernels: Sequence[K], claimed: int, wide: bool) -> None:
    found = fires(RULE, training(kernels, device=A100))

    assert found.claims == {"compute": pytest.approx(claimed, abs=20)}
    assert says(found, rule.WIDE) == wide


HEAD = [
    K(5, HALF_GEMM, "model/head/einsum/Einsum:Einsum"),
    K(5, SOFTMAX, "model/head/Softmax:Softmax"),
    K(5, HALF_GEMM, "gradient_tape/model/head/einsum/Einsum:Einsum"),
]
DENSE = [
    K(5, HALF_GEMM, "model/a/MatMul:MatMul"),
    K(5, SOFTMAX, "model/a/Softmax:Softmax"),
    K(5, HALF_GEMM, "model/b/MatMul:MatMul"),
]
GATED = [*attention()[:3], K(2, "void cub::DeviceReduceKernel<float>(P)", f"{LAYER}/Sum:Sum"), attention()[3]]
OF_PYTORCH = [
    K(2, HALF_GEMM, "aten::bmm 256×1024×64·256×64×1024", work=MAKES),
    K(2, SOFTMAX, "aten::_softmax 256×1024×1024", work=passing(SCORES_BYTES // 2)),
    K(2, HALF_GEMM, "aten::bmm 256×1024×64·256×64×512", work=product(LENGTH, 512, SIZE)),
]


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    "kernels",
    [
        HEAD, DENSE, GATED, attention(takes=product(LENGTH, SIZE, 512)), attention()[:3], attention()[2:],
        OF_PYTORCH,
    ],
    ids=[
        "a head", "dense layers", "a sum between", "other shapes", "no second product", "no first product",
        "other sizes in PyTorch",
    ],
)  # fmt: skip
def test_what_is_no_attention(kernels: Sequence[K]) -> None:
    assert isinstance(judge(RULE, training(kernels, device=A100)), NotApplicable)


def test_a_softmax_of_pytorch_without_sizes_is_not_judged() -> None:
    kernels = [K(kernel.ms, kernel.name, kernel.op.partition(" ")[0]) for kernel in OF_PYTORCH]

    assert says(judge(RULE, training(kernels, device=A100)), rule.UNSIZED)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize("host", [training(attention(0.2)), training([], beside=attention())])
def test_a_short_one_and_one_under_other_products_are_not_worth_it(host: Host) -> None:
    passes(RULE, host)
