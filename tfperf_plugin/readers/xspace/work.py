"""How much each instruction of an XLA program computes and moves, from the program (HLO) itself.

Rules are those of XLA's ``HloCostAnalysis``: a multiply-add is two operations, an elementwise instruction one
per element, transcendental functions do not count (``operations``, ``products``), and bytes are those that
must cross memory once: operands and results, of a sliced operand only the slice. Two counts differ,
because XLA's are not those of the GPU: gathers and scatters inside fusions, and calls of libraries. What a
loop repeats is counted once, as its kernels run once each time. An instruction that is not known here is left
out: its work is unknown, not zero.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.readers.content import Budget
from tfperf_plugin.readers.xspace.attention import attentions_of
from tfperf_plugin.readers.xspace.operations import FREE, Operations, estimated, written_by_call
from tfperf_plugin.readers.xspace.program import (
    CALLED,
    MAX_BYTES,
    METADATA,
    NAME,
    RECOMPUTED,
    Program,
    Unknown,
    first,
)
from tfperf_plugin.readers.xspace.wire import WireError
from tfperf_plugin.trace.model import OpWork

_FORWARD, _BACKWARD = b"jvp(", b"transpose("
_CONTROL: Final = frozenset((b"while", b"call", b"conditional", b"async-start"))
"""Run the instructions of other computations, each as kernels of its own."""
_GATHERED_SHARE: Final = 4
"""A fusion is a gather if it gathers at least one byte in this number of its bytes."""
_SLICES: Final = frozenset((b"slice", b"dynamic-slice", b"gather"))


def work_of(proto: bytes, asked: Set[str] | None = None, budget: Budget | None = None) -> dict[str, OpWork]:
    """The work of one execution of each instruction.

    Args:
        proto: a serialized HloProto.
        asked: names of the instructions of interest; ``None`` for all.
        budget: what may be computed for the program's host; ``None`` for what its own size allows.

    Returns:
        Instruction name → its work. Instructions that other instructions compute within their own kernels (in
        fusions, in reductions) are part of these; those of loops, calls and branches stand for themselves.
        What is damaged or not known is left out.
    """
    try:
        return _Work(Program(proto, budget or Budget(len(proto)))).all(asked)
    except WireError:
        return {}


class _Work:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._operations = Operations(program)
        self._moved = _MovedBytes(program)

    def all(self, asked: Set[str] | None) -> dict[str, OpWork]:
        """The work of the instructions ``asked``, as ``work_of`` returns it."""
        found: dict[str, OpWork | None] = {}
        seen, waiting = set(), [self._program.entry]
        while waiting:
            computation = waiting.pop()
            if computation in seen or computation not in self._program.by_id:
                continue
            seen.add(computation)
            works: dict[int, OpWork] = {}
            names: dict[int, str] = {}
            for row in self._program.rows_of(computation):
                opcode = self._program.opcodes[row]
                if opcode in _CONTROL:
                    waiting += self._program.ints(row, CALLED)
                elif opcode not in FREE:
                    name = self._program.content(row, NAME).decode(errors="replace")
                    if asked is None or name in asked:
                        names[row] = name
                        work = self._work(row, per_run=computation == self._program.entry)
                        if work:
                            works[row] = work
            for row, begin in attentions_of(self._program, computation, works).items():
                if row in works:
                    works[row] = replace(works[row], attention=names[begin])
            if any(work.recomputed for work in works.values()):
                for row in self._of_forward_pass(computation) & works.keys():
                    works[row] = replace(works[row], recomputed=False, recomputed_flops=0)
            for row, name in names.items():
                found[name] = works.get(row) if name not in found else None
        return {name: work for name, work in found.items() if work}

    def _work(self, row: int, per_run: bool) -> OpWork | None:
        try:
            flops = self._operations.flops(row, 0)
            moved = self._moved.of(row)
        except (Unknown, WireError):
            return None
        moved = min(moved, MAX_BYTES)
        kind = flops.kind
        if kind == "gather" and _GATHERED_SHARE * flops.gathered < moved:
            kind = "other"
        return OpWork(
            flops=min(flops.vector + flops.matrix, MAX_BYTES),
            matrix_flops=flops.matrix,
            matrix_format=flops.format,
            bytes=moved,
            per_run=per_run,
            kind=kind,
            products=flops.products,
            recomputed=flops.again == flops.matrix if flops.matrix else self._program.is_recomputed(row),
            recomputed_flops=flops.again,
        )

    def _of_forward_pass(self, computation: int) -> set[int]:
        """Instructions that a forward pass of JAX needs, even if they are named like what is computed again:
        XLA computes equal ones only once."""
        needed: set[int] = set()
        for row in reversed(self._program.rows_of(computation)):  # users come behind what they use
            name = self._program.content(row, METADATA)
            is_forward = _FORWARD in name and _BACKWARD not in name
            if is_forward or (row in needed and (RECOMPUTED in name or self._program.opcodes[row] in FREE)):
                needed.update(self._program.operand_rows(row))
        return needed


class _MovedBytes:
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
