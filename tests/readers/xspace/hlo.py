"""Hand-made XLA programs: HloProtos with just the fields that say what a collective moves."""

from __future__ import annotations

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
