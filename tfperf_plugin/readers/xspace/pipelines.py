"""tf.data's events of a host plane: iterator calls, and what joins them across threads."""

from __future__ import annotations

import re

import numpy as np

from tfperf_plugin.arrays.columns import Groups, map_codes
from tfperf_plugin.arrays.intervals import Bools, Ints
from tfperf_plugin.readers import tables
from tfperf_plugin.readers.xspace import Plane
from tfperf_plugin.trace.model import Codes, IteratorEvents, PipelineFlow, Small
from tfperf_plugin.trace.roles import HostRole

STATS = frozenset({
    "id", "name", "parent_id", "parallelism", "autotune", "buffered_elements", "buffer_limit", "batch_size",
    "passed", "filtered", "element_id", "element_size", "shapes", "types",
})  # fmt: skip
"""What is asked of a host's events here."""
_HANDOVER = re.compile(r"^([A-Z]\w*?)(Produce|Consume)$")
_FUNCTION = "InstantiatedCapturedFunction::Run"
_RUN, _HAND_BACK = "ExecutorState::Process", "ExecutorDoneCallback"
_PYTHON_OP = re.compile(r":(EagerPyFunc|PyFunc|PyFuncStateless)$")
_SHAPE = re.compile(r"\[([\d,]*)\]")
# Bytes of one value of a type as TensorFlow names it; texts and variants have no fixed size.
_TYPE_BYTES = {
    "bool": 1, "int8": 1, "uint8": 1, "qint8": 1, "quint8": 1, "half": 2, "bfloat16": 2, "int16": 2,
    "uint16": 2, "float": 4, "int32": 4, "uint32": 4, "double": 8, "int64": 8, "uint64": 8, "complex64": 8,
    "complex128": 16,
}  # fmt: skip


def iterators(plane: Plane, role: Small) -> IteratorEvents:
    """The iterator calls of a host plane, whose events have these roles."""
    row = np.flatnonzero(role == HostRole.ITERATOR)
    if not len(row):
        return tables.no_iterators()

    def column(stat: str, absent: int = -1) -> Ints:
        return plane.numbers(stat, absent)[row].astype(np.int64)

    ids = plane.numbers("id", 0).astype(np.int64)
    shape, sizes = _shapes(plane, row)
    dataset = plane.texts("name")
    return IteratorEvents(
        row=row,
        iterator_id=ids[row],
        parent_id=column("parent_id", 0),
        parallelism=column("parallelism"),
        autotune=_flags(plane, "autotune")[row],
        buffered_elements=column("buffered_elements"),
        buffer_limit=column("buffer_limit"),
        batch_size=column("batch_size"),
        passed=column("passed"),
        filtered=column("filtered"),
        element_bytes=sizes,
        shape=shape,
        dataset=np.full(len(row), -1, np.int32) if dataset is None else dataset.codes[row],
        datasets=() if dataset is None else dataset.strings,
        flow=_flow(plane, role, ids),
    )


def _flags(plane: Plane, stat: str) -> Ints:
    """A yes/no stat that collectors write as an integer or as text: 1, 0, or −1 where absent."""
    flags = plane.numbers(stat, -1).astype(np.int64)
    if texts := plane.texts(stat):
        yes = map_codes(texts.codes, texts.strings, lambda text: int(text.lower() == "true"), np.int64(-1))
        flags = np.where(texts.codes >= 0, yes, flags)
    return flags


def _flow(plane: Plane, role: Small, ids: Ints) -> PipelineFlow:
    handovers = [_HANDOVER.match(name) for name in plane.names]
    kinds = {name: i for i, name in enumerate(sorted({match[1] for match in handovers if match}))}
    kind = np.array([kinds[match[1]] if match else -1 for match in handovers], np.int64)
    element = plane.numbers("element_id", -1).astype(np.int64)

    def rows(wanted: list[bool]) -> Ints:
        return np.flatnonzero(np.array(wanted, np.bool_)[plane.event_name])

    produced = rows([match is not None and match[2] == "Produce" for match in handovers])
    consumed = rows([match is not None and match[2] == "Consume" for match in handovers])
    run = rows([name in (_RUN, _HAND_BACK) for name in plane.names])
    run = run[ids[run] != 0]
    hands_back = np.array([name == _HAND_BACK for name in plane.names], np.bool_)[plane.event_name[run]]
    function = rows([name.startswith(_FUNCTION) for name in plane.names])
    waits: Bools = np.array([not name.endswith("Async") for name in plane.names], np.bool_)
    request = np.flatnonzero(role == HostRole.INPUT_WAIT)
    return PipelineFlow(
        produced=produced,
        produced_element=element[produced],
        produced_kind=kind[plane.event_name[produced]],
        consumed=consumed,
        consumed_element=element[consumed],
        consumed_kind=kind[plane.event_name[consumed]],
        function=function,
        function_id=ids[function],
        function_waits=waits[plane.event_name[function]],
        run=run,
        run_id=ids[run],
        run_until_ns=np.where(hands_back, plane.start_ns[run], plane.end_ns[run]),
        python=rows([bool(_PYTHON_OP.search(name)) for name in plane.names]),
        request=request,
        request_bytes=plane.numbers("element_size", -1)[request].astype(np.int64),
    )


def _shapes(plane: Plane, row: Ints) -> tuple[Codes, Ints]:
    """For each row a code of its shapes and types, and the bytes of such an element; −1 if unknown."""
    shapes, types = plane.texts("shapes"), plane.texts("types")
    if shapes is None or types is None:
        return np.full(len(row), -1, np.int32), np.full(len(row), -1, np.int64)
    groups = Groups(shapes.codes[row], types.codes[row])
    size = [
        _bytes_of(shapes.strings[s], types.strings[t]) if s >= 0 and t >= 0 else -1
        for s, t in groups.keys.tolist()
    ]
    known = (shapes.codes[row] >= 0) & (types.codes[row] >= 0)
    shape = np.where(known, groups.of_row, -1).astype(np.int32)
    return shape, np.array(size, np.int64)[groups.of_row]


def _bytes_of(shapes: str, types: str) -> int:
    """Bytes of an element like ``[224,224,3] []`` of ``uint8 int64``; −1 where a size is not fixed."""
    parts, names = shapes.split(), types.split()
    if not parts or len(parts) != len(names):
        return -1
    total = 0
    for part, name in zip(parts, names, strict=True):
        match = _SHAPE.fullmatch(part)
        if not match or name not in _TYPE_BYTES:
            return -1
        size = _TYPE_BYTES[name]
        for dimension in match[1].split(","):
            size *= int(dimension[:18] or 1) if match[1] else 1
        if size > 2**50:
            return -1
        total += size
    return total
