"""Writes the programs of XLA that a profile holds, with just what tells how much its collectives move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

ELEMENT_TYPES = {"f32": 11, "f16": 10, "bf16": 16}
"""xla.PrimitiveType."""
TUPLE = 13


@dataclass(frozen=True)
class Exchange:
    """A collective instruction: arrays of ``operand_count`` elements go in, of ``result_count`` come out."""

    name: str
    opcode: str
    element: str
    operand_count: int
    result_count: int


def hlo_proto(module: str, exchanges: Iterable[Exchange]) -> bytes:
    """A serialized HloProto: one computation with a parameter and the collective for each exchange."""
    rows = []
    for number, exchange in enumerate(exchanges):
        parameter, id = 2 * number + 1, 2 * number + 2
        rows.append(
            _instruction(f"param.{number}", "parameter", exchange.element, exchange.operand_count, parameter)
        )
        rows.append(
            _instruction(
                exchange.name,
                exchange.opcode,
                exchange.element,
                exchange.result_count,
                id,
                parameter,
                exchange.operand_count,
            )
        )
    computation = _text(1, "main") + b"".join(_message(2, row) for row in rows) + _number(5, 1)
    return _message(1, _text(1, module) + _text(2, "main") + _message(3, computation))


def _instruction(
    name: str, opcode: str, element: str, count: int, id: int, operand: int = 0, operand_count: int = 0
) -> bytes:
    shape = _array(element, count)
    if opcode == "all-gather-start":  # returns what goes in and what comes out
        shape = _number(2, TUPLE) + _message(4, _array(element, operand_count)) + _message(4, shape)
    operands = _message(36, _varint(operand)) if operand else b""
    return _text(1, name) + _text(2, opcode) + _message(3, shape) + _number(35, id) + operands


def _array(element: str, count: int) -> bytes:
    return _number(2, ELEMENT_TYPES[element]) + _message(3, _varint(count))


def _varint(value: int) -> bytes:
    parts = []
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())
