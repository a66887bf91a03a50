"""What really happened in a simulated training: the measure for any analysis of its profile.

All times are nanoseconds on the same clock as the events in the files, step numbers are those of the
step markers.
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
    """One step of one host: what its marker covers and when each GPU worked for it."""

    number: int
    begin_ns: int
    end_ns: int
    input_wait_ns: int
    gpus: Mapping[int, GpuStep]


@dataclass(frozen=True)
class TrueCollective:
    """One AllReduce on the clock of the first host: per (host, GPU) arrival, then one transfer for all."""

    step: int
    payload_bytes: int
    arrivals_ns: Mapping[tuple[str, int], int]
    end_ns: int
    transfer_ns: int


@dataclass(frozen=True)
class Truth:
    """``steps`` per host, ``complete`` the numbers of the steps that lie whole inside the capture."""

    steps: Mapping[str, tuple[TrueStep, ...]]
    complete: tuple[int, ...]
    collectives: tuple[TrueCollective, ...]
    peak_bytes: Mapping[tuple[str, int], int]
    capture_begin_ns: int
    capture_end_ns: int
