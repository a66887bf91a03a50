"""What the training wrote down about itself."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.report.model import Fact, Table, Training
from tfperf_plugin.report.panels.tables import Described, column, table

_Told = tuple[Fact, tuple[str, ...]]
"""A fact, and the hosts that recorded it."""

_COLUMNS: Final[tuple[Described[_Told], ...]] = (
    column("label", "What", "text", lambda of: of[0].label),
    column("value", "Value", "name", lambda of: of[0].value),
    column("hosts", "Recorded by", "name", lambda of: listing(of[1])),
)


def training_table(records: tuple[Training, ...]) -> Table:
    """Each fact once, with all hosts that recorded it."""
    told: dict[Fact, dict[str, None]] = {}
    for record in records:
        for fact in record.facts:
            told.setdefault(fact, {})[record.host] = None
    rows = [(fact, tuple(hosts)) for fact, hosts in told.items()]
    return table("training", "What the training wrote down", rows, _COLUMNS, 0)
