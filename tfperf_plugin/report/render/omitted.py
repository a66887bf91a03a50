"""Sentences about what a report leaves out, and why: of hosts that are broken, and of a very large run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfperf_plugin.judging.engine.words import listing
from tfperf_plugin.report.model import Omitted


def left_out(broken: Mapping[str, str], count: int) -> tuple[Omitted, ...]:
    """The ``broken`` hosts among ``count``, each with what is wrong with it."""
    if not broken:
        return ()
    hosts = tuple(broken)
    are = "is" if len(hosts) == 1 else "are"
    named = f" ({listing(hosts)})" if len(hosts) > 1 else ""
    sentence = f"{len(hosts)} of {count} hosts {are} left out of this report{named}. {broken[hosts[0]]}"
    return (Omitted("host", hosts, sentence),)


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
    return (Omitted("timeline", tuple(without_timeline), sentence),)


def _millions(events: int) -> str:
    """A number of events, never rounded to a limit that it exceeds."""
    return f"{events:,}" if events < 1_000_000 or events % 100_000 else f"{events / 1e6:g} million"
