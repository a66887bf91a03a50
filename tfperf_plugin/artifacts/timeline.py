"""Where time goes on the timeline: the places that findings point at, worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from tfperf_plugin.artifacts.by_host import View, merged_all
from tfperf_plugin.engine.outcome import Place
from tfperf_plugin.ledger import ACCOUNTS, HostLedger, Ledger

PLACES_COUNT = 5
# Pieces of one account that lie closer together than this are one place to look at.
JOIN_NS = 200_000


_COPIES: Final = ("copy.d2d", "copy.d2h", "copy.h2d")
TOGETHER: Final = (
    *((account,) for account in ACCOUNTS),
    *combinations(_COPIES, 2),
    _COPIES,
    ("communication.wait", "idle.unknown"),
)
"""The accounts that rules ask for, alone or together, of which each host's part holds the places."""


@dataclass(frozen=True)
class Places:
    """The places with the largest weight so far, worst first, with that weight."""

    found: tuple[tuple[int, Place], ...] = ()

    @staticmethod
    def of(found: Iterable[tuple[int, Place]], count: int = 5) -> Places:
        """The first ``count`` of them."""
        return Places(tuple(sorted(found, key=_by_weight)[:count]))

    def merged_with(self, other: Places) -> Places:
        """The worst of both."""
        return Places.of(self.found + other.found)

    def all(self, label: str | None = None) -> tuple[Place, ...]:
        """The places, under another label if one is given."""
        return tuple(place if label is None else replace(place, label=label) for _, place in self.found)


@dataclass(frozen=True)
class Timeline:
    """Finds the longest stretches of accounts in the ledger's pieces of judged steps."""

    stretches: Callable[[tuple[str, ...]], Places]

    def worst(self, accounts: Sequence[str], label: str, count: int = PLACES_COUNT) -> tuple[Place, ...]:
        """The stretches with most time of these accounts, worst first, at most one per step and GPU."""
        return self.stretches(tuple(accounts)).all(label)[:count]


def timeline_of(ledger: Ledger) -> Timeline:
    """The timeline of a run whose pieces are all in memory."""
    return Timeline(lambda accounts: merged_all(stretches(h, accounts) for h in ledger.hosts) or Places())


def part(view: View) -> dict[tuple[str, ...], Places]:
    """The stretches of all accounts on one host."""
    if view.ledger is None:
        return {}
    codes = np.unique(np.concatenate([d.segments.owner for d in view.ledger.devices])).tolist()
    there = {ACCOUNTS[code] for code in codes}
    found: dict[tuple[str, ...], Places] = {(): Places()}
    for accounts in TOGETHER:
        present = tuple(a for a in accounts if a in there)
        if present not in found:
            found[present] = stretches(view.ledger, present)
        found[accounts] = found[present]
    return found


def finish(found: Mapping[tuple[str, ...], Places], _: Ledger) -> Timeline:
    """The timeline of hosts whose pieces are gone."""
    return Timeline(found.__getitem__)


def stretches(host: HostLedger, accounts: Sequence[str]) -> Places:
    """The stretches of one host with most time of these accounts, at most one per step and GPU."""
    wanted = np.array([ACCOUNTS.index(a) for a in accounts])
    found: list[tuple[int, Place]] = []
    for device in host.devices:
        keep = np.isin(device.segments.owner, wanted) & host.steps.judged[device.segment_step]
        begin, end = device.segments.begin_ns[keep], device.segments.end_ns[keep]
        step = device.segment_step[keep]
        if not len(begin):
            continue
        fresh = np.concatenate([[True], (begin[1:] - end[:-1] > JOIN_NS) | (step[1:] != step[:-1])])
        first = np.flatnonzero(fresh)
        weight = np.add.reduceat(end - begin, first)
        last = np.append(first[1:], len(begin)) - 1
        seen: set[int] = set()
        for i in np.argsort(-weight, kind="stable").tolist():
            s = int(step[first[i]])
            if s in seen:
                continue
            seen.add(s)
            place = Place(
                host=host.host,
                begin_ms=int(begin[first[i]]) / 1e6,
                end_ms=int(end[last[i]]) / 1e6,
                label="",
                device=device.device,
                step=int(host.steps.number[s]),
            )
            found.append((int(weight[i]), place))
            if len(seen) >= PLACES_COUNT:
                break
    return Places.of(found)


def first_places(found: Iterable[tuple[int, Place]], count: int = PLACES_COUNT) -> tuple[Place, ...]:
    """The places with the largest weight, in a stable order."""
    return Places.of(found, count).all()


def _by_weight(found: tuple[int, Place]) -> tuple[int, str, float, str]:
    weight, place = found
    return -weight, place.host, place.begin_ms, place.device or ""
