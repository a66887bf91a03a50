"""The report: the one result that command line, REST routes and the tab render.

Units: ``_ns`` are integer nanoseconds, ``_bytes`` integer bytes, ``_ratio`` shares 0..1, ``_ms``
floating milliseconds on the timeline of one host (the unit of links into the trace viewer).
Text is plain text, never markup. ``None`` means "the profile does not say".
"""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.artifacts.allreduce import AllReduceDevice, AllReduceStep
from tfperf_plugin.analysis.artifacts.calls import CollectiveCall
from tfperf_plugin.analysis.artifacts.idle import LaunchLatency
from tfperf_plugin.analysis.artifacts.memory import Allocation
from tfperf_plugin.analysis.evidence import Unit
from tfperf_plugin.analysis.steps import StepSource
from tfperf_plugin.judging.verdicts import Finding, Row
from tfperf_plugin.readers.xspace.anomalies import Anomaly as Anomaly
from tfperf_plugin.records import Record

SCHEMA_VERSION = 5


class Device(Record, frozen=True):
    """One visible GPU. ``busy_ratio``: share of the judged time in which anything ran on it."""

    host: str
    device: str
    name: str
    compute_capability: str | None
    busy_ratio: float
    participates: bool
    memory_bytes: int | None = None


class GpuKind(Record, frozen=True):
    """How many visible GPUs have this name, "" if none was recorded."""

    name: str
    count: int


class GpuName(Record, frozen=True):
    """Which GPU of which host."""

    host: str
    device: str


class Gpus(Record, frozen=True):
    """The visible GPUs in short; ``devices`` of the report tells more of each.

    ``idle``: of ``idle_total`` on which no kernel ran at most ``idle_cap``.
    """

    total: int = 0
    kinds: tuple[GpuKind, ...] = ()
    idle: tuple[GpuName, ...] = ()
    idle_total: int = 0
    idle_cap: int = 0


class Account(Record, frozen=True):
    """Time of one ledger account in an average step; ``ratio`` is its share of the step."""

    id: str
    ns: int
    ratio: float


class DeviceAccounts(Record, frozen=True):
    """The ledger of one GPU: its accounts, those with time, add up to ``step_ns`` exactly."""

    host: str
    device: str
    step_ns: int
    accounts: tuple[Account, ...]


class Ledger(Record, frozen=True):
    """Where an average step goes, averaged over judged steps and participating GPUs.

    The ``ns`` of ``accounts`` add up to ``step_ns`` exactly. ``compute`` splits the account
    ``compute`` by kernel class and adds up to it exactly. ``devices``: a row for each of ``devices_total``
    GPUs; of more than 16 those first that do most themselves in a step, without waiting. ``hidden_*_ns`` is
    communication and copying that ran under compute and therefore cost nothing.
    """

    step_ns: int
    accounts: tuple[Account, ...]
    compute: tuple[Account, ...]
    devices: tuple[DeviceAccounts, ...]
    devices_total: int
    hidden_communication_ns: int
    hidden_copy_ns: int


class IdleAccount(Record, frozen=True):
    """Why GPUs were idle: one idle account of the average step; ``longest_ns``: its longest stretch.

    ``cause``: what the host did meanwhile, as far as it was recorded, during ``covered_ns`` of it; ``None``
    if nothing that was recorded covers 80 % of it. ``sentence`` says that; both only from 1 % of the step on.
    """

    account: str
    ns: int
    ratio: float
    longest_ns: int
    cause: str | None
    covered_ns: int
    sentence: str


class StepDevice(Record, frozen=True):
    """Account sums of one GPU in one step: account id → ns."""

    device: str
    accounts: dict[str, int]


class StepItem(Record, frozen=True):
    """One step of one host. ``judged`` is false for partial and warm-up steps."""

    number: int
    host: str
    begin_ms: float
    end_ms: float
    judged: bool
    note: str
    devices: tuple[StepDevice, ...]


class StepColumn(Record, frozen=True):
    """One step, averaged over the GPUs of the hosts that judge it, or of all that recorded it if none does.

    ``number``: as the first host counts; ``id`` names the step in addresses, and differs from the number
    where a number recurs. ``begin_ms``/``end_ms``: on the first ``host`` that recorded it. ``accounts`` (id →
    ns, those with time) add up to ``step_ns`` exactly; none without a GPU. ``judged``: on any of its hosts;
    ``outlier``: on one of them it is much longer than the others; ``note``: why it is left out or partial.
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


class Steps(Record, frozen=True):
    """The judged steps; ``items`` holds at most ``items_cap`` of ``items_total`` steps of single hosts,
    ``columns`` at most ``columns_cap`` of ``columns_total`` steps of the run, in time order."""

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


class KeyNumbers(Record, frozen=True):
    """The numbers that the guide tells to maximise; ``None`` where the profile does not say.

    ``ops_on_device_ratio`` is by time, ``ops_on_device_count_ratio`` by count.
    """

    device_time_ratio: float | None
    ops_on_device_ratio: float | None
    ops_on_device_count_ratio: float | None
    compute_16bit_ratio: float | None
    compute_tf32_ratio: float | None
    gpu_busy_ratio: float | None


class StaggerItem(Record, frozen=True):
    """One GPU in one step.

    ``_ns`` count from the first kernel of that step on any GPU, ``_ms`` on the host's timeline; ``idle_ns``:
    idle in this step while a sibling is in it; ``wait_ns``: waiting in collectives for a sibling that started
    later; ``thread``: the host thread that launched first for this GPU, "" if not recorded.
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
    """How late each GPU of ``host`` starts the step: of all hosts the one whose GPUs start furthest apart.

    ``cost_ns``: time per step that GPUs lose by it; ``launch_spread_ns``: median spread of first launches;
    ``devices``: the GPUs from the first to the last to start, by their median; ``one_thread``: whether one
    host thread launches first for all of them; ``private_threads``: each GPU has launch threads of its own.
    ``items``: of ``steps_total`` steps the ``steps_cap`` whose GPUs start furthest apart, in time order.
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


class Iterator(Record, frozen=True):
    """One tf.data iterator of one host; iterators are in the order of a printed tree.

    ``pipeline``: number of its pipeline on the host; ``depth``: distance from the root; ``parent``: index of
    the iterator that it feeds. ``written``: as in the user's program; ``stage``: what it does (reading on
    demand, reading ahead, preprocessing, Python, batching, transfer, passing on). ``self_ns``: its own work,
    on whatever thread; ``batch_ns``: that per batch, where ``at_once`` calls at the same time count once.
    ``wait_ratio``: the share of the time in which steps wait that it works in. ``slow_calls_count``: those
    above 50 µs. ``buffered_elements``: mean fill. ``filtered_ratio``: share of elements that a filter drops.
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

    ``iterators``: indices of its iterators and of those of the pipeline that feeds it; ``wait_ns``: waiting
    for it in an average step of the host, that is ``wait_ratio`` of the step; ``slowest_ns``: its longest
    request; ``bottleneck``: index of the iterator that steps wait for, ``None`` if they do not or the
    profile does not tell.
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
    """The input pipelines, the one that steps wait longest for first in ``pipelines``; of ``hosts_total``
    hosts those of the 16 whose steps wait longest.

    ``critical_path``: names on the path of that pipeline's slowest request, from the step upstream;
    ``bottleneck`` names the iterator that it waits for, ``sentence`` says it in words.
    """

    iterators: tuple[Iterator, ...]
    pipelines: tuple[Pipeline, ...]
    critical_path: tuple[str, ...]
    bottleneck: str | None
    sentence: str
    hosts_total: int


class Stage(Record, frozen=True):
    """What one stage of the analysis took."""

    stage: str
    ns: int


class AllReduceSize(Record, frozen=True):
    """Calls of one bucket of sizes, per average step and GPU.

    ``up_to_bytes``: upper end of the bucket, ``None`` for the largest; ``busbw_gbps`` and
    ``achievable_gbps``: bus bandwidth reached, and what this link reaches at such sizes.
    """

    up_to_bytes: int | None
    calls_per_step: float
    bytes_per_step: int
    transfer_ns: int
    busbw_gbps: float | None
    achievable_gbps: float | None
    achievable_source: str


class AllReduce(Record, frozen=True):
    """AllReduce per average step; ``None`` where the profile and the user do not say.

    Without recorded collectives ``measured_ns`` and what belongs to it are ``None``: only estimates stand.
    ``parameters_basis`` says how the number of parameters is known. ``bandwidth_gbps``: GB/s per GPU and
    direction. ``difference``: in plain words, why measured and estimate differ. ``calls``: at most
    ``calls_cap`` of ``calls_total`` collective calls of judged steps (of any kind), longest first.
    """

    participants: int
    hosts_count: int
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
    """One step of one host: ``own_ns`` is the step without waiting in collectives, ``wait_ns`` the waiting,
    both averaged over the host's GPUs."""

    step: int
    own_ns: int
    wait_ns: int


class HostTimes(Record, frozen=True):
    """One host in an average judged step.

    ``late_ns``: how much later than the first host its GPUs arrive at collectives that join hosts, median;
    ``clock_offset_ns``: added to its times it gives the first host's; ``clock_uncertainty_ns``: how well
    that is known; ``clock_source``: "collectives" (their common end), "wall clock", "same host" or "unknown".
    ``slow``: late in most steps by more than the usual scatter between hosts. ``step_shift``: added to its
    numbers of steps it gives the first host's.
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
    """Something that the training wrote down itself, in words: label and value."""

    label: str
    value: str


class Training(Record, frozen=True):
    """What the training recorded of itself (DiagnosticsCallback), all of it, ready to be shown.

    ``file``: its path relative to the log directory; ``host``: who wrote it; ``recorded``: when, in UTC.
    """

    file: str
    host: str
    recorded: str
    facts: tuple[Fact, ...]


class Phases(Record, frozen=True):
    """The account ``compute`` of the average step by phase of training, told from the name scopes of ops.

    The ``ns`` of ``items`` (``forward``, ``loss``, ``backward``, ``optimizer``, ``other``) add up to the
    account ``compute`` exactly; their ``ratio`` is a share of compute. ``told_ratio``: share of compute whose
    phase names tell. If that is too little, ``items`` is ``None`` and ``reason`` says why.
    """

    items: tuple[Account, ...] | None
    told_ratio: float
    reason: str


class Op(Record, frozen=True):
    """One op on the GPUs, replicas together, per average step and GPU.

    ``ns``: time of its kernels, each counted in full; ``ratio``: share of all kernel time. ``kernels``: how
    many different kernels or configurations it launches. ``mean_ns``, ``min_ns``, ``max_ns``: of one kernel.
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
    ``occupancy_ratio``: threads at work of those that a multiprocessor can hold, in theory.
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
    """The ``cap`` ops with the most time, of ``total``, and what all of them add up to by type."""

    types: tuple[OpType, ...]
    rows: tuple[Op, ...]
    total: int
    cap: int


class KernelTable(Record, frozen=True):
    """The ``cap`` kernels with the most time, of ``total``."""

    rows: tuple[Kernel, ...]
    total: int
    cap: int


class HostOpTable(Record, frozen=True):
    """The ``cap`` ops of hosts with the most time of their own, of ``total``."""

    rows: tuple[HostOp, ...]
    total: int
    cap: int


class MemoryPoints(Record, frozen=True):
    """Bytes in use at moments of the host's timeline: a column each, as there are hundreds."""

    at_ms: tuple[float, ...]
    used_bytes: tuple[int, ...]


class GpuMemory(Record, frozen=True):
    """One GPU's allocator.

    ``peak_bytes``: most in use since the program began; ``recorded_peak_bytes``: during the recording, at
    ``peak_ms``; ``lasting_bytes``: least in use during it. At the recorded peak: ``before_bytes`` were
    allocated before the recording; ``alive`` are the largest holders of the rest, ``alive_total`` in all,
    matched by the block's ``address``, by ``order`` of its size, or not at all (``none``);
    ``fragmentation_ratio``: share of the free memory outside its largest block, ``free_block_bytes``.
    ``points``: the timeline, thinned out but for peaks and valleys.
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
    """Memory of the GPUs whose allocator was recorded, the fullest first: of ``devices_total`` at most 16.

    ``batch_growth``: how many times as large a batch fits the fullest GPU, by proportion and leaving a tenth
    free; ``None`` where no complete step was recorded or nothing comes and goes.
    """

    devices: tuple[GpuMemory, ...]
    devices_total: int
    batch_growth: float | None


class Tried(Record, frozen=True):
    """A threshold that is tried out: this report was judged with ``value`` instead of ``default``.

    ``rule`` is a rule's id, or ``severity`` for the shares of the step from which a finding has a severity.
    """

    rule: str
    threshold: str
    name: str
    value: float
    default: float
    unit: Unit


class Layers(Record, frozen=True):
    """The layers of the model, by the ops that multiply: of the forward pass, replicas together.

    ``products``: type of op (Conv2D, MatMul …, fused or not) → how many of them. ``told_ratio``: share of the
    ops' time in which names of layers are known; what XLA compiled, and what runs eagerly, has none.
    """

    products: dict[str, int]
    told_ratio: float


class Workload(Record, frozen=True):
    """What is trained in a step: what two runs must share to be compared. ``None``: not recorded.

    ``parameters``, ``batch_size`` (examples of a training step over all replicas) and ``steps_per_call``
    (training steps in what is marked as one) are what the training recorded; ``pipeline_batch_size``
    (elements) and ``pipeline_batch_bytes`` are what tf.data says of the batches that steps ask for.
    """

    layers: Layers | None = None
    parameters: int | None = None
    batch_size: int | None = None
    steps_per_call: int | None = None
    pipeline_batch_size: int | None = None
    pipeline_batch_bytes: int | None = None


class Omitted(Record, frozen=True):
    """What is not kept of a run that is too large for it. ``hosts``: those that it is missing of;
    ``sentence``: what, why, and what can be done."""

    what: Literal["timeline", "what_if"]
    hosts: tuple[str, ...]
    sentence: str


class Report(Record, frozen=True):
    """Everything that is shown. Every rule's id appears exactly once in the rule lists."""

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
