"""Broken times of GPUs: kernels without a duration are left out, and GPUs on another clock are moved.

Work that begins before the call that launched it, or goes on after a call that waited for it, shows that the
clocks differ. Then durations hold, and so does the order of one GPU's work, but not what host and GPU do at
the same time.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.arrays.intervals import Bools, searchsorted
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.trace.model import Aspect, DeviceTrace, HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole

CLOCKS_DIFFER_NS: Final = 1_000_000
"""The clocks of a host and its GPUs are aligned to some µs."""
EARLIER_RATIO: Final = 0.01
"""From this share of a GPU's work on, what begins before its launch is no single damaged time."""
OUTLASTED_RATIO: Final = 0.5
"""From this share of the waits on, what goes on after a wait for it is none."""
WAITS_COUNT: Final = 3
WITHOUT_DURATION: Final = "Kernels without a possible duration were left out."
MOVED: Final = "The clocks of host and GPU differ: times of GPUs were moved so that work follows its launch."
_WAITS_FOR_ALL: Final = re.compile(r"^(cuda|hip)DeviceSynchronize|^cuCtxSynchronize")


def mended(host: HostTrace, anomalies: Anomalies) -> HostTrace:
    """The trace with possible times of GPUs only, on the host's clock as far as they tell."""
    return _on_one_clock(_with_durations(host, anomalies), anomalies)


def _with_durations(host: HostTrace, anomalies: Anomalies) -> HostTrace:
    """The trace without kernels that last no time, unless its times are whole µs: then they are short."""
    if all(not (device.start_ns % 1000).any() for device in host.devices):
        return host
    broken = [device.is_kernel() & (device.end_ns <= device.start_ns) for device in host.devices]
    count = sum(int(rows.sum()) for rows in broken)
    anomalies.add("kernel-without-duration", WITHOUT_DURATION, count, "data_loss")
    if not count:
        return host
    return replace(host, devices=tuple(_rows(d, ~rows) for d, rows in zip(host.devices, broken, strict=True)))


def _rows(device: DeviceTrace, rows: Bools) -> DeviceTrace:
    """The GPU with only these of its events."""
    columns = {name: getattr(device, name) for name in device.__struct_fields__}
    return replace(device, **{n: c[rows] for n, c in columns.items() if isinstance(c, np.ndarray)})


def _on_one_clock(host: HostTrace, anomalies: Anomalies) -> HostTrace:
    """The trace with the times of each GPU on the host's clock, as far as they tell.

    ``lacks`` says whether any was moved. GPUs that are all on another clock are moved alike.
    """
    at_work, waits = [d for d in host.devices if len(d.start_ns)], _waits_for_one_gpu(host)
    moves = [_early_ns(host.events, d) or -_late_ns(host.events, d, waits) for d in at_work]
    if not any(moves):
        return host
    if all(ns > 0 for ns in moves) or all(ns < 0 for ns in moves):
        moves = [max(moves, key=abs)] * len(moves)
    moved_count = sum(len(device.start_ns) for device, ns in zip(at_work, moves, strict=True) if ns)
    anomalies.add("clocks-differ", MOVED, moved_count)
    by_ordinal = {device.ordinal: ns for device, ns in zip(at_work, moves, strict=True)}
    lacks: set[Aspect] = {"clocks", "clocks of GPUs"} if len(set(moves)) > 1 else {"clocks"}
    devices = tuple(_moved(device, by_ordinal.get(device.ordinal, 0)) for device in host.devices)
    return replace(host, devices=devices, lacks=host.lacks | lacks)


def _moved(device: DeviceTrace, by_ns: int) -> DeviceTrace:
    line = tuple((begin + by_ns, end + by_ns, name) for begin, end, name in device.step_line)
    times = {"start_ns": device.start_ns + by_ns, "end_ns": device.end_ns + by_ns}
    return replace(device, **times, step_line=line, moved_ns=by_ns) if by_ns else device


def _early_ns(events: HostEvents, device: DeviceTrace) -> int:
    """How far all but a few of a GPU's events begin before their launch at most; 0 if clocks agree."""
    rows = np.flatnonzero(device.launch >= 0)
    ahead = np.sort(events.start_ns[device.launch[rows]] - device.start_ns[rows])[::-1]
    few = int(EARLIER_RATIO * len(ahead))
    return int(ahead[few]) if len(ahead) and ahead[few] > CLOCKS_DIFFER_NS else 0


def _late_ns(events: HostEvents, device: DeviceTrace, waits_for_all: Bools) -> int:
    """How far a GPU's work goes on after calls that wait for it, in the median; 0 if clocks agree.

    ``waits_for_all``: calls that wait for all work of their thread's GPU, from ``_waits_for_one_gpu``.
    """
    rows = np.flatnonzero(device.launch >= 0)
    rows = rows[np.argsort(device.launch[rows], kind="stable")]
    launch = device.launch[rows]
    waits = waits_for_all.copy()
    waits[launch[events.role[launch] == HostRole.SYNC]] = True
    wait = np.flatnonzero(waits)
    last = searchsorted(launch, wait, "right") - 1
    wait, last = wait[last >= 0], last[last >= 0]
    same = events.thread[launch[last]] == events.thread[wait]
    after = device.end_ns[rows[last[same]]] - events.end_ns[wait[same]]
    late = after > CLOCKS_DIFFER_NS
    return int(np.median(after)) if len(after) >= WAITS_COUNT and late.mean() > OUTLASTED_RATIO else 0


def _waits_for_one_gpu(host: HostTrace) -> Bools:
    """For each event whether it waits for all work of a GPU, on a thread that launches for one GPU only."""
    events = host.events
    threads = [unique(events.thread[d.launch[d.launch >= 0]]) for d in host.devices]
    every, count = np.unique(np.concatenate([np.empty(0, np.int64), *threads]), return_counts=True)
    alone = np.isin(events.thread, every[count == 1])
    return np.asarray(alone & (events.role == HostRole.SYNC) & events.named(_WAITS_FOR_ALL.search))
