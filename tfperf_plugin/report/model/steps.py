"""The steps of a run."""

from __future__ import annotations

from tfperf_plugin.analysis.steps import StepSource
from tfperf_plugin.records import Record
from tfperf_plugin.report.model.ledger import Account


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
