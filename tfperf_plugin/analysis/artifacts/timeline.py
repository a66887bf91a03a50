"""The longest stretches of the ledger's accounts, worst first: findings point to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.evidence import PLACES_COUNT, Place, Places
from tfperf_plugin.analysis.ledger import ACCOUNTS, HostLedger, Ledger
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.records import Record

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
        keep = np.flatnonzero(host.judged_pieces(device, *accounts))
        if not len(keep):
            continue
        begin, end = device.segments.begin_ns[keep], device.segments.end_ns[keep]
        step = device.segment_step[keep]
        fresh = np.concatenate([[True], (begin[1:] - end[:-1] > JOIN_NS) | (step[1:] != step[:-1])])
        first = np.flatnonzero(fresh)
        weight = np.add.reduceat(end - begin, first)
        last = np.append(first[1:], len(begin)) - 1
        heaviest = Groups(step[first]).at_max(weight)  # of each step
        chosen = heaviest[np.argsort(-weight[heaviest], kind="stable")[:PLACES_COUNT]]
        first, last, weight = first[chosen], last[chosen], weight[chosen]
        worst = host.steps.places("", begin[first], end[last], device.device, step[first], weight)
        found = found.merged_with(worst)
    return found
