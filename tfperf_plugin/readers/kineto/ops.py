"""The op that launched each kernel: its part of the step, its name and inputs, and what it computes; and
type and size of collectives, from their kernels' arguments or the annotations around their launch.

An op is called ``PART/NAME SIZES``: ``backward/aten::mm 8×512·512×64``. Autograd and the optimizer's mark
tell the part; sizes stand only behind matrix products and convolutions, whose work follows from them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.arrays.columns import Groups, Numbers, map_codes
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.readers.kineto.events import Decoded
from tfperf_plugin.readers.kineto.work import Tensor, inputs_of, shape_of, size_of, work_of
from tfperf_plugin.trace.model import Codes, HostEvents, OpWork, Small
from tfperf_plugin.trace.roles import HostRole, Role

# What is around an op and computes nothing itself.
_NO_OP: Final = re.compile(
    r"^(autograd::|nccl:|c10d::|record_param_comms|Torch-Compiled|## |\w+Backward\d*$)"
)
# Autograd's engine, or in 2021 the nodes that it calls; ops of both passes have a number of autograd.
_BACKWARD: Final = re.compile(r"autograd::engine::evaluate_function|\w{1,200}Backward\d{0,3}$")
_OPTIMIZER: Final = re.compile(
    r"Optimizer\.step#(?:(adam|adamw|nadam|adamax|sgd|rmsprop|adagrad|adadelta|adafactor|lion|lamb)|\w{1,99})\.step",
    re.IGNORECASE,
)
_OTHER, _FORWARD, _BACKWARD_PART, _OPTIMIZER_PART = range(4)
_TYPES: Final = (
    ("all_reduce", "all_?reduce"), ("reduce_scatter", "reduce_?scatter"), ("all_gather", "all_?gather"),
    ("all_to_all", "all_?to_?all"), ("broadcast", "broadcast"), ("send", "send"), ("recv", "recv"),
    ("reduce", "reduce"),
)  # fmt: skip
COLLECTIVES: Final = tuple(kind for kind, _ in _TYPES)
_MARKS: Final = ("nccl:", "record_param_comms")
_MOST_BYTES: Final = 1 << 50


class Ops(NamedTuple):
    """The ops of events of a GPU: codes into ``ops`` and ``shapes``, −1 if none; ``work`` of known ops."""

    op: Codes
    ops: tuple[str, ...]
    shape: Codes
    shapes: tuple[str, ...]
    work: Mapping[str, OpWork]


def are_ops(events: HostEvents) -> Bools:
    """For each event whether it is an op, which is more than what is around one."""
    named = events.named(lambda text: bool(text) and not _NO_OP.search(text))
    return np.asarray((events.role == HostRole.DISPATCH) & named)


def of(found: Decoded, events: HostEvents, order: Ints, launch: Codes) -> Ops:
    """The ops around these launches; ``order``: row of the file of each of the host's events."""
    if not len(events.name):
        return Ops(launch, (), launch, (), {})
    launched = np.flatnonzero(launch >= 0)
    row = launch[launched].astype(np.int64)
    inner = events.enclosing(row, are_ops(events))
    named, row, launched = inner[inner >= 0], row[inner >= 0], launched[inner >= 0]
    inputs = [found.host.column(column)[order[named]] for column in ("dims", "types", "values")]
    part = _part(found, events, order, row)
    optimizer = next(
        (m[1] for text in events.names if (m := _OPTIMIZER.fullmatch(text)) and m[1]), "optimizer"
    )
    parts = ("", "forward/", "backward/", f"{optimizer}/")
    groups = Groups(part, events.name[named], *inputs)
    tensors_of, all_values = _Inputs(found), list(found.values.codes)
    ops: dict[str, int] = {}
    shapes: dict[str, int] = {"": -1}
    works: dict[str, OpWork] = {}
    codes = []
    for of_part, of_name, of_dims, of_types, of_values in groups.keys.tolist():
        name, values = events.names[of_name], all_values[of_values]
        tensors = tensors_of[of_dims, of_types]
        if not found.budget.draw(1 + len(tensors) + len(values)):
            tensors = []
        text = shape_of(tensors)
        work = work_of(name, tensors, values) if of_types else None
        called = parts[of_part] + name + (f" {work.called}" if work else "")
        if work and works.setdefault(called, work.work) != work.work:
            called += f" ({', '.join(tensor.kind for tensor in tensors)})"  # of the same sizes in other types
            works[called] = work.work
        codes.append((ops.setdefault(called, len(ops)), shapes.setdefault(text, len(shapes) - 1)))
    op, shape = (np.full(len(launch), -1, np.int32) for _ in range(2))
    if codes:
        op[launched], shape[launched] = np.array(codes, np.int32).T[:, groups.of_row]
    return Ops(op, tuple(ops), shape, tuple(shapes)[1:], works)


class _Inputs(dict[tuple[int, int], list[Tensor]]):
    """Codes of sizes and types → the tensors among the inputs; none beyond the budget."""

    def __init__(self, found: Decoded) -> None:
        self._dims, self._types, self._budget = list(found.dims.codes), list(found.types.codes), found.budget

    def __missing__(self, codes: tuple[int, int]) -> list[Tensor]:
        dims, types = self._dims[codes[0]], self._types[codes[1]]
        drawn = self._budget.draw(len(dims) + len(types))
        tensors = self[codes] = inputs_of(dims, types) if drawn else []
        return tensors


def _part(found: Decoded, events: HostEvents, order: Ints, rows: Ints) -> Ints:
    """The part of the step that each launch belongs to."""

    def inside(wanted: Bools) -> Bools:
        return events.enclosing(rows, wanted) >= 0

    # Autograd numbers what it will differentiate.
    forward = inside(found.host.column("sequence")[order] >= 0)
    backward = inside(events.named(_BACKWARD.match))
    optimizer = inside(events.named(_OPTIMIZER.fullmatch))
    return np.select([optimizer, backward, forward], [_OPTIMIZER_PART, _BACKWARD_PART, _FORWARD], _OTHER)


def collectives_of(
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
