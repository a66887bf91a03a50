"""Many kernels that do next to nothing."""

from __future__ import annotations

import pytest

from tests.builders import HALF_GEMM, Host, finding, fires, inputs, judge, passes, says, value
from tests.judging.rules.kernels import K, training
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.judging.engine.rule import Found
from tfperf_plugin.judging.rules.one_gpu import small_kernels as rule
from tfperf_plugin.judging.rules.one_gpu.small_kernels import RULE


def small(count: int, ms: float = 0.003, name: str = "Mul_GPU_DT_FLOAT_DT_FLOAT_kernel") -> list[K]:
    return [K(ms, name, f"loss/anchor_{i}/{'mul:Mul' if i % 4 else 'sub:Sub'}") for i in range(count)]


@pytest.mark.near_miss("different")
@pytest.mark.parametrize("region", ["Torch-Compiled Region: 0/0", "## forward ##"])
def test_what_inductor_leaves_cannot_be_fused_further(region: str) -> None:
    def step(host: Host, at: float) -> None:
        host.event(region, at, at + 9)
        for number in range(400):
            begin = at + 0.005 * number
            launch = begin + 0.001, begin + 0.002
            host.kernel(begin + 0.003, begin + 0.006, name="triton_", launch=launch)
        host.kernel(at + 2.1, at + 10, name=HALF_GEMM, launch=(at + 2.05, at + 2.06))

    assert isinstance(judge(RULE, Host().trained(5, 10, step)), Found) == region.startswith("##")


def test_the_shortest_kernel_bounds_the_fixed_part() -> None:
    shorter = small(2, 0.0015, "Neg_GPU_DT_FLOAT_DT_FLOAT_kernel")

    assert value(fires(RULE, training([*small(1_998, 0.009), *shorter])), "fixed part of a kernel") == 1_500


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    ("kernels", "beside"),
    [
        (small(99), []),
        (small(490), []),
        (small(900, 0.011), []),
        ([K(0.003, HALF_GEMM, f"m/{i}:MatMul") for i in range(4_000)], []),
        ([], small(4_000)),
    ],
    ids=["too few", "below 1 % of the step", "longer than 10 µs", "products", "under a product"],
)
def test_what_stays_silent(kernels: list[K], beside: list[K]) -> None:
    passes(RULE, training(kernels, beside=beside))


def test_a_long_pause_is_no_gap_between_small_kernels() -> None:
    host = Host().steps(5, 10)
    for at in range(0, 50, 10):
        for number in range(400):
            begin = at + 0.003 * number
            host.kernel(begin, begin + 0.003, name="Mul_GPU_DT_FLOAT_DT_FLOAT_kernel", op="loss/mul:Mul")
        host.kernel(at + 3, at + 10, name="ampere_sgemm_128x64_tn", op="model/dense/MatMul:MatMul")
    found = fires(RULE, host)

    assert inputs(host).of(Ledger).average()["idle.unknown"] == 1_800_000
    assert found.claims["idle.unknown"] <= 1_000 and not says(found, rule.GAPS)


def test_a_server_of_language_models_is_promised_nothing() -> None:
    names = small(4_000, name="_ZN4vllm18act_and_mul_kernelIN3c108BFloat16E")
    found = finding(RULE, training(names))

    assert (found.severity, found.saving) == ("info", None)
    assert found.action == "Let more requests run together"
    assert any("--max-num-seqs" in action for action in found.fix.actions)
    passes(RULE, training(small(490, name=names[0].name)))
