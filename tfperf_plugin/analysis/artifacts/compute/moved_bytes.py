"""Bytes that ops without products read and write, if they follow from the shape of one tensor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfperf_plugin.analysis.artifacts.compute.tensor_ops import Forward, Op, Tensor, is_matrix, only
from tfperf_plugin.trace.model import OpWork

# How many tensors as large as the output an op reads and writes, by definition; one operation is counted for
# each element that is read, none where data is only moved.
_UNARY: Final = (
    "Abs", "Ceil", "Cos", "Elu", "Erf", "Exp", "Expm1", "Floor", "Inv", "IsFinite", "IsInf", "IsNan",
    "LeakyRelu", "Log", "Log1p", "LogSoftmax", "LogicalNot", "Neg", "Reciprocal", "Relu", "Relu6", "Round",
    "Rsqrt", "Selu", "Sigmoid", "Sign", "Sin", "Softmax", "Softplus", "Softsign", "Sqrt", "Square", "Tanh",
)  # fmt: skip
_GRADIENTS: Final = (
    "EluGrad", "LeakyReluGrad", "Relu6Grad", "ReluGrad", "RsqrtGrad", "SeluGrad", "SigmoidGrad",
    "SoftplusGrad", "SoftsignGrad", "SqrtGrad", "TanhGrad",
)  # fmt: skip
_MOVED: Final = ("ConcatV2", "GatherV2", "Pack", "Slice", "StridedSlice", "Transpose")
_SIMPLE: Final = {
    **dict.fromkeys(_UNARY, (1, 1)),
    **dict.fromkeys(_GRADIENTS, (2, 1)),
    **dict.fromkeys(_MOVED, (1, 1)),
    **dict.fromkeys(("Fill", "ZerosLike", "OnesLike"), (0, 1)),
    "BiasAdd": (1, 1),
    "BiasAddGrad": (1, 0),
    "SparseSoftmaxCrossEntropyWithLogits": (1, 1),
    "SoftmaxCrossEntropyWithLogits": (2, 1),
    "FusedBatchNormV3": (1, 1),
    "FusedBatchNormGradV3": (2, 1),
}
# How much these read, their kernel's name tells: a second input may be a scalar or repeated.
_READS_TOLD: Final = frozenset({
    "Add", "AddN", "AddV2", "Cast", "Div", "DivNoNan", "Equal", "Greater", "GreaterEqual", "Less",
    "LessEqual", "Maximum", "Minimum", "Mul", "NotEqual", "RealDiv", "SquaredDifference", "Sub",
})  # fmt: skip
_EIGEN_INPUT: Final = re.compile(r"Eigen::Tensor<([\w: ]{1,30}) const,")
_EIGEN_SIZES: Final = {
    "bool": 1, "unsigned char": 1, "signed char": 1, "short": 2, "Eigen::half": 2, "Eigen::bfloat16": 2,
    "int": 4, "float": 4, "long long": 8, "long": 8, "double": 8,
}  # fmt: skip
# Ops that work in place, in a layer behind its product.
_LAYER: Final = frozenset({
    "BiasAdd", "BiasAddGrad", "Elu", "EluGrad", "LeakyRelu", "LeakyReluGrad", "Relu", "Relu6", "Relu6Grad",
    "ReluGrad", "Selu", "SeluGrad", "Sigmoid", "SigmoidGrad", "Softplus", "SoftplusGrad", "Tanh", "TanhGrad",
})  # fmt: skip
_POOL: Final = re.compile(r"(?:Max|Avg)Pool(?:3D)?(?P<gradient>Grad)?")


def memory_work(op: Op, forward: Forward, gradients: Forward, scopes: Forward) -> OpWork | None:
    """The bytes that an op reads and writes, if they follow from the shape of its tensor."""
    pool = _POOL.fullmatch(op.type)
    if pool:
        return _pool(op, forward, gradients, is_gradient=bool(pool["gradient"]))
    tensor = op.output
    if op.type in _LAYER:
        tensor = (tensor if op.type != "BiasAddGrad" else None) or _of_layer(op, forward, gradients, scopes)
    if tensor is None:
        return None
    elements = tensor.elements
    if op.type in _READS_TOLD:
        inputs = _inputs(op.kernels)
        moved = sum(inputs or ()) * elements + tensor.bytes
        return _other(op, len(inputs) * elements, moved) if inputs else None
    if op.type not in _SIMPLE:
        return None
    reads, writes = _SIMPLE[op.type]
    return _other(op, reads * elements, (reads + writes) * tensor.bytes)


def _other(op: Op, flops: int, bytes_: int) -> OpWork:
    return OpWork(
        flops=0 if op.type in _MOVED else flops,
        matrix_flops=0,
        matrix_format="",
        bytes=bytes_,
        kind="gather" if op.type == "GatherV2" else "other",
    )


def _of_layer(op: Op, forward: Forward, gradients: Forward, scopes: Forward) -> Tensor | None:
    """The tensor that a bias or an activation changed in place: the tensor of its gradient or forward op, or
    of the only product in its layer, if the layer has nothing else."""
    if not op.backward:
        found = only(
            one.output for one in gradients.get(op.path, ()) if one.output and one.type in _GRADIENTS
        )
        return found or _of_product(scopes.get(op.path[:-1], ()))
    for one in forward.get(op.path[:-1], ()):
        if one.type in _LAYER:
            return one.output or _of_layer(one, forward, gradients, scopes)
    return _of_product(scopes.get(op.path[:-1], ()) or scopes.get(op.path[:-2], ()))


def _of_product(layer: Sequence[Op]) -> Tensor | None:
    products = [one for one in layer if is_matrix(one)]
    others = {one.type for one in layer} - {one.type for one in products}
    return products[0].output if len(products) == 1 and others <= _LAYER else None


def _pool(op: Op, forward: Forward, gradients: Forward, is_gradient: bool) -> OpWork | None:
    """The work of pooling, which reads the whole input, and its gradient as well if it has to find the
    maxima.

    It does not read the whole input if windows of 1 only thin it out, so pooling that may be of this kind is
    left out.
    """
    pair = forward.get(op.path[:-1], ()) if is_gradient else gradients.get(op.path, ())
    other = only(one.output for one in pair if _POOL.fullmatch(one.type) and one.output)
    if op.output is None or other is None:
        return None
    inputs, outputs = (op.output, other) if is_gradient else (other, op.output)
    if not is_gradient and all(
        x % y == 0 or -(-x // (x // y + 1)) == y for x, y in zip(inputs.dims, outputs.dims, strict=False)
    ):
        return None
    again = inputs.bytes if is_gradient and op.type.startswith("Max") else 0
    return _other(op, max(inputs.elements, outputs.elements), inputs.bytes + outputs.bytes + again)


def _inputs(kernels: Sequence[str]) -> tuple[int, ...] | None:
    """Sizes in bytes of one element of each input, all as large as the output; ``None`` if one may be
    smaller.

    The one kernel of Eigen names its whole expression.
    """
    if len(kernels) != 1 or "Broadcasting" in kernels[0] or "Generator" in kernels[0]:
        return None
    expression = kernels[0].rpartition("TensorAssignOp<")[2]
    types = _EIGEN_INPUT.findall(expression) if expression != kernels[0] else []
    sizes = [_EIGEN_SIZES.get(name, 0) for name in types]
    return tuple(sizes) if sizes and all(sizes) else None
