"""What really happened in a simulated training: the measure for any analysis of its profile.

All times are nanoseconds; those of a host are on the clock of its file, step numbers are those of the step
markers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class GpuStep:
    """One GPU's part of one step. ``busy_ns``: any stream at work, each instant counted once."""

    launch_ns: int
    start_ns: int
    end_ns: int
    busy_ns: int
    compute_ns: int


@dataclass(frozen=True)
class TrueStep:
    """One step of one host: what its marker covers, and per GPU how long it waited for input and worked."""

    number: int
    begin_ns: int
    end_ns: int
    input_waits_ns: Mapping[int, int]
    gpus: Mapping[int, GpuStep]


@dataclass(frozen=True)
class TrueCollective:
    """One collective on the clock of the first host: per (host, GPU) arrival, then one transfer for all."""

    step: int
    kind: str
    payload_bytes: int
    arrivals_ns: Mapping[tuple[str, int], int]
    end_ns: int
    transfer_ns: int


@dataclass(frozen=True)
class TrueOp:
    """All executions of an op of one GPU in the complete steps.

    ``op``: as the profile names it; ``flops`` and ``bytes``: what they computed and moved at least;
    ``floor_ns``: how long that takes at the peak and the bandwidth of the data sheet; ``products_ns``:
    how long the FLOPs alone take; ``again``: it repeats a part of the forward pass for the backward pass.
    """

    op: str
    executions_count: int
    total_ns: int
    flops: int
    bytes: int
    floor_ns: float
    products_ns: float
    again: bool = False

    @property
    def efficiency(self) -> float:
        """The share of the speed that the hardware allows."""
        return self.floor_ns / self.total_ns


@dataclass(frozen=True)
class TrueCompute:
    """The computing of one GPU in the complete steps, which take ``step_ns`` each on average, from start to
    start. Each FLOP counts at the peak of its number format."""

    ops: Mapping[str, TrueOp]
    steps_count: int
    step_ns: float

    @property
    def flops(self) -> int:
        """Of a step."""
        return sum(op.flops for op in self.ops.values()) // self.steps_count

    @property
    def floor_ns(self) -> float:
        """Of a step."""
        return sum(op.floor_ns for op in self.ops.values()) / self.steps_count

    @property
    def mfu(self) -> float:
        """The model's FLOPs per second as a share of the peak: without what is computed again."""
        products_ns = sum(op.products_ns for op in self.ops.values() if not op.again)
        return products_ns / self.steps_count / self.step_ns

    @property
    def hfu(self) -> float:
        """The same with what is computed again."""
        return sum(op.products_ns for op in self.ops.values()) / self.steps_count / self.step_ns


@dataclass(frozen=True)
class Truth:
    """``steps`` per host, ``complete`` the numbers of the steps that lie whole inside all captures.

    ``compute``: per (host, GPU), if any step is complete.

    ``clock_offsets_ns``: what to add to a time in a host's file to have it on the first host's clock. The
    capture's start and end are those of the first host.
    """

    steps: Mapping[str, tuple[TrueStep, ...]]
    complete: tuple[int, ...]
    collectives: tuple[TrueCollective, ...]
    clock_offsets_ns: Mapping[str, int]
    peak_bytes: Mapping[tuple[str, int], int]
    capture_begin_ns: int
    capture_end_ns: int
    compute: Mapping[tuple[str, int], TrueCompute]
