"""The steps of the report: their lengths, their accounts, which are outliers, and groups of similar steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.analysis.artifacts.timeline_rows import Lanes
from tfperf_plugin.analysis.ledger import ACCOUNTS, HostLedger, Ledger, share_out
from tfperf_plugin.analysis.steps import APART_FACTOR, LATE_RATIO, HostSteps, Steps
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.report import model
from tfperf_plugin.report.timeline.arrays import step_id

# Listed steps of single hosts; further steps are only counted.
STEPS_CAP = 200
# Listed steps averaged over hosts.
COLUMNS_CAP = 500
# Steps, or hosts' median steps, that differ by this factor are not of one group.
FACTOR: Final = APART_FACTOR
RARE: Final = "rare long steps"
# Fewer steps are no groups: their shortest and longest are told.
_GROUPED_COUNT: Final = 4
_USUAL, _SHORT, _LONG = "usual steps", "short steps", "long steps"


def step_report(lanes: Lanes, steps: Steps, ledger: Ledger | None, unit: str = "step") -> model.Steps:
    """The steps of a run, each one a ``unit``: their lengths, each of each host, and averages over hosts."""
    every = np.sort(np.concatenate([np.empty(0, np.int64), *(h.length_ns[h.judged] for h in steps.hosts)]))
    hosts = {h.host: h for h in ledger.hosts} if ledger else {}
    items = [item for host in steps.hosts for item in _items(host, hosts.get(host.host))]
    items.sort(key=lambda item: (item.begin_ms, item.host))
    columns = _columns(lanes, hosts)
    return model.Steps(
        count=steps.judged_count,
        source=steps.source,
        mean_ns=int(every.sum()) // len(every) if len(every) else 0,
        p50_ns=int(np.median(every)) if len(every) else 0,
        p95_ns=_percentile(every, 95),
        max_ns=int(every[-1]) if len(every) else 0,
        items=tuple(items[:STEPS_CAP]),
        items_total=len(items),
        items_cap=STEPS_CAP,
        columns=tuple(columns[:COLUMNS_CAP]),
        columns_total=len(columns),
        groups=step_groups(ledger) if ledger else (),
        rare=rare_steps(ledger) if ledger else None,
        unit=unit,
    )


def usual_step(steps: model.Steps) -> model.StepColumn | None:
    """The judged step whose length is nearest to the median; any step if none is judged."""
    judged = [column for column in steps.columns if column.judged] or steps.columns
    return min(judged, key=lambda column: abs(column.step_ns - steps.p50_ns), default=None)


def _with_time(sums_ns: Iterable[int]) -> dict[str, int]:
    """Account → ns, of accounts with time."""
    return {account: int(ns) for account, ns in zip(ACCOUNTS, sums_ns, strict=True) if ns}


def _percentile(ordered: Ints, percent: int) -> int:
    """Nearest-rank percentile, which is the length of a real step."""
    if not len(ordered):
        return 0
    return int(ordered[max(0, -(-len(ordered) * percent // 100) - 1)])


def _items(host: HostSteps, ledger: HostLedger | None) -> list[model.StepItem]:
    devices = ledger.devices if ledger else ()
    return [
        model.StepItem(
            number=int(host.number[k]),
            host=host.host,
            begin_ms=int(host.begin_ns[k]) / 1e6,
            end_ms=int(host.end_ns[k]) / 1e6,
            judged=bool(host.judged[k]),
            note=_note(host, k),
            devices=tuple(model.StepDevice(d.device, _with_time(d.sums_ns[k])) for d in devices),
        )
        for k in range(min(len(host), STEPS_CAP))
    ]


def _note(host: HostSteps, k: int) -> str:
    if host.rare[k]:
        return "left out: far longer than most steps"
    if host.warm_up[k]:
        return "left out: it traces or compiles"
    if host.interrupted[k]:
        return "left out: other work follows before the next step"
    if host.source == "recording":
        begin, end = int(host.begin_ns[0]), int(host.end_ns[0])
        if host.lead_ns:
            return f"the recording without its first {ms(host.lead_ns)}"
        return "the whole recording" if begin < LATE_RATIO * end else f"the recording from {ms(begin)} on"
    if not host.complete[k]:
        last = "the time after it was not recorded" if len(host) == 1 else "its end was not recorded"
        missing = last if k == len(host) - 1 else "its start was not recorded on the GPU"
        return f"partial: {missing}" if host.judged[k] else f"left out: {missing}"
    return ""


# --------------------------------------------------------------------------- averages over hosts


class _Host(NamedTuple):
    """The steps of a host."""

    steps: HostSteps
    offset_ns: int  # added to the host's times, it gives times of the first host
    gpus: int
    sums_ns: Ints  # the accounts of each step, of all GPUs together

    @property
    def windows(self) -> int:
        """One a GPU, or one without GPUs."""
        return max(1, self.gpus)


def _columns(lanes: Lanes, ledgers: dict[str, HostLedger]) -> list[model.StepColumn]:
    """Steps in time order, each averaged over the GPUs of hosts that judge it, else of all its hosts."""
    found: dict[tuple[int, int], list[tuple[_Host, int]]] = {}
    for steps, shared, nth in zip(lanes.steps, lanes.shared, lanes.nth, strict=True):
        mine = ledgers.get(steps.host)
        if ledgers and not mine:
            continue
        devices = mine.devices if mine else ()
        sums_ns = sum((d.sums_ns for d in devices), np.zeros((len(steps), len(ACCOUNTS)), np.int64))
        host = _Host(steps, (mine.clock.offset_ns or 0) if mine else 0, len(devices), sums_ns)
        for at, key in enumerate(zip(shared.tolist(), nth.tolist(), strict=True)):
            found.setdefault(key, []).append((host, at))

    def begin_ns(key: tuple[int, int]) -> int:
        host, at = found[key][0]
        return int(host.steps.begin_ns[at]) + host.offset_ns

    return [_column(key, found[key]) for key in sorted(found, key=lambda key: (begin_ns(key), key))]


def _column(key: tuple[int, int], everywhere: Sequence[tuple[_Host, int]]) -> model.StepColumn:
    """A step, from the hosts that recorded it and which of their steps it is there."""
    judging = [(host, at) for host, at in everywhere if host.steps.judged[at]]
    counted = judging or everywhere
    left_out = len(everywhere) - len(judging)
    gpus, windows = sum(host.gpus for host, _ in counted), sum(host.windows for host, _ in counted)
    first, at = everywhere[0]
    return model.StepColumn(
        id=step_id(*key),
        number=key[0],
        host=first.steps.host,
        begin_ms=int(first.steps.begin_ns[at]) / 1e6,
        end_ms=int(first.steps.end_ns[at]) / 1e6,
        step_ns=sum(host.windows * int(host.steps.length_ns[at]) for host, at in counted) // windows,
        accounts=_with_time(share_out(sum(host.sums_ns[at] for host, at in counted), windows))
        if gpus
        else {},
        gpus_count=gpus,
        judged=bool(judging),
        outlier=any(bool(host.steps.rare[at]) for host, at in everywhere),
        note=f"left out on {left_out} of {len(everywhere)} hosts"
        if judging and left_out
        else next(filter(None, (_note(host.steps, at) for host, at in everywhere)), ""),
    )


# ------------------------------------------------------------------------------------- groups


def step_groups(ledger: Ledger) -> tuple[model.StepGroup, ...]:
    """Groups of steps that resemble each other, where the mean is like none of them.

    Hosts whose median steps differ, else long steps apart from the others; else none. The shorter steps are
    the usual ones if they are the most.
    """
    hosts = [host for host in ledger.hosts if host.steps.judged.any()]
    medians = [int(np.median(host.steps.length_ns[host.steps.judged])) for host in hosts]
    if split := _gap(sorted(medians)):
        fast = [(h, h.steps.judged) for h, ns in zip(hosts, medians, strict=True) if ns < split]
        slow = [(h, h.steps.judged) for h, ns in zip(hosts, medians, strict=True) if ns >= split]
        both = min(len(fast), len(slow)) > 1
        return tuple(
            _group(part[0][0].host if len(part) == 1 else f"{len(part)} {kind if both else ''}hosts", part)
            for kind, part in (("faster ", fast), ("slower ", slow))
        )
    every = np.sort(np.concatenate([host.steps.length_ns[host.steps.judged] for host in hosts]))
    split = _gap(every.tolist()) if len(every) >= _GROUPED_COUNT else 0
    if not split or np.percentile(every, 95, method="higher") < FACTOR * np.median(every):
        return ()
    usual = [(h, h.steps.judged & (h.steps.length_ns < split)) for h in hosts]
    long = [(h, h.steps.judged & (h.steps.length_ns >= split)) for h in hosts]
    most = sum(int(steps.sum()) for _, steps in usual) > len(every) / 2
    return _group(_USUAL if most else _SHORT, usual), _group(_LONG, long)


def rare_steps(ledger: Ledger) -> model.StepGroup | None:
    """The few steps that are far longer than the others, which all averages leave out."""
    members = [(host, host.steps.rare) for host in ledger.hosts]
    return _group(RARE, members) if any(rare.any() for _, rare in members) else None


def _gap(ascending: list[int]) -> int:
    """The value above the widest gap between neighbors, by ratio; 0 if none is as wide as ``FACTOR``."""
    wide = [(high / max(1, low), high) for low, high in pairwise(ascending)]
    ratio, value = max(wide, default=(0.0, 0))
    return value if ratio >= FACTOR else 0


def _group(name: str, members: list[tuple[HostLedger, Bools]]) -> model.StepGroup:
    """The steps of these hosts that are marked."""
    members = [(host, steps) for host, steps in members if steps.any()]
    sums, windows = np.zeros(len(ACCOUNTS), np.int64), 0
    for host, steps in members:
        for device in host.devices:
            sums += device.sums_ns[steps].sum(axis=0)
            windows += int(steps.sum())
    accounts = _with_time(share_out(sums, max(1, windows)))
    total = sum(accounts.values())
    return model.StepGroup(
        name=name,
        count=max(int(steps.sum()) for _, steps in members),
        hosts=tuple(host.host for host, _ in members),
        p50_ns=int(np.median(np.concatenate([host.steps.length_ns[steps] for host, steps in members]))),
        step_ns=total,
        accounts=tuple(model.Account(a, ns, ns / max(1, total)) for a, ns in accounts.items()),
    )
