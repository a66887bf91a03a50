"""How much data arrived in the pauses between steps, and how much while steps ran."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.machine.activity import Activity
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.arrays.intervals import Floats
from tfperf_plugin.recording.resources import Recorded, Resources, Series
from tfperf_plugin.records import Record

# Within this time of a pause, numbers may belong to it: GPUs and processes are asked up to 1 s late.
_EDGE_NS: Final = 1_000_000_000
_NOT_WATCHED: Final = "What the training reads and receives was not watched."


class Bursts(Record, frozen=True):
    """What one source gave. Rates are bytes a second."""

    source: str  #: The interface, such as "eth0", or "" for files that the training read.
    rates: Floats  #: In each of ``Activity.pauses``.
    steady_rate: float  #: While steps ran, at least a second from any pause.


def finish(recorded: Recorded, activity: Activity) -> Bursts | NotApplicable:
    """The source that gave most in pauses. The network of several hosts carries gradients, so it is none."""
    host = next(one for one in recorded.hosts if one.host == activity.host)
    network = host.of("network.in") if len(recorded.hosts) == 1 else ()
    found = [_of(host, activity, series) for series in (*host.of("training.read"), *network)]
    return max(found, key=lambda one: float(one.rates.sum()), default=NotApplicable(_NOT_WATCHED))


def _of(host: Resources, activity: Activity, series: Series) -> Bursts:
    took_ns = host.took_ns()
    row_begin_ns = host.end_ns - took_ns
    passed = np.append(0.0, np.cumsum(series.mean * (took_ns / 1e9)))
    begin_ns = np.array([pause.begin_ns for pause in activity.pauses], np.int64)
    end_ns = np.array([pause.end_ns for pause in activity.pauses], np.int64)
    first, after = np.searchsorted(row_begin_ns, begin_ns), np.searchsorted(row_begin_ns, end_ns)
    arrived = passed[after] - passed[first]
    # No pause is near a row if all pauses that begin before its end have ended before its start.
    ended = np.searchsorted(end_ns + _EDGE_NS, row_begin_ns, side="right")
    begun = np.searchsorted(begin_ns - _EDGE_NS, host.end_ns, side="left")
    steady = np.where(activity.runs(host) & (ended == begun), took_ns, 0)
    steady_rate = series.average(steady) if steady.any() else float(series.mean.max())
    return Bursts(series.of, arrived / np.maximum(1, end_ns - begin_ns) * 1e9, steady_rate)
