"""Where an average step goes, by account."""

from __future__ import annotations

from typing import Literal

from tfperf_plugin.records import Record

ComputeKind = Literal["matrix", "memory", "small", "other"]


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
