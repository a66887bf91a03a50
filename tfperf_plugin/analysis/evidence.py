"""The evidence of findings: numbers with units and sources, places in the trace, and gaps of a profile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from msgspec.structs import replace

from tfperf_plugin.records import Record

Confidence = Literal["high", "medium", "low"]


Unit = Literal["ns", "ratio", "count", "bytes", "GB/s", "per_step", "times", "text"]


class Evidence(Record, frozen=True):
    """One number (or word) with its unit, the threshold it is compared with, and its source."""

    label: str
    value: int | float | str
    unit: Unit
    threshold: int | float | None = None
    source: str = ""


class Place(Record, frozen=True):
    """A range of time to look at in the trace viewer, in milliseconds on the timeline of ``host``."""

    host: str
    begin_ms: float
    end_ms: float
    label: str
    device: str | None = None
    stream: str | None = None
    step: int | None = None


PLACES_COUNT: Final = 5


class Places(Record, frozen=True):
    """The places with the largest weight so far, worst first, with that weight."""

    found: tuple[tuple[int, Place], ...] = ()

    @staticmethod
    def of(found: Iterable[tuple[int, Place]]) -> Places:
        """The worst of these places."""

        def by_weight(one: tuple[int, Place]) -> tuple[int, str, float, str]:
            weight, place = one
            return -weight, place.host, place.begin_ms, place.device or ""

        return Places(tuple(sorted(found, key=by_weight)[:PLACES_COUNT]))

    def merged_with(self, other: Places) -> Places:
        """The worst places of ``self`` and ``other``."""
        return Places.of(self.found + other.found)

    def all(self, label: str | None = None) -> tuple[Place, ...]:
        """The places, under ``label`` if one is given."""
        return tuple(place if label is None else replace(place, label=label) for _, place in self.found)


class NotApplicable(Record, frozen=True):
    """Says that the question of a rule does not arise for this profile."""

    reason: str


class Missing(Record, frozen=True):
    """Says that the profile lacks data that the question of a rule needs."""

    reason: str
    how: str  #: How to record the data.
