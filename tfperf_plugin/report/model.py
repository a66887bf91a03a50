"""The report, which the command line, the HTTP routes and the tab render.

Units: ``_ns`` are integer nanoseconds, ``_bytes`` integer bytes, ``_ratio`` shares 0..1, ``_ms`` fractional
milliseconds on the timeline of one host (the unit of links into the trace viewer). Text is plain text, never
markup. ``None`` means that the profile does not say.
"""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceDevice, AllReduceStep
from tfperf_plugin.analysis.artifacts.communication.calls import CollectiveCall
from tfperf_plugin.analysis.artifacts.host.idle import LaunchLatency
from tfperf_plugin.analysis.artifacts.memory.memory import Allocation
from tfperf_plugin.analysis.evidence import Unit
from tfperf_plugin.analysis.steps import StepSource
from tfperf_plugin.judging.verdicts import Finding, Row
from tfperf_plugin.readers.xspace.anomalies import Anomaly as Anomaly
from tfperf_plugin.records import Record

SCHEMA_VERSION = 5

BoundBy = Literal["compute", "memory", "latency", "not judged"]
ComputeKind = Literal["matrix", "memory", "small", "other"]
SectionId = Literal["communication", "hosts", "kernels", "input", "memory", "checks", "training"]


class Device(Record, frozen=True):
    """One visible GPU. ``busy_ratio``: share of the judged time in which anything ran on it, collectives that
    wait for other GPUs included."""

    host: str
    device: str
    name: str
    compute_capability: str | None
    busy_ratio: float
    participates: bool
    memory_bytes: int | None = None


class GpuKind(Record, frozen=True):
    """The number of visible GPUs with this name; "" if the name was not recorded."""

    name: str
    count: int


class GpuName(Record, frozen=True):
    """A GPU of a host."""

    host: str
    device: str


class Gpus(Record, frozen=True):
    """A summary of the visible GPUs; ``devices`` of the report has the details.

    ``idle``: at most ``idle_cap`` of the ``idle_total`` GPUs on which no kernel ran. ``unrecorded``: at most
    as many of the ``unrecorded_total`` GPUs that may have run kernels, of which none was recorded.
    """

    total: int = 0
    kinds: tuple[GpuKind, ...] = ()
    idle: tuple[GpuName, ...] = ()
    idle_total: int = 0
    idle_cap: int = 0
    unrecorded: tuple[GpuName, ...] = ()
    unrecorded_total: int = 0


class Account(Record, frozen=True):
    """The time of one ledger account in an average step. ``ratio``: its share of the step."""

    id: str
    ns: int
    ratio: float


class DeviceAccounts(Record, frozen=True):
    """The ledger of one GPU. Lists accounts with time only; they add up to ``step_ns`` exactly."""

    host: str
    device: str
    step_ns: int
    accounts: tuple[Account, ...]


class ComputePart(Record, frozen=True):
    """What one kind of kernel takes of the account ``compute``, each nanosecond once.

    ``kind``: ``matrix`` (products, convolutions, attention), ``memory`` (memory-bound), ``small``
    (latency-bound: too short to be either) or ``other``. ``floor_ns``: what the work needs at the rates that
    good libraries reach; ``recoverable_ns``: the rest of the time of judged kernels; ``not_judged_ns``:
    kernels of unknown work.
    """

    kind: ComputeKind
    floor_ns: int
    recoverable_ns: int
    not_judged_ns: int


class ComputeCause(Record, frozen=True):
    """Recoverable time of the account ``compute`` with one cause.

    ``rule``: id of the rule that says what to do about it, "" if the profile does not tell the cause;
    ``title``: its title, or that the cause was not recorded.
    """

    rule: str
    title: str
    ns: int


class Ledger(Record, frozen=True):
    """Where an average step goes, averaged over judged steps and participating GPUs.

    The ``ns`` of ``accounts`` add up to ``step_ns`` exactly. ``compute`` splits the account ``compute`` by
    kernel class and adds up to it exactly. ``devices``: a row for each of ``devices_total`` GPUs; more than
    16 are sorted by their step without waiting for other GPUs, longest first. ``hidden_*_ns``: communication
    and copies that ran beside compute and therefore cost nothing. ``compute_parts`` splits the account
    ``compute`` by what the work needs and adds up to it exactly; empty if no kernel's work is known.
    ``compute_floor_ns``: the sum of their floors; ``compute_peak_ns``: the same at the data sheet's peaks.
    ``compute_causes``: why the rest of the judged time was spent, most first.
    """

    step_ns: int
    accounts: tuple[Account, ...]
    compute: tuple[Account, ...]
    devices: tuple[DeviceAccounts, ...]
    devices_total: int
    hidden_communication_ns: int
    hidden_copy_ns: int
    compute_parts: tuple[ComputePart, ...] = ()
    compute_floor_ns: int | None = None
    compute_peak_ns: int | None = None
    compute_causes: tuple[ComputeCause, ...] = ()


class IdleAccount(Record, frozen=True):
    """One idle account of the average step, and why GPUs were idle. ``longest_ns``: its longest stretch.

    ``cause``: what the host did meanwhile, for ``covered_ns`` of the account; ``None`` if no recorded event
    covers 80 % of it. ``sentence``: the cause in words; "" below 1 % of the step.
    """

    account: str
    ns: int
    ratio: float
    longest_ns: int
    cause: str | None
    covered_ns: int
    sentence: str


class StepDevice(Record, frozen=True):
    """The accounts of one GPU in one step: account id → ns."""

    device: str
    accounts: dict[str, int]


class StepItem(Record, frozen=True):
    """One step of one host. ``judged``: false for partial, warm-up and rare long steps."""

    number: int
    host: str
    begin_ms: float
    end_ms: float
    judged: bool
    note: str
    devices: tuple[StepDevice, ...]


class StepColumn(Record, frozen=True):
    """One step, averaged over the GPUs of the hosts that judge it, or of all its hosts if none does.

    ``number``: as the first host counts; ``id``: names the step in URLs, and differs from the number if the
    number recurs. ``begin_ms``/``end_ms``: on ``host``, the first one that recorded the step. ``accounts``:
    accounts with time, id → ns, which add up to ``step_ns`` exactly; empty without GPUs. ``judged``: on any
    host; ``outlier``: much longer than the other steps on any host; ``note``: why it is left out or partial.
    """

    id: str
    number: int
    host: str
    begin_ms: float
    end_ms: float
    step_ns: int
    accounts: dict[str, int]
    gpus_count: int
    judged: bool
    outlier: bool
    note: str


class StepGroup(Record, frozen=True):
    """Steps that resemble each other, where not all do.

    ``name``: what they have in common, "worker-3" or "long steps"; ``count``: of steps, on the host with the
    most; ``hosts``: those that recorded them; ``p50_ns``: their median; ``accounts``: of the average step
    among them, whose ``ns`` add up to ``step_ns``, empty without GPUs.
    """

    name: str
    count: int
    hosts: tuple[str, ...]
    p50_ns: int
    step_ns: int
    accounts: tuple[Account, ...]


class Steps(Record, frozen=True):
    """The judged steps. ``unit``: what one of them is, such as "step" or "call of 16 training steps"; "" if
    what was recorded is no step of training. ``groups``: where steps differ, so that no step is like the
    mean; else empty. ``rare``: the few steps that are far longer, which are not judged.
    ``items``: at most ``items_cap`` of ``items_total`` steps of single hosts;
    ``columns``: at most ``columns_cap`` of ``columns_total`` steps of the run, in time order."""

    count: int
    source: StepSource
    mean_ns: int
    p50_ns: int
    p95_ns: int
    max_ns: int
    items: tuple[StepItem, ...]
    items_total: int
    items_cap: int
    columns: tuple[StepColumn, ...] = ()
    columns_total: int = 0
    columns_cap: int = 0
    groups: tuple[StepGroup, ...] = ()
    unit: str = "step"
    rare: StepGroup | None = None


class KeyNumbers(Record, frozen=True):
    """The numbers that the GPU guide says to maximize; ``None`` if the profile does not say.

    ``ops_on_device_ratio`` is by time, ``ops_on_device_count_ratio`` by count. ``compute_judged_ratio``:
    share of the account ``compute`` whose operations and bytes are known. ``gpu_busy_ratio``: share of the
    step in which a GPU computes, transfers or copies; waiting in a collective is no work. ``mfu_ratio``:
    model FLOPs utilization, the floating-point operations of the model's matrix products and convolutions
    over what the GPU's dense peak allows in the step; ``hfu_ratio``: hardware FLOPs utilization, the same
    with recomputed ones, if any are seen. ``flops_per_s``: operations of products a second and GPU.
    ``mfu_basis``: the peak and its source, or why there is no MFU.
    """

    device_time_ratio: float | None
    ops_on_device_ratio: float | None
    ops_on_device_count_ratio: float | None
    compute_16bit_ratio: float | None
    compute_tf32_ratio: float | None
    gpu_busy_ratio: float | None
    compute_judged_ratio: float | None = None
    mfu_ratio: float | None = None
    hfu_ratio: float | None = None
    flops_per_s: int | None = None
    mfu_basis: str = ""


class StaggerItem(Record, frozen=True):
    """One GPU in one step.

    The times of kernels and launches count from the step's first kernel on any GPU; ``_ms`` are on the host's
    timeline. ``idle_ns``: idle while another GPU is in this step; ``wait_ns``: waiting in collectives for a
    GPU that started later; ``thread``: the host thread of the first launch for this GPU, "" if not recorded.
    """

    step: int
    host: str
    device: str
    first_launch_ns: int | None
    first_kernel_ns: int
    last_kernel_ns: int
    begin_ms: float
    end_ms: float
    idle_ns: int
    wait_ns: int
    thread: str


class Stagger(Record, frozen=True):
    """When each GPU starts a step, on the ``host`` whose GPUs start furthest apart.

    ``spread_ns`` and ``launch_spread_ns``: median spread of first kernels and of first launches; ``cost_ns``:
    the time per step that GPUs lose; ``devices``: GPUs by their median start, earliest first; ``one_thread``:
    whether one host thread makes the first launch for all GPUs; ``private_threads``: whether each GPU has its
    own launch threads. ``items``: the ``steps_cap`` of ``steps_total`` steps with the largest spread, in time
    order.
    """

    host: str
    order: Literal["fixed", "rotating", "none"]
    spread_ns: int
    launch_spread_ns: int | None
    cost_ns: int
    devices: tuple[str, ...]
    one_thread: bool | None
    private_threads: bool
    items: tuple[StaggerItem, ...]
    steps_total: int
    steps_cap: int


class Straggler(Record, frozen=True):
    """How late one GPU is in a run with several.

    ``behind_ns``: median delay of its first kernel behind the first GPU of its host or, if longer, its
    longest delay at a collective of a step behind the first GPU to arrive, median of steps; ``last_ratio``:
    share of collective calls (without any: of steps) in which it comes last; ``cause``: a sentence, "" if it
    is not known.
    """

    host: str
    device: str
    behind_ns: int
    last_ratio: float
    cause: str


class Iterator(Record, frozen=True):
    """One tf.data iterator of one host; iterators are in the order of a printed tree.

    ``pipeline``: number of its pipeline on the host; ``depth``: distance from the root; ``parent``: index of
    the iterator that it feeds. ``written``: as in the user's program; ``stage``: what it does (reading on
    demand, reading ahead, preprocessing, Python, batching, transfer, passing on). ``self_ns``: its own work
    on all threads; ``batch_ns``: the same per batch, where ``at_once`` concurrent calls count once.
    ``wait_ratio``: share of the steps' waiting time in which it works. ``slow_calls_count``: calls
    above 50 µs. ``buffered_elements``: mean fill of the buffer. ``filtered_ratio``: share of elements that a
    filter drops.
    """

    host: str
    pipeline: int
    depth: int
    parent: int | None
    name: str
    kind: str
    written: str
    stage: str
    calls_count: int
    slow_calls_count: int
    total_ns: int
    self_ns: int
    batch_ns: int
    at_once: int
    wait_ratio: float
    parallelism: int | None
    autotune: bool | None
    buffered_elements: int | None
    buffer_limit: int | None
    element_bytes: int | None
    filtered_ratio: float | None
    on_critical_path: bool
    is_bottleneck: bool


class Pipeline(Record, frozen=True):
    """A pipeline that steps ask for batches.

    ``iterators``: indices of its iterators and of those of the pipeline that feeds it; ``wait_ns``: time that
    an average step of the host waits for it, ``wait_ratio`` of the step; ``slowest_ns``: its longest request;
    ``bottleneck``: index of the iterator that steps wait for, ``None`` if they wait for none or it is
    unknown.
    """

    host: str
    number: int
    iterators: tuple[int, ...]
    wait_ns: int
    wait_ratio: float
    slowest_ns: int
    batch_bytes: int | None
    bottleneck: int | None


class Input(Record, frozen=True):
    """The input pipelines of at most 16 of ``hosts_total`` hosts, those whose steps wait longest.

    ``pipelines``: by the waiting time of steps, longest first; ``critical_path``: names on the path of the
    first pipeline's slowest request, from the step upstream; ``bottleneck``: name of the iterator that the
    request waits for; ``sentence``: the same in words.
    """

    iterators: tuple[Iterator, ...]
    pipelines: tuple[Pipeline, ...]
    critical_path: tuple[str, ...]
    bottleneck: str | None
    sentence: str
    hosts_total: int


class Stage(Record, frozen=True):
    """The time of one stage of the analysis."""

    stage: str
    ns: int


class AllReduceSize(Record, frozen=True):
    """Calls of one bucket of sizes, per average step and GPU.

    ``up_to_bytes``: upper limit of the bucket, ``None`` for the largest; ``busbw_gbps``: measured bus
    bandwidth; ``achievable_gbps``: what this link reaches at such sizes.
    """

    up_to_bytes: int | None
    calls_per_step: float
    bytes_per_step: int
    transfer_ns: int
    busbw_gbps: float | None
    achievable_gbps: float | None
    achievable_source: str


class Collective(Record, frozen=True):
    """Calls of one kind, per average step and communicating GPU. ``ns``: time of all calls, hidden under
    compute or not; ``wait_ns``: the part before the last GPU arrives, ``None`` if that is not known."""

    kind: str
    calls_per_step: float
    ns: int
    wait_ns: int | None


class AllReduce(Record, frozen=True):
    """AllReduce per average step; ``None`` for what neither the profile nor the user says.

    Without recorded collectives, ``measured_ns`` and the other measured values are ``None``. ``kinds``: the
    kinds of calls that are counted, such as reduce_scatter and all_gather in place of all_reduce.
    ``guide_applies``: whether parameters × 4 bytes / bandwidth estimates these calls.
    ``parameters_basis``: how the number of parameters is known. ``bandwidth_gbps``: GB/s per GPU and
    direction. ``difference``: why measured and estimated times differ, in words. ``calls``: at most
    ``calls_cap`` of ``calls_total`` collective calls of any kind in judged steps, longest first.
    """

    participants: int
    hosts_count: int
    kinds: tuple[str, ...]
    guide_applies: bool
    calls_per_step: float
    bytes_per_step: int | None
    bytes_source: str
    parameters: int | None
    parameters_source: Literal["given", "recorded", "estimated", "unknown"]
    parameters_basis: str
    bandwidth_gbps: float | None
    bandwidth_source: str
    guide_ns: int | None
    ring_bound_ns: int | None
    achievable_ns: int | None
    achievable_source: str
    measured_ns: int | None
    transfer_ns: int | None
    wait_ns: int | None
    busbw_gbps: float | None
    exposed_ns: int | None
    hidden_ns: int | None
    difference: str
    devices: tuple[AllReduceDevice, ...]
    steps: tuple[AllReduceStep, ...]
    sizes: tuple[AllReduceSize, ...]
    calls: tuple[CollectiveCall, ...]
    calls_total: int
    calls_cap: int


class HostStep(Record, frozen=True):
    """One step of one host, averaged over its GPUs. ``wait_ns``: waiting in collectives; ``own_ns``: the rest
    of the step."""

    step: int
    own_ns: int
    wait_ns: int


class HostTimes(Record, frozen=True):
    """One host in an average judged step.

    ``late_ns``: median delay of its GPUs behind the first host at collectives that join hosts;
    ``clock_offset_ns``: add it to the host's times to get times of the first host; ``clock_uncertainty_ns``:
    uncertainty of that offset; ``clock_source``: "collectives" (their common end), "wall clock", "same host"
    or "unknown". ``slow``: in most steps later than the usual scatter between hosts. ``step_shift``: add it
    to the host's step numbers to get those of the first host.
    """

    host: str
    gpus_count: int
    steps_count: int
    step_ns: int
    own_ns: int
    compute_ns: int
    input_ns: int
    wait_ns: int
    late_ns: int | None
    clock_offset_ns: int | None
    clock_uncertainty_ns: int | None
    clock_source: Literal["collectives", "wall clock", "same host", "unknown"]
    slow: bool
    steps: tuple[HostStep, ...]
    step_shift: int = 0


class Fact(Record, frozen=True):
    """A recorded fact about the training, as label and value in words."""

    label: str
    value: str


class Training(Record, frozen=True):
    """All that the training recorded about itself (DiagnosticsCallback).

    ``file``: path of the record, relative to the log directory; ``host``: the host that wrote it;
    ``recorded``: the begin of the training, in UTC.
    """

    file: str
    host: str
    recorded: str
    facts: tuple[Fact, ...]


class Phases(Record, frozen=True):
    """The account ``compute`` of the average step by phase of training, told from the name scopes of ops.

    The ``ns`` of ``items`` (``forward``, ``loss``, ``backward``, ``optimizer``, ``other``) add up to the
    account ``compute`` exactly; their ``ratio`` is a share of compute. ``told_ratio``: share of compute whose
    names show the phase. If it is too small, ``items`` is ``None`` and ``reason`` says why.
    """

    items: tuple[Account, ...] | None
    told_ratio: float
    reason: str


class Op(Record, frozen=True):
    """One op on the GPUs, replicas together, per average step and GPU.

    ``ns``: time of its kernels, overlapping ones counted in full; ``ratio``: share of all kernel time.
    ``kernels``: number of different kernels or launch configurations. ``mean_ns``, ``min_ns``, ``max_ns``: of
    one kernel. The rest is ``None`` where nobody knows: ``flops`` (a multiply-add is two) and ``bytes`` that
    must cross memory once; ``floor_ns``: how long they take at the rates that good libraries reach, at most
    ``judged_ns``, which is ``ns`` but for kernels that transform tensors for a Winograd or FFT convolution;
    ``peak_ns``: at the data sheet's peaks. ``bound_by``: which of the two decides, "latency" if both
    take less than any kernel does, and its kernels take 10 µs or less. ``format``: number format of its
    products, "" without. ``not_judged``: why ``floor_ns`` is not known.
    """

    name: str
    type: str
    phase: str
    kernels: int
    count_per_step: float
    ns: int
    ratio: float
    mean_ns: int
    min_ns: int
    max_ns: int
    flops: int | None = None
    bytes: int | None = None
    floor_ns: int | None = None
    peak_ns: int | None = None
    bound_by: BoundBy = "not judged"
    judged_ns: int | None = None
    format: str = ""
    not_judged: str = ""


class OpType(Record, frozen=True):
    """All ops of one type in one phase, per average step and GPU; times as in ``Op``."""

    type: str
    phase: str
    ops: int
    count_per_step: float
    ns: int
    ratio: float
    mean_ns: int


class Kernel(Record, frozen=True):
    """One kernel as one op launches it with one configuration, per average step and GPU.

    ``kernel_class``: what it computes; ``precision``: "16 bit", "TF32", "32 bit", "64 bit" or "" if unknown;
    ``eligible``: whether it could run on Tensor Cores; ``grid``/``block``: "x,y,z", "" if not recorded;
    ``occupancy_ratio``: theoretical share of a multiprocessor's threads that the kernel occupies.
    ``flops`` to ``bound_by``: see ``Op``; known if no other kernel works for the op.
    """

    name: str
    op: str
    phase: str
    kernel_class: str
    precision: str
    tensor_cores: bool
    eligible: bool | None
    registers: int | None
    shared_bytes: int | None
    grid: str
    block: str
    occupancy_ratio: float | None
    count_per_step: float
    ns: int
    ratio: float
    mean_ns: int
    min_ns: int
    max_ns: int
    flops: int | None = None
    bytes: int | None = None
    floor_ns: int | None = None
    peak_ns: int | None = None
    bound_by: BoundBy = "not judged"
    judged_ns: int | None = None


class KernelName(Record, frozen=True):
    """All launches of the kernels of one name, per average step and GPU.

    ``ops``: how many ops launch it; ``op``: the one with most of its time; ``phases``: of all of them.
    ``configurations``: rows of ``Kernel`` that it sums. ``kernel_class`` to ``occupancy_ratio``: see
    ``Kernel``; "" or ``None`` where launches differ. ``flops`` to ``judged_ns``: see ``Op``; sums over the
    ops that are judged and launch no other kernel, so ``judged_ns`` may be a part of ``ns``. ``bound_by``:
    what binds most of that part.
    """

    name: str
    op: str
    ops: int
    configurations: int
    phases: tuple[str, ...]
    kernel_class: str
    precision: str
    tensor_cores: bool
    eligible: bool | None
    registers: int | None
    shared_bytes: int | None
    grid: str
    block: str
    occupancy_ratio: float | None
    count_per_step: float
    ns: int
    ratio: float
    mean_ns: int
    min_ns: int
    max_ns: int
    flops: int | None = None
    bytes: int | None = None
    floor_ns: int | None = None
    peak_ns: int | None = None
    bound_by: BoundBy = "not judged"
    judged_ns: int | None = None


class HostOp(Record, frozen=True):
    """One op on threads of a host, replicas together, per average step and host.

    ``self_ns``: ``ns`` without the ops that run inside it.
    """

    name: str
    type: str
    calls_per_step: float
    ns: int
    self_ns: int


class OpTable(Record, frozen=True):
    """The ``cap`` ops with the most time, of ``total``, and sums over all ops by type."""

    types: tuple[OpType, ...]
    rows: tuple[Op, ...]
    total: int
    cap: int


class KernelTable(Record, frozen=True):
    """The ``cap`` kernels with the most time, of ``total``; the same by name alone, of ``names_total``."""

    rows: tuple[Kernel, ...]
    total: int
    cap: int
    names: tuple[KernelName, ...] = ()
    names_total: int = 0


class PeakRate(Record, frozen=True):
    """A dense peak of the GPU, in operations a second, and the share of it that good libraries reach."""

    format: str
    flops_per_s: int
    reached_ratio: float


class Roofline(Record, frozen=True):
    """The limits by which ops are judged, of the GPU ``name``.

    ``rates``: by number format; ``bytes_per_s``: of its memory, of which ``bytes_reached_ratio`` is reached.
    ``source``: of the peaks; ``reached_source``: of the shares.
    """

    name: str
    rates: tuple[PeakRate, ...]
    bytes_per_s: int
    bytes_reached_ratio: float
    source: str
    reached_source: str


class HostOpTable(Record, frozen=True):
    """The ``cap`` ops of hosts with the most ``self_ns``, of ``total``."""

    rows: tuple[HostOp, ...]
    total: int
    cap: int


class MemoryPoints(Record, frozen=True):
    """Bytes in use at moments of the host's timeline, as two columns of equal length."""

    at_ms: tuple[float, ...]
    used_bytes: tuple[int, ...]


class GpuMemory(Record, frozen=True):
    """One GPU's allocator.

    ``peak_bytes``: most bytes in use since the program began; ``recorded_peak_bytes``: during the recording,
    at ``peak_ms``; ``lasting_bytes``: fewest bytes in use during the recording. At the recorded peak,
    ``before_bytes`` had been allocated before the recording, and ``alive`` are the largest holders of the
    rest, of ``alive_total``. ``matched``: how releases were matched with allocations: by the block's
    ``address``, by ``order`` among blocks of the same size, or not at all (``none``).
    ``fragmentation_ratio``: share of the free memory outside its largest block, ``free_block_bytes``.
    ``points``: the timeline; thinning keeps peaks and valleys.
    """

    host: str
    device: str
    capacity_bytes: int
    peak_bytes: int
    recorded_peak_bytes: int
    peak_ms: float
    lasting_bytes: int
    before_bytes: int
    fragmentation_ratio: float | None
    free_block_bytes: int | None
    alive: tuple[Allocation, ...]
    alive_total: int
    matched: Literal["address", "order", "none"]
    points: MemoryPoints


class Memory(Record, frozen=True):
    """Memory of at most 16 of the ``devices_total`` GPUs whose allocator was recorded, the fullest first.

    ``batch_growth``: factor by which the batch could grow on the fullest GPU, in proportion and with a tenth
    of the memory left free; ``None`` without a complete step or without memory that a step releases.
    """

    devices: tuple[GpuMemory, ...]
    devices_total: int
    batch_growth: float | None


class Tried(Record, frozen=True):
    """A trial threshold: this report was judged with ``value`` instead of ``default``.

    ``rule``: a rule's id, or ``severity`` for the shares of the step from which a finding has a severity.
    """

    rule: str
    threshold: str
    name: str
    value: float
    default: float
    unit: Unit


class Layers(Record, frozen=True):
    """The layers of the model, counted by the multiplying ops of the forward pass, replicas together.

    ``products``: type of op (Conv2D, MatMul …, fused or not) → number of ops. ``told_ratio``: share of the
    ops' time with known names of layers; compiled and eager ops have none.
    """

    products: dict[str, int]
    told_ratio: float


class Workload(Record, frozen=True):
    """The work of a step, which comparable runs must share. ``None``: not recorded.

    The training recorded ``parameters``, ``batch_size`` (examples in a training step over all replicas) and
    ``steps_per_call`` (training steps under one step marker). tf.data recorded ``pipeline_batch_size``
    (elements) and ``pipeline_batch_bytes`` of the batches that steps request.
    """

    layers: Layers | None = None
    parameters: int | None = None
    batch_size: int | None = None
    steps_per_call: int | None = None
    pipeline_batch_size: int | None = None
    pipeline_batch_bytes: int | None = None


class Reason(Record, frozen=True):
    """One reason for or against relying on the capture."""

    ok: bool
    text: str


class CaptureQuality(Record, frozen=True):
    """How far the report can be relied on.

    ``level``: ``strong`` (five whole steps or more, and no note on the capture), ``fair`` (three or four, or
    a note), ``thin`` (fewer) or ``none`` (no GPU events).
    """

    level: Literal["strong", "fair", "thin", "none"]
    reasons: tuple[Reason, ...]


class Omitted(Record, frozen=True):
    """What the report of a very large run leaves out. ``hosts``: the hosts concerned; ``sentence``: what is
    missing, why, and what helps."""

    what: Literal["timeline", "what_if"]
    hosts: tuple[str, ...]
    sentence: str


class Section(Record, frozen=True):
    """A section of the page that the run has.

    ``answer``: what it says, in one sentence; ``chip``: its one number, "" if there is none.
    """

    id: SectionId
    answer: str
    chip: str


class Report(Record, frozen=True):
    """The whole report. Every rule's id appears exactly once in the lists of findings and checks.
    ``stragglers``: the latest of several GPUs, at most 512; ``collectives``: longest first. ``settled``:
    nothing is left to fix: the capture is not in doubt, no finding is worth 5 % of a step, and no large part
    of it lacks an explanation."""

    schema_version: int
    tool_version: str
    run: str
    headline: str
    advice: str
    hosts: tuple[str, ...]
    devices: tuple[Device, ...]
    steps: Steps
    ledger: Ledger | None
    key_numbers: KeyNumbers
    trust: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    passed: tuple[Row, ...]
    not_applicable: tuple[Row, ...]
    missing_data: tuple[Row, ...]
    manual: tuple[Row, ...]
    errors: tuple[Row, ...]
    allreduce: AllReduce | None
    stagger: Stagger | None
    input: Input | None
    anomalies: tuple[Anomaly, ...]
    timing: tuple[Stage, ...] = ()
    by_host: tuple[HostTimes, ...] = ()
    training: tuple[Training, ...] = ()
    idle: tuple[IdleAccount, ...] = ()
    launches: tuple[LaunchLatency, ...] = ()
    phases: Phases | None = None
    ops: OpTable | None = None
    kernels: KernelTable | None = None
    host_ops: HostOpTable | None = None
    memory: Memory | None = None
    tried: tuple[Tried, ...] = ()
    workload: Workload = Workload()
    omitted: tuple[Omitted, ...] = ()
    gpus: Gpus = Gpus()
    roofline: Roofline | None = None
    capture_quality: CaptureQuality | None = None
    stragglers: tuple[Straggler, ...] = ()
    collectives: tuple[Collective, ...] = ()
    sections: tuple[Section, ...] = ()
    settled: bool = False
