"""The ops that ran kernels, with the tensors that they allocated on GPUs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from tfperf_plugin.analysis.artifacts.memory.memory import GPU_ALLOCATOR
from tfperf_plugin.arrays.groups import Groups
from tfperf_plugin.trace.model import HostTrace, MemoryEvents, among
from tfperf_plugin.trace.roles import Role, split_op

# Numbers of TensorFlow's DataType (types.proto): size in bytes, and the format of products.
SIZES: Final = {
    1: 4, 2: 8, 3: 4, 4: 1, 5: 2, 6: 1, 9: 8, 10: 1, 14: 2, 17: 2, 19: 2, 22: 4, 23: 8, 24: 1, 25: 1,
}  # fmt: skip
MAX_ELEMENTS: Final = 1 << 45
"""Larger tensors fit no GPU: such a shape is damaged."""
_SHAPE: Final = re.compile(r"\[((?:\d{1,14},){0,8}\d{1,14})\]")
PRODUCT: Final = re.compile(r"_?(?:Fused)?(?:Batch)?MatMul(?:V[23])?|Einsum")
CONVOLUTION: Final = re.compile(
    r"(?:_Fused)?(?:Conv[23]D|DepthwiseConv2dNative)(?:Backprop(?P<of>Input|Filter)(?:V2)?)?"
)
_BACKWARD: Final = re.compile(r"gradient_tape|gradients(?:_\d{1,9})?")
# Beside the tensor, these ops give vectors: of channels, or of examples.
_WITH_VECTORS: Final = frozenset({
    "FusedBatchNormV3", "FusedBatchNormGradV3",
    "SparseSoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits",
})  # fmt: skip


class Tensor(NamedTuple):
    """A tensor that an op allocated."""

    dims: tuple[int, ...]  #: Dimensions.
    type: int  #: Number of the type in TensorFlow's ``DataType``.

    @property
    def elements(self) -> int:
        """The number of elements."""
        return math.prod(self.dims)

    @property
    def bytes(self) -> int:
        """The size in bytes."""
        return self.elements * SIZES[self.type]


class Op(NamedTuple):
    """An op that ran kernels."""

    key: str
    type: str
    path: tuple[str, ...]  #: Name without the mark of the backward pass.
    backward: bool  #: Whether the name has the mark of the backward pass.
    output: Tensor | None  #: Tensor that it allocated as its output, if that is one shape.
    temps: tuple[Tensor, ...]  #: Tensors that it allocated for itself.
    kernels: tuple[str, ...]  #: Names of its kernels.


def outputs_on_gpus(memory: MemoryEvents) -> dict[str, list[tuple[tuple[int, ...], int]]]:
    """Dimensions and bytes of the distinct tensors that each op allocated on GPUs as its output."""
    return {op: [(t.dims, t.bytes) for t in made] for op, made in _allocated(memory)[0].items()}


def ops_with_tensors(trace: HostTrace) -> list[Op]:
    """The ops of a host that ran kernels outside of compiled programs; none if no tensor is recorded."""
    outputs, temps = _allocated(trace.memory)
    if not (outputs or temps):
        return []
    kernels: dict[str, dict[str, None]] = {}
    for device in trace.devices:
        rows = among(device.role, Role.KERNEL) & (device.op >= 0) & (device.module < 0)
        for op, name in Groups(device.op[rows], device.name[rows]).keys.tolist():
            kernels.setdefault(device.ops[op], {})[device.names[name]] = None
    ops = []
    for key, names in kernels.items():
        name, op_type = split_op(key)
        parts = name.split("/")
        marks = [i for i, part in enumerate(parts) if _BACKWARD.fullmatch(part)]
        path = tuple(part for i, part in enumerate(parts) if i not in marks[:1])
        made = [t for t in outputs.get(name, ()) if op_type not in _WITH_VECTORS or len(t.dims) > 1]
        ops.append(Op(key, op_type, path, bool(marks), only(made), tuple(temps.get(name, ())), tuple(names)))
    return ops


def _allocated(memory: MemoryEvents) -> tuple[dict[str, list[Tensor]], dict[str, list[Tensor]]]:
    """The distinct tensors that each op allocated on GPUs: as its output, and for itself."""
    outputs: dict[str, list[Tensor]] = {}
    temps: dict[str, list[Tensor]] = {}
    on_gpu = [i for i, name in enumerate(memory.allocators) if GPU_ALLOCATOR.match(name)]
    rows = memory.is_allocation & (memory.op >= 0) & (memory.shape >= 0) & (memory.region >= 0)
    rows &= among(memory.allocator, *on_gpu) & (memory.data_type >= 0)
    columns = [column[rows] for column in (memory.op, memory.region, memory.shape, memory.data_type)]
    for op, region, shape, data_type in Groups(*columns).keys.tolist():
        tensor = _tensor(memory.shapes[shape], data_type)
        kept = {"output": outputs, "temp": temps}.get(memory.regions[region])
        if kept is not None and tensor:
            kept.setdefault(memory.ops[op], []).append(tensor)
    return outputs, temps


def _tensor(shape: str, data_type: int) -> Tensor | None:
    match = _SHAPE.fullmatch(shape)
    if not match or data_type not in SIZES:
        return None
    tensor = Tensor(tuple(map(int, match[1].split(","))), data_type)
    return tensor if 0 < tensor.elements <= MAX_ELEMENTS else None


def only(tensors: Iterable[Tensor]) -> Tensor | None:
    """The tensor, if all tensors are the same."""
    found = set(tensors)
    return found.pop() if len(found) == 1 else None


Forward = Mapping[tuple[str, ...], list[Op]]


def is_matrix(op: Op) -> bool:
    """Whether the op is a product or a convolution, or a gradient of one."""
    return bool(PRODUCT.fullmatch(op.type) or CONVOLUTION.fullmatch(op.type))
