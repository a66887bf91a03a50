"""A program of XLA, an HloProto, with the shapes and operands of its instructions.

What they compute, ``operations`` says. Of a program of many megabytes, only the asked fields are found.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tfperf_plugin.readers.content import Budget
from tfperf_plugin.readers.xspace.wire import (
    BYTES,
    VARINT,
    Field,
    Ints,
    Rounds,
    WireError,
    chunks,
    fields,
    read_varint,
    signed,
)

_BITS: Final = {
    1: 8, 2: 8, 3: 16, 4: 32, 5: 64, 6: 8, 7: 16, 8: 32, 9: 64, 10: 16, 11: 32, 12: 64, 15: 64, 16: 16,
    18: 128, 19: 8, 20: 8, 21: 4, 22: 4, 23: 8, 24: 8, 25: 8, 26: 2, 27: 2, 28: 8, 29: 8, 30: 1, 31: 1,
    32: 4, 33: 8,
}  # fmt: skip
"""Bits of an element by xla.PrimitiveType; a predicate takes a byte."""
_TUPLE: Final = 13

# Fields of HloInstructionProto: those that are found in every program, and those that tell its work.
NAME, OPCODE, SHAPE = (number << 3 | BYTES for number in (1, 2, 3))
WORK: Final = tuple(number << 3 | BYTES for number in (7, 15, 16, 28, 30, 36, 38, 43))
METADATA, WINDOW, CONVOLUTION, TARGET, DOT, OPERANDS, CALLED, CONFIG = WORK
_ID: Final = 35 << 3 | VARINT
_OP_NAME: Final = 2  # of OpMetadata
RECOMPUTED: Final = b"rematted_computation"
"""How JAX names what ``jax.checkpoint`` computes again; what XLA computes again has ".remat" in its name."""
_ID_MASK: Final = (1 << 32) - 1
"""Ids are unique within a computation; XLA stores the computation's own id above them, or does not."""
_ID_BYTES: Final = 5  # of a number, hold the bits of _ID_MASK

_MAX_OUTER_FIELDS: Final = 1 << 20  # programs of large models have some hundred thousand instructions
_MAX_INSTRUCTION_FIELDS: Final = 256  # lists with an entry per device come behind all that is read
MAX_DEPTH: Final = 8
_MAX_PARTS: Final = 8
FEW_INSTRUCTIONS = 48
"""Up to this number, instructions are read faster one after the other than all at once."""
MAX_BYTES: Final = 1 << 62


class Unknown(Exception):
    """The program does not tell, or what it tells is nothing that is known here."""


class ArrayShape(NamedTuple):
    """An array; of a tuple the sum over its arrays, and the shapes of its parts."""

    element_type: int
    dimensions: tuple[int, ...]
    elements: int
    bytes: int
    parts: tuple[ArrayShape, ...] = ()


class _Instructions(NamedTuple):
    """The id of each instruction, and by keys of other fields the bounds (uint32[n, 2]) of their content."""

    id: Ints
    place: Mapping[int, NDArray[np.uint32]]


class _Computation(NamedTuple):
    """``first``: row of its first instruction; ``root``: id of the instruction whose result it returns."""

    first: int
    id: int
    root: int


class _Shape(NamedTuple):
    """A ShapeProto; ``parts``: bounds of the shapes of a tuple."""

    element_type: int
    dimensions: list[int]
    parts: list[tuple[int, int]]


class Program:
    """A program; each shape is read once.

    Methods raise WireError for what is damaged and Unknown for what is not told.
    """

    budget: Budget  #: What may still be computed for the file.
    entry: int  #: The id of the computation that runs first.
    opcodes: list[bytes]  #: The opcodes of all instructions.
    by_id: dict[int, int]  #: The place of each computation by its id.

    def __init__(self, proto: bytes, budget: Budget, more: Sequence[int] = WORK) -> None:
        """``more``: fields of instructions to be found beside name, opcode and shape."""
        self.proto, self.budget = proto, budget
        self._outer_fields = 0
        self.entry = 0
        bounds, self.computations = self._instructions()
        self.by_id = {c.id: index for index, c in enumerate(self.computations)}
        self._first_rows = np.array([c.first for c in self.computations], np.int64)
        self._starts, self._ends = bounds[0::2], bounds[1::2]
        self._columns = _read_columns(proto, self._starts, self._ends, (NAME, OPCODE, SHAPE, *more))
        self.opcodes = [proto[at:end] for at, end in self._columns.place[OPCODE].tolist()]
        self._bounds: dict[int, list[int]] = {}
        self._shapes: dict[bytes, ArrayShape | None] = {}
        self._results: dict[int, ArrayShape] = {}

    def _instructions(self) -> tuple[NDArray[np.uint32], list[_Computation]]:
        """Bounds of all instructions in turn, and the computations that they belong to."""
        bounds, computations = array("I"), []
        for module in self._outer(0, len(self.proto)):
            if (module.number, module.wire_type) != (1, BYTES):
                continue
            for field in self._outer(module.value, module.end):
                if field.number == 6 and field.wire_type == VARINT:
                    self.entry = field.value
                elif field.number == 3 and field.wire_type == BYTES:
                    first, numbers = len(bounds) // 2, {5: 0, 6: 0}
                    for inner in self._outer(field.value, field.end):
                        if inner.number == 2 and inner.wire_type == BYTES:
                            bounds.extend((inner.value, inner.end))
                        elif inner.number in numbers and inner.wire_type == VARINT:
                            numbers[inner.number] = inner.value
                    computations.append(_Computation(first, numbers[5], numbers[6]))
        return np.array(bounds, np.uint32), computations

    def _outer(self, at: int, end: int) -> Iterator[Field]:
        """The fields of a message around instructions; raises WireError if there are too many in all."""
        for field in fields(self.proto, at, end):
            self._outer_fields += 1
            if self._outer_fields > _MAX_OUTER_FIELDS:
                raise WireError(f"it holds more than {_MAX_OUTER_FIELDS} parts")
            yield field

    def rows_of(self, computation: int) -> range:
        """The instructions of a computation, in the order of the file."""
        index = self.by_id[computation]
        return range(*self._first_rows_and_end[index : index + 2])

    @cached_property
    def _first_rows_and_end(self) -> list[int]:
        return [*self._first_rows.tolist(), len(self._starts)]

    def root_row(self, computation: int) -> int:
        """What a computation returns; −1 if there is no such instruction."""
        return self._roots[self.by_id[computation]]

    @cached_property
    def _roots(self) -> list[int]:
        ids = np.array([c.root & _ID_MASK for c in self.computations], np.int64)
        rows: list[int] = self._find(np.arange(len(ids)), ids).tolist()
        return rows

    def root_opcode(self, computation: int) -> bytes:
        """The opcode of what a computation returns."""
        row = self.root_row(computation) if computation in self.by_id else -1
        return self.opcodes[row] if row >= 0 else b""

    def operand_rows(self, row: int) -> list[int]:
        """The operands of an instruction; −1 for what is not in its computation."""
        rows, ends, damaged = self._all_operands
        if row in damaged:
            raise WireError("one of its operands is cut off")
        return rows[ends[row - 1] if row else 0 : ends[row]]

    @cached_property
    def _all_operands(self) -> tuple[list[int], list[int], set[int]]:
        """The operands of all instructions in turn, the end of those of each, and which cannot be read."""
        begin, end = self._columns.place[OPERANDS].astype(np.int64).T
        length = end - begin
        stored = np.frombuffer(self.proto, np.uint8)
        # A number that is cut off would go on in the next instruction's numbers.
        damaged = np.flatnonzero((length > 0) & (stored[np.maximum(end - 1, 0)] >= 0x80))
        length[damaged] = 0
        owner = np.repeat(np.arange(len(length)), length)
        at = np.arange(len(owner)) + (begin - np.cumsum(length) + length)[owner]
        content = stored[at].astype(np.int64)
        is_last = content < 0x80
        first = np.flatnonzero(np.concatenate([[True], is_last[:-1]])[: len(content)])
        place = np.arange(len(content)) - np.repeat(first, np.diff(first, append=len(content)))
        part = np.where(place < _ID_BYTES, (content & 0x7F) << 7 * np.minimum(place, _ID_BYTES), 0)
        ids = np.add.reduceat(part, first) & _ID_MASK if len(first) else part
        owner = owner[first]
        computations = np.searchsorted(self._first_rows, owner, "right") - 1
        ends = np.cumsum(np.bincount(owner, minlength=len(length)))
        return self._find(computations, ids).tolist(), ends.tolist(), set(damaged.tolist())

    def _find(self, computations: Ints, ids: Ints) -> Ints:
        """Rows of the instructions with these ids in these computations, −1 for none."""
        keys, order = self._keys
        if not len(keys):
            return np.full(len(ids), -1)
        wanted = computations << 32 | ids
        place = np.searchsorted(keys, wanted, "right") - 1
        return np.where((place >= 0) & (keys[place] == wanted), order[place], -1)

    @cached_property
    def _keys(self) -> tuple[Ints, Ints]:
        """Computation and id of all instructions in ascending order, and their rows."""
        rows = np.arange(len(self._starts))
        computations = np.searchsorted(self._first_rows, rows, "right") - 1
        keys = computations << 32 | (self._columns.id & _ID_MASK)
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def operands(self, row: int) -> list[ArrayShape]:
        """The shapes of what an instruction is given."""
        return self._results_of(self.operand_rows(row))

    def _results_of(self, rows: Sequence[int]) -> list[ArrayShape]:
        if min(rows, default=0) < 0:
            raise Unknown
        return [self.result(row) for row in rows]

    def part(self, row: int, place: int) -> ArrayShape:
        """The shape of one part of the tuple that an instruction returns."""
        parts = self._shape(*self.place(row, SHAPE)).parts
        if place >= len(parts) or not (found := self._read_shape(*parts[place], 1)):
            raise Unknown
        return found

    def result(self, row: int) -> ArrayShape:
        """The shape of an instruction's result; equal ones are read once."""
        if row in self._results:
            return self._results[row]
        stored = self.content(row, SHAPE)
        if stored not in self._shapes:
            self._shapes[stored] = self._read_shape(*self.place(row, SHAPE), 0)
        found = self._shapes[stored]
        if found is None:
            raise Unknown
        self._results[row] = found
        return found

    def sizes(self, row: int) -> Sequence[int]:
        """Elements of each array of a result, without those that are not known."""
        try:
            out = self.result(row)
        except (Unknown, WireError):
            return ()
        return [part.elements for part in out.parts[:_MAX_PARTS] or (out,)]

    def _shape(self, at: int, end: int) -> _Shape:
        element_type = 0
        dimensions: list[int] = []
        parts: list[tuple[int, int]] = []
        for field in fields(self.proto, at, end):
            if field.number == 2 and field.wire_type == VARINT:
                element_type = field.value
            elif field.number == 3:
                dimensions += map(signed, self._repeated(field))
            elif field.number == 4 and field.wire_type == BYTES:
                parts.append((field.value, field.end))
        return _Shape(element_type, dimensions, parts)

    def _read_shape(self, at: int, end: int, nesting: int) -> ArrayShape | None:
        shape = self._shape(at, end)
        if shape.element_type == _TUPLE:
            parts = [
                self._read_shape(*part, nesting + 1) if nesting < MAX_DEPTH else None for part in shape.parts
            ]
            known = tuple(part for part in parts if part)
            if len(known) < len(parts):
                return None
            count, size = sum(part.elements for part in known), sum(part.bytes for part in known)
            return ArrayShape(_TUPLE, (), min(count, MAX_BYTES), min(size, MAX_BYTES), known)
        bits = _BITS.get(shape.element_type)
        if bits is None or min(shape.dimensions, default=0) < 0:
            return None
        count = 1
        for dimension in shape.dimensions:
            count = min(count * dimension, MAX_BYTES)
        return ArrayShape(shape.element_type, tuple(shape.dimensions), count, (count * bits + 7) // 8)

    def place(self, row: int, key: int) -> tuple[int, int]:
        """The bounds of a field of an instruction; equal ones if it has none."""
        if key not in self._bounds:
            self._bounds[key] = self._columns.place[key].ravel().tolist()
        bounds = self._bounds[key]
        return bounds[2 * row], bounds[2 * row + 1]

    def content(self, row: int, key: int) -> bytes:
        """The bytes of a field of an instruction."""
        at, end = self.place(row, key)
        return self.proto[at:end]

    def ints(self, row: int, key: int) -> list[int]:
        """A repeated number, packed as every writer stores it."""
        return self._packed(*self.place(row, key))

    def _packed(self, at: int, end: int) -> list[int]:
        content = self.proto[at:end]
        if content.isascii():  # each number takes one byte
            return list(content)
        found = []
        while at < end:
            number, at = read_varint(self.proto, at, end)
            found.append(number)
        return found

    def _repeated(self, field: Field) -> list[int]:
        """A repeated number, packed or not."""
        if field.wire_type == VARINT:
            return [field.value]
        return self._packed(field.value, field.end) if field.wire_type == BYTES else []

    def computation_of(self, row: int) -> int:
        """The place of the computation that an instruction belongs to."""
        return bisect_right(self._first_rows_and_end, row, hi=len(self.computations)) - 1

    def stored_operands(self, row: int) -> list[ArrayShape]:
        """The result of ``operands``, also if their numbers are not packed; reads all of the instruction."""
        ids = self.all_ints(int(self._starts[row]), int(self._ends[row]), OPERANDS >> 3)
        low = np.array([number & _ID_MASK for number in ids], np.int64)
        return self._results_of(self._find(np.full(len(ids), self.computation_of(row)), low).tolist())

    def called(self, row: int) -> list[int]:
        """The computations that an instruction calls, packed or not."""
        return self.all_ints(int(self._starts[row]), int(self._ends[row]), CALLED >> 3)

    def all_ints(self, at: int, end: int, number: int) -> list[int]:
        """A repeated number of the message between these bounds, packed or not."""
        found: list[int] = []
        for field in fields(self.proto, at, end):
            if field.number == number:
                found += self._repeated(field)
        return found

    def is_recomputed(self, row: int) -> bool:
        """Whether an instruction repeats a part of the forward pass."""
        if b".remat" in self.content(row, NAME):
            return True
        return RECOMPUTED in self.content(row, METADATA) and any(
            RECOMPUTED in self.proto[field.value : field.end]
            for field in fields(self.proto, *self.place(row, METADATA))
            if field.number == _OP_NAME and field.wire_type == BYTES
        )


def first(shapes: Sequence[ArrayShape], count: int) -> Sequence[ArrayShape]:
    """The shapes. Raises Unknown if there are fewer than ``count``."""
    if len(shapes) < count:
        raise Unknown
    return shapes


def _read_columns(
    proto: bytes, starts: NDArray[np.uint32], ends: NDArray[np.uint32], keys_read: Sequence[int]
) -> _Instructions:
    columns = _Instructions(
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


def _read_one(proto: bytes, bounds: tuple[int, int], row: int, columns: _Instructions) -> None:
    """The same of one instruction: up to where it is damaged."""
    with suppress(WireError):
        for field in islice(fields(proto, *bounds), _MAX_INSTRUCTION_FIELDS):
            key = field.number << 3 | field.wire_type
            if key == _ID:
                columns.id[row] = field.value & _ID_MASK
            elif key in columns.place:
                columns.place[key][row] = field.value, field.end
