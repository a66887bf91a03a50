"""Which NVTX range marks the steps: it comes once a step, around what the step launches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Bools, Ints, contains, union
from tfperf_plugin.readers.nsight.ranges import Meaning, may_mark_steps, numbered

LEAST_COUNT: Final = 3
"""A range that comes less often does not show that it repeats."""
COVERED_RATIO: Final = 0.5
"""From its first to its last, a marker covers at least this share of the time, and of the launches."""
SAME_RATIO: Final = 0.9
"""Markers around this share of the launches that another one encloses mark the same steps."""
_TRIED_COUNT: Final = 64


class Marker(NamedTuple):
    """``rows``: the ranges that are steps, in time order; ``number``: of each; ``name``: of all."""

    rows: Ints
    number: Ints
    name: str


class _Found(NamedTuple):
    """``own``: its thread launches, too; a thread that only loads batches does not."""

    marker: Marker
    launches_count: int
    own: bool
    length_ns: float


def find_marker(
    start_ns: Ints, end_ns: Ints, thread: Ints, meaning: Ints, meanings: Sequence[Meaning],
    process: Ints, launch_ns: Ints, launch_thread: Ints,
) -> Marker | None:  # fmt: skip
    """The marker of the steps among NVTX ranges, which are sorted by start; None if none is.

    Of several around the same launches, that of a thread that launches, and the longest: a step holds its
    parts. ``process``: of each thread; ``launch_ns`` and ``launch_thread``: of each launch.
    """
    stems = [numbered(m.name) for m in meanings]
    texts = sorted({stem for stem, _ in stems})
    place = {stem: i for i, stem in enumerate(texts)}
    usable = np.array([not m.op and not m.module and bool(m.name) for m in meanings], np.bool_)
    code = np.array([place[stem] for stem, _ in stems], np.int64)
    rows = np.flatnonzero(usable[meaning]) if len(meanings) else np.empty(0, np.int64)
    found = []
    for group in _groups(rows, (thread[rows], code[meaning[rows]]), end_ns - start_ns):
        stem, at = texts[code[meaning[group[0]]]], thread[group[0]]
        counts = _rising([stems[m][1] for m in meaning[group].tolist()])
        if not may_mark_steps(stem, counts=counts is not None):
            continue
        mine = process[launch_thread] == process[at]
        inside = _launches_inside(start_ns[group], end_ns[group], launch_ns[mine])
        if inside:
            own = _launches_inside(start_ns[group], end_ns[group], launch_ns[launch_thread == at])
            names = {meanings[m].name for m in meaning[group].tolist()}
            number = np.arange(len(group)) if counts is None else counts
            marker = Marker(group, number, min(names) if len(names) == 1 else stem)
            found.append(_Found(marker, inside, own > 0, float(np.median(end_ns[group] - start_ns[group]))))
    most = max((f.launches_count for f in found), default=0)
    same = [f for f in found if f.launches_count >= SAME_RATIO * most]
    return max(same, key=lambda f: (f.own, f.length_ns)).marker if same else None


def _groups(rows: Ints, keys: Sequence[Ints], length_ns: Ints) -> list[Ints]:
    """The rows of each key that comes often enough, the key with most time first."""
    groups = Groups(*keys)
    spent = groups.sum(length_ns[rows])
    often = np.flatnonzero(groups.count >= LEAST_COUNT)
    often = often[np.argsort(-spent[often], kind="stable")][:_TRIED_COUNT]
    return [rows[groups.rows(group)] for group in often.tolist()]


def _rising(numbers: Sequence[tuple[int, ...]]) -> Ints | None:
    """The numbers of the steps, if those in the names rise from each to the next."""
    if len({len(each) for each in numbers}) != 1 or any(a >= b for a, b in pairwise(numbers)):
        return None
    columns = np.array(numbers, np.int64).T
    rising = [column for column in columns if (np.diff(column) > 0).all()]
    return rising[-1] if rising else np.arange(len(numbers))


def _launches_inside(begin_ns: Ints, end_ns: Ints, launch_ns: Ints) -> int:
    """How many launches these ranges enclose; 0 if they cover too little to be the steps."""
    covered = union(begin_ns, end_ns)
    first, last = int(covered.begin_ns[0]), int(covered.end_ns[-1])
    if covered.total_ns < COVERED_RATIO * (last - first):
        return 0
    between = launch_ns[(launch_ns >= first) & (launch_ns < last)]
    inside: Bools = contains(covered, between)
    return int(inside.sum()) if inside.sum() >= COVERED_RATIO * len(between) else 0
