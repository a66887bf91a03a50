"""GPUs and hosts beside each other: when each starts, who is late, what collectives take."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceDevice, AllReduceStep
from tfperf_plugin.analysis.artifacts.communication.calls import CollectiveCall
from tfperf_plugin.analysis.artifacts.communication.estimate import LinkChoice
from tfperf_plugin.records import Record


class StaggerItem(Record, frozen=True):
    """One GPU in one step. Kernels and launches count from the step's first kernel on any GPU."""

    step: int
    host: str
    device: str
    first_launch_ns: int | None
    first_kernel_ns: int
    begin_ms: float  # on the host's timeline
    end_ms: float
    idle_ns: int  # idle while another GPU is in this step
    wait_ns: int  # waiting in collectives for a GPU that started later
    thread: str  # the host thread of the first launch for this GPU, "" if not recorded


class Stagger(Record, frozen=True):
    """When each GPU starts a step, on the host whose GPUs start furthest apart."""

    host: str
    order: Literal["fixed", "rotating", "none"]
    spread_ns: int  # of first kernels, median
    launch_spread_ns: int | None  # of first launches, median
    cost_ns: int  # the time per step that GPUs lose
    devices: tuple[str, ...]  # by their median start, earliest first
    one_thread: bool | None  # whether one host thread makes the first launch for all GPUs
    private_threads: bool  # whether each GPU has its own launch threads
    items: tuple[StaggerItem, ...]  # of the 20 steps with the largest spread, in time order


class Straggler(Record, frozen=True):
    """How late one GPU is in a run with several."""

    host: str
    device: str
    #: Median delay of its first kernel behind the first GPU of its host or, if longer, its longest delay at
    #: a collective of a step behind the first GPU to arrive, median of steps.
    behind_ns: int
    #: Share of the time for which GPUs wait in collectives that they wait for this one; where no such wait is
    #: known, of steps in which it starts last.
    last_ratio: float
    cause: str  # a sentence, "" if it is not known
    caused_wait_ns: int | None = None  # mean wait of the other GPUs for this one, per step


class AllReduceSize(Record, frozen=True):
    """Calls of one bucket of sizes, per average step and GPU."""

    up_to_bytes: int | None  # upper limit of the bucket, ``None`` for the largest
    calls_per_step: float
    bytes_per_step: int
    transfer_ns: int
    busbw_gbps: float | None  # measured bus bandwidth
    achievable_gbps: float | None  # what this link reaches at such sizes
    achievable_source: str


class Collective(Record, frozen=True):
    """Calls of one kind, per average step and communicating GPU."""

    kind: str
    calls_per_step: float
    ns: int  # of all calls, hidden under compute or not
    wait_ns: int | None  # the part before the last GPU arrives, ``None`` if that is not known
    name: str  # what NCCL calls the kind


class Quantity(Record, frozen=True):
    """A number of the AllReduce card in words."""

    term: str  # what it is
    value: str  # with its unit, "not known" or "not recorded"
    known: str  # how it is known, "" if nothing says so
    note: str = ""  # the same in few words
    at: Literal["card", "below", "table"] = "table"  # where the page shows it: also on or below the card


class AllReduce(Record, frozen=True):
    """AllReduce per average step; ``None`` for what neither the profile nor the user says."""

    participants: int
    hosts_count: int
    kinds: tuple[str, ...]  # of calls that are counted, such as reduce_scatter in place of all_reduce
    guide_applies: bool  # whether parameters × 4 bytes / bandwidth estimates these calls
    calls_per_step: float
    bytes_per_step: int | None
    bytes_source: str
    parameters: int | None
    parameters_source: Literal["given", "recorded", "estimated", "unknown"]
    parameters_basis: str  # how the number of parameters is known
    bandwidth_gbps: float | None  # GB/s per GPU and direction
    bandwidth_source: str
    guide_ns: int | None
    ring_bound_ns: int | None
    achievable_ns: int | None
    achievable_source: str
    measured_ns: int | None  # this and all that is measured is ``None`` without recorded collectives
    transfer_ns: int | None
    wait_ns: int | None
    busbw_gbps: float | None
    exposed_ns: int | None
    hidden_ns: int | None
    difference: str  # why measured and estimated times differ, in words
    devices: tuple[AllReduceDevice, ...]
    steps: tuple[AllReduceStep, ...]
    sizes: tuple[AllReduceSize, ...]
    calls: tuple[CollectiveCall, ...]  # of any kind in judged steps, the 100 longest, longest first
    calls_total: int
    title: str = ""  # which calls these are
    links: tuple[LinkChoice, ...] = ()  # what the bandwidth may be, if it is not known
    numbers: tuple[Quantity, ...] = ()


class HostStep(Record, frozen=True):
    """One step of one host, averaged over its GPUs."""

    step: int
    own_ns: int  # the step without ``wait_ns``
    wait_ns: int  # waiting in collectives


class HostTimes(Record, frozen=True):
    """One host in an average judged step."""

    host: str
    gpus_count: int
    steps_count: int
    step_ns: int
    own_ns: int
    compute_ns: int
    input_ns: int
    wait_ns: int
    late_ns: int | None  # median delay of its GPUs behind the first host at collectives that join hosts
    clock_offset_ns: int | None  # added to the host's times, it gives times of the first host
    clock_uncertainty_ns: int | None  # of that offset
    clock_source: Literal["collectives", "wall clock", "same host", "unknown"]
    slow: bool  # in most steps later than the usual scatter between hosts
    steps: tuple[HostStep, ...]
    step_shift: int = 0  # added to the host's step numbers, it gives the first host's numbers
