"""The tables of a recording → ``HostTrace``, with a ``DeviceTrace`` for each GPU of the machine."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from tfperf_plugin.arrays.columns import FirstPlaces, Groups, map_codes, unique, unique_inverse
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.errors import UnreadableInput
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Data
from tfperf_plugin.readers.kineto.work import work_of
from tfperf_plugin.readers.nsight.database import Database, opened
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
    Host,
    Ranges,
    calls,
    closed,
    host_events,
    ranges,
)
from tfperf_plugin.readers.nsight.ranges import FORWARD, Meaning
from tfperf_plugin.trace import roles
from tfperf_plugin.trace.model import Aspect, Codes, DeviceTrace, HostTrace, OpWork, Small, Value, among
from tfperf_plugin.trace.roles import MATRIX, HostRole, Precision, Role

_Part = TypeVar("_Part", Work, Calls, Ranges)
_LAUNCHES_GRAPH: Final = re.compile(r"^cu(da)?GraphLaunch")
_OF_NSIGHT: Final = (KERNELS, CALLS, RANGES, "TARGET_INFO_SESSION_START_TIME")
_OF_GRAPHS: Final = frozenset[Aspect]({"kernels of graphs"})
_LACKS: Final = frozenset[Aspect]({"input", "host ops", "compilation", "memory", "shapes"})
_HOLDS: Final = {
    KERNELS: "kernels", COPIES: "copies", MEMSETS: "memsets", CALLS: "calls of CUDA", RANGES: "NVTX ranges",
}  # fmt: skip
_MESSAGES: Final = "DIAGNOSTIC_EVENT"
_WARNING, _ERROR = 2, 3
_OF_NO_USE: Final = re.compile(
    r"(?i)unified memory|sampl|backtrace|symbol|context switch|perf_event|thread|os runtime|debuginfod|"
    r"metrics|no nvtx events"
)
_LONGEST_MESSAGE: Final = 300
_MESSAGES_COUNT: Final = 20
_RECORD: Final = "record with nsys profile --trace=cuda,nvtx."
_NEEDED: Final = {
    (KERNELS, COPIES, MEMSETS, GRAPHS, CALLS): f"The file holds no work of GPUs: {_RECORD}",
    (CALLS,): f"The file holds no calls of CUDA, so nothing tells what launched the kernels: {_RECORD}",
}
"""What a recording cannot do without; other tables may be absent because there was nothing for them."""
_PROPERTIES: Final[dict[tuple[str, str], tuple[tuple[str, str, int | Fraction], ...]]] = {
    ("TARGET_INFO_GPU", "id"): (
        ("totalMemory", "memory_size", 1),
        ("memoryBandwidth", "memory_bandwidth", 1),
        ("clockRate", "clock_rate", 1000),
        ("smCount", "core_count", 1),
        ("computeMajor", "compute_cap_major", 1),
        ("computeMinor", "compute_cap_minor", 1),
    ),
    # As of 2021.
    ("TARGET_INFO_CUDA_GPU", "deviceId"): (
        ("globalMemorySize", "memory_size", 1),
        ("globalMemoryBandwidth", "memory_bandwidth", Fraction(1, 1000)),
        ("coreClockRate", "clock_rate", 1),
        ("numMultiprocessors", "core_count", 1),
        ("computeCapabilityMajor", "compute_cap_major", 1),
        ("computeCapabilityMinor", "compute_cap_minor", 1),
    ),
}
"""Of each table, and its column with the GPU's number: the column, XSpace's stat, and by what to divide."""


class Recording(NamedTuple):
    """What the tables hold, by where it is from; see the modules that read them."""

    work: Work
    calls: Calls
    ranges: Ranges
    gpus: dict[int, _Gpu]
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
        anomalies.add("tables-absent", f"The file has no tables of {', '.join(absent)}.", len(absent))
        errors, warnings = _messages(database)
        lost = [text for names, text in _NEEDED.items() if not any(map(database.columns, names))]
        return Recording(
            gpu_work(database),
            calls(database),
            ranges(database),
            _gpus(database),
            _gpu_of_process(database),
            _thread_names(database),
            _started_ns(database),
            errors,
            (*warnings, *lost[:1]),  # without any work of GPUs, nothing else is missed
            _LACKS if database.columns(_MESSAGES) else _LACKS | {"dropped events"},
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
        "negative-duration", "Events end before they start; they are taken as lasting no time.", early
    )
    call = _calls_of(work, called)
    launched, waits = np.zeros((2, len(called.start_ns)), np.bool_)
    launched[call[call >= 0]] = True
    waits[call[(call >= 0) & work.reads_back()]] = True
    side = host_events(called, spans, launched, waits, recording.threads, anomalies)
    launch = np.append(side.call_row, -1)[call]
    hidden = _hidden_graphs(work, called, launched)
    compiles = any(m.module for m in spans.meanings) or bool((side.events.role == HostRole.COMPILE).any())
    lacks = recording.lacks | (_OF_GRAPHS if hidden else frozenset())
    devices = _device_traces(work, launch, side, recording.gpus, recording.gpu_of_process, anomalies)
    op_work = _op_work(devices, spans.meanings)
    lacks -= {aspect for aspect, held in (("compilation", compiles), ("shapes", bool(op_work))) if held}
    return HostTrace(
        host=host,
        events=side.events,
        iterators=tables.no_iterators(),
        memory=tables.memory_events(),
        devices=devices,
        op_work=op_work,
        errors=recording.errors,
        warnings=(*recording.warnings, *hidden),
        profile_start_ns=recording.started_ns,
        device_texts=(),
        collective_ranks=0,
        lacks=lacks,
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
    anomalies.add("impossible-time", sentence, int(lost.sum()), "data_loss")
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


def _started_ns(database: Database) -> int | None:
    """The wall-clock time at time 0, in ns since the epoch."""
    rows = database.rows("TARGET_INFO_SESSION_START_TIME", ("utcEpochNs",))
    return next((time for (time,) in rows if isinstance(time, int) and time > 0), None)


def _thread_names(database: Database) -> dict[int, str]:
    """Global id of a thread → its name."""
    rows = database.rows("ThreadNames", ("globalTid", "nameId"))
    ids = {t: n for t, n in rows if isinstance(t, int) and isinstance(n, int)}
    strings = database.strings(ids.values())
    return {thread: strings[number] for thread, number in ids.items() if number in strings}


def _messages(database: Database) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The collector's errors and warnings, each once and only the first of them.

    Warnings about what no ``HostTrace`` holds are left out: they would cast doubt on what was recorded.
    """
    rows = database.rows(_MESSAGES, ("severity", "text"))
    texts = [(level, " ".join(text.split())) for level, text in rows if isinstance(text, str)]
    errors = dict.fromkeys(text[:_LONGEST_MESSAGE] for level, text in texts if level == _ERROR)
    warnings = dict.fromkeys(
        text[:_LONGEST_MESSAGE] for level, text in texts if level == _WARNING and not _OF_NO_USE.search(text)
    )
    return tuple(errors)[:_MESSAGES_COUNT], tuple(warnings)[:_MESSAGES_COUNT]


class _Gpu(NamedTuple):
    """Name and properties, as XSpace calls them."""

    name: str
    stats: dict[str, Value]


_UNKNOWN: Final = _Gpu("", {"device_vendor": "Nvidia"})
_TYPES: Final = {
    Precision.BITS16: "half", Precision.TF32: "float", Precision.FP32: "float", Precision.FP64: "double",
}  # fmt: skip
_PROCESS_BITS: Final = (1 << 24) - 1
_Said = tuple[Codes, tuple[str, ...]]
"""What the ranges around each launch say: a code, −1 for nothing, and the texts."""


def _gpus(database: Database) -> dict[int, _Gpu]:
    """The machine's GPUs by their number."""
    found: dict[int, _Gpu] = {}
    for (table, key), properties in _PROPERTIES.items():
        for number, name, *values in database.rows(table, (key, "name", *(c for c, _, _ in properties))):
            stats: dict[str, Value] = {"device_vendor": "Nvidia"}
            for value, (_, stat, unit) in zip(values, properties, strict=True):
                if isinstance(value, int):
                    stats[stat] = value // unit
            if isinstance(number, int):
                found[number] = _Gpu(name if isinstance(name, str) else "", stats)
    return found


def _gpu_of_process(database: Database) -> dict[tuple[int, int], int]:
    """(process, its number of a GPU) → number of the GPU in the machine, where the file says so.

    A process that may see some of the GPUs only, as by ``CUDA_VISIBLE_DEVICES``, counts these from 0.
    """
    rows = database.rows("TARGET_INFO_CUDA_DEVICE", ("pid", "cudaId", "gpuId"))
    return {(p, c): g for p, c, g in rows if isinstance(p, int) and isinstance(c, int) and isinstance(g, int)}


def _device_traces(
    work: Work, launch: Ints, host: Host, gpus: dict[int, _Gpu], of_process: dict[tuple[int, int], int],
    anomalies: Anomalies,
) -> tuple[DeviceTrace, ...]:  # fmt: skip
    """The GPUs that did something; all of the machine if none did.

    ``launch``: row of each row's launch among the host's events.
    """
    gpu = _gpu(work, of_process)
    ordinals = unique(gpu) if len(gpu) else np.array(sorted(gpus), np.int64)
    ordinals = tables.first_gpus(ordinals, "machine", anomalies)
    said = {
        "op": _ops(launch, host),
        "scope": _said(launch, host, lambda m: m.scope),
        "module": _said(launch, host, lambda m: m.module),
    }
    # Once for all GPUs: names may be long, and GPUs many.
    role = map_codes(work.name, work.names, roles.device_role, np.int8(Role.KERNEL))
    rows = {ordinal: np.flatnonzero(gpu == ordinal) for ordinal in ordinals.tolist()}
    return tuple(
        _device(ordinal, its, work, launch, role, said, gpus.get(ordinal, _UNKNOWN))
        for ordinal, its in rows.items()
    )


def _gpu(work: Work, of_process: dict[tuple[int, int], int]) -> Ints:
    """The GPU's number in the machine; processes may see some of the GPUs only."""
    groups = Groups(work.process & _PROCESS_BITS, work.device)
    numbers = [of_process.get((process, device), device) for process, device in groups.keys.tolist()]
    return np.array(numbers, np.int64)[groups.of_row]


def _ops(launch: Ints, host: Host) -> _Said:
    """The op around each launch; PyTorch's with its part of the step before it."""
    op, ops = _said(launch, host, lambda m: m.op)
    around, outer = _said(launch, host, lambda m: m.part if m.part != FORWARD else "")
    ahead, forward = _said(launch, host, lambda m: m.part if m.part == FORWARD else "")
    parts = ("", *forward, *outer)
    if len(parts) == 1:
        return op, ops
    part = np.where(around >= 0, around + len(parts) - len(outer), ahead + 1)
    groups = Groups(op, part)
    texts = tuple(parts[p] + ops[o] if o >= 0 else "" for o, p in groups.keys.tolist())
    return np.where(op >= 0, groups.of_row, -1).astype(np.int32), texts


def _said(launch: Ints, host: Host, what: Callable[[Meaning], str]) -> _Said:
    """For each row what the innermost range around its launch that says anything says, −1 without one."""
    texts = [what(m) for m in host.meanings]
    code: Codes = np.full(len(launch), -1, np.int32)
    if not any(texts):
        return code, ()
    codes = {text: i for i, text in enumerate(dict.fromkeys(filter(None, texts)))}
    of_meaning = np.array([*(codes.get(text, -1) for text in texts), -1], np.int32)
    of_event = of_meaning[host.meaning]
    rows = np.flatnonzero(launch >= 0)
    around = host.events.enclosing(launch[rows], of_event >= 0)
    code[rows] = np.where(around >= 0, of_event[around], -1)
    return code, tuple(codes)


def _device(
    ordinal: int,
    rows: Ints,
    work: Work,
    launch: Ints,
    role: Small,
    said: dict[str, tuple[Codes, tuple[str, ...]]],
    gpu: _Gpu,
) -> DeviceTrace:
    """A GPU; ``role``: of all rows; ``said``: codes of all rows and their texts by the name of the column."""
    rows = rows[np.argsort(work.start_ns[rows], kind="stable")]
    start = work.start_ns[rows]
    stream, streams = _streams(work, rows)
    return tables.device_trace(
        ordinal,
        name_text=gpu.name,
        stats=gpu.stats,
        vendor="NVIDIA",
        start_ns=start,
        end_ns=np.maximum(work.end_ns[rows], start),
        stream=stream,
        streams=streams,
        name=work.name[rows],
        names=work.names,
        role=role[rows],
        launch=launch[rows].astype(np.int32),
        detail=work.detail[rows],
        details=work.details,
        copy_bytes=work.bytes[rows],
        copy_pageable=work.pageable[rows].astype(np.int8),
        copy_destination=work.destination[rows].astype(np.int32),
        **{column: code[rows] for column, (code, _) in said.items()},
        **{f"{column}s": texts for column, (_, texts) in said.items()},
    )


def _op_work(devices: Sequence[DeviceTrace], meanings: Sequence[Meaning]) -> dict[tuple[str, str], OpWork]:
    """What PyTorch's matrix products compute; their kernels' names tell the types."""
    inputs = {m.op: m.inputs for m in meanings if m.inputs}
    found = dict[tuple[str, str], OpWork]()
    for device in devices if inputs else ():
        rows = np.flatnonzero((device.op >= 0) & among(device.kernel_class, *MATRIX))
        groups = Groups(device.op[rows])
        for row in rows[groups.first].tolist():
            called = device.ops[device.op[row]]
            op, kind = called[called.find("aten::") :], _TYPES.get(Precision(device.precision[row]))
            typed = [tensor._replace(kind=kind) for tensor in inputs.get(op, ())] if kind else []
            if typed and (work := work_of(op.partition(" ")[0], typed, b"")):
                found["", called] = work.work
    return found


def _streams(work: Work, rows: Ints) -> tuple[Codes, tuple[str, ...]]:
    """The streams of a GPU; each process numbers its own, and each of its contexts."""
    groups = Groups(work.process[rows], work.context[rows], work.stream[rows])
    numbers = [(process & _PROCESS_BITS, stream) for process, _, stream in groups.keys.tolist()]
    text = "Stream #{1} of process {0}" if len(unique(work.process[rows])) > 1 else "Stream #{1}"
    return groups.of_row.astype(np.int32), tuple(text.format(*number) for number in numbers)
