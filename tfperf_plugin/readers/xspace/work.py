"""How much each instruction of an XLA program computes and moves, from the program (HLO) itself.

Rules are those of XLA's ``HloCostAnalysis``: a multiply-add is two operations, an elementwise instruction
one per element, transcendental functions count apart. Bytes are those that must cross memory once: operands
and results of the instruction, of a sliced operand only the slice. Two counts differ, because XLA's are not
those of the GPU: a gather or scatter inside a fusion touches only what it gathers or scatters, not the whole
table; calls of cuBLAS and cuDNN (on AMD: hipBLASLt and MIOpen) have the work of the product, convolution or
attention that they stand for. An attention has 2·B·H·Sq·Sk·(D + Dv) operations, its gradient 2·B·H·Sq·Sk·(3·D
+ 2·Dv), as it computes the scores again, half of that if causal; sequences count as full, since no program
tells how much of them is padding. What a loop repeats is counted once, as its kernels run once each time. An
instruction that is not known here is left out: its work is unknown, not zero.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import Final, NamedTuple, TypeVar

import msgspec
import numpy as np
from msgspec.structs import replace

from tfperf_plugin.readers.xspace.attention import Graph, Softmax, attentions
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
from tfperf_plugin.readers.xspace.wire import BYTES, VARINT, Ints, WireError, fields, read_varint, signed
from tfperf_plugin.trace.model import OpKind, OpWork, Product

# Fields of HloInstructionProto.
_MORE: Final = tuple(number << 3 | BYTES for number in (7, 15, 16, 28, 30, 36, 38, 43))
_METADATA, _WINDOW, _CONVOLUTION, _TARGET, _DOT, _OPERANDS, _CALLED, _CONFIG = _MORE
_OP_NAME: Final = 2  # of OpMetadata
_RECOMPUTED: Final = b"rematted_computation"
"""How JAX names what ``jax.checkpoint`` computes again; what XLA computes again has ".remat" in its name."""
_FORWARD, _BACKWARD = b"jvp(", b"transpose("

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
_PASSED: Final = (
    _ELEMENTWISE
    | _TRANSCENDENTAL
    | _MOVES
    | frozenset((b"bitcast", b"fusion", b"get-tuple-element", b"reduce"))
)
"""What may lie between the products of an attention."""
_EXPONENTIAL: Final = frozenset((b"exponential", b"exponential-minus-one"))
_SLICES: Final = frozenset((b"slice", b"dynamic-slice", b"gather"))
_CONTROL: Final = frozenset((b"while", b"call", b"conditional", b"async-start"))
"""Run the instructions of other computations, each as kernels of its own."""

_PRODUCTS: Final = (b"__cublas$gemm", b"__cublas$lt$matmul")
_TE_PRODUCT: Final = b"te_gemm"
_CONVOLUTIONS: Final = {
    b"__cudnn$convForward": (0, 1, -1),
    b"__cudnn$convBiasActivationForward": (0, 1, -1),
    b"__cudnn$convForwardGraph": (0, 1, -1),
    b"__cudnn$convBackwardInput": (-1, 1, 0),
    b"__cudnn$convBackwardFilter": (0, -1, 1),
}
"""Which operand is the forward convolution's input, filter and output; −1: the result."""

_ATTENTIONS: Final = (b"__cudnn$fmha", b"te_fused_attn_forward", b"te_fused_attn_backward")
_NUMBER: Final = re.compile(rb"\b([a-z_]{1,32}) = (-?[0-9]{1,18}) : u?i[0-9]")
"""A number in a call's attributes, as MLIR writes it."""
_CAUSAL: Final = frozenset(("CAUSAL", "PADDING_CAUSAL", 2, 3, 4, 5))
_FULL: Final = frozenset(("", "NO_MASK", "PADDING", 0, 1))
"""Masks of cuDNN's calls and of Transformer Engine's (NVTE_Mask_Type)."""
_LAST_DENSE_LAYOUT: Final = 9
"""Of Transformer Engine's NVTE_QKV_Layout; behind it, several sequences are packed into one."""
_BYTES_TYPES: Final = (2, 6)  # s8 and u8

_FORMATS: Final = {
    2: "int8", 6: "int8", 10: "fp16", 11: "fp32", 12: "fp64", 16: "bf16",
    19: "fp8", 20: "fp8", 23: "fp8", 24: "fp8", 25: "fp8", 28: "fp8", 29: "fp8",
}  # fmt: skip
"""Formats with a rate of their own on matrix units, by xla.PrimitiveType."""
_MIXED: Final = "mixed"
_MOST_PRODUCTS: Final = 4
_GATHERED_SHARE: Final = 4
"""What a fusion gathers is at least one in as many of its bytes, or it is no gather."""

_ID_BYTES: Final = 5  # of a number, hold the bits of ID_MASK
_MAX_DEPTH: Final = 8
_MAX_PARTS: Final = 8
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
    """Operations of ordinary units, of matrix units in ``format``, and transcendental functions.

    ``again``: those of ``matrix`` that repeat a part of the forward pass; ``gathered``: bytes.
    """

    vector: int = 0
    matrix: int = 0
    transcendental: int = 0
    format: str = ""
    kind: OpKind = "other"
    products: tuple[Product, ...] = ()
    again: int = 0
    gathered: int = 0

    def plus(self, other: _Flops, times: int = 1) -> _Flops:
        """Both, the other as many times."""
        formats = {self.format, other.format} - {""}
        products = self.products + other.products
        return _Flops(
            min(self.vector + times * other.vector, MAX_BYTES),
            min(self.matrix + times * other.matrix, MAX_BYTES),
            min(self.transcendental + times * other.transcendental, MAX_BYTES),
            _MIXED if len(formats) > 1 else "".join(formats),
            max(self.kind, other.kind, key=_KINDS.index),
            tuple(sorted(products, key=_operations, reverse=True)[:_MOST_PRODUCTS]) if products else (),
            min(self.again + times * other.again, MAX_BYTES),
            min(self.gathered + times * other.gathered, MAX_BYTES),
        )


_KINDS: Final[tuple[OpKind, ...]] = ("other", "gather", "scatter", "product", "convolution", "attention")
"""What consists of several is the last of them."""


_NONE: Final = _Flops()


def _operations(product: Product) -> int:
    return product.batch * product.m * product.n * product.k * product.window


class _DotDimensions(msgspec.Struct):
    lhs_contracting_dimensions: list[int] = []
    lhs_batch_dimensions: list[int] = []


class _Gemm(msgspec.Struct):
    dot_dimension_numbers: _DotDimensions | None = None


class _GemmConfig(msgspec.Struct):
    """A product's ``backend_config``; older XLA has no outer object."""

    gemm_backend_config: _Gemm | None = None
    dot_dimension_numbers: _DotDimensions | None = None


class _Scores(msgspec.Struct):
    dimensions: list[int] = []


class _Fmha(msgspec.Struct):
    intermediate_tensor_shape: _Scores | None = None
    mask_type: str = ""
    is_causal_mask: bool = False
    sliding_window_length: int = 0
    max_seg_per_batch: int = 0
    is_paged_attention: bool = False


class _FmhaConfig(msgspec.Struct):
    """The ``backend_config`` of cuDNN's attention."""

    cudnn_fmha_backend_config: _Fmha | None = None


class _Estimate(msgspec.Struct):
    flops: int
    bytes_accessed: int
    transcendentals: int = 0


class _Estimated(msgspec.Struct):
    cost_estimate: _Estimate | None = None


class _EstimateConfig(msgspec.Struct):
    """The ``backend_config`` of a Pallas kernel whose author told its cost."""

    custom_call_config: _Estimated | None = None


_GEMM: Final = msgspec.json.Decoder(_GemmConfig, strict=False)
_FMHA: Final = msgspec.json.Decoder(_FmhaConfig, strict=False)
_ESTIMATE: Final = msgspec.json.Decoder(_EstimateConfig, strict=False)
C = TypeVar("C")


class _Unknown(Exception):
    """The program does not tell, or what it tells is nothing that is known here."""


def work_of(proto: bytes, asked: Set[str] | None = None) -> dict[str, OpWork]:
    """The work of one execution of each instruction.

    Args:
        proto: a serialized HloProto.
        asked: names of the instructions of interest; ``None`` for all.

    Returns:
        Instruction name → its work. Instructions that other instructions compute within their own kernels (in
        fusions, in reductions) are part of these; those of loops, calls and branches stand for themselves.
        What is damaged or not known is left out.
    """
    try:
        return _Work(proto).all(asked)
    except WireError:
        return {}


class _Work(Program):
    """The program under the reader's eyes; each computation and each shape is read once."""

    def __init__(self, proto: bytes) -> None:
        super().__init__(proto, _MORE)
        self._by_id = {c.id: index for index, c in enumerate(self.computations)}
        self._bounds: dict[int, list[int]] = {}
        self._shapes: dict[bytes, _Shape | None] = {}
        self._flops_inside: dict[int, _Flops | None] = {}
        self._bytes_inside: dict[int, int | None] = {}
        self._opcodes = [proto[at:end] for at, end in self._columns.place[OPCODE].tolist()]
        self._results: dict[int, _Shape] = {}
        self._positions_left = _MAX_POSITIONS
        self._softmax_inside: dict[int, Softmax] = {}

    def all(self, asked: Set[str] | None) -> dict[str, OpWork]:
        """See ``work_of``."""
        found: dict[str, OpWork | None] = {}
        seen, waiting = set(), [self.entry]
        while waiting:
            computation = waiting.pop()
            if computation in seen or computation not in self._by_id:
                continue
            seen.add(computation)
            works: dict[int, OpWork] = {}
            names: dict[int, str] = {}
            for row in self._rows_of(computation):
                opcode = self._opcodes[row]
                if opcode in _CONTROL:
                    waiting += self._ints(row, _CALLED)
                elif opcode not in _FREE:
                    name = self._content(row, NAME).decode(errors="replace")
                    if asked is None or name in asked:
                        names[row] = name
                        work = self._work(row, per_run=computation == self.entry)
                        if work:
                            works[row] = work
            for row, first in self._attentions(computation, works).items():
                if row in works:
                    works[row] = replace(works[row], attention=names[first])
            if any(work.recomputed for work in works.values()):
                for row in self._of_forward_pass(computation) & works.keys():
                    works[row] = replace(works[row], recomputed=False, recomputed_flops=0)
            for row, name in names.items():
                found[name] = works.get(row) if name not in found else None
        return {name: work for name, work in found.items() if work}

    def _work(self, row: int, per_run: bool) -> OpWork | None:
        try:
            flops = self._flops(row, 0)
            moved = self._moved(row)
        except (_Unknown, WireError):
            return None
        moved = min(moved, MAX_BYTES)
        kind = flops.kind
        if kind == "gather" and _GATHERED_SHARE * flops.gathered < moved:
            kind = "other"
        return OpWork(
            flops=min(flops.vector + flops.matrix, MAX_BYTES),
            matrix_flops=flops.matrix,
            matrix_format=flops.format,
            transcendentals=flops.transcendental,
            bytes=moved,
            per_run=per_run,
            kind=kind,
            products=flops.products,
            recomputed=flops.again == flops.matrix if flops.matrix else self._is_recomputed(row),
            recomputed_flops=flops.again,
        )

    def _is_recomputed(self, row: int) -> bool:
        if b".remat" in self._content(row, NAME):
            return True
        return _RECOMPUTED in self._content(row, _METADATA) and any(
            _RECOMPUTED in self._proto[field.value : field.end]
            for field in fields(self._proto, *self._place(row, _METADATA))
            if field.number == _OP_NAME and field.wire_type == BYTES
        )

    def _of_forward_pass(self, computation: int) -> set[int]:
        """Instructions that a forward pass of JAX needs, even if they are named like what is computed again:
        XLA computes equal ones only once."""
        needed: set[int] = set()
        for row in reversed(self._rows_of(computation)):  # users come behind what they use
            name = self._content(row, _METADATA)
            is_forward = _FORWARD in name and _BACKWARD not in name
            if is_forward or (row in needed and (_RECOMPUTED in name or self._opcodes[row] in _FREE)):
                needed.update(self._operand_rows(row))
        return needed

    # ------------------------------------------------------------------------------ operations

    def _flops(self, row: int, depth: int) -> _Flops:
        opcode = self._opcodes[row]
        if opcode in _FREE:
            return _NONE
        if opcode == b"gather":
            return _Flops(kind="gather", gathered=self._result(row).bytes)
        if opcode in _MOVES:
            return _NONE
        out = self._result(row)
        if opcode in _ELEMENTWISE:
            return _Flops(vector=out.elements)
        if opcode in _TRANSCENDENTAL:
            return _Flops(transcendental=out.elements)
        operands = self._operands(row)
        if opcode == b"dot":
            return self._product(row, out, operands, *self._dot_dimensions(row))
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
            return _Flops(kind="scatter").plus(inside, self._first(operands, 3)[-1].elements)
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
            total, vector, transcendental = _Flops(), 0, 0
            for row in self._rows_of(computation):
                one = self._flops(row, depth + 1)
                if one.matrix or one.kind != "other":
                    total = total.plus(one)
                else:
                    vector, transcendental = vector + one.vector, transcendental + one.transcendental
            self._flops_inside[computation] = total.plus(_Flops(vector, 0, transcendental))
        found = self._flops_inside[computation]
        if found is None:
            raise _Unknown
        return found

    def _product(
        self,
        row: int,
        out: _Shape,
        operands: Sequence[_Shape],
        contracting: Sequence[int],
        batched: Iterable[int],
    ) -> _Flops:
        lhs = self._first(operands, 2)[0]
        k, batch = (_extent(lhs.dimensions, dimensions) for dimensions in (contracting, batched))
        m = lhs.elements // max(1, batch * k)
        n = out.elements // max(1, batch * m)
        format = _FORMATS.get(lhs.element_type, _MIXED)
        # A product for weights' gradients sums over rows: its operands do not lie in memory along k.
        over_rows = len(lhs.dimensions) - 1 not in contracting
        product = Product(batch, m, n, k, format, gradient="filter" if over_rows else "")
        return self._matrix(row, "product", min(2 * out.elements * k, MAX_BYTES), product)

    def _matrix(self, row: int, kind: OpKind, count: int, product: Product) -> _Flops:
        again = count if self._is_recomputed(row) else 0
        return _Flops(matrix=count, format=product.format, kind=kind, products=(product,), again=again)

    def _dot_dimensions(self, row: int) -> tuple[list[int], list[int]]:
        at, end = self._place(row, _DOT)
        if not end:
            raise _Unknown
        return self._all_ints(at, end, 1), self._all_ints(at, end, 3)

    def _custom_call(self, row: int, operands: Sequence[_Shape], out: _Shape) -> _Flops:
        target = self._content(row, _TARGET)
        result = out.parts[0] if out.parts else out
        if target.startswith(_PRODUCTS):
            config = self._config(row, _GEMM)
            dimensions = (config.gemm_backend_config or config).dot_dimension_numbers
            if dimensions is None:
                raise _Unknown
            contracting, batched = dimensions.lhs_contracting_dimensions, dimensions.lhs_batch_dimensions
            return self._product(row, result, operands, contracting, batched)
        if target.startswith(_TE_PRODUCT):
            return self._transformer_engine_product(row, result, operands)
        if target in _CONVOLUTIONS:
            given = (*self._first(operands, 2)[:2], result)
            input, kernel, output = (given[place] for place in _CONVOLUTIONS[target])
            return self._convolution(row, input, kernel, output)
        if target.startswith(_ATTENTIONS):
            return self._attention(row, target.lower(), operands)
        estimate = self._estimate(row)
        if estimate and min(estimate) >= 0:
            # What of it is a product is not told: the faster units bound it.
            format = _FORMATS.get(operands[0].element_type, _MIXED) if operands else _MIXED
            flops, _, transcendentals = (min(number, MAX_BYTES) for number in estimate)
            again = flops if self._is_recomputed(row) else 0
            return _Flops(0, flops, transcendentals, format if flops else "", again=again)
        raise _Unknown

    def _transformer_engine_product(self, row: int, out: _Shape, operands: Sequence[_Shape]) -> _Flops:
        """Of left, its scale and right, …, transposed or not: |out| = |left|·|right| / k²."""
        lhs, _, rhs = self._first(operands, 3)[:3]
        k = math.isqrt(lhs.elements * rhs.elements // max(1, out.elements))
        if (
            not k
            or lhs.elements * rhs.elements != k * k * out.elements
            or self._attributes(row)[b"collective_op"]
        ):
            raise _Unknown
        format = _FORMATS.get(lhs.element_type, _MIXED)
        product = Product(batch=1, m=lhs.elements // k, n=rhs.elements // k, k=k, format=format)
        return self._matrix(row, "product", min(2 * out.elements * k, MAX_BYTES), product)

    def _attributes(self, row: int) -> Counter[bytes]:
        """The numbers among a call's attributes."""
        return Counter({name: int(number) for name, number in _NUMBER.findall(self._content(row, _CONFIG))})

    def _config(self, row: int, decoder: msgspec.json.Decoder[C]) -> C:
        try:
            return decoder.decode(self._content(row, _CONFIG))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise _Unknown from None

    def _estimate(self, row: int) -> tuple[int, int, int] | None:
        """Operations, bytes and transcendental functions of a Pallas kernel, if told."""
        if b"cost_estimate" not in self._content(row, _CONFIG):
            return None
        outer = self._config(row, _ESTIMATE).custom_call_config
        told = outer and outer.cost_estimate
        return (told.flops, told.bytes_accessed, told.transcendentals) if told else None

    def _attention(self, row: int, target: bytes, operands: Sequence[_Shape]) -> _Flops:
        """A call that computes scores, softmax and their product with the values, or the gradients."""
        query, key, value = self._first(operands, 3)[:3]
        sizes: tuple[int, ...]
        mask: int | str
        if target.startswith(b"te_"):
            told = self._attributes(row)
            each = told.get(b"head_dim", -1)
            names = (b"input_batch", b"attn_heads", b"q_max_seqlen", b"kv_max_seqlen")
            sizes = tuple(told.get(name, -1) for name in names)
            depth, depth_of_value = told.get(b"qk_head_dim", each), told.get(b"v_head_dim", each)
            mask = told.get(b"mask_type", -1)
            is_dense = 0 <= told.get(b"qkv_layout", -1) <= _LAST_DENSE_LAYOUT
            is_dense &= told.get(b"window_size_left", -1) < 0 and told.get(b"window_size_right", -1) <= 0
        else:
            config = self._config(row, _FMHA).cudnn_fmha_backend_config or _Fmha()
            scores = config.intermediate_tensor_shape
            sizes = tuple(scores.dimensions) if scores else ()
            mask = "CAUSAL" if config.is_causal_mask else config.mask_type
            is_dense = not config.is_paged_attention
            is_dense &= config.sliding_window_length <= 0 and config.max_seg_per_batch <= 1
            depth = query.elements // max(1, math.prod(sizes[:3]))
            depth_of_value = value.elements * depth // max(1, key.elements)
        if len(sizes) != 4 or not is_dense or min(*sizes, depth, depth_of_value) < 1:
            raise _Unknown
        scores_count = min(math.prod(sizes), MAX_BYTES)
        if mask in _CAUSAL and sizes[2] == sizes[3]:
            scores_count //= 2
        elif mask not in _FULL:
            raise _Unknown
        backward = b"backward" in target
        times = 2 * (3 * depth + 2 * depth_of_value) if backward else 2 * (depth + depth_of_value)
        count = min(scores_count * times, MAX_BYTES)
        # The backward pass computes the scores again: one of its five products.
        again = min(2 * scores_count * depth, count) if backward else 0
        return _Flops(
            matrix=count,
            transcendental=scores_count,
            format=_FORMATS.get(query.element_type, _MIXED),
            kind="attention",
            again=count if self._is_recomputed(row) else again,
        )

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
        if {len(array.dimensions) for array in (input, kernel, output)} != {len(window) + 2}:
            raise _Unknown  # cuDNN's int8 layouts split the channels
        k, n = _at(kernel.dimensions, dimension[3]), _at(output.dimensions, dimension[10])
        m, places = _at(output.dimensions, dimension[9]), 1
        count = min(2 * k * n * m, MAX_BYTES)
        for sizes, *axes in zip(window, one[11], one[6], one[12], strict=True):
            arrays = zip((input, kernel, output), axes, strict=True)
            extents = [_at(array.dimensions, axis) for array, axis in arrays]
            self._positions_left -= 1000 + extents[1] * sizes[5]
            if self._positions_left < 0 or max(*extents, *map(abs, sizes)) > _MAX_EXTENT:
                raise _Unknown
            count = min(count * positions(sizes, *extents), MAX_BYTES)
            m, places = min(m * extents[2], MAX_BYTES), min(places * extents[1], MAX_BYTES)
        format = _FORMATS.get(input.element_type, _MIXED)
        return self._matrix(row, "convolution", count, Product(1, m, n, k, format, places))

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

    def _moved(self, row: int) -> int:
        opcode, out = self._opcodes[row], self._result(row)
        if opcode == b"fusion":
            called = self._ints(row, _CALLED)
            return self._moved_inside(called[0] if called else -1)
        operands = self._operands(row)
        if opcode in _SLICES:
            return 2 * out.bytes + sum(o.bytes for o in operands[1:])
        if opcode == b"dynamic-update-slice":
            return 2 * self._first(operands, 2)[1].bytes + sum(o.bytes for o in operands[2:])
        if opcode == b"scatter":
            _, indices, updates = self._first(operands, 3)[:3]
            return 3 * updates.bytes + indices.bytes
        if opcode == b"custom-call":
            estimate = self._estimate(row)
            if estimate:
                return estimate[1]
            return sum(part.bytes for part in _written_by_call(out)) + sum(o.bytes for o in operands)
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
        read: dict[int, int] = {}
        total = 0
        for row in reversed(self._rows_of(computation)):  # users come behind what they use
            opcode = self._opcodes[row]
            size = min(self._result(row).bytes, read.get(row, 0))
            if opcode == b"parameter":
                total += size
                continue
            operands = self._operand_rows(row)
            for place, operand in enumerate(operands):
                if operand < 0:
                    return None
                read[operand] = read.get(operand, 0) + self._read_by(row, opcode, place, operands, size)
        root = self._root_row(computation)
        return None if root < 0 else total + self._written(root)

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

    def _written(self, root: int) -> int:
        """Bytes that the result takes; an array that is updated in place, only by the update."""
        opcode = self._opcodes[root]
        operands = self._operand_rows(root)
        if opcode == b"tuple":
            return sum(self._written_part(operand) for operand in operands)
        return self._written_part(root)

    def _written_part(self, row: int) -> int:
        if row < 0:
            raise _Unknown
        opcode = self._opcodes[row]
        if opcode in (b"dynamic-update-slice", b"scatter"):
            operands = self._operand_rows(row)
            at = 1 if opcode == b"dynamic-update-slice" else len(operands) - 1
            if not 0 < at < len(operands) or operands[at] < 0:
                raise _Unknown
            return self._result(operands[at]).bytes
        return self._result(row).bytes

    # ---------------------------------------------------------------------------------- attention

    def _attentions(self, computation: int, works: Mapping[int, OpWork]) -> dict[int, int]:
        """Instruction that is part of an attention in several → its first product."""
        products = {
            row: work.products[0]
            for row, work in works.items()
            if len(work.products) == 1 and work.kind == "product"
        }
        if sum(product.batch > 1 for product in products.values()) < 2:
            return {}
        users: dict[int, list[int]] = {}
        for row in self._rows_of(computation):
            if row in products or self._opcodes[row] in _PASSED:
                for operand in self._operand_rows(row):
                    users.setdefault(operand, []).append(row)
        return attentions(Graph(users, products, self._sizes, self._softmax))

    def _sizes(self, row: int) -> Sequence[int]:
        """Elements of each array of a result, without those that are not known."""
        try:
            out = self._result(row)
        except (_Unknown, WireError):
            return ()
        return [part.elements for part in out.parts[:_MAX_PARTS] or (out,)]

    def _softmax(self, row: int, depth: int = 0) -> Softmax:
        """What an instruction computes of a softmax, within itself if it is a fusion."""
        opcode = self._opcodes[row]
        try:
            if opcode in _EXPONENTIAL:
                return Softmax(frozenset((self._result(row).elements,)))
            called = self._ints(row, _CALLED)[:1]
            if opcode == b"reduce" and called:
                result = frozenset(self._sizes(row))
                root = self._root(called[0])
                return Softmax(
                    largest=result if root == b"maximum" else frozenset(),
                    sums=result if root == b"add" else frozenset(),
                )
            if opcode == b"fusion" and called and depth < _MAX_DEPTH:
                return self._softmax_of(called[0], depth)
        except (_Unknown, WireError):
            pass
        return Softmax()

    def _softmax_of(self, computation: int, depth: int) -> Softmax:
        if computation not in self._softmax_inside:
            self._softmax_inside[computation] = Softmax()  # also if it calls itself
            if computation in self._by_id:
                total = Softmax()
                for row in self._rows_of(computation):
                    total = total.plus(self._softmax(row, depth + 1))
                self._softmax_inside[computation] = total
        return self._softmax_inside[computation]

    def _root(self, computation: int) -> bytes:
        """The opcode of what a computation returns."""
        row = self._root_row(computation) if computation in self._by_id else -1
        return self._opcodes[row] if row >= 0 else b""

    # ------------------------------------------------------------------------------ what is stored

    def _rows_of(self, computation: int) -> range:
        """The instructions of a computation, in the order of the file."""
        index = self._by_id[computation]
        return range(*self._first_rows_and_end[index : index + 2])

    @cached_property
    def _first_rows_and_end(self) -> list[int]:
        return [*self._first_rows.tolist(), len(self._starts)]

    def _root_row(self, computation: int) -> int:
        """What a computation returns; −1 if there is no such instruction."""
        return self._roots[self._by_id[computation]]

    @cached_property
    def _roots(self) -> list[int]:
        ids = np.array([c.root & ID_MASK for c in self.computations], np.int64)
        rows: list[int] = self._find(np.arange(len(ids)), ids).tolist()
        return rows

    def _operand_rows(self, row: int) -> list[int]:
        """The operands of an instruction; −1 for what is not in its computation."""
        rows, ends, damaged = self._all_operands
        if row in damaged:
            raise WireError("one of its operands is cut off")
        return rows[ends[row - 1] if row else 0 : ends[row]]

    @cached_property
    def _all_operands(self) -> tuple[list[int], list[int], set[int]]:
        """The operands of all instructions in turn, the end of those of each, and which cannot be read."""
        begin, end = self._columns.place[_OPERANDS].astype(np.int64).T
        length = end - begin
        stored = np.frombuffer(self._proto, np.uint8)
        # A number that is cut off would go on with those of the next instruction.
        damaged = np.flatnonzero((length > 0) & (stored[np.maximum(end - 1, 0)] >= 0x80))
        length[damaged] = 0
        owner = np.repeat(np.arange(len(length)), length)
        at = np.arange(len(owner)) + (begin - np.cumsum(length) + length)[owner]
        content = stored[at].astype(np.int64)
        is_last = content < 0x80
        first = np.flatnonzero(np.concatenate([[True], is_last[:-1]])[: len(content)])
        place = np.arange(len(content)) - np.repeat(first, np.diff(first, append=len(content)))
        part = np.where(place < _ID_BYTES, (content & 0x7F) << 7 * np.minimum(place, _ID_BYTES), 0)
        ids = np.add.reduceat(part, first) & ID_MASK if len(first) else part
        owner = owner[first]
        computations = np.searchsorted(self._first_rows, owner, "right") - 1
        ends = np.cumsum(np.bincount(owner, minlength=len(length)))
        return self._find(computations, ids).tolist(), ends.tolist(), set(damaged.tolist())

    def _find(self, computations: Ints, ids: Ints) -> Ints:
        """Rows of the instructions with these ids in these computations, −1 for none."""
        keys, order = self._keys
        if not len(keys):
            return np.full(len(ids), -1)
        wanted = computations << 32 | ids
        place = np.searchsorted(keys, wanted, "right") - 1
        return np.where((place >= 0) & (keys[place] == wanted), order[place], -1)

    @cached_property
    def _keys(self) -> tuple[Ints, Ints]:
        """Computation and id of all instructions in ascending order, and their rows."""
        rows = np.arange(len(self._starts))
        computations = np.searchsorted(self._first_rows, rows, "right") - 1
        keys = computations << 32 | (self._columns.id & ID_MASK)
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def _place(self, row: int, key: int) -> tuple[int, int]:
        if key not in self._bounds:
            self._bounds[key] = self._columns.place[key].ravel().tolist()
        bounds = self._bounds[key]
        return bounds[2 * row], bounds[2 * row + 1]

    def _content(self, row: int, key: int) -> bytes:
        at, end = self._place(row, key)
        return self._proto[at:end]

    def _ints(self, row: int, key: int) -> list[int]:
        """A repeated number, packed as every writer stores it."""
        at, end = self._place(row, key)
        content = self._proto[at:end]
        if content.isascii():  # each number takes one byte
            return list(content)
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

    def _operands(self, row: int) -> list[_Shape]:
        found = self._operand_rows(row)
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


def _written_by_call(out: _Shape) -> Sequence[_Shape]:
    """The results of a library's call; a last one that is plain bytes is memory to work in."""
    *parts, last = out.parts or (out,)
    is_workspace = bool(parts) and last.element_type in _BYTES_TYPES and len(last.dimensions) == 1
    return parts if is_workspace else (*parts, last)


def _extent(dimensions: Sequence[int], places: Iterable[int]) -> int:
    """The product of some dimensions."""
    count = 1
    for place in places:
        count = min(count * _at(dimensions, place), MAX_BYTES)
    return count


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
