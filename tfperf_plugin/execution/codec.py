"""Encodes values of declared types for exchange between processes, and decodes them.

A message is the length of a MessagePack text, the text, and the bytes of the arrays that the text names by
number. The receiver states the expected type, and gets a value of it or ``BadMessage``. Nothing in a message
chooses a class or a function, or makes the receiver allocate more memory than the message has bytes.
"""

from __future__ import annotations

import functools
import math
import os
import re
import struct
import typing
from collections import Counter
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Final

import msgspec
import numpy as np

from tfperf_plugin.readers.logdirs.files import path_of
from tfperf_plugin.records import known

Array = np.ndarray[Any, Any]

_LENGTH: Final = struct.Struct("<Q")
_DTYPE: Final = re.compile(r"[<|](?:b1|[iu][1248]|f[248]|U[1-9][0-9]{0,6})")
_Text = tuple[tuple[tuple[str, tuple[int, ...]], ...], msgspec.Raw]
"""Dtype and shape of each array, and the value."""


class BadMessage(ValueError):
    """The bytes are no message of the expected type."""


def encode(value: Any) -> list[bytes | memoryview]:
    """``value`` as a message, in pieces that share the memory of the arrays.

    Raises TypeError, ValueError or OverflowError for values that no message can hold.
    """
    arrays: dict[int, tuple[int, Array]] = {}  # by id, so that a repeated array is sent once

    def plain(item: Any) -> Any:
        if isinstance(item, np.generic):
            return item.item()
        if isinstance(item, PurePath):
            return os.fsencode(item)
        if not isinstance(item, np.ndarray):
            raise TypeError(f"{type(item).__name__} cannot be sent")
        if id(item) not in arrays:
            little = item.astype(item.dtype.newbyteorder("<"), copy=False)
            if not _DTYPE.fullmatch(little.dtype.str):
                raise TypeError(f"arrays of {item.dtype} cannot be sent")
            arrays[id(item)] = len(arrays), little
        return arrays[id(item)][0]

    packed = msgspec.Raw(msgspec.msgpack.encode(value, enc_hook=plain))
    found = [array for _, array in arrays.values()]
    text = msgspec.msgpack.encode(([(array.dtype.str, array.shape) for array in found], packed))
    return [_LENGTH.pack(len(text)), text, *map(_memory, found)]


def decode(data: bytes | bytearray, kind: Any) -> Any:
    """The value of type ``kind`` in a message. Raises BadMessage."""
    try:
        (length,) = _LENGTH.unpack_from(data)
        begin = _LENGTH.size + length
        memory = memoryview(data)
        table, packed = msgspec.msgpack.decode(memory[_LENGTH.size : begin], type=_Text)
        arrays = _copy_arrays(memory[begin:], table)
        return msgspec.msgpack.decode(packed, type=known(kind), dec_hook=functools.partial(_convert, arrays))
    except (
        msgspec.MsgspecError,
        ValueError,
        TypeError,
        OverflowError,
        RecursionError,
        struct.error,
    ) as error:
        raise BadMessage(f"no {kind}: {error}") from error


@functools.cache
def signature(work: Callable[..., Any]) -> tuple[tuple[Any, ...], Any]:
    """The declared types of a function's parameters and of its result."""
    hints = typing.get_type_hints(work)
    result = hints.pop("return")
    return tuple(hints.values()), result


def _convert(arrays: list[Array], kind: Any, value: Any) -> Any:
    """Decodes a type that MessagePack lacks: array, Counter, path. Raises TypeError, ValueError."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is np.ndarray:
        (scalar,) = typing.get_args(arguments[1])
        if type(value) is not int or not 0 <= value < len(arrays):
            raise ValueError("no such array")
        if scalar is not Any and arrays[value].dtype != scalar:
            raise TypeError(f"an array of {arrays[value].dtype} instead of {scalar}")
        return arrays[value]
    if origin is Counter:
        return Counter(msgspec.convert(value, dict[arguments[0], int]))  # type: ignore[valid-type]
    if kind is PurePath:
        return path_of(os.fsdecode(msgspec.convert(value, bytes)))
    raise TypeError(f"{kind} is not exchanged")


def _memory(array: Array) -> bytes | memoryview:
    if not array.size or array.dtype.kind == "U":  # has no memory that can be shared as bytes
        return array.tobytes()
    return memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def _copy_arrays(memory: memoryview, table: tuple[tuple[str, tuple[int, ...]], ...]) -> list[Array]:
    """Copies the arrays behind the text. Raises ValueError if their sizes do not match the bytes."""
    found = []
    at = 0
    for name, shape in table:
        if not _DTYPE.fullmatch(name) or any(n < 0 for n in shape):
            raise ValueError("an array of another kind")
        dtype = np.dtype(name)
        size = math.prod(shape) * dtype.itemsize
        if size > len(memory) - at:
            raise ValueError("an array claims more than there is")
        found.append(np.ndarray(shape, dtype, memory, at).copy())
        at += size
    if at != len(memory):
        raise ValueError("there is more than the arrays")
    return found
