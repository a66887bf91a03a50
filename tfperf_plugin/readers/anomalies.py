"""The ledger of everything the reader skipped, clipped or guessed: nothing is dropped silently."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from tfperf_plugin.arrays.threads import Lock
from tfperf_plugin.records import Record

Severity = Literal["info", "error", "data_loss"]
_RANK: dict[Severity, int] = {"info": 0, "error": 1, "data_loss": 2}


class Anomaly(Record, frozen=True):
    """Something the reader skipped, clipped or guessed."""

    name: str  # "impossible-time"
    count: int
    severity: Severity
    sentence: str


class Anomalies:
    """Collects anomalies by name. One object serves all stages that read one profile."""

    def __init__(self) -> None:
        self._rows: dict[str, Anomaly] = {}
        self._lock = Lock()  # planes are read by several threads

    def add(self, name: str, sentence: str, count: int = 1, severity: Severity = "info") -> None:
        """Adds ``count`` occurrences of ``name``; none are added when ``count`` is 0 or less.

        The first sentence given for a name is kept, and of several severities the worst.
        """
        if count <= 0:
            return
        with self._lock:
            row = self._rows.get(name, Anomaly(name, 0, severity, sentence))
            worst = max(row.severity, severity, key=_RANK.__getitem__)
            self._rows[name] = replace(row, count=row.count + count, severity=worst)

    def rows(self) -> tuple[Anomaly, ...]:
        """All anomalies, the worst severity first, then by name."""
        return tuple(sorted(self._rows.values(), key=lambda row: (-_RANK[row.severity], row.name)))
