"""The sizes of XLA's collectives, from the programs (HLO modules) that a profile holds.

A kernel of XLA names its instruction but not how much it moves; the shapes are in the program, which the
profiler stores as a serialized HloProto in the plane ``/host:metadata``. Of a program of many megabytes only
the collectives and what goes into them are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from tfperf_plugin.readers.content import Budget
from tfperf_plugin.readers.xspace.model import Plane
from tfperf_plugin.readers.xspace.program import MAX_BYTES, NAME, Program, Unknown
from tfperf_plugin.readers.xspace.wire import WireError

HLO_PLANE = "/host:metadata"
_PROTO_STATS = ("Hlo Proto", "hlo_proto")
_MODULE_NAME = re.compile(r"(.*)\((-?\d{1,20})\)", re.DOTALL)

_OPERANDS, _RESULT = range(2)
_WHOLE_ARRAY = {
    b"all-reduce": _OPERANDS,
    b"reduce-scatter": _OPERANDS,
    b"all-to-all": _OPERANDS,
    b"collective-broadcast": _OPERANDS,
    b"all-gather": _RESULT,
    b"collective-permute": _RESULT,  # in place it also has operands that say where
}
"""Which side of a collective is the whole array, the size that nccl-tests calls S. What a ragged all-to-all
moves depends on its data, so no program tells."""
_START, _ASYNC_START = b"-start", b"async-start"

_UNKNOWN = -1


def collective_sizes(proto: bytes) -> dict[str, int]:
    """How much each collective of a program moves.

    Args:
        proto: a serialized HloProto.

    Returns:
        Instruction name → bytes of the whole array: what goes into an AllReduce or a ReduceScatter, what
        comes out of an AllGather; of all arrays together where the instruction has several. What is damaged,
        or of a size that the program does not tell, is left out.
    """
    try:
        return _sizes(Program(proto, Budget(0), more=()))
    except WireError:
        return {}


def _sizes(program: Program) -> dict[str, int]:
    sizes: dict[str, int] = {}
    inside: dict[int, list[int]] = {}

    def add(row: int, size: int) -> None:
        if size:
            name = program.content(row, NAME).decode(errors="replace")
            sizes.setdefault(name, min(size, MAX_BYTES))

    for row, opcode in enumerate(program.opcodes):
        if opcode.removesuffix(_START) in _WHOLE_ARRAY:
            size = _size(program, row, opcode)
            inside.setdefault(program.computations[program.computation_of(row)].id, []).append(size)
            add(row, size)
    for row, opcode in enumerate(program.opcodes):
        if opcode == _ASYNC_START:
            called = program.called(row)
            found = inside.get(called[0], []) if len(called) == 1 else []
            add(row, found[0] if len(found) == 1 else 0)
    return sizes


def _size(program: Program, row: int, opcode: bytes) -> int:
    """Bytes of the whole array of a collective; 0 if the program does not tell."""
    try:
        if _WHOLE_ARRAY[opcode.removesuffix(_START)] == _OPERANDS:
            return sum(shape.bytes for shape in program.stored_operands(row))
        # Of these two the start returns (operands, results, …); that of an AllReduce returns the results.
        return (program.part(row, 1) if opcode.endswith(_START) else program.result(row)).bytes
    except Unknown:
        return 0


_Key = tuple[str | None, int | None]
"""A program's name and id, as far as a kernel says."""


class HloModules:
    """The programs that a profile holds, each read when it is first asked about."""

    def __init__(self, planes: Iterable[Plane]) -> None:
        self._planes = list(planes)
        self._sizes_by_proto: dict[bytes, Mapping[str, int]] = {}
        self._sizes: dict[_Key, Mapping[str, int]] = {}

    def collective_bytes(self, op: str, module: str | None, program: int | None) -> int:
        """The size of the collective ``op``, −1 if the profile does not tell.

        Args:
            op: the instruction's name.
            module: the program's name; ``None`` if it was not recorded.
            program: the program's id; ``None`` if it was not recorded.

        Of the programs that fit what was recorded, all that have the collective must agree.
        """
        key = module, None if program is None else program % (1 << 64)
        if key not in self._sizes:
            self._sizes[key] = self._merged(self._protos.get(key, []))
        return self._sizes[key].get(op.removeprefix("%"), _UNKNOWN)

    def protos_of(self, program: str) -> Sequence[bytes]:
        """The distinct programs of a name and number, "jit_step(7)"; a number of −1 was not recorded."""
        match = _MODULE_NAME.fullmatch(program)
        name, number = (match[1], int(match[2])) if match else (program, -1)
        key = name, None if number == -1 else number % (1 << 64)
        return list(dict.fromkeys(self._protos.get(key, [])))

    def size(self) -> int:
        """Bytes of all programs."""
        return sum(map(len, self._protos.get((None, None), [])))

    @cached_property
    def _protos(self) -> Mapping[_Key, list[bytes]]:
        """The programs by all that a kernel may say of its own: name and id, one of them, or nothing."""
        found: dict[_Key, list[bytes]] = {}
        for plane in self._planes:
            for title, stats in plane.event_stats.items():
                match = _MODULE_NAME.fullmatch(title)
                name, program = (match[1], int(match[2]) % (1 << 64)) if match else (title, None)
                for proto in (stats.get(stat) for stat in _PROTO_STATS):
                    if isinstance(proto, bytes):
                        for key in {(name, program), (name, None), (None, program), (None, None)}:
                            found.setdefault(key, []).append(proto)
        return found

    def _merged(self, protos: Iterable[bytes]) -> Mapping[str, int]:
        merged: dict[str, int] = {}
        for proto in protos:
            if proto not in self._sizes_by_proto:
                self._sizes_by_proto[proto] = collective_sizes(proto)
            for op, size in self._sizes_by_proto[proto].items():
                merged[op] = size if merged.get(op, size) == size else _UNKNOWN
        return merged
