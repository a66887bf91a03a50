"""How fast a GPU computes and moves bytes: its dense peaks, and what good libraries reach of them.

A peak is operations per multiprocessor and clock (``peaks.py``) × multiprocessors × the clock of the data
sheet. That is the highest clock, which profiles record, but for Hopper and Blackwell: NVIDIA rates the Tensor
Cores of an H100 SXM or H200 at 1830 MHz (989 TFLOP/s in 16 bit), of an H100 PCIe at 1620 (756), of an H100
NVL at 1545 (835) and of a B200 or B300 at 1856 (2250). An H20 computes at a fraction of its clock (148).
GPUs before Ampere have no units for bfloat16.

What products reach, as shares of the data sheet's peak, is the best of many shapes in "Machine Learning
Engineering" by S. Bekman (compute/accelerator, MAMF): A100 87 % (PCIe 81), H100 and H200 80, in fp8 72, B200
78, MI355X 62, MI325X 60. MI300X: 70 in profiles of JAX (4096³ in bf16). Products on ordinary units reach 91 %
(V100, T4 and P100, ninth decile of products above 1 GFLOP and four waves in 77 profiles). Memory: kernels of
one pass reach 80 to 88 % (MI355X); 85 % is taken of all.

That is the best of many. A promise is held to what products of usual layers reach: 80 % of ordinary units (of
160 products in float32 above 1 GFLOP in 22 profiles half reach 72 %, a quarter 85 %) and 55 % of matrix units
(a V100's reach 66 % in large squares: Markidis et al. 2018; an MI300X's 45 % where two sides are 2048).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tfperf_plugin.hardware.peaks import BFLOAT16_FROM, Peaks
from tfperf_plugin.records import Record

FORMATS: Final = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8")
"""Number formats in which products run; fp32: on units that round to nothing less."""
PEAKS_SOURCE: Final = "data sheet, dense"
REACHED_SOURCE: Final = (
    "best products in Machine Learning Engineering (MAMF), and in profiles of V100, T4, P100 and MI300X"
)

MEMORY_REACHED: Final = 0.85
USUAL_MEMORY: Final = 0.8
_USUAL_ORDINARY: Final = 0.8
_USUAL_MATRIX: Final = 0.55
_ORDINARY_REACHED: Final = 0.91
ATTENTION_REACHED: Final = 0.5
"""Share of the peak in 16 bit that fused kernels of attention reach: 50 to 73 % on an A100, says
FlashAttention-2 (arXiv 2307.08691), 35 to 75 % on an H100, says FlashAttention-3 (arXiv 2407.08608)."""
USUAL_ATTENTION: Final = 0.35
_MATRIX_REACHED: Final = 0.8
_REACHED: Final[Mapping[str, float]] = {
    "A100-SXM": 0.87, "A800-SXM": 0.87, "A100": 0.81, "A800": 0.81, "H100": 0.80, "H200": 0.80, "B200": 0.78,
    "MI300X": 0.70, "MI325X": 0.60, "MI35": 0.62,
}  # fmt: skip
"""Of matrix units in 16 bit, by a part of the model's name; the first that fits."""
_REACHED_FP8: Final[Mapping[str, float]] = {"H100": 0.72, "H200": 0.72}

_SHEET_KHZ: Final[Mapping[str, int]] = {
    "H100 PCIe": 1_620_000, "H100 NVL": 1_545_000, "H100": 1_830_000, "H800": 1_830_000, "H200": 1_830_000,
    "H20": 463_000, "B200": 1_856_000, "B300": 1_856_000,
}  # fmt: skip
"""The clock for which data sheets state the peaks of matrix units, where it is not the highest."""

_WITHOUT_MATRIX_UNITS: Final[Mapping[tuple[int, int], Peaks]] = {
    (6, 0): Peaks(128, None, 256, 256, 64),
    (6, 1): Peaks(256, None, 256, 4, 8),
    (7, 5): Peaks(128, None, 256, 256, 4),
}
"""GPUs without Tensor Cores: P100, other cards of Pascal, GeForce GTX 16. CUDA programming guide."""


class Speeds(Record, frozen=True):
    """The rates of one GPU."""

    #: Operations per multiprocessor and clock.
    peaks: Peaks
    #: Number of multiprocessors.
    units: int
    #: Highest clock that the profile records.
    clock_khz: int
    #: Clock of the data sheet for matrix units.
    sheet_khz: int
    #: Rate of the GPU's memory.
    bytes_per_s: int
    #: Share of their peak that products reach on Tensor Cores.
    matrix_reached: float
    #: The same in fp8.
    fp8_reached: float
    #: Whether any unit multiplies bfloat16.
    has_bfloat16: bool

    def peak(self, format: str) -> float | None:
        """Operations a second that the data sheet promises in this format; ``None`` without such units."""
        rate = self._rate(format)
        return rate and rate * self.units * 1e3 * (
            self.clock_khz if self._ordinary(format) else self.sheet_khz
        )

    def ceiling(self, format: str) -> float | None:
        """The peak at the highest clock, which nothing exceeds, in operations a second."""
        rate = self._rate(format)
        return rate and rate * self.units * 1e3 * self.clock_khz

    def reached(self, format: str, attention: bool = False) -> float:
        """Share of the peak that good libraries reach."""
        if attention:
            return ATTENTION_REACHED
        if self._ordinary(format):
            return _ORDINARY_REACHED
        return self.fp8_reached if format in ("fp8", "int8") else self.matrix_reached

    def usual(self, format: str, attention: bool = False) -> float:
        """Share of the peak that products of usual layers reach, to which a promise is held."""
        if attention:
            return USUAL_ATTENTION
        return min(self.reached(format), _USUAL_ORDINARY if self._ordinary(format) else _USUAL_MATRIX)

    def _rate(self, format: str) -> int | None:
        known = format != "bf16" or self.has_bfloat16
        return self.peaks.matrix_rate(format) if known else None

    def _ordinary(self, format: str) -> bool:
        """Whether products of this format run on ordinary units."""
        return (self.peaks.matrix_rate(format) or 0) <= max(self.peaks.fp32, self.peaks.half)


def speeds(
    model: str,
    peaks: Peaks | None,
    capability: tuple[int, int] | None,
    units: int | None,
    clock_khz: int | None,
    bytes_per_s: int | None,
) -> Speeds | None:
    """The rates of a GPU; ``None`` if the profile lacks figures for them.

    Args:
        model: name of the GPU, "" if unknown.
        peaks: peaks of a GPU with matrix units, ``None`` for other GPUs.
        capability: NVIDIA's compute capability.
        units: multiprocessors, or AMD's compute units.
        clock_khz: the highest clock.
        bytes_per_s: rate of the memory.
    """
    if peaks is None and capability:
        peaks = _WITHOUT_MATRIX_UNITS.get(capability)
    if not (peaks and units and clock_khz and bytes_per_s):
        return None
    matrix = _first(_REACHED, model, _MATRIX_REACHED)
    return Speeds(
        peaks=peaks,
        units=units,
        clock_khz=clock_khz,
        sheet_khz=min(clock_khz, int(_first(_SHEET_KHZ, model, clock_khz))),
        bytes_per_s=bytes_per_s,
        matrix_reached=matrix,
        fp8_reached=_first(_REACHED_FP8, model, matrix),
        has_bfloat16=not capability or capability >= BFLOAT16_FROM,
    )


def _first(table: Mapping[str, float], name: str, otherwise: float) -> float:
    return next((value for part, value in table.items() if part in name), otherwise)
