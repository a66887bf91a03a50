"""Parts of the forward pass that are computed twice."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.builders import HALF_GEMM, SGEMM, Host, fires, judge, passes
from tests.judging.rules.kernels import A100, K, moving, training
from tfperf_plugin.judging.engine.rule import Found, Missing, Passed
from tfperf_plugin.judging.rules.one_gpu.recompute_needless import RULE
from tfperf_plugin.trace.model import OpWork, Product

GB = 10**9
FUSION = "loop_multiply_fusion"
DOT = OpWork(2 * 10**12, 2 * 10**12, "bf16", GB, True, "product", (Product(1, 10**4, 10**4, 10**4, "bf16"),))


def again(ms: float = 10, size: int = 2 * GB, name: str = "fusion.7.remat") -> K:
    return K(ms, FUSION, name, work=moving(size, recomputed=True))


def product(format: str = "bf16", gemm: str = HALF_GEMM) -> K:
    return K(12, gemm, "custom-call.3", work=replace(DOT, matrix_format=format, recomputed=True))


def host(kernels: Sequence[K], peak: int = 40 * GB, hidden: bool = False) -> Host:
    """An A100 whose allocator has 72 GB, of which nine tenths may be filled."""
    made = training([] if hidden else kernels, beside=kernels if hidden else (), device=A100)
    for step in range(5):
        made.memory(step * 100 + 1, 10 * GB, 72 * GB, peak)
        made.memory(step * 100 + 50, peak, 72 * GB, peak)
    return made


def test_in_32_bit_mixed_precision_has_its_share() -> None:
    """Products are its own, and half of what moves tensors."""
    assert fires(RULE, host([again(), product("fp32", SGEMM)])).claims == {"compute": 5_000_000}


def test_layout_transposes_keep_theirs() -> None:
    turned = K(5, "void nchwToNhwcKernel<float>(P)", "cudnn-conv.4.remat", work=moving(GB, recomputed=True))

    assert fires(RULE, host([again(), turned])).claims == {"compute": 10_000_000}


@pytest.mark.near_miss("below")
@pytest.mark.parametrize(
    ("peak", "fits"), [(int(0.9 * 72 * GB) - 2 * GB, True), (63 * GB, False), (71 * GB, False)]
)
def test_without_room_it_is_needed(peak: int, fits: bool) -> None:
    verdict = judge(RULE, host([again()], peak))

    assert getattr(verdict, "claims", {}) == ({"compute": 10_000_000} if fits else {})
    assert isinstance(verdict, Found if fits else Passed)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "recording",
    [
        host([again(0.9)]),
        host([again(0.008, name=f"fusion.{i}.remat") for i in range(400)]),
        host([again()], hidden=True),
    ],
    ids=["below 1 % of the step", "small kernels", "under a product"],
)
def test_what_costs_little_stays_silent(recording: Host) -> None:
    passes(RULE, recording)


def test_without_allocator_events_the_profile_does_not_tell() -> None:
    verdict = judge(RULE, training([again()], device=A100))

    assert isinstance(verdict, Missing)
    assert "10.0 ms" in verdict.reason
