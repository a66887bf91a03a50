"""Peak rates against NVIDIA's data sheets, which state them for the clock that CUDA reports."""

from __future__ import annotations

import pytest

from tfperf_plugin.guide.hardware import peaks


@pytest.mark.parametrize(
    ("capability", "multiprocessors", "ghz", "fp32", "half", "bits16"),
    [
        ((7, 0), 80, 1.53, 15.7, 31.4, 125),  # V100
        ((7, 5), 40, 1.59, 8.1, 16.3, 65),  # T4
        ((8, 0), 108, 1.41, 19.5, 78, 312),  # A100
        ((9, 0), 132, 1.98, 66.9, 133.8, 1069),  # H100 SXM; its Tensor Cores are rated at 1.83 GHz: 989
    ],
)
def test_rates_are_those_of_the_data_sheets(
    capability: tuple[int, int], multiprocessors: int, ghz: float, fp32: float, half: float, bits16: float
) -> None:
    found = peaks(capability)

    assert found is not None
    for rate, stated in ((found.fp32, fp32), (found.half, half), (found.bits16, bits16)):
        assert rate * multiprocessors * ghz / 1000 == pytest.approx(stated, rel=0.015)


def test_a_capability_between_two_is_judged_as_the_lower() -> None:
    assert peaks((8, 7)) == peaks((8, 6))
    assert peaks((6, 1)) is None
