"""Attention that several ops compute, with the scores of every query for every key in memory.

The program of XLA states which instructions belong to it (``OpWork.attention``). Of TensorFlow's and
PyTorch's ops the order on the stream shows it: a batched product, elementwise ops, a softmax, elementwise
ops, a batched product. Where shapes are known, the second product must take the scores that the first one
makes. In TensorFlow, gradients belong to the op whose name their scope has. PyTorch's ops have no scopes, but
sizes: ops between two products belong to them if they pass over one number for each score. Around the
gradient of a softmax, autograd runs two products before it and two behind it.

A fused kernel neither runs the ops between the products nor moves scores, but in a backward pass it computes
the scores once more. Its products reach less of the peak than others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.compute.bounds import Bounds, OpBound
from tfperf_plugin.analysis.artifacts.compute.op_names import TAPE, path
from tfperf_plugin.analysis.artifacts.compute.phases import plain_op
from tfperf_plugin.arrays.columns import agreed, map_codes
from tfperf_plugin.arrays.intervals import Bools
from tfperf_plugin.hardware.speeds import ATTENTION_REACHED, MEMORY_REACHED, Speeds
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import DeviceTrace, Product
from tfperf_plugin.trace.roles import KernelClass, Precision, avoids_tensor_cores, op_type, precision

_OF_PYTORCH = re.compile(r"^b(addb)?mm$")
_PRODUCT = re.compile(rf"^(_MklBatch|Batch)MatMul(V[23])?$|Einsum$|{_OF_PYTORCH.pattern}")
_GRADIENT: Final = "_softmax_backward_data"
_SOFTMAX: Final = ("Softmax", "_softmax", _GRADIENT)
_BETWEEN: Final = (KernelClass.ELEMENTWISE, KernelClass.RANDOM, KernelClass.OTHER)
# Scaling, a mask, a cast, dropout: more lie between no product and its softmax.
_MOST_BETWEEN: Final = 8
_NARROW: Final = {"fp16": 2, "bf16": 2, "fp8": 1, "int8": 1}
"""Bytes of a score, by the format of the products that fused kernels of attention support."""

Key = tuple[str, str]


class Attention(Record, frozen=True):
    """Attentions of one name, gradients included; times and counts of an average step."""

    products: tuple[Key, ...]  #: Keys of ``Bounds.ops``: the products.
    between: tuple[Key, ...]  #: Keys of ``Bounds.ops``: the ops between the products.
    between_ns: int  #: All time of ops that a fused kernel does not run.
    #: Time in which the products move scores: at most their time above what they need without scores.
    traffic_ns: int
    again_ns: int  #: Time in which a fused kernel computes the scores again.
    traffic_bytes: int  #: Bytes of scores that the products move.
    count: int  #: Number of attentions in a step.
    #: (products at once, queries, keys) of one execution, ``None`` if not known.
    scores: tuple[int, int, int] | None
    format: str  #: Format of the products, "" if not known or if there are several.
    in_16_bit: bool  #: Whether all products are known to multiply in 16 bits or fewer.

    @property
    def saving_ns(self) -> int:
        """The time that a fused kernel saves, at most."""
        return max(0, self.between_ns + self.traffic_ns - self.again_ns)


class Attentions(Record, frozen=True):
    """All attentions of a run that several ops compute."""

    found: tuple[Attention, ...]  #: Attentions by falling saving.
    ops: frozenset[Key]  #: Keys of all their ops.
    unsized: bool  #: Whether sizes were not recorded for some ops that may be an attention.


def part(view: View) -> dict[str, frozenset[str]]:
    """Attentions of TensorFlow's and PyTorch's ops on one host: first product → the ops from it to the last
    product."""
    chains: dict[str, frozenset[str]] = {}
    for gpu in view.gpus:
        if any(op_type(op) in _SOFTMAX for op in gpu.source.ops):
            chains |= dict(_chains(gpu.source, gpu.ledger.kernels))
    return chains


def _chains(source: DeviceTrace, rows: np.ndarray) -> Iterator[tuple[str, frozenset[str]]]:
    """The first execution of each softmax with the ops around it on its stream."""
    if not len(rows):
        return
    rows = rows[np.argsort(source.stream[rows].astype(np.int16), kind="stable")]
    op, stream = source.op[rows], source.stream[rows]
    begin = np.flatnonzero(np.diff(op, prepend=-2).astype(bool) | np.diff(stream, prepend=-1).astype(bool))
    op, stream = op[begin], stream[begin]
    forward = map_codes(op, source.ops, lambda name: path(name)[:1] != (TAPE,), False)
    product = forward & map_codes(op, source.ops, lambda name: bool(_PRODUCT.search(op_type(name))), False)
    between = np.isin(source.kernel_class[rows[begin]], _BETWEEN) & forward
    codes, places = np.unique(op, return_index=True)
    for code, at in zip(codes.tolist(), places.tolist(), strict=True):
        kind = op_type(source.ops[code]) if code >= 0 and forward[at] else ""
        if kind in _SOFTMAX:
            mine = range(*(int(np.searchsorted(stream, stream[at], side)) for side in ("left", "right")))
            first, last = (_end(product, between, mine, at, step, kind == _GRADIENT) for step in (-1, 1))
            if first is not None and last is not None:
                names = [plain_op(source.ops[i]) for i in op[first : last + 1].tolist()]
                yield names[0], frozenset(names)


def _end(product: Bools, between: Bools, stream: range, at: int, step: int, gradient: bool) -> int | None:
    """The index of the next product in this direction; for a gradient, of the second of two products in a
    row."""
    for place in range(at + step, at + step * (_MOST_BETWEEN + 2), step):
        if place not in stream or not (product[place] or between[place]):
            return None
        if product[place]:
            beside = place + step
            return beside if gradient and beside in stream and product[beside] else place
    return None


def finish(found: dict[str, frozenset[str]], bounds: Bounds, devices: Devices) -> Attentions:
    """The attentions of all hosts."""
    groups: dict[Key, set[Key]] = {}
    for key, op in bounds.ops.items():
        if op.work and op.work.attention:
            percent = "%" if key[1].startswith("%") else ""
            groups.setdefault((key[0], percent + op.work.attention), set()).add(key)
    gradients = _gradients(name for program, name in bounds.ops if not program)
    makers: dict[tuple[int, int, int], Key] = {}
    unsized = False
    for first_op, chain in found.items():
        members = {*chain, *(name for op in chain for name in gradients.get(path(op), ()))}
        keys = {("", name) for name in members if ("", name) in bounds.ops}
        if not _OF_PYTORCH.match(op_type(first_op)):
            groups["", first_op] = keys
        elif maker := _maker(bounds, keys):
            scores, key = maker
            groups.setdefault(makers.setdefault(scores, key), set()).update(
                key for key in keys if _handles(bounds.ops[key], math.prod(scores))
            )
        else:
            unsized |= not any(bounds.ops[key].work for key in keys)
    speeds = [s for d in devices.participating if (s := d.speeds)]
    slowest = min(speeds, key=lambda s: s.bytes_per_s, default=None)
    attentions: list[Attention] = []
    taken: set[Key] = set()
    for first, keys in groups.items():
        made = _attention(bounds, first, sorted(keys - taken), slowest)
        if made:
            attentions.append(made)
            taken |= {*made.products, *made.between}
    return Attentions(tuple(sorted(attentions, key=lambda a: -a.saving_ns)), frozenset(taken), unsized)


def _maker(bounds: Bounds, keys: Iterable[Key]) -> tuple[tuple[int, int, int], Key] | None:
    """The scores that one product of a chain makes and all others multiply, and that product."""
    products = {key: p for key in sorted(keys) if (p := _product(bounds.ops[key]))}
    works = (bounds.ops[key].work for key in keys if op_type(key[1]) in _SOFTMAX)
    count = max((work.flops for work in works if work), default=0)
    for key, made in products.items():
        others = [p for other, p in products.items() if other != key]
        makes = made.batch * made.m * made.n == count
        if makes and others and all(_takes(p, made) for p in others):
            return (made.batch, made.m, made.n), key
    return None


def _handles(op: OpBound, scores: int) -> bool:
    """Whether the op multiplies, or passes over at least one number for each score."""
    return op.matrix or (op.work is not None and op.work.flops >= scores)


def _gradients(names: Iterable[str]) -> Mapping[tuple[str, ...], list[str]]:
    """Path of an op of the forward pass → its gradients: the ops in the scope of its name, or in its own
    scope."""
    names = list(names)
    paths = {name: path(name) for name in names}
    shared = Counter(parts[:-1] for parts in paths.values() if parts and parts[0] != TAPE)
    by_scope: dict[tuple[str, ...], list[str]] = {}
    for name, parts in paths.items():
        if parts[:1] == (TAPE,):
            by_scope.setdefault(parts[1:-1], []).append(name)
    return {
        parts: by_scope.get(parts, []) + (by_scope.get(parts[:-1], []) if shared[parts[:-1]] == 1 else [])
        for parts in set(paths.values())
        if parts and parts[0] != TAPE
    }


def _attention(bounds: Bounds, maker: Key, keys: Sequence[Key], speeds: Speeds | None) -> Attention | None:
    """The attention whose scores the product ``maker`` makes; ``None`` if the known facts contradict it."""
    ops = {key: bounds.ops[key] for key in keys}
    products = [key for key, op in ops.items() if op.matrix]
    between = [key for key, op in ops.items() if not op.matrix]
    if len(products) < 2 or not between:
        return None
    scores = None
    if maker in ops and (made := _product(ops[maker])):
        others = [p for key in products if key != maker and (p := _product(ops[key]))]
        scores = (made.batch, made.m, made.n) if any(_takes(p, made) for p in others) else None
        if scores is None and len(others) == len(products) - 1:
            return None
    format = agreed(ops[key].format for key in products) or ""
    spent = sum(ops[key].compute_ns for key in between)
    narrow = all(_is_narrow(ops[key]) for key in products)
    if not narrow:
        # The other half is mixed-precision-off's.
        spent //= 2
    traffic_ns = traffic_bytes = again = 0
    count = max(1, ops[maker].executions_count if maker in ops else 1)
    if scores and speeds and format in _NARROW:
        size = scores[0] * scores[1] * scores[2]
        for key in products:
            moved, ns = _traffic(ops[key], size, _NARROW[format], speeds)
            traffic_bytes += moved
            traffic_ns += ns
        if sum(ops[key].executions_count for key in products) >= 4 * count:
            again = min(round(ops[key].products_ns / ATTENTION_REACHED) for key in products)
    return Attention(
        tuple(products),
        tuple(between),
        bounds.per_step(spent),
        bounds.per_step(traffic_ns),
        bounds.per_step(again),
        bounds.per_step(traffic_bytes),
        max(1, bounds.per_step(count)),
        scores,
        format,
        narrow,
    )


def _is_narrow(op: OpBound) -> bool:
    """Whether the op multiplies in 16 or 8 bit, by its work or else by its kernel's name."""
    return op.format in _NARROW or (
        not op.format and precision(op.kernel, "") in (Precision.BITS16, Precision.BITS8)
    )


def _product(op: OpBound) -> Product | None:
    return op.products[0] if op.products else None


def _takes(product: Product, maker: Product) -> bool:
    """Whether a product can multiply what another made, summed over its rows or columns."""
    fits = product.batch == maker.batch and product.k in (maker.m, maker.n)
    return fits and maker.m * maker.n in _operands(product)


def _operands(product: Product) -> tuple[int, int]:
    return product.m * product.k, product.k * product.n


def _traffic(op: OpBound, scores: int, element_bytes: int, speeds: Speeds) -> tuple[int, int]:
    """Bytes of scores that all executions of a product move, and how long that takes at most.

    Nothing is counted where another rule's fix makes the product faster.
    """
    product = _product(op)
    if not product or op.not_judged or avoids_tensor_cores(op.kernel):
        return 0, 0
    each = (product.m * product.n, *_operands(product))
    if scores not in [product.batch * elements for elements in each]:
        return 0, 0
    moved = min(op.bytes, op.executions_count * scores * element_bytes)
    per_ns = speeds.bytes_per_s * MEMORY_REACHED / 1e9
    needed = max(op.products_ns / ATTENTION_REACHED, (op.bytes - moved) / per_ns)
    saved = max(0.0, min(moved / per_ns, op.total_ns - needed))
    return moved, int(saved * op.compute_ns / max(1, op.total_ns))
