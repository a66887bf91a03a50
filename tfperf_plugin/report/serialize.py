"""Converts reports and comparisons to JSON and back, and makes the JSON schema.

Decoding checks types and keys, because caches and saved files may hold anything.
"""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any, Final

import msgspec

from tfperf_plugin.records import Record, known
from tfperf_plugin.report.model import Report

MAX_JSON_BYTES: Final = 64 << 20
"""Limit for decompressed reports; no report is that large."""
_LEVEL: Final = 3
"""A higher level takes twice the time to save a seventh of the size."""


def to_json(record: Record) -> Any:
    """A record as JSON values: tuples become lists; infinity and NaN become ``None``."""
    return msgspec.json.decode(msgspec.json.encode(record))


def to_text(record: Record) -> str:
    """A record as indented JSON in ASCII."""
    return msgspec.json.format(json.dumps(to_json(record)), indent=2) + "\n"


def from_json(text: bytes | str) -> Report:
    """Decodes the JSON of a report. Raises MsgspecError or ValueError if it is none."""
    report = msgspec.json.decode(text, type=known(Report))
    if to_json(report) != msgspec.json.decode(text):
        raise ValueError("it does not say all that a report says")
    return report


def to_bytes(report: Report) -> bytes:
    """The report as gzip-compressed JSON, as it is stored and sent."""
    return gzip.compress(msgspec.json.encode(report), _LEVEL, mtime=0)


def from_bytes(stored: bytes) -> Report:
    """The inverse of ``to_bytes``. Raises ValueError, MsgspecError or zlib.error."""
    decompressor = zlib.decompressobj(zlib.MAX_WBITS | 16)
    text = decompressor.decompress(stored, MAX_JSON_BYTES)
    if not decompressor.eof or decompressor.unused_data:
        raise ValueError("it is cut, more than a report, or too large for one")
    return from_json(text)


def json_schema(kind: type[Record] = Report) -> dict[str, Any]:
    """The JSON Schema (2020-12) of ``to_json(kind)``."""
    (root,), parts = schemas(kind)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **root, "$defs": parts}


def schemas(*kinds: type[Record]) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    """References to ``kinds``, and the parts of their schema by name: all keys are required; each ``_ratio``
    is 0..1."""
    roots, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for part in parts.values():
        part["required"] = list(part["properties"])
        for name, of in part["properties"].items():
            of.pop("default", None)
            if name.endswith("_ratio"):
                of.update(minimum=0, maximum=1)
    return roots, parts
