"""What products keep of their time in 16 bit."""

from __future__ import annotations

import pytest

from tests.builders import SGEMM, inputs
from tests.judging.rules.kernels import A100, K, training
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds
from tfperf_plugin.analysis.artifacts.compute.sixteen_bit import BYTES_RATIO, kept_ratio

OP = "model/logits/MatMul:MatMul"
# What usual layers take of an A100's ordinary units: 0.8 of 19.5 TFLOP/s.
FLOPS_PER_MS = 0.8 * 19.492e9


def kept(ms: float, flops: float, moved: int = 10**6) -> float:
    """Of a product in float32 that takes ``ms``."""
    host = training([K(ms, SGEMM, OP)], device=A100)
    host.work(OP, round(flops), moved, "fp32")
    known = inputs(host)
    (device,) = known.get(Devices).participating
    assert device.peaks is not None
    op = known.get(Bounds).by_op()[OP]
    return kept_ratio(op, device, device.peaks, device.peaks.fp32, BYTES_RATIO)


@pytest.mark.parametrize(
    ("usual_ms", "left"),
    [
        (20, 1 / 11),  # as fast as usual: all of it is arithmetic
        (15, 0.25 + 0.75 / 11),  # what it takes above that stays
        (10, 0.5 + 0.5 / 11),
        (7.5, 1 - 0.5 * 0.375 * 10 / 11),  # three times as long: half of the difference is hidden
        (5, 1),  # four times: all of it
        (0.4, 1),  # 2 % of the peak
    ],
)
def test_the_further_from_its_bound_the_more_stays(usual_ms: float, left: float) -> None:
    assert kept(20, usual_ms * FLOPS_PER_MS) == pytest.approx(left, rel=1e-3)
