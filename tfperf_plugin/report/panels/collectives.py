"""The collectives that were recorded, by kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tfperf_plugin.analysis.artifacts.communication.calls import NAMED_KINDS, CollectiveCalls
from tfperf_plugin.analysis.collectives import NAMES
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.report import model
from tfperf_plugin.report.tables import Described, column, table


def collectives(ledger: Ledger, calls: CollectiveCalls) -> tuple[model.Collective, ...]:
    """Each kind of call in judged steps, longest first."""
    gpus, rows = calls.rows(ledger)
    steps = sum(int(ledger.common(gpus[gpu][0]).sum()) for gpu in unique(rows.gpu).tolist())
    if not steps:
        return ()
    kinds = rows.named_kind
    found = []
    for kind in unique(kinds).tolist():
        mine = rows.only(kinds == kind)
        waits = int(mine.wait_ns.sum()) // steps if mine.matched.all() else None
        time = int((mine.end_ns - mine.start_ns).sum()) // steps
        name = NAMED_KINDS[kind]
        found.append(model.Collective(name, len(mine.call) / steps, time, waits, collective_names([name])))
    return tuple(sorted(found, key=lambda c: (-c.ns, c.kind)))


def counted_ns(card: model.AllReduce | None, found: tuple[model.Collective, ...]) -> int:
    """The time of the collectives that the AllReduce card is about."""
    return sum(one.ns for one in found if card and one.kind in card.kinds)


def collective_names(kinds: Iterable[str]) -> str:
    """Kinds of collectives as one name: "ReduceScatter and AllGather"."""
    names = [NAMES[kind] for kind in kinds]
    return listing(names, len(names))


_COLUMNS: Final[tuple[Described[model.Collective], ...]] = (
    column("collective", "Collective", "name", lambda one: one.name),
    column("calls_per_step", "Calls per step", "count", lambda one: one.calls_per_step),
    column("ns", "Time per step", "ns", lambda one: one.ns),
    column("wait_ns", "Of it waiting", "ns", lambda one: one.wait_ns, none="not known"),
)


def collective_table(found: tuple[model.Collective, ...]) -> model.Table:
    """The time of each kind."""
    note = "Time of all calls, hidden under compute or not; “waiting”: before the last GPU arrives."
    return table("collectives", "Communication by kind", found, _COLUMNS, len(NAMES), note=note)
