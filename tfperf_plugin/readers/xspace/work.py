"""How much each instruction of an XLA program computes and moves, from the program (HLO) itself.

Rules are those of XLA's ``HloCostAnalysis``: a multiply-add is two operations, an elementwise instruction
one per element, transcendental functions count apart. Bytes are those that must cross memory once: operands
and results of the instruction, of a sliced operand only the slice. Two counts differ, because XLA's are not
those of the GPU: a gather or scatter inside a fusion touches only what it gathers or scatters, not the whole
table; calls of cuBLAS and cuDNN (on AMD: hipBLASLt and MIOpen) have the work of the product or convolution
that they stand for. What a loop repeats is counted once, as its kernels run once each time. An instruction
that is not known here is left out: its work is unknown, not zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np

from tfperf_plugin.readers.xspace.hlo import (
    ID_MASK,
    MAX_BYTES,
    NAME,
    OPCODE,
    SHAPE,
    TUPLE,
    Program,
    bits_of,
)
from tfperf_plugin.readers.xspace.wire import BYTES, VARINT, WireError, fields, read_varint, signed
from tfperf_plugin.trace.model import OpWork

# Fields of HloInstructionProto.
_WINDOW, _CONVOLUTION, _TARGET, _DOT, _OPERANDS, _CALLED, _CONFIG = (
    number << 3 | BYTES for number in (15, 16, 28, 30, 36, 38, 43)
)
_MORE: Final = (_WINDOW, _CONVOLUTION, _TARGET, _DOT, _OPERANDS, _CALLED, _CONFIG)

_ELEMENTWISE: Final = frozenset(
    b"abs add and bitcast-convert ceil clamp compare complex convert count-leading-zeros divide floor imag "
    b"is-finite maximum minimum multiply negate not or popcnt real reduce-precision remainder "
    b"round-nearest-afz round-nearest-even select shift-left shift-right-arithmetic shift-right-logical sign "
    b"stochastic-convert subtract xor".split()
)
_TRANSCENDENTAL: Final = frozenset(
    b"acos acosh asin asinh atan2 atanh cbrt cosine cosh erf exponential exponential-minus-one log "
    b"log-plus-one logistic power rsqrt sine sinh sqrt tan tanh".split()
)
_MOVES: Final = frozenset(
    b"broadcast concatenate copy dynamic-slice dynamic-update-slice gather iota pad reshape reverse slice "
    b"transpose".split()
)
_FREE: Final = frozenset(
    b"parameter constant bitcast get-tuple-element tuple after-all add-dependency opt-barrier "
    b"partition-id replica-id".split()
)
_SLICES: Final = frozenset((b"slice", b"dynamic-slice", b"gather"))
_CONTROL: Final = frozenset((b"while", b"call", b"conditional", b"async-start"))
"""Run the instructions of other computations, each as kernels of its own."""

_PRODUCTS: Final = (b"__cublas$gemm", b"__cublas$lt$matmul")
_CONVOLUTIONS: Final = {
    b"__cudnn$convForward": (0, 1, -1),
    b"__cudnn$convBiasActivationForward": (0, 1, -1),
    b"__cudnn$convBackwardInput": (-1, 1, 0),
    b"__cudnn$convBackwardFilter": (0, -1, 1),
}
"""Which operand is the forward convolution's input, filter and output; −1: the result."""

_FORMATS: Final = {
    2: "int8", 6: "int8", 10: "fp16", 11: "fp32", 12: "fp64", 16: "bf16",
    19: "fp8", 20: "fp8", 23: "fp8", 24: "fp8", 25: "fp8", 28: "fp8", 29: "fp8",
}  # fmt: skip
"""Formats with a rate of their own on matrix units, by xla.PrimitiveType."""
_MIXED: Final = "mixed"

_MAX_DEPTH: Final = 8
_MAX_DIMENSIONS: Final = 8
_MAX_POSITIONS: Final = 1 << 22
"""Of all windows of a program, where each dimension of a window counts a thousand more; what is beyond is not
judged. Large models have a thousand convolutions, with windows of up to some hundred places."""
_MAX_EXTENT: Final = 1 << 30


class _Shape(NamedTuple):
    """An array; of a tuple the sum over its arrays, and the shapes of its parts."""

    element_type: int
    dimensions: tuple[int, ...]
    elements: int
    bytes: int
    parts: tuple[_Shape, ...] = ()


class _Flops(NamedTuple):
    """Operations of ordinary units, of matrix units in ``format``, and transcendental functions."""

    vector: int = 0
    matrix: int = 0
    transcendental: int = 0
    format: str = ""

    def plus(self, other: _Flops, times: int = 1) -> _Flops:
        """Both, the other as many times."""
        formats = {self.format, other.format} - {""}
        return _Flops(
            min(self.vector + times * other.vector, MAX_BYTES),
            min(self.matrix + times * other.matrix, MAX_BYTES),
            min(self.transcendental + times * other.transcendental, MAX_BYTES),
            _MIXED if len(formats) > 1 else "".join(formats),
        )


class _DotDimensions(msgspec.Struct):
    lhs_contracting_dimensions: list[int] = []


class _Gemm(msgspec.Struct):
    dot_dimension_numbers: _DotDimensions | None = None


class _GemmConfig(msgspec.Struct):
    """A product's ``backend_config``; older XLA has no outer object."""

    gemm_backend_config: _Gemm | None = None
    dot_dimension_numbers: _DotDimensions | None = None


_GEMM: Final = msgspec.json.Decoder(_GemmConfig, strict=False)


class _Unknown(Exception):
    """The program does not tell, or what it tells is nothing that is known here."""


def work_of(proto: bytes) -> dict[str, OpWork]:
    """The work of one execution of each instruction.

    Args:
        proto: a serialized HloProto.

    Returns:
        Instruction name → its work. Instructions that other instructions compute within their own kernels (in
        fusions, in reductions) are part of these; those of loops, calls and branches stand for themselves.
        What is damaged or not known is left out.
    """
    try:
        return _Work(proto).all()
    except WireError:
        return {}


class _Work(Program):
    """The program under the reader's eyes; each computation and each shape is read once."""

    def __init__(self, proto: bytes) -> None:
        super().__init__(proto, _MORE)
        self._by_id = {c.id: index for index, c in enumerate(self.computations)}
        self._rows: dict[int, dict[int, int]] = {}
        self._shapes: dict[bytes, _Shape | None] = {}
        self._flops_inside: dict[int, _Flops | None] = {}
        self._bytes_inside: dict[int, int | None] = {}
        self._opcodes = [proto[at:end] for at, end in self._columns.place[OPCODE].tolist()]
        self._results: dict[int, _Shape] = {}
        self._positions_left = _MAX_POSITIONS

    def all(self) -> dict[str, OpWork]:
        """See ``work_of``."""
        found: dict[str, OpWork | None] = {}
        seen, waiting = set(), [self.entry]
        while waiting:
            computation = waiting.pop()
            if computation in seen or computation not in self._by_id:
                continue
            seen.add(computation)
            for row in self._rows_of(computation).values():
                opcode = self._opcodes[row]
                if opcode in _CONTROL:
                    waiting += self._ints(row, _CALLED)
                elif opcode not in _FREE:
                    name = self._content(row, NAME).decode(errors="replace")
                    work = self._work(row, computation, per_run=computation == self.entry)
                    found[name] = work if name not in found else None
        return {name: work for name, work in found.items() if work}

    def _work(self, row: int, computation: int, per_run: bool) -> OpWork | None:
        try:
            flops = self._flops(row, computation, 0)
            moved = self._moved(row, computation)
        except (_Unknown, WireError):
            return None
        return OpWork(
            flops=min(flops.vector + flops.matrix, MAX_BYTES),
            matrix_flops=flops.matrix,
            matrix_format=flops.format,
            transcendentals=flops.transcendental,
            bytes=min(moved, MAX_BYTES),
            per_run=per_run,
        )

    # ------------------------------------------------------------------------------ operations

    def _flops(self, row: int, computation: int, depth: int) -> _Flops:
        opcode = self._opcodes[row]
        if opcode in _FREE or opcode in _MOVES:
            return _Flops()
        out = self._result(row)
        if opcode in _ELEMENTWISE:
            return _Flops(vector=out.elements)
        if opcode in _TRANSCENDENTAL:
            return _Flops(transcendental=out.elements)
        operands = self._operands(row, computation)
        if opcode == b"dot":
            return self._product(out, operands, self._dot_dimensions(row))
        if opcode == b"convolution":
            input, kernel = self._first(operands, 2)[:2]
            return self._convolution(row, input, kernel, out)
        if opcode == b"custom-call":
            return self._custom_call(row, operands, out)
        called = self._ints(row, _CALLED)
        if not called:
            raise _Unknown
        inside = self._inside(called[0], depth)
        if opcode == b"fusion":
            return inside
        if opcode == b"map":
            return _Flops().plus(inside, out.elements)
        if opcode == b"reduce":
            # Several arrays that are reduced together have one value to begin with each.
            results = out.parts or (out,)
            given = self._first(operands, len(results))
            return _Flops().plus(inside, max(0, given[0].elements - results[0].elements))
        if opcode == b"reduce-window":
            results = out.parts or (out,)
            size = min(math.prod(dimension[0] for dimension in self._window(row)), MAX_BYTES)
            return _Flops().plus(inside, min(results[0].elements * max(0, size - 1), MAX_BYTES))
        if opcode == b"scatter":
            # (arrays, indices, updates), with as many updates as arrays
            return _Flops().plus(inside, self._first(operands, 3)[-1].elements)
        if opcode == b"select-and-scatter":
            source = self._first(operands, 2)[1].elements
            size = min(math.prod(dimension[0] for dimension in self._window(row)), MAX_BYTES)
            chosen = _Flops().plus(inside, min(source * max(0, size - 1), MAX_BYTES))
            return chosen.plus(self._inside(called[1], depth), source) if len(called) > 1 else chosen
        if opcode == b"sort":
            count = (out.parts or (out,))[0].elements
            return _Flops(vector=count * max(1, count - 1).bit_length())
        raise _Unknown

    def _inside(self, computation: int, depth: int) -> _Flops:
        """The sum over a computation that another instruction computes."""
        if computation not in self._flops_inside:
            self._flops_inside[computation] = None  # also if it calls itself
            if depth == _MAX_DEPTH or computation not in self._by_id:
                raise _Unknown
            total = _Flops()
            for row in self._rows_of(computation).values():
                total = total.plus(self._flops(row, computation, depth + 1))
            self._flops_inside[computation] = total
        found = self._flops_inside[computation]
        if found is None:
            raise _Unknown
        return found

    def _product(self, out: _Shape, operands: Sequence[_Shape], contracting: Iterable[int]) -> _Flops:
        lhs = self._first(operands, 2)[0]
        count = 2 * out.elements
        for dimension in contracting:
            count = min(count * _at(lhs.dimensions, dimension), MAX_BYTES)
        return _Flops(matrix=min(count, MAX_BYTES), format=_FORMATS.get(lhs.element_type, _MIXED))

    def _dot_dimensions(self, row: int) -> list[int]:
        at, end = self._place(row, _DOT)
        if not end:
            raise _Unknown
        return self._all_ints(at, end, 1)

    def _custom_call(self, row: int, operands: Sequence[_Shape], out: _Shape) -> _Flops:
        target = self._content(row, _TARGET)
        result = out.parts[0] if out.parts else out
        if target.startswith(_PRODUCTS):
            try:
                config = _GEMM.decode(self._content(row, _CONFIG))
            except (msgspec.MsgspecError, ValueError, RecursionError):
                raise _Unknown from None
            dimensions = (config.gemm_backend_config or config).dot_dimension_numbers
            if dimensions is None:
                raise _Unknown
            return self._product(result, operands, dimensions.lhs_contracting_dimensions)
        if target in _CONVOLUTIONS:
            given = (*self._first(operands, 2)[:2], result)
            input, kernel, output = (given[place] for place in _CONVOLUTIONS[target])
            return self._convolution(row, input, kernel, output)
        raise _Unknown

    def _convolution(self, row: int, input: _Shape, kernel: _Shape, output: _Shape) -> _Flops:
        """Multiplications by padding do not count."""
        at, end = self._place(row, _CONVOLUTION)
        if not end:
            raise _Unknown
        one = {number: self._all_ints(at, end, number) for number in (3, 4, 6, 7, 8, 9, 10, 11, 12)}
        if any(len(values) > 1 for number, values in one.items() if number not in (6, 11, 12)):
            raise _Unknown
        dimension = {number: values[0] if values else 0 for number, values in one.items()}
        window = self._window(row)
        if not len(window) == len(one[6]) == len(one[11]) == len(one[12]):
            raise _Unknown
        count = 2 * _at(kernel.dimensions, dimension[3]) * _at(output.dimensions, dimension[10])
        count = min(count * _at(output.dimensions, dimension[9]), MAX_BYTES)
        for sizes, i, k, o in zip(window, one[11], one[6], one[12], strict=True):
            extents = _at(input.dimensions, i), _at(kernel.dimensions, k), _at(output.dimensions, o)
            self._positions_left -= 1000 + extents[1] * sizes[5]
            if self._positions_left < 0 or max(*extents, *map(abs, sizes)) > _MAX_EXTENT:
                raise _Unknown
            count = min(count * positions(sizes, *extents), MAX_BYTES)
        return _Flops(matrix=count, format=_FORMATS.get(input.element_type, _MIXED))

    def _window(self, row: int) -> list[tuple[int, ...]]:
        """Of each dimension size, stride, padding below and above, dilation of window and of base."""
        found = []
        for field in fields(self._proto, *self._place(row, _WINDOW)):
            if field.number == 1 and field.wire_type == BYTES:
                values = [1, 1, 0, 0, 1, 1]
                for part in fields(self._proto, field.value, field.end):
                    if 1 <= part.number <= len(values) and part.wire_type == VARINT:
                        values[part.number - 1] = signed(part.value)
                if min(values[0], values[1], values[4], values[5]) < 1:
                    raise _Unknown
                found.append(tuple(values))
        if len(found) > _MAX_DIMENSIONS:
            raise _Unknown
        return found

    # ------------------------------------------------------------------------------------ bytes

    def _moved(self, row: int, computation: int) -> int:
        opcode, out = self._opcodes[row], self._result(row)
        if opcode == b"fusion":
            called = self._ints(row, _CALLED)
            return self._moved_inside(called[0] if called else -1)
        operands = self._operands(row, computation)
        if opcode in _SLICES:
            return 2 * out.bytes + sum(o.bytes for o in operands[1:])
        if opcode == b"dynamic-update-slice":
            return 2 * self._first(operands, 2)[1].bytes + sum(o.bytes for o in operands[2:])
        if opcode == b"scatter":
            _, indices, updates = self._first(operands, 3)[:3]
            return 3 * updates.bytes + indices.bytes
        if opcode == b"custom-call" and out.parts:
            out = out.parts[0]  # what follows is memory to work in
        return out.bytes + sum(o.bytes for o in operands)

    def _moved_inside(self, computation: int) -> int:
        """What a fusion reads and writes."""
        if computation not in self._bytes_inside:
            self._bytes_inside[computation] = None  # also if reading it fails
            self._bytes_inside[computation] = self._read_and_written(computation)
        found = self._bytes_inside[computation]
        if found is None:
            raise _Unknown
        return found

    def _read_and_written(self, computation: int) -> int | None:
        if computation not in self._by_id:
            return None
        rows = self._rows_of(computation)
        read: dict[int, int] = {}
        total = 0
        for row in reversed(rows.values()):  # users come behind what they use
            opcode = self._opcodes[row]
            size = min(self._result(row).bytes, read.get(row, 0))
            if opcode == b"parameter":
                total += size
                continue
            operands = [rows.get(id & ID_MASK, -1) for id in self._ints(row, _OPERANDS)]
            for place, operand in enumerate(operands):
                if operand < 0:
                    return None
                read[operand] = read.get(operand, 0) + self._read_by(row, opcode, place, operands, size)
        root = rows.get(self.computations[self._by_id[computation]].root & ID_MASK, -1)
        return None if root < 0 else total + self._written(root, rows)

    def _read_by(self, row: int, opcode: bytes, place: int, operands: Sequence[int], size: int) -> int:
        """Bytes that an instruction reads of its operand in this place."""
        if opcode == b"bitcast":
            return size if size else self._result(row).bytes
        if place == 0 and opcode in _SLICES:
            return self._result(row).bytes
        if place == 0 and opcode == b"dynamic-update-slice":
            return 0
        if place == 0 and opcode == b"scatter":
            return self._result(operands[-1]).bytes
        return self._result(operands[place]).bytes

    def _written(self, root: int, rows: Mapping[int, int]) -> int:
        """Bytes that the result takes; an array that is updated in place, only by the update."""
        opcode = self._opcodes[root]
        operands = [rows.get(id & ID_MASK, -1) for id in self._ints(root, _OPERANDS)]
        if opcode == b"tuple":
            return sum(self._written_part(operand, rows) for operand in operands)
        return self._written_part(root, rows)

    def _written_part(self, row: int, rows: Mapping[int, int]) -> int:
        if row < 0:
            raise _Unknown
        opcode = self._opcodes[row]
        if opcode in (b"dynamic-update-slice", b"scatter"):
            operands = [rows.get(id & ID_MASK, -1) for id in self._ints(row, _OPERANDS)]
            at = 1 if opcode == b"dynamic-update-slice" else len(operands) - 1
            if not 0 < at < len(operands) or operands[at] < 0:
                raise _Unknown
            return self._result(operands[at]).bytes
        return self._result(row).bytes

    # ------------------------------------------------------------------------------ what is stored

    def _rows_of(self, computation: int) -> dict[int, int]:
        """Id of each instruction of a computation → its row, in the order of the file."""
        if computation not in self._rows:
            self._rows[computation] = self._rows_by_id(self._by_id[computation])
        return self._rows[computation]

    def _place(self, row: int, key: int) -> tuple[int, int]:
        at, end = self._columns.place[key][row].tolist()
        return at, end

    def _content(self, row: int, key: int) -> bytes:
        at, end = self._place(row, key)
        return self._proto[at:end]

    def _ints(self, row: int, key: int) -> list[int]:
        """A repeated number, packed as every writer stores it."""
        at, end = self._place(row, key)
        found = []
        while at < end:
            number, at = read_varint(self._proto, at, end)
            found.append(number)
        return found

    def _all_ints(self, at: int, end: int, number: int) -> list[int]:
        found: list[int] = []
        for field in fields(self._proto, at, end):
            if field.number == number:
                found += self._repeated(field.wire_type, field.value, field.end)
        return found

    def _operands(self, row: int, computation: int) -> list[_Shape]:
        rows = self._rows_of(computation)
        found = [rows.get(id & ID_MASK, -1) for id in self._ints(row, _OPERANDS)]
        if min(found, default=0) < 0:
            raise _Unknown
        return [self._result(operand) for operand in found]

    def _first(self, shapes: Sequence[_Shape], count: int) -> Sequence[_Shape]:
        if len(shapes) < count:
            raise _Unknown
        return shapes

    def _result(self, row: int) -> _Shape:
        """The shape of an instruction's result; equal ones are read once."""
        if row in self._results:
            return self._results[row]
        stored = self._content(row, SHAPE)
        if stored not in self._shapes:
            self._shapes[stored] = self._read_shape(*self._place(row, SHAPE), 0)
        found = self._shapes[stored]
        if found is None:
            raise _Unknown
        self._results[row] = found
        return found

    def _read_shape(self, at: int, end: int, nesting: int) -> _Shape | None:
        shape = self._shape(at, end)
        if shape.element_type == TUPLE:
            parts = [
                self._read_shape(*part, nesting + 1) if nesting < _MAX_DEPTH else None for part in shape.parts
            ]
            known = tuple(part for part in parts if part)
            if len(known) < len(parts):
                return None
            count, size = sum(part.elements for part in known), sum(part.bytes for part in known)
            return _Shape(TUPLE, (), min(count, MAX_BYTES), min(size, MAX_BYTES), known)
        bits = bits_of(shape.element_type)
        if bits is None or min(shape.dimensions, default=0) < 0:
            return None
        count = 1
        for dimension in shape.dimensions:
            count = min(count * dimension, MAX_BYTES)
        return _Shape(shape.element_type, tuple(shape.dimensions), count, (count * bits + 7) // 8)


def _at(dimensions: Sequence[int], place: int) -> int:
    if not 0 <= place < len(dimensions):
        raise _Unknown
    return dimensions[place]


def positions(sizes: Sequence[int], input: int, kernel: int, output: int) -> int:
    """How many multiplications by values of the input a convolution makes in one dimension.

    Args:
        sizes: of the window: its size, stride, padding below and above, dilation of window and of input.
        input, kernel, output: the sizes of these arrays. All numbers are below 2³⁰.
    """
    _, stride, low, _, dilation, base = sizes
    # Outputs first, first + base, … meet the same place between the holes of a dilated input.
    first = np.arange(min(base, output), dtype=np.int64)
    begin = np.arange(kernel, dtype=np.int64)[:, None] * dilation - low + first * stride
    step = stride * base
    from_n = np.maximum(0, -(begin // step))  # the first that is not in the padding below
    to_n = np.minimum((output - 1 - first) // base, ((input - 1) * base - begin) // step)
    return int(np.where(begin % base == 0, np.maximum(0, to_n - from_n + 1), 0).sum())
