"""Type and size of collectives: from their kernels' arguments or the annotation around their launch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.readers.kineto.events import Decoded
from tfperf_plugin.readers.kineto.shapes import inputs_of, size_of
from tfperf_plugin.trace.model import Codes, HostEvents, Small
from tfperf_plugin.trace.roles import Role

_TYPES: Final = (
    ("all_reduce", "all_?reduce"), ("reduce_scatter", "reduce_?scatter"), ("all_gather", "all_?gather"),
    ("all_to_all", "all_?to_?all"), ("broadcast", "broadcast"), ("send", "send"), ("recv", "recv"),
    ("reduce", "reduce"),
)  # fmt: skip
_KINDS: Final = tuple(kind for kind, _ in _TYPES)


def of(
    found: Decoded, events: HostEvents, order: Ints, role: Small, mine: Ints, launch: Codes
) -> dict[str, Any]:
    """The columns of a GPU's events (rows ``mine`` of the file) that say what they communicate.

    The size is what one GPU gets out of the call, in bytes.
    """
    size, kind = np.full(len(mine), -1, np.int64), np.full(len(mine), -1, np.int32)
    rows = np.flatnonzero(role == Role.COLLECTIVE)
    if len(rows):
        calls = list(found.calls.codes)
        call = found.gpu.column("call")[mine[rows]]
        size[rows], kind[rows] = _stated(found.gpu, mine[rows], call, calls)
        around = _annotations(events, launch[rows])
        for row, mark in zip(rows.tolist(), around.tolist(), strict=True):
            if mark >= 0 and (size[row] < 0 or kind[row] < 0):
                of_mark = order[mark]
                if kind[row] < 0:
                    kind[row] = _kind(events.names[events.name[mark]])
                if size[row] < 0:
                    size[row] = _size(found, int(of_mark), calls)
    return {
        "collective_bytes": size,
        "collective_output": size >= 0,
        "collective_type": kind,
        "collective_types": _KINDS,
    }


def _stated(
    gpu: Any, rows: Ints, call: Codes, calls: Sequence[tuple[str, str]]
) -> tuple[Ints, NDArray[np.int32]]:
    """Bytes and types that the kernels themselves state."""
    sizes = np.array([size_of(dtype) for _, dtype in calls], np.int64)
    kinds = np.array([_kind(name) for name, _ in calls], np.int32)
    output = gpu.column("output")[rows]
    count = np.where(output >= 0, output, gpu.column("input")[rows])
    known = (count >= 0) & (count < 1 << 50) & (sizes[call] > 0)
    return np.where(known, count * sizes[call], -1), kinds[call]


def _annotations(events: HostEvents, launch: Codes) -> Ints:
    """The row of the annotation of a collective around each launch, −1 if there is none."""
    states = np.array([text.startswith(("nccl:", "record_param_comms")) for text in events.names], np.bool_)
    found = np.full(len(launch), -1, np.int64)
    launched = launch >= 0
    if launched.any():
        found[launched] = events.enclosing(launch[launched].astype(np.int64), states[events.name])
    return found


def _size(found: Decoded, row: int, calls: Sequence[tuple[str, str]]) -> int:
    """Bytes that an annotation states, by its arguments or by the shape of its only input; −1 if none."""
    host = found.host
    count = max(int(host.column("output")[row]), -1)
    if 0 <= count < 1 << 50 and (size := size_of(calls[int(host.column("call")[row])][1])):
        return count * size
    dims, types, _ = list(found.inputs.codes)[int(host.column("inputs")[row])]
    tensors = inputs_of(dims, types) if types else []
    if len(tensors) != 1:
        return -1
    size = tensors[0].bytes
    return size if 0 < size < 1 << 50 else -1


def _kind(name: str) -> int:
    return next((code for code, (_, form) in enumerate(_TYPES) if name and re.search(form, name.lower())), -1)
