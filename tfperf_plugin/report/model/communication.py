"""GPUs and hosts beside each other: when each starts, who is late, what collectives take."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.analysis.artifacts.communication.allreduce import AllReduceDevice, AllReduceStep
from tfperf_plugin.analysis.artifacts.communication.calls import CollectiveCall
from tfperf_plugin.records import Record


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
    compute or not; ``wait_ns``: the part before the last GPU arrives, ``None`` if that is not known;
    ``name``: what NCCL calls the kind."""

    kind: str
    calls_per_step: float
    ns: int
    wait_ns: int | None
    name: str


class Quantity(Record, frozen=True):
    """A number of the AllReduce card in words.

    ``term``: what it is; ``value``: with its unit, "not known" or "not recorded"; ``known``: how it is known,
    "" if nothing says so; ``note``: the same in few words. ``at``: whether the page shows it on the card,
    below it, or in the table only.
    """

    term: str
    value: str
    known: str
    note: str = ""
    at: Literal["card", "below", "table"] = "table"


class AllReduce(Record, frozen=True):
    """AllReduce per average step; ``None`` for what neither the profile nor the user says.

    Without recorded collectives, ``measured_ns`` and the other measured values are ``None``. ``kinds``: the
    kinds of calls that are counted, such as reduce_scatter and all_gather in place of all_reduce.
    ``guide_applies``: whether parameters × 4 bytes / bandwidth estimates these calls.
    ``parameters_basis``: how the number of parameters is known. ``bandwidth_gbps``: GB/s per GPU and
    direction. ``difference``: why measured and estimated times differ, in words; ``title``: which calls
    these are; ``numbers``: all numbers in words. ``calls``: at most ``calls_cap`` of ``calls_total``
    collective calls of any kind in judged steps, longest first.
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
    title: str = ""
    numbers: tuple[Quantity, ...] = ()


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
