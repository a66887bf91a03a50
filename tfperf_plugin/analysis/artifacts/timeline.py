"""The places on the timeline that findings point to, worst first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.ledger import ACCOUNTS, HostLedger, Ledger
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes

PLACES_COUNT = 5
# Pieces of one account that lie closer together than this form one place.
JOIN_NS = 200_000

_COPIES: Final = ("copy.d2d", "copy.d2h", "copy.h2d")
TOGETHER: Final = (
    *((account,) for account in ACCOUNTS),
    *combinations(_COPIES, 2),
    _COPIES,
    ("communication.wait", "idle.unknown"),
    ("idle.dispatch", "idle.launch"),
)
"""The accounts, alone or together, whose places each host's part holds, because rules point to them."""


class Places(Record, frozen=True):
    """The places with the largest weight so far, worst first, with that weight."""

    found: tuple[tuple[int, Place], ...] = ()

    @staticmethod
    def of(found: Iterable[tuple[int, Place]]) -> Places:
        """The worst of these places."""
        return Places(tuple(sorted(found, key=_by_weight)[:PLACES_COUNT]))

    @staticmethod
    def of_ranges(
        host: str, label: str, begin_ns: Ints, end_ns: Ints, step: Ints, device: str | None = None,
        weight: Ints | None = None,
    ) -> Places:  # fmt: skip
        """The worst of these ranges, each in a step, by ``weight`` or else by length."""
        weight = end_ns - begin_ns if weight is None else weight
        rows = np.argsort(-weight, kind="stable")[:PLACES_COUNT]
        columns = (column[rows].tolist() for column in (weight, begin_ns, end_ns, step))
        return Places.of(
            (ns, Place(host, begin / 1e6, end / 1e6, label, device, step=number))
            for ns, begin, end, number in zip(*columns, strict=True)
        )

    def merged_with(self, other: Places) -> Places:
        """The worst places of both."""
        return Places.of(self.found + other.found)

    def all(self, label: str | None = None) -> tuple[Place, ...]:
        """The places, under another label if one is given."""
        return tuple(place if label is None else replace(place, label=label) for _, place in self.found)


class Timeline(Record, frozen=True):
    """The longest stretches of accounts in the ledger's pieces of judged steps, by ``TOGETHER``."""

    stretches: Mapping[tuple[str, ...], Places]

    def worst(self, accounts: Sequence[str], label: str) -> tuple[Place, ...]:
        """The stretches with most time of these accounts, worst first, at most one per step and GPU."""
        return self.stretches[tuple(accounts)].all(label)


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
    """The timeline from the places of all hosts."""
    return Timeline(found)


def stretches(host: HostLedger, accounts: Sequence[str]) -> Places:
    """The stretches of one host with most time of these accounts, at most one per step and GPU."""
    found = Places()
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
        chosen = _worst_of_steps(weight, step[first])
        number = host.steps.number[step[first[chosen]]]
        first, last, weight = first[chosen], last[chosen], weight[chosen]
        found = found.merged_with(
            Places.of_ranges(host.host, "", begin[first], end[last], number, device.device, weight)
        )
    return found


def _worst_of_steps(weight: Ints, step: Codes) -> list[int]:
    """The heaviest stretch of each of the steps (ascending) whose heaviest ones are the heaviest of all."""
    begins = np.flatnonzero(np.diff(step, prepend=-1))
    most = np.maximum.reduceat(weight, begins)
    steps = np.argsort(-most, kind="stable")[:PLACES_COUNT].tolist()
    ends = np.append(begins[1:], len(step))
    return [int(begins[k] + np.argmax(weight[begins[k] : ends[k]])) for k in steps]


def _by_weight(found: tuple[int, Place]) -> tuple[int, str, float, str]:
    weight, place = found
    return -weight, place.host, place.begin_ms, place.device or ""
