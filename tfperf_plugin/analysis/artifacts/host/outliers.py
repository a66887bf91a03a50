"""Rare long steps: how often they come, which accounts are longer, and what the host does then."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import PerStepByName, View, averaged, longest_first
from tfperf_plugin.analysis.artifacts.host.step_gaps import named_in
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.host_activity import between_steps
from tfperf_plugin.analysis.ledger import ACCOUNTS, Ledger
from tfperf_plugin.arrays.intervals import subtract, union
from tfperf_plugin.records import Record

# Accounts whose time on a GPU other GPUs cause.
_OF_OTHERS: Final = ("communication.wait", "communication.transfer", "idle.stagger")


class Outliers(Record, frozen=True):
    """Rare long steps: sums of some hosts in a part."""

    windows_count: int  #: Number of usual and rare steps × GPUs.
    #: Account → time of the rare steps beyond the usual steps' median; in the artifact spread over all steps.
    excess: PerStepByName
    ns_by_name: dict[str, int]  #: What the hosts did in the idle time after rare steps → ns of it.
    idle_ns: int  #: Idle time after rare steps.
    places: Places
    #: Host → account → extra time of one rare step on the GPU with most of it, without waiting for others.
    own_ns: dict[str, dict[str, int]]
    #: Number of usual and rare steps of the host that has most; in the artifact, as the next ones.
    steps_count: int = 0
    numbers: tuple[int, ...] = ()  #: Numbers of its rare steps.
    period: int | None = None  #: Distance between rare steps, in steps; ``None`` if it varies.
    median_ns: int = 0  #: Median length of the usual steps.
    outlier_ns: int = 0  #: Mean length of the rare steps.

    @property
    def count(self) -> int:
        """Number of rare steps."""
        return len(self.numbers)

    @property
    def named(self) -> tuple[tuple[str, float], ...]:
        """(what the hosts did after rare steps, share of the idle time there), longest first."""
        return tuple((name, ns / max(1, self.idle_ns)) for name, ns in longest_first(self.ns_by_name))

    @property
    def late(self) -> tuple[int, str, str]:
        """(ns, host, account) that is longest by itself in a rare step; ``(0, "", "")`` if none is."""
        own = [(ns, name, account) for name, sums in self.own_ns.items() for account, ns in sums.items()]
        return max(own, default=(0, "", ""))


def part(view: View) -> Outliers | None:
    """The rare steps of one host."""
    host = view.ledger
    if host is None:
        return None
    judged, longer = host.steps.judged, host.steps.rare
    windows = int((judged | longer).sum()) * len(host.devices)
    if not longer.any():
        return Outliers(windows, {}, {}, 0, Places(), {})
    excess, own = np.zeros(len(ACCOUNTS), np.int64), np.zeros(len(ACCOUNTS), np.int64)
    for device in host.devices:
        usual = np.median(device.sums_ns[judged], axis=0)
        # One account may be shorter in an outlier while another one is longer, so only sums count.
        mine = np.round(device.sums_ns[longer].sum(axis=0) - longer.sum() * usual).astype(np.int64)
        excess += mine
        own = np.maximum(own, mine // longer.sum())
    own[[ACCOUNTS.index(a) for a in _OF_OTHERS]] = 0
    steps = host.steps
    idle = [
        subtract(device.time("idle.between_steps"), union(steps.begin_ns[~longer], steps.end_ns[~longer]))
        for device in host.devices
    ]
    names = named_in(view.trace.events, steps.marker_thread, between_steps(steps), idle)
    idle_ns = sum(gap.total_ns for gap in idle)
    begin, end, rare = steps.begin_ns[longer], steps.end_ns[longer], np.flatnonzero(longer)
    places = steps.places("a step much longer than the others", begin, end, step=rare)
    by_account, alone = (dict(zip(ACCOUNTS, sums.tolist(), strict=True)) for sums in (excess, own))
    return Outliers(windows, by_account, names, idle_ns, places, {host.host: alone})


def finish(found: Outliers, ledger: Ledger) -> Outliers:
    """The rare steps of the host that has most steps, and the cost of the rare steps of all hosts."""
    first = max(ledger.hosts, key=lambda h: (int(h.steps.rare.any()), int(h.steps.judged.sum())))
    length, judged, longer = first.steps.end_ns - first.steps.begin_ns, first.steps.judged, first.steps.rare
    chosen = np.flatnonzero(longer)
    return replace(
        averaged(found, found.windows_count),
        steps_count=int((judged | longer).sum()),
        numbers=tuple(first.numbers[chosen].tolist()),
        period=_period(chosen.tolist()),
        median_ns=int(np.median(length[judged])) if judged.any() else 0,
        outlier_ns=int(length[longer].mean()) if len(chosen) else 0,
    )


def _period(steps: list[int]) -> int | None:
    """The distance between steps if it is always the same; ``None`` for two steps or for consecutive ones."""
    apart = {after - before for before, after in pairwise(steps)}
    return apart.pop() if len(steps) > 2 and len(apart) == 1 and apart != {1} else None
