"""The base class of all records, and how threads may decode them."""

from __future__ import annotations

import dataclasses
import functools
import threading
from typing import Any, Final, TypeVar

import msgspec

_T = TypeVar("_T")


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An immutable record with typed fields. Decoding refuses wrong types and unknown keys."""


class _Fields:
    """Supports ``asdict``, ``fields`` and ``replace`` of ``dataclasses``, as ``python_api.md`` promises."""

    def __get__(self, _: object, kind: type[Record]) -> dict[str, dataclasses.Field[Any]]:
        return _fields(kind)


@functools.cache
def _fields(kind: type[Record]) -> dict[str, dataclasses.Field[Any]]:
    twin = dataclasses.make_dataclass(kind.__name__, kind.__struct_fields__)
    return {field.name: field for field in dataclasses.fields(twin)}


_BUILDING: Final = threading.Lock()
_KNOWN: Final[set[Any]] = set()


def known(kind: _T) -> _T:
    """``kind``, a type that several threads may now decode at once.

    msgspec notes the fields of a class when it decodes the class for the first time. A second thread that
    finds half of these notes crashes the process.
    """
    if kind not in _KNOWN:
        with _BUILDING:
            msgspec.msgpack.Decoder(kind)
        _KNOWN.add(kind)
    return kind


Record.__dataclass_fields__ = _Fields()  # type: ignore[assignment]
