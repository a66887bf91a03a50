"""What is not kept of a run this large, and why: said in the report, not left to be missed."""

from __future__ import annotations

from collections.abc import Sequence

from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.report.model import Omitted


def omitted_rows(
    hosts: Sequence[str], without_timeline: Sequence[str], without_replay: bool, events: int, most: int
) -> tuple[Omitted, ...]:
    """What a run of ``hosts`` with so many GPU ``events`` lacks where ``most`` are kept."""
    found = []
    has = f"the run has {_millions(events)} GPU events"
    if without_timeline:
        left = len(hosts) - len(without_timeline)
        found.append(
            Omitted(
                "timeline",
                tuple(without_timeline),
                f"Timelines are kept of {left} of {len(hosts)} hosts only, without "
                f"{listing(tuple(without_timeline))}: {has}, and timelines of the first {_millions(most)} "
                "are kept. Steps, accounts and findings are of all hosts.",
            )
        )
    if without_replay:
        found.append(
            Omitted(
                "what_if",
                tuple(hosts),
                f"What-if is not offered: {has}, and a replay needs all of them, at most {_millions(most)}. "
                "Capture fewer steps for it; the findings' own savings hold nevertheless.",
            )
        )
    return tuple(found)


def _millions(events: int) -> str:
    """A number of events, in words that do not round it up to a limit that it exceeds."""
    return f"{events:,}" if events < 1_000_000 or events % 100_000 else f"{events / 1e6:g} million"
