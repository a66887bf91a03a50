"""Operations of each instruction, and of what it computes inside its own kernels."""

from __future__ import annotations

import math
from typing import Final

from tfperf_plugin.readers.xspace.library_calls import custom_call
from tfperf_plugin.readers.xspace.products import NONE, Flops, convolution, dot_dimensions, product, window
from tfperf_plugin.readers.xspace.program import CALLED, MAX_BYTES, MAX_DEPTH, Program, Unknown, first

ELEMENTWISE: Final = frozenset(
    b"abs add and bitcast-convert ceil clamp compare complex convert count-leading-zeros divide floor imag "
    b"is-finite maximum minimum multiply negate not or popcnt real reduce-precision remainder "
    b"round-nearest-afz round-nearest-even select shift-left shift-right-arithmetic shift-right-logical sign "
    b"stochastic-convert subtract xor".split()
)
TRANSCENDENTAL: Final = frozenset(
    b"acos acosh asin asinh atan2 atanh cbrt cosine cosh erf exponential exponential-minus-one log "
    b"log-plus-one logistic power rsqrt sine sinh sqrt tan tanh".split()
)
MOVES: Final = frozenset(
    b"broadcast concatenate copy dynamic-slice dynamic-update-slice gather iota pad reshape reverse slice "
    b"transpose".split()
)
FREE: Final = frozenset(
    b"parameter constant bitcast get-tuple-element tuple after-all add-dependency opt-barrier "
    b"partition-id replica-id".split()
)


class Operations:
    """The operations of a program's instructions; each computation is read once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._flops_inside: dict[int, Flops | None] = {}

    def flops(self, row: int, depth: int) -> Flops:
        """The operations of one execution of an instruction nested ``depth`` computations deep."""
        program = self._program
        opcode = program.opcodes[row]
        if opcode in FREE:
            return NONE
        if opcode == b"gather":
            return Flops(kind="gather", gathered=program.result(row).bytes)
        if opcode in MOVES or opcode in TRANSCENDENTAL:
            return NONE
        out = program.result(row)
        if opcode in ELEMENTWISE:
            return Flops(vector=out.elements)
        operands = program.operands(row)
        if opcode == b"dot":
            return product(program, row, out, operands, *dot_dimensions(program, row))
        if opcode == b"convolution":
            input, kernel = first(operands, 2)[:2]
            return convolution(program, row, input, kernel, out)
        if opcode == b"custom-call":
            return custom_call(program, row, operands, out)
        called = program.ints(row, CALLED)
        if not called:
            raise Unknown
        inside = self._inside(called[0], depth)
        if opcode == b"fusion":
            return inside
        if opcode == b"map":
            return Flops().plus(inside, out.elements)
        if opcode == b"reduce":
            # Several arrays that are reduced together have one value to begin with each.
            results = out.parts or (out,)
            given = first(operands, len(results))
            return Flops().plus(inside, max(0, given[0].elements - results[0].elements))
        if opcode == b"reduce-window":
            results = out.parts or (out,)
            return Flops().plus(inside, self._times_window(row, results[0].elements))
        if opcode == b"scatter":
            # (arrays, indices, updates), with as many updates as arrays
            return Flops(kind="scatter").plus(inside, first(operands, 3)[-1].elements)
        if opcode == b"select-and-scatter":
            source = first(operands, 2)[1].elements
            chosen = Flops().plus(inside, self._times_window(row, source))
            return chosen.plus(self._inside(called[1], depth), source) if len(called) > 1 else chosen
        if opcode == b"sort":
            count = (out.parts or (out,))[0].elements
            return Flops(vector=count * max(1, count - 1).bit_length())
        raise Unknown

    def _times_window(self, row: int, count: int) -> int:
        """Steps from value to value in ``count`` windows of an instruction."""
        size = min(math.prod(dimension[0] for dimension in window(self._program, row)), MAX_BYTES)
        return min(count * max(0, size - 1), MAX_BYTES)

    def _inside(self, computation: int, depth: int) -> Flops:
        """The sum over a computation that another instruction computes."""
        if computation not in self._flops_inside:
            self._flops_inside[computation] = None  # also if it calls itself
            if depth == MAX_DEPTH or computation not in self._program.by_id:
                raise Unknown
            total, vector = Flops(), 0
            for row in self._program.rows_of(computation):
                one = self.flops(row, depth + 1)
                if one.matrix or one.kind != "other":
                    total = total.plus(one)
                else:
                    vector += one.vector
            self._flops_inside[computation] = total.plus(Flops(vector))
        found = self._flops_inside[computation]
        if found is None:
            raise Unknown
        return found
