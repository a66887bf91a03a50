"""How much each instruction of an XLA program computes and moves, from the program (HLO) itself.

Rules are those of XLA's ``HloCostAnalysis``: a multiply-add is two operations, an elementwise instruction
one per element, transcendental functions do not count (``operations``, ``products``, ``library_calls``), and
bytes are those that must cross memory once (``moved``). Two counts differ, because XLA's are not those of the
GPU: gathers and scatters inside fusions, and calls of libraries. What a loop repeats is counted once, as its
kernels run once each time. An instruction that is not known here is left out: its work is unknown, not zero.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from msgspec.structs import replace

from tfperf_plugin.readers.budget import Budget
from tfperf_plugin.readers.xspace.attention import attentions_of
from tfperf_plugin.readers.xspace.moved import MovedBytes
from tfperf_plugin.readers.xspace.operations import FREE, Operations
from tfperf_plugin.readers.xspace.program import (
    CALLED,
    MAX_BYTES,
    METADATA,
    NAME,
    RECOMPUTED,
    Program,
    Unknown,
)
from tfperf_plugin.readers.xspace.wire import WireError
from tfperf_plugin.trace.model import OpWork

_FORWARD, _BACKWARD = b"jvp(", b"transpose("
_CONTROL: Final = frozenset((b"while", b"call", b"conditional", b"async-start"))
"""Run the instructions of other computations, each as kernels of its own."""
_GATHERED_SHARE: Final = 4
"""A fusion is a gather if it gathers at least one byte in this number of its bytes."""


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
        self._moved = MovedBytes(program)

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
            for row, first in attentions_of(self._program, computation, works).items():
                if row in works:
                    works[row] = replace(works[row], attention=names[first])
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
