"""Planes of one host file → ``HostTrace``: joins lines, interns text, names roles, links launches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.arrays.columns import FirstPlaces, Groups, Numbers, constant, map_codes
from tfperf_plugin.arrays.intervals import Bools, Ints, searchsorted
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.content import Budget, Data
from tfperf_plugin.readers.xspace import Plane, XSpace, pipelines, read_each
from tfperf_plugin.readers.xspace.hlo import HLO_PLANE, HloModules
from tfperf_plugin.readers.xspace.model import joined
from tfperf_plugin.readers.xspace.stats import StatValue
from tfperf_plugin.readers.xspace.work import work_of
from tfperf_plugin.trace import roles
from tfperf_plugin.trace.model import (
    Codes,
    DeviceTrace,
    HostEvents,
    HostTrace,
    IteratorEvents,
    MemoryEvents,
    OpWork,
    Small,
    among,
)
from tfperf_plugin.trace.roles import HostRole, Role

Rows = Ints | slice
_NONE = np.empty(0, np.int64)
_HOST = "/host:CPU"
# What is asked of the events of planes; a stat that is not listed is not kept.
_RANKS = frozenset({"group_size", "num_ranks", "nranks"})
_HANDOVER = frozenset({"_pt", "_p", "_ct", "_c"})
_ALLOCATOR = frozenset({
    "allocator_name", "bytes_allocated", "bytes_available", "peak_bytes_in_use", "allocation_bytes",
    "requested_bytes", "addr", "tf_op", "fragmentation", "shape", "tensor_shapes", "data_type", "region_type",
})  # fmt: skip
_HOST_STATS = pipelines.STATS | {
    "device", "correlation_id", "id", "step_num", "tf_function_call", "tracing_count",
}  # fmt: skip
_TEXT_STATS = {
    "shape": "shape", "detail": "kernel_details", "collective_type": "collective_type", "scope": "name",
}  # fmt: skip
"""Column of a GPU → the stat that holds its texts."""
_OP_STATS = ("hlo_op", "tf_op", "level 0", "annotation")
_GPU_STATS = frozenset({
    *_OP_STATS, "correlation_id", "shape", "memcpy_details", "kernel_details", "collective_type", "name",
    "hlo_module", "program_id", "buffer_size",
})  # fmt: skip
_GPU = re.compile(r"/device:GPU:([0-9]{1,9})")
_TPU = re.compile(r"/device:TPU:[0-9]{1,9}")
_DESTINATION = re.compile(r"\bdest:(\d{1,4})\b")
_SIZE = re.compile(r"\b(?:size|num_bytes):([0-9]{1,18})")


class _Part(NamedTuple):
    """What a trace needs of one plane.

    ``times``: begin of the first and end of the last event of a plane that is judged; ``hlo``: the plane, if
    it holds programs.
    """

    name: str
    times: tuple[int, int] | None
    ranks: int
    device_texts: tuple[str, ...]
    profile_start: StatValue | None
    host: tuple[HostEvents, IteratorEvents, MemoryEvents] | None = None
    launches: FirstPlaces | None = None
    device: _Device | None = None
    hlo: Plane | None = None


class _Device(NamedTuple):
    """A GPU of whose launches only the ids are known, −1 if none; and of collectives whose size their program
    tells: rows, and the code of each among (op, program's name, program's number)."""

    trace: DeviceTrace
    correlation: Numbers
    unsized: Ints
    code: Ints
    asked: tuple[tuple[str, str | None, int | None], ...]


Parts = XSpace[_Part]


def decode(data: Data, anomalies: Anomalies) -> Parts:
    """What a trace needs of each plane of a file. Raises UnreadableInput."""
    return read_each(
        data,
        anomalies,
        lambda names: _groups(names, anomalies),
        lambda planes: _part(joined(planes), anomalies),
        _wanted,
    )


def _wanted(plane: str, stats: frozenset[str]) -> frozenset[str]:
    """The stats of a plane's events that are asked for."""
    wanted = _RANKS
    if plane == _HOST:
        wanted |= _HOST_STATS
        for together, needed in ((_HANDOVER, _HANDOVER), (_ALLOCATOR, {"allocator_name"})):
            wanted |= together if stats >= needed else frozenset()
    elif _GPU.fullmatch(plane):
        wanted |= _GPU_STATS
    return stats & wanted


def _groups(names: Sequence[str], anomalies: Anomalies) -> list[list[int]]:
    """Numbers of planes, those of the host's threads and of each GPU together; of too many GPUs the first."""
    together: dict[int | str, list[int]] = {}
    for index, name in enumerate(names):
        gpu = _GPU.fullmatch(name)
        key = int(gpu[1]) if gpu else name if name == _HOST else f"plane {index}"
        together.setdefault(key, []).append(index)
    gpus = sorted(key for key in together if isinstance(key, int))
    kept = tables.first_gpus(np.array(gpus, np.int64), "host", anomalies).tolist()
    return [planes for key, planes in together.items() if isinstance(key, str) or key in kept]


def _part(plane: Plane, anomalies: Anomalies) -> _Part:
    is_host, gpu = plane.name == _HOST, _GPU.fullmatch(plane.name)
    start = plane.stats.get("profile_start_time") if plane.name == "Task Environment" else None
    return _Part(
        name=plane.name,
        times=(int(plane.start_ns.min()), int(plane.end_ns.max()))
        if (is_host or gpu) and len(plane.start_ns)
        else None,
        ranks=_ranks(plane),
        device_texts=_strings(plane, "device") if is_host else (),
        profile_start=start,
        host=_host(plane, anomalies) if is_host else None,
        launches=FirstPlaces(plane.numbers("correlation_id", -1)) if is_host else None,
        device=_device(int(gpu[1]), plane) if gpu else None,
        hlo=plane if plane.name == HLO_PLANE else None,
    )


def trace(host: str, space: Parts, anomalies: Anomalies) -> HostTrace:
    """The trace of one host file.

    Args:
        host: the file's name before ``.xplane.pb``; links into the trace viewer need exactly this.
        space: the parts of its planes.
        anomalies: receives what had to be guessed.

    Raises:
        NotJudgeable: events lie so far apart that they are not of one recording.
    """
    parts = space.planes
    tables.require_one_recording(host, [part.times for part in parts if part.times])
    events, iterators, memory = next((part.host for part in parts if part.host), None) or (
        tables.host_events(),
        tables.no_iterators(),
        tables.memory_events(),
    )
    launches = next((part.launches for part in parts if part.launches), None)
    modules = HloModules([part.hlo for part in parts if part.hlo])
    devices = sorted((part.device for part in parts if part.device), key=lambda d: d.trace.ordinal)
    tpus = sum(bool(_TPU.fullmatch(part.name)) for part in parts)
    anomalies.add("tpu-planes", "The profile has planes of TPUs, which are not read: GPUs are judged.", tpus)
    start = next((part.profile_start for part in parts if part.name == "Task Environment"), None)
    return HostTrace(
        host=host,
        events=events,
        iterators=iterators,
        memory=memory,
        devices=tuple(_joined(device, launches, modules) for device in devices),
        errors=space.errors,
        warnings=space.warnings,
        profile_start_ns=start if isinstance(start, int) and start > 0 else None,
        device_texts=tuple(text for part in parts for text in part.device_texts),
        collective_ranks=max((part.ranks for part in parts), default=0),
        accelerators=frozenset(["TPU"] if tpus else []),
        op_work=_op_work([device.trace for device in devices], modules),
    )


def _op_work(devices: Sequence[DeviceTrace], modules: HloModules) -> dict[tuple[str, str], OpWork]:
    """What the instructions that ran on these GPUs compute and move."""
    ran: dict[str, set[str]] = {}
    for device in devices:
        rows = among(device.role, Role.KERNEL) & (device.module >= 0) & (device.op >= 0)
        for module, op in Groups(device.module[rows], device.op[rows]).keys.tolist():
            ran.setdefault(device.modules[module], set()).add(device.ops[op])
    found, budget = {}, Budget(modules.size())
    for program, ops in sorted(ran.items()):
        # Programs that one name stands for do the same work, or nobody knows which one ran.
        asked = {op.removeprefix("%") for op in ops}
        works = [work_of(proto, asked, budget) for proto in modules.protos_of(program)]
        for op in sorted(ops):
            first, *others = [work.get(op.removeprefix("%")) for work in works] or [None]
            if first and all(other == first for other in others):
                found[program, op] = first
    return found


def _strings(plane: Plane, stat: str) -> tuple[str, ...]:
    column = plane.texts(stat)
    return () if column is None else column.strings


def _ranks(plane: Plane) -> int:
    columns = [c for s in sorted(_RANKS) if (c := plane.ints(s)) is not None]
    return max((int(c.values[c.present].max()) for c in columns if c.present.any()), default=0)


# ---------------------------------------------------------------------------------------- hosts


def _host(plane: Plane, anomalies: Anomalies) -> tuple[HostEvents, IteratorEvents, MemoryEvents]:
    role = map_codes(plane.event_name, plane.names, roles.host_role, np.int8(HostRole.OTHER))
    correlation = plane.numbers("correlation_id", -1)
    launches = correlation >= 0
    role[launches & (role != HostRole.SYNC)] = HostRole.LAUNCH
    wants_id = among(role, HostRole.EXECUTOR, HostRole.FUNCTION_RUN, HostRole.INPUT_WAIT)
    ids = plane.numbers("id", 0)
    call, calls = _text(plane, "tf_function_call", slice(None))
    events = tables.host_events(
        start_ns=plane.start_ns,
        end_ns=plane.end_ns,
        thread=plane.line,
        name=plane.event_name,
        role=role,
        parent=tables.bounded(tables.parents(plane.line, plane.start_ns, plane.end_ns), anomalies),
        launches=launches,
        step_num=plane.numbers("step_num", -1),
        step_id=np.where(wants_id, ids, ids.dtype.type(0)) if ids.any() else ids,
        producer=_producers(plane),
        function_call=_present(plane, "tf_function_call"),
        traced=map_codes(call, calls, lambda text: text.startswith("traced"), False),
        tracing_count=plane.numbers("tracing_count", -1),
        threads=tuple(line.name for line in plane.lines),
        names=plane.names,
    )
    return events, pipelines.iterators(plane, role), _memory(plane, role)


def _present(plane: Plane, stat: str) -> Bools:
    ints, texts = plane.ints(stat), plane.texts(stat)
    present: Bools = np.broadcast_to(np.False_, len(plane.start_ns))
    if ints is not None:
        present = present | ints.present
    if texts is not None:
        present = present | (texts.codes >= 0)
    return present


def _producers(plane: Plane) -> Codes:
    """For each event the row that produced what it consumes: same kind and same id; −1 if none."""
    nobody = np.broadcast_to(np.int32(-1), len(plane.start_ns))
    if not plane.stat_names >= _HANDOVER:
        return nobody
    columns = [plane.ints(stat) for stat in ("_pt", "_p", "_ct", "_c")]
    made_kind, made, used_kind, used = columns
    if made_kind is None or made is None or used_kind is None or used is None:
        return nobody
    makers = np.flatnonzero(made_kind.present & made.present)
    users = np.flatnonzero(used_kind.present & used.present)
    if not len(makers) or not len(users):
        return nobody
    kinds, kind = np.unique(
        np.concatenate([made_kind.values[makers], used_kind.values[users]]), return_inverse=True
    )
    _, number = np.unique(np.concatenate([made.values[makers], used.values[users]]), return_inverse=True)
    key = number * len(kinds) + kind
    keys, first = np.unique(key[: len(makers)], return_index=True)
    at = np.minimum(searchsorted(keys, key[len(makers) :]), len(keys) - 1)
    found = np.where(keys[at] == key[len(makers) :], makers[first[at]], -1)
    # Work is handed on before it is done; ids that are used again would point backwards.
    producer: Codes = nobody.copy()
    in_order = (found >= 0) & (plane.start_ns[found] < plane.start_ns[users])
    producer[users[in_order]] = found[in_order]
    return producer


def _memory(plane: Plane, role: Small) -> MemoryEvents:
    row = np.flatnonzero(role == HostRole.MEMORY)
    names = plane.texts("allocator_name")
    if not len(row) or names is None:
        return tables.memory_events()
    row = row[np.argsort(plane.start_ns[row], kind="stable")]

    def column(stat: str) -> Ints:
        return plane.numbers(stat, -1)[row].astype(np.int64)

    block, asked = column("allocation_bytes"), column("requested_bytes")
    columns: dict[str, Any] = {}
    shape = "shape" if plane.texts("shape") else "tensor_shapes"
    for text, stat in (("op", "tf_op"), ("shape", shape), ("region", "region_type")):
        columns[text], columns[f"{text}s"] = _text(plane, stat, row)
    if fragmentation := plane.floats("fragmentation"):
        columns["fragmentation"] = fragmentation.values[row]
    return tables.memory_events(
        time_ns=plane.start_ns[row],
        allocator=names.codes[row],
        # On Windows, TensorFlow writes the first letter as zero.
        allocators=tuple(name.replace("\0PU_", "GPU_") for name in names.strings),
        allocated_bytes=column("bytes_allocated"),
        available_bytes=column("bytes_available"),
        peak_bytes=column("peak_bytes_in_use"),
        is_allocation=map_codes(
            plane.event_name[row], plane.names, lambda name: name == "MemoryAllocation", False
        ),
        size_bytes=np.where(block >= 0, block, asked),
        address=column("addr"),
        data_type=column("data_type").astype(np.int32),
        **columns,
    )


# -------------------------------------------------------------------------------------- devices


def _device(ordinal: int, plane: Plane) -> _Device:
    # Counters (power, temperature) are samples, not work.
    left_out = np.array([line.derived or line.name == "_counters_" for line in plane.lines], np.bool_)
    rows: Rows = slice(None)
    if left_out.any():
        rows = np.flatnonzero(~left_out[plane.line])
    start_ns = plane.start_ns[rows]
    if (start_ns[1:] < start_ns[:-1]).any():
        order = np.argsort(start_ns, kind="stable")
        rows = order if isinstance(rows, slice) else rows[order]
    columns: dict[str, Any] = {}
    for column, stat in _TEXT_STATS.items():
        columns[column], columns[f"{column}s"] = _text(plane, stat, rows)
    (op, ops), (module, modules) = _op(plane, rows), _programs(plane, rows)
    copy, copies = _text(plane, "memcpy_details", rows)
    vendor = plane.stats.get("device_vendor")
    trace = tables.device_trace(
        ordinal,
        name_text=_device_name(plane),
        vendor=tables.vendor(str(vendor) if vendor is not None else "", plane.names),
        stats=plane.stats,
        step_line=_step_line(plane),
        start_ns=plane.start_ns[rows],
        end_ns=plane.end_ns[rows],
        stream=plane.line[rows],
        streams=tuple(line.name for line in plane.lines),
        name=plane.event_name[rows],
        names=plane.names,
        op=op,
        ops=ops,
        module=module,
        modules=modules,
        copy_bytes=map_codes(copy, copies, lambda text: _number_in(_SIZE, text), np.int64(-1)),
        copy_pageable=map_codes(copy, copies, _copy_pageable, np.int8(-1)),
        copy_destination=map_codes(copy, copies, lambda text: _number_in(_DESTINATION, text), np.int32(-1)),
        collective_output=_present(plane, "buffer_size")[rows],
        **columns,
    )
    size, unsized, code, asked = _collective_bytes(plane, rows, trace.role)
    trace = replace(trace, collective_bytes=constant(size))
    return _Device(trace, plane.numbers("correlation_id", -1)[rows], unsized, code, asked)


def _joined(device: _Device, launches: FirstPlaces | None, modules: HloModules) -> DeviceTrace:
    """A GPU with the launches of its events, and with the sizes that programs tell."""
    trace = device.trace
    size = trace.collective_bytes
    if len(device.unsized):
        size = size.astype(np.int64)
        found = [modules.collective_bytes(*asked) for asked in device.asked]
        size[device.unsized] = np.array(found, np.int64)[device.code]
    launch = trace.launch if launches is None else constant(launches.of(device.correlation))
    return replace(trace, launch=launch, collective_bytes=size)


def _text(plane: Plane, stat: str, rows: Rows) -> tuple[Codes, tuple[str, ...]]:
    column = plane.texts(stat)
    if column is None:
        return np.broadcast_to(np.int32(-1), len(plane.line))[rows], ()
    return column.codes[rows], column.strings


def _op(plane: Plane, rows: Rows) -> tuple[Codes, tuple[str, ...]]:
    """The op that launched each event: stat ``tf_op``, else ``level 0``, else the annotation up to "#".

    Old collectors wrote only the latter two; XLA's kernels name their instruction in ``hlo_op``.
    """
    codes: Codes = np.broadcast_to(np.int32(-1), len(plane.line))[rows]
    strings: list[str] = []
    for stat in _OP_STATS:
        found, texts = _text(plane, stat, rows)
        if texts:
            use = (codes < 0) & (found >= 0)
            codes = np.where(use, found + np.int32(len(strings)), codes)
        strings += [t.split("#", 1)[0] if stat == "annotation" else t for t in texts]
    return codes, tuple(strings)


def _programs(plane: Plane, rows: Rows) -> tuple[Codes, tuple[str, ...]]:
    """The program of XLA that each event belongs to; programs of one name differ by their number."""
    name, names = _text(plane, "hlo_module", rows)
    if not names:
        return name, ("",) if len(name) else ()
    groups = Groups(name, plane.numbers("program_id", -1)[rows])
    texts = tuple(f"{names[code]}({number})" if code >= 0 else "" for code, number in groups.keys.tolist())
    return np.where(name >= 0, groups.of_row, -1).astype(np.int32), texts


def _collective_bytes(
    plane: Plane, rows: Rows, role: Small
) -> tuple[Numbers, Ints, Ints, tuple[tuple[str, str | None, int | None], ...]]:
    """Sizes of collectives as TensorFlow records them, −1 if unknown; and what programs tell: see _Device."""
    size = plane.numbers("buffer_size", -1)[rows]
    op, ops = _text(plane, "hlo_op", rows)
    asked = np.flatnonzero((role == Role.COLLECTIVE) & (size < 0) & (op >= 0)) if ops else _NONE
    if not len(asked):
        return size, asked, asked, ()
    module, names = _text(plane, "hlo_module", rows)
    program = plane.numbers("program_id", -1)[rows]
    groups = Groups(op[asked], module[asked], program[asked])
    triples = tuple(
        (ops[o], names[m] if m >= 0 else None, p if p != -1 else None) for o, m, p in groups.keys.tolist()
    )
    return size, asked, groups.of_row, triples


def _number_in(pattern: re.Pattern[str], details: str) -> int:
    match = pattern.search(details)
    return int(match[1]) if match else -1


def _copy_pageable(details: str) -> int:
    if "pageable" in details:
        return 1
    return 0 if "kind_src:" in details else -1


def _device_name(plane: Plane) -> str:
    for stat in ("gpu device name", "device_name", "gpu_device_name", "name"):
        value = plane.stats.get(stat)
        if isinstance(value, str) and value:
            return value
    return ""


def _step_line(plane: Plane) -> tuple[tuple[int, int, str], ...]:
    """The stored "Steps" line, if any: (begin, end, name) of each step."""
    lines = [i for i, line in enumerate(plane.lines) if line.derived and line.name == "Steps"]
    rows = np.flatnonzero(among(plane.line, *lines))
    return tuple(
        (int(plane.start_ns[r]), int(plane.end_ns[r]), plane.names[plane.event_name[r]]) for r in rows
    )
