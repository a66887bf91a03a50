"""Peak rates against the makers' data sheets, which state them for the clock that CUDA and HIP report."""

from __future__ import annotations

import pytest

from tfperf_plugin.hardware.peaks import amd_architecture, peaks


@pytest.mark.parametrize(
    ("capability", "multiprocessors", "ghz", "half"),
    [((7, 0), 80, 1.53, 31.4), ((7, 5), 40, 1.59, 16.3), ((8, 0), 108, 1.41, 78), ((9, 0), 132, 1.98, 133.8)],
    ids=["V100", "T4", "A100", "H100"],
)
def test_ordinary_units_in_16_bit(
    capability: tuple[int, int], multiprocessors: int, ghz: float, half: float
) -> None:
    """Other rates: ``test_speeds.py``."""
    found = peaks(capability, "NVIDIA of the data centre")

    assert found and found.half * multiprocessors * ghz / 1000 == pytest.approx(half, rel=0.015)


def test_amd_gpus_are_told_by_name_or_version() -> None:
    assert amd_architecture("AMD Instinct MI325X", None, None) == "gfx942"
    assert amd_architecture("gfx90a:sramecc+:xnack-", (9, 0), None) == "gfx90a"
    assert amd_architecture("AMD Instinct MI350X", (9, 5), 256) == "gfx950"
    # MI100 and MI50 report 9.0, too.
    assert amd_architecture("", (9, 0), 120) is None
    assert amd_architecture("AMD Radeon RX 7900 XTX", (11, 0), 96) is None


def test_a_capability_between_two_is_judged_as_the_lower() -> None:
    assert peaks((8, 7), "") == peaks((8, 6), "")
    assert peaks((6, 1), "") is None
