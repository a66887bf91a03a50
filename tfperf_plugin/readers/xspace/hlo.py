"""The sizes of XLA's collectives, from the programs (HLO modules) that a profile holds.

A kernel of XLA names its instruction but not how much it moves; the shapes are in the program, which the
profiler stores as a serialized HloProto in the plane ``/host:metadata``. Of a program of many megabytes only
the collectives and what goes into them are read.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.readers.xspace.model import Plane
from tfperf_plugin.readers.xspace.wire import (
    BYTES,
    VARINT,
    Ints,
    Rounds,
    WireError,
    chunks,
    fields,
    read_varint,
    signed,
)

HLO_PLANE = "/host:metadata"
_PROTO_STATS = ("Hlo Proto", "hlo_proto")
_MODULE_NAME = re.compile(r"(.*)\((-?\d{1,20})\)", re.DOTALL)

_OPERANDS, _RESULT = range(2)
_WHOLE_ARRAY = {
    b"all-reduce": _OPERANDS,
    b"reduce-scatter": _OPERANDS,
    b"all-to-all": _OPERANDS,
    b"collective-broadcast": _OPERANDS,
    b"all-gather": _RESULT,
    b"collective-permute": _RESULT,  # in place it also has operands that say where
}
"""Which side of a collective is the whole array, the size that nccl-tests calls S. What a ragged all-to-all
moves depends on its data, so no program tells."""
_START, _ASYNC_START = b"-start", b"async-start"

_BITS = {
    1: 8, 2: 8, 3: 16, 4: 32, 5: 64, 6: 8, 7: 16, 8: 32, 9: 64, 10: 16, 11: 32, 12: 64, 15: 64, 16: 16,
    18: 128, 19: 8, 20: 8, 21: 4, 22: 4, 23: 8, 24: 8, 25: 8, 26: 2, 27: 2, 28: 8, 29: 8, 30: 1, 31: 1,
    32: 4, 33: 8,
}  # fmt: skip
"""Bits of an element by xla.PrimitiveType; a predicate takes a byte."""
TUPLE = 13
_UNKNOWN = -1

# The fields of HloInstructionProto that are read of every instruction; names and shapes as places.
NAME, OPCODE, SHAPE = (number << 3 | BYTES for number in (1, 2, 3))
_ID = 35 << 3 | VARINT
_OPERAND_IDS, _CALLED_COMPUTATION_IDS = 36, 38
ID_MASK = (1 << 32) - 1
"""Ids are unique within a computation; XLA stores the computation's own id above them, or does not."""

_MAX_OUTER_FIELDS = 1 << 20  # programs of large models have some hundred thousand instructions
_MAX_INSTRUCTION_FIELDS = 256  # lists with an entry per device come behind all that is read
_MAX_NESTING = 8
FEW_INSTRUCTIONS = 48
"""Are read faster one after the other than all at once."""
MAX_BYTES = 1 << 62


def collective_sizes(proto: bytes) -> dict[str, int]:
    """How much each collective of a program moves.

    Args:
        proto: a serialized HloProto.

    Returns:
        Instruction name → bytes of the whole array: what goes into an AllReduce or a ReduceScatter, what
        comes out of an AllGather; of all arrays together where the instruction has several. What is damaged,
        or of a size that the program does not tell, is left out.
    """
    try:
        return Program(proto).collective_sizes()
    except WireError:
        return {}


def bits_of(element_type: int) -> int | None:
    """Bits of an element by xla.PrimitiveType; ``None`` if it has no size that is known."""
    return _BITS.get(element_type)


_Key = tuple[str | None, int | None]
"""A program's name and id, as far as a kernel says."""


class HloModules:
    """The programs that a profile holds, each read when it is first asked about."""

    def __init__(self, planes: Iterable[Plane]) -> None:
        self._planes = list(planes)
        self._sizes_by_proto: dict[bytes, Mapping[str, int]] = {}
        self._sizes: dict[_Key, Mapping[str, int]] = {}

    def collective_bytes(self, op: str, module: str | None, program: int | None) -> int:
        """The size of the collective ``op``, −1 if the profile does not tell.

        Args:
            op: the instruction's name.
            module: the program's name; ``None`` if it was not recorded.
            program: the program's id; ``None`` if it was not recorded.

        Of the programs that fit what was recorded, all that have the collective must agree.
        """
        key = module, None if program is None else program % (1 << 64)
        if key not in self._sizes:
            self._sizes[key] = self._merged(self._protos.get(key, []))
        return self._sizes[key].get(op.removeprefix("%"), _UNKNOWN)

    def protos_of(self, program: str) -> Sequence[bytes]:
        """The distinct programs of a name and number, "jit_step(7)"; a number of −1 was not recorded."""
        match = _MODULE_NAME.fullmatch(program)
        name, number = (match[1], int(match[2])) if match else (program, -1)
        key = name, None if number == -1 else number % (1 << 64)
        return list(dict.fromkeys(self._protos.get(key, [])))

    def size(self) -> int:
        """Bytes of all programs."""
        return sum(map(len, self._protos.get((None, None), [])))

    @cached_property
    def _protos(self) -> Mapping[_Key, list[bytes]]:
        """The programs by all that a kernel may say of its own: name and id, one of them, or nothing."""
        found: dict[_Key, list[bytes]] = {}
        for plane in self._planes:
            for title, stats in plane.event_stats.items():
                match = _MODULE_NAME.fullmatch(title)
                name, program = (match[1], int(match[2]) % (1 << 64)) if match else (title, None)
                for proto in (stats.get(stat) for stat in _PROTO_STATS):
                    if isinstance(proto, bytes):
                        for key in {(name, program), (name, None), (None, program), (None, None)}:
                            found.setdefault(key, []).append(proto)
        return found

    def _merged(self, protos: Iterable[bytes]) -> Mapping[str, int]:
        merged: dict[str, int] = {}
        for proto in protos:
            if proto not in self._sizes_by_proto:
                self._sizes_by_proto[proto] = collective_sizes(proto)
            for op, size in self._sizes_by_proto[proto].items():
                merged[op] = size if merged.get(op, size) == size else _UNKNOWN
        return merged


def _total(sizes: list[int]) -> int:
    return sum(sizes) if sizes and min(sizes) >= 0 else _UNKNOWN


class Instructions(NamedTuple):
    """Of each instruction its id, and by keys of other fields the bounds (uint32[n, 2]) of their content."""

    id: Ints
    place: Mapping[int, NDArray[np.uint32]]


class Computation(NamedTuple):
    """``first``: row of its first instruction; ``root``: id of the instruction whose result it returns."""

    first: int
    id: int
    root: int


class Shape(NamedTuple):
    """A ShapeProto; ``parts``: bounds of the shapes of a tuple."""

    element_type: int
    dimensions: list[int]
    parts: list[tuple[int, int]]


class Program:
    """One HloProto under the reader's eyes. Every method may raise WireError.

    ``proto``: its bytes; ``more``: keys of further fields of instructions to be found; ``entry``: id of the
    computation that runs first.
    """

    def __init__(self, proto: bytes, more: Sequence[int] = ()) -> None:
        self.proto = proto
        self._outer_fields = 0
        self.entry = 0
        bounds, self.computations = self._instructions()
        self._first_rows = np.array([c.first for c in self.computations], np.int64)
        self._starts, self._ends = bounds[0::2], bounds[1::2]
        self._columns = _read_columns(proto, self._starts, self._ends, (NAME, OPCODE, SHAPE, *more))
        self._operand_bytes: dict[int, int] = {}

    def collective_sizes(self) -> dict[str, int]:
        """See the function of this name."""
        opcodes = [self.proto[at:end] for at, end in self._columns.place[OPCODE].tolist()]
        wrappers = [row for row, opcode in enumerate(opcodes) if opcode == _ASYNC_START]
        collectives = [row for row, code in enumerate(opcodes) if code.removesuffix(_START) in _WHOLE_ARRAY]
        computations = np.searchsorted(self._first_rows, collectives, "right") - 1
        sizes: dict[str, int] = {}
        inside: dict[int, list[int]] = {}
        rows_by_id: dict[int, int] = {}
        current = -1
        for row, computation in zip(collectives, computations.tolist(), strict=True):
            if computation != current:
                current, rows_by_id = computation, self._rows_by_id(computation)
            size = self._size(row, opcodes[row], rows_by_id)
            inside.setdefault(self.computations[computation].id, []).append(size)
            self._add(sizes, row, size)
        for row in wrappers:
            called = self._numbers(row, _CALLED_COMPUTATION_IDS)
            found = inside.get(called[0], []) if len(called) == 1 else []
            self._add(sizes, row, found[0] if len(found) == 1 else _UNKNOWN)
        return sizes

    def _add(self, sizes: dict[str, int], row: int, size: int) -> None:
        if size > 0:
            at, end = self._columns.place[NAME][row].tolist()
            sizes.setdefault(self.proto[at:end].decode(errors="replace"), min(size, MAX_BYTES))

    def _instructions(self) -> tuple[NDArray[np.uint32], list[Computation]]:
        """Bounds of all instructions in turn, and the computations that they belong to."""
        bounds, computations = array("I"), []
        for module in self._places(0, len(self.proto), 1):
            for field in fields(self.proto, *module):
                self._count()
                if field.number == 6 and field.wire_type == VARINT:
                    self.entry = field.value
                elif field.number == 3 and field.wire_type == BYTES:
                    computations.append(self._computation(field.value, field.end, bounds))
        return np.array(bounds, np.uint32), computations

    def _computation(self, at: int, end: int, bounds: array[int]) -> Computation:
        """Appends the bounds of its instructions."""
        first, numbers = len(bounds) // 2, {5: 0, 6: 0}
        for field in fields(self.proto, at, end):
            self._count()
            if field.number == 2 and field.wire_type == BYTES:
                bounds.extend((field.value, field.end))
            elif field.number in numbers and field.wire_type == VARINT:
                numbers[field.number] = field.value
        return Computation(first, numbers[5], numbers[6])

    def _places(self, at: int, end: int, number: int) -> list[tuple[int, int]]:
        places = []
        for field in fields(self.proto, at, end):
            self._count()
            if field.number == number and field.wire_type == BYTES:
                places.append((field.value, field.end))
        return places

    def _count(self) -> None:
        self._outer_fields += 1
        if self._outer_fields > _MAX_OUTER_FIELDS:
            raise WireError(f"it holds more than {_MAX_OUTER_FIELDS} parts")

    def _rows_by_id(self, computation: int) -> dict[int, int]:
        first = int(self._first_rows[computation])
        following = self._first_rows[computation + 1 : computation + 2].tolist() or [len(self._starts)]
        ids = (self._columns.id[first : following[0]] & ID_MASK).tolist()
        return {id: first + index for index, id in enumerate(ids)}

    def _size(self, row: int, opcode: bytes, rows_by_id: Mapping[int, int]) -> int:
        if _WHOLE_ARRAY[opcode.removesuffix(_START)] == _OPERANDS:
            ids = self._numbers(row, _OPERAND_IDS)
            return _total([self._bytes_of_row(rows_by_id.get(id & ID_MASK, -1)) for id in ids])
        at, end = self._columns.place[SHAPE][row].tolist()
        if not opcode.endswith(_START):
            return self._bytes(at, end)
        # Of these two the start returns (operands, results, …); that of an AllReduce returns the results.
        parts = self._shape(at, end).parts
        return self._bytes(*parts[1]) if len(parts) > 1 else _UNKNOWN

    def _numbers(self, row: int, number: int) -> list[int]:
        """A repeated number of an instruction, packed or not."""
        found: list[int] = []
        for field in fields(self.proto, int(self._starts[row]), int(self._ends[row])):
            if field.number == number:
                found += self._repeated(field.wire_type, field.value, field.end)
        return found

    def _repeated(self, wire_type: int, value: int, end: int) -> list[int]:
        if wire_type == VARINT:
            return [value]
        found = []
        while wire_type == BYTES and value < end:
            number, value = read_varint(self.proto, value, end)
            found.append(number)
        return found

    def _bytes_of_row(self, row: int) -> int:
        if row < 0:
            return _UNKNOWN
        if row not in self._operand_bytes:
            at, end = self._columns.place[SHAPE][row].tolist()
            self._operand_bytes[row] = self._bytes(at, end)
        return self._operand_bytes[row]

    def _bytes(self, at: int, end: int, nesting: int = 0) -> int:
        """The size of a ShapeProto, of a tuple that of all its parts."""
        shape = self._shape(at, end)
        if shape.element_type == TUPLE and nesting < _MAX_NESTING:
            return _total([self._bytes(*part, nesting + 1) for part in shape.parts])
        if shape.element_type not in _BITS or min(shape.dimensions, default=0) < 0:
            return _UNKNOWN
        count = 1
        for dimension in shape.dimensions:
            count = min(count * dimension, MAX_BYTES)
        return (count * _BITS[shape.element_type] + 7) // 8

    def _shape(self, at: int, end: int) -> Shape:
        element_type = 0
        dimensions: list[int] = []
        parts: list[tuple[int, int]] = []
        for number, wire_type, value, field_end in fields(self.proto, at, end):
            if number == 2 and wire_type == VARINT:
                element_type = value
            elif number == 3:
                dimensions += map(signed, self._repeated(wire_type, value, field_end))
            elif number == 4 and wire_type == BYTES:
                parts.append((value, field_end))
        return Shape(element_type, dimensions, parts)


def _read_columns(
    proto: bytes, starts: NDArray[np.uint32], ends: NDArray[np.uint32], keys_read: Sequence[int]
) -> Instructions:
    columns = Instructions(
        np.zeros(len(starts), np.int64), {key: np.zeros((len(starts), 2), np.uint32) for key in keys_read}
    )
    if len(starts) <= FEW_INSTRUCTIONS:
        for row, bounds in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            _read_one(proto, bounds, row, columns)
        return columns
    for chunk, window, at, end in chunks(proto, starts, ends):
        for rows, keys, values, lengths in Rounds(window, at, end, _MAX_INSTRUCTION_FIELDS):
            if len(rows) <= FEW_INSTRUCTIONS:  # all others are read
                for row in (chunk.start + rows).tolist():
                    _read_one(proto, (int(starts[row]), int(ends[row])), row, columns)
                break
            is_id = keys == _ID
            columns.id[chunk.start + rows[is_id]] = values[is_id]
            for key, column in columns.place.items():
                is_key = keys == key
                if not is_key.any():
                    continue
                begin = values[is_key] + window.start
                column[chunk.start + rows[is_key]] = np.stack([begin, begin + lengths[is_key]], axis=1)
    return columns


def _read_one(proto: bytes, bounds: tuple[int, int], row: int, columns: Instructions) -> None:
    """The same of one instruction: up to where it is damaged."""
    with suppress(WireError):
        for field in islice(fields(proto, *bounds), _MAX_INSTRUCTION_FIELDS):
            key = field.number << 3 | field.wire_type
            if key == _ID:
                columns.id[row] = field.value & ID_MASK
            elif key in columns.place:
                columns.place[key][row] = field.value, field.end
