"""Values as bytes and back, for processes that share the work: by declared types, never code.

A parcel is the length of its text, JSON of nested lists, and the bytes of the arrays that these lists name
by number. Whoever opens one says which type is expected, and gets it or ``BadParcel``: nothing in a parcel
chooses a class or a function, and nothing in it can claim more memory than it brings. Types are our own
dataclasses and what they declare: numbers, texts, enumerations, tuples, mappings, sets, arrays, paths.
"""

from __future__ import annotations

import functools
import json
import math
import operator
import re
import struct
import types
import typing
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from tfperf_plugin import runs
from tfperf_plugin.engine.inputs import PARTS
from tfperf_plugin.records import dataclass

T = TypeVar("T")
Array = np.ndarray[Any, Any]

_LENGTH: Final = struct.Struct("<Q")
_DTYPE: Final = re.compile(r"[<|](?:b1|[iu][1248]|f[248]|U[1-9][0-9]{0,6})")
_PLAIN: Final = (str, bool, int, float)
# What annotations name that is imported for type checkers only.
_NAMES: Final = {"epath": types.SimpleNamespace(Path=Path)}


class BadParcel(ValueError):
    """The bytes are no parcel of the type that was expected."""


@dataclass(frozen=True)
class _Form:
    """How values of one type are written into lists and read from them."""

    pack: Callable[[Any, _Arrays], Any]
    unpack: Callable[[Any, _Arrays], Any]


class _Arrays:
    """The arrays of a parcel, each once however often it occurs."""

    def __init__(self, known: list[Array] | None = None) -> None:
        self.all = known or []
        self._number: dict[int, int] = {}

    def number(self, array: Array) -> int:
        """The number of an array, which has to outlive this."""
        if id(array) not in self._number:
            self._number[id(array)] = len(self.all)
            self.all.append(array)
        return self._number[id(array)]


def to_bytes(value: Any, kind: Any) -> bytes:
    """``value``, a ``kind``, as a parcel. Raises TypeError if it is none, or no parcel can hold it."""
    return b"".join(to_pieces(value, kind))


def to_pieces(value: Any, kind: Any) -> list[bytes | memoryview]:
    """The same, as pieces that share the memory of the arrays."""
    arrays = _Arrays()
    packed = _form(kind).pack(value, arrays)
    table = [[array.dtype.str, *array.shape] for array in arrays.all]
    text = json.dumps([packed, table], separators=(",", ":")).encode()
    return [_LENGTH.pack(len(text)), text, *map(_memory, arrays.all)]


def from_bytes(data: bytes | bytearray, kind: Any) -> Any:
    """The ``kind`` that a parcel holds. Raises BadParcel."""
    try:
        (length,) = _LENGTH.unpack_from(data)
        begin = _LENGTH.size + length
        if begin > len(data):
            raise BadParcel("the text is cut off")
        packed, table = json.loads(bytes(data[_LENGTH.size : begin]))
        return _form(kind).unpack(packed, _Arrays(_opened(memoryview(data)[begin:], table)))
    except BadParcel:
        raise
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        OverflowError,
        RecursionError,
        struct.error,
    ) as error:
        raise BadParcel(f"no {kind}: {error}") from error


@functools.cache
def signature(work: Callable[..., Any]) -> tuple[tuple[Any, ...], Any]:
    """The declared types of a function's parameters, and of what it returns."""
    hints = typing.get_type_hints(work, localns=_NAMES)
    result = hints.pop("return")
    return tuple(hints.values()), result


def _memory(array: Array) -> bytes | memoryview:
    if not array.size or array.dtype.kind == "U":  # no memory that can be shared as bytes
        return array.tobytes()
    return memoryview(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def _opened(memory: memoryview, table: Any) -> list[Array]:
    """The arrays behind the text, each with memory of its own. Raises ValueError."""
    found = []
    at = 0
    for name, *shape in table:
        if not _DTYPE.fullmatch(name) or not all(type(n) is int and n >= 0 for n in shape):
            raise BadParcel("an array of another kind")
        dtype = np.dtype(name)
        size = math.prod(shape) * dtype.itemsize
        if size > len(memory) - at:
            raise BadParcel("an array claims more than there is")
        found.append(np.ndarray(shape, dtype, memory, at).copy())
        at += size
    if at != len(memory):
        raise BadParcel("there is more than the arrays")
    return found


@functools.cache
def _form(kind: Any) -> _Form:
    """The form of a declared type. Raises TypeError for types that no parcel holds."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if hasattr(origin, "__value__"):  # NDArray from NumPy 2.5 on, where Python is new enough
        return _form(origin.__value__[arguments])
    if kind in _PLAIN or kind is type(None):
        return _plain(kind)
    if origin is typing.Literal:
        return _among(arguments)
    if origin in (typing.Union, types.UnionType):
        return _union(arguments)
    if origin is np.ndarray:
        (scalar,) = typing.get_args(arguments[1])
        return _array(None if scalar is Any else np.dtype(scalar))
    if kind == dict[type, Any]:
        return _parts()
    if origin in (dict, Mapping):
        return _mapping(dict, _form(arguments[0]), _form(arguments[1]))
    if origin is Counter:
        return _mapping(Counter, _form(arguments[0]), _form(int))
    if origin is tuple and arguments[1:] == (...,):
        return _sequence(tuple, _form(arguments[0]))
    if origin is tuple:
        return _record(tuple, lambda: arguments, lambda *items: items, tuple)
    if origin is frozenset:
        return _sequence(frozenset, _form(arguments[0]))
    if kind is Path:
        return _Form(lambda value, _: str(value), lambda value, _: runs.path_of(_checked(value, str)))
    if kind is datetime:
        return _Form(lambda value, _: value.isoformat(), lambda value, _: datetime.fromisoformat(value))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _Form(lambda value, _: _checked(value, kind).value, lambda value, _: kind(value))
    if isinstance(kind, type) and kind.__module__.split(".")[0] == __package__:
        if is_dataclass(kind):
            names = [field.name for field in fields(kind)]
            get = operator.attrgetter(*names) if names else None
            items = (lambda value: get(value) if names[1:] else (get(value),)) if get else lambda _: ()
            return _record(kind, lambda: _declared(kind, names), kind, items)
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return _record(kind, lambda: _declared(kind, kind._fields), kind, tuple)
    raise TypeError(f"{kind} cannot be sent")


def _declared(kind: type, names: typing.Iterable[str]) -> tuple[Any, ...]:
    hints = typing.get_type_hints(kind, localns=_NAMES)
    return tuple(hints[name] for name in names)


def _checked(value: Any, kind: type[T]) -> T:
    if type(value) is not kind:
        raise TypeError(f"{type(value).__name__} instead of {kind.__name__}")
    return value


def _plain(kind: Any) -> _Form:
    """Numbers of NumPy become those of Python; a whole number may stand for a float."""
    takes = {float: (float, int), int: (int,), bool: (bool,), str: (str,)}.get(kind, (type(None),))
    wide: dict[Any, tuple[type, ...]] = {
        int: (np.integer,),
        float: (np.floating, np.integer),
        bool: (np.bool_,),
    }

    def check(value: Any, _: _Arrays) -> Any:
        if type(value) in takes:
            return value
        if isinstance(value, wide.get(kind, ())):
            return kind(value)
        raise TypeError(f"{type(value).__name__} instead of {kind.__name__}")

    return _Form(check, check)


def _among(choices: tuple[Any, ...]) -> _Form:
    def check(value: Any, _: _Arrays) -> Any:
        if value not in choices:
            raise TypeError(f"{value!r:.80} is none of {choices}")
        return value

    return _Form(check, check)


def _union(choices: tuple[Any, ...]) -> _Form:
    """One type or ``None``; or one of several that JSON tells apart."""
    others = [choice for choice in choices if choice is not type(None)]
    if len(others) > 1 and not set(others) <= set(_PLAIN):
        raise TypeError(f"{choices} cannot be told apart")
    optional, forms = len(others) < len(choices), [_form(choice) for choice in others]

    def either(value: Any, arrays: _Arrays, way: Callable[[_Form], Callable[[Any, _Arrays], Any]]) -> Any:
        if value is None and optional:
            return None
        for form in forms[:-1]:
            try:
                return way(form)(value, arrays)
            except TypeError:
                continue
        return way(forms[-1])(value, arrays)

    return _Form(
        lambda value, arrays: either(value, arrays, lambda form: form.pack),
        lambda value, arrays: either(value, arrays, lambda form: form.unpack),
    )


def _array(dtype: np.dtype[Any] | None) -> _Form:
    """Arrays of one type, or of any that holds no objects."""

    def pack(value: Any, arrays: _Arrays) -> int:
        found = _checked(value, np.ndarray)
        wanted = dtype or found.dtype.newbyteorder("<")
        if found.dtype != wanted:
            if found.size and not np.can_cast(found.dtype, wanted, "same_kind"):
                raise TypeError(f"an array of {found.dtype} instead of {wanted}")
            found = found.astype(wanted)
        if not _DTYPE.fullmatch(found.dtype.str):
            raise TypeError(f"arrays of {found.dtype} cannot be sent")
        return arrays.number(found)

    def unpack(value: Any, arrays: _Arrays) -> Array:
        number = _checked(value, int)
        if not 0 <= number < len(arrays.all) or dtype not in (None, arrays.all[number].dtype):
            raise BadParcel("no such array")
        return arrays.all[number]

    return _Form(pack, unpack)


def _sequence(kind: Any, item: _Form) -> _Form:
    pack, unpack = item.pack, item.unpack
    return _Form(
        lambda value, arrays: [pack(x, arrays) for x in _checked(value, kind)],
        lambda value, arrays: kind([unpack(x, arrays) for x in _checked(value, list)]),
    )


def _mapping(kind: Any, key: _Form, item: _Form) -> _Form:
    def pack(value: Any, arrays: _Arrays) -> list[Any]:
        if not isinstance(value, Mapping):
            raise TypeError(f"{type(value).__name__} is no mapping")
        return [[key.pack(k, arrays), item.pack(v, arrays)] for k, v in value.items()]

    def unpack(value: Any, arrays: _Arrays) -> Any:
        return kind({key.unpack(k, arrays): item.unpack(v, arrays) for k, v in _checked(value, list)})

    return _Form(pack, unpack)


def _record(
    kind: Any, declared: Callable[[], tuple[Any, ...]], make: Callable[..., Any], items: Callable[[Any], Any]
) -> _Form:
    """A fixed number of values of a type each. The types are looked up when needed: they may be recursive."""

    @functools.cache
    def forms() -> list[_Form]:
        return [_form(one) for one in declared()]

    def pack(value: Any, arrays: _Arrays) -> list[Any]:
        found = items(_checked(value, kind))
        if len(found) != len(forms()):
            raise TypeError(f"{len(found)} values instead of {len(forms())}")
        return [form.pack(x, arrays) for form, x in zip(forms(), found, strict=True)]

    def unpack(value: Any, arrays: _Arrays) -> Any:
        if len(_checked(value, list)) != len(forms()):
            raise BadParcel(f"{len(value)} values instead of {len(forms())}")
        return make(*(form.unpack(x, arrays) for form, x in zip(forms(), value, strict=True)))

    return _Form(pack, unpack)


def _parts() -> _Form:
    """Parts by the names of their artifacts; what a part is says the function that makes it."""
    by_name = {kind.__name__: kind for kind in PARTS}
    forms = {kind: _form(signature(part)[1]) for kind, part in PARTS.items()}
    return _Form(
        lambda value, arrays: [[kind.__name__, forms[kind].pack(x, arrays)] for kind, x in value.items()],
        lambda value, arrays: {
            by_name[name]: forms[by_name[name]].unpack(x, arrays) for name, x in _checked(value, list)
        },
    )
