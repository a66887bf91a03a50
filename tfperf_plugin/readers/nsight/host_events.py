"""Calls of CUDA and NVTX ranges → ``HostEvents``, nested as they were called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.arrays.unique import map_codes, unique_inverse
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.nsight.gpu_work import PROCESS_SHIFT
from tfperf_plugin.readers.nsight.host_calls import Calls, Ranges
from tfperf_plugin.readers.nsight.marker import Marker, find_marker
from tfperf_plugin.readers.nsight.ranges import Meaning
from tfperf_plugin.trace import roles
from tfperf_plugin.trace.model import HostEvents
from tfperf_plugin.trace.roles import HostRole

_THREAD_BITS: Final = (1 << PROCESS_SHIFT) - 1
_LAUNCHES: Final = re.compile(r"^cu(da)?(Launch|GraphLaunch|Mem(cpy|set)\w*Async)")
"""Calls that launch work even if the recording lacks it."""


class Host(NamedTuple):
    """``call_row``: where each call stands among the events; ``meaning``: code into ``meanings`` of each
    event that is a range, else −1."""

    events: HostEvents
    call_row: Ints
    meaning: Ints
    meanings: tuple[Meaning, ...]


def host_events(
    called: Calls,
    spans: Ranges,
    launched: Bools,
    waits: Bools,
    threads: Mapping[int, str],
    anomalies: Anomalies,
) -> Host:
    """All events of the host.

    Args:
        called: functions of CUDA.
        spans: NVTX ranges.
        launched: whether any work names each call.
        waits: whether each call returns when its work is done.
        threads: their names by their global ids.
        anomalies: receives what had to be guessed.
    """
    # Ranges come first: of two events of the same times, a range is the one around a call.
    count, no_flags = len(spans.start_ns), np.zeros(len(spans.start_ns), np.bool_)
    start = np.concatenate([spans.start_ns, called.start_ns])
    end = np.maximum(np.concatenate([spans.end_ns, called.end_ns]), start)
    ids, thread = unique_inverse(np.concatenate([spans.thread, called.thread]))
    meaning = np.concatenate([spans.meaning, np.full(len(called.start_ns), -1)])
    launching = map_codes(called.name, called.names, lambda name: bool(_LAUNCHES.match(name)), False)
    launches = np.concatenate([no_flags, launched | launching])
    names, of_meaning = _with_names(called.names, spans.meanings)
    name = np.concatenate([of_meaning[spans.meaning], called.name])
    order = tables.nested_order(thread, start, end)
    start, end, thread, meaning, name = (column[order] for column in (start, end, thread, meaning, name))
    launches, waiting = launches[order], np.concatenate([no_flags, waits])[order]
    step_num = np.full(len(order), -1)
    if marker := _marker(start, end, thread, meaning, spans.meanings, launches, ids >> PROCESS_SHIFT):
        step_num[marker.rows], name[marker.rows] = marker.number, len(names)
        names = (*names, marker.name)
    role = map_codes(name, names, roles.host_role, np.int8(HostRole.OTHER))
    role[launches & (role != HostRole.SYNC)] = HostRole.LAUNCH
    role[waiting] = HostRole.SYNC
    line = thread.astype(np.int32)
    events = tables.host_events(
        threads=tuple(f"{threads.get(number, 'thread')}/{number & _THREAD_BITS}" for number in ids.tolist()),
        thread=line,
        names=names,
        name=name.astype(np.int32),
        start_ns=start,
        end_ns=end,
        role=role,
        launches=launches,
        step_num=step_num,
        parent=tables.bounded(tables.parents(line, start, end), anomalies),
    )
    row = np.empty(len(order), np.int64)
    row[order] = np.arange(len(order))
    return Host(events, row[count:], meaning, spans.meanings)


def _with_names(names: tuple[str, ...], meanings: tuple[Meaning, ...]) -> tuple[tuple[str, ...], Ints]:
    """Adds names of ranges to ``names``; returns both and the code of each meaning: several may share one."""
    codes = {text: len(names) + i for i, text in enumerate(dict.fromkeys(m.name for m in meanings))}
    return (*names, *codes), np.array([codes[m.name] for m in meanings], np.int64)


def _marker(
    start: Ints, end: Ints, thread: Ints, meaning: Ints, meanings: tuple[Meaning, ...], launches: Bools,
    process: Ints,
) -> Marker | None:  # fmt: skip
    rows = np.flatnonzero((meaning >= 0) & (end > start))  # what takes no time is no step
    rows = rows[np.argsort(start[rows], kind="stable")]
    found = find_marker(
        start[rows], end[rows], thread[rows], meaning[rows], meanings, process,
        start[launches], thread[launches],
    )  # fmt: skip
    return found and found._replace(rows=rows[found.rows])
