"""What both decoders of events give: columns, names, and how often something was skipped or guessed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
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
_DIRECT_IDS = 1 << 16
"""Names with a smaller id are found by index; profilers number them from 1."""


class Counts(NamedTuple):
    """How often something was skipped or guessed; in the order of ``_decode.c``."""

    unknown_fields: int = 0
    damaged_events: int = 0
    aggregated: int = 0
    negative_durations: int = 0
    impossible_times: int = 0
    damaged_stats: int = 0
    unknown_stats: int = 0  #: Stats without a value, or with a name or text that the plane does not hold.

    def add_to(self, anomalies: Anomalies) -> None:
        """Adds each as an anomaly."""
        for count, (name, sentence, severity) in zip(self, _SAID, strict=True):
            anomalies.add(name, sentence, count, severity)


class Columns(NamedTuple):
    """Events in the order of the file; times count from the start of their line."""

    start_ns: Ints
    end_ns: Ints
    name: NDArray[np.int32]  #: Code of the name, −1 if it is unknown.
    keep: NDArray[np.bool_]  #: Whether the event is a span with a possible time.

    @classmethod
    def of(cls, count: int) -> Columns:
        """Columns of ``count`` events that are still to be filled."""
        start_ns, end_ns = np.empty(count, np.int64), np.empty(count, np.int64)
        return cls(start_ns, end_ns, np.empty(count, np.int32), np.empty(count, np.bool_))


class Names:
    """Distinct texts and the codes of the metadata ids that stand for them.

    ``by_id`` is the table of the file. Several ids may share a name; they share its code, its place in
    ``texts``. ``ids`` (int64, ascending) and ``codes`` (int32) are the same table as columns.
    """

    def __init__(self, by_id: Mapping[int, str]) -> None:
        codes: dict[str, int] = {}
        self.by_id = by_id
        self.ids: Ints = np.array(sorted(by_id), np.int64)
        self.codes: NDArray[np.int32] = np.array(
            [codes.setdefault(by_id[id], len(codes)) for id in sorted(by_id)], np.int32
        )
        self.texts = tuple(codes)

    @cached_property
    def direct(self) -> NDArray[np.int32]:
        """The code of each id from 0 on, -1 where it is not in the table; as far as ids are small."""
        small = (self.ids >= 0) & (self.ids < _DIRECT_IDS)
        direct = np.full(int(self.ids[small].max(initial=-1)) + 1, -1, np.int32)
        direct[self.ids[small]] = self.codes[small]
        return direct

    def codes_of(self, ids: Ints) -> NDArray[np.int32]:
        """The code of each id, -1 where it is not in the table."""
        if not self.ids.size:
            return np.full(ids.size, -1, np.int32)
        at = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
        codes: NDArray[np.int32] = np.where(self.ids[at] == ids, self.codes[at], np.int32(-1))
        return codes
