"""Operations of instructions as such, and of the products and convolutions (windows) among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Final, NamedTuple

from tfperf_plugin.readers.xspace.program import (
    CONVOLUTION,
    DOT,
    MAX_BYTES,
    WINDOW,
    ArrayShape,
    Program,
    Unknown,
    first,
)
from tfperf_plugin.readers.xspace.wire import BYTES, VARINT, fields, signed
from tfperf_plugin.trace.model import OpKind, Product

FORMATS: Final = {
    2: "int8", 6: "int8", 10: "fp16", 11: "fp32", 12: "fp64", 16: "bf16",
    19: "fp8", 20: "fp8", 23: "fp8", 24: "fp8", 25: "fp8", 28: "fp8", 29: "fp8",
}  # fmt: skip
"""Formats with a rate of their own on matrix units, by xla.PrimitiveType."""
MIXED: Final = "mixed"
_MOST_PRODUCTS: Final = 4
_MAX_DIMENSIONS: Final = 8
_STEPS_A_RESIDUE = 20
"""Microseconds that ``positions`` takes for each place of the kernel modulo the dilation of the input."""


class Flops(NamedTuple):
    """Operations of ordinary units, and of matrix units in ``format``.

    ``again``: those of ``matrix`` that repeat a part of the forward pass; ``gathered``: bytes.
    """

    vector: int = 0
    matrix: int = 0
    format: str = ""
    kind: OpKind = "other"
    products: tuple[Product, ...] = ()
    again: int = 0
    gathered: int = 0

    def plus(self, other: Flops, times: int = 1) -> Flops:
        """Adds ``times`` × ``other``."""
        formats = {self.format, other.format} - {""}
        products = self.products + other.products
        return Flops(
            min(self.vector + times * other.vector, MAX_BYTES),
            min(self.matrix + times * other.matrix, MAX_BYTES),
            MIXED if len(formats) > 1 else "".join(formats),
            max(self.kind, other.kind, key=_KINDS.index),
            tuple(sorted(products, key=_operations, reverse=True)[:_MOST_PRODUCTS]) if products else (),
            min(self.again + times * other.again, MAX_BYTES),
            min(self.gathered + times * other.gathered, MAX_BYTES),
        )


_KINDS: Final[tuple[OpKind, ...]] = ("other", "gather", "scatter", "product", "convolution", "attention")
"""An instruction with operations of several kinds is of the kind that comes last here."""

NONE: Final = Flops()


def _operations(product: Product) -> int:
    return product.batch * product.m * product.n * product.k * product.window


def product(
    program: Program,
    row: int,
    out: ArrayShape,
    operands: Sequence[ArrayShape],
    contracting: Sequence[int],
    batched: Iterable[int],
) -> Flops:
    """Operations of a product that sums over the ``contracting`` dimensions of its left operand."""
    lhs = first(operands, 2)[0]
    k, batch = (_extent(lhs.dimensions, dimensions) for dimensions in (contracting, batched))
    m = lhs.elements // max(1, batch * k)
    n = out.elements // max(1, batch * m)
    format = FORMATS.get(lhs.element_type, MIXED)
    # A product for weights' gradients sums over rows: its operands do not lie in memory along k.
    over_rows = len(lhs.dimensions) - 1 not in contracting
    made = Product(batch, m, n, k, format, gradient="filter" if over_rows else "")
    return matrix(program, row, "product", min(2 * out.elements * k, MAX_BYTES), made)


def matrix(program: Program, row: int, kind: OpKind, count: int, product: Product) -> Flops:
    """``count`` operations on matrix units."""
    again = count if program.is_recomputed(row) else 0
    return Flops(matrix=count, format=product.format, kind=kind, products=(product,), again=again)


def dot_dimensions(program: Program, row: int) -> tuple[list[int], list[int]]:
    """The dimensions of a dot's left operand that are summed over, and its batch dimensions."""
    at, end = program.place(row, DOT)
    if not end:
        raise Unknown
    return program.all_ints(at, end, 1), program.all_ints(at, end, 3)


def convolution(
    program: Program, row: int, input: ArrayShape, kernel: ArrayShape, output: ArrayShape
) -> Flops:
    """Operations of a convolution, or a gradient of one; multiplications by padding do not count."""
    at, end = program.place(row, CONVOLUTION)
    if not end:
        raise Unknown
    one = {number: program.all_ints(at, end, number) for number in (3, 4, 6, 7, 8, 9, 10, 11, 12)}
    if any(len(values) > 1 for number, values in one.items() if number not in (6, 11, 12)):
        raise Unknown
    dimension = {number: values[0] if values else 0 for number, values in one.items()}
    sizes_of_window = window(program, row)
    if not len(sizes_of_window) == len(one[6]) == len(one[11]) == len(one[12]):
        raise Unknown
    if {len(array.dimensions) for array in (input, kernel, output)} != {len(sizes_of_window) + 2}:
        raise Unknown  # cuDNN's int8 layouts split the channels
    k, n = _at(kernel.dimensions, dimension[3]), _at(output.dimensions, dimension[10])
    m, places = _at(output.dimensions, dimension[9]), 1
    count = min(2 * k * n * m, MAX_BYTES)
    for sizes, *axes in zip(sizes_of_window, one[11], one[6], one[12], strict=True):
        arrays = zip((input, kernel, output), axes, strict=True)
        extents = [_at(array.dimensions, axis) for array, axis in arrays]
        if not program.budget.draw(_STEPS_A_RESIDUE * min(sizes[5], extents[1])):
            raise Unknown
        count = min(count * positions(sizes, *extents), MAX_BYTES)
        m, places = min(m * extents[2], MAX_BYTES), min(places * extents[1], MAX_BYTES)
    format = FORMATS.get(input.element_type, MIXED)
    return matrix(program, row, "convolution", count, Product(1, m, n, k, format, places))


def window(program: Program, row: int) -> list[tuple[int, ...]]:
    """Size, stride, padding below and above, dilation of window and of base in each dimension."""
    found = []
    for field in fields(program.proto, *program.place(row, WINDOW)):
        if field.number == 1 and field.wire_type == BYTES:
            values = [1, 1, 0, 0, 1, 1]
            for part in fields(program.proto, field.value, field.end):
                if 1 <= part.number <= len(values) and part.wire_type == VARINT:
                    values[part.number - 1] = signed(part.value)
            if min(values[0], values[1], values[4], values[5]) < 1:
                raise Unknown
            found.append(tuple(values))
    if len(found) > _MAX_DIMENSIONS:
        raise Unknown
    return found


def _extent(dimensions: Sequence[int], places: Iterable[int]) -> int:
    """The product of some dimensions."""
    count = 1
    for place in places:
        count = min(count * _at(dimensions, place), MAX_BYTES)
    return count


def _at(dimensions: Sequence[int], place: int) -> int:
    if not 0 <= place < len(dimensions):
        raise Unknown
    return dimensions[place]


def positions(sizes: Sequence[int], input: int, kernel: int, output: int) -> int:
    """How many multiplications by values of the input a convolution makes in one dimension.

    Args:
        sizes: of the window: its size, stride, padding below and above, dilation of window and of input.
        input, kernel, output: the sizes of these arrays.

    Place k of the kernel meets value i of the input for output n if k·dilation + n·stride − low = i·base.
    """
    _, stride, low, _, dilation, base = sizes
    common = gcd(stride, base)
    period = base // common
    inverse = pow(stride // common, -1, period)
    count = 0
    # Places that are equal modulo base meet the same places between the holes of a dilated input.
    for place in range(min(base, kernel)):
        if (low - place * dilation) % common:
            continue
        first = (low - place * dilation) // common * inverse % period
        below = low - place * dilation - first * stride
        lattice = (
            _steps(kernel - place, base),
            dilation * base,
            _steps(output - first, period),
            stride * period,
        )
        count += _not_above(below + (input - 1) * base, *lattice) - _not_above(below - 1, *lattice)
    return count


def _steps(size: int, step: int) -> int:
    """How many of 0, step, 2·step, … are below size."""
    return max(0, -(-size // step))


def _not_above(most: int, rows: int, row_step: int, columns: int, column_step: int) -> int:
    """How many of the sums row·row_step + column·column_step are at most ``most``."""
    if most < 0 or not columns:
        return 0
    whole = max(0, min(rows, (most - (columns - 1) * column_step) // row_step + 1))
    begun = min(rows, most // row_step + 1)
    cut = begun - whole
    last = most - (begun - 1) * row_step
    return whole * columns + (cut + _floor_sum(cut, column_step, row_step, last) if cut > 0 else 0)


def _floor_sum(count: int, divisor: int, step: int, offset: int) -> int:
    """The sum of (i·step + offset) // divisor for i below ``count``, in Euclid's rounds."""
    total = 0
    while True:
        total += count * (count - 1) // 2 * (step // divisor) + count * (offset // divisor)
        step, offset = step % divisor, offset % divisor
        reached = step * count + offset
        if reached < divisor:
            return total
        count, offset = reached // divisor, reached % divisor
        divisor, step = step, divisor
