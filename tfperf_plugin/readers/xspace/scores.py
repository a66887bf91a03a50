"""What of a program an attention in several instructions is made of: its products and softmaxes.

How they are joined, ``attention`` says, which knows of no program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tfperf_plugin.readers.xspace.attention import Graph, Softmax, attentions
from tfperf_plugin.readers.xspace.operations import ELEMENTWISE, MOVES, TRANSCENDENTAL
from tfperf_plugin.readers.xspace.program import CALLED, MAX_DEPTH, Unknown, WholeProgram
from tfperf_plugin.readers.xspace.wire import WireError
from tfperf_plugin.trace.model import OpWork

_PASSED: Final = (
    ELEMENTWISE | TRANSCENDENTAL | MOVES | frozenset((b"bitcast", b"fusion", b"get-tuple-element", b"reduce"))
)
"""What may lie between the products of an attention."""
_EXPONENTIAL: Final = frozenset((b"exponential", b"exponential-minus-one"))


def attentions_of(program: WholeProgram, computation: int, works: Mapping[int, OpWork]) -> dict[int, int]:
    """Instruction that is part of an attention in several → its first product."""
    products = {
        row: work.products[0]
        for row, work in works.items()
        if len(work.products) == 1 and work.kind == "product"
    }
    if sum(product.batch > 1 for product in products.values()) < 2:
        return {}
    users: dict[int, list[int]] = {}
    for row in program.rows_of(computation):
        if row in products or program.opcodes[row] in _PASSED:
            for operand in program.operand_rows(row):
                users.setdefault(operand, []).append(row)
    return attentions(Graph(users, products, program.sizes, _Softmaxes(program).of, program.budget))


class _Softmaxes:
    """What instructions compute of a softmax; each computation is read once."""

    def __init__(self, program: WholeProgram) -> None:
        self._program = program
        self._inside: dict[int, Softmax] = {}

    def of(self, row: int, depth: int = 0) -> Softmax:
        """What an instruction computes of a softmax, within itself if it is a fusion."""
        opcode = self._program.opcodes[row]
        try:
            if opcode in _EXPONENTIAL:
                return Softmax(frozenset((self._program.result(row).elements,)))
            called = self._program.ints(row, CALLED)[:1]
            if opcode == b"reduce" and called:
                result = frozenset(self._program.sizes(row))
                root = self._program.root_opcode(called[0])
                return Softmax(
                    largest=result if root == b"maximum" else frozenset(),
                    sums=result if root == b"add" else frozenset(),
                )
            if opcode == b"fusion" and called and depth < MAX_DEPTH:
                return self._of_computation(called[0], depth)
        except (Unknown, WireError):
            pass
        return Softmax()

    def _of_computation(self, computation: int, depth: int) -> Softmax:
        if computation not in self._inside:
            self._inside[computation] = Softmax()  # also if it calls itself
            total: list[set[int]] = [set(), set(), set()]
            for row in self._program.rows_of(computation) if computation in self._program.by_id else ():
                for known, more in zip(total, self.of(row, depth + 1), strict=True):
                    if self._program.budget.draw(len(more)):
                        known |= more
            self._inside[computation] = Softmax(*map(frozenset, total))
        return self._inside[computation]
