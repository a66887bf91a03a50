"""How often a window meets values of its array: in closed form, since sizes in a file may be any number."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

STEPS_A_RESIDUE = 20
"""Microseconds that ``positions`` takes for each place of the kernel modulo the dilation of the input."""


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
