"""Launches that leave multiprocessors of the GPU idle."""

from __future__ import annotations

import pytest

from tests.builders import HALF_GEMM, SGEMM, Host, finding, fires, judge, passes, says, value
from tests.judging.rules.kernels import A100, K, copying, training
from tfperf_plugin.judging.engine.rule import Missing
from tfperf_plugin.judging.rules.one_gpu import small_grids as rule
from tfperf_plugin.judging.rules.one_gpu.small_grids import RULE
from tfperf_plugin.trace.model import Product

OP = "model/query/MatMul:MatMul"
GPT = Product(1, 1024, 768, 768, "fp16")


def product(ms: float, details: str, name: str = HALF_GEMM, known: bool = True, count: int = 1) -> Host:
    """Products of 1.2 GFLOP, each of ``ms`` milliseconds, on an A100 with 108 multiprocessors."""
    host = training([K(ms, name, OP, details=details)] * count, device=A100)
    if known:
        host.work(OP, 2 * 1024 * 768 * 768, 2 * (1024 * 768 * 2 + 768**2), "fp16", [GPT])
    return host


def test_a_last_wave_that_fills_few_multiprocessors() -> None:
    """220 blocks of 256 threads, of which a multiprocessor of 2048 holds 2 at 25 %: 1.02 waves of 216."""
    found = fires(RULE, product(1, "grid:20,11,1 block:256,1,1 occ_pct:25", count=20))

    assert value(found, "unused of it") == int(20_000_000 * (1 - 220 / 216 / 2))
    assert "220 blocks for 108 multiprocessors, whose last wave leaves 49 % unused" in found.summary
    passes(RULE, product(1, "grid:20,11,1 block:256,1,1", count=20))  # no occupancy
    # A Tesla T4 holds 1024 threads; 4 blocks of 256 at 100 %.
    t4 = training(
        [K(20, SGEMM, OP, details="grid:41,4,1 block:256,1,1 occ_pct:100")],
        capability=(7, 5),
        device={"core_count": 40, "clock_rate": 1_590_000, "memory_bandwidth": 320_000_000_000},
    )
    t4.work(OP, 10**9, 10**6, "fp32")
    assert value(fires(RULE, t4), "unused of it") == int(20_000_000 * (1 - 164 / 160 / 2))


def test_an_occupancy_that_the_grid_limits_tells_no_waves() -> None:
    """PyTorch's 25 % may be all of 220 blocks at once, 2.04 on each of 108 multiprocessors that hold 8. Of
    240 blocks it is 2 on each, in 1.11 waves."""
    passes(RULE, product(1, "grid:20,11,1 block:256,1,1 est_occ_pct:25", count=20))

    found = fires(RULE, product(1, "grid:30,8,1 block:256,1,1 est_occ_pct:25", count=20))

    assert value(found, "unused of it") == int(20_000_000 * (1 - 240 / 216 / 2))


def test_kernels_whose_work_is_unknown_count_too() -> None:
    found = finding(RULE, product(1, "grid:6,8,1 block:256,1,1", known=False, count=20))

    assert (found.severity, found.saving) == ("info", None)
    assert value(found, "unused of it") == 11_111_111
    passes(RULE, product(1, "grid:20,11,1 block:256,1,1 occ_pct:25", known=False, count=20))


def of_program(*kernels: K) -> Host:
    """Steps of 100 ms of kernels without ops, as a program without a framework launches them."""
    host = Host(device=A100)

    def step(host: Host, at: float) -> None:
        for kernel in kernels:
            host.kernel(at, at + kernel.ms, name=kernel.name, stats={"kernel_details": kernel.details})
            at += kernel.ms
        host.kernel(at, at + 5, name="fill", stats={"kernel_details": "grid:5000,1,1 block:256,1,1"})

    return host.trained(5, 100, step)


def test_a_program_without_a_framework_can_launch_more_blocks_of_its_own_kernels() -> None:
    found = finding(RULE, of_program(K(54, "main_46_gpu", details="grid:1,1,1 block:1,1,1")))

    # An A100 holds 108 × 2,048 threads.
    assert found.saving and found.saving.accounts == {"compute": 53_999_755}
    assert (found.severity, found.confidence) == ("critical", "low")
    assert found.saving.kernels == ("main_46_gpu",)
    assert "1 block of 1 thread for 108 multiprocessors" in found.cause
    assert says(found, rule.CAUSE) and says(found, rule.SPREAD)
    assert found.action == "Launch more blocks and threads"
    assert any("OpenACC" in action for action in found.fix.actions)


def test_blocks_of_many_threads_leave_less_unused() -> None:
    found = finding(RULE, of_program(K(54, "add", details="grid:54,1,1 block:1024,1,1")))

    assert found.saving and found.saving.accounts == {"compute": 40_500_000}


def test_of_a_program_only_its_own_long_kernels_without_blocks_claim_time() -> None:
    library = of_program(K(54, "cublasLt::splitless", details="grid:1,1,1 block:128,1,1"))
    assert finding(RULE, library).saving is None

    short = of_program(*[K(0.009, "add", details="grid:1,1,1 block:256,1,1")] * 2000)
    passes(RULE, short)
    passes(RULE, of_program(K(54, "add", details="grid:100,1,1 block:256,1,1")))


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize(
    "host",
    [
        product(1, "grid:6,8,1 block:256,1,1", count=8),  # 4.4 % of the compute are unused
        product(1, "grid:6,16,1 block:256,1,1", count=90),  # 96 of 108
        product(1, "grid:6,8,1 block:256,1,1", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT", count=20),
        product(1, "grid:6,8,1 block:256,1,1", "cutlass_tensorop_h16816gemm_128x64_splitK", count=20),
        product(1, "grid:6,8,1 block:256,1,1", "Cijk_Ailk_Bljk_BBS_BH_MT64x64_MI16x16_GSU4_ISA942", count=20),
        training(
            [K(1, HALF_GEMM)], device=A100, beside=[K(30, HALF_GEMM, OP, details="grid:6,8,1 block:256,1,1")]
        ),
    ],
    ids=["little", "nearly full", "persistent", "split-K", "global split", "under other products"],
)
def test_what_stays_silent(host: Host) -> None:
    passes(RULE, host)


def test_amd_names_a_split_of_one_that_splits_nothing() -> None:
    name = "Cijk_Ailk_Bljk_BBS_BH_MT64x64_MI16x16x16x1_SN_GSU1_GSUASB_MKFGSU256_SK0_ISA942"

    found = fires(RULE, product(1, "grid:6,8,1 block:256,1,1", name, count=20))
    assert value(found, "unused of it") == 11_111_111


def test_without_grids_nothing_is_judged() -> None:
    assert isinstance(judge(RULE, training([K(30, HALF_GEMM, OP)], device=A100)), Missing)


def test_without_a_kernel_the_question_does_not_arise() -> None:
    assert says(judge(RULE, copying()), rule.NOTHING)
