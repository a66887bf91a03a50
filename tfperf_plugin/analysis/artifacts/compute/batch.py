"""Predicts how the time to compute an example falls with the batch, until the kernels fill the GPU.

A launch with fewer blocks than the GPU has multiprocessors, or so short that only starting it takes time, has
room: its work may grow by a factor before it takes longer. An optimizer's work does not grow with the batch.
All other time is taken to grow with it. So the time of the ``f``-fold batch per example is Σ t·max(1/f,
1/room), which falls to Σ t/room.
"""

from __future__ import annotations

import math
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.phases import Phase, phase_of
from tfperf_plugin.analysis.artifacts.compute.slow import blocks_count
from tfperf_plugin.records import Record
from tfperf_plugin.trace.roles import KernelClass, shares_tiles

# Where the time per example is this close to its limit, a larger batch brings little more.
FLAT_TIMES: Final = 1.1
# A model by single launches does not hold farther.
MOST_TIMES: Final = 64.0


class Batch(Record, frozen=True):
    """The account ``compute`` in ns over all judged steps and GPUs, by the room that launches have for a
    larger batch."""

    #: (factor by which the batch may grow, time of launches with that room).
    rooms: tuple[tuple[float, int], ...]
    small_ns: int  #: Time of launches with room.
    known_ns: int  #: Time of ops whose work tells their room.
    total_ns: int

    def left_ratio(self, times: float) -> float:
        """Time to compute an example with a batch that is ``times`` as large, as a share of today's."""
        if not self.total_ns:
            return 1.0
        grown = self.total_ns - sum(ns for _, ns in self.rooms)
        return (grown + sum(ns * max(1 / times, 1 / room) for room, ns in self.rooms)) / self.total_ns

    @property
    def small_ratio(self) -> float:
        """Share of compute in launches with room."""
        return self.small_ns / max(1, self.total_ns)

    @property
    def known_ratio(self) -> float:
        """Share of compute whose room is known."""
        return self.known_ns / max(1, self.total_ns)

    @property
    def flat_times(self) -> float:
        """The factor from which on a larger batch brings little more, at most ``MOST_TIMES``."""
        limit = FLAT_TIMES * self.left_ratio(math.inf)
        low, high = 1.0, MOST_TIMES
        if self.left_ratio(low) <= limit or self.left_ratio(high) > limit:
            return low if self.left_ratio(low) <= limit else high
        while high - low > 0.01:
            middle = (low + high) / 2
            low, high = (low, middle) if self.left_ratio(middle) <= limit else (middle, high)
        return high


def finish(bounds: Bounds, devices: Devices) -> Batch:
    """The room of all ops that compute."""
    units = min((d.multiprocessors_count or 0 for d in devices.participating), default=0)
    rooms, small, known = [], 0, 0
    for op in bounds.ops.values():
        updates = op.kernel_class is KernelClass.OPTIMIZER or phase_of(op.name) is Phase.OPTIMIZER
        room = math.inf if updates else _room(op, units)
        part = op.compute_ns
        if room < math.inf and op.bound_by != "latency":
            # Of the grids of several kernels only that of the longest one is known.
            part = part * op.main_ns // max(1, op.total_ns)
        if room > 1:
            rooms.append((room, part))
        small += part if 1 < room < math.inf else 0
        known += op.compute_ns if room == math.inf or not op.not_judged else 0
    return Batch(tuple(rooms), small, known, bounds.total_ns)


def _room(op: OpBound, units: int) -> float:
    """The factor by which the op's work may grow before its launches take longer; 1.0 if none is known."""
    if op.not_judged:
        return 1.0
    blocks = 0 if shares_tiles(op.kernel) else blocks_count(op.details)
    free = units / blocks if blocks else 1.0
    if op.bound_by == "latency":
        free = MOST_TIMES
    return min(max(1.0, free), max(1.0, op.total_ns / max(1, op.floor_ns)))
