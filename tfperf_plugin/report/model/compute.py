"""Kernels and ops, and the limits by which they are judged."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.records import Record
from tfperf_plugin.report.model.ledger import Account

BoundBy = Literal["compute", "memory", "latency", "not judged"]


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


class _Launched(Record, frozen=True, kw_only=True):
    """Of a kernel, or of all kernels of one name: see ``Kernel``, and ``Op`` from ``count_per_step`` on."""

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


class Kernel(_Launched, frozen=True):
    """One kernel as one op launches it with one configuration, per average step and GPU.

    ``kernel_class``: what it computes; ``precision``: "16 bit", "TF32", "32 bit", "64 bit" or "" if unknown;
    ``eligible``: whether it could run on Tensor Cores; ``grid``/``block``: "x,y,z", "" if not recorded;
    ``occupancy_ratio``: theoretical share of a multiprocessor's threads that the kernel occupies.
    ``flops`` to ``bound_by``: see ``Op``; known if no other kernel works for the op.
    """

    name: str
    op: str
    phase: str


class KernelName(_Launched, frozen=True):
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
