"""Shapes and types of an op's inputs, as they are stored, in XLA's spelling: ``half[8,512];float[]``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

_TYPES: Final = {
    "c10::half": "half", "half": "half", "c10::bfloat16": "bfloat16", "bfloat16": "bfloat16",
    "float": "float", "double": "double", "int": "int", "long int": "int64", "long": "int64", "bool": "bool",
    "unsigned char": "uint8", "signed char": "int8", "c10::float8_e4m3fn": "float8_e4m3fn",
    "c10::float8_e5m2": "float8_e5m2",
}  # fmt: skip
_SIZES: Final = {
    "half": 2, "bfloat16": 2, "float": 4, "double": 8, "int": 4, "int64": 8, "bool": 1, "uint8": 1, "int8": 1,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "float16": 2, "float32": 4, "float64": 8, "int32": 4,
    "byte": 1, "char": 1, "short": 2, "short int": 2,
}  # fmt: skip
FORMATS: Final = {
    "half": "fp16", "bfloat16": "bf16", "float": "fp32", "double": "fp64", "int8": "int8",
    "float8_e4m3fn": "fp8", "float8_e5m2": "fp8",
}  # fmt: skip
"""What ``Product.format`` calls each type."""
_MOST: Final = 1 << 40
_MOST_SIZES: Final = 64
"""PyTorch's own limit."""
_MOST_ELEMENTS: Final = 1 << 58
"""With 8 bytes each they fit 64 bits."""


class Tensor(NamedTuple):
    """Type and sizes of a tensor."""

    kind: str
    sizes: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """Its size; 0 if the type is unknown."""
        return math.prod(self.sizes) * size_of(self.kind)

    @property
    def size_text(self) -> str:
        """Its sizes for people: ``8×512``."""
        return "×".join(map(str, self.sizes))


def size_of(data_type: str) -> int:
    """Bytes of one number of a type, as PyTorch or NCCL call it; 0 if it is unknown."""
    lower = data_type.lower()
    return _SIZES.get(_TYPES.get(lower, lower.removeprefix("c10::")), 0)


def inputs_of(dims: bytes, types: bytes) -> list[Tensor]:
    """The tensors among the inputs; none if they were not recorded. A type is "" if only sizes were."""
    try:
        sizes = msgspec.json.decode(dims or b"[]")
        named = msgspec.json.decode(types or b"[]")
        return [
            Tensor(_TYPES.get(str(kind).lower(), str(kind)), tuple(size))
            for size, kind in zip(sizes, named or [""] * len(sizes), strict=False)
            if _are_sizes(size)
        ]
    except (msgspec.MsgspecError, TypeError, RecursionError):
        return []


def _are_sizes(size: object) -> bool:
    return (
        isinstance(size, list)
        and 0 < len(size) <= _MOST_SIZES
        and all(type(n) is int and 0 <= n < _MOST for n in size)
        and math.prod(size) < _MOST_ELEMENTS
    )


def shape_of(tensors: Sequence[Tensor]) -> str:
    """The tensors among the inputs; "" if they were not recorded. Without types they are only sizes."""
    return ";".join(f"{tensor.kind}[{','.join(map(str, tensor.sizes))}]" for tensor in tensors)
