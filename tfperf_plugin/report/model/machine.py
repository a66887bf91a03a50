"""What a run uses: GPUs and their memory, input pipelines, and machines during the whole training."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorFacts
from tfperf_plugin.analysis.artifacts.memory.memory import Allocation
from tfperf_plugin.recording.resources import ResourceUnit
from tfperf_plugin.records import Record


class Device(Record, frozen=True):
    """One visible GPU."""

    host: str
    device: str
    name: str
    compute_capability: str | None
    busy_ratio: float  # of the judged time in which anything ran on it, also collectives that wait
    participates: bool
    memory_bytes: int | None = None


class GpuKind(Record, frozen=True):
    """The number of visible GPUs with this name."""

    name: str  # "" if it was not recorded
    count: int


class GpuName(Record, frozen=True):
    """A GPU of a host."""

    host: str
    device: str


class Gpus(Record, frozen=True):
    """A summary of the visible GPUs; ``devices`` of the report has the details."""

    total: int = 0
    kinds: tuple[GpuKind, ...] = ()
    idle: tuple[GpuName, ...] = ()  # at most 24 GPUs on which no kernel ran
    idle_total: int = 0
    unrecorded: tuple[GpuName, ...] = ()  # at most 24 that may have run kernels, none recorded
    unrecorded_total: int = 0


class MemoryPoints(Record, frozen=True):
    """Bytes in use at moments of the host's timeline, as two columns of equal length."""

    at_ms: tuple[float, ...]
    used_bytes: tuple[int, ...]


class GpuMemory(Record, frozen=True):
    """One GPU's allocator."""

    host: str
    device: str
    capacity_bytes: int
    peak_bytes: int  # most bytes in use since the program began
    recorded_peak_bytes: int  # most bytes in use during the recording
    peak_ms: float  # when that was
    lasting_bytes: int  # fewest bytes in use during the recording
    before_bytes: int  # in use at the recorded peak, allocated before the recording
    fragmentation_ratio: float | None  # of the free memory then, the share outside its largest block
    free_block_bytes: int | None  # that block
    alive: tuple[Allocation, ...]  # the largest holders of all else in use then
    alive_total: int
    matched: Literal["address", "none"]  # how releases were matched
    points: MemoryPoints  # thinned, with all peaks and valleys
    said: str = ""  # the peak and what it is made of
    note: str = ""  # the free memory, and how sure that is


class Memory(Record, frozen=True):
    """Memory of at most 16 of the GPUs whose allocator was recorded, the fullest first."""

    devices: tuple[GpuMemory, ...]
    devices_total: int
    #: Factor by which the batch could grow on the fullest GPU, in proportion and with a tenth of the memory
    #: left free; ``None`` without a complete step or without memory that a step releases.
    batch_growth: float | None


class Iterator(IteratorFacts, frozen=True):
    """One tf.data iterator of one host; iterators are in the order of a printed tree."""

    filtered_ratio: float | None  # of elements that a filter drops
    on_critical_path: bool
    is_bottleneck: bool


class Pipeline(Record, frozen=True):
    """A pipeline that steps ask for batches."""

    host: str
    number: int
    iterators: tuple[int, ...]  # indices of its iterators and of those of the pipeline that feeds it
    wait_ns: int  # time that an average step of the host waits for it
    wait_ratio: float  # of the step
    slowest_ns: int  # its longest request
    batch_bytes: int | None
    bottleneck: int | None  # index of the iterator that steps wait for, if they wait for a known one


class Input(Record, frozen=True):
    """The input pipelines of at most 16 hosts, those whose steps wait longest."""

    iterators: tuple[Iterator, ...]
    pipelines: tuple[Pipeline, ...]  # by the waiting time of steps, longest first
    critical_path: tuple[str, ...]  # names, from the step upstream, for the first pipeline's slowest request
    bottleneck: str | None  # name of the iterator that this request waits for
    sentence: str  # the same in words
    hosts_total: int
    needed_ns: int | None = None  # what the slowest stage needs for the batches of a step; None: not recorded


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
