"""The steps of a run."""

from __future__ import annotations

from tfperf_plugin.analysis.steps import StepSource
from tfperf_plugin.records import Record
from tfperf_plugin.report.model.ledger import Account


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
