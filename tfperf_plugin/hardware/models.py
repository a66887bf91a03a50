"""Infers the model of a GPU whose name the profile leaves blank from the figures that it records.

``models.json`` holds the figures of each model, as CUDA's and HIP's device properties state them: capability,
multiprocessors (AMD: compute units), memory in GiB as it is sold, memory bandwidth as the collector computes
it (two transfers per clock and pin), and the highest clock where it distinguishes models. Sources: NVIDIA's
and AMD's data sheets, for GeForce and laptop cards TechPowerUp's database of GPUs; T4, V100, P100, P4, RTX
2060 Max-Q, RTX 3080 and MI300X as real profiles state them. The profile cannot distinguish models with the
same figures.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import msgspec

from tfperf_plugin.records import Record

INFERRED: Final = " (inferred)"
# Drivers and error correction reserve up to a tenth of the memory.
_MEMORY_RATIO: Final = (0.90, 1.01)
_BANDWIDTH_RATIO: Final = 0.03
_CLOCK_RATIO: Final = 0.01


class _Model(Record, frozen=True, array_like=True):
    """A model of GPU and the figures that a profile records of it."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    #: Memory in GiB as it is sold.
    memory_gib: int
    #: Memory bandwidth, GB/s.
    bandwidth_gbps: int
    #: Highest clock; 0 where makers of cards choose it, or where it distinguishes no models.
    mhz: int


_MODELS: Final = msgspec.json.decode(
    Path(__file__).with_suffix(".json").read_bytes(), type=dict[str, tuple[_Model, ...]]
)
"""Models by vendor."""
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
    if not (capability and multiprocessors and memory_bytes and bandwidth and clock_khz):
        return ()
    least, most = _MEMORY_RATIO
    return tuple(
        m.name
        for m in _MODELS.get(vendor, ())
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
        for table in _MODELS.values()
        for m in table
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
