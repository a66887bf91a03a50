"""Hand-made XLA programs: HloProtos with just the fields that say what a collective moves."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.readers.xspace.raw import content, number, varint

PRED, S32, U32, F32, F64, BF16, F16, F8, TUPLE, TOKEN = 1, 4, 8, 11, 12, 16, 10, 20, 13, 17


def array(element_type: int, *dimensions: int, packed: bool = True) -> bytes:
    """The shape of an array."""
    if packed:
        stored = content(3, *map(varint, dimensions)) if dimensions else b""
    else:
        stored = b"".join(number(3, dimension) for dimension in dimensions)
    return number(2, element_type) + stored + content(5, number(4, 1))  # a layout follows


def tuple_of(*parts: bytes) -> bytes:
    """The shape of several arrays."""
    return number(2, TUPLE) + b"".join(content(4, part) for part in parts)


def instruction(
    name: str,
    opcode: str,
    shape: bytes,
    id: int = 0,
    operands: Sequence[int] = (),
    calls: Sequence[int] = (),
    packed: bool = True,
) -> bytes:
    """An instruction; ``operands`` are ids of instructions, ``calls`` ids of computations."""
    metadata = content(7, content(2, b"model/layer/op"))
    if packed:
        ids = content(36, *map(varint, operands)) + content(38, *map(varint, calls))
    else:
        ids = b"".join([*(number(36, o) for o in operands), *(number(38, c) for c in calls)])
    head = content(1, name.encode()) + content(2, opcode.encode()) + content(3, shape)
    return head + metadata + number(35, id) + ids + content(43, b"{}")


def program(*computations: Sequence[bytes], name: str = "jit_step") -> bytes:
    """A program; the n-th computation has the id n."""
    bodies = [
        content(3, content(1, b"c%d" % id), *(content(2, i) for i in instructions), number(5, id))
        for id, instructions in enumerate(computations)
    ]
    return content(1, content(1, name.encode()), content(2, b"c0"), *bodies) + content(3, b"")


def one_collective(opcode: str, operand: bytes, result: bytes, name: str = "") -> bytes:
    """A program of one parameter and one collective, which is named like its opcode unless said."""
    rows = [
        instruction("param.0", "parameter", operand, 5),
        instruction(name or opcode, opcode, result, 6, [5]),
    ]
    return program(rows)


def library_call(
    target: str, shapes: list[bytes], result: bytes, config: str = "", more: bytes = b""
) -> bytes:
    """A program of one custom call."""
    rows = [instruction(f"p{i}", "parameter", shape, i) for i, shape in enumerate(shapes)]
    stands_for = content(28, target.encode()) + content(43, config.encode()) + more
    called = instruction("it", "custom-call", result, 99, range(len(shapes))) + stands_for
    return program([*rows, called])


def gemm(contracting: int | str, wrapped: bool = True, batch: int | str | None = None) -> str:
    """The configuration of a product of cuBLAS."""
    dimensions = {
        "lhs_contracting_dimensions": [contracting],
        "lhs_batch_dimensions": [] if batch is None else [batch],
    }
    config = {"alpha_real": 1, "dot_dimension_numbers": dimensions}
    return json.dumps({"gemm_backend_config": config} if wrapped else config)


def nested_product(format: int = BF16, format_2: int = 0) -> bytes:
    """A fusion of Triton: the product is in the fusion that the fusion calls."""
    left, right, out = array(format, 64, 32), array(format, 32, 16), array(format, 64, 16)
    parameters = [instruction("a", "parameter", left, 1), instruction("b", "parameter", right, 2)]
    dims = content(30, content(1, varint(1)), content(2, varint(0)))
    dot = instruction("dot", "dot", out, 3, [1, 2]) + dims
    other = array(format_2 or format, 64, 32), array(format_2 or format, 32, 16)
    second = [
        instruction("c", "parameter", other[0], 1), instruction("d", "parameter", other[1], 2),
        instruction("dot.2", "dot", out, 3, [1, 2]) + dims,
    ]  # fmt: skip
    entry = [*parameters, instruction("it", "fusion", out, 9, [1, 2], [1])]
    nested = [*parameters, instruction("inner", "fusion", out, 4, [1, 2], [2])]
    if format_2:
        nested += [instruction("inner.2", "fusion", out, 5, [1, 2], [3])]
    root = number(6, 4)
    bodies = [entry, nested, [*parameters, dot], second]
    computations = [
        content(3, *(content(2, row) for row in rows), number(5, id), root if id == 1 else number(6, 3))
        for id, rows in enumerate(bodies)
    ]
    return content(1, *computations)
