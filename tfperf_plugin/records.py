"""The base class of all records."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import msgspec


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


Record.__dataclass_fields__ = _Fields()  # type: ignore[assignment]
