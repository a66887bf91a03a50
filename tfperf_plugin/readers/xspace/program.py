"""A program with the shapes and operands of its instructions. What they compute, ``operations`` says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from tfperf_plugin.readers.budget import Budget
from tfperf_plugin.readers.xspace.hlo import (
    ID_MASK,
    MAX_BYTES,
    NAME,
    OPCODE,
    SHAPE,
    TUPLE,
    Program,
    bits_of,
)
from tfperf_plugin.readers.xspace.wire import BYTES, Ints, WireError, fields, read_varint

# Fields of HloInstructionProto.
_MORE: Final = tuple(number << 3 | BYTES for number in (7, 15, 16, 28, 30, 36, 38, 43))
METADATA, WINDOW, CONVOLUTION, TARGET, DOT, OPERANDS, CALLED, CONFIG = _MORE
_OP_NAME: Final = 2  # of OpMetadata
RECOMPUTED: Final = b"rematted_computation"
"""How JAX names what ``jax.checkpoint`` computes again; what XLA computes again has ".remat" in its name."""
_ID_BYTES: Final = 5  # of a number, hold the bits of ID_MASK
MAX_DEPTH: Final = 8
_MAX_PARTS: Final = 8


class ArrayShape(NamedTuple):
    """An array; of a tuple the sum over its arrays, and the shapes of its parts."""

    element_type: int
    dimensions: tuple[int, ...]
    elements: int
    bytes: int
    parts: tuple[ArrayShape, ...] = ()


class Unknown(Exception):
    """The program does not tell, or what it tells is nothing that is known here."""


class WholeProgram(Program):
    """The program under the reader's eyes; each shape is read once.

    ``opcodes``: of all instructions; ``by_id``: the place of each computation; ``budget``: what may still be
    computed for the file. Methods raise WireError for what is damaged and Unknown for what is not told.
    """

    def __init__(self, proto: bytes, budget: Budget) -> None:
        super().__init__(proto, _MORE)
        self.budget = budget
        self.by_id = {c.id: index for index, c in enumerate(self.computations)}
        self.opcodes = [proto[at:end] for at, end in self._columns.place[OPCODE].tolist()]
        self._bounds: dict[int, list[int]] = {}
        self._shapes: dict[bytes, ArrayShape | None] = {}
        self._results: dict[int, ArrayShape] = {}

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
        ids = np.array([c.root & ID_MASK for c in self.computations], np.int64)
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
        # A number that is cut off would go on with those of the next instruction.
        damaged = np.flatnonzero((length > 0) & (stored[np.maximum(end - 1, 0)] >= 0x80))
        length[damaged] = 0
        owner = np.repeat(np.arange(len(length)), length)
        at = np.arange(len(owner)) + (begin - np.cumsum(length) + length)[owner]
        content = stored[at].astype(np.int64)
        is_last = content < 0x80
        first = np.flatnonzero(np.concatenate([[True], is_last[:-1]])[: len(content)])
        place = np.arange(len(content)) - np.repeat(first, np.diff(first, append=len(content)))
        part = np.where(place < _ID_BYTES, (content & 0x7F) << 7 * np.minimum(place, _ID_BYTES), 0)
        ids = np.add.reduceat(part, first) & ID_MASK if len(first) else part
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
        keys = computations << 32 | (self._columns.id & ID_MASK)
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def operands(self, row: int) -> list[ArrayShape]:
        """The shapes of what an instruction is given."""
        found = self.operand_rows(row)
        if min(found, default=0) < 0:
            raise Unknown
        return [self.result(operand) for operand in found]

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

    def _read_shape(self, at: int, end: int, nesting: int) -> ArrayShape | None:
        shape = self._shape(at, end)
        if shape.element_type == TUPLE:
            parts = [
                self._read_shape(*part, nesting + 1) if nesting < MAX_DEPTH else None for part in shape.parts
            ]
            known = tuple(part for part in parts if part)
            if len(known) < len(parts):
                return None
            count, size = sum(part.elements for part in known), sum(part.bytes for part in known)
            return ArrayShape(TUPLE, (), min(count, MAX_BYTES), min(size, MAX_BYTES), known)
        bits = bits_of(shape.element_type)
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
        at, end = self.place(row, key)
        content = self.proto[at:end]
        if content.isascii():  # each number takes one byte
            return list(content)
        found = []
        while at < end:
            number, at = read_varint(self.proto, at, end)
            found.append(number)
        return found

    def all_ints(self, at: int, end: int, number: int) -> list[int]:
        """A repeated number of the message between these bounds, packed or not."""
        found: list[int] = []
        for field in fields(self.proto, at, end):
            if field.number == number:
                found += self._repeated(field.wire_type, field.value, field.end)
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
    """The shapes, which are as many at least."""
    if len(shapes) < count:
        raise Unknown
    return shapes
