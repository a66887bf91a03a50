"""Which GPU has the figures that a profile records without its name."""

from __future__ import annotations

import pytest

from tfperf_plugin.hardware import models as table
from tfperf_plugin.hardware.models import certain, inferred_name, models


@pytest.mark.parametrize(
    ("figures", "name"),
    [
        # Capability, multiprocessors, bytes of memory, bytes a second and kHz as real profiles record them.
        (((7, 5), 40, 15_843_721_216, 320_064_000_000, 1_590_000), "Tesla T4"),
        (((7, 0), 80, 16_914_055_168, 898_048_000_000, 1_530_000), "Tesla V100-SXM2-16GB"),
        (((6, 0), 56, 17_071_734_784, 732_160_000_000, 1_328_500), "Tesla P100-PCIE-16GB"),
        (((6, 1), 20, 7_981_694_976, 192_192_000_000, 1_113_500), "Tesla P4"),
        (((7, 5), 30, 6_222_839_808, 264_048_000_000, 1_185_000), "GeForce RTX 2060 Max-Q"),
        (((8, 6), 68, 10_736_762_880, 760_080_000_000, 1_905_000), "GeForce RTX 3080"),
        # The same board with another clock, or with more memory.
        (((7, 0), 80, 16_914_055_168, 898_048_000_000, 1_380_000), "Tesla V100-PCIE-16GB"),
        (((7, 0), 80, 34_089_730_048, 898_048_000_000, 1_530_000), "Tesla V100-SXM2-32GB"),
        (
            ((8, 0), 108, 42_505_273_344, 1_555_200_000_000, 1_410_000),
            "A100-SXM4-40GB or A100-PCIE-40GB",
        ),
        (((8, 0), 42, 20_000_000_000, 1_555_200_000_000, 1_410_000), ""),  # a part of an A100
    ],
)
def test_figures_tell_the_model(figures: tuple[tuple[int, int], int, int, int, int], name: str) -> None:
    assert inferred_name(models("NVIDIA", *figures)) == (name and f"{name} (inferred)")


def test_amd_models() -> None:
    mi300x = ((9, 4), 304, 206_141_652_992, 2_662_400_000_000, 2_100_000)

    assert models("AMD", *mi300x) == ("Instinct MI300X",)
    assert models("NVIDIA", *mi300x) == ()


def test_nothing_is_inferred_unless_all_figures_are_recorded() -> None:
    assert models("NVIDIA", (7, 5), 40, 15_843_721_216, None, 1_590_000) == ()
    assert inferred_name(()) == ""


def test_only_one_model_is_certain() -> None:
    assert certain("Tesla T4 (inferred)") == "Tesla T4"
    assert certain("A100-SXM4-40GB or A100-PCIE-40GB (inferred)") == ""
    assert certain("NVIDIA this or that") == "NVIDIA this or that"  # as recorded
    assert certain("") == ""


def test_no_model_stands_twice() -> None:
    every = [m.name for models in table._MODELS.values() for m in models]

    assert len(set(every)) == len(every)
