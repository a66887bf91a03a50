"""Writes the programs of XLA that a profile holds: what tells how much their instructions compute and move.

Products and convolutions are calls of cuBLAS and cuDNN, all else is in fusions, and collectives stand beside
them. Layouts, schedules and buffers are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

ELEMENT_TYPES = {"f32": 11, "f16": 10, "bf16": 16, "u8": 6}
"""xla.PrimitiveType."""
ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2, "u8": 1}
TUPLE = 13


@dataclass(frozen=True)
class Exchange:
    """A collective instruction: arrays of ``operand_count`` elements go in, of ``result_count`` come out."""

    name: str
    opcode: str
    element: str
    operand_count: int
    result_count: int


MultipliedKind = Literal["nn", "nt", "tn", "fprop", "dgrad", "wgrad"]


@dataclass(frozen=True)
class Multiplied:
    """A product of two arrays, or a convolution: the dimensions of the ``operands`` and of the result.

    ``kind``: nn, nt or tn, with the batch's dimensions first; or fprop, dgrad or wgrad of a convolution with
    stride 1 and padding to the same size, whose images are NHWC and whose filters are HWIO.
    """

    name: str
    element: str
    kind: MultipliedKind
    operands: tuple[tuple[int, ...], tuple[int, ...]]
    result: tuple[int, ...]
    op_name: str = ""


@dataclass(frozen=True)
class Fused:
    """A fusion that reads and writes ``moved_bytes`` in all."""

    name: str
    element: str
    moved_bytes: int
    op_name: str = ""


_CONVOLUTIONS = {
    "fprop": "__cudnn$convForward",
    "dgrad": "__cudnn$convBackwardInput",
    "wgrad": "__cudnn$convBackwardFilter",
}
WORKSPACE_BYTES = 4 << 20
_ENTRY = 1


def hlo_proto(
    module: str, exchanges: Iterable[Exchange] = (), computed: Iterable[Multiplied | Fused] = ()
) -> bytes:
    """A serialized HloProto: the entry with each instruction and its parameters, and what fusions compute."""
    rows: list[bytes] = []
    fusions: list[bytes] = []
    for exchange in exchanges:
        shape = _array(exchange.element, exchange.result_count)
        given = _array(exchange.element, exchange.operand_count)
        if exchange.opcode == "all-gather-start":  # returns what goes in and what comes out
            shape = _tuple(given, shape)
        _add(rows, exchange.name, exchange.opcode, shape, (given,))
    for item in computed:
        metadata = _message(7, _text(2, item.op_name)) if item.op_name else b""
        if isinstance(item, Multiplied):
            operands = [_array(item.element, *dims) for dims in item.operands]
            shape = _tuple(_array(item.element, *item.result), _array("u8", WORKSPACE_BYTES))
            _add(rows, item.name, "custom-call", shape, operands, metadata + _call(item))
        else:
            # x -> -x: each element is read once and written once
            array = _array(item.element, max(1, item.moved_bytes // (2 * ELEMENT_BYTES[item.element])))
            inside: list[bytes] = []
            _add(inside, f"negate.{len(fusions)}", "negate", array, (array,))
            id = _ENTRY + 1 + len(fusions)
            fusions.append(_computation(f"fused_computation.{len(fusions)}", inside, id))
            called = _message(38, _varint(id))
            _add(rows, item.name, "fusion", array, (array,), metadata + called)
    computations = b"".join(_message(3, part) for part in (*fusions, _computation("main", rows, _ENTRY)))
    return _message(1, _text(1, module) + _text(2, "main") + computations + _number(6, _ENTRY))


def _add(
    rows: list[bytes], name: str, opcode: str, shape: bytes, operands: Sequence[bytes], more: bytes = b""
) -> None:
    """Appends an instruction behind a parameter for each of its operands; ids count from 1."""
    ids = []
    for operand in operands:
        ids.append(len(rows) + 1)
        rows.append(_instruction(f"param.{ids[-1]}", "parameter", operand, ids[-1]))
    references = _message(36, b"".join(map(_varint, ids)))
    rows.append(_instruction(name, opcode, shape, len(rows) + 1, references + more))


def _instruction(name: str, opcode: str, shape: bytes, id: int, more: bytes = b"") -> bytes:
    return _text(1, name) + _text(2, opcode) + _message(3, shape) + _number(35, id) + more


def _computation(name: str, rows: Sequence[bytes], id: int) -> bytes:
    """The last instruction is its root."""
    instructions = b"".join(_message(2, row) for row in rows)
    return _text(1, name) + instructions + _number(5, id) + _number(6, len(rows))


def _call(item: Multiplied) -> bytes:
    """What a custom call says of the product or convolution that it stands for."""
    if item.kind in _CONVOLUTIONS:
        target, filter = _CONVOLUTIONS[item.kind], item.result
        if item.kind != "wgrad":
            filter = item.operands[1]
        sizes = (_message(1, _window(size)) for size in filter[:2])
        # Places of dimensions: HWIO of the filter, NHWC of input and output.
        one = ((3, 2), (4, 3), (7, 0), (8, 3), (9, 0), (10, 3))
        places = b"".join(_number(*pair) for pair in one)
        spatial = b"".join(
            _message(field, bytes(at)) for field, at in ((6, (0, 1)), (11, (1, 2)), (12, (1, 2)))
        )
        return _message(15, b"".join(sizes)) + _message(16, places + spatial) + _text(28, target)
    batch = len(item.result) - 2
    lhs = batch + (0 if item.kind == "tn" else 1)
    rhs = batch + (1 if item.kind == "nt" else 0)
    dimensions = {
        "lhs_contracting_dimensions": [str(lhs)],
        "rhs_contracting_dimensions": [str(rhs)],
        "lhs_batch_dimensions": [str(at) for at in range(batch)],
        "rhs_batch_dimensions": [str(at) for at in range(batch)],
    }
    config = {"gemm_backend_config": {"alpha_real": 1, "beta": 0, "dot_dimension_numbers": dimensions}}
    return _text(28, "__cublas$gemm") + _text(43, json.dumps(config))


def _window(size: int) -> bytes:
    """One dimension: its size, stride 1, and as much padding as keeps the size."""
    numbers = (size, 1, (size - 1) // 2, size // 2, 1, 1)
    return b"".join(_number(field, number) for field, number in enumerate(numbers, 1))


def _tuple(*shapes: bytes) -> bytes:
    return _number(2, TUPLE) + b"".join(_message(4, shape) for shape in shapes)


def _array(element: str, *dims: int) -> bytes:
    return _number(2, ELEMENT_TYPES[element]) + _message(3, b"".join(map(_varint, dims)))


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
