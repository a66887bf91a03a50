"""Infers the model of a GPU whose name the profile leaves blank from the figures that it records.

``models.json`` holds the figures of each model, as CUDA's and HIP's device properties state them: capability,
multiprocessors (AMD: compute units), memory in GiB as it is sold, memory bandwidth as the collector computes
it (two transfers per clock and pin), and the highest clock where it distinguishes models. Sources: NVIDIA's
and AMD's data sheets, for GeForce and laptop cards TechPowerUp's database of GPUs; T4, V100, P100, P4, RTX
2060 Max-Q, RTX 3080 and MI300X as real profiles state them. V100-DGXS: DGX Station's data sheet (four of them
reach 500 TFLOP/s); A100-PG509-200: the board of the first A100 SXM4 40 GB; Quadro GP100: 717 GB/s and 10.3
TFLOP/s; GH200, H20, B200, B300: the data sheets' bandwidths, and of B200 and B300 75 TFLOP/s in float32. The
profile cannot distinguish models with the same figures; rare boards stand apart and are told by name alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from tfperf_plugin.arrays.columns import agreed
from tfperf_plugin.records import Record

INFERRED: Final = " (inferred)"
OR_NEWER: Final = " or newer"
"""Ends a name that only tells the architecture."""
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
    #: Highest clock of the data sheet where ``mhz`` is 0; 0 if not listed.
    sheet_mhz: int = 0


_MODELS: Final = msgspec.json.decode(
    Path(__file__).with_suffix(".json").read_bytes(), type=dict[str, tuple[_Model, ...]]
)
"""Models by vendor, and those that only a name tells."""
_MAKERS: Final = frozenset({"NVIDIA", "AMD", "TESLA", "INSTINCT"})
"""Words that names begin with in some collectors only."""
_SLOWER: Final = frozenset({"LAPTOP", "MAX", "MOBILE"})
"""Words of names of GPUs with other clocks than those of the same name without them."""


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
    words = _words(name)
    found = [
        m
        for table in _MODELS.values()
        for m in table
        if (m.capability, m.multiprocessors) == (capability, multiprocessors)
        and (m.mhz or m.sheet_mhz)
        and words >= _words(m.name) - _MAKERS
        and words & _SLOWER <= _words(m.name)
    ]
    return agreed((m.bandwidth_gbps * 10**9, (m.mhz or m.sheet_mhz) * 1000) for m in found)


def _words(name: str) -> set[str]:
    return set(re.split(r"[\s-]+", name.upper()))


_ARCHITECTURES: Final = tuple(
    (capability, name, re.compile(rf"(?i)(^|[^a-z0-9])({pattern})"))
    for capability, name, pattern in (
        ((10, 0), "Blackwell", r"(cutlass_?|sm_?)10[03]"),
        ((9, 0), "Hopper", r"(cutlass_?|sm_?)90|hopper_|nvjet_"),
        ((8, 0), "Ampere", r"(cutlass_?|sm_?)8[069]|ampere_"),
        ((7, 5), "Turing", r"(cutlass_?|sm_?)75|turing_"),
        ((7, 0), "Volta", r"(cutlass_?|sm_?)70|volta_"),
    )
)
"""NVIDIA's architectures, newest first, by what libraries call kernels that need them."""


def architecture(names: Iterable[str]) -> tuple[tuple[int, int], str] | None:
    """The oldest architecture that can run kernels with all of these names, by its least compute capability;
    ``None`` if no name tells. Newer GPUs run such kernels, too."""
    return max(filter(None, map(_told, names)), default=None)


@lru_cache(1 << 14)  # the GPUs of a host run kernels of the same names
def _told(name: str) -> tuple[tuple[int, int], str] | None:
    return next(((c, word) for c, word, sign in _ARCHITECTURES if sign.search(name)), None)


def inferred_name(found: tuple[str, ...]) -> str:
    """The name to show for a GPU that is one of the models ``found``; "" if there are none."""
    return " or ".join(found) + INFERRED if found else ""


def candidates(name: str) -> tuple[str, ...]:
    """The models that a name may stand for: one if recorded, none if it only tells the architecture."""
    plain = name.removesuffix(INFERRED)
    if plain.endswith(OR_NEWER):
        return ()
    return (plain,) if plain == name else tuple(plain.split(" or "))


def certain(name: str) -> str:
    """The model that a name stands for, or "" if it may be one of several."""
    found = candidates(name)
    return found[0] if len(found) == 1 else ""


def _near(value: float, stated: float, ratio: float) -> bool:
    return abs(value - stated) <= ratio * stated
