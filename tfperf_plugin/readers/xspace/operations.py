"""Operations of each instruction, of what it computes inside its own kernels, and of calls of libraries.

Libraries: cuBLAS, cuDNN, Transformer Engine, and Pallas if its author tells them. The work of such a call is
that of the product, convolution or attention that it stands for. An attention has 2·B·H·Sq·Sk·(D + Dv)
operations, its gradient 2·B·H·Sq·Sk·(3·D + 2·Dv), as it computes the scores again, half of that if causal;
sequences count as full, since no program tells how much of them is padding.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import msgspec

from tfperf_plugin.readers.xspace.products import (
    FORMATS,
    MIXED,
    NONE,
    Flops,
    convolution,
    dot_dimensions,
    matrix,
    product,
    window,
)
from tfperf_plugin.readers.xspace.program import (
    CALLED,
    CONFIG,
    MAX_BYTES,
    MAX_DEPTH,
    TARGET,
    ArrayShape,
    Program,
    Unknown,
    first,
)
from tfperf_plugin.trace.model import Product

ELEMENTWISE: Final = frozenset(
    b"abs add and bitcast-convert ceil clamp compare complex convert count-leading-zeros divide floor imag "
    b"is-finite maximum minimum multiply negate not or popcnt real reduce-precision remainder "
    b"round-nearest-afz round-nearest-even select shift-left shift-right-arithmetic shift-right-logical sign "
    b"stochastic-convert subtract xor".split()
)
TRANSCENDENTAL: Final = frozenset(
    b"acos acosh asin asinh atan2 atanh cbrt cosine cosh erf exponential exponential-minus-one log "
    b"log-plus-one logistic power rsqrt sine sinh sqrt tan tanh".split()
)
MOVES: Final = frozenset(
    b"broadcast concatenate copy dynamic-slice dynamic-update-slice gather iota pad reshape reverse slice "
    b"transpose".split()
)
FREE: Final = frozenset(
    b"parameter constant bitcast get-tuple-element tuple after-all add-dependency opt-barrier "
    b"partition-id replica-id".split()
)


class Operations:
    """The operations of a program's instructions; each computation is read once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._flops_inside: dict[int, Flops | None] = {}

    def flops(self, row: int, depth: int) -> Flops:
        """The operations of one execution of an instruction nested ``depth`` computations deep."""
        program = self._program
        opcode = program.opcodes[row]
        if opcode in FREE:
            return NONE
        if opcode == b"gather":
            return Flops(kind="gather", gathered=program.result(row).bytes)
        if opcode in MOVES or opcode in TRANSCENDENTAL:
            return NONE
        out = program.result(row)
        if opcode in ELEMENTWISE:
            return Flops(vector=out.elements)
        operands = program.operands(row)
        if opcode == b"dot":
            return product(program, row, out, operands, *dot_dimensions(program, row))
        if opcode == b"convolution":
            input, kernel = first(operands, 2)[:2]
            return convolution(program, row, input, kernel, out)
        if opcode == b"custom-call":
            return custom_call(program, row, operands, out)
        called = program.ints(row, CALLED)
        if not called:
            raise Unknown
        inside = self._inside(called[0], depth)
        if opcode == b"fusion":
            return inside
        if opcode == b"map":
            return Flops().plus(inside, out.elements)
        if opcode == b"reduce":
            # Several arrays that are reduced together have one value to begin with each.
            results = out.parts or (out,)
            given = first(operands, len(results))
            return Flops().plus(inside, max(0, given[0].elements - results[0].elements))
        if opcode == b"reduce-window":
            results = out.parts or (out,)
            return Flops().plus(inside, self._times_window(row, results[0].elements))
        if opcode == b"scatter":
            # (arrays, indices, updates), with as many updates as arrays
            return Flops(kind="scatter").plus(inside, first(operands, 3)[-1].elements)
        if opcode == b"select-and-scatter":
            source = first(operands, 2)[1].elements
            chosen = Flops().plus(inside, self._times_window(row, source))
            return chosen.plus(self._inside(called[1], depth), source) if len(called) > 1 else chosen
        if opcode == b"sort":
            count = (out.parts or (out,))[0].elements
            return Flops(vector=count * max(1, count - 1).bit_length())
        raise Unknown

    def _times_window(self, row: int, count: int) -> int:
        """Steps from value to value in ``count`` windows of an instruction."""
        size = min(math.prod(dimension[0] for dimension in window(self._program, row)), MAX_BYTES)
        return min(count * max(0, size - 1), MAX_BYTES)

    def _inside(self, computation: int, depth: int) -> Flops:
        """The sum over a computation that another instruction computes."""
        if computation not in self._flops_inside:
            self._flops_inside[computation] = None  # also if it calls itself
            if depth == MAX_DEPTH or computation not in self._program.by_id:
                raise Unknown
            total, vector = Flops(), 0
            for row in self._program.rows_of(computation):
                one = self.flops(row, depth + 1)
                if one.matrix or one.kind != "other":
                    total = total.plus(one)
                else:
                    vector += one.vector
            self._flops_inside[computation] = total.plus(Flops(vector))
        found = self._flops_inside[computation]
        if found is None:
            raise Unknown
        return found


# -------------------------------------------------------------------------------- calls of libraries

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
"""In Transformer Engine's NVTE_QKV_Layout; layouts behind it pack several sequences into one."""
_BYTES_TYPES: Final = (2, 6)  # s8 and u8


class _DotDimensions(msgspec.Struct):
    lhs_contracting_dimensions: list[int] = []
    lhs_batch_dimensions: list[int] = []


class _Gemm(msgspec.Struct):
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


class _Estimate(msgspec.Struct):
    flops: int
    bytes_accessed: int


class _Estimated(msgspec.Struct):
    cost_estimate: _Estimate | None = None


class _Config(msgspec.Struct):
    """What is read of a call's ``backend_config``; in older XLA a product's has no outer object."""

    gemm_backend_config: _Gemm | None = None
    dot_dimension_numbers: _DotDimensions | None = None
    cudnn_fmha_backend_config: _Fmha | None = None
    custom_call_config: _Estimated | None = None  #: Of a Pallas kernel whose author told its cost.


_DECODER: Final = msgspec.json.Decoder(_Config, strict=False)


def custom_call(program: Program, row: int, operands: Sequence[ArrayShape], out: ArrayShape) -> Flops:
    """Operations of a call, by its target."""
    target = program.content(row, TARGET)
    result = out.parts[0] if out.parts else out
    if target.startswith(_PRODUCTS):
        config = _config(program, row)
        dimensions = (config.gemm_backend_config or config).dot_dimension_numbers
        if dimensions is None:
            raise Unknown
        contracting, batched = dimensions.lhs_contracting_dimensions, dimensions.lhs_batch_dimensions
        return product(program, row, result, operands, contracting, batched)
    if target.startswith(_TE_PRODUCT):
        return _transformer_engine_product(program, row, result, operands)
    if target in _CONVOLUTIONS:
        given = (*first(operands, 2)[:2], result)
        input, kernel, output = (given[place] for place in _CONVOLUTIONS[target])
        return convolution(program, row, input, kernel, output)
    if target.startswith(_ATTENTIONS):
        return _attention(program, row, target.lower(), operands)
    estimate = estimated(program, row)
    if estimate and min(estimate) >= 0:
        # What of it is a product is not told: the faster units bound it.
        format = FORMATS.get(operands[0].element_type, MIXED) if operands else MIXED
        flops = min(estimate[0], MAX_BYTES)
        again = flops if program.is_recomputed(row) else 0
        return Flops(0, flops, format if flops else "", again=again)
    raise Unknown


def estimated(program: Program, row: int) -> tuple[int, int] | None:
    """Operations and bytes of a Pallas kernel, if told."""
    if b"cost_estimate" not in program.content(row, CONFIG):
        return None
    outer = _config(program, row).custom_call_config
    told = outer and outer.cost_estimate
    return (told.flops, told.bytes_accessed) if told else None


def _transformer_engine_product(
    program: Program, row: int, out: ArrayShape, operands: Sequence[ArrayShape]
) -> Flops:
    """Operations on left, its scale and right, …, transposed or not: |out|·k² = |left|·|right|."""
    lhs, _, rhs = first(operands, 3)[:3]
    k = math.isqrt(lhs.elements * rhs.elements // max(1, out.elements))
    if (
        not k
        or lhs.elements * rhs.elements != k * k * out.elements
        or _attributes(program, row)[b"collective_op"]
    ):
        raise Unknown
    format = FORMATS.get(lhs.element_type, MIXED)
    product = Product(batch=1, m=lhs.elements // k, n=rhs.elements // k, k=k, format=format)
    return matrix(program, row, "product", min(2 * out.elements * k, MAX_BYTES), product)


def _attention(program: Program, row: int, target: bytes, operands: Sequence[ArrayShape]) -> Flops:
    """A call that computes scores, softmax and their product with the values, or the gradients."""
    query, key, value = first(operands, 3)[:3]
    sizes: tuple[int, ...]
    mask: int | str
    if target.startswith(b"te_"):
        told = _attributes(program, row)
        each = told.get(b"head_dim", -1)
        names = (b"input_batch", b"attn_heads", b"q_max_seqlen", b"kv_max_seqlen")
        sizes = tuple(told.get(name, -1) for name in names)
        depth, depth_of_value = told.get(b"qk_head_dim", each), told.get(b"v_head_dim", each)
        mask = told.get(b"mask_type", -1)
        is_dense = 0 <= told.get(b"qkv_layout", -1) <= _LAST_DENSE_LAYOUT
        is_dense &= told.get(b"window_size_left", -1) < 0 and told.get(b"window_size_right", -1) <= 0
    else:
        config = _config(program, row).cudnn_fmha_backend_config or _Fmha()
        scores = config.intermediate_tensor_shape
        sizes = tuple(scores.dimensions) if scores else ()
        mask = "CAUSAL" if config.is_causal_mask else config.mask_type
        is_dense = not config.is_paged_attention
        is_dense &= config.sliding_window_length <= 0 and config.max_seg_per_batch <= 1
        depth = query.elements // max(1, math.prod(sizes[:3]))
        depth_of_value = value.elements * depth // max(1, key.elements)
    if len(sizes) != 4 or not is_dense or min(*sizes, depth, depth_of_value) < 1:
        raise Unknown
    scores_count = min(math.prod(sizes), MAX_BYTES)
    if mask in _CAUSAL and sizes[2] == sizes[3]:
        scores_count //= 2
    elif mask not in _FULL:
        raise Unknown
    backward = b"backward" in target
    times = 2 * (3 * depth + 2 * depth_of_value) if backward else 2 * (depth + depth_of_value)
    count = min(scores_count * times, MAX_BYTES)
    # The backward pass computes the scores again: one of its five products.
    again = min(2 * scores_count * depth, count) if backward else 0
    return Flops(
        matrix=count,
        format=FORMATS.get(query.element_type, MIXED),
        kind="attention",
        again=count if program.is_recomputed(row) else again,
    )


def _attributes(program: Program, row: int) -> Counter[bytes]:
    """The numbers among a call's attributes."""
    return Counter({name: int(number) for name, number in _NUMBER.findall(program.content(row, CONFIG))})


def _config(program: Program, row: int) -> _Config:
    try:
        return _DECODER.decode(program.content(row, CONFIG))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise Unknown from None


def written_by_call(out: ArrayShape) -> Sequence[ArrayShape]:
    """The results of a library's call; a last one that is plain bytes is memory to work in."""
    *parts, last = out.parts or (out,)
    is_workspace = bool(parts) and last.element_type in _BYTES_TYPES and len(last.dimensions) == 1
    return parts if is_workspace else (*parts, last)
