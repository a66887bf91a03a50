"""How busy programs besides the training keep the processors of each host, while the profiled steps run."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.recording.resources import Recorded, Resources
from tfperf_plugin.records import Record

# What is watched is a mean over up to a second, and some of it is asked once a second.
_BESIDE_NS: Final = 5_000_000_000
_FEWEST: Final = 2
_NONE: Final = "The processors of at least two hosts were not watched."


class HostLoad(Record, frozen=True):
    """Share of the processors that the training may use and others keep busy, by host."""

    others: dict[str, float]

    def beside(self, host: str) -> tuple[float, float] | None:
        """That of ``host``, and the most of another host; ``None`` if either is not known."""
        rest = [ratio for name, ratio in self.others.items() if name != host]
        return (self.others[host], max(rest)) if rest and host in self.others else None


def finish(recorded: Recorded) -> HostLoad | NotApplicable:
    """Of all hosts whose processors were watched."""
    found = {host.host: _others(host, recorded.steps_ns) for host in recorded.hosts}
    known = {name: ratio for name, ratio in found.items() if ratio is not None}
    return HostLoad(known) if len(known) >= _FEWEST else NotApplicable(_NONE)


def _others(host: Resources, steps_ns: tuple[int, int]) -> float | None:
    busy, training = host.one("processors.busy"), host.one("processors.training")
    if not (busy and training and training.limit):
        return None
    begin, end = (at_ns - host.begin_ns for at_ns in steps_ns)
    begins_ns = host.end_ns - host.took_ns()
    near = (host.end_ns > begin - _BESIDE_NS) & (begins_ns < end + _BESIDE_NS)
    took = np.where(near, host.took_ns(), 0).astype(np.float64)
    if not took.any():
        return None
    return max(0.0, busy.average(took) - training.average(took) / training.limit)
