"""Peak rates of NVIDIA GPUs by compute capability, dense, as floating point operations per SM and clock.

Source: XProf's table of GPU capabilities for Tensor Cores (fp16 and TF32) and NVIDIA's architecture
white papers for the fp32 units (64 or 128 fused multiply-adds per SM and clock).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Peaks:
    """Operations per SM and clock. ``tf32`` is ``None`` where the GPU has no TF32 mode."""

    fp32: int
    tf32: int | None
    bits16: int


_PEAKS: Final[dict[tuple[int, int], Peaks]] = {
    (7, 0): Peaks(128, None, 1024),
    (7, 5): Peaks(128, None, 1024),
    (8, 0): Peaks(128, 1024, 2048),
    (8, 6): Peaks(256, 256, 1024),
    (8, 9): Peaks(256, 512, 1024),
    (9, 0): Peaks(256, 2048, 4096),
    (10, 0): Peaks(256, 4096, 8192),
}


def peaks(compute_capability: tuple[int, int]) -> Peaks | None:
    """Peaks of this or the next lower known capability; ``None`` below the first with Tensor Cores."""
    known = [c for c in _PEAKS if c <= compute_capability]
    return _PEAKS[max(known)] if known else None
