"""Steps that the GPUs alone show: the stored steps line, or else the period of the kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tfperf_plugin.analysis.finding_steps.marks import PERIOD_RATIO, PERIOD_STEPS_COUNT, Marks
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.trace.model import DeviceTrace


def from_steps_line(devices: Sequence[DeviceTrace]) -> Marks | None:
    """The stored line "Steps" of the GPUs; steps of several GPUs with one name are one step."""
    spans: dict[str, tuple[int, int]] = {}
    for device in devices:
        for begin, end, name in device.step_line:
            old = spans.get(name, (begin, end))
            spans[name] = (min(begin, old[0]), max(end, old[1]))
    if not spans:
        return None
    items = sorted(spans.items(), key=lambda item: item[1])
    numbers = [int(name) if name.isdecimal() and len(name) < 18 else i for i, (name, _) in enumerate(items)]
    begins, ends = (np.array([span[k] for _, span in items], np.int64) for k in (0, 1))
    return Marks("steps_line", np.array(numbers, np.int64), begins, ends)


def from_period(devices: Sequence[DeviceTrace]) -> Marks | None:
    """The period of the kernels: a sequence that recurs on all GPUs at the same time.

    At the same time means that within each period the GPUs begin closer together than any two periods.
    """
    starts = [s for d in devices if d.participates and (s := _period_starts(d)) is not None]
    if not starts or len(starts) < sum(d.participates for d in devices):
        return None
    if len({len(s) for s in starts}) > 1:
        return None
    begin = np.min(np.stack(starts), axis=0)
    late = np.max(np.stack(starts), axis=0)
    if (late - begin).max() >= np.diff(begin).min():
        return None
    last = max(int(d.end_ns[d.is_kernel()].max()) for d in devices if d.participates)
    end = np.append(begin[1:], last)
    return Marks("period", np.arange(len(begin), dtype=np.int64), begin, end)


def _period_starts(device: DeviceTrace) -> Ints | None:
    """The begins of the recurring kernel sequence of a GPU; ``None`` if none recurs."""
    rows = np.flatnonzero(device.is_kernel())
    kinds = Groups(device.name[rows])
    names, counts = kinds.keys[:, 0], kinds.count
    time = kinds.sum(device.end_ns[rows] - device.start_ns[rows])
    for count in sorted(set(counts[counts >= PERIOD_STEPS_COUNT].tolist())):
        fitting = counts % count == 0
        if time[fitting].sum() < PERIOD_RATIO * time.sum():
            continue
        if len(rows) % count == 0 and (np.diff(device.name[rows].reshape(count, -1), axis=0) == 0).all():
            return np.asarray(device.start_ns[rows][:: len(rows) // count])
        anchors = np.flatnonzero(np.isin(device.name[rows], names[counts == count]))
        first = anchors[device.name[rows][anchors] == device.name[rows][anchors[0]]]
        pieces = [p.tobytes() for p in np.split(device.name[rows], first)[1:]]
        if Counter(pieces).most_common(1)[0][1] >= PERIOD_RATIO * len(pieces):
            return np.asarray(device.start_ns[rows][first])
    return None
