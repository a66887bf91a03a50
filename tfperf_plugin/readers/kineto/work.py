"""What ops of PyTorch compute and move, from the shapes and types of their inputs as they are stored.

An attention has 4·B·H·Sq·Sk·D operations, its gradient 10·B·H·Sq·Sk·D, as it computes the scores again; half
of that if it is causal. Ops that only pass over memory (elementwise ops, norms, sums, lookups) read each
input and write the result once at least; a mask, statistics and work space are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from tfperf_plugin.trace.model import OpKind, OpWork, Product

_PRODUCT: Final = re.compile(r"aten::(b?add)?(b?mm)")
_CONVOLUTION: Final = re.compile(r"aten::(cudnn_|miopen_)?_?convolution(_backward)?")
_ATTENTIONS: Final = {
    "aten::_flash_attention_forward": (True, 8),
    "aten::_flash_attention_backward": (True, 11),
    "aten::_efficient_attention_forward": (True, 9),
    "aten::_efficient_attention_backward": (True, 14),
    "aten::_cudnn_attention_forward": (False, 10),
    "aten::_cudnn_attention_backward": (False, 14),
    "aten::_scaled_dot_product_cudnn_attention": (False, 6),
    "aten::_scaled_dot_product_cudnn_attention_backward": (False, 14),
}
"""Whether the heads come behind the sequence, and which argument tells a causal mask."""
_CAUSAL: Final = {"True": 2, "1": 2, "2": 2, "False": 1, "0": 1}
"""The number of scores of which one is computed, if that argument says so."""
_MOST_FLOPS: Final = 1 << 60
_MAPS: Final = re.compile(
    r"aten::(add|sub|rsub|mul|div|neg|abs|exp|log|sqrt|rsqrt|pow|sin|cos|tanh|sigmoid|relu|gelu|silu|mish|erf"
    r"|elu|leaky_relu|hardswish|hardtanh|softplus|log_sigmoid_forward|clamp|clamp_min|clamp_max|maximum|minimum"
    r"|where|lerp|addcmul|addcdiv|masked_fill|native_dropout|bernoulli|reciprocal|threshold"
    r"|(threshold|gelu|silu|mish|elu|leaky_relu|hardswish|hardtanh|softplus|sigmoid|tanh|native_dropout)_backward"
    r"|_(log_)?(softmax|softmax_backward_data)"
    r"|native_(layer|group)_norm|(native|cudnn|miopen)_batch_norm(_backward)?|native_(layer|group)_norm_backward)_?"
)
"""Ops whose result is as large as their largest input."""
_PROMOTES: Final = re.compile(r"aten::(add|sub|rsub|mul|div|pow|where|lerp|addcmul|addcdiv|maximum|minimum)")
"""Ops among ``_MAPS`` whose result has the widest type of the inputs, unless they write into the first."""
_COMPARES: Final = re.compile(r"aten::(eq|ne|lt|le|gt|ge|isnan|isfinite|logical_(and|or|not))")
_REDUCES: Final = re.compile(
    r"aten::(sum|mean|amax|amin|max|min|argmax|argmin|norm|linalg_vector_norm|var|std|all|any)"
)
_WRITES: Final = re.compile(r"aten::(copy|fill|zero)_")
"""Into their first input, which they do not read."""
_LOOKUPS: Final = ("aten::embedding", "aten::index_select")
_LOOKUP_GRADIENT: Final = "aten::embedding_dense_backward"
_TYPES: Final = {
    "c10::half": "half", "half": "half", "c10::bfloat16": "bfloat16", "bfloat16": "bfloat16",
    "float": "float", "double": "double", "int": "int", "long int": "int64", "long": "int64", "bool": "bool",
    "unsigned char": "uint8", "signed char": "int8", "c10::float8_e4m3fn": "float8_e4m3fn",
    "c10::float8_e5m2": "float8_e5m2",
}  # fmt: skip
_SIZES: Final = {
    "half": 2, "bfloat16": 2, "float": 4, "double": 8, "int": 4, "int64": 8, "bool": 1, "uint8": 1, "int8": 1,
    "float8_e4m3fn": 1, "float8_e5m2": 1, "float16": 2, "float32": 4, "float64": 8, "int32": 4,
    "byte": 1, "char": 1, "short": 2, "short int": 2,
}  # fmt: skip
_FORMATS: Final = {
    "half": "fp16", "bfloat16": "bf16", "float": "fp32", "double": "fp64", "int8": "int8",
    "float8_e4m3fn": "fp8", "float8_e5m2": "fp8",
}  # fmt: skip
"""What ``Product.format`` calls each type."""
_MOST: Final = 1 << 40
_MOST_SIZES: Final = 64
"""PyTorch's own limit."""
_MOST_ELEMENTS: Final = 1 << 58
"""With 8 bytes each they fit 64 bits."""


class Work(NamedTuple):
    """What an op computes, and its sizes in words."""

    called: str
    work: OpWork


def work_of(name: str, tensors: Sequence[Tensor], values: bytes) -> Work | None:
    """The work of an op with these inputs; ``values``: JSON of its numbers, such as strides.

    Nothing if the op is not known, or if its inputs do not tell.
    """
    convolution = _CONVOLUTION.fullmatch(name)
    if product := _PRODUCT.fullmatch(name):
        found = _product(tensors, bool(product[1]))
    elif convolution and convolution[2] and len(tensors) >= 3:
        found = _gradients(tensors[0], tensors[1], tensors[2], values)
    elif convolution and not convolution[2] and len(tensors) >= 2:
        found = _forward(tensors[0], tensors[1], values, bool(convolution[1]))
    elif name in _ATTENTIONS:
        found = _attention(name, tensors, values)
    elif passing := _moved_by(name, tensors):
        largest = max(tensors, key=lambda tensor: tensor.bytes)
        found = Work(largest.size_text, passing)
    else:
        return None
    return found if found and max(found.work.flops, found.work.bytes) < _MOST_FLOPS else None


def _product(tensors: Sequence[Tensor], added: bool) -> Work | None:
    """The product of the first two inputs behind what is added; a last input may be where the result goes."""
    if len(tensors) < 2:
        return None
    left, right, *_ = tensors[added:] if len(tensors) > 2 else tensors
    if not 2 <= len(left.sizes) == len(right.sizes) or left.sizes[-1] != right.sizes[-2]:
        return None
    *batch, m, k = left.sizes
    n, times = right.sizes[-1], math.prod(batch)
    product = Product(times, m, n, k, _FORMATS.get(left.kind, ""))
    moved = left.bytes + right.bytes + times * m * n * size_of(left.kind)
    return Work(
        f"{left.size_text}·{right.size_text}", _work("product", 2 * times * m * n * k, moved, [product])
    )


def _attention(name: str, tensors: Sequence[Tensor], values: bytes) -> Work | None:
    """An attention of queries, keys and values, which follow the result's gradient. Sequences of different
    lengths are packed into three dimensions and tell too little."""
    heads_last, place = _ATTENTIONS[name]
    backward = name.endswith("backward")
    of = tensors[backward : backward + 3]
    share = _CAUSAL.get("".join(_texts(values)[place : place + 1]))
    if [len(tensor.sizes) for tensor in of] != [4, 4, 4] or not share:
        return None
    query, key, value = (tensor.sizes for tensor in of)
    batch, queries, heads, depth = query if heads_last else (query[0], query[2], query[1], query[3])
    scores = batch * heads * queries * key[1 if heads_last else 2] // share
    products = 2 * scores * (3 * depth + 2 * value[-1] if backward else depth + value[-1])
    first, each = of[0], sum(tensor.bytes for tensor in of)
    moved = 2 * (first.bytes + each) if backward else first.bytes + each
    work = OpWork(
        flops=products,
        matrix_flops=products,
        matrix_format=_FORMATS.get(first.kind, ""),
        bytes=moved,
        kind="attention",
        recomputed_flops=2 * scores * depth if backward else 0,
    )
    return Work(f"{first.size_text}{' causal' if share > 1 else ''}", work)


def _forward(source: Tensor, weight: Tensor, values: bytes, of_library: bool) -> Work | None:
    numbers = [text for text in _texts(values) if text.startswith("[")]
    try:
        lists = [msgspec.json.decode(text, type=list[int]) for text in numbers[:3]]
        # PyTorch's own op has the stride first, those of the libraries the padding.
        stride, padding, dilation = (lists[1], lists[0], lists[2]) if of_library else lists
        places = tuple(
            (size + 2 * pad - wide * (window - 1) - 1) // step + 1
            for size, window, step, pad, wide in zip(
                source.sizes[2:], weight.sizes[2:], stride, padding, dilation, strict=True
            )
        )
    except (msgspec.MsgspecError, ValueError, IndexError, ZeroDivisionError):
        return None
    return _convolution(source, weight, places, [""]) if min(places, default=0) > 0 else None


def _gradients(output: Tensor, source: Tensor, weight: Tensor, values: bytes) -> Work | None:
    """Which gradients are computed stands in the last of the numbers: of the input, the filter, the bias."""
    asked = [text.strip(" []") for text in (_texts(values) or [""])[-1].split(",")]
    kinds: list[Literal["", "input", "filter"]] = []
    kinds += ["input"] if asked[0] == "True" else []
    kinds += ["filter"] if asked[1:2] == ["True"] else []
    return _convolution(source, weight, output.sizes[2:], kinds) if kinds else None


def _convolution(
    source: Tensor, weight: Tensor, places: tuple[int, ...], kinds: Sequence[Literal["", "input", "filter"]]
) -> Work | None:
    if not 3 <= len(weight.sizes) == len(source.sizes) == 2 + len(places):
        return None
    out, inner, *window = weight.sizes
    m = source.sizes[0] * math.prod(places)
    number_format = _FORMATS.get(source.kind, "")
    products = [Product(1, m, out, inner, number_format, math.prod(window), kind, places) for kind in kinds]
    once = 2 * m * out * inner * math.prod(window)
    moved = source.bytes + weight.bytes + m * out * size_of(source.kind)
    only = f" of {kinds[0]}" if len(kinds) == 1 and kinds[0] else ""
    called = f"{source.size_text}∗{weight.size_text}{only}"
    return Work(called, _work("convolution", len(kinds) * once, moved, products))


def _texts(values: bytes) -> list[str]:
    try:
        return [str(value) for value in msgspec.json.decode(values or b"[]", type=list[object])]
    except (msgspec.MsgspecError, RecursionError):
        return []


def _work(
    kind: Literal["product", "convolution"], flops: int, moved: int, products: Sequence[Product]
) -> OpWork:
    return OpWork(
        flops=flops,
        matrix_flops=flops,
        matrix_format=products[0].format,
        bytes=moved,
        kind=kind,
        products=tuple(products),
    )


def _moved_by(name: str, tensors: Sequence[Tensor]) -> OpWork | None:
    """The work of such an op; nothing if it is another one, or if types or sizes are missing."""
    if not tensors or not all(tensor.bytes for tensor in tensors):
        return None
    largest = max(tensors, key=lambda tensor: tensor.bytes)
    read = sum(tensor.bytes for tensor in tensors)
    elements = math.prod(largest.sizes)
    if _MAPS.fullmatch(name):
        widest = max(size_of(tensor.kind) for tensor in tensors)
        written = elements * widest if _PROMOTES.fullmatch(name) else largest.bytes
        return _passing(elements, read + written)
    if _COMPARES.fullmatch(name):
        return _passing(elements, read + elements)
    if _REDUCES.fullmatch(name) or _WRITES.fullmatch(name):
        return _passing(elements, read)
    if name in _LOOKUPS and len(tensors) > 1:
        table, places = tensors[0], tensors[-1]
        rows = math.prod(places.sizes) * table.bytes // table.sizes[0]
        return _passing(0, places.bytes + 2 * rows, "gather")
    if name == _LOOKUP_GRADIENT and len(tensors) > 1:
        return _passing(elements, read + tensors[0].bytes, "scatter")
    return None


def _passing(operations: int, moved: int, kind: OpKind = "other") -> OpWork:
    return OpWork(operations, 0, "", moved, kind=kind)


class Tensor(NamedTuple):
    """Type and sizes of a tensor."""

    kind: str
    sizes: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """Its size; 0 if the type is unknown."""
        return math.prod(self.sizes) * size_of(self.kind)

    @property
    def size_text(self) -> str:
        """Its sizes for people: ``8×512``."""
        return "×".join(map(str, self.sizes))


def size_of(data_type: str) -> int:
    """Bytes of one number of a type, as PyTorch or NCCL call it; 0 if it is unknown."""
    lower = data_type.lower()
    return _SIZES.get(_TYPES.get(lower, lower.removeprefix("c10::")), 0)


def inputs_of(dims: bytes, types: bytes) -> list[Tensor]:
    """The tensors among the inputs; none if they were not recorded. A type is "" if only sizes were."""
    try:
        sizes = msgspec.json.decode(dims or b"[]")
        named = msgspec.json.decode(types or b"[]")
        return [
            Tensor(_TYPES.get(str(kind).lower(), str(kind)), tuple(size))
            for size, kind in zip(sizes, named or [""] * len(sizes), strict=False)
            if _are_sizes(size)
        ]
    except (msgspec.MsgspecError, TypeError, RecursionError):
        return []


def _are_sizes(size: object) -> bool:
    return (
        isinstance(size, list)
        and 0 < len(size) <= _MOST_SIZES
        and all(type(n) is int and 0 <= n < _MOST for n in size)
        and math.prod(size) < _MOST_ELEMENTS
    )


def shape_of(tensors: Sequence[Tensor]) -> str:
    """The tensors in XLA's spelling, ``half[8,512];float[]``; "" if they were not recorded."""
    return ";".join(f"{tensor.kind}[{','.join(map(str, tensor.sizes))}]" for tensor in tensors)
