"""Tiles of matrix kernels, and the products that a convolution by Winograd or FFT runs.

Winograd's algorithm and the Fourier transform replace the sum over a filter's window by one small product for
each place of a transformed tile, so such kernels do less arithmetic than the direct formula (Lavin & Gray
2016, "Fast Algorithms for Convolutional Neural Networks"; Mathieu et al. 2014, "Fast Training of
Convolutional Networks through FFTs"). What their product kernel runs, its grid and the tile in its name tell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tfperf_plugin.analysis.artifacts.compute.tensor_work import MAX_FLOPS
from tfperf_plugin.trace.model import OpWork, Product

Grid = tuple[int, int, int]

_INDIRECT: Final = re.compile(r"winograd|(?<![a-z])fft|cgemm", re.IGNORECASE)
_TILES: Final = (
    re.compile(r"tilesize(\d{1,4})x(\d{1,4})x\d"),
    re.compile(r"GemmShape<(\d{1,4}), ?(\d{1,4}),"),
    re.compile(r"_MT(\d{1,4})x(\d{1,4})x\d"),
    re.compile(r"(?:gemm|cudnn|nvjet)[a-z0-9]{0,8}_(?:[a-z0-9]{1,12}_){0,3}?(\d{1,4})x(\d{1,4})(?![0-9])"),
)
_PRODUCT: Final = re.compile(r"(gc|c|s|h)gemm_")
_PREPARES: Final = re.compile(r"gemm_pointers|OffsetsKernel")
# Real operations of a multiply-add: of complex numbers 8, with Gauss's three multiplications 6.
_OPERATIONS: Final = {"gc": 6, "c": 8, "s": 2, "h": 2}
_TRANSFORMS: Final = {size * (size // 2 + 1): size for size in (8, 16, 32, 64, 128)}
"""Places of a real Fourier transform in two dimensions → its size."""
_WINOGRAD: Final = {16: 4, 36: 6, 64: 8, 169: 13}
"""Places of a transformed tile → its width (F(2,3), F(4,3), F(6,3) or F(4,5), F(9,5))."""


def indirect(kernel_name: str) -> bool:
    """Whether the kernel convolves with less arithmetic than the direct formula."""
    return bool(_INDIRECT.search(kernel_name))


def multiplies(kernel_name: str) -> bool:
    """Whether a kernel of such a convolution computes its products, rather than a transform."""
    return "gemm" in kernel_name and not _PREPARES.search(kernel_name)


@lru_cache(1 << 12)
def tile_of(kernel_name: str) -> tuple[int, int] | None:
    """Rows and columns of the result that a block computes, in the order of the name; ``None`` if the name
    does not show them.

    cuBLAS stores by columns, so the first is along the grid's x.
    """
    if "winograd" in kernel_name:
        return None
    for pattern in _TILES:
        match = pattern.search(kernel_name)
        if match:
            rows, columns = int(match[1]), int(match[2])
            return (rows, columns) if rows and columns else None
    return None


def products_run(kernel_name: str, grid: Grid, work: OpWork) -> int | None:
    """Operations that the product kernel of a Winograd or FFT convolution runs in one launch.

    ``grid``: its blocks, of which z are the places of the transformed tile; ``work``: the work of the op.
    ``None`` if they do not follow from name, grid and channels. ``op_products_run`` finds out whether it is
    such a kernel.
    """
    tile, kind = tile_of(kernel_name), _PRODUCT.search(kernel_name)
    product = work.products[0] if len(work.products) == 1 else None
    if not tile or not kind or product is None or not product.places or work.kind != "convolution":
        return None
    radius = math.isqrt(product.window)
    width = (_WINOGRAD if kind[1] in "sh" else _TRANSFORMS).get(grid[2], 0)
    if len(product.places) != 2 or radius * radius != product.window or width < radius or min(grid) < 1:
        return None
    each = _multiplied(product, width - radius + 1, tile, grid)
    if each is None:
        return None
    count = _OPERATIONS[kind[1]] * grid[2] * each
    return count if count <= MAX_FLOPS else None


def _multiplied(product: Product, covered: int, tile: tuple[int, int], grid: Grid) -> int | None:
    """Multiplications at each place of the transformed tile, which covers ``covered`` places a side.

    Only rows and columns that exist count: a block's tile may reach beyond them. A kernel may take only some
    images, so at most the images that its blocks hold count.
    """
    examples, rest = divmod(product.m, math.prod(product.places))
    patches = examples * math.prod(-(-places // covered) for places in product.places)
    if product.gradient == "filter":
        sides = (product.k, product.n), (product.n, product.k)
        fits = any(all(map(_covers, both, tile, grid)) for both in sides)
        return product.k * product.n * patches if fits and not rest else None
    given, summed = product.n, product.k
    if product.gradient == "input":
        given, summed = summed, given
    for side, other in ((0, 1), (1, 0)):
        if _covers(given, tile[side], grid[side]):
            held = tile[other] * grid[other]
            return summed * given * (held if rest else min(patches, held))
    return None


def _covers(rows: int, tile: int, blocks: int) -> bool:
    return -(-rows // tile) == blocks


def op_products_run(launches: Sequence[tuple[str, Grid]], work: OpWork) -> int | None:
    """Operations of the products that one execution of a Winograd or FFT convolution runs; ``None`` if they
    are not known, or if it convolves directly. ``launches``: its kernels with their grids."""
    if not any(indirect(name) for name, _ in launches):
        return None
    # A kernel that does all of Winograd's algorithm is not among these: it leaves none.
    products = [(name, grid) for name, grid in launches if multiplies(name)]
    gradient = work.products[0].gradient if work.products else ""
    if gradient == "filter" and len(products) > 1:
        return None  # each sums over a part of the examples, nobody knows which
    run = [products_run(name, grid, work) for name, grid in products]
    return sum(number or 0 for number in run) if run and all(run) else None
