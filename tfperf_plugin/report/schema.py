"""JSON schemas, generated from the dataclasses of a model: that of the report, or of what builds on it."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

from tfperf_plugin.report.model import Report


def json_schema(kind: type = Report) -> dict[str, Any]:
    """The schema (JSON Schema 2020-12) of what ``render.to_json`` makes of the dataclass ``kind``."""
    definitions: dict[str, Any] = {}
    root = _schema(kind, definitions)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **root, "$defs": definitions}


def _schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if dataclasses.is_dataclass(kind):
        return _reference(typing.cast(type, kind), definitions)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(a, definitions) for a in arguments]}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    simple = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}
    return {"type": simple[kind]}


def _reference(kind: type, definitions: dict[str, Any]) -> dict[str, Any]:
    if kind.__name__ not in definitions:
        definitions[kind.__name__] = {}
        hints = typing.get_type_hints(kind)
        fields = [f.name for f in dataclasses.fields(kind)]
        properties = {}
        for name in fields:
            properties[name] = _schema(hints[name], definitions)
            if name.endswith("_ratio"):
                properties[name] = _between_0_and_1(properties[name])
        definitions[kind.__name__] = {
            "type": "object",
            "description": " ".join((kind.__doc__ or "").split()),
            "properties": properties,
            "required": fields,
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _between_0_and_1(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "minimum": 0, "maximum": 1}
