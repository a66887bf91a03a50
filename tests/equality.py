"""Equality of values that hold arrays."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np


def equal(one: Any, other: Any) -> bool:
    """Of the same types throughout, to the last bit of arrays; mappings also in the same order."""
    if isinstance(one, np.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    if isinstance(one, msgspec.Struct):
        return type(one) is type(other) and all(
            equal(getattr(one, name), getattr(other, name)) for name in one.__struct_fields__
        )
    if isinstance(one, dict):
        return list(one) == list(other) and all(equal(one[k], other[k]) for k in one)
    if isinstance(one, tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(equal, one, other))
    return bool(type(one) is type(other) and one == other)
