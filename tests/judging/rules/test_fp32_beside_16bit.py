"""Products in 32 bit beside those in 16 bit."""

from __future__ import annotations

import pytest

from tests.builders import SGEMM, Host, fires, inputs, passes
from tests.judging.rules.kernels import A100, K
from tests.judging.rules.kernels import training as steps
from tests.judging.rules.test_mixed_precision_off import training, under_products
from tfperf_plugin.judging.engine.run import run_rules
from tfperf_plugin.judging.rules.one_gpu import slow_products
from tfperf_plugin.judging.rules.precision.fp32_beside_16bit import RULE

OP = "model/logits/MatMul:MatMul"


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
