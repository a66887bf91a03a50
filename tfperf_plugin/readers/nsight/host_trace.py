"""The tables of a recording → ``HostTrace``."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.arrays.unique import FirstPlaces, map_codes, unique_inverse
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Data
from tfperf_plugin.readers.nsight import machine
from tfperf_plugin.readers.nsight.database import opened
from tfperf_plugin.readers.nsight.devices import device_traces
from tfperf_plugin.readers.nsight.gpu_work import (
    COPIES,
    GRAPHS,
    KERNELS,
    MEMSETS,
    PROCESS_SHIFT,
    Work,
    gpu_work,
)
from tfperf_plugin.readers.nsight.host_events import (
    CALLS,
    RANGES,
    Calls,
    Ranges,
    calls,
    closed,
    host_events,
    ranges,
)
from tfperf_plugin.readers.nsight.machine import MESSAGES, Gpu
from tfperf_plugin.trace.model import Aspect, HostTrace
from tfperf_plugin.trace.roles import HostRole

_Part = TypeVar("_Part", Work, Calls, Ranges)
_LAUNCHES_GRAPH: Final = re.compile(r"^cu(da)?GraphLaunch")
_OF_NSIGHT: Final = (KERNELS, CALLS, RANGES, "TARGET_INFO_SESSION_START_TIME")
_OF_GRAPHS: Final = frozenset[Aspect]({"kernels of graphs"})
_LACKS: Final = frozenset[Aspect]({"input", "host ops", "compilation", "memory", "shapes"})
_HOLDS: Final = {
    KERNELS: "kernels", COPIES: "copies", MEMSETS: "memsets", CALLS: "calls of CUDA", RANGES: "NVTX ranges",
}  # fmt: skip
_RECORD: Final = "record with nsys profile --trace=cuda,nvtx."
_NEEDED: Final = {
    (KERNELS, COPIES, MEMSETS, GRAPHS, CALLS): f"The file holds no work of GPUs: {_RECORD}",
    (CALLS,): f"The file holds no calls of CUDA, so nothing tells what launched the kernels: {_RECORD}",
}
"""What a recording cannot do without; other tables may be absent because there was nothing for them."""


class Recording(NamedTuple):
    """What the tables hold, by where it is from; see the modules that read them."""

    work: Work
    calls: Calls
    ranges: Ranges
    gpus: dict[int, Gpu]
    gpu_of_process: dict[tuple[int, int], int]
    threads: dict[int, str]
    started_ns: int | None
    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    lacks: frozenset[Aspect]


def decode(data: Data, anomalies: Anomalies) -> Recording:
    """What a trace needs of a file. Raises UnreadableInput."""
    with opened(data, anomalies) as database:
        if not any(map(database.columns, _OF_NSIGHT)):
            raise UnreadableInput(
                "The SQLite file has no tables of Nsight Systems. "
                "Export a report with nsys export --type sqlite."
            )
        absent = [text for table, text in _HOLDS.items() if not database.columns(table)]
        anomalies.add("tables_absent", f"The file has no tables of {', '.join(absent)}.", len(absent))
        errors, warnings = machine.messages(database)
        lost = [text for names, text in _NEEDED.items() if not any(map(database.columns, names))]
        return Recording(
            gpu_work(database),
            calls(database),
            ranges(database),
            machine.gpus(database),
            machine.gpu_of_process(database),
            machine.thread_names(database),
            machine.started_ns(database),
            errors,
            (*warnings, *lost[:1]),  # without any work of GPUs, nothing else is missed
            _LACKS if database.columns(MESSAGES) else _LACKS | {"dropped events"},
        )


def trace(host: str, recording: Recording, anomalies: Anomalies) -> HostTrace:
    """The trace of one file; ``host`` is what to call it.

    Raises:
        NotJudgeable: events lie so far apart that they are not of one recording.
    """
    work, called, spans = _without_far(recording.work, recording.calls, recording.ranges, anomalies)
    spans = closed(spans)
    parts = [part for part in (work, called, spans) if len(part.start_ns)]
    tables.require_one_recording(host, list(map(_times, parts)))
    early = sum(int((part.end_ns < part.start_ns).sum()) for part in parts)
    anomalies.add(
        "negative_durations", "Events end before they start; they are taken as lasting no time.", early
    )
    call = _calls_of(work, called)
    launched, waits = np.zeros((2, len(called.start_ns)), np.bool_)
    launched[call[call >= 0]] = True
    waits[call[(call >= 0) & work.reads_back()]] = True
    side = host_events(called, spans, launched, waits, recording.threads, anomalies)
    launch = np.append(side.call_row, -1)[call]
    hidden = _hidden_graphs(work, called, launched)
    lacks = recording.lacks | (_OF_GRAPHS if hidden else frozenset())
    compiles = any(m.module for m in spans.meanings) or bool((side.events.role == HostRole.COMPILE).any())
    return HostTrace(
        host=host,
        events=side.events,
        iterators=tables.no_iterators(),
        memory=tables.memory_events(),
        devices=device_traces(work, launch, side, recording.gpus, recording.gpu_of_process, anomalies),
        errors=recording.errors,
        warnings=(*recording.warnings, *hidden),
        profile_start_ns=recording.started_ns,
        device_texts=(),
        collective_ranks=0,
        lacks=lacks - {"compilation"} if compiles else lacks,
    )


def _times(part: Work | Calls | Ranges) -> tuple[int, int]:
    """The first and the last time in it."""
    starts, ends = part.start_ns, part.end_ns
    return int(min(starts.min(), ends.min())), int(max(starts.max(), ends.max()))


def _without_far(
    work: Work, called: Calls, spans: Ranges, anomalies: Anomalies
) -> tuple[Work, Calls, Ranges]:
    """The same without the few rows that are far away from the others, and without work whose times are lost,
    which is at 0 and takes no time."""
    parts = (work, called, spans)
    starts, ends = (
        np.concatenate(columns) for columns in zip(*((p.start_ns, p.end_ns) for p in parts), strict=True)
    )
    lost = (starts == 0) & (ends == 0)
    lost[len(work.start_ns) :] = False
    far = tables.far_away(starts[~lost], ends[~lost])
    if far is not None:
        lost[~lost] = far
    if not lost.any():
        return parts
    sentence = "Events whose times cannot be those of this recording are left out."
    anomalies.add("impossible_times", sentence, int(lost.sum()), "data_loss")
    near = ~lost
    of_work, of_calls, of_ranges = np.split(near, np.cumsum([len(work.start_ns), len(called.start_ns)]))
    return _rows(work, of_work), _rows(called, of_calls), _rows(spans, of_ranges)


def _rows(part: _Part, rows: Bools) -> _Part:
    """The part with only the rows ``rows``."""
    columns: dict[str, Any] = {n: c[rows] for n, c in part._asdict().items() if isinstance(c, np.ndarray)}
    return part._replace(**columns)


def _calls_of(work: Work, called: Calls) -> Ints:
    """For each row of work the call in its process that has its correlation id, −1 if none."""
    _, process = unique_inverse(np.concatenate([work.process, called.thread >> PROCESS_SHIFT]))
    correlation = np.concatenate([work.correlation, called.correlation])
    most = int(correlation.max(initial=0)) + 1
    key = np.where(correlation >= 0, process * most + correlation, -1)
    count = len(work.process)
    return FirstPlaces(key[count:]).of(key[:count]).astype(np.int64)


def _hidden_graphs(work: Work, called: Calls, launched: Bools) -> list[str]:
    """What to say of graphs whose kernels were not recorded: of some not even the whole."""
    of_graph = map_codes(called.name, called.names, lambda name: bool(_LAUNCHES_GRAPH.match(name)), False)
    count = int((of_graph & ~launched).sum()) + work.whole_graphs_count
    if not count:
        return []
    return [
        f"{count:,} launches of CUDA graphs were recorded without the kernels in them: "
        "record with nsys profile --cuda-graph-trace=node."
    ]
