"""The parts that hosts contribute to an artifact, and how parts are merged.

A run may have more hosts than fit into memory. So an artifact is made in two halves: ``part`` sees one host
with all its events and returns something small; ``finish`` sees the merged parts of all hosts and no event.
Merging is associative, so hosts may be merged in any grouping that keeps their order.

If ``finish`` only divides sums by the number of steps, part and artifact are of one type: its fields that
``averaged`` divides are marked ``PerStep`` or ``Rate``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, reduce
from typing import Annotated, Any, Final, TypeVar, get_args

from msgspec import Struct
from msgspec.structs import fields, replace

from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.ledger import DeviceLedger, HostLedger
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.intervals import Intervals
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, DeviceTrace, HostTrace

T = TypeVar("T")
R = TypeVar("R", bound=Record)


First = Annotated[str, lambda one, other: one or other]
"""A text that merges to the first one that says anything."""
Largest = Annotated[int, max]
"""A number that merges to the largest, not to the sum."""
AVERAGED: Final = "averaged"
"""Marks what is summed over steps in a part, and of the average step in the artifact: see ``averaged``."""
PerStep = Annotated[int, AVERAGED]
Rate = Annotated[int | float, AVERAGED]
"""A number of events: whole in a part, not rounded in the artifact."""
PerStepByName = Annotated[dict[str, int], AVERAGED]


class RunFacts(Record, frozen=True):
    """Facts about the whole run that are known before any artifact is made."""

    step_ns: int  #: Mean length of a judged step.
    training: bool  #: Whether any op is named after a backward pass.
    #: Profiles of other hosts in folders beside the run, captured at the same time: "2026_11_20/*.xplane.pb".
    beside: tuple[str, ...] = ()
    folder: str = ""  #: Name of the run's folder.
    losses: tuple[str, ...] = ()  #: What the files lost, a sentence each.
    recorder: str = ""  #: What recorded the profile, as ``Source`` names it.


class GpuView(Record, frozen=True):
    """One GPU at work in steps: its events, its ledger, and the ledger of its host."""

    source: DeviceTrace
    ledger: DeviceLedger
    host: HostLedger

    @property
    def step(self) -> Codes:
        """For each event of the GPU the index of its step, −1 if none."""
        return self.host.steps.device_step[self.ledger.index]

    def judged_time(self, *accounts: str) -> Intervals:
        """The time of judged steps that the GPU spends on ``accounts``."""
        return self.host.judged_time(self.ledger, *accounts)

    def place(self, row: int) -> Place:
        """The place of one of the GPU's events in a step."""
        begin_ms, end_ms = int(self.source.start_ns[row]) / 1e6, int(self.source.end_ns[row]) / 1e6
        step = int(self.host.steps.number[self.step[row]])
        return Place(self.host.host, begin_ms, end_ms, "", self.source.device, step=step)


class View(Record, frozen=True):
    """One host: its events, its steps, its ledger if it has steps of a GPU, and facts about the run."""

    trace: HostTrace
    steps: HostSteps
    ledger: HostLedger | None
    run: RunFacts

    @property
    def gpus(self) -> tuple[GpuView, ...]:
        """The GPUs of its ledger; none without one."""
        host = self.ledger
        return tuple(GpuView(self.trace.devices[d.index], d, host) for d in host.devices) if host else ()


def merged(first: T, second: T) -> T:
    """Merges two parts: ``None`` gives way, flags hold if either does, numbers add up, tuples are joined,
    mappings and records are merged entry by entry.

    A field may be ``Annotated`` with its own merging function; a class may have a method ``merged_with``.
    Raises TypeError for other types.
    """
    result: T = _merged(first, second)
    return result


def _merged(one: Any, other: Any, how: Callable[[Any, Any], Any] | None = None) -> Any:
    if one is None or other is None:
        return other if one is None else one
    if how is not None:
        return how(one, other)
    if hasattr(one, "merged_with"):
        return one.merged_with(other)
    if isinstance(one, Struct):
        kind: Any = type(one)
        return kind(*(_merged(getattr(one, name), getattr(other, name), how) for name, how in _merges(kind)))
    if isinstance(one, dict):
        result = one.copy()
        for key, value in other.items():
            result[key] = _merged(result[key], value) if key in result else value
        return result
    if isinstance(one, bool | frozenset):
        return one | other
    if isinstance(one, int | float | tuple):
        return one + other
    raise TypeError(f"{type(one).__name__} cannot be merged")


@cache
def _merges(kind: type[Struct]) -> list[tuple[str, Callable[[Any, Any], Any] | None]]:
    """The fields of a record, and how each merges, if not as usual."""
    return [
        (field.name, next(filter(callable, getattr(field.type, "__metadata__", ())), None))
        for field in fields(kind)
    ]


def merged_all(parts: Iterable[T | None]) -> T | None:
    """Merges all parts, in their order; ``None`` if there are none."""
    return reduce(merged, parts, None)


def averaged(sums: R, count: int) -> R:
    """The record with its marked fields divided by the number of steps, or of steps times GPUs: also inside
    marked records and mappings. Whole numbers are rounded down."""
    means = {name: _mean(getattr(sums, name), max(1, count), exact) for name, exact in _averages(type(sums))}
    return replace(sums, **means)


def _mean(value: Any, count: int, exact: bool) -> Any:
    if isinstance(value, dict):
        return {key: _mean(one, count, exact) for key, one in value.items()}
    if isinstance(value, Record):
        return averaged(value, count)
    return value / count if exact else value // count


@cache
def _averages(kind: type[Struct]) -> list[tuple[str, bool]]:
    """The fields of a record that are averaged, and whether without rounding."""
    marked = [field for field in fields(kind) if AVERAGED in getattr(field.type, "__metadata__", ())]
    return [(field.name, float in get_args(get_args(field.type)[0])) for field in marked]


def longest_first(ns_by_name: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """(name, ns), longest first."""
    return tuple(sorted(ns_by_name.items(), key=lambda x: (-x[1], x[0])))


def mean_step_ns(hosts: Iterable[HostSteps]) -> int:
    """Mean length of a judged step of all hosts; 0 if there is none."""
    judged = [(int(h.judged.sum()), int((h.end_ns - h.begin_ns)[h.judged].sum())) for h in hosts]
    return sum(ns for _, ns in judged) // max(1, sum(count for count, _ in judged))
