"""The memory of GPUs."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.artifacts.memory.memory import Allocation
from tfperf_plugin.records import Record


class MemoryPoints(Record, frozen=True):
    """Bytes in use at moments of the host's timeline, as two columns of equal length."""

    at_ms: tuple[float, ...]
    used_bytes: tuple[int, ...]


class GpuMemory(Record, frozen=True):
    """One GPU's allocator.

    ``peak_bytes``: most bytes in use since the program began; ``recorded_peak_bytes``: during the recording,
    at ``peak_ms``; ``lasting_bytes``: fewest bytes in use during the recording. At the recorded peak,
    ``before_bytes`` had been allocated before the recording, and ``alive`` are the largest holders of the
    rest, of ``alive_total``. ``matched``: how releases were matched with allocations: by the block's
    ``address``, by ``order`` among blocks of the same size, or not at all (``none``).
    ``fragmentation_ratio``: share of the free memory outside its largest block, ``free_block_bytes``.
    ``points``: the timeline; thinning keeps peaks and valleys. ``said``: the peak and what it is made of;
    ``note``: the free memory, and how sure that is.
    """

    host: str
    device: str
    capacity_bytes: int
    peak_bytes: int
    recorded_peak_bytes: int
    peak_ms: float
    lasting_bytes: int
    before_bytes: int
    fragmentation_ratio: float | None
    free_block_bytes: int | None
    alive: tuple[Allocation, ...]
    alive_total: int
    matched: Literal["address", "order", "none"]
    points: MemoryPoints
    said: str = ""
    note: str = ""


class Memory(Record, frozen=True):
    """Memory of at most 16 of the ``devices_total`` GPUs whose allocator was recorded, the fullest first.

    ``batch_growth``: factor by which the batch could grow on the fullest GPU, in proportion and with a tenth
    of the memory left free; ``None`` without a complete step or without memory that a step releases.
    """

    devices: tuple[GpuMemory, ...]
    devices_total: int
    batch_growth: float | None
