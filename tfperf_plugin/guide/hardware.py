"""Peak rates of NVIDIA GPUs by compute capability, dense, as floating point operations per SM and clock.

Source: XProf's table of GPU capabilities for Tensor Cores (fp16 and TF32); for the ordinary units NVIDIA's
architecture white papers (64 or 128 fused multiply-adds in fp32 per SM and clock) and the CUDA programming
guide, "Arithmetic Instructions" (128 in fp16 on 7.x, 8.6 and 8.9, 256 on 8.0 and 9.0).
"""

from __future__ import annotations

from typing import Final

from tfperf_plugin.records import dataclass


@dataclass(frozen=True)
class Peaks:
    """Operations per SM and clock; a fused multiply-add counts as two.

    ``tf32`` is ``None`` where the GPU has no TF32 mode. ``bits16`` is that of the Tensor Cores, ``half`` and
    ``fp32`` those of the ordinary units.
    """

    fp32: int
    tf32: int | None
    bits16: int
    half: int


_PEAKS: Final[dict[tuple[int, int], Peaks]] = {
    (7, 0): Peaks(128, None, 1024, 256),
    (7, 5): Peaks(128, None, 1024, 256),
    (8, 0): Peaks(128, 1024, 2048, 512),
    (8, 6): Peaks(256, 256, 1024, 256),
    (8, 9): Peaks(256, 512, 1024, 256),
    (9, 0): Peaks(256, 2048, 4096, 512),
    (10, 0): Peaks(256, 4096, 8192, 512),
}
# Tensor Cores compute in bfloat16 from Ampere on.
BFLOAT16_FROM: Final = (8, 0)


def peaks(compute_capability: tuple[int, int]) -> Peaks | None:
    """Peaks of this or the next lower known capability; ``None`` below the first with Tensor Cores."""
    known = [c for c in _PEAKS if c <= compute_capability]
    return _PEAKS[max(known)] if known else None
