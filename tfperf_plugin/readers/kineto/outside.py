"""What a trace says beside its events: GPUs, ranks of the job, when time 0 was, and what went wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw, field

from tfperf_plugin.readers.kineto.blocks import cleaned
from tfperf_plugin.readers.kineto.form import FAILURES, NOTHING
from tfperf_plugin.records import known

_MOST_BYTES: Final = 1 << 20
"""Limit of one field. The properties of 64 GPUs take some ten kilobytes."""
_MOST_RANKS: Final = 1 << 20
# "host_4000.1743587813300.pt.trace.json": host, process, time.
_OF_PROCESS: Final = re.compile(r"(.+)_\d+\.\d+\.pt\.trace\.json(?:\.gz)?")


class _Outside(msgspec.Struct, rename="camel"):
    device_properties: Raw = NOTHING
    base_time_nanoseconds: Raw = NOTHING
    distributed_info: Raw = NOTHING
    trace_name: Raw = NOTHING
    errors: Raw = field(default=NOTHING, name="ERROR")
    warnings: Raw = field(default=NOTHING, name="WARNING")


def outside(before: bytes, after: bytes) -> dict[str, Any]:
    """The fields beside ``traceEvents`` that are read, as they are stored; none if they are damaged.

    ``before``, ``after``: the text around the list of events; of a file that was cut, the latter is missing.
    """
    for text in (before + b"null" + after, before + b"null}"):
        for form in (text, cleaned(text)):
            try:
                stored = msgspec.json.decode(form, type=known(_Outside))
                found = {name: _value(getattr(stored, of)) for of, name in _NAMES.items()}
                listed = found[_DEVICES]
                return found if listed is None else found | {_DEVICES: _devices(listed)}
            except FAILURES:
                continue
    return {}


def world_size(found: Mapping[str, Any]) -> int:
    """The number of ranks of the job that ``found``, from ``outside``, states; 0 if it states none."""
    stated = found.get("distributedInfo")
    number = stated.get("world_size") if isinstance(stated, dict) else None
    return number if type(number) is int and 0 < number <= _MOST_RANKS else 0


def machine(found: Mapping[str, Any]) -> str:
    """The machine whose process was recorded, by the name that PyTorch's handler gave the file; "" if it has
    another name. ``found``: from ``outside``."""
    path = str(found.get("traceName") or "").replace("\\", "/")
    named = _OF_PROCESS.fullmatch(path.rpartition("/")[2])
    return named[1] if named else ""


def _value(stored: Raw) -> Any:
    text = bytes(stored)
    return msgspec.json.decode(text) if 0 < len(text) <= _MOST_BYTES else None


def _devices(listed: object) -> list[dict[str, Any]]:
    """What is stated of each GPU in texts and in integers that fit 64 bits."""
    known = [of for of in listed if isinstance(of, dict)] if isinstance(listed, list) else []
    return [
        {name: value for name, value in of.items() if isinstance(value, str) or _fits(value)} for of in known
    ]


def _fits(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


_DEVICES: Final = "deviceProperties"
_NAMES: Final = {of.name: of.encode_name for of in msgspec.structs.fields(_Outside)}
