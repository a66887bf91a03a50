"""Rare long steps: how often they come, which accounts are longer, and what the host does then."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.host.step_gaps import idle_between, named_in
from tfperf_plugin.analysis.evidence import Place, Places
from tfperf_plugin.analysis.host_activity import between_steps
from tfperf_plugin.analysis.ledger import ACCOUNTS, Ledger
from tfperf_plugin.records import Record

# Accounts whose time on a GPU other GPUs cause.
_OF_OTHERS: Final = ("communication.wait", "communication.transfer", "idle.stagger")


class Outliers(Record, frozen=True):
    """Rare long steps, on the host that has most of them."""

    #: Number of usual and rare steps.
    steps_count: int
    #: Number of rare steps.
    count: int
    #: Numbers of the rare steps.
    numbers: tuple[int, ...]
    #: Distance between rare steps, in steps; ``None`` if it varies.
    period: int | None
    #: Median length of the usual steps.
    median_ns: int
    #: Mean length of the rare steps.
    outlier_ns: int
    #: Account → time of the rare steps beyond the usual steps' median, spread over all steps, per GPU.
    excess: Mapping[str, int]
    #: (what the host did between the rare steps and their next ones, share of the idle time there), longest
    #: first.
    named: tuple[tuple[str, float], ...]
    where: tuple[Place, ...]
    #: Host that is longest by itself in rare steps, without waiting for other hosts; "" if none is.
    late_host: str = ""
    #: Account that is longer there.
    late_account: str = ""
    #: How much longer ``late_account`` is in a rare step.
    late_ns: int = 0


class Part(Record, frozen=True):
    """Rare steps of some hosts, summed."""

    #: Number of usual and rare steps × GPUs.
    windows: int
    #: Account → time of the rare steps beyond the usual steps' median.
    excess_ns: dict[str, int]
    #: What the hosts did in the idle time after rare steps → ns of it.
    names: dict[str, int]
    #: Idle time after rare steps.
    idle_ns: int
    where: Places
    #: Host → account → extra time of one rare step on the GPU with most of it.
    own_ns: dict[str, dict[str, int]]


def part(view: View) -> Part | None:
    """The rare steps of one host."""
    host = view.ledger
    if host is None:
        return None
    judged, longer = host.steps.judged, host.steps.rare
    windows = int((judged | longer).sum()) * len(host.devices)
    if not longer.any():
        return Part(windows, {}, {}, 0, Places(), {})
    excess, own = np.zeros(len(ACCOUNTS), np.int64), np.zeros(len(ACCOUNTS), np.int64)
    for device in host.devices:
        usual = np.median(device.sums_ns[judged], axis=0)
        # One account may be shorter in an outlier while another one is longer, so only sums count.
        mine = np.round(device.sums_ns[longer].sum(axis=0) - longer.sum() * usual).astype(np.int64)
        excess += mine
        own = np.maximum(own, mine // longer.sum())
    own[[ACCOUNTS.index(a) for a in _OF_OTHERS]] = 0
    steps = host.steps
    idle = idle_between(host, longer)
    names = named_in(view.trace.events, steps.marker_thread, between_steps(steps), idle)
    idle_ns = sum(gap.total_ns for gap in idle)
    begin, end, rare = steps.begin_ns[longer], steps.end_ns[longer], np.flatnonzero(longer)
    places = steps.places("a step much longer than the others", begin, end, step=rare)
    by_account, alone = (dict(zip(ACCOUNTS, sums.tolist(), strict=True)) for sums in (excess, own))
    return Part(windows, by_account, names, idle_ns, places, {host.host: alone})


def finish(found: Part, ledger: Ledger) -> Outliers:
    """The rare steps of the host that has most steps, and the cost of the rare steps of all hosts."""
    windows = max(1, found.windows)
    first = max(ledger.hosts, key=lambda h: (int(h.steps.rare.any()), int(h.steps.judged.sum())))
    length, judged, longer = first.steps.end_ns - first.steps.begin_ns, first.steps.judged, first.steps.rare
    chosen = np.flatnonzero(longer)
    named = sorted(
        ((n, ns / max(1, found.idle_ns)) for n, ns in found.names.items()),
        key=lambda item: (-item[1], item[0]),
    )
    own = [(ns, name, account) for name, sums in found.own_ns.items() for account, ns in sums.items()]
    late_ns, late_host, late_account = max(own, default=(0, "", ""))
    return Outliers(
        steps_count=int((judged | longer).sum()),
        count=len(chosen),
        numbers=tuple(first.numbers[chosen].tolist()),
        period=_period(chosen.tolist()),
        median_ns=int(np.median(length[judged])) if judged.any() else 0,
        outlier_ns=int(length[longer].mean()) if len(chosen) else 0,
        excess={a: found.excess_ns.get(a, 0) // windows for a in ACCOUNTS},
        named=tuple(named),
        where=found.where.all(),
        late_host=late_host,
        late_account=late_account,
        late_ns=late_ns,
    )


def _period(steps: list[int]) -> int | None:
    """The distance between steps if it is always the same; ``None`` for two steps or for consecutive ones."""
    apart = {after - before for before, after in pairwise(steps)}
    return apart.pop() if len(steps) > 2 and len(apart) == 1 and apart != {1} else None
