"""Where time goes on the timeline: the places that findings point at, worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.artifacts.by_host import View, merged_all
from tfperf_plugin.engine.outcome import Place
from tfperf_plugin.ledger import ACCOUNTS, HostLedger, Ledger
from tfperf_plugin.records import Record
from tfperf_plugin.trace.intervals import Ints

PLACES_COUNT = 5
# Pieces of one account that lie closer together than this are one place to look at.
JOIN_NS = 200_000


_COPIES: Final = ("copy.d2d", "copy.d2h", "copy.h2d")
TOGETHER: Final = (
    *((account,) for account in ACCOUNTS),
    *combinations(_COPIES, 2),
    _COPIES,
    ("communication.wait", "idle.unknown"),
    ("idle.dispatch", "idle.launch"),
)
"""The accounts that rules ask for, alone or together, of which each host's part holds the places."""


class Places(Record, frozen=True):
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


class Timeline(Record, frozen=True):
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
    counts = [np.bincount(d.segments.owner, minlength=len(ACCOUNTS)) for d in view.ledger.devices]
    there = {ACCOUNTS[code] for code in np.flatnonzero(np.sum(counts, axis=0)).tolist()}
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
    found: list[tuple[int, Place]] = []
    for device in host.devices:
        if not accounts:
            continue
        keep = np.flatnonzero(host.judged_pieces(device, *accounts))
        if not len(keep):
            continue
        begin, end = device.segments.begin_ns[keep], device.segments.end_ns[keep]
        step = device.segment_step[keep]
        fresh = np.concatenate([[True], (begin[1:] - end[:-1] > JOIN_NS) | (step[1:] != step[:-1])])
        first = np.flatnonzero(fresh)
        weight = np.add.reduceat(end - begin, first)
        last = np.append(first[1:], len(begin)) - 1
        for i in _worst_of_steps(weight, step[first]):
            place = Place(
                host=host.host,
                begin_ms=int(begin[first[i]]) / 1e6,
                end_ms=int(end[last[i]]) / 1e6,
                label="",
                device=device.device,
                step=int(host.steps.number[step[first[i]]]),
            )
            found.append((int(weight[i]), place))
    return Places.of(found)


def _worst_of_steps(weight: Ints, step: Ints) -> list[int]:
    """The heaviest stretch of each of the steps (ascending) whose heaviest ones are the heaviest of all."""
    begins = np.flatnonzero(np.diff(step, prepend=-1))
    most = np.maximum.reduceat(weight, begins)
    steps = np.argsort(-most, kind="stable")[:PLACES_COUNT].tolist()
    ends = np.append(begins[1:], len(step))
    return [int(begins[k] + np.argmax(weight[begins[k] : ends[k]])) for k in steps]


def first_places(found: Iterable[tuple[int, Place]], count: int = PLACES_COUNT) -> tuple[Place, ...]:
    """The places with the largest weight, in a stable order."""
    return Places.of(found, count).all()


def _by_weight(found: tuple[int, Place]) -> tuple[int, str, float, str]:
    weight, place = found
    return -weight, place.host, place.begin_ms, place.device or ""
