"""When steps ran during the whole training, by how busy its GPUs were, else its processors."""

from __future__ import annotations

from typing import Final

import numpy as np

from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.arrays.intervals import Bools, Floats
from tfperf_plugin.recording.resources import Recorded, Resources
from tfperf_plugin.records import Record

LEAST_PAUSE_NS: Final = 1_000_000_000
"""Shorter pauses are none: what watches GPUs averages over up to a second."""
_PAUSE_STEPS: Final = 3
# A row without work in it has a lowest value below this share of what is usual while steps run.
_QUIET_RATIO: Final = 0.1
# Rows in which more is done than this share of the most hold steps.
_WORKS_RATIO: Final = 0.25
_SIGNALS: Final = ("gpu.busy", "processors.training")
_NOT_WATCHED: Final = "Neither GPUs nor the training's processors were watched."
_NEVER_BUSY: Final = "GPUs and processors did nothing that stands out."


class Pause(Record, frozen=True):
    """A stretch without steps, in ns since watching began, and how much of it no step ran."""

    begin_ns: int
    end_ns: int
    idle_ns: int


class Activity(Record, frozen=True):
    """When steps ran on ``host``. Times are ns since watching began."""

    host: str
    signal: str  #: The series that shows it, a name of ``KINDS``.
    watched_ns: int  #: When watching ended.
    first_ns: int  #: When the first step began.
    last_ns: int  #: When the last step ended.
    pauses: tuple[Pause, ...]  #: Stretches without steps between the first and the last step.
    start_cores: float | None = None  #: What the training did before the first step; ``None``: not watched.
    start_received_bytes: int | None = None

    @property
    def idle_ns(self) -> int:
        """Time between the first and the last step in which none ran."""
        return sum(pause.idle_ns for pause in self.pauses)

    @property
    def running_ratio(self) -> float:
        """Share of all time in which steps ran."""
        return (self.last_ns - self.first_ns - self.idle_ns) / max(1, self.watched_ns)

    @property
    def idle_ratio(self) -> float:
        """Share of all time that passed in pauses between steps."""
        return self.idle_ns / max(1, self.watched_ns)

    def runs(self, host: Resources) -> Bools:
        """The rows of the host in which steps ran: between the first and the last step, and in no pause."""
        begin_ns = host.end_ns - host.took_ns()
        runs = (begin_ns >= self.first_ns) & (host.end_ns <= self.last_ns)
        for pause in self.pauses:
            runs &= (host.end_ns <= pause.begin_ns) | (begin_ns >= pause.end_ns)
        return runs


def finish(recorded: Recorded) -> Activity | NotApplicable:
    """Of several hosts, the first one whose GPUs or processors were watched."""
    steps = max(1, recorded.steps)
    least_ns = max(LEAST_PAUSE_NS, _PAUSE_STEPS * (recorded.steps_ns[1] - recorded.steps_ns[0]) // steps)
    for host in recorded.hosts:
        for signal in _SIGNALS:
            if host.of(signal):
                return _activity(host, signal, least_ns)
    return NotApplicable(_NOT_WATCHED)


def running(host: Resources) -> Bools:
    """The rows during most of which steps ran; none where nothing shows it."""
    for signal in _SIGNALS:
        if series := host.of(signal):
            return at_work(np.max([one.mean for one in series], axis=0))
    return np.zeros(len(host), np.bool_)


def at_work(mean: Floats) -> Bools:
    """The rows in which at least half of what is usual is done."""
    return (mean > 0) & (mean >= _usual(mean) / 2)


def _activity(host: Resources, signal: str, least_ns: int) -> Activity | NotApplicable:
    series = host.of(signal)
    mean = np.max([one.mean for one in series], axis=0)
    low = np.max([one.low for one in series], axis=0)
    usual = _usual(mean)
    busy = np.flatnonzero(mean > _QUIET_RATIO * usual)
    if not usual or not len(busy):
        return NotApplicable(_NEVER_BUSY)
    took_ns = host.took_ns()
    begin_ns = host.end_ns - took_ns
    # A row that holds the end of a pause holds steps, too: its mean says for how long.
    quiet = np.where(low < _QUIET_RATIO * usual, np.clip(1 - mean / usual, 0, 1), 0.0)
    first, last = int(busy[0]), int(busy[-1])
    idle_ns = np.round(quiet * took_ns).astype(np.int64)
    starts = int(begin_ns[first] + idle_ns[first])
    ends = int(host.end_ns[last] - (idle_ns[last] if last > first else 0))
    rows = np.flatnonzero(quiet[first + 1 : last] > 0) + first + 1
    pauses = tuple(
        Pause(int(begin_ns[run[0]]), int(host.end_ns[run[-1]]), int(idle_ns[run].sum()))
        for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
        if len(run) and idle_ns[run].sum() >= least_ns
    )
    before_s = np.where(np.arange(len(host)) < first, took_ns, 0) / 1e9
    received = [(one.mean * before_s).sum() for one in host.of("network.in")]
    cores = host.one("processors.training")
    return Activity(
        host.host,
        signal,
        int(host.end_ns[-1]),
        starts,
        ends,
        pauses,
        start_cores=cores.average(before_s) if cores and first else None,
        start_received_bytes=round(sum(received)) if received else None,
    )


def _usual(mean: Floats) -> float:
    """What is usual while steps run."""
    works = mean[mean > _WORKS_RATIO * mean.max(initial=0.0)]
    return float(np.median(works)) if len(works) else 0.0
