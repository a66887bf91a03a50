"""What ops of PyTorch move at least that only pass over memory: elementwise ops, norms, sums, lookups.

Each input is read once and the result written once; a mask, statistics and work space are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from tfperf_plugin.readers.kineto.shapes import Tensor, size_of
from tfperf_plugin.trace.model import OpKind, OpWork

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


def moved_by(name: str, tensors: Sequence[Tensor]) -> OpWork | None:
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
