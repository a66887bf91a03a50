"""Products in 32 bit beside those in 16 bit."""

from __future__ import annotations

import pytest

from tests.builders import SGEMM, Host, fires, inputs, passes
from tests.judging.rules.kernels import A100, K
from tests.judging.rules.kernels import training as steps
from tests.judging.rules.test_mixed_precision_off import training, under_products
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu import slow_products
from tfperf_plugin.judging.rules.precision import mixed_precision_off
from tfperf_plugin.judging.rules.precision.fp32_beside_16bit import RULE

OP = "model/logits/MatMul:MatMul"


@pytest.mark.parametrize(("single", "half"), [(74, 6), (72, 8), (10, 90), (64, 0)])
def test_one_of_two_rules_speaks(single: float, half: float) -> None:
    outcome = run_rules([mixed_precision_off.RULE, RULE], inputs(training(single, half)))

    on = half >= 0.1 * (single + half)
    assert [f.id for f in outcome.findings] == ["fp32-beside-16bit" if on else "mixed-precision-off"]


def test_a_product_that_waits_for_memory_gains_the_time_of_half_its_bytes() -> None:
    """1 GFLOP on 40 GB, which take 32.2 ms at 80 % of 1555 GB/s; the peak rates say 51 of 56 ms."""
    host = steps([K(56, SGEMM, OP)], device=A100)
    host.work(OP, 10**9, 40 * 10**9, "fp32")

    assert fires(RULE, host).claims == {"compute": pytest.approx(20e9 / (1_555e9 * 0.8) * 1e9, rel=1e-4)}


def test_what_slow_products_claim_beside_it_leaves_what_is_needed() -> None:
    """64 ms of 19.5 TFLOP/s usually take 35.2 ms; in 16 bit 1/11 of that is left of both."""
    host = steps([K(64, SGEMM, OP)], device=A100)
    host.work(OP, 550 * 10**9, 10**9, "fp32")
    claims = run_rules([RULE, slow_products.RULE], inputs(host)).claims

    total = sum(claims[rule]["compute"] for rule in ("fp32-beside-16bit", "slow-products"))
    needed_ns = 550e9 / (256 / 2 * 108 * 1.41e9 * 0.8) * 1e9
    assert 64_000_000 - total == pytest.approx(needed_ns * 128 / 2048 / (11 / 16), rel=1e-3)


@pytest.mark.near_miss("below")
@pytest.mark.near_miss("hidden")
@pytest.mark.parametrize("host", [training(single=1.09, half=98), under_products()])
def test_what_could_save_less_than_the_lowest_severity_passes(host: Host) -> None:
    """1.09 ms × 10/11 are 0.991 % of the step, 1.11 ms 1.009 %."""
    passes(RULE, host)
    assert fires(RULE, training(single=1.11, half=98)).claims == {"compute": 1_009_091}
