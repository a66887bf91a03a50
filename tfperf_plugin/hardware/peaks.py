"""Dense peak rates of GPUs as floating point operations per multiprocessor and clock.

NVIDIA, by compute capability: XProf's table of GPU capabilities for Tensor Cores (fp16 and TF32); for the
ordinary units NVIDIA's architecture white papers (64 or 128 fused multiply-adds in fp32 per SM and clock) and
the CUDA programming guide, "Arithmetic Instructions" (128 in fp16 on 7.x, 8.6 and 8.9, 256 on 8.0 and 9.0).
GeForce cards of Turing, Ampere, Ada and Blackwell add up in float32 at half the rate of the professional
boards of the same capability: NVIDIA's white papers of these architectures, "FP16 Tensor TFLOPS with FP32
Accumulate" (RTX 2080 Ti 53.8, RTX 3090 71, RTX 4090 165.2, RTX 5090 209.5). So do the A10G (data sheet: 70),
the L20 (119.5) and the L2, in 8 bit, too.

The rates of the Tensor Cores in 8 bit, and in fp64 from 8.0 on, are those of the data sheets: A100 19.5
TFLOP/s in fp64 and 624 TOP/s in int8, L4 242 in fp8 and int8, H100 67 and 1979, B200 37 and 4500, B300 1.2
and 150, T4 130 in int8, RTX 3090 284, RTX 4090 330 in fp8 and 661 in int8. Where no data sheet says fp64, it
is the CUDA programming guide's (2 multiply-adds on 7.5, 8.6, 8.9 and 12.0).

AMD, by architecture: the data sheets' dense peaks over compute units and peak clock. MI210 and MI250X: 45.3
and 95.7 TFLOP/s in fp32 on matrix cores, 181 and 383 in 16 bit; MI300X: 163.4, in TF32 653.7, in 16 bit
1307.4; MI355X: 157.3 and 2516.6, no TF32. In fp64 on matrix cores 45.3 (MI210), 163.4 and 78.6; in fp8
2614.9 and 5033.2, and in int8 as many, 181 on MI210. AMD's data sheets state half precision outside matrix
cores like float32.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.records import Record

# Matrix products of usual layers reach a smaller share of the peak rate on Tensor Cores than on ordinary
# units: 0.55 and 0.8 (speeds.py). The largest squares come closer: on a V100, whose peak rates differ by a
# factor of 8, they became 7 times as fast (Markidis et al. 2018, "NVIDIA Tensor Core Programmability,
# Performance & Precision"). AMD's matrix cores multiply in fp32, too.
REACHED_RATIO: Final = 11 / 16


class Peaks(Record, frozen=True):
    """Operations per multiprocessor and clock; a fused multiply-add counts as two."""

    #: Rate of the ordinary units. AMD's matrix cores are no faster in fp32.
    fp32: int
    #: Rate of the Tensor Cores, ``None`` where the GPU has no TF32 mode.
    tf32: int | None
    #: Rate of the Tensor Cores (AMD: matrix cores) in fp16 and bf16.
    bits16: int
    #: Rate of the ordinary units in fp16.
    half: int
    #: Rate of the fastest units.
    fp64: int
    #: Rate of the matrix units, ``None`` where they do not have the format.
    fp8: int | None = None
    #: As ``fp8``.
    int8: int | None = None
    #: Share of the peak that products reach on Tensor Cores, relative to the ordinary units.
    reached: float = REACHED_RATIO

    def matrix_rate(self, format: str) -> int | None:
        """The highest rate of products in ``format`` (one of ``speeds.FORMATS``); ``None`` if no unit has the
        format."""
        if format in ("fp16", "bf16"):
            return max(self.bits16, self.fp32)
        rates = {"fp32": self.fp32, "tf32": self.tf32, "fp64": self.fp64, "fp8": self.fp8, "int8": self.int8}
        return rates.get(format)

    def kept(self, rate: int, already: bool = False) -> float:
        """The share of its time that a product would take in 16 bit on Tensor Cores; ``rate`` is the peak of
        the units on which it ran.

        ``already``: it ran on Tensor Cores in TF32, so that it gains the ratio of the peak rates.
        """
        return rate / self.bits16 / (1 if already else self.reached)


_PEAKS: Final[dict[tuple[int, int], Peaks]] = {
    (7, 0): Peaks(128, None, 1024, 256, 64),
    (7, 5): Peaks(128, None, 1024, 256, 4, None, 2048),
    (8, 0): Peaks(128, 1024, 2048, 512, 128, None, 4096),
    (8, 6): Peaks(256, 512, 1024, 256, 4, None, 2048),
    (8, 9): Peaks(256, 512, 1024, 256, 4, 2048, 2048),
    (9, 0): Peaks(256, 2048, 4096, 512, 256, 8192, 8192),
    (10, 0): Peaks(256, 4096, 8192, 512, 128, 16384, 16384),
    (10, 3): Peaks(256, 4096, 8192, 512, 4, 16384, 512),
    (12, 0): Peaks(256, 512, 1024, 256, 4, 2048, 2048),
}
_WITH_GEFORCE: Final = ((7, 5), (8, 6), (8, 9), (12, 0))
# NVIDIA's cheaper Turing cards share the capability 7.5 with those that have Tensor Cores.
_WITHOUT_TENSOR_CORES: Final = re.compile(r"GTX 16\d\d|\bT(400|600|1000|1200)\b|MX4\d0")
_HALF: Final = re.compile(r"\b(A10G|L20?)\b")
# Tensor Cores compute in bfloat16 from Ampere on.
BFLOAT16_FROM: Final = (8, 0)

_AMD: Final[dict[str, Peaks]] = {
    "gfx90a": Peaks(256, None, 1024, 256, 256, None, 1024, 1),
    "gfx942": Peaks(256, 1024, 2048, 256, 256, 4096, 4096, 1),
    "gfx950": Peaks(256, None, 4096, 256, 128, 8192, 8192, 1),
}
_AMD_NAMES: Final = (
    ("gfx90a", re.compile(r"gfx90a|\bMI2[15]0")),
    ("gfx942", re.compile(r"gfx94[0-2]|\bMI3(00|08|25)")),
    ("gfx950", re.compile(r"gfx950|\bMI35[05]")),
)
_AMD_VERSIONS: Final = {(9, 4): "gfx942", (9, 5): "gfx950"}
# MI50 to MI250 all report 9.0; a die of an MI200 has this many compute units.
_MI200_UNITS: Final = (104, 110)


def peaks(compute_capability: tuple[int, int], name: str) -> Peaks | None:
    """Peaks of NVIDIA's ``compute_capability`` or the next lower known one; ``None`` if there are no Tensor
    Cores.

    Without a name, the slower cards of the capability count.
    """
    known = [c for c in _PEAKS if c <= compute_capability]
    if not known or _WITHOUT_TENSOR_CORES.search(name):
        return None
    nearest = max(known)
    found = _PEAKS[nearest]
    half = _HALF.search(name)
    if nearest not in _WITH_GEFORCE or (name and "GeForce" not in name and not half):
        return found
    return replace(
        found,
        tf32=found.tf32 and found.tf32 // 2,
        bits16=found.bits16 // 2,
        fp8=found.fp8 and found.fp8 // 2,
        int8=found.int8 and found.int8 // (2 if half else 1),  # GeForce adds up integers at full rate
    )


def least_peaks(capability: tuple[int, int]) -> Peaks | None:
    """Peaks of the GPU to which 16 bit brings least among those of this capability and newer ones;
    ``None`` if some may have no Tensor Cores."""
    if capability < BFLOAT16_FROM:
        return None
    found = [p for known in _PEAKS if known >= capability and (p := peaks(known, ""))]
    return min(found, key=lambda p: p.bits16 / p.fp32, default=None)


_THREADS: Final[Mapping[tuple[int, int], int]] = {
    (7, 5): 1024,
    (8, 6): 1536,
    (8, 7): 1536,
    (8, 9): 1536,
    (12, 0): 1536,
}


def threads(capability: tuple[int, int]) -> int:
    """Threads that a multiprocessor of NVIDIA holds at most: CUDA programming guide, "Technical
    Specifications per Compute Capability"."""
    return _THREADS.get(capability, 2048)


def amd_architecture(name: str, version: tuple[int, int] | None, units: int | None) -> str | None:
    """AMD's name of the architecture, from the GPU's name, else from version and compute units.

    ``None`` if the table has no peaks for it.
    """
    named = next((architecture for architecture, pattern in _AMD_NAMES if pattern.search(name)), None)
    if named or version is None:
        return named
    return "gfx90a" if version == (9, 0) and units in _MI200_UNITS else _AMD_VERSIONS.get(version)


def amd_peaks(architecture: str) -> Peaks:
    """Peaks of an architecture that ``amd_architecture`` knows."""
    return _AMD[architecture]


def memory_rate(recorded: int, architecture: str | None) -> int:
    """Bytes a second of a GPU's memory, from what the profile says.

    The collector assumes two transfers a clock; HBM3 makes four per clock that AMD reports
    (MI300X: 2.66 TB/s recorded, 5.3 on the data sheet; MI355X: 4.1 and 8).
    """
    return 2 * recorded if architecture in ("gfx942", "gfx950") else recorded
