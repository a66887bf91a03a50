"""The machine's GPUs, and what they did → ``DeviceTrace``, one for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.arrays.unique import map_codes, unique
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.nsight.database import Database
from tfperf_plugin.readers.nsight.gpu_work import Work
from tfperf_plugin.readers.nsight.host_events import Host
from tfperf_plugin.readers.nsight.ranges import FORWARD, Meaning
from tfperf_plugin.trace import roles
from tfperf_plugin.trace.model import Codes, DeviceTrace, Small, Value
from tfperf_plugin.trace.roles import Role

_PROPERTIES: Final = (
    ("totalMemory", "memory_size", 1),
    ("memoryBandwidth", "memory_bandwidth", 1),
    ("clockRate", "clock_rate", 1000),
    ("smCount", "core_count", 1),
    ("computeMajor", "compute_cap_major", 1),
    ("computeMinor", "compute_cap_minor", 1),
)
"""Nsight's column, XSpace's stat, and by what to divide: XSpace has kHz instead of Hz."""


class Gpu(NamedTuple):
    """Name and properties, as XSpace calls them."""

    name: str
    stats: dict[str, Value]


_UNKNOWN: Final = Gpu("", {"device_vendor": "Nvidia"})
_PROCESS_BITS: Final = (1 << 24) - 1
_Said = tuple[Codes, tuple[str, ...]]
"""What the ranges around each launch say: a code, −1 for nothing, and the texts."""


def gpus(database: Database) -> dict[int, Gpu]:
    """The machine's GPUs by their number."""
    columns = [c for c, _, _ in _PROPERTIES]
    rows = database.rows("TARGET_INFO_GPU", ("id", "name", *columns))
    found = {}
    for number, name, *values in rows:
        stats: dict[str, Value] = {"device_vendor": "Nvidia"}
        for value, (_, stat, unit) in zip(values, _PROPERTIES, strict=True):
            if isinstance(value, int):
                stats[stat] = value // unit
        if isinstance(number, int):
            found[number] = Gpu(name if isinstance(name, str) else "", stats)
    return found


def gpu_of_process(database: Database) -> dict[tuple[int, int], int]:
    """(process, its number of a GPU) → number of the GPU in the machine, where the file says so.

    A process that may see some of the GPUs only, as by ``CUDA_VISIBLE_DEVICES``, counts these from 0.
    """
    rows = database.rows("TARGET_INFO_CUDA_DEVICE", ("pid", "cudaId", "gpuId"))
    return {(p, c): g for p, c, g in rows if isinstance(p, int) and isinstance(c, int) and isinstance(g, int)}


def device_traces(
    work: Work, launch: Ints, host: Host, gpus: dict[int, Gpu], of_process: dict[tuple[int, int], int],
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
    gpu: Gpu,
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


def _streams(work: Work, rows: Ints) -> tuple[Codes, tuple[str, ...]]:
    """The streams of a GPU; each process numbers its own, and each of its contexts."""
    groups = Groups(work.process[rows], work.context[rows], work.stream[rows])
    numbers = [(process & _PROCESS_BITS, stream) for process, _, stream in groups.keys.tolist()]
    text = "Stream #{1} of process {0}" if len(unique(work.process[rows])) > 1 else "Stream #{1}"
    return groups.of_row.astype(np.int32), tuple(text.format(*number) for number in numbers)
