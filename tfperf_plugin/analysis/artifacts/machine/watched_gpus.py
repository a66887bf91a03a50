"""How the GPUs of the training ran: at which clock, what lowered it, and who else was on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

import numpy as np

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.machine.activity import at_work, running
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.arrays.intervals import Bools
from tfperf_plugin.recording.resources import Recorded, Resources, Series
from tfperf_plugin.records import Record

Reason = Literal["heat", "brake", "power"]
_REASONS: Final[dict[Reason, str]] = {
    "heat": "gpu.slowed_by_heat",
    "brake": "gpu.slowed_by_brake",
    "power": "gpu.slowed_by_power",
}
# Where other GPUs of the host were watched, one is the training's if it works alone on it for this share of
# the time in which steps run.
_ALONE_RATIO: Final = 0.1

_NOT_WATCHED: Final = "No GPU was watched."
_NOT_OURS: Final = "It is not known which of the watched GPUs the training uses."


class Slowed(Record, frozen=True):
    """What lowered the clock of a GPU, for which share of the time in which it worked, and to what."""

    reason: Reason
    ratio: float
    clock_hz: float


class WatchedGpu(Record, frozen=True):
    """One GPU of the training while steps ran. ``None``: not watched."""

    host: str
    place: str  #: The host where there are several, else "".
    device: str  #: "GPU:3" for number 3 of the driver.
    clock_hz: float | None  #: The mean clock, and the highest that it can have, or had.
    most_hz: float | None
    slowed: tuple[Slowed, ...]
    reasons_known: bool  #: Whether at least one reason was watched.
    hottest: float | None  #: The highest temperature in °C, and the power in W that it is allowed.
    allowed_w: float | None
    #: Share of the time in which more processes were on it than at other times. One that is always there may
    #: be the training: a container does not know the numbers that the driver gives to its processes.
    shared_ratio: float | None

    @property
    def name(self) -> tuple[str, str]:
        """What it alone is called."""
        return self.host, self.device


class WatchedGpus(Record, frozen=True):
    """The GPUs that the training uses, as far as that is known."""

    all: tuple[WatchedGpu, ...]


def finish(recorded: Recorded, devices: Devices) -> WatchedGpus | NotApplicable:
    """The GPUs of all hosts."""
    if not any(host.of("gpu.busy") for host in recorded.hosts):
        return NotApplicable(_NOT_WATCHED)
    several = len(recorded.hosts) > 1
    ours = tuple(
        one
        for host in recorded.hosts
        for one in _gpus(host, host.host if several else "", _all_in_use(host, devices))
    )
    return WatchedGpus(ours) if ours else NotApplicable(_NOT_OURS)


def _all_in_use(host: Resources, devices: Devices) -> bool:
    """Whether kernels were recorded on as many GPUs of this host as were watched. A single host may go by
    another name in the profile."""
    single = len({one.host for one in devices.all}) == 1
    mine = [one for one in devices.participating if single or one.host == host.host]
    return len(mine) >= len(host.of("gpu.busy"))


def _gpus(host: Resources, place: str, all_in_use: bool) -> Iterator[WatchedGpu]:
    """The GPUs of a host that are the training's, in the rows in which steps ran and they worked."""
    runs, by_gpu = running(host), {one.of: dict[str, Series]() for one in host.of("gpu.busy")}
    for one in host.series:
        if one.of in by_gpu and one.name.startswith("gpu."):
            by_gpu[one.of][one.name] = one
    for its in by_gpu.values():
        found = _gpu(host, place, its, runs & at_work(its["gpu.busy"].mean), all_in_use)
        if found is not None:
            yield found


def _gpu(
    host: Resources, place: str, its: Mapping[str, Series], works: Bools, all_in_use: bool
) -> WatchedGpu | None:
    """One GPU in the rows in which it ``works``; ``None`` if it may not be the training's."""
    took = host.took_ns() * works / 1e9
    others = its.get("gpu.others")
    alone = others is not None and took[others.high < 1].sum() >= _ALONE_RATIO * took.sum()
    if not took.any() or not (all_in_use or alone):
        return None
    more = np.clip(others.mean - others.low[works].min(), 0.0, 1.0) if others else None
    clock, power, heat = (its.get(name) for name in ("gpu.clock", "gpu.power", "gpu.temperature"))
    reasons = [(reason, its[name]) for reason, name in _REASONS.items() if name in its] if clock else []
    slowed = [
        Slowed(reason, one.average(took), clock.average(took * one.mean))
        for reason, one in reasons
        if clock and (took * one.mean).any()
    ]
    return WatchedGpu(
        host.host,
        place,
        "GPU:" + its["gpu.busy"].of,
        clock.average(took) if clock else None,
        (clock.limit or float(clock.high.max())) if clock else None,
        tuple(slowed),
        bool(reasons),
        float(heat.high[works].max()) if heat else None,
        power.limit if power else None,
        None if more is None else float(np.average(more, weights=took)),
    )
