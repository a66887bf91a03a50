"""What the machine did while a training ran: the file in which it is kept, and reading it back.

A file is one JSON object beside the training's record. It holds rows, each of which ends when the next one
begins, and for each series of numbers the mean, the lowest and the highest value of each row. It names no
process, user or address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Annotated, Final, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta
from msgspec.structs import replace

from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers.logdirs.files import read_small
from tfperf_plugin.readers.logdirs.runs import RecordFile
from tfperf_plugin.recording.record import OTHER_VERSION
from tfperf_plugin.records import Record

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SCHEMA_VERSION: Final = 1
MAX_BYTES: Final = 2 << 20
"""Larger files are not read, and none is written."""
MOST_SERIES: Final = 1024
EVERY_S: Final = 30.0
"""While a training goes on, its file is written anew this often."""
LATE_NS: Final = 5 * round(EVERY_S * 1e9)
"""Where writing is dear, it is written less often: how late at most."""


ResourceUnit = Literal["ratio", "bytes", "bytes/s", "cores", "Hz", "W", "°C", "count"]
""""ratio": 0..1 of what there is."""


class Kind(Record, frozen=True):
    """What the numbers of a series are."""

    unit: ResourceUnit
    #: What is measured.
    label: str
    #: What ``Series.limit`` is; "" if there is none.
    limit: str = ""


KINDS: Final = {
    "processors.busy": Kind("ratio", "Processors that the training may use: busy"),
    "processors.busiest": Kind("ratio", "The busiest of these processors: busy"),
    "processors.iowait": Kind("ratio", "These processors: idle while a disk is awaited"),
    "processors.training": Kind("cores", "Processors at work for the training", "the training may use"),
    "processors.throttled": Kind("ratio", "Time in which the container's quota stopped the training"),
    "memory.training": Kind("bytes", "Memory of the training", "the container allows"),
    "memory.shared": Kind("bytes", "Memory of the training that its processes share"),
    "memory.available": Kind("bytes", "Memory available", "in all"),
    "memory.swap": Kind("bytes", "Swap in use", "in all"),
    "network.in": Kind("bytes/s", "Received", "of the link"),
    "network.out": Kind("bytes/s", "Sent", "of the link"),
    "disk.read": Kind("bytes/s", "Read"),
    "disk.written": Kind("bytes/s", "Written"),
    "disk.busy": Kind("ratio", "Disk busy"),
    "training.read": Kind("bytes/s", "Read by the training"),
    "training.written": Kind("bytes/s", "Written by the training"),
    "gpu.busy": Kind("ratio", "GPU: time in which a kernel ran"),
    "gpu.memory": Kind("bytes", "GPU memory in use", "in all"),
    "gpu.clock": Kind("Hz", "Clock of the multiprocessors", "at most"),
    "gpu.memory_clock": Kind("Hz", "Clock of the GPU's memory", "at most"),
    "gpu.power": Kind("W", "Power", "allowed"),
    "gpu.temperature": Kind("°C", "Temperature", "from which on the GPU slows down"),
    "gpu.slowed_by_heat": Kind("ratio", "Time in which heat lowered the clock"),
    "gpu.slowed_by_power": Kind("ratio", "Time in which the power limit lowered the clock"),
    "gpu.slowed_by_brake": Kind("ratio", "Time in which the power brake lowered the clock"),
    "gpu.others": Kind("count", "Other processes that compute on the GPU"),
}
"""The name of a series → what it is."""


class Series(Record, frozen=True):
    """Numbers of one kind, in its unit: one for each row."""

    #: A name of ``KINDS``.
    name: str
    mean: Floats
    low: Floats
    high: Floats
    #: The interface, disk or GPU ("eth0", "nvme0n1", "0"); "" for the whole machine.
    of: str = ""
    #: The most that there can be, if the machine tells.
    limit: float | None = None

    @property
    def kind(self) -> Kind:
        """What the numbers are."""
        return KINDS[self.name]

    def average(self, weights: Ints | Floats) -> float:
        """The mean over all rows, each of which counts by its weight."""
        return float(np.average(self.mean, weights=weights))


class Resources(Record, frozen=True):
    """What one host did while the training ran."""

    host: str
    #: When the first row begins, in ns since the epoch.
    begin_ns: int
    #: When each row ends, in ns after ``begin_ns``, ascending.
    end_ns: Ints
    series: tuple[Series, ...]
    #: What could not be measured, and why, in a sentence each.
    missing: tuple[str, ...] = ()
    #: Sentences about what could not be used of the file.
    problems: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.end_ns)

    def holds(self, at_ns: int) -> bool:
        """Whether the machine was watched then, or soon before: the file of a training that goes on ends
        when it was written last."""
        return len(self) > 0 and self.begin_ns <= at_ns <= self.begin_ns + int(self.end_ns[-1]) + LATE_NS

    def took_ns(self) -> Ints:
        """How long each row lasts."""
        return np.diff(self.end_ns, prepend=0)

    def of(self, name: str) -> tuple[Series, ...]:
        """The series of one kind: one for each interface, disk or GPU."""
        return tuple(one for one in self.series if one.name == name)

    def one(self, name: str) -> Series | None:
        """The only series of one kind, ``None`` if it was not measured."""
        found = self.of(name)
        return found[0] if len(found) == 1 else None


class Recorded(Record, frozen=True):
    """What all hosts of a run did while it trained."""

    hosts: tuple[Resources, ...]
    #: From when to when steps were recorded, in ns since the epoch, and how many; of none, twice the start of
    #: the profile.
    steps_ns: tuple[int, int]
    steps: int


_Number = Annotated[float, Meta(ge=0, le=1e18)]
_Numbers = Annotated[list[_Number], Meta(max_length=MAX_BYTES // 2)]


class _Stored(Record, frozen=True):
    """A series as its file holds it."""

    name: Annotated[str, Meta(max_length=40)]
    mean: _Numbers
    low: _Numbers
    high: _Numbers
    of: Annotated[str, Meta(pattern=r"^[\w.:@-]{0,32}\Z")] = ""
    limit: _Number | None = None


class _File(Record, frozen=True):
    schema_version: int
    begin_ns: Annotated[int, Meta(ge=0, le=2**62)]
    end_ns: Annotated[list[Annotated[int, Meta(ge=1, le=2**61)]], Meta(min_length=1)]
    series: Annotated[list[_Stored], Meta(max_length=MOST_SERIES)]
    missing: Annotated[tuple[Annotated[str, Meta(max_length=200)], ...], Meta(max_length=50)] = ()


def to_json(resources: Resources) -> bytes:
    """``resources`` as the content of their file, with four digits of each number."""
    rows = [
        _Stored(one.name, _short(one.mean), _short(one.low), _short(one.high), one.of, one.limit)
        for one in resources.series
    ]
    file = _File(SCHEMA_VERSION, resources.begin_ns, resources.end_ns.tolist(), rows, resources.missing)
    return msgspec.json.encode(file)


def _short(numbers: Floats) -> list[float]:
    """Each rounded to an integer of four digits, which is divided or multiplied by a power of ten exactly."""
    digits = 3 - np.floor(np.log10(np.where(numbers > 0, numbers, 1.0)))
    up, down = 10.0 ** np.clip(digits, 0, 22), 10.0 ** np.clip(-digits, 0, 22)
    rounded: list[float] = (np.round(numbers * up / down) / up * down).tolist()
    return rounded


def read_resources(files: Iterable[RecordFile]) -> tuple[Resources, ...]:
    """What each host recorded. Never raises: ``problems`` says what could not be used."""
    return tuple(_read(file) for file in files)


def _read(file: RecordFile) -> Resources:
    try:
        return from_json(file.host, read_small(file, MAX_BYTES))
    except UnreadableInput as error:
        return _unusable(file.host, str(error))


def from_json(host: str, data: bytes) -> Resources:
    """What the file of ``host`` with this content holds."""
    if len(data) > MAX_BYTES:
        return _unusable(host, f"The file is larger than {MAX_BYTES >> 20} MiB.")
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _unusable(host, "The file does not hold what tfperf writes.")
    end_ns = np.array(file.end_ns, np.int64)
    if np.any(np.diff(end_ns) <= 0):
        return _unusable(host, "The times in the file do not ascend.")
    series = tuple(_usable(file.series, len(end_ns)))
    found = Resources(host, file.begin_ns, end_ns, series, file.missing)
    if file.schema_version == SCHEMA_VERSION and len(series) == len(file.series):
        return found
    return replace(found, problems=(OTHER_VERSION,))


def _usable(stored: Sequence[_Stored], rows: int) -> Iterator[Series]:
    """The series that are known and whole, each of which stands once."""
    known = {(one.name, one.of): one for one in stored if one.name in KINDS}
    for one in known.values():
        if {len(one.mean), len(one.low), len(one.high)} != {rows}:
            continue
        mean, low, high = (np.array(numbers, np.float64) for numbers in (one.mean, one.low, one.high))
        most = 1.0 if KINDS[one.name].unit == "ratio" else inf
        if np.all((low <= mean) & (mean <= high) & (high <= most)):
            yield Series(one.name, mean, low, high, one.of, one.limit)


def _unusable(host: str, problem: str) -> Resources:
    return Resources(host, 0, np.zeros(0, np.int64), (), (), (problem,))
