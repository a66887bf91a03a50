"""Type and size of collectives: from their kernels' arguments or the annotations around their launch."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

import numpy as np

from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.arrays.unique import Numbers
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
_MARKS: Final = ("nccl:", "record_param_comms")
_MOST_BYTES: Final = 1 << 50


def of(
    found: Decoded, events: HostEvents, order: Ints, role: Small, mine: Ints, launch: Codes
) -> dict[str, Any]:
    """The columns of a GPU's events (rows ``mine`` of the file) that say what they communicate.

    The size is what one GPU gets out of the call, in bytes.
    """
    size, kind = np.full(len(mine), -1, np.int64), np.full(len(mine), -1, np.int32)
    rows = np.flatnonzero(role == Role.COLLECTIVE)
    if len(rows):
        size[rows], kind[rows] = _of_rows(
            found, events, order, found.gpu.column("call")[mine[rows]], launch[rows]
        )
    return {
        "collective_bytes": size,
        "collective_output": size >= 0,
        "collective_type": kind,
        "collective_types": _KINDS,
    }


def _of_rows(
    found: Decoded, events: HostEvents, order: Ints, call: Codes, launch: Codes
) -> tuple[Ints, Codes]:
    """Bytes and types of collectives, by their calls and the rows of their launches."""
    calls, all_dims, all_types = (list(table.codes) for table in (found.calls, found.dims, found.types))
    call_sizes = np.array([_bytes_of(*stated) for stated in calls], np.int64)
    call_kinds = np.array([_kind(name) for name, *_ in calls], np.int32)
    size, kind = call_sizes[call], call_kinds[call]

    @lru_cache(None)
    def of_input(dims: int, types: int) -> int:
        return _bytes_of_input(all_dims[dims], all_types[types])

    is_mark = events.named(lambda name: name.startswith(_MARKS))
    around = _around(events, launch, is_mark)
    while (around >= 0).any():  # an inner annotation may say less than an outer one
        for place in np.flatnonzero(around >= 0).tolist():
            row = order[around[place]]
            if kind[place] < 0:
                kind[place] = _kind(events.names[events.name[around[place]]])
            if size[place] < 0:
                size[place] = call_sizes[found.host.column("call")[row]]
            if size[place] < 0:
                size[place] = of_input(*(int(found.host.column(name)[row]) for name in ("dims", "types")))
        around = _around(events, np.where((size < 0) | (kind < 0), around, -1), is_mark)
    return size, kind


def _around(events: HostEvents, rows: Numbers, is_mark: Bools) -> Ints:
    """The row of the innermost annotation of a collective around each row, −1 if there is none."""
    found = np.full(len(rows), -1, np.int64)
    known = rows >= 0
    if known.any():
        found[known] = events.enclosing(rows[known].astype(np.int64), is_mark)
    return found


def _bytes_of(_: str, data_type: str, output: int, given: int) -> int:
    """What one GPU gets by a call, else what it gives; −1 if it is not stated."""
    count, size = output if output >= 0 else given, size_of(data_type)
    return count * size if size and 0 <= count < _MOST_BYTES else -1


def _bytes_of_input(dims: bytes, types: bytes) -> int:
    """Bytes of the only tensor among the inputs; −1 if they were not recorded, or are several."""
    tensors = inputs_of(dims, types)
    size = tensors[0].bytes if len(tensors) == 1 else -1
    return size if 0 < size < _MOST_BYTES else -1


def _kind(name: str) -> int:
    return next((code for code, (_, form) in enumerate(_TYPES) if name and re.search(form, name.lower())), -1)
