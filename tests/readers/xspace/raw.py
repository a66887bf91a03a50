"""Hand-made protobuf bytes, for what no encoder would write."""

from __future__ import annotations


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(field: int, value: int) -> bytes:
    """A field that holds a number."""
    return varint(field << 3) + varint(value)


def content(field: int, *parts: bytes) -> bytes:
    """A field that holds a text or a message."""
    joined = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(joined)) + joined


def named(field: int, id: int, name: str | bytes) -> bytes:
    """An entry of a plane's table of event names (4) or stat names (5)."""
    text = name.encode() if isinstance(name, str) else name
    return content(field, number(1, id), content(2, number(1, id), content(2, text)))


def plane(*parts: bytes, name: str = "/host:CPU") -> bytes:
    """A file with one plane, which knows the event name ``op`` and the stat name ``stat``, both number 1."""
    return content(1, content(2, name.encode()), named(4, 1, "op"), named(5, 1, "stat"), *parts)


def line(*events: bytes, id: int = 1, timestamp_ns: int = 0) -> bytes:
    """A line of events given by their content."""
    parts = [content(4, event) for event in events]
    return content(3, number(1, id), content(2, b"thread"), number(3, timestamp_ns), *parts)


def event(*parts: bytes, start_ps: int = 0, duration_ps: int = 0) -> bytes:
    """The content of an event named ``op``."""
    return number(1, 1) + number(2, start_ps) + number(3, duration_ps) + b"".join(parts)


def stat(*parts: bytes) -> bytes:
    """A stat named ``stat`` in an event."""
    return content(4, number(1, 1), *parts)
