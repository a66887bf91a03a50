"""Columns of a trace → ``HostTrace``: nests the events of threads, links launches, names copies.

What the caching allocator did on each GPU is there if the profile has it (``profile_memory=True``).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from tfperf_plugin.arrays.columns import FirstPlaces, Numbers, map_codes, sums_by_name, unique
from tfperf_plugin.arrays.intervals import Bools, Ints, searchsorted
from tfperf_plugin.errors import NotJudgeable
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.kineto import ops
from tfperf_plugin.readers.kineto.events import (
    COPY,
    KERNEL,
    MARK,
    OP,
    PYTHON,
    RUNTIME,
    SET,
    Decoded,
    Rows,
    machine,
    world_size,
)
from tfperf_plugin.readers.kineto.events import decode as decode
from tfperf_plugin.readers.kineto.ops import COLLECTIVES, are_ops, collectives_of
from tfperf_plugin.trace import roles
from tfperf_plugin.trace.model import (
    Aspect,
    Codes,
    DeviceTrace,
    HostEvents,
    HostTrace,
    MemoryEvents,
    OpWork,
    Small,
    among,
)
from tfperf_plugin.trace.roles import HostRole, Role

_STEP: Final = re.compile(r"(ProfilerStep)#(\d{1,9})")
# How PyTorch marks what an optimizer does; in 2021, its category was that of ops.
_MARK: Final = re.compile(r"Optimizer\.\w+#")
_PYTHON_LINE: Final = re.compile(r"\((\d{1,9})\): ")
_READS_BACK: Final = re.compile(r"Memcpy DtoH \(Device -> (Pageable|Host)\)|CopyDeviceToHost")
_COPIES: Final = {
    "HtoD": "MemcpyH2D", "DtoH": "MemcpyD2H", "DtoD": "MemcpyD2D", "PtoP": "MemcpyP2P",
    "HostToDevice": "MemcpyH2D", "DeviceToHost": "MemcpyD2H", "DeviceToDevice": "MemcpyD2D",
}  # fmt: skip
"""What stands in the name of a copy, and how its name begins in the tables."""
_WIDE_RATIO: Final = 0.01
_STEPS_AN_EVENT: Final = 2
"""Each GPU is held against all events of threads, each of which takes this much of the budget."""
_TIMED: Final = "CUDA functions"
"""The process to which the profiler before Kineto assigns what it measured on GPUs."""
_WALL_CLOCK_NS: Final = 10**18
"""Times from 2001 on; smaller ones count from the start of a machine."""
_GPU: Final = 1
_PROCESS_RATIO: Final = 0.1
"""A process that launches this share of what the busiest one does is no damaged number of one."""


def trace(host: str, found: Decoded, anomalies: Anomalies) -> HostTrace:
    """The trace of one process. Raises NotJudgeable if events lie too far apart or are of several."""
    timed_ns = _taken_timed(found)
    parts = [rows for rows in (found.gpu, found.host, found.memory) if len(rows)]
    spans = [(int(rows.column("start_ns").min()), int(rows.column("end_ns").max())) for rows in parts]
    tables.require_one_recording(host, spans)
    zero_ns = found.begin_ns if spans else 0
    names = list(found.names.codes)
    events, order = _host(found, names, zero_ns, anomalies)
    _require_one_process(host, found, events)
    devices, work = _devices(found, names, events, order, zero_ns, anomalies)
    base = found.outside.get("baseTimeNanoseconds")
    wall_ns = zero_ns + (base if isinstance(base, int) else 0)
    memory = _memory_events(found.memory, zero_ns, _properties(found), events)
    lacks: set[Aspect] = {"compilation"}
    if not (events.role == HostRole.LAUNCH).any():
        lacks.add("dropped events")
    if not (events.role == HostRole.INPUT_WAIT).any():
        lacks.add("input")
    if not (events.role == HostRole.DISPATCH).any():
        lacks |= {"framework ops", "host ops"}
    if not len(memory.time_ns):
        lacks.add("memory")
    if not any(found.dims.codes):
        lacks.add("shapes")
    return HostTrace(
        host=host,
        events=events,
        iterators=tables.no_iterators(),
        memory=memory,
        devices=devices,
        errors=_messages(found, "ERROR"),
        warnings=_messages(found, "WARNING"),
        profile_start_ns=wall_ns if _WALL_CLOCK_NS < wall_ns < 4 * _WALL_CLOCK_NS else None,
        device_texts=(),
        collective_ranks=int(found.gpu.column("group").max(initial=0)) or world_size(found.outside),
        accelerators=frozenset(found.accelerators),
        without_gpu=found.outside.get("deviceProperties") == [],
        op_work={("", op): known for op, known in work.items()},
        lacks=frozenset(lacks),
        machine=machine(found.outside),
        timed_ns=timed_ns,
        **_numbered(found.host),
    )


def _require_one_process(host: str, found: Decoded, events: HostEvents) -> None:
    """Raises NotJudgeable if several processes launch work: their steps overlap, and their calls may share
    numbers."""
    launched = np.bincount(events.thread[events.launches], minlength=len(found.places.codes)).tolist()
    counts = Counter[str]()
    for (process, _), count in zip(found.places.codes, launched, strict=True):
        counts[process] += count
    most = max(counts.values(), default=0)
    several = sum(count > _PROCESS_RATIO * most for count in counts.values())
    if several > 1:
        raise NotJudgeable(
            f"Host {host}: {several} processes launch work in this one trace, so their steps cannot be told "
            "apart. Read the traces from which it was merged, all in one folder. If they are lost, split it "
            "by pid into one file for each process, with the kernels that this process launched."
        )


def _numbered(rows: Rows) -> dict[str, int]:
    """How many ops PyTorch numbered at least, and how many of them are in the file: whole ones hold all.

    The widest gaps between numbers do not count: a number may be damaged, or processes may be in one file.
    """
    if not len(rows):
        return {}
    number = rows.column("number")[among(rows.column("kind"), OP, MARK)]
    gaps = np.sort(np.diff(unique(number[number > 0])))
    gaps = gaps[: len(gaps) - math.ceil(_WIDE_RATIO * len(gaps))]
    return {"numbered_count": int(gaps.sum()), "kept_count": len(gaps)}


def _taken_timed(found: Decoded) -> Mapping[str, int]:
    """Takes out what the profiler before Kineto measured on GPUs, nested as the ops on the host: the time of
    each op without those inside it."""
    rows = found.host
    places = np.array([process == _TIMED for process, _ in found.places.codes], np.bool_)
    if not places.any() or not len(rows):
        return {}
    timed = places[rows.column("place")]
    columns = [rows.column(name)[timed] for name in ("place", "start_ns", "end_ns", "name")]
    order = tables.nested_order(*columns[:3])
    place, start_ns, end_ns, name = (column[order] for column in columns)
    parent, own_ns = tables.parents(place, start_ns, end_ns), end_ns - start_ns
    np.subtract.at(own_ns, parent[parent >= 0], (end_ns - start_ns)[parent >= 0])
    rows.leave_out(timed)
    return sums_by_name(list(found.names.codes), name, own_ns)


def _messages(found: Decoded, level: str) -> tuple[str, ...]:
    """What Kineto logged while it recorded."""
    listed = found.outside.get(level)
    return tuple(str(text) for text in listed[:100]) if isinstance(listed, list) else ()


# ---------------------------------------------------------------------------------------- threads


def _host(found: Decoded, names: list[str], zero_ns: int, anomalies: Anomalies) -> tuple[HostEvents, Ints]:
    """The events of all threads, and which row of the file each is."""
    rows = found.host
    if not len(rows):
        return tables.host_events(), np.empty(0, np.int64)
    start_ns, end_ns, thread = rows.column("start_ns"), rows.column("end_ns"), rows.column("place")
    order = tables.nested_order(thread, start_ns, end_ns)
    start_ns, end_ns, thread = start_ns[order] - zero_ns, end_ns[order] - zero_ns, thread[order]
    kind, name = rows.column("kind")[order], rows.column("name")[order]
    slack_ns = 1000 if found.whole_us else 0
    parent = tables.bounded(tables.parents(thread, start_ns, end_ns, slack_ns), anomalies)
    end_ns = _inside(parent, end_ns) if slack_ns else end_ns
    name, step_num = _renamed(kind, name, names)
    correlation = rows.column("correlation")[order]
    launches = (kind == RUNTIME) & np.isin(correlation, unique(found.gpu.column("correlation")))
    launches &= correlation >= 0
    events = tables.host_events(
        threads=tuple(
            found.threads.get(place, "").removeprefix("thread ") or place[1] for place in found.places.codes
        ),
        thread=thread,
        names=tuple(names),
        name=name,
        start_ns=start_ns,
        end_ns=end_ns,
        role=_roles(kind, name, launches, np.isin(correlation, _blocking(found.gpu, names)), names),
        launches=launches,
        step_num=step_num,
        parent=parent,
    )
    return events, order


def _inside(parent: Codes, end_ns: Ints) -> Ints:
    """Ends of events that whole µs make end after what encloses them, cut to its end."""
    rows = np.flatnonzero(parent >= 0)
    while len(rows):
        rows = rows[end_ns[rows] > end_ns[parent[rows]]]
        end_ns[rows] = end_ns[parent[rows]]
        rows = np.flatnonzero(parent >= 0) if len(rows) else rows
    return end_ns


def _renamed(kind: Small, name: Codes, names: list[str]) -> tuple[Codes, Ints]:
    """Names as the analysis knows them, added to ``names``; and the numbers of steps, −1 if it is none.

    Steps lose their number; functions of Python get the form ``$file:line function``.
    """
    known = {text: code for code, text in enumerate(names)}
    steps = {code: match for code, text in enumerate(names) if (match := _STEP.fullmatch(text))}
    new = np.arange(len(names), dtype=np.int32)
    number = np.full(len(names), -1, np.int64)
    for code, match in steps.items():
        new[code], number[code] = known.setdefault(match[1], len(known)), int(match[2])
    of_python = np.zeros(len(names), np.bool_)
    of_python[name[kind == PYTHON]] = True
    in_python = new.copy()
    for code in np.flatnonzero(of_python).tolist():
        in_python[code] = known.setdefault("$" + _PYTHON_LINE.sub(r":\1 ", names[code], count=1), len(known))
    names += list(known)[len(names) :]
    return np.where(kind == PYTHON, in_python[name], new[name]), np.where(kind == PYTHON, -1, number[name])


def _blocking(gpu: Rows, names: Sequence[str]) -> Ints:
    """Correlations of copies whose call returns when they are done: from the GPU to pageable memory."""
    if not len(gpu):
        return np.empty(0, np.int64)
    blocks = map_codes(gpu.column("name"), names, lambda text: bool(_READS_BACK.match(text)), False)
    return unique(gpu.column("correlation")[blocks])


def _roles(kind: Small, name: Codes, launches: Bools, blocking: Bools, names: Sequence[str]) -> Small:
    of_others = np.where(kind == PYTHON, np.int32(-1), name)
    role = map_codes(of_others, names, roles.host_role, np.int8(HostRole.PYTHON))
    marks = map_codes(name, names, lambda text: bool(_MARK.match(text)), False)
    role[(kind == OP) & (role == HostRole.OTHER) & ~marks] = HostRole.DISPATCH
    role[(kind == MARK) & (role == HostRole.CALLBACK)] = HostRole.OTHER
    role[launches & (role != HostRole.SYNC)] = HostRole.LAUNCH
    role[launches & blocking] = HostRole.SYNC
    return role


# -------------------------------------------------------------------------------------- devices


def _properties(found: Decoded) -> dict[int, Mapping[str, Any]]:
    listed = found.outside.get("deviceProperties")
    known = [of for of in listed if isinstance(of, dict)] if isinstance(listed, list) else []
    return {of["id"]: of for of in known[: tables.MAX_GPUS] if isinstance(of.get("id"), int)}


def _devices(
    found: Decoded, names: Sequence[str], events: HostEvents, order: Ints, zero_ns: int, anomalies: Anomalies
) -> tuple[tuple[DeviceTrace, ...], Mapping[str, OpWork]]:
    """Each GPU that worked, and what its ops compute; if nothing was recorded on any, all of the machine."""
    rows, properties = found.gpu, _properties(found)
    if not len(rows):
        idle = sorted(properties.items())
        return tuple(tables.device_trace(number, **_about(of, ())) for number, of in idle), {}
    device = rows.column("device")
    numbers = unique(device[device >= 0])
    steps = _STEPS_AN_EVENT * len(order)
    most = sum(found.budget.draw(steps) for _ in range(min(len(numbers), tables.MAX_GPUS)))
    numbers = tables.first_gpus(numbers, "process", anomalies, most)
    mine = np.lexsort((rows.column("start_ns"), device))
    mine = mine[np.isin(device[mine], numbers)]
    columns, texts, work = _events(found, mine, names, events, order)
    bounds = [*searchsorted(device[mine], numbers).tolist(), len(mine)]
    return tuple(
        _device(number, {name: column[begin:end] for name, column in columns.items()}, texts, zero_ns, about)
        for number, (begin, end) in zip(numbers.tolist(), pairwise(bounds), strict=True)
        for about in [_about(properties.get(number) or next(iter(properties.values()), {}), texts["name"])]
    ), work


def _events(
    found: Decoded, mine: Ints, names: Sequence[str], events: HostEvents, order: Ints
) -> tuple[dict[str, Numbers], dict[str, Sequence[str]], Mapping[str, OpWork]]:
    """Columns of these events of all GPUs (rows of the file), the texts that their codes stand for, and what
    ops compute."""
    rows = found.gpu
    correlation = np.full(len(order), -1, np.int64)
    correlation[events.launches] = found.host.column("correlation")[order][events.launches]
    launch = FirstPlaces(correlation).of(rows.column("correlation")[mine])
    kind = rows.column("kind")[mine]
    name, known = _named(kind, rows.column("name")[mine], names)
    by_name = map_codes(name, known, roles.device_role, np.int8(Role.KERNEL))
    role = np.where(kind == KERNEL, _kernels(by_name), by_name)
    of_op = ops.of(found, events, order, launch)
    columns = {
        "start_ns": rows.column("start_ns")[mine],
        "end_ns": rows.column("end_ns")[mine],
        "stream": rows.column("stream")[mine],
        "name": name,
        "role": role,
        "op": of_op.op,
        "shape": of_op.shape,
        "launch": launch,
        "copy_bytes": np.where(kind == COPY, rows.column("bytes")[mine], -1),
        "copy_pageable": _pageable(kind, rows.column("name")[mine], names),
        "detail": np.where(kind == KERNEL, rows.column("grid")[mine], -1).astype(np.int32),
        **collectives_of(found, events, order, role, mine, launch),
    }
    details = tuple(map(_detail, found.grids.codes))
    return columns, {"name": known, "op": of_op.ops, "shape": of_op.shapes, "detail": details}, of_op.work


def _device(
    ordinal: int,
    columns: dict[str, Numbers],
    texts: Mapping[str, Sequence[str]],
    zero_ns: int,
    about: Mapping[str, Any],
) -> DeviceTrace:
    """A GPU with these columns."""
    stream_numbers, stream = np.unique(columns["stream"], return_inverse=True)
    return tables.device_trace(
        ordinal,
        **about,
        **columns
        | {"start_ns": columns["start_ns"] - zero_ns, "end_ns": columns["end_ns"] - zero_ns}
        | {"stream": stream.astype(np.int32)},
        **{f"{column}s": known for column, known in texts.items()},
        streams=tuple(f"Stream #{number}" for number in stream_numbers.tolist()),
        collective_types=COLLECTIVES,
    )


def _about(properties: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """What is stated of a GPU itself; ``names`` of its events tell the maker where nothing is."""
    name = str(properties.get("name", ""))
    return {"name_text": name, "vendor": _vendor(name, names), "stats": _stats(properties)}


def _kernels(role: Small) -> Small:
    """Roles of kernels: whatever their name is, they copy nothing."""
    return np.where(role == Role.COLLECTIVE, role, np.int8(Role.KERNEL))


def _named(kind: Small, name: Codes, names: Sequence[str]) -> tuple[Codes, tuple[str, ...]]:
    """Copies and memsets get the names that roles know; and all names."""
    known = {text: code for code, text in enumerate(names)}
    new = name.copy()
    for code in unique(name[kind == COPY]).tolist():
        text = next((ours for theirs, ours in _COPIES.items() if theirs in names[code]), "MemcpyOther")
        new[(kind == COPY) & (name == code)] = known.setdefault(text, len(known))
    new[kind == SET] = known.setdefault("Memset", len(known))
    return new, tuple(known)


def _pageable(kind: Small, name: Codes, names: Sequence[str]) -> Small:
    """Whether the host's memory of a copy is pageable (1), pinned (0) or not recorded (−1)."""
    of_copies = np.where(kind == COPY, name, np.int32(-1))

    def pageable(text: str) -> int:
        return 1 if "Pageable" in text else 0 if "Pinned" in text else -1

    return map_codes(of_copies, names, pageable, np.int8(-1))


def _detail(grid: tuple[str, str, bytes, bytes, str]) -> str:
    """Registers, shared memory, grid, block and, if recorded, occupancy, as ``read_details`` reads them."""
    registers, shared, *sizes, occupancy = grid
    texts = [re.sub(rb"[^0-9,]", b"", size).decode() for size in sizes]
    occupied = f" est_occ_pct:{occupancy}" if occupancy else ""
    return f"regs:{registers} shm:{shared} grid:{texts[0]} block:{texts[1]}{occupied}" if all(texts) else ""


def _vendor(device: str, names: Sequence[str]) -> str:
    if device:
        return "AMD" if re.search(r"AMD|Instinct|Radeon", device) else "NVIDIA"
    return tables.vendor("", names)


def _stats(of_device: Mapping[str, Any]) -> dict[str, int | float | str | bytes]:
    fields = {
        "core_count": "numSms", "memory_size": "totalGlobalMem",
        "compute_cap_major": "computeMajor", "compute_cap_minor": "computeMinor",
    }  # fmt: skip
    return {
        ours: of_device[theirs] for ours, theirs in fields.items() if isinstance(of_device.get(theirs), int)
    }


def _memory_events(
    rows: Rows, zero_ns: int, properties: Mapping[int, Mapping[str, Any]], events: HostEvents
) -> MemoryEvents:
    """The events of GPUs' allocators. What the GPU has beyond what is allocated counts as available."""
    if not len(rows):
        return tables.memory_events()
    mine = np.flatnonzero((rows.column("device_type") == _GPU) & (rows.column("allocated") >= 0))
    mine = mine[np.argsort(rows.column("start_ns")[mine], kind="stable")]
    if not len(mine):
        return tables.memory_events()
    numbers, allocator = np.unique(rows.column("device_id")[mine], return_inverse=True)
    sizes = np.array([_size(properties.get(number, {})) for number in numbers.tolist()], np.int64)
    allocated, change = rows.column("allocated")[mine], rows.column("change")[mine]
    capacity = sizes[allocator]
    time_ns = rows.column("start_ns")[mine] - zero_ns
    op, ops = _ops(events, rows.column("place")[mine], time_ns)
    return tables.memory_events(
        time_ns=time_ns,
        allocator=allocator.astype(np.int32),
        allocated_bytes=allocated,
        available_bytes=np.where(capacity >= allocated, capacity - allocated, -1),
        is_allocation=change > 0,
        size_bytes=np.abs(change),
        address=rows.column("address")[mine],
        op=op,
        ops=ops,
        allocators=tuple(f"GPU_{max(number, 0)}_torch" for number in numbers.tolist()),
    )


def _ops(events: HostEvents, thread: Ints, time_ns: Ints) -> tuple[Codes, tuple[str, ...]]:
    """For each moment the outermost op that runs then on its thread, −1 if there is none; and their names."""
    ops = np.flatnonzero(are_ops(events))
    outer = ops[events.enclosing(ops, events.marked(ops)) < 0]  # none overlaps another of its thread
    order = np.lexsort((
        np.arange(len(outer) + len(time_ns)) >= len(outer),
        np.concatenate([events.start_ns[outer], time_ns]),
        np.concatenate([events.thread[outer], thread]),
    ))  # fmt: skip
    begun = np.maximum.accumulate(np.where(order < len(outer), order, -1))  # events are sorted alike
    row = np.append(outer, -1)[begun[np.argsort(order)][len(outer) :]]
    runs = (np.append(events.thread, -1)[row] == thread) & (np.append(events.end_ns, 0)[row] >= time_ns)
    code = np.where(runs, np.append(events.name, -1)[row], -1).astype(np.int32)
    return code, events.names


def _size(of_device: Mapping[str, Any]) -> int:
    size = of_device.get("totalGlobalMem")
    return size if isinstance(size, int) else -1
