"""Recorded shapes of an op's inputs, "(half[4,384,1024];half[])", and whether they suit Tensor Cores."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from tfperf_plugin.records import Record

# Tensor Cores compute blocks; a dimension that is no multiple of this leaves them partly or wholly unused.
MULTIPLE = 8
_TENSOR = re.compile(r"(\w{1,32})\[([\d,]*)\]")
_BYTES = {"half": 2, "bfloat16": 2, "float": 4, "double": 8}
_NAMES_COUNT = 1 << 14


class Tensor(Record, frozen=True):
    """One input: TensorFlow's name of the type, and the dimensions."""

    dtype: str
    dims: tuple[int, ...]

    @property
    def elements(self) -> int:
        """The number of elements."""
        return math.prod(self.dims)

    @property
    def size_bytes(self) -> int:
        """The size in bytes; 0 for types that no product has."""
        return _BYTES.get(self.dtype, 0) * self.elements


@lru_cache(_NAMES_COUNT)
def tensors(shape: str) -> tuple[Tensor, ...]:
    """The inputs, in order; empty if no shape was recorded."""
    return tuple(
        Tensor(dtype, tuple(int(d[:18]) for d in dims.split(",") if d)[:16])
        for dtype, dims in _TENSOR.findall(shape)
    )


def input_bytes(shape: str) -> int:
    """Bytes of all inputs, which a product reads at least once; 0 if not recorded."""
    return sum(t.size_bytes for t in tensors(shape))


def reading_ns(shape: str, bandwidth: int | None) -> int:
    """Time to read all inputs once at this bandwidth (bytes a second); 0 if either is not known."""
    return round(input_bytes(shape) / bandwidth * 1e9) if bandwidth else 0


@lru_cache(_NAMES_COUNT)
def odd_dimensions(op_type: str, shape: str) -> tuple[int, ...]:
    """The dimensions of a product that are no multiple of 8: rows and columns of a matrix, or channels of a
    convolution's filter (height, width, channels in, channels out), if the filter is an input.
    """
    operands = [t.dims for t in tensors(shape) if t.size_bytes and len(t.dims) >= 2]
    if "Conv" in op_type:
        at = 0 if "BackpropInput" in op_type else 1
        operands = operands[at : at + 1] if "BackpropFilter" not in op_type else []
    return tuple(sorted({d for dims in operands[:2] for d in dims[-2:] if d % MULTIPLE}))
