"""What both decoders of events give: columns, and how often something was skipped or guessed."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.readers.anomalies import Anomalies, Severity
from tfperf_plugin.readers.xspace.wire import Ints

_SAID: Final[tuple[tuple[str, str, Severity], ...]] = (
    ("unknown-field", "Fields that this version does not know were passed over.", "info"),
    ("damaged-event", "Damaged events were left out.", "data_loss"),
    ("aggregated-event", "Totals over several events have no place in time and were left out.", "info"),
    ("negative-duration", "Events that end before they start were given no duration.", "error"),
    ("impossible-time", "Events at times that no clock shows were left out.", "data_loss"),
    ("damaged-stat", "Damaged stats were left out.", "data_loss"),
    ("unknown-stat", "Stats without a value or a known name were left out.", "info"),
)
"""The anomaly for each field of ``Counts``."""


class Counts(NamedTuple):
    """How often something was skipped or guessed; in the order of ``_decode.c``."""

    unknown_fields: int = 0
    damaged_events: int = 0
    aggregated: int = 0
    negative_durations: int = 0
    impossible_times: int = 0
    damaged_stats: int = 0
    #: Stats without a value, or with a name or text that the plane does not hold.
    unknown_stats: int = 0

    def add_to(self, anomalies: Anomalies) -> None:
        """Adds each as an anomaly."""
        for count, (name, sentence, severity) in zip(self, _SAID, strict=True):
            anomalies.add(name, sentence, count, severity)


class Columns(NamedTuple):
    """Events in the order of the file; times count from the begin of their line."""

    start_ns: Ints
    end_ns: Ints
    #: Code of the name, −1 if it is unknown.
    name: NDArray[np.int32]
    #: Whether the event is a span with a possible time.
    keep: NDArray[np.bool_]

    @classmethod
    def of(cls, count: int) -> Columns:
        """Columns of ``count`` events that are still to be filled."""
        start_ns, end_ns = np.empty(count, np.int64), np.empty(count, np.int64)
        return cls(start_ns, end_ns, np.empty(count, np.int32), np.empty(count, np.bool_))
