"""What all records of this program have in common."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import msgspec


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values of declared types by name, which never change.

    What is read from bytes has these types and no other keys, or is refused.
    """


class _Fields:
    """For ``asdict``, ``fields`` and ``replace`` of ``dataclasses``: reports are promised to be such."""

    def __get__(self, _: object, kind: type[Record]) -> dict[str, dataclasses.Field[Any]]:
        return _fields(kind)


@functools.cache
def _fields(kind: type[Record]) -> dict[str, dataclasses.Field[Any]]:
    alike = dataclasses.make_dataclass(kind.__name__, kind.__struct_fields__)
    return {field.name: field for field in dataclasses.fields(alike)}


Record.__dataclass_fields__ = _Fields()  # type: ignore[assignment]
