"""Type and size of collectives: from their kernels' arguments or the annotations around their launch."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.arrays.unique import Numbers, map_codes
from tfperf_plugin.readers.kineto.events import Decoded
from tfperf_plugin.readers.kineto.work import inputs_of, size_of
from tfperf_plugin.trace.model import Codes, HostEvents, Small
from tfperf_plugin.trace.roles import Role

_TYPES: Final = (
    ("all_reduce", "all_?reduce"), ("reduce_scatter", "reduce_?scatter"), ("all_gather", "all_?gather"),
    ("all_to_all", "all_?to_?all"), ("broadcast", "broadcast"), ("send", "send"), ("recv", "recv"),
    ("reduce", "reduce"),
)  # fmt: skip
KINDS: Final = tuple(kind for kind, _ in _TYPES)
_MARKS: Final = ("nccl:", "record_param_comms")
_MOST_BYTES: Final = 1 << 50


def of(
    found: Decoded, events: HostEvents, order: Ints, role: Small, mine: Ints, launch: Codes
) -> dict[str, Numbers]:
    """The columns of events of GPUs (rows ``mine`` of the file) that say what they communicate.

    The size is what one GPU gets out of the call, in bytes.
    """
    size, kind = np.full(len(mine), -1, np.int64), np.full(len(mine), -1, np.int32)
    rows = np.flatnonzero(role == Role.COLLECTIVE)
    if len(rows):
        size[rows], kind[rows] = _of_rows(
            found, events, order, found.gpu.column("call")[mine[rows]], launch[rows]
        )
    return {"collective_bytes": size, "collective_output": size >= 0, "collective_type": kind}


def _of_rows(
    found: Decoded, events: HostEvents, order: Ints, call: Codes, launch: Codes
) -> tuple[Ints, Codes]:
    """Bytes and types of collectives, by their calls, else by the innermost annotation around their launch
    that says so."""
    calls = list(found.calls.codes)
    call_sizes = np.array([_bytes_of(*stated) for stated in calls], np.int64)
    size = call_sizes[call]
    kind = map_codes(call, [name for name, *_ in calls], _kind, np.int32(-1))
    launched = np.flatnonzero(launch >= 0)
    marks = np.flatnonzero(events.named(lambda name: name.startswith(_MARKS)))
    if not len(launched) or not len(marks):
        return size, kind
    rows = order[marks]
    mark_size = call_sizes[found.host.column("call")[rows]]
    mark_size = np.where(mark_size >= 0, mark_size, _bytes_of_inputs(found, rows))
    mark_kind = map_codes(events.name[marks], events.names, _kind, np.int32(-1))
    for told, stated in ((size, mark_size), (kind, mark_kind)):
        by_event = np.full(len(events.name), -1, np.int64)
        by_event[marks] = stated
        asking = launched[told[launched] < 0]
        around = events.enclosing(launch[asking].astype(np.int64), by_event >= 0)
        told[asking] = np.where(around >= 0, by_event[around], -1)
    return size, kind


def _bytes_of_inputs(found: Decoded, rows: Ints) -> Ints:
    """``_bytes_of_input`` of each of these rows of the file."""
    all_dims, all_types = list(found.dims.codes), list(found.types.codes)
    groups = Groups(*(found.host.column(column)[rows] for column in ("dims", "types")))
    sizes = [_bytes_of_input(all_dims[d], all_types[t]) for d, t in groups.keys.tolist()]
    return np.array(sizes, np.int64)[groups.of_row]


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
