"""Gathers and scatters below the memory's bandwidth."""

from __future__ import annotations

import pytest

from tests.builders import fires, inputs, judge, passes, says
from tests.judging.rules.kernels import A100, K, moving, training
from tfperf_plugin.analysis.artifacts.compute.slow import Slow
from tfperf_plugin.judging.engine.rule import Missing
from tfperf_plugin.judging.rules.one_gpu.slow_gathers import RULE, SYNTHETIC

GATHER = "void tensorflow::GatherOpKernel<float, long long, true>(P)"
LOOKUP = "model/embedding/embedding_lookup:ResourceGather"


def lookup(ms: float, size: int) -> K:
    return K(ms, GATHER, LOOKUP, work=moving(size))


@pytest.mark.parametrize(
    "kind", ["GatherV2", "UnsortedSegmentSum", "ScatterNd", "TensorScatterAdd", "GatherNd"]
)
def test_types_of_ops_that_move_rows(kind: str) -> None:
    assert fires(RULE, training([K(9, GATHER, f"model/x:{kind}", work=moving(10**9))], device=A100)).claims


@pytest.mark.parametrize("name", ["jit_raw_generate_synthetic_data", "jit_make_batch"])
def test_ids_of_synthetic_data_may_be_the_cause(name: str) -> None:
    host = training([lookup(10, 2_000_000_000)], device=A100)
    host.event(name, 0, 1)

    assert says(fires(RULE, host), SYNTHETIC) is ("synthetic" in name)


def test_without_sizes_it_is_not_judged() -> None:
    verdict = judge(RULE, training([K(9, GATHER, LOOKUP)], device=A100))

    assert isinstance(verdict, Missing)
    assert "take 9.0 ms per step" in verdict.reason


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("kernels", "beside"),
    [
        ([lookup(1.4, 600_000_000)], []),
        ([lookup(0.9, 1_000_000)], []),
        ([lookup(2, 2_600_000_000)], []),
        ([lookup(1.5, 10**10)], []),
        ([], [lookup(20, 10**9)]),
    ],
    ids=["below 1 % above its bytes", "short", "at the bandwidth", "from a cache", "under a product"],
)
def test_what_stays_silent(kernels: list[K], beside: list[K]) -> None:
    passes(RULE, training(kernels, beside=beside, device=A100))


@pytest.mark.near_miss("below")
def test_a_kernel_that_hardly_moves_anything_is_a_small_one() -> None:
    host = training([K(0.005, GATHER, LOOKUP, work=moving(1000)) for _ in range(400)], device=A100)

    passes(RULE, host)
    assert [op.name for op in inputs(host).get(Slow).ops("small-kernels")] == [LOOKUP]
