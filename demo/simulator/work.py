"""What a kernel computes and moves, and how many blocks compute it.

Products are those of a layer: Y = X W forward, and backward the gradients of X and W, which take the same
three arrays. A convolution is the product of its patches: the filter's places belong to the inner dimension.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Literal

from demo.simulator.devices import Device, Precision

ELEMENT_BYTES = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2}
# TensorFlow's DataType.
DATA_TYPES = {"fp32": 1, "tf32": 1, "fp16": 19, "bf16": 14}
# Blocks of other kernels; a thread of theirs goes on to another element.
THREADS = 256
# Libraries divide a long inner dimension into parts no shorter, so that the last wave of blocks is full.
SPLIT_LENGTH = 512
PARTS = 8
_TILE = re.compile(r"(\d{2,3})x(\d{2,3})")

Kind = Literal["forward", "of input", "of weights"]


@dataclass(frozen=True)
class Product:
    """X [batch, rows, inner] times W [batch, filter, inner, outer] is Y [batch, rows, outer].

    ``kind``: whether Y is computed or the gradient of X or W. ``rows`` of a convolution: images, height and
    width, its ``filter``: height and width. ``batch``: dimensions of a batched product.
    """

    kind: Kind
    rows: tuple[int, ...]
    inner: int
    outer: int
    filter: tuple[int, ...] = ()
    batch: tuple[int, ...] = ()

    @property
    def x(self) -> tuple[int, ...]:
        return (*self.batch, *self.rows, self.inner)

    @property
    def w(self) -> tuple[int, ...]:
        return (*self.batch, *self.filter, self.inner, self.outer)

    @property
    def y(self) -> tuple[int, ...]:
        return (*self.batch, *self.rows, self.outer)

    @property
    def output(self) -> tuple[int, ...]:
        return {"forward": self.y, "of input": self.x, "of weights": self.w}[self.kind]

    @property
    def operands(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        rows = {"forward": (self.x, self.w), "of input": (self.y, self.w), "of weights": (self.x, self.y)}
        return rows[self.kind]

    @property
    def elements(self) -> int:
        """Of all three arrays."""
        return sum(math.prod(dims) for dims in (self.x, self.w, self.y))

    @property
    def flops(self) -> int:
        return 2 * math.prod((*self.y, *self.filter, self.inner))

    @property
    def flops_without_padding(self) -> int:
        """The same, less the products of a convolution with the zeros around its images."""
        places = [(n, f) for n, f in zip(self.rows[1:], self.filter, strict=False)]
        valid = math.prod(n * f - (f * f - 1) // 4 for n, f in places)
        return self.flops * valid // math.prod(n * f for n, f in places)

    @property
    def matrix(self) -> tuple[int, int, int]:
        """Rows, columns and inner dimension of the product that is computed."""
        rows, places = math.prod(self.rows), math.prod(self.filter)
        return {
            "forward": (rows, self.outer, places * self.inner),
            "of input": (rows, self.inner, places * self.outer),
            "of weights": (places * self.inner, self.outer, rows),
        }[self.kind]

    def backward(self) -> tuple[Product, Product]:
        """The gradients of X and of W."""
        return replace(self, kind="of input"), replace(self, kind="of weights")

    def scaled(self, size: float) -> Product:
        """The same for a batch of another size; tokens come in eights, as their sequences do."""
        if self.batch:
            return replace(self, batch=(_times(size, self.batch[0]), *self.batch[1:]))
        unit = 8 if not self.filter and self.rows[0] % 8 == 0 else 1
        return replace(self, rows=(unit * _times(size, self.rows[0] // unit), *self.rows[1:]))


@dataclass(frozen=True)
class Work:
    """``bytes`` cross memory once at least; ``output``: dimensions of the result, () if it is no array of
    its own; ``format``: of the operands of ``product``, and of the result."""

    bytes: int = 0
    flops: int = 0
    format: Precision = "fp32"
    output: tuple[int, ...] = ()
    product: Product | None = None

    @staticmethod
    def of(product: Product, format: Precision) -> Work:
        """The work of a product."""
        size = product.elements * ELEMENT_BYTES[format]
        return Work(size, product.flops, format, product.output, product)

    def floor_ns(self, device: Device) -> float:
        """How long it takes at the peak and the bandwidth of the data sheet."""
        return max(self.products_ns(device), self.bytes / device.memory_bandwidth * 1e9)

    def products_ns(self, device: Device) -> float:
        """How long its FLOPs take at the peak."""
        return self.flops / device.peak_flops(self.format) * 1e9

    def scaled(self, size: float) -> Work:
        """The same for a batch of another size."""
        if self.product:
            return Work.of(self.product.scaled(size), self.format)
        output = (_times(size, self.output[0]), *self.output[1:]) if self.output else ()
        return replace(self, bytes=round(size * self.bytes), output=output)

    def without_padding(self) -> Work:
        """The work as XLA counts it."""
        return replace(self, flops=self.product.flops_without_padding) if self.product else self

    def tile(self, name: str) -> tuple[int, int]:
        """Rows and columns that a block of the kernel of that name computes."""
        height, width = (_TILE.findall(name) or [("128", "128")])[0]
        return int(height), int(width)

    def grid(self, name: str, device: Device) -> tuple[int, int, int]:
        """Blocks of the kernel of that name, whose tile it tells."""
        two_each = 2 * device.multiprocessors
        if self.product is None:
            elements = math.prod(self.output) if self.output else self.bytes // 4
            return min(two_each, max(1, -(-elements // THREADS))) if elements else two_each, 1, 1
        if name.startswith("nvjet"):  # persistent blocks, which take one tile after the other
            return device.multiprocessors, 1, 1
        height, width = self.tile(name)
        rows, columns, inner = self.product.matrix
        x, y, batch = -(-rows // height), -(-columns // width), math.prod(self.product.batch)
        tiles = x * y * batch
        most = max(1, min(inner // SPLIT_LENGTH, max(PARTS, two_each // tiles)))
        return x, y, batch * max(range(1, most + 1), key=lambda parts: _filled(parts * tiles, two_each))


NOTHING = Work()


def _filled(blocks: int, wave: int) -> float:
    """The share of all waves that blocks fill; equal ones compare as equal."""
    return round(blocks / wave / math.ceil(blocks / wave), 6)


def _times(size: float, count: int) -> int:
    return max(1, round(size * count))
