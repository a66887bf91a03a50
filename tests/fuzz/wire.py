"""A profile or program as a tree of protobuf fields, to be bent in ways no encoder would: numbers, kinds, lengths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.readers.xspace.raw import varint

MESSAGES: dict[str, dict[int, str]] = {
    "XSpace": {1: "XPlane"},
    "XPlane": {3: "XLine", 4: "EventEntry", 5: "StatEntry", 6: "XStat"},
    "XLine": {4: "XEvent"},
    "XEvent": {4: "XStat"},
    "XStat": {6: "HloProto"},
    "EventEntry": {2: "EventMetadata"},
    "EventMetadata": {5: "XStat"},
    "StatEntry": {2: "StatMetadata"},
    "StatMetadata": {},
    "HloProto": {1: "HloModule"},
    "HloModule": {3: "HloComputation"},
    "HloComputation": {2: "HloInstruction"},
    "HloInstruction": {
        3: "Shape",
        7: "OpMetadata",
        15: "Window",
        16: "Dimensions",
        30: "Dimensions",
        43: "Json",
    },
    "Shape": {4: "Shape"},
    "OpMetadata": {},
    "Window": {1: "Dimensions"},
    "Dimensions": {},
}
"""Message → its fields that are messages, or JSON."""
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


@dataclass
class Field:
    """One field. ``content``: of a message its fields, of another the number or the bytes. ``lie``: what is
    added to the length that is written."""

    number: int
    wire_type: int
    content: int | bytes | list[Field]
    kind: str = ""
    lie: int = 0

    def to_bytes(self) -> bytes:
        key = varint(self.number << 3 | self.wire_type)
        if isinstance(self.content, int):
            if self.wire_type == VARINT:
                return key + varint(self.content)
            size = 4 if self.wire_type == FIXED32 else 8
            return key + (self.content & (1 << 8 * size) - 1).to_bytes(size, "little")
        inner = self.content if isinstance(self.content, bytes) else to_bytes(self.content)
        return key + (varint(len(inner) + self.lie) if self.wire_type == BYTES else b"") + inner

    def copy(self) -> Field:
        content = self.content
        if isinstance(content, list):
            content = [child.copy() for child in content]
        return Field(self.number, self.wire_type, content, self.kind, self.lie)


@dataclass
class Place:
    """A field and the list that holds it."""

    siblings: list[Field] = field(repr=False)
    index: int

    @property
    def field(self) -> Field:
        return self.siblings[self.index]


def to_bytes(fields: list[Field]) -> bytes:
    return b"".join(f.to_bytes() for f in fields)


def parse(data: bytes, kind: str = "XSpace") -> list[Field]:
    """The fields of a message; none if the bytes are no message."""
    found = []
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire_type = key >> 3, key & 7
        if wire_type == VARINT:
            value, at = _varint(data, at)
            found.append(Field(number, wire_type, value))
        elif wire_type == BYTES:
            length, at = _varint(data, at)
            content = data[at : at + length]
            at += length
            inner = MESSAGES.get(kind, {}).get(number, "")
            fields = parse(content, inner) if inner in MESSAGES else []
            # A program's place may hold anything else.
            is_message = inner in MESSAGES and (inner != "HloProto" or to_bytes(fields) == content)
            found.append(Field(number, wire_type, fields if is_message else content, inner))
        elif wire_type in (FIXED64, FIXED32):
            size = 8 if wire_type == FIXED64 else 4
            found.append(Field(number, wire_type, int.from_bytes(data[at : at + size], "little")))
            at += size
        else:
            return found
    return found


def places(fields: list[Field]) -> Iterator[Place]:
    """Every field of the tree, outer ones first."""
    for index, one in enumerate(fields):
        yield Place(fields, index)
        if isinstance(one.content, list):
            yield from places(one.content)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return value & (1 << 64) - 1, at
