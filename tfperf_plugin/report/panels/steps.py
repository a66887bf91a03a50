"""The steps of the report: their lengths, their accounts, and which are outliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.analysis.artifacts.timeline_rows import Lanes
from tfperf_plugin.analysis.ledger import ACCOUNTS, Ledger, share_out
from tfperf_plugin.analysis.steps import HostSteps, Steps
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.judging.engine.words import ms
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.step_groups import rare_steps, step_groups
from tfperf_plugin.report.panels.timeline_arrays import step_id

# Listed steps of single hosts; further steps are only counted.
STEPS_CAP = 200
# Listed steps averaged over hosts.
COLUMNS_CAP = 500


def step_report(lanes: Lanes, steps: Steps, ledger: Ledger | None, unit: str = "step") -> model.Steps:
    """The steps of a run, each one a ``unit``: their lengths, each of each host, and averages over hosts."""
    lengths = [h.end_ns[h.judged] - h.begin_ns[h.judged] for h in steps.hosts]
    every = np.sort(np.concatenate(lengths)) if lengths else np.empty(0, np.int64)
    items = sorted(
        (item for host in steps.hosts for item in _items(host, ledger)), key=lambda i: (i.begin_ms, i.host)
    )
    columns = _columns(lanes, ledger)
    return model.Steps(
        count=steps.judged_count,
        source=steps.source,
        mean_ns=int(every.sum()) // len(every) if len(every) else 0,
        p50_ns=_percentile(every, 50),
        p95_ns=_percentile(every, 95),
        max_ns=int(every[-1]) if len(every) else 0,
        items=tuple(items[:STEPS_CAP]),
        items_total=len(items),
        items_cap=STEPS_CAP,
        columns=tuple(columns[:COLUMNS_CAP]),
        columns_total=len(columns),
        columns_cap=COLUMNS_CAP,
        groups=step_groups(ledger) if ledger else (),
        rare=rare_steps(ledger) if ledger else None,
        unit=unit,
    )


# A recording that counts as one step from later on than this share of it says from when on.
LATE_RATIO: Final = 0.02


class _Host(NamedTuple):
    """The steps of a host. ``windows``: one a GPU, or one without GPUs; ``sums_ns``: the accounts of each
    step, of all GPUs together."""

    steps: HostSteps
    judged: Bools
    rare: Bools
    length_ns: Ints
    offset_ns: int
    gpus: int
    windows: int
    sums_ns: Ints


def _columns(lanes: Lanes, ledger: Ledger | None) -> list[model.StepColumn]:
    """Steps in time order, each averaged over the GPUs of hosts that judge it, else of all its hosts."""
    found: dict[tuple[int, int], list[tuple[_Host, int]]] = {}
    ledgers = {h.host: h for h in ledger.hosts} if ledger else {}
    for index, steps in enumerate(lanes.steps):
        mine = ledgers.get(steps.host)
        if ledger and not mine:
            continue
        devices = mine.devices if mine else ()
        sums = sum((d.sums_ns for d in devices), np.zeros((len(steps), len(ACCOUNTS)), np.int64))
        offset_ns, length_ns = (mine.clock.offset_ns or 0) if mine else 0, steps.end_ns - steps.begin_ns
        windows = max(1, len(devices))
        host = _Host(steps, steps.judged, steps.rare, length_ns, offset_ns, len(devices), windows, sums)
        keys = zip(lanes.shared[index].tolist(), lanes.nth[index].tolist(), strict=True)
        for at, key in enumerate(keys):
            found.setdefault(key, []).append((host, at))

    def begin_ns(key: tuple[int, int]) -> int:
        host, at = found[key][0]
        return int(host.steps.begin_ns[at]) + host.offset_ns

    return [_column(key, found[key]) for key in sorted(found, key=lambda key: (begin_ns(key), key))]


def _column(key: tuple[int, int], everywhere: Sequence[tuple[_Host, int]]) -> model.StepColumn:
    """A step, from the hosts that recorded it and which of their steps it is there."""
    judging = [(host, at) for host, at in everywhere if host.judged[at]]
    counted = judging or everywhere
    left_out = len(everywhere) - len(judging)
    gpus, windows = sum(host.gpus for host, _ in counted), sum(host.windows for host, _ in counted)
    means = share_out(sum(host.sums_ns[at] for host, at in counted), windows) if gpus else []
    first, at = everywhere[0]
    return model.StepColumn(
        id=step_id(*key),
        number=key[0],
        host=first.steps.host,
        begin_ms=int(first.steps.begin_ns[at]) / 1e6,
        end_ms=int(first.steps.end_ns[at]) / 1e6,
        step_ns=sum(host.windows * int(host.length_ns[at]) for host, at in counted) // windows,
        accounts={a: ns for a, ns in zip(ACCOUNTS, means, strict=False) if ns},
        gpus_count=gpus,
        judged=bool(judging),
        outlier=any(bool(host.rare[at]) for host, at in everywhere),
        note=f"left out on {left_out} of {len(everywhere)} hosts"
        if judging and left_out
        else next(filter(None, (_note(host.steps, at) for host, at in everywhere)), ""),
    )


def _percentile(ordered: Ints, percent: int) -> int:
    """Nearest-rank percentile, which is the length of a real step."""
    if not len(ordered):
        return 0
    return int(ordered[max(0, -(-len(ordered) * percent // 100) - 1)])


def _items(host: HostSteps, ledger: Ledger | None) -> list[model.StepItem]:
    mine = next((h for h in ledger.hosts if h.host == host.host), None) if ledger else None
    items = []
    for k in range(min(len(host), STEPS_CAP)):
        devices = tuple(
            model.StepDevice(
                d.device, {a: int(ns) for a, ns in zip(ACCOUNTS, d.sums_ns[k], strict=True) if ns}
            )
            for d in (mine.devices if mine else ())
        )
        items.append(
            model.StepItem(
                number=int(host.number[k]),
                host=host.host,
                begin_ms=int(host.begin_ns[k]) / 1e6,
                end_ms=int(host.end_ns[k]) / 1e6,
                judged=bool(host.judged[k]),
                note=_note(host, k),
                devices=devices,
            )
        )
    return items


def _note(host: HostSteps, k: int) -> str:
    if host.rare[k]:
        return "left out: far longer than most steps"
    if host.warm_up[k]:
        return "left out: it traces or compiles"
    if host.interrupted[k]:
        return "left out: other work follows before the next step"
    if host.source == "recording":
        begin, end = int(host.begin_ns[0]), int(host.end_ns[0])
        return "the whole recording" if begin < LATE_RATIO * end else f"the recording from {ms(begin)} on"
    if not host.complete[k]:
        missing = "end was not recorded" if k == len(host) - 1 else "begin was not recorded on the GPU"
        return f"partial: its {missing}" if host.judged[k] else f"left out: its {missing}"
    return ""
