"""What the machines did while the run trained, of which a profile holds a few steps."""

from __future__ import annotations

from tfperf_plugin.recording.resources import ResourceUnit
from tfperf_plugin.records import Record


class MachineLane(Record, frozen=True):
    """One resource: a number for each stretch of the host's ``end_ns``, with four digits."""

    id: str  # names the resource for programs, "gpu.busy"
    label: str
    of: str  # the GPU, interface or disk, "" for the whole machine
    unit: ResourceUnit
    limit: float | None  # the most there can be
    limit_of: str  # what that is, "in all"
    usual: float  # its mean while steps run, or of all time if it is not known when they do
    most: float  # its highest value
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class MachineMark(Record, frozen=True):
    """A range that a finding is about."""

    begin_ns: int
    end_ns: int
    label: str
    finding: str  # its id


class MachineHost(Record, frozen=True):
    """One host. Times but ``begin_ns`` are ns since watching began."""

    host: str
    begin_ns: int  # when watching began, in ns since 1970; 0 if nothing can be read
    watched_ns: int
    end_ns: tuple[int, ...]  # when each stretch ends: at most 240, which last about as long as each other
    lanes: tuple[MachineLane, ...]  # at most 40; resources that were never used are left out
    #: When the profiled steps ran.
    steps_begin_ns: int
    steps_end_ns: int
    marks: tuple[MachineMark, ...] = ()  # at most 100, the longest, in time order
    said: str = ""  # how long it was watched, and when no step ran
    missing: tuple[str, ...] = ()  # what could not be measured, and why
    problems: tuple[str, ...] = ()  # what could not be used of the file


class Machine(Record, frozen=True):
    """What at most 16 hosts did during the whole training, first the one by which the training is judged."""

    hosts: tuple[MachineHost, ...]
    hosts_total: int
    #: Share of the time watched in which steps ran; ``None`` if neither GPUs nor processors show it.
    running_ratio: float | None
    said: str  # in which share of the time steps ran, and what passed without them; "" if nothing shows it
