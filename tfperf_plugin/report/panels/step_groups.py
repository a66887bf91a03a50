"""Groups of steps that resemble each other, where the mean is like none of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from tfperf_plugin.analysis.ledger import ACCOUNTS, HostLedger, Ledger, share_out
from tfperf_plugin.analysis.steps import APART_FACTOR
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.report.model import Account, StepGroup

# Steps, or hosts' median steps, that differ by this factor are not of one group.
FACTOR: Final = APART_FACTOR
RARE: Final = "rare long steps"
_USUAL, _SHORT, _LONG = "usual steps", "short steps", "long steps"


def step_groups(ledger: Ledger) -> tuple[StepGroup, ...]:
    """The groups: hosts whose median steps differ, else long steps apart from the others; else none.

    The shorter steps are the usual ones if they are the most.
    """
    hosts = [host for host in ledger.hosts if host.steps.judged.any()]
    medians = [int(np.median(_lengths(host)[host.steps.judged])) for host in hosts]
    split = _gap(sorted(medians))
    if split:
        fast, slow = (
            [h for h, ns in zip(hosts, medians, strict=True) if (ns < split) == is_fast]
            for is_fast in (True, False)
        )
        return tuple(_group(_named(part), [(h, h.steps.judged) for h in part]) for part in (fast, slow))
    every = np.sort(np.concatenate([_lengths(host)[host.steps.judged] for host in hosts]))
    split = _gap(every.tolist())
    if not split or np.percentile(every, 95, method="higher") < FACTOR * np.median(every):
        return ()
    usual, long = (
        [(h, h.steps.judged & ((_lengths(h) >= split) == is_long)) for h in hosts]
        for is_long in (False, True)
    )
    most = sum(int(steps.sum()) for _, steps in usual) > len(every) / 2
    return tuple(
        _group(name, [(h, steps) for h, steps in part if steps.any()])
        for name, part in ((_USUAL if most else _SHORT, usual), (_LONG, long))
    )


def rare_steps(ledger: Ledger) -> StepGroup | None:
    """The few steps that are far longer than the others, which all averages leave out."""
    members = [(host, host.steps.rare) for host in ledger.hosts if host.steps.rare.any()]
    return _group(RARE, members) if members else None


def _gap(ascending: list[int]) -> int:
    """The value above the widest gap between neighbors, by ratio; 0 if none is as wide as ``FACTOR``."""
    wide = [(high / max(1, low), high) for low, high in pairwise(ascending)]
    ratio, value = max(wide, default=(0.0, 0))
    return value if ratio >= FACTOR else 0


def _lengths(host: HostLedger) -> Ints:
    return host.steps.end_ns - host.steps.begin_ns


def _named(hosts: list[HostLedger]) -> str:
    return hosts[0].host if len(hosts) == 1 else f"{len(hosts)} hosts"


def _group(name: str, members: list[tuple[HostLedger, Bools]]) -> StepGroup:
    """The steps of these hosts that are marked."""
    lengths = np.concatenate([_lengths(host)[steps] for host, steps in members])
    sums, windows = np.zeros(len(ACCOUNTS), np.int64), 0
    for host, steps in members:
        for device in host.devices:
            sums += device.sums_ns[steps].sum(axis=0)
            windows += int(steps.sum())
    means = share_out(sums, max(1, windows))
    total = sum(means)
    return StepGroup(
        name=name,
        count=max(int(steps.sum()) for _, steps in members),
        hosts=tuple(host.host for host, _ in members),
        p50_ns=int(np.median(lengths)),
        step_ns=total,
        accounts=tuple(
            Account(a, ns, ns / max(1, total)) for a, ns in zip(ACCOUNTS, means, strict=True) if ns
        ),
    )
