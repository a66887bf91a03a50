"""The steps of the report: their lengths, their accounts, and which are outliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfperf_plugin.analysis.artifacts.timeline_rows import Lanes
from tfperf_plugin.analysis.ledger import ACCOUNTS, Ledger, share_out
from tfperf_plugin.analysis.steps import HostSteps, Steps
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.report import model
from tfperf_plugin.report.panels.step_groups import rare_steps, step_groups
from tfperf_plugin.report.panels.timeline import step_id

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


@dataclass
class _Column:
    """Sums over the windows of one step: one window a GPU, or one a host without GPUs."""

    host: int
    at: int
    begin_ns: int
    shared: int
    nth: int
    sums_ns: Ints
    length_ns: int = 0
    windows: int = 0
    gpus: int = 0
    hosts: int = 0
    judged: int = 0
    outlier: bool = False
    note: str = ""


def _columns(lanes: Lanes, ledger: Ledger | None) -> list[model.StepColumn]:
    """Steps in time order, each averaged over the GPUs of hosts that judge it, else of all its hosts."""
    found: dict[tuple[int, int], _Column] = {}
    empty = np.zeros(len(ACCOUNTS), np.int64)
    by_host = {h.host: h for h in ledger.hosts} if ledger else {}
    for index, steps in enumerate(lanes.steps):
        mine = by_host.get(steps.host)
        if ledger and not mine:
            continue
        gpus = len(mine.devices) if mine else 0
        length = (steps.end_ns - steps.begin_ns) * max(1, gpus)
        sums = (
            sum((d.sums_ns for d in mine.devices), np.zeros((len(steps), len(ACCOUNTS)), np.int64))
            if mine
            else None
        )
        judged, longer = steps.judged, steps.rare
        offset = (mine.clock.offset_ns or 0) if mine else 0
        for k, key in enumerate(zip(lanes.shared[index].tolist(), lanes.nth[index].tolist(), strict=True)):
            column = found.get(key)
            if column is None:
                begin = int(steps.begin_ns[k]) + offset
                column = found[key] = _Column(index, k, begin, *key, empty.copy())
            column.hosts += 1
            column.judged += bool(judged[k])
            column.note = column.note or _note(steps, k)
            if judged[k] and column.judged == 1:  # drops the sums of hosts that left it out
                column.sums_ns, column.length_ns, column.windows, column.gpus = empty.copy(), 0, 0, 0
            elif column.judged and not judged[k]:
                continue
            if sums is not None:
                column.sums_ns += sums[k]
            column.length_ns += int(length[k])
            column.windows += max(1, gpus)
            column.gpus += gpus
            column.outlier |= bool(longer[k])
    ordered = sorted(found.values(), key=lambda c: (c.begin_ns, c.shared, c.nth))
    return [_column(c, lanes) for c in ordered]


def _column(column: _Column, lanes: Lanes) -> model.StepColumn:
    steps = lanes.steps[column.host]
    left_out = column.hosts - column.judged
    means = share_out(column.sums_ns, column.windows) if column.gpus else []
    return model.StepColumn(
        id=step_id(column.shared, column.nth),
        number=column.shared,
        host=steps.host,
        begin_ms=int(steps.begin_ns[column.at]) / 1e6,
        end_ms=int(steps.end_ns[column.at]) / 1e6,
        step_ns=column.length_ns // column.windows,
        accounts={a: ns for a, ns in zip(ACCOUNTS, means, strict=False) if ns},
        gpus_count=column.gpus,
        judged=column.judged > 0,
        outlier=column.outlier,
        note=f"left out on {left_out} of {column.hosts} hosts"
        if 0 < left_out < column.hosts
        else column.note,
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
    if not host.complete[k]:
        missing = "end was not recorded" if k == len(host) - 1 else "begin was not recorded on the GPU"
        return f"partial: its {missing}" if host.judged[k] else f"left out: its {missing}"
    return ""
