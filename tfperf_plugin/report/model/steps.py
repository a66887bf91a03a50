"""The steps of a run, and where an average one goes: by account, and the numbers of its compute."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.steps import StepSource
from tfperf_plugin.records import Record

#: Products, convolutions and attention; memory-bound kernels; kernels too short to be either; others.
ComputeKind = Literal["matrix", "memory", "small", "other"]


class Account(Record, frozen=True):
    """The time of one ledger account in an average step."""

    id: str
    ns: int
    ratio: float  # of the step


class DeviceAccounts(Record, frozen=True):
    """The ledger of one GPU."""

    host: str
    device: str
    step_ns: int
    accounts: tuple[Account, ...]  # those with time; they add up to ``step_ns`` exactly


class ComputePart(Record, frozen=True):
    """What one kind of kernel takes of the account ``compute``, each nanosecond once."""

    kind: ComputeKind
    floor_ns: int  # what the work needs at the rates that good libraries reach
    recoverable_ns: int  # the rest of the time of judged kernels
    not_judged_ns: int  # kernels of unknown work


class ComputeCause(Record, frozen=True):
    """Recoverable time of the account ``compute`` with one cause."""

    rule: str  # id of the rule that says what to do, "" if the profile does not tell the cause
    title: str  # of the rule, or that the cause was not recorded
    ns: int


class Ledger(Record, frozen=True):
    """Where an average step goes, averaged over judged steps and participating GPUs."""

    step_ns: int
    accounts: tuple[Account, ...]  # they add up to ``step_ns`` exactly
    compute: tuple[Account, ...]  # the account ``compute`` by kernel class, exactly
    #: More than 16 GPUs are sorted by their step without waiting for others, longest first.
    devices: tuple[DeviceAccounts, ...]
    devices_total: int
    hidden_communication_ns: int  # communication beside compute, which costs nothing
    hidden_copy_ns: int  # copies beside compute
    #: The account ``compute`` by what the work needs, exactly; empty if no kernel's work is known.
    compute_parts: tuple[ComputePart, ...] = ()
    compute_floor_ns: int | None = None  # the sum of their floors
    compute_peak_ns: int | None = None  # the same at the data sheet's peaks
    compute_causes: tuple[ComputeCause, ...] = ()  # of the rest of the judged time, most first


class IdleAccount(Record, frozen=True):
    """One idle account of the average step, and why GPUs were idle."""

    account: str
    ns: int
    ratio: float
    longest_ns: int  # its longest stretch
    cause: str | None  # what the host did meanwhile; ``None`` if no recorded event covers 80 % of it
    covered_ns: int  # for how much of the account
    sentence: str  # the cause in words; "" below 1 % of the step


class KeyNumbers(Record, frozen=True):
    """The numbers that the GPU guide says to maximize; ``None`` if the profile does not say."""

    device_time_ratio: float | None
    ops_on_device_ratio: float | None  # by time
    ops_on_device_count_ratio: float | None
    compute_16bit_ratio: float | None
    compute_tf32_ratio: float | None
    #: Share of the step in which a GPU computes, transfers or copies; waiting in a collective is no work.
    gpu_busy_ratio: float | None
    compute_judged_ratio: float | None = None  # of ``compute``, whose operations and bytes are known
    #: Model FLOPs utilization: the floating-point operations of the model's matrix products and convolutions
    #: over what the GPU's dense peak allows in the step.
    mfu_ratio: float | None = None
    hfu_ratio: float | None = None  # hardware FLOPs utilization: with recomputed ones, if any are seen
    flops_per_s: int | None = None  # operations of products a second and GPU
    mfu_basis: str = ""  # the peak and its source, or why there is no MFU
    host_ops_per_step: float | None = None  # of the model, on an average host


class Phases(Record, frozen=True):
    """The account ``compute`` by phase of training, told from the name scopes of ops."""

    #: ``forward``, ``loss``, ``backward``, ``optimizer``, ``other``: they add up to the account exactly;
    #: ``None`` if too few names tell the phase.
    items: tuple[Account, ...] | None
    told_ratio: float  # of compute, whose names show the phase
    reason: str  # why there are no ``items``


class PeakRate(Record, frozen=True):
    """A dense peak of the GPU in one number format."""

    format: str
    flops_per_s: int
    reached_ratio: float  # of it that good libraries reach


class Roofline(Record, frozen=True):
    """The limits by which ops are judged."""

    name: str  # of the GPU
    rates: tuple[PeakRate, ...]
    bytes_per_s: int  # of its memory
    bytes_reached_ratio: float
    source: str  # of the peaks
    reached_source: str  # of the shares that are reached


class StepDevice(Record, frozen=True):
    """One GPU in one step."""

    device: str
    accounts: dict[str, int]  # id → ns


class StepItem(Record, frozen=True):
    """One step of one host."""

    number: int
    host: str
    begin_ms: float
    end_ms: float
    judged: bool  # false for partial, warm-up and rare long steps
    note: str
    devices: tuple[StepDevice, ...]


class StepColumn(Record, frozen=True):
    """One step, averaged over the GPUs of the hosts that judge it, or of all its hosts if none does."""

    id: str  # names the step in URLs; differs from ``number`` if that recurs
    number: int  # as the first host counts
    host: str  # the first one that recorded the step
    begin_ms: float
    end_ms: float
    step_ns: int
    accounts: dict[str, int]  # with time, id → ns, which add up to ``step_ns`` exactly; empty without GPUs
    gpus_count: int
    judged: bool  # on any host
    outlier: bool  # much longer than the other steps on any host
    note: str  # why it is left out or partial


class StepGroup(Record, frozen=True):
    """Steps that resemble each other, where not all do."""

    name: str  # what they have in common, "worker-3" or "long steps"
    count: int  # of steps, on the host with the most
    hosts: tuple[str, ...]  # those that recorded them
    p50_ns: int  # their median
    step_ns: int
    accounts: tuple[Account, ...]  # of their average, ``step_ns``; empty without GPUs


class Steps(Record, frozen=True):
    """The judged steps."""

    count: int
    source: StepSource
    mean_ns: int
    p50_ns: int
    p95_ns: int
    max_ns: int
    items: tuple[StepItem, ...]  # at most ``items_cap`` steps of single hosts
    items_total: int
    items_cap: int
    columns: tuple[StepColumn, ...] = ()  # at most 500 steps of the run, in time order
    columns_total: int = 0
    groups: tuple[StepGroup, ...] = ()  # where steps differ, so that no step is like the mean; else empty
    unit: str = "step"  # what one is, or "call of 16 training steps"; "" if it is no step of training
    rare: StepGroup | None = None  # the few steps that are far longer, which are not judged
