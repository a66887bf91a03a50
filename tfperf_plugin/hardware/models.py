"""Infers the model of a GPU whose name the profile leaves blank from the figures that it records.

Figures are those of CUDA's and HIP's device properties: capability, multiprocessors (AMD: compute units),
memory in GiB as it is sold, memory bandwidth as the collector computes it (two transfers per clock and pin),
and the highest clock where it distinguishes models. Sources: NVIDIA's and AMD's data sheets, for GeForce and
laptop cards TechPowerUp's database of GPUs; T4, V100, P100, P4, RTX 2060 Max-Q, RTX 3080 and MI300X as real
profiles state them. The profile cannot distinguish models with the same figures.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

INFERRED: Final = " (inferred)"
# Drivers and error correction reserve up to a tenth of the memory.
_MEMORY_RATIO: Final = (0.90, 1.01)
_BANDWIDTH_RATIO: Final = 0.03
_CLOCK_RATIO: Final = 0.01


class _Model(NamedTuple):
    """A model of GPU and the figures that a profile records of it."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    #: Memory in GiB as it is sold.
    memory_gib: int
    #: Memory bandwidth, GB/s.
    bandwidth_gbps: int
    #: Highest clock; 0 where makers of cards choose it, or where it distinguishes no models.
    mhz: int = 0


_NVIDIA: Final = (
    _Model("Tesla P100-SXM2-16GB", (6, 0), 56, 16, 732, 1480),
    _Model("Tesla P100-PCIE-16GB", (6, 0), 56, 16, 732, 1328),
    _Model("Tesla P100-PCIE-12GB", (6, 0), 56, 12, 549, 1328),
    _Model("Tesla P4", (6, 1), 20, 8, 192, 1113),
    _Model("Tesla P40", (6, 1), 30, 24, 347, 1531),
    _Model("TITAN Xp", (6, 1), 30, 12, 547),
    _Model("TITAN X (Pascal)", (6, 1), 28, 12, 480),
    _Model("GeForce GTX 1080 Ti", (6, 1), 28, 11, 484),
    _Model("GeForce GTX 1080", (6, 1), 20, 8, 320),
    _Model("GeForce GTX 1070 Ti", (6, 1), 19, 8, 256),
    _Model("GeForce GTX 1070", (6, 1), 15, 8, 256),
    _Model("GeForce GTX 1060 6GB", (6, 1), 10, 6, 192),
    _Model("Tesla V100-SXM2-16GB", (7, 0), 80, 16, 898, 1530),
    _Model("Tesla V100-SXM2-32GB", (7, 0), 80, 32, 898, 1530),
    _Model("Tesla V100-PCIE-16GB", (7, 0), 80, 16, 898, 1380),
    _Model("Tesla V100-PCIE-32GB", (7, 0), 80, 32, 898, 1380),
    _Model("Tesla V100S-PCIE-32GB", (7, 0), 80, 32, 1134, 1597),
    _Model("Tesla V100-SXM3-32GB", (7, 0), 80, 32, 981, 1597),
    _Model("TITAN V", (7, 0), 80, 12, 653, 1455),
    _Model("Tesla T4", (7, 5), 40, 16, 320, 1590),
    _Model("TITAN RTX", (7, 5), 72, 24, 672),
    _Model("Quadro RTX 6000", (7, 5), 72, 24, 672),
    _Model("Quadro RTX 8000", (7, 5), 72, 48, 672),
    _Model("Quadro RTX 5000", (7, 5), 48, 16, 448),
    _Model("GeForce RTX 2080 Ti", (7, 5), 68, 11, 616),
    _Model("GeForce RTX 2080 SUPER", (7, 5), 48, 8, 496),
    _Model("GeForce RTX 2080", (7, 5), 46, 8, 448),
    _Model("GeForce RTX 2070 SUPER", (7, 5), 40, 8, 448),
    _Model("GeForce RTX 2070", (7, 5), 36, 8, 448),
    _Model("GeForce RTX 2060 12GB", (7, 5), 34, 12, 336),
    _Model("GeForce RTX 2060", (7, 5), 30, 6, 336),
    _Model("GeForce RTX 2060 Max-Q", (7, 5), 30, 6, 264),
    _Model("GeForce GTX 1660 Ti", (7, 5), 24, 6, 288),
    _Model("GeForce GTX 1660 SUPER", (7, 5), 22, 6, 336),
    _Model("GeForce GTX 1660", (7, 5), 22, 6, 192),
    _Model("A100-SXM4-40GB", (8, 0), 108, 40, 1555, 1410),
    _Model("A100-PCIE-40GB", (8, 0), 108, 40, 1555, 1410),
    _Model("A100-SXM4-80GB", (8, 0), 108, 80, 2039, 1410),
    _Model("A800-SXM4-80GB", (8, 0), 108, 80, 2039, 1410),
    _Model("A100 80GB PCIe", (8, 0), 108, 80, 1935, 1410),
    _Model("A800 80GB PCIe", (8, 0), 108, 80, 1935, 1410),
    _Model("A30", (8, 0), 56, 24, 933, 1440),
    _Model("A10", (8, 6), 72, 24, 600, 1695),
    _Model("A10G", (8, 6), 80, 24, 600, 1710),
    _Model("A40", (8, 6), 84, 48, 696, 1740),
    _Model("RTX A6000", (8, 6), 84, 48, 768, 1800),
    _Model("RTX A5000", (8, 6), 64, 24, 768),
    _Model("RTX A4000", (8, 6), 48, 16, 448),
    _Model("GeForce RTX 3090 Ti", (8, 6), 84, 24, 1008),
    _Model("GeForce RTX 3090", (8, 6), 82, 24, 936),
    _Model("GeForce RTX 3080 Ti", (8, 6), 80, 12, 912),
    _Model("GeForce RTX 3080 12GB", (8, 6), 70, 12, 912),
    _Model("GeForce RTX 3080", (8, 6), 68, 10, 760),
    _Model("GeForce RTX 3070 Ti", (8, 6), 48, 8, 608),
    _Model("GeForce RTX 3080 Laptop GPU", (8, 6), 48, 16, 448),
    _Model("GeForce RTX 3070", (8, 6), 46, 8, 448),
    _Model("GeForce RTX 3060 Ti", (8, 6), 38, 8, 448),
    _Model("GeForce RTX 3060", (8, 6), 28, 12, 360),
    _Model("L4", (8, 9), 58, 24, 300, 2040),
    _Model("L40", (8, 9), 142, 48, 864, 2490),
    _Model("L40S", (8, 9), 142, 48, 864, 2520),
    _Model("RTX 6000 Ada Generation", (8, 9), 142, 48, 960),
    _Model("GeForce RTX 4090", (8, 9), 128, 24, 1008),
    _Model("GeForce RTX 4080", (8, 9), 76, 16, 717),
    _Model("GeForce RTX 4070 Ti", (8, 9), 60, 12, 504),
    _Model("GeForce RTX 4070", (8, 9), 46, 12, 504),
    _Model("H100 80GB HBM3", (9, 0), 132, 80, 3352, 1980),
    _Model("H800", (9, 0), 132, 80, 3352, 1980),
    _Model("H100 PCIe", (9, 0), 114, 80, 2039, 1755),
    _Model("H100 NVL", (9, 0), 132, 94, 3938, 1785),
    _Model("H200", (9, 0), 132, 141, 4916, 1980),
)
_AMD: Final = (
    _Model("Instinct MI210", (9, 0), 104, 64, 1638, 1700),
    _Model("Instinct MI250", (9, 0), 104, 64, 1638, 1700),
    _Model("Instinct MI250X", (9, 0), 110, 64, 1638, 1700),
    _Model("Instinct MI300A", (9, 4), 228, 128, 2662, 2100),
    _Model("Instinct MI300X", (9, 4), 304, 192, 2662, 2100),
    _Model("Instinct MI325X", (9, 4), 304, 256, 3072, 2100),
    _Model("Instinct MI350X", (9, 5), 256, 288, 4096, 2200),
    _Model("Instinct MI355X", (9, 5), 256, 288, 4096, 2400),
)


_MAKERS: Final = frozenset({"NVIDIA", "AMD", "TESLA", "INSTINCT"})
"""Words that names begin with in some collectors only."""


def models(
    vendor: str,
    capability: tuple[int, int] | None,
    multiprocessors: int | None,
    memory_bytes: int | None,
    bandwidth: int | None,
    clock_khz: int | None,
) -> tuple[str, ...]:
    """Names of all models that have these figures; none unless all are recorded.

    Args:
        vendor: "NVIDIA" or "AMD".
        bandwidth: bytes a second, as recorded.
    """
    table = {"NVIDIA": _NVIDIA, "AMD": _AMD}.get(vendor, ())
    if not (capability and multiprocessors and memory_bytes and bandwidth and clock_khz):
        return ()
    least, most = _MEMORY_RATIO
    return tuple(
        m.name
        for m in table
        if (m.capability, m.multiprocessors) == (capability, multiprocessors)
        and least <= memory_bytes / (m.memory_gib << 30) <= most
        and _near(bandwidth / 1e9, m.bandwidth_gbps, _BANDWIDTH_RATIO)
        and (not m.mhz or _near(clock_khz / 1e3, m.mhz, _CLOCK_RATIO))
    )


def sheet(
    name: str, capability: tuple[int, int] | None, multiprocessors: int | None
) -> tuple[int, int] | None:
    """Memory bandwidth in bytes a second and highest clock in kHz, as collectors record them, of the model
    that a recorded name means; ``None`` if the name is not that of one model.

    For profiles that name the GPU but do not record these figures.
    """
    words = set(re.split(r"[\s-]+", name.upper()))
    found = [
        m
        for m in (*_NVIDIA, *_AMD)
        if (m.capability, m.multiprocessors) == (capability, multiprocessors)
        and m.mhz
        and words >= set(re.split(r"[\s-]+", m.name.upper())) - _MAKERS
    ]
    figures = {(m.bandwidth_gbps * 10**9, m.mhz * 1000) for m in found}
    return figures.pop() if len(figures) == 1 else None


def inferred_name(found: tuple[str, ...]) -> str:
    """The name to show for a GPU that is one of the models ``found``; "" if there are none."""
    return " or ".join(found) + INFERRED if found else ""


def certain(name: str) -> str:
    """The model that a name stands for, or "" if it lists several."""
    plain = name.removesuffix(INFERRED)
    return "" if plain != name and " or " in plain else plain


def _near(value: float, stated: float, ratio: float) -> bool:
    return abs(value - stated) <= ratio * stated
