"""How fast the memory of the training grows after its warm-up, and when it is full."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.machine.activity import running
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.arrays.columns import median
from tfperf_plugin.arrays.intervals import Floats, Ints
from tfperf_plugin.recording.resources import Recorded, Resources, Series
from tfperf_plugin.records import Record

LEAST_NS: Final = 300_000_000_000
"""Of shorter trainings nothing is said."""
_WARM_UP_NS: Final = 120_000_000_000
_WARM_UP_RATIO: Final = 0.2
_POINTS: Final = 200
_LEAST_POINTS: Final = 30
_PARTS: Final = 3
# In each part of the time memory grows at least this share of what it grows on average.
_STEADY_RATIO: Final = 0.7
# How much memory is held for good is not known of the last part: it may still be given back.
_OPEN_RATIO: Final = 0.1
# Memory grows by at least this many times what is usually in use for a while only.
_SWING_TIMES: Final = 2.0
# Standard deviations beside the mean that hold 95 % of a normal distribution.
_NORMAL: Final = 1.96

_NOT_WATCHED: Final = "The memory of the training was not watched."
_TOO_SHORT: Final = "The machine was watched for less than 5 min of steps: memory still fills then."
_NO_LIMIT: Final = "It is not known how much memory is left."


class MemoryGrowth(Record, frozen=True):
    """How the memory of the training's processes grew on ``host`` between warm-up and last step.

    Growth is that of the least memory that is in use from each moment on: what is given back is none.
    """

    host: str
    watched_ns: int
    begin_ns: int  #: From when to when growth was measured, in ns since watching began.
    end_ns: int
    #: Bytes a second, and the range in which it lies with 95 %; 0 where memory did not grow all the time.
    rate: float
    low: float
    high: float
    used_bytes: int  #: In use at the end, and what could still be used then.
    left_bytes: int
    private: bool  #: Whether memory that processes share, which holds mapped files, was left out.

    @property
    def grown_bytes(self) -> int:
        """How much memory grew while it was measured."""
        return round(self.rate * (self.end_ns - self.begin_ns) / 1e9)

    @property
    def full_ns(self) -> float:
        """Time from the end until memory is full."""
        return self.left_bytes / self.rate * 1e9 if self.rate else float("inf")


def finish(recorded: Recorded) -> MemoryGrowth | NotApplicable:
    """Of several hosts, the one whose memory is full first."""
    found = [_growth(host) for host in recorded.hosts]
    grown = [one for one in found if isinstance(one, MemoryGrowth)]
    if grown:
        return min(grown, key=lambda one: (one.full_ns, one.host))
    return next((one for one in found if one != NotApplicable(_NOT_WATCHED)), NotApplicable(_NOT_WATCHED))


def _growth(host: Resources) -> MemoryGrowth | NotApplicable:
    training, shared = host.one("memory.training"), host.one("memory.shared")
    if training is None:
        return NotApplicable(_NOT_WATCHED)
    rows = np.flatnonzero(running(host))
    if not len(rows) or host.end_ns[rows[-1]] - host.end_ns[rows[0]] < LEAST_NS:
        return NotApplicable(_TOO_SHORT)
    first_ns, end_ns = int(host.end_ns[rows[0]]), int(host.end_ns[rows[-1]])
    begin_ns = first_ns + round(max(_WARM_UP_NS, _WARM_UP_RATIO * (end_ns - first_ns)))
    left = _left(training, host.one("memory.available"), int(rows[-1]))
    if left is None:
        return NotApplicable(_NO_LIMIT)
    used = np.maximum(training.mean - shared.mean, 0.0) if shared else training.mean
    judged = (host.end_ns > begin_ns) & (host.end_ns <= end_ns)
    length_ns = end_ns - begin_ns
    rate, low, high = _slope(*_middles(host.end_ns[judged] - begin_ns, used[judged], length_ns))
    return MemoryGrowth(
        host.host, int(host.end_ns[-1]), begin_ns, end_ns, rate, low, high,
        round(float(training.mean[rows[-1]])), round(left), shared is not None,
    )  # fmt: skip


def _left(training: Series, available: Series | None, row: int) -> float | None:
    """How much the training can still take in this row: what its container allows, and what there is."""
    known = [] if training.limit is None else [max(0.0, training.limit - float(training.mean[row]))]
    return min([*known, *([] if available is None else [float(available.mean[row])])], default=None)


def _middles(at_ns: Ints, used: Floats, length_ns: int) -> tuple[Floats, Floats]:
    """When in s each of up to ``_POINTS`` equal stretches of time lies, and the median of ``used`` in it."""
    stretch = np.minimum(at_ns * float(_POINTS) / length_ns, _POINTS - 1).astype(np.int64)
    order = np.lexsort((used, stretch))
    firsts = np.flatnonzero(np.diff(stretch, prepend=-1))
    middles = order[(firsts + np.append(firsts[1:], len(stretch)) - 1) // 2]
    at_s = np.asarray((stretch[firsts] + 0.5) * (length_ns / 1e9 / _POINTS), np.float64)
    return at_s, used[middles]


def _slope(at_s: Floats, used: Floats) -> tuple[float, float, float]:
    """The slope of Theil and Sen in bytes a second of what is held for good, with the interval of Sen.

    0 if it does not grow in each part of the time, or by less than what comes and goes.
    """
    count = round(len(used) * (1 - _OPEN_RATIO))
    if count < _LEAST_POINTS:
        return 0.0, 0.0, 0.0
    held = np.minimum.accumulate(used[::-1])[::-1]
    swing = float(median(used - held))
    held, at_s = held[:count], at_s[:count]
    ends = np.linspace(0, count - 1, _PARTS + 1).astype(np.int64)
    rates = np.diff(held[ends]) / np.diff(at_s[ends])
    one, other = np.triu_indices(count, 1)
    slopes = np.sort((held[other] - held[one]) / (at_s[other] - at_s[one]))
    spread = _NORMAL * np.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    low, high = (int(np.clip((len(slopes) + way * spread) / 2, 0, len(slopes) - 1)) for way in (-1, 1))
    steady = rates.min() >= _STEADY_RATIO * rates.mean() and held[-1] - held[0] >= _SWING_TIMES * swing
    if slopes[low] <= 0 or not steady:
        return 0.0, 0.0, 0.0
    return float(median(slopes)), float(slopes[low]), float(slopes[high])
