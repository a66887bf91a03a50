"""A report back from the JSON that was made of it; what a cache or a saved file holds is checked by key."""

from __future__ import annotations

import functools
import types
import typing
from dataclasses import fields, is_dataclass
from typing import Any, Literal

from tfperf_plugin.report import model


def from_json(value: Any) -> model.Report:
    """The report that ``to_json`` made ``value`` of. Raises ValueError if it is no such value."""
    report = _typed(value, model.Report)
    if not isinstance(report, model.Report):
        raise ValueError("not a report")
    return report


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    """The types of a dataclass's fields by name: telling them takes longer than all else here."""
    return typing.get_type_hints(kind)


def _typed(value: Any, kind: Any) -> Any:
    """``value``, as read from JSON, as the type ``kind`` of the report's model."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        if not isinstance(value, dict) or value.keys() != hints.keys():
            raise ValueError(f"not a {kind.__name__}")
        return kind(**{field.name: _typed(value[field.name], hints[field.name]) for field in fields(kind)})
    if origin is tuple and isinstance(value, list):
        return tuple(_typed(item, arguments[0]) for item in value)
    if origin is dict and isinstance(value, dict):
        return {_typed(key, arguments[0]): _typed(item, arguments[1]) for key, item in value.items()}
    if origin in (typing.Union, types.UnionType):
        for choice in arguments:
            try:
                return _typed(value, choice)
            except ValueError:
                continue
    elif origin is Literal:
        if value in arguments:
            return value
    elif isinstance(kind, type) and (type(value) is kind or (kind is float and type(value) is int)):
        return value
    raise ValueError(f"{value!r:.80} is not {kind}")
