"""What the machine sent in bursts, such as uploads of checkpoints and of files with events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.machine.activity import running
from tfperf_plugin.analysis.evidence import NotApplicable
from tfperf_plugin.arrays.columns import median
from tfperf_plugin.arrays.intervals import Bools, Floats, Ints
from tfperf_plugin.recording.resources import Recorded, Resources, Series
from tfperf_plugin.records import Record

_BURST_TIMES: Final = 5.0
# Fewer bytes a second are no upload, however little is sent otherwise.
_LEAST_RATE: Final = 1e6
# The longest pause within an upload.
_PAUSE_NS: Final = 5_000_000_000
_MOST_COMPARED: Final = 200

_NOT_WATCHED: Final = "What the machine sends was not watched."


class Uploads(Record, frozen=True):
    """The bursts in which one interface of ``host`` sent data, in order of time."""

    host: str
    interface: str
    watched_ns: int
    #: When each begins and ends, in ns since watching began, and what it sent beside the usual.
    begin_ns: Ints
    end_ns: Ints
    bytes: Floats
    idle_ns: int  #: Time in these bursts in which no step ran.

    @property
    def ascent(self) -> float:
        """How surely each burst is larger than those before: Kendall's tau, −1 to 1; 0 for fewer than two."""
        count = len(self.bytes)
        some = self.bytes[np.linspace(0, count - 1, min(count, _MOST_COMPARED)).astype(np.int64)]
        one, other = np.triu_indices(len(some), 1)
        return float(np.sign(some[other] - some[one]).mean()) if len(one) else 0.0


class UploadsOfAll(Record, frozen=True):
    """For each interface of each host what it sent in bursts."""

    all: tuple[Uploads, ...]


def finish(recorded: Recorded) -> UploadsOfAll | NotApplicable:
    """All interfaces that were watched."""
    found = tuple(one for host in recorded.hosts for one in _of_host(host))
    return UploadsOfAll(found) if found else NotApplicable(_NOT_WATCHED)


def _of_host(host: Resources) -> Iterator[Uploads]:
    runs = running(host)
    return (_uploads(host, sent, runs) for sent in host.of("network.out"))


def _uploads(host: Resources, sent: Series, runs: Bools) -> Uploads:
    usual = float(median(sent.mean))
    rows = np.flatnonzero(sent.mean >= max(_BURST_TIMES * usual, _LEAST_RATE))
    took_ns = host.took_ns()
    begin_ns, end_ns = (host.end_ns - took_ns)[rows], host.end_ns[rows]
    last = np.flatnonzero(np.append(begin_ns[1:] - end_ns[:-1] > _PAUSE_NS, True)[: len(rows)])
    first = np.append(0, last + 1)[: len(last)]
    size = (sent.mean[rows] - usual) * took_ns[rows] / 1e9
    sizes = np.add.reduceat(size, first) if len(rows) else size
    idle_ns = int(took_ns[rows[~runs[rows]]].sum())
    return Uploads(host.host, sent.of, int(host.end_ns[-1]), begin_ns[first], end_ns[last], sizes, idle_ns)
