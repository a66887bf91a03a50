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
class Truth:
    """``steps`` per host, ``complete`` the numbers of the steps that lie whole inside all captures.

    ``clock_offsets_ns``: what to add to a time in a host's file to have it on the first host's clock. The
    capture's begin and end are those of the first host.
    """

    steps: Mapping[str, tuple[TrueStep, ...]]
    complete: tuple[int, ...]
    collectives: tuple[TrueCollective, ...]
    clock_offsets_ns: Mapping[str, int]
    peak_bytes: Mapping[tuple[str, int], int]
    capture_begin_ns: int
    capture_end_ns: int
