"""What one host contributes to an artifact, and how contributions of several hosts become one.

A run may have more hosts than fit into memory. So an artifact is made in two halves: ``part`` sees one host
with all its events and returns something small; ``finish`` sees the parts of all hosts, merged, and no event.
Merging is associative, so hosts may be merged in any grouping as long as their order stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import reduce
from types import MappingProxyType
from typing import Any, Final, TypeVar

from tfperf_plugin.ledger import HostLedger
from tfperf_plugin.records import dataclass
from tfperf_plugin.steps import HostSteps
from tfperf_plugin.trace.model import HostTrace

T = TypeVar("T")

LARGEST: Final[Mapping[str, Any]] = MappingProxyType({"merge": max})
"""Metadata of a field of which the largest counts, not the sum."""


@dataclass(frozen=True)
class RunFacts:
    """What is known of the whole run before any artifact is made.

    ``step_ns``: mean length of a judged step; ``training``: some op is named after a backward pass.
    """

    step_ns: int
    training: bool


@dataclass(frozen=True)
class View:
    """One host: its events, its steps, its ledger if it has steps of a GPU, and facts about the run."""

    trace: HostTrace
    steps: HostSteps
    ledger: HostLedger | None
    run: RunFacts


def merged(first: T, second: T) -> T:
    """Both as one: ``None`` gives way, flags hold if either does, numbers add up, rows follow each other,
    mappings and dataclasses are merged entry by entry.

    A field may say by metadata how it merges, a class by a method ``merged_with``.
    Raises TypeError for what has no such meaning.
    """
    result: T = _merged(first, second)
    return result


def _merged(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return other if one is None else one
    if hasattr(one, "merged_with"):
        return one.merged_with(other)
    if is_dataclass(one):
        values = (
            field.metadata.get("merge", _merged)(getattr(one, field.name), getattr(other, field.name))
            for field in fields(one)
        )
        kind: Any = type(one)
        return kind(*values)
    if isinstance(one, dict):
        result = one.copy()
        for key, value in other.items():
            result[key] = _merged(result[key], value) if key in result else value
        return result
    if isinstance(one, bool | frozenset):
        return one | other
    if isinstance(one, int | tuple):
        return one + other
    raise TypeError(f"{type(one).__name__} cannot be merged")


def merged_all(parts: Iterable[T | None]) -> T | None:
    """All parts, in this order; ``None`` if there are none."""
    return reduce(merged, parts, None)


def mean_step_ns(hosts: Iterable[HostSteps]) -> int:
    """Mean length of a judged step of all hosts; 0 if there is none."""
    judged = [(int(h.judged.sum()), int((h.end_ns - h.begin_ns)[h.judged].sum())) for h in hosts]
    return sum(ns for _, ns in judged) // max(1, sum(count for count, _ in judged))
