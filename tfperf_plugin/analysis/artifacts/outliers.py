"""Steps that are much longer than the others: how often, in which accounts, and what the host did in them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.step_gaps import idle_between, named_in
from tfperf_plugin.analysis.artifacts.timeline import Places
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.host_activity import between_steps
from tfperf_plugin.analysis.ledger import ACCOUNTS, Ledger
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.intervals import Bools
from tfperf_plugin.arrays.medians import median
from tfperf_plugin.records import Record

# A step is an outlier if it is longer than the median by so many standard deviations, estimated from the
# median absolute deviation, and by this factor.
DEVIATIONS: Final = 3.0
FACTOR: Final = 1.5
MAD_TO_SIGMA: Final = 1.4826


class Outliers(Record, frozen=True):
    """``judged_count``: judged steps of the host that has most; ``count``: outliers there, with these
    ``numbers``; ``period``: they are every so many steps, ``None`` if not.

    ``median_ns``: of all steps; ``outlier_ns``: mean of the outliers; ``excess``: account → their time beyond
    the other steps' median, per average step and GPU; ``named``: (what the host did between the outliers and
    their next steps, share of the idle time there), longest first.
    """

    judged_count: int
    count: int
    numbers: tuple[int, ...]
    period: int | None
    median_ns: int
    outlier_ns: int
    excess: Mapping[str, int]
    named: tuple[tuple[str, float], ...]
    where: tuple[Place, ...]


class Part(Record, frozen=True):
    """Outliers of some hosts: their time beyond other steps by account, what the hosts did in the idle time
    after them, that idle time, and where they are."""

    excess_ns: dict[str, int]
    names: dict[str, int]
    idle_ns: int
    where: Places


def part(view: View) -> Part | None:
    """The outliers of one host."""
    host = view.ledger
    if host is None:
        return None
    judged, longer = host.steps.judged, longer_steps(host.steps)
    if not longer.any():
        return Part({}, {}, 0, Places())
    excess = np.zeros(len(ACCOUNTS), np.int64)
    for device in host.devices:
        usual = np.median(device.sums_ns[judged & ~longer], axis=0)
        # One account may be shorter in an outlier while another one is longer, so only sums count.
        excess += np.round(device.sums_ns[longer].sum(axis=0) - longer.sum() * usual).astype(np.int64)
    steps = host.steps
    idle = idle_between(host, longer)
    names = named_in(view.trace.events, steps.marker_thread, between_steps(steps), idle)
    idle_ns = sum(gap.total_ns for gap in idle)
    begin, end, number = (column[longer] for column in (steps.begin_ns, steps.end_ns, steps.number))
    places = Places.of_ranges(host.host, "a step much longer than the others", begin, end, number)
    return Part(dict(zip(ACCOUNTS, excess.tolist(), strict=True)), names, idle_ns, places)


def finish(found: Part, ledger: Ledger) -> Outliers:
    """The outliers of the host that has most judged steps, and what those of all hosts cost."""
    windows = max(1, ledger.windows)
    first = max(ledger.hosts, key=lambda h: int(h.steps.judged.sum()))
    length, judged = first.steps.end_ns - first.steps.begin_ns, first.steps.judged
    longer = longer_steps(first.steps)
    chosen = np.flatnonzero(longer)
    named = sorted(
        ((n, ns / max(1, found.idle_ns)) for n, ns in found.names.items()),
        key=lambda item: (-item[1], item[0]),
    )
    return Outliers(
        judged_count=int(judged.sum()),
        count=len(chosen),
        numbers=tuple(first.numbers[chosen].tolist()),
        period=_period(chosen.tolist()),
        median_ns=int(np.median(length[judged])) if judged.any() else 0,
        outlier_ns=int(length[longer].mean()) if len(chosen) else 0,
        excess={a: found.excess_ns.get(a, 0) // windows for a in ACCOUNTS},
        named=tuple(named),
        where=found.where.all(),
    )


def longer_steps(steps: HostSteps) -> Bools:
    """The judged steps of a host that are outliers."""
    judged = steps.judged
    length = steps.end_ns - steps.begin_ns
    if not judged.any():
        return judged
    usual = median(length[judged])
    sigma = MAD_TO_SIGMA * median(np.abs(length[judged] - usual))
    return np.asarray(judged & (length > usual + DEVIATIONS * sigma) & (length > FACTOR * usual))


def _period(steps: list[int]) -> int | None:
    """The distance between steps if it is always the same; ``None`` for two steps or for consecutive ones."""
    apart = {after - before for before, after in pairwise(steps)}
    return apart.pop() if len(steps) > 2 and len(apart) == 1 and apart != {1} else None
