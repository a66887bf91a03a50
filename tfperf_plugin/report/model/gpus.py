"""The GPUs of a run."""

from __future__ import annotations

from tfperf_plugin.records import Record


class Device(Record, frozen=True):
    """One visible GPU. ``busy_ratio``: share of the judged time in which anything ran on it, collectives that
    wait for other GPUs included."""

    host: str
    device: str
    name: str
    compute_capability: str | None
    busy_ratio: float
    participates: bool
    memory_bytes: int | None = None


class GpuKind(Record, frozen=True):
    """The number of visible GPUs with this name; "" if the name was not recorded."""

    name: str
    count: int


class GpuName(Record, frozen=True):
    """A GPU of a host."""

    host: str
    device: str


class Gpus(Record, frozen=True):
    """A summary of the visible GPUs; ``devices`` of the report has the details.

    ``idle``: at most ``idle_cap`` of the ``idle_total`` GPUs on which no kernel ran. ``unrecorded``: at most
    as many of the ``unrecorded_total`` GPUs that may have run kernels, of which none was recorded.
    """

    total: int = 0
    kinds: tuple[GpuKind, ...] = ()
    idle: tuple[GpuName, ...] = ()
    idle_total: int = 0
    idle_cap: int = 0
    unrecorded: tuple[GpuName, ...] = ()
    unrecorded_total: int = 0
