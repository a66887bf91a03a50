"""Sentences about what the report of a very large run leaves out, and why."""

from __future__ import annotations

from collections.abc import Sequence

from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.report.model import Omitted


def omitted_rows(
    hosts: Sequence[str], without_timeline: Sequence[str], events: int, most: int
) -> tuple[Omitted, ...]:
    """What the report of a run with ``events`` GPU events leaves out if at most ``most`` are kept."""
    if not without_timeline:
        return ()
    left = len(hosts) - len(without_timeline)
    sentence = (
        f"Timelines are kept of {left} of {len(hosts)} hosts only, without "
        f"{listing(tuple(without_timeline))}: the run has {_millions(events)} GPU events, and timelines of "
        f"the first {_millions(most)} are kept. Steps, accounts and findings are of all hosts."
    )
    return (Omitted(tuple(without_timeline), sentence),)


def _millions(events: int) -> str:
    """A number of events, never rounded to a limit that it exceeds."""
    return f"{events:,}" if events < 1_000_000 or events % 100_000 else f"{events / 1e6:g} million"
