"""The report, or what builds on it, as JSON, compressed and back, and the schema of that JSON.

What a cache or a saved file holds is checked by type and key.
"""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any, Final

import msgspec

from tfperf_plugin.records import Record
from tfperf_plugin.report.model import Report

MAX_JSON_BYTES: Final = 64 << 20
"""No report is as large; what would unfold to more was not written here."""
_LEVEL: Final = 3
"""A higher one takes twice the time and saves a seventh."""


def to_json(record: Record) -> Any:
    """A record as JSON values: tuples become lists, infinite or undefined numbers ``None``."""
    return msgspec.json.decode(msgspec.json.encode(record))


def to_text(record: Record) -> str:
    """A record as indented JSON of ASCII characters."""
    return msgspec.json.format(json.dumps(to_json(record)), indent=2) + "\n"


def from_json(text: bytes | str) -> Report:
    """The report that ``text`` is the JSON of. Raises MsgspecError, ValueError if it is none."""
    report = msgspec.json.decode(text, type=Report)
    if to_json(report) != msgspec.json.decode(text):
        raise ValueError("it does not say all that a report says")
    return report


def to_bytes(report: Report) -> bytes:
    """The report as it is stored and sent: JSON that is compressed with gzip."""
    return gzip.compress(msgspec.json.encode(report), _LEVEL, mtime=0)


def from_bytes(stored: bytes) -> Report:
    """The report that ``to_bytes`` made ``stored`` of. Raises ValueError, MsgspecError, zlib.error."""
    unfolding = zlib.decompressobj(zlib.MAX_WBITS | 16)
    text = unfolding.decompress(stored, MAX_JSON_BYTES)
    if not unfolding.eof or unfolding.unused_data:
        raise ValueError("it is cut, more than a report, or too large for one")
    return from_json(text)


def json_schema(kind: type[Record] = Report) -> dict[str, Any]:
    """The schema (JSON Schema 2020-12) of what ``to_json`` makes of a ``kind``."""
    (root,), parts = schemas(kind)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **root, "$defs": parts}


def schemas(*kinds: type[Record]) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """References to ``kinds``, and the parts of their schema by name: all keys are always there, a ``_ratio``
    is a share."""
    roots, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for part in parts.values():
        part["required"] = list(part["properties"])
        for name, of in part["properties"].items():
            of.pop("default", None)
            if name.endswith("_ratio"):
                of.update(minimum=0, maximum=1)
    return roots, parts
