"""Steps that the GPUs alone show: the stored steps line, or else the period of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tfperf_plugin.analysis.finding_steps.marks import PERIOD_RATIO, PERIOD_STEPS_COUNT, Marks
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Ints, searchsorted
from tfperf_plugin.trace.model import Codes, DeviceTrace
from tfperf_plugin.trace.roles import Role

_OUTSIDE_RATIO: Final = 0.5
"""Kernels before and behind the recurring sequences, at most, as a share of all and of their time."""
_MOST_PIECES: Final = 256
"""The longest period that is tried, in sequences."""


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

    At the same time means that the GPUs' periods never interleave, and mostly begin closer together than two
    periods follow each other. A single late begin, as that of the first period, is an exception.
    """
    starts = [s for d in devices if d.participates and (s := _period_starts(d)) is not None]
    if not starts or len(starts) < sum(d.participates for d in devices):
        return None
    if len({len(s) for s in starts}) > 1:
        return None
    begin = np.min(np.stack(starts), axis=0)
    late = np.max(np.stack(starts), axis=0)
    together = late - begin < np.diff(begin).min()
    if together.mean() < PERIOD_RATIO or (late[:-1] >= begin[1:]).any():
        return None
    last = max(int(d.end_ns[d.is_kernel()].max()) for d in devices if d.participates)
    end = np.append(begin[1:], last)
    return Marks("period", np.arange(len(begin), dtype=np.int64), begin, end)


def _period_starts(device: DeviceTrace) -> Ints | None:
    """The begins of the recurring kernel sequence of a GPU; ``None`` if none recurs."""
    rows = np.flatnonzero(device.is_kernel())
    start_ns, copies_ns = device.start_ns[rows], device.start_ns[device.role == Role.H2D]
    first = recurring(device.name[rows], start_ns, device.end_ns[rows], copies_ns)
    return None if first is None else np.asarray(start_ns[first])


def recurring(name: Codes, start_ns: Ints, end_ns: Ints, copies_ns: Ints) -> Ints | None:
    """The rows with which a recurring sequence of events begins; ``None`` if none recurs.

    ``copies_ns``: when copies to the GPU start. The recording may begin or end inside a sequence, so that it
    holds up to one more of what comes several times in each.
    """
    length_ns = end_ns - start_ns
    kinds = Groups(name)
    names, counts = kinds.keys[:, 0], kinds.count
    time = kinds.sum(length_ns)
    for count in sorted(set(counts[counts >= PERIOD_STEPS_COUNT].tolist())):
        fitting = counts % count <= counts // count
        if time[fitting].sum() < PERIOD_RATIO * time.sum():
            continue
        if len(name) % count == 0 and (np.diff(name.reshape(count, -1), axis=0) == 0).all():
            return np.arange(0, len(name), len(name) // count)
        anchors = np.flatnonzero(np.isin(name, names[counts == count]))
        first = anchors[name[anchors] == name[anchors[0]]]
        if _mostly_outside(first, length_ns):
            continue
        begins = _whole_periods(name, first, start_ns, copies_ns)
        if len(begins) >= PERIOD_STEPS_COUNT:
            return begins
    return None


def _mostly_outside(first: Ints, length_ns: Ints) -> bool:
    """Whether more kernels, or longer ones, run before and behind sequences that begin with ``first``."""
    end = min(len(length_ns), int(first[-1] + np.diff(first).max()))
    inside = np.array([end - first[0], length_ns[first[0] : end].sum()])
    return bool((inside < (1 - _OUTSIDE_RATIO) * np.array([len(length_ns), length_ns.sum()])).any())


def _whole_periods(name: Codes, first: Ints, start_ns: Ints, copies_ns: Ints) -> Ints:
    """The rows among ``first`` at which a period begins; empty if none recurs.

    ``name``: of all kernels; ``first``: kernels of one name, each of which may begin a period; ``copies_ns``:
    when copies to the GPU start. A sequence that recurs inside a longer period is a layer of a model, not a
    step: every k-th one holds an update, a loss or an embedding, too. Where most sequences have a copy to the
    GPU of their own, which is their batch, they are steps nevertheless.
    """
    number = dict[bytes, int]()
    pieces = np.split(name, first)[1:]
    kind = np.array([number.setdefault(piece.tobytes(), len(number)) for piece in pieces])
    odd = kind != np.bincount(kind).argmax()
    sizes = np.arange(1, min(_MOST_PIECES, len(kind) // PERIOD_STEPS_COUNT) + 1)
    recurs = np.array([1 - odd.mean(), *((kind[k:] == kind[:-k]).mean() for k in sizes[1:].tolist())])
    fits = sizes[recurs >= PERIOD_RATIO]
    if not len(fits):
        return first[:0]
    size = int(fits[0])
    # Odd ones that come at any time differ from those that come ``k`` sequences later.
    longer = sizes[1:][recurs[1:] >= 1 - odd.mean() / 2]
    copies = np.diff(searchsorted(np.sort(copies_ns), start_ns[first]))
    batched = (copies > 0).mean() >= PERIOD_RATIO
    if odd.sum() >= PERIOD_STEPS_COUNT and len(longer) and not batched:
        size = int(longer[0])
    ends = np.flatnonzero(odd[:-1] & ~odd[1:]) + 1
    offset = int(np.bincount(ends % size).argmax()) if len(ends) else 0
    return first[offset::size]
