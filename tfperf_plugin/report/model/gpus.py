"""The GPUs of a run, and their memory."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.artifacts.memory.memory import Allocation
from tfperf_plugin.records import Record


class Device(Record, frozen=True):
    """One visible GPU."""

    host: str
    device: str
    name: str
    compute_capability: str | None
    busy_ratio: float  # of the judged time in which anything ran on it, also collectives that wait
    participates: bool
    memory_bytes: int | None = None


class GpuKind(Record, frozen=True):
    """The number of visible GPUs with this name."""

    name: str  # "" if it was not recorded
    count: int


class GpuName(Record, frozen=True):
    """A GPU of a host."""

    host: str
    device: str


class Gpus(Record, frozen=True):
    """A summary of the visible GPUs; ``devices`` of the report has the details."""

    total: int = 0
    kinds: tuple[GpuKind, ...] = ()
    idle: tuple[GpuName, ...] = ()  # at most 24 GPUs on which no kernel ran
    idle_total: int = 0
    unrecorded: tuple[GpuName, ...] = ()  # at most 24 that may have run kernels, none recorded
    unrecorded_total: int = 0


class MemoryPoints(Record, frozen=True):
    """Bytes in use at moments of the host's timeline, as two columns of equal length."""

    at_ms: tuple[float, ...]
    used_bytes: tuple[int, ...]


class GpuMemory(Record, frozen=True):
    """One GPU's allocator."""

    host: str
    device: str
    capacity_bytes: int
    peak_bytes: int  # most bytes in use since the program began
    recorded_peak_bytes: int  # most bytes in use during the recording
    peak_ms: float  # when that was
    lasting_bytes: int  # fewest bytes in use during the recording
    before_bytes: int  # in use at the recorded peak, allocated before the recording
    fragmentation_ratio: float | None  # of the free memory then, the share outside its largest block
    free_block_bytes: int | None  # that block
    alive: tuple[Allocation, ...]  # the largest holders of all else in use then
    alive_total: int
    matched: Literal["address", "none"]  # how releases were matched
    points: MemoryPoints  # thinned, with all peaks and valleys
    said: str = ""  # the peak and what it is made of
    note: str = ""  # the free memory, and how sure that is


class Memory(Record, frozen=True):
    """Memory of at most 16 of the GPUs whose allocator was recorded, the fullest first."""

    devices: tuple[GpuMemory, ...]
    devices_total: int
    #: Factor by which the batch could grow on the fullest GPU, in proportion and with a tenth of the memory
    #: left free; ``None`` without a complete step or without memory that a step releases.
    batch_growth: float | None
