"""Peak rates against the makers' data sheets, which state them for the clock that CUDA and HIP report."""

from __future__ import annotations

import pytest

from tfperf_plugin.hardware.peaks import amd_architecture, amd_peaks, memory_rate, peaks


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
    found = peaks(capability, "NVIDIA of the data centre")

    assert found is not None
    for rate, stated in ((found.fp32, fp32), (found.half, half), (found.bits16, bits16)):
        assert rate * multiprocessors * ghz / 1000 == pytest.approx(stated, rel=0.015)


@pytest.mark.parametrize(
    ("capability", "name", "multiprocessors", "ghz", "tf32", "bits16"),
    [
        ((7, 5), "NVIDIA GeForce RTX 2080 Ti", 68, 1.545, None, 53.8),
        ((8, 6), "NVIDIA GeForce RTX 3090", 82, 1.695, 35.6, 71),
        ((8, 6), "NVIDIA A10", 72, 1.695, 62.5, 125),
        ((8, 9), "NVIDIA GeForce RTX 4090", 128, 2.52, 82.6, 165.2),
        ((8, 9), "NVIDIA L4", 58, 2.04, 60, 121),
        ((12, 0), "NVIDIA GeForce RTX 5090", 170, 2.407, 104.8, 209.5),
    ],
)
def test_geforce_cards_add_up_at_half_the_rate(
    capability: tuple[int, int],
    name: str,
    multiprocessors: int,
    ghz: float,
    tf32: float | None,
    bits16: float,
) -> None:
    found = peaks(capability, name)

    assert found is not None
    assert found.bits16 * multiprocessors * ghz / 1000 == pytest.approx(bits16, rel=0.015)
    assert (found.tf32 and found.tf32 * multiprocessors * ghz / 1000) == (
        tf32 and pytest.approx(tf32, rel=0.015)
    )


def test_without_a_name_it_is_the_slower_card() -> None:
    assert peaks((8, 6), "") == peaks((8, 6), "NVIDIA GeForce RTX 3090")
    assert peaks((8, 0), "") == peaks((8, 0), "NVIDIA A100-SXM4-40GB")


@pytest.mark.parametrize(
    ("version", "units", "ghz", "fp32", "tf32", "bits16"),
    [
        ((9, 0), 104, 1.7, 45.3, None, 181),  # MI210
        ((9, 0), 110, 1.7, 95.7 / 2, None, 383 / 2),  # MI250X: each of its two dies is a GPU
        ((9, 4), 304, 2.1, 163.4, 653.7, 1307.4),  # MI300X
        ((9, 5), 256, 2.4, 157.3, None, 2516.6),  # MI355X
    ],
)
def test_rates_of_amd_are_those_of_its_data_sheets(
    version: tuple[int, int], units: int, ghz: float, fp32: float, tf32: float | None, bits16: float
) -> None:
    architecture = amd_architecture("", version, units)

    assert architecture is not None
    found = amd_peaks(architecture)
    assert found.fp32 * units * ghz / 1000 == pytest.approx(fp32, rel=0.001)
    assert found.bits16 * units * ghz / 1000 == pytest.approx(bits16, rel=0.001)
    assert (found.tf32 and found.tf32 * units * ghz / 1000) == (tf32 and pytest.approx(tf32, rel=0.001))


def test_amd_gpus_are_told_by_name_or_version() -> None:
    assert amd_architecture("AMD Instinct MI325X", None, None) == "gfx942"
    assert amd_architecture("gfx90a:sramecc+:xnack-", (9, 0), None) == "gfx90a"
    assert amd_architecture("AMD Instinct MI350X", (9, 5), 256) == "gfx950"
    # MI100 and MI50 report 9.0, too.
    assert amd_architecture("", (9, 0), 120) is None
    assert amd_architecture("AMD Radeon RX 7900 XTX", (11, 0), 96) is None


def test_hbm3_is_twice_as_fast_as_recorded() -> None:
    assert memory_rate(2_662_400_000_000, "gfx942") == pytest.approx(5.3e12, rel=0.01)
    assert memory_rate(1_638_400_000_000, "gfx90a") == 1_638_400_000_000
    assert memory_rate(898_048_000_000, None) == 898_048_000_000


def test_a_capability_between_two_is_judged_as_the_lower() -> None:
    assert peaks((8, 7), "") == peaks((8, 6), "")
    assert peaks((6, 1), "") is None
