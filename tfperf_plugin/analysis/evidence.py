"""The evidence of findings: numbers with units and sources, places in the trace, and gaps of a profile."""

from __future__ import annotations

from typing import Literal

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
    """A range on the timeline of ``host``, in milliseconds, to look at in the trace viewer."""

    host: str
    begin_ms: float
    end_ms: float
    label: str
    device: str | None = None
    stream: str | None = None
    step: int | None = None


class NotApplicable(Record, frozen=True):
    """The question does not arise for this profile."""

    reason: str


class Missing(Record, frozen=True):
    """The profile lacks data that the question needs; ``how`` says how to record them."""

    reason: str
    how: str
