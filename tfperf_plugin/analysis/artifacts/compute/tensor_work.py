"""Finds the operations and bytes of TensorFlow's ops from the shapes of the tensors that they allocated.

An op's inputs are not recorded, but the outputs of a product and of its gradients together imply all of them.
With Y = X·W, the gradients are dX, shaped like X, and dW, shaped like W. Each of the three ops takes 2·m·n·k
= 2·√(|Y|·|dX|·|dW|) operations (divided by the batch under the root), whichever operands are transposed; for
convolutions it is 2·|Y|·|dW|/channels out, in which products with padding count. A gradient names its forward
op in its path. Ambiguous ops are left out: ops whose shapes change, buffers that were passed on instead of
allocated, layers that share a name. What an op moves that computes no product follows from the same shapes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.memory.memory import GPU_ALLOCATOR
from tfperf_plugin.arrays.columns import Groups, agreed
from tfperf_plugin.trace.model import HostTrace, MemoryEvents, OpKind, OpWork, Product, among
from tfperf_plugin.trace.roles import Role, split_op

_FORMATS: Final = {1: "fp32", 2: "fp64", 6: "int8", 14: "bf16", 19: "fp16", 24: "fp8", 25: "fp8"}
MAX_FLOPS: Final = 1 << 60
"""No op of a step takes more: it would run for half an hour on the fastest GPU."""
_NUMBER: Final = re.compile(r"(?<=\D)_\d{1,9}$")
_NAMES_OF_CONVOLUTIONS: Final = ("conv2d_transpose", "depthwise", "convolution", "separable_conv2d")
Gradient = Literal["", "input", "filter"]
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


def work_from_allocations(trace: HostTrace) -> dict[tuple[str, str], OpWork]:
    """("", op as ``DeviceTrace.ops`` has it) → the work of one execution of the op."""
    ops = ops_with_tensors(trace)
    forward: dict[tuple[str, ...], list[Op]] = {}
    gradients: dict[tuple[str, ...], list[Op]] = {}
    scopes: dict[tuple[str, ...], list[Op]] = {}
    for op in ops:
        if op.backward:
            gradients.setdefault(op.path[:-1], []).append(op)
        else:
            forward.setdefault(op.path, []).append(op)
            scopes.setdefault(op.path[:-1], []).append(op)
    found: dict[str, OpWork] = {}
    products = [op for op in ops if is_matrix(op)]
    layers: dict[str, list[Op]] = {op.key: [op] for op in products if not op.backward}
    of_key = {op.key: op for op in products}
    for op in products:
        first = _forward(op, forward, scopes) if op.backward else None
        if first:
            layers[first.key].append(op)
    for key, layer in layers.items():
        is_product = PRODUCT.fullmatch(of_key[key].type)
        found.update(_matrix_products(layer) if is_product else _convolutions(layer))
    for op in ops:
        work = None if op.key in of_key else _memory_work(op, forward, gradients, scopes)
        if work:
            found[op.key] = work
    return {("", key): work for key, work in found.items()}


def _forward(op: Op, forward: Forward, scopes: Forward) -> Op | None:
    """Finds the product of a gradient: ``scope/Conv2D/Conv2DBackpropInput`` belongs to ``scope/Conv2D``.

    A fused op has the name of the last op in it, ``scope/Relu``. Old versions of TensorFlow call the
    gradients of ``scope/MatMul`` ``scope/MatMul`` and ``scope/MatMul_1``, those of graphs
    ``scope/MatMul_grad/MatMul``.
    """
    *scope, last = (part.removesuffix("_grad") for part in op.path[:-1]) if len(op.path) > 1 else ("",)
    plain, number = _parted(last)
    is_product = bool(PRODUCT.fullmatch(op.type))

    def same(ops: Iterable[Op]) -> list[Op]:
        return [one for one in ops if is_matrix(one) and bool(PRODUCT.fullmatch(one.type)) == is_product]

    exact = same(forward.get((*scope, last), ()))
    if len(exact) == 1:
        return exact[0]
    for place in ((*scope,), (*scope, last)):
        found = same(scopes.get(place, ()))
        if len(found) > 1 and place == (*scope,):
            found = [one for one in found if _parted(one.path[-1])[1] == number]
        if len(found) == 1 and (place != (*scope,) or _is_named(plain, found[0])):
            return found[0]
    return None


def _parted(name: str) -> tuple[str, str]:
    """A name without its number, and the number: "MatMul" and "_1" of "MatMul_1"."""
    plain = _NUMBER.sub("", name)
    return plain, name[len(plain) :]


def _is_named(name: str, op: Op) -> bool:
    """Whether the op may have this name without its number: that of its type, or of a layer's code."""
    plain = op.type.removeprefix("_Fused")
    return name in (plain, plain.removesuffix("Native"), *_NAMES_OF_CONVOLUTIONS)


def _matrix_products(layer: Sequence[Op]) -> dict[str, OpWork]:
    """A product and its gradients, of which two outputs may suffice."""
    known = {op.key: op.output for op in layer}
    tensors = [tensor for tensor in known.values() if tensor]
    if len({tensor.type for tensor in tensors}) != 1 or tensors[0].type not in _FORMATS:
        return {}
    sizes = _sizes([tensor.dims for tensor in tensors], layer[0].type)
    if sizes is None:
        return {}
    batch, m, n, k = sizes
    format, size = _FORMATS[tensors[0].type], SIZES[tensors[0].type]
    flops = 2 * batch * m * n * k
    if flops > MAX_FLOPS:
        return {}
    found = {}
    for op in layer:
        # The forward product has m·n outputs, its gradients m·k and k·n.
        rows, columns, summed = m, n, k
        gradient: Gradient = ""
        if op.output and op.output.elements == batch * m * k != batch * m * n:
            rows, columns, summed = m, k, n
        elif op.output and op.output.elements == batch * k * n != batch * m * n:
            rows, columns, summed, gradient = k, n, m, "filter"
        product = Product(batch, rows, columns, summed, format, gradient=gradient)
        bytes_ = batch * (m * n + m * k + k * n) * size
        found[op.key] = _matrix(flops, format, bytes_, "product", product)
    return found


def _sizes(shapes: Sequence[tuple[int, ...]], op_type: str) -> tuple[int, int, int, int] | None:
    """Batch, m, n and k of a product from the shapes of Y, and of dX and dW or one of these.

    Each dimension of a batch is one of all three tensors, each other dimension one of two of them.
    """
    if op_type != "Einsum":
        ranks = {len(dims) for dims in shapes}
        batches = {dims[:-2] for dims in shapes}
        if ranks.isdisjoint({0, 1}) and len(ranks) == len(batches) == 1:
            batch = math.prod(batches.pop())
            return _plain_sizes(batch, [dims[-2:] for dims in shapes])
        return None
    if len(shapes) != 3:
        return None
    counts = [Counter(dims) for dims in shapes]
    batch = 1
    sides = (1, 1, 1)  # dimensions that Y and dX, Y and dW, dX and dW share
    for size in {size for dims in shapes for size in dims}:
        y, x, w = (count[size] for count in counts)
        # With b batch dimensions of this size: y = b + m + n, x = b + m + k, w = b + n + k.
        fits = [
            (b, (y + x - w - b) // 2, (y + w - x - b) // 2, (x + w - y - b) // 2)
            for b in range(min(y, x, w) + 1)
            if (y + x - w - b) % 2 == 0 and min(y + x - w, y + w - x, x + w - y) >= b
        ]
        if len(fits) != 1:
            return None
        b, *powers = fits[0]
        batch *= size**b
        m, n, k = (side * size**power for side, power in zip(sides, powers, strict=True))
        sides = m, n, k
    return batch, *sides


def _plain_sizes(batch: int, shapes: Sequence[tuple[int, ...]]) -> tuple[int, int, int, int] | None:
    (m, n), *others = shapes
    if len(others) == 2:
        k2, rest = divmod(math.prod(others[0]) * math.prod(others[1]), m * n)
        k = math.isqrt(k2)
        fits = Counter((m, n, *others[0], *others[1])) == Counter((m, m, n, n, k, k))
        return (batch, m, n, k) if not rest and k * k == k2 and fits else None
    if len(others) == 1:
        shared = {m, n} & set(others[0])
        if len(shared) == 1:
            (common,) = shared
            k = math.prod(others[0]) // common
            # Which gradient it is does not matter here: the operations are the same.
            return batch, m, n, k
    return None


def _matrix(flops: int, format: str, bytes_: int, kind: OpKind, product: Product) -> OpWork:
    return OpWork(
        flops=flops, matrix_flops=flops, matrix_format=format, bytes=bytes_, kind=kind, products=(product,)
    )


def _convolutions(layer: Sequence[Op]) -> dict[str, OpWork]:
    """A convolution and its gradients; the forward pass of a transposed one is an input gradient."""
    output: dict[Gradient, Tensor | None] = {}
    temps: list[Tensor] = []
    roles: dict[str, Gradient] = {}
    for op in layer:
        match = CONVOLUTION.fullmatch(op.type)
        role: Gradient = (
            "filter" if match and match["of"] == "Filter" else "input" if match and match["of"] else ""
        )
        roles[op.key] = role
        if role in output and output[role] != op.output:
            return {}
        output[role] = op.output
        temps += op.temps
    y, x, w = output.get(""), output.get("input"), output.get("filter")
    if y is None or y.type not in _FORMATS or len(y.dims) < 3:
        return {}
    depthwise = "Depthwise" in layer[0].type
    filter_ = w.dims if w and len(w.dims) == len(y.dims) else _filter(y, temps) if not depthwise else None
    if filter_ is None:
        return {}
    *window, channels_in, channels_out = filter_
    if depthwise:
        channels_in, channels_out = 1, channels_in * channels_out
    at = [axis for axis in (1, -1) if y.dims[axis] == channels_out]
    if not at:
        return {}
    places = y.dims[2:] if at == [1] else y.dims[1:-1] if at == [-1] else ()
    outputs = y.elements // channels_out
    product = Product(1, outputs, channels_out, channels_in, _FORMATS[y.type], math.prod(window))
    flops = 2 * y.elements * math.prod(window) * channels_in
    if flops > MAX_FLOPS:
        return {}
    read = min(x.elements, y.elements * math.prod(window) * channels_in) if x else 0
    weights = math.prod(filter_)
    found = {}
    for key, role in roles.items():
        inputs = x.elements if x and role == "input" else read
        bytes_ = (y.elements + weights + inputs) * SIZES[y.type]
        one = replace(product, gradient=role, places=places)
        found[key] = _matrix(flops, product.format, bytes_, "convolution", one)
    return found


def _filter(y: Tensor, temps: Iterable[Tensor]) -> tuple[int, ...] | None:
    """Height, width, channels in, channels out of a filter that was copied for cuDNN, which wants the
    channels out in front."""
    found = {
        (*t.dims[2:], t.dims[1], t.dims[0])
        for t in temps
        if t.type == y.type and len(t.dims) == len(y.dims) and t.dims[0] == y.dims[1] != y.dims[0]
    }
    return agreed(found)


def _memory_work(op: Op, forward: Forward, gradients: Forward, scopes: Forward) -> OpWork | None:
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
        found = agreed(
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
    other = agreed(one.output for one in pair if _POOL.fullmatch(one.type) and one.output)
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
        ops.append(
            Op(key, op_type, path, bool(marks), agreed(made), tuple(temps.get(name, ())), tuple(names))
        )
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


Forward = Mapping[tuple[str, ...], list[Op]]


def is_matrix(op: Op) -> bool:
    """Whether the op is a product or a convolution, or a gradient of one."""
    return bool(PRODUCT.fullmatch(op.type) or CONVOLUTION.fullmatch(op.type))
