"""Shapes and types of an op's inputs, as they are stored, in XLA's spelling: ``half[8,512];float[]``."""

from __future__ import annotations

from typing import Final

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


def size_of(data_type: str) -> int:
    """Bytes of one number of a type, as PyTorch or NCCL call it; 0 if it is unknown."""
    lower = data_type.lower()
    return _SIZES.get(_TYPES.get(lower, lower.removeprefix("c10::")), 0)


def inputs_of(dims: bytes, types: bytes) -> list[tuple[str, tuple[int, ...]]]:
    """Type and sizes of each tensor among the inputs; nothing if they were not recorded.

    A type is "" if only sizes were recorded.
    """
    try:
        sizes = msgspec.json.decode(dims or b"[]")
        named = msgspec.json.decode(types or b"[]")
        pairs = zip(sizes, named or [""] * len(sizes), strict=False)
        return [
            (_TYPES.get(str(kind).lower(), str(kind)), tuple(size))
            for size, kind in pairs
            if isinstance(size, list) and size and all(type(number) is int for number in size)
        ]
    except (msgspec.MsgspecError, TypeError, RecursionError):
        return []


def shape_of(dims: bytes, types: bytes) -> str:
    """The tensors among the inputs; "" if they were not recorded. Without types they are only sizes."""
    return ";".join(f"{kind}[{','.join(map(str, size))}]" for kind, size in inputs_of(dims, types))
