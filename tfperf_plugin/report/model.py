"""The report: the one result that command line, REST routes and the tab render.

Units: ``_ns`` are integer nanoseconds, ``_bytes`` integer bytes, ``_ratio`` shares 0..1, ``_ms``
floating milliseconds on the timeline of one host (the unit of links into the trace viewer).
Text is plain text, never markup. ``None`` means "the profile does not say".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tfperf_plugin.engine.outcome import Finding, Row
from tfperf_plugin.steps import StepSource

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Device:
    """One visible GPU. ``busy_ratio``: share of the judged time in which anything ran on it."""

    host: str
    device: str
    name: str
    compute_capability: str | None
    busy_ratio: float
    participates: bool
    memory_bytes: int | None = None


@dataclass(frozen=True)
class Account:
    """Time of one ledger account in an average step; ``ratio`` is its share of the step."""

    id: str
    ns: int
    ratio: float


@dataclass(frozen=True)
class DeviceAccounts:
    """The ledger of one GPU: its accounts add up to ``step_ns`` exactly."""

    host: str
    device: str
    step_ns: int
    accounts: tuple[Account, ...]


@dataclass(frozen=True)
class Ledger:
    """Where an average step goes, averaged over judged steps and participating GPUs.

    The ``ns`` of ``accounts`` add up to ``step_ns`` exactly. ``compute`` splits the account
    ``compute`` by kernel class and adds up to it exactly. ``hidden_*_ns`` is communication and
    copying that ran under compute and therefore cost nothing.
    """

    step_ns: int
    accounts: tuple[Account, ...]
    compute: tuple[Account, ...]
    devices: tuple[DeviceAccounts, ...]
    hidden_communication_ns: int
    hidden_copy_ns: int


@dataclass(frozen=True)
class StepDevice:
    """Account sums of one GPU in one step: account id → ns."""

    device: str
    accounts: dict[str, int]


@dataclass(frozen=True)
class StepItem:
    """One step of one host. ``judged`` is false for partial and warm-up steps."""

    number: int
    host: str
    begin_ms: float
    end_ms: float
    judged: bool
    note: str
    devices: tuple[StepDevice, ...]


@dataclass(frozen=True)
class Steps:
    """The judged steps; ``items`` holds at most ``items_cap`` of ``items_total`` steps."""

    count: int
    source: StepSource
    mean_ns: int
    p50_ns: int
    p95_ns: int
    max_ns: int
    items: tuple[StepItem, ...]
    items_total: int
    items_cap: int


@dataclass(frozen=True)
class KeyNumbers:
    """The numbers that the guide tells to maximise; ``None`` where the profile does not say.

    ``ops_on_device_ratio`` is by time, ``ops_on_device_count_ratio`` by count.
    """

    device_time_ratio: float | None
    ops_on_device_ratio: float | None
    ops_on_device_count_ratio: float | None
    compute_16bit_ratio: float | None
    compute_tf32_ratio: float | None
    gpu_busy_ratio: float | None


@dataclass(frozen=True)
class StaggerItem:
    """One GPU in one step, relative to the first GPU of that step."""

    step: int
    host: str
    device: str
    first_launch_ns: int | None
    first_kernel_ns: int
    last_kernel_ns: int


@dataclass(frozen=True)
class Stagger:
    """How late each GPU starts the step. ``cost_ns``: idle time per step while a sibling runs."""

    order: Literal["fixed", "rotating", "none"]
    spread_ns: int
    cost_ns: int
    items: tuple[StaggerItem, ...]


@dataclass(frozen=True)
class Iterator:
    """One tf.data iterator. ``self_ns`` is its time without its children's."""

    name: str
    kind: str
    calls_count: int
    total_ns: int
    self_ns: int
    parallelism: int | None
    autotune: bool | None
    buffered_elements: int | None
    buffer_limit: int | None
    on_critical_path: bool


@dataclass(frozen=True)
class Input:
    """The input pipelines; ``bottleneck`` names the iterator of the slowest critical path."""

    iterators: tuple[Iterator, ...]
    critical_path: tuple[str, ...]
    bottleneck: str | None


@dataclass(frozen=True)
class Anomaly:
    """Something the reader skipped, clipped or guessed."""

    name: str
    count: int
    severity: Literal["info", "error", "data_loss"]
    sentence: str


@dataclass(frozen=True)
class Stage:
    """What one stage of the analysis took."""

    stage: str
    ns: int


@dataclass(frozen=True)
class AllReduceDevice:
    """Transfer and waiting of one GPU in an average step."""

    host: str
    device: str
    transfer_ns: int
    wait_ns: int


@dataclass(frozen=True)
class AllReduceStep:
    """Transfer and waiting of one step, averaged over GPUs."""

    step: int
    transfer_ns: int
    wait_ns: int


@dataclass(frozen=True)
class AllReduce:
    """Collective communication per step; ``None`` where the profile and the user do not say."""

    participants: int
    calls_per_step: float
    bytes_per_step: int | None
    bytes_source: str
    parameters: int | None
    parameters_source: Literal["given", "recorded", "estimated", "unknown"]
    bandwidth_gbps: float | None
    bandwidth_source: str
    guide_ns: int | None
    ring_bound_ns: int | None
    achievable_ns: int | None
    measured_ns: int
    transfer_ns: int
    wait_ns: int
    busbw_gbps: float | None
    exposed_ns: int
    hidden_ns: int
    devices: tuple[AllReduceDevice, ...]
    steps: tuple[AllReduceStep, ...]


@dataclass(frozen=True)
class Report:
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
    timing: tuple[Stage, ...] = field(default=())
