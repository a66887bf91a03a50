"""What kernels reach while they run, where no step tells how much of its time they take."""

from __future__ import annotations

import pytest

from tests.builders import HALF_GEMM, Host, Stats, finding, inputs
from tfperf_plugin.analysis.artifacts.compute.kernel_rates import KernelRates
from tfperf_plugin.judging.rules.capture.no_step_markers import RULE

# Per ms 204.8 GFLOP in 16 bit.
FIGURES: Stats = {"core_count": 100, "clock_rate": 1_000_000, "memory_bandwidth": 10**12}
PER_MS = 204_800_000_000


def without_steps(*shares: float, known: bool = True) -> Host:
    """Products of 1, 2, … ms that reach these shares of the peak, at moments without a rhythm."""
    host = Host(model="NVIDIA A100-SXM4-40GB", device=FIGURES)
    for number, share in enumerate(shares):
        begin, length = 10 * number**2, number + 1
        host.kernel(begin, begin + length, name=HALF_GEMM, op=f"layer_{number}/MatMul:MatMul")
        if known:
            host.work(f"layer_{number}/MatMul:MatMul", round(share * length * PER_MS), 1_000)
    return host


def rates(host: Host) -> KernelRates:
    return inputs(host).of(KernelRates)


def test_products_are_measured_while_they_run() -> None:
    found = rates(without_steps(0.9, 0.45))

    assert found.total_ns == 3_000_000
    assert found.products_ratio == pytest.approx((0.9 * 1 + 0.45 * 2) / 3)
    assert found.longest[0][:2] == ("layer_1/MatMul:MatMul", 2_000_000)
    assert found.longest[0][2] == pytest.approx(0.45)


def test_nothing_is_claimed_of_what_is_not_known_or_cannot_be() -> None:
    assert rates(without_steps(0.9, 0.45, known=False)).products_ratio is None
    assert rates(without_steps(1.5, 1.5)).products_ratio is None
    assert "of the peak" not in finding(RULE, without_steps(1.5, 1.5)).summary
