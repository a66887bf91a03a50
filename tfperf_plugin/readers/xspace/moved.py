"""Bytes that each instruction moves: those that must cross memory once.

Operands and results of the instruction, of a sliced operand only the slice. A gather or scatter inside a
fusion touches only what it gathers or scatters, not the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tfperf_plugin.readers.xspace.library_calls import estimated, written_by_call
from tfperf_plugin.readers.xspace.program import CALLED, Program, Unknown, first

_SLICES: Final = frozenset((b"slice", b"dynamic-slice", b"gather"))


class MovedBytes:
    """The bytes that a program's instructions move; each computation is read once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._bytes_inside: dict[int, int | None] = {}

    def of(self, row: int) -> int:
        """Bytes that one execution of an instruction moves."""
        opcode, out = self._program.opcodes[row], self._program.result(row)
        if opcode == b"fusion":
            called = self._program.ints(row, CALLED)
            return self._of_computation(called[0] if called else -1)
        operands = self._program.operands(row)
        if opcode in _SLICES:
            return 2 * out.bytes + sum(o.bytes for o in operands[1:])
        if opcode == b"dynamic-update-slice":
            return 2 * first(operands, 2)[1].bytes + sum(o.bytes for o in operands[2:])
        if opcode == b"scatter":
            _, indices, updates = first(operands, 3)[:3]
            return 3 * updates.bytes + indices.bytes
        if opcode == b"custom-call":
            estimate = estimated(self._program, row)
            if estimate:
                return estimate[1]
            return sum(part.bytes for part in written_by_call(out)) + sum(o.bytes for o in operands)
        return out.bytes + sum(o.bytes for o in operands)

    def _of_computation(self, computation: int) -> int:
        """What a fusion reads and writes."""
        if computation not in self._bytes_inside:
            self._bytes_inside[computation] = None  # also if reading it fails
            self._bytes_inside[computation] = self._read_and_written(computation)
        found = self._bytes_inside[computation]
        if found is None:
            raise Unknown
        return found

    def _read_and_written(self, computation: int) -> int | None:
        if computation not in self._program.by_id:
            return None
        read: dict[int, int] = {}
        total = 0
        for row in reversed(self._program.rows_of(computation)):  # users come behind what they use
            opcode = self._program.opcodes[row]
            size = min(self._program.result(row).bytes, read.get(row, 0))
            if opcode == b"parameter":
                total += size
                continue
            operands = self._program.operand_rows(row)
            for place, operand in enumerate(operands):
                if operand < 0:
                    return None
                read[operand] = read.get(operand, 0) + self._read_by(row, opcode, place, operands, size)
        root = self._program.root_row(computation)
        return None if root < 0 else total + self._written(root)

    def _read_by(self, row: int, opcode: bytes, place: int, operands: Sequence[int], size: int) -> int:
        """Bytes that an instruction reads of its operand in this place."""
        if opcode == b"bitcast":
            return size if size else self._program.result(row).bytes
        if place == 0 and opcode in _SLICES:
            return self._program.result(row).bytes
        if place == 0 and opcode == b"dynamic-update-slice":
            return 0
        if place == 0 and opcode == b"scatter":
            return self._program.result(operands[-1]).bytes
        return self._program.result(operands[place]).bytes

    def _written(self, root: int) -> int:
        """Bytes that the result takes; an array that is updated in place, only by the update."""
        is_tuple = self._program.opcodes[root] == b"tuple"
        written = 0
        for row in self._program.operand_rows(root) if is_tuple else [root]:
            if row < 0:
                raise Unknown
            opcode = self._program.opcodes[row]
            if opcode in (b"dynamic-update-slice", b"scatter"):
                operands = self._program.operand_rows(row)
                at = 1 if opcode == b"dynamic-update-slice" else len(operands) - 1
                if not 0 < at < len(operands) or operands[at] < 0:
                    raise Unknown
                row = operands[at]
            written += self._program.result(row).bytes
        return written
