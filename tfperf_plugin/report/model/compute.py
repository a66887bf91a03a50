"""Key numbers, phases, and the limits by which ops are judged."""

from __future__ import annotations

from tfperf_plugin.records import Record
from tfperf_plugin.report.model.ledger import Account


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
