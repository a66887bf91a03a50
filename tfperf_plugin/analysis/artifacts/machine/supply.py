"""What a host's processors, links and disks gave while steps ran, on average over the whole training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.machine.activity import Activity
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.arrays.intervals import Floats
from tfperf_plugin.recording.resources import Recorded, Resources
from tfperf_plugin.records import Record

_LEAST_NS: Final = 10_000_000_000
_SHORT: Final = "Steps were watched for less than 10 s."
# A link that carries more than this share of its speed has another speed.
_MOST_RATIO: Final = 1.1


class Carried(Record, frozen=True):
    """Bytes a second that came over a link or from a disk, and what share of what it can give."""

    of: str  #: The interface or disk, such as "eth0".
    rate: float
    full_ratio: float  #: Share of the link's speed, or of the time in which the disk was busy.


class Supply(Record, frozen=True):
    """Means over the rows in which steps ran. ``None``: not measured."""

    allowed: float | None  #: Processors that the training may use.
    busy_ratio: float | None  #: Share of these that anything kept busy.
    cores: float | None  #: Processors that the training kept busy.
    throttled_ratio: float | None  #: Share of the time in which a quota stopped the training.
    #: The fullest link of known speed, and the busiest disk of those that are read more than written.
    link: Carried | None
    disk: Carried | None

    @property
    def others_ratio(self) -> float:
        """Share of the processors that the training may use and others keep busy."""
        if self.busy_ratio is None or self.cores is None or not self.allowed:
            return 0.0
        return max(0.0, self.busy_ratio - self.cores / self.allowed)

    def needed(self, step_ns: int, wait_ns: int) -> int | None:
        """The fewest processors with which a step of ``step_ns`` would not wait ``wait_ns`` for input: then
        the training's work for a step fits into the rest of it. ``None`` if that is not known."""
        if self.cores is None or not self.allowed or wait_ns >= step_ns:
            return None
        others = self.others_ratio * self.allowed
        least = self.cores * step_ns / (step_ns - wait_ns) + others
        return max(int(np.ceil(least - 0.05)), int(self.allowed) + 1)


def finish(recorded: Recorded, activity: Activity) -> Supply | NotApplicable:
    """Of the host whose steps ``activity`` knows."""
    host = next(one for one in recorded.hosts if one.host == activity.host)
    took = np.where(activity.runs(host), host.took_ns(), 0).astype(np.float64)
    if took.sum() < _LEAST_NS:
        return NotApplicable(_SHORT)
    busy, cores, throttled = (host.one(f"processors.{name}") for name in ("busy", "training", "throttled"))
    return Supply(
        cores.limit if cores else None,
        busy.average(took) if busy else None,
        cores.average(took) if cores else None,
        throttled.average(took) if throttled else None,
        max(_links(host, took), key=lambda one: one.full_ratio, default=None),
        max(_disks(host, took), key=lambda one: one.full_ratio, default=None),
    )


def _links(host: Resources, took: Floats) -> Iterator[Carried]:
    for series in host.of("network.in"):
        rate = series.average(took)
        if series.limit and rate <= _MOST_RATIO * series.limit:
            yield Carried(series.of, rate, rate / series.limit)


def _disks(host: Resources, took: Floats) -> Iterator[Carried]:
    read, written = ({x.of: x.average(took) for x in host.of(name)} for name in ("disk.read", "disk.written"))
    for series in host.of("disk.busy"):
        rate = read.get(series.of, 0.0)
        if rate > written.get(series.of, 0.0):
            yield Carried(series.of, rate, series.average(took))
