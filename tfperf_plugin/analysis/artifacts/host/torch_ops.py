"""PyTorch's ops on threads of the host: ops that compute there, and signs of a GPU."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.analysis.host_activity import self_ns
from tfperf_plugin.analysis.launches import launching_ops
from tfperf_plugin.arrays.intervals import Ints
from tfperf_plugin.trace.model import HostEvents

# An op that launches a kernel takes the host less.
LONG_NS: Final = 50_000
_OF_CPU: Final = re.compile(r"^(mkldnn|mkl|onednn)::|^aten::(_?(mkldnn|nnpack)_|\w{1,80}_for_cpu$)")
_OF_GPU: Final = re.compile(
    r"^aten::(_?(cudnn|miopen|mps)_(?!is_acceptable)|_efficient_attention|_scaled_dot_product_(efficient|cudnn))"
)
_PRODUCT: Final = re.compile(r"^aten::(_?addmm(_activation)?|mm|bmm|baddbmm|addbmm|\w{0,40}conv\w{0,40})$")
# Ops that only describe or allocate a tensor.
_NO_WORK: Final = frozenset(
    (
        "_reshape_alias", "_unsafe_view", "alias", "as_strided", "chunk", "detach", "empty", "empty_like",
        "empty_strided", "expand", "expand_as", "flatten", "lift_fresh", "narrow", "permute", "resize",
        "resolve_conj", "resolve_neg", "result_type", "select", "slice", "split", "split_with_sizes",
        "squeeze", "t", "transpose", "unbind", "unflatten", "unfold", "unsqueeze", "view", "view_as",
    )
)  # fmt: skip
_BACKWARD: Final = "autograd::engine::evaluate_function"
# Launching takes the host about as long for each op; of what a CPU computes, products take most.
_MOST_RATIO: Final = 0.5


def working(events: HostEvents) -> Ints:
    """Rows of ops that compute or copy, and take at least half of their time themselves; none lies inside
    another."""
    rows = np.flatnonzero(launching_ops(events) & ~events.named(_works_not))
    rows = rows[2 * self_ns(events, rows) >= (events.end_ns - events.start_ns)[rows]]
    return rows[events.enclosing(rows, events.marked(rows)) < 0]


def of_a_gpu(events: HostEvents) -> bool:
    """Whether ops ran that only GPUs have, or a backward pass on a thread of its own, as for GPUs only."""
    if any(map(_OF_GPU.match, events.names)):
        return True
    backward, ops = _backward(events), np.flatnonzero(launching_ops(events))
    others = ops[events.enclosing(ops, events.marked(backward)) < 0]
    return bool(len(backward)) and not np.isin(events.thread[backward], events.thread[others]).any()


def compute(events: HostEvents, rows: Ints) -> bool:
    """Whether some of ``rows``, from ``working``, are products that threads compute."""
    if events.named(_OF_CPU.match)[rows].any():
        return True
    length = (events.end_ns - events.start_ns)[rows]
    products = length[events.named(_PRODUCT.match)[rows]]
    if not len(products) or np.median(products) <= LONG_NS:
        return False
    return bool(len(_backward(events)) or products.sum() >= _MOST_RATIO * length.sum())


def _works_not(name: str) -> bool:
    return name.removeprefix("aten::").removesuffix("_") in _NO_WORK


def _backward(events: HostEvents) -> Ints:
    return np.flatnonzero(events.named(lambda name: name.startswith(_BACKWARD)))
