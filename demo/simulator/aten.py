"""What PyTorch calls the ops of the simulated models, their inputs and their kernels.

What is TensorFlow's own kernel there is PyTorch's own one here; cuBLAS, cuDNN and NCCL name theirs alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from demo.simulator.record import DeviceWork
from demo.simulator.work import ELEMENT_BYTES, Product, Work

COPY: Final = "aten::copy_"
RESULT: Final = "aten::item"
# Where both frameworks call a library, only the op's name differs.
_LIBRARY: Final = {
    "MatMul": "mm",
    "BatchMatMulV2": "bmm",
    "Conv2D": "cudnn_convolution",
    "Conv2DBackpropFilter": "convolution_backward",
    "Conv2DBackpropInput": "convolution_backward",
    "FusedBatchNormV3": "cudnn_batch_norm",
    "FusedBatchNormGradV3": "cudnn_batch_norm_backward",
    "CudnnRNNV3": "_cudnn_rnn",
    "CudnnRNNBackpropV3": "_cudnn_rnn_backward",
    "_XlaRun": "_scaled_dot_product_cudnn_attention",
}
# What a processor has in place of cuDNN.
_ON_CPU: Final = {
    "Conv2D": "mkldnn_convolution",
    "FusedBatchNormV3": "native_batch_norm",
    "FusedBatchNormGradV3": "native_batch_norm_backward",
}
_TENSORS: Final = "at::TensorIteratorBase&"
_HIDDEN: Final = "at::native::(anonymous namespace)"
# Op, and what its kernel does to each element.
_ELEMENTWISE: Final = {
    "AddV2": ("add", "at::native::CUDAFunctor_add<{t}>"),
    "AddN": ("add", "at::native::CUDAFunctor_add<{t}>"),
    "BiasAdd": ("add_", "at::native::CUDAFunctor_add<{t}>"),
    "Sub": ("sub", "at::native::CUDAFunctor_add<{t}>"),
    "Mul": (
        "mul",
        "at::native::BinaryFunctor<{t}, {t}, {t}, at::native::binary_internal::MulFunctor<{t}> >",
    ),
    "RealDiv": (
        "div",
        "at::native::BUnaryFunctor<{t}, {t}, {t}, at::native::binary_internal::MulFunctor<{t}> >",
    ),
    "Pow": ("pow", f"{_HIDDEN}::pow_tensor_scalar_kernel_impl<{{t}}, {{t}}>({_TENSORS}, {{t}})"),
    "Maximum": ("maximum", f"at::native::maximum_kernel_cuda({_TENSORS})::{{{{lambda()#1}}}}"),
    "Relu": ("clamp_min", f"{_HIDDEN}::launch_clamp_scalar({_TENSORS}, c10::Scalar, c10::Scalar)"),
    "ReluGrad": ("threshold_backward", f"{_HIDDEN}::threshold_kernel_impl<{{t}}>({_TENSORS}, {{t}}, {{t}})"),
    "Tanh": ("tanh", f"at::native::tanh_kernel_cuda({_TENSORS})::{{{{lambda()#2}}}}"),
    "TanhGrad": ("tanh_backward", f"at::native::tanh_backward_kernel_cuda({_TENSORS})"),
    "Sigmoid": ("sigmoid", f"at::native::sigmoid_kernel_cuda({_TENSORS})::{{{{lambda()#2}}}}"),
    "SigmoidGrad": ("sigmoid_backward", f"at::native::sigmoid_backward_kernel_cuda({_TENSORS})"),
    "Cast": ("copy_", f"at::native::direct_copy_kernel_cuda({_TENSORS})::{{{{lambda()#3}}}}"),
    "StridedSlice": ("copy_", f"at::native::direct_copy_kernel_cuda({_TENSORS})::{{{{lambda()#3}}}}"),
    "LogicalAnd": ("logical_and", f"at::native::logical_and_kernel_cuda({_TENSORS})::{{{{lambda()#1}}}}"),
}
_SUM: Final = "at::native::func_wrapper_t<{t}, at::native::sum_functor<{t}, float, {t}>::operator()>"
_MANY: Final = f"void {_HIDDEN}::multi_tensor_apply_kernel<{_HIDDEN}::"
_KERNELS: Final = {
    "Softmax": (
        "_softmax",
        "void (anonymous namespace)::softmax_warp_forward<{t}, {t}, float, 9, false, false>({t}*)",
    ),
    "SparseSoftmaxCrossEntropyWithLogits": (
        "_log_softmax",
        f"void at::native::cunn_SoftMaxForward<4, float, float, float, {_HIDDEN}::LogSoftMaxForwardEpilogue>"
        "(float*, float const*, int)",
    ),
    "Mean": (
        "mean",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<{t}, at::native::MeanOps<{t}, float, "
        "float, {t}>, unsigned int, {t}, 4> >(at::native::ReduceOp<{t}>)",
    ),
    "BiasAddGrad": (
        "sum",
        f"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<{{t}}, {_SUM}, unsigned int, {{t}}> >"
        "(at::native::ReduceOp<{t}>)",
    ),
    "All": (
        "all",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<bool, at::native::func_wrapper_t<bool>, "
        "unsigned int, bool, 4> >(at::native::ReduceOp<bool>)",
    ),
    "IsFinite": (
        "_amp_foreach_non_finite_check_and_unscale_",
        f"{_MANY}TensorListMetadata<1>, {_HIDDEN}::UnaryOpFunctor<float, 1, 1, 0> >(float*, float*)",
    ),
    "GatherV2": (
        "index_select",
        f"void {_HIDDEN}::indexSelectLargeIndex<float, long, unsigned int, 2, 2, -2, true>(float, long)",
    ),
    "UnsortedSegmentSum": (
        "embedding_dense_backward",
        f"void {_HIDDEN}::compute_grad_weight<float, long>(long*, float*, long*, long, long)",
    ),
    "ResourceApplyAdam": (
        "_fused_adam_",
        f"{_MANY}FusedOptimizerTensorListMetadata<4>, {_HIDDEN}::FusedAdamMathFunctor<float, 4, "
        f"({_HIDDEN}::ADAM_MODE)0, false> >(float*, float*)",
    ),
}
# Ops that have no kernel or run on the host.
_OTHERS: Final = {
    "_Send": "copy_",
    "Unique": "_unique2",
    "EagerPyFunc": "sort",
    "Where": "nonzero",
    "ConfusionMatrix": "bincount",
    "NonMaxSuppressionV3": "nonzero",
}
_TYPES: Final = {"fp32": "float", "tf32": "float", "fp16": "c10::Half", "bf16": "c10::BFloat16"}
_C_TYPES: Final = {"HALF": "c10::Half", "BFLOAT16": "c10::BFloat16", "FLOAT": "float", "BOOL": "bool"}
_OF_TENSORFLOW: Final = re.compile(r"_GPU_DT_|^void (tensorflow|Eigen)::")


def op_name(type_: str, on_cpu: bool = False) -> str:
    """PyTorch's op that computes what an op of this type of TensorFlow does, on a GPU or ``on_cpu``."""
    names = {kind: name for kind, (name, _) in (_ELEMENTWISE | _KERNELS).items()} | _LIBRARY | _OTHERS
    names |= _ON_CPU if on_cpu else {}
    return f"aten::{names.get(type_) or re.sub(r'(?<=[a-z])(?=[A-Z])', '_', type_).lower()}"


def node_name(op: str) -> str:
    """Autograd's node that calls an op in the backward pass: ``MmBackward0`` of ``aten::mm``."""
    words = op.removeprefix("aten::").removesuffix("_backward").strip("_").split("_")
    return "".join(word.capitalize() for word in words) + "Backward0"


def kernel_name(work: DeviceWork) -> str:
    """PyTorch's kernel for the work, or that of the compiler or library which both frameworks use."""
    if work.hlo_op and not work.work.product:
        return f"triton_poi_fused_{work.hlo_op.removeprefix('loop_').replace('_fusion.', '_')}"
    if not _OF_TENSORFLOW.search(work.name):
        return work.name
    type_ = work.op.rpartition(":")[2]
    number_format = re.search(r"DT_([A-Z\d]+)_kernel", work.name)
    c_type = _C_TYPES[number_format[1]] if number_format else _TYPES[work.work.format]
    if type_ in _KERNELS:
        return _KERNELS[type_][1].format(t=c_type)
    functor = _ELEMENTWISE[type_][1].format(t=c_type)
    arguments = f"{functor}, std::array<char*, 3ul>"
    return f"void at::native::vectorized_elementwise_kernel<4, {arguments} >(int, {arguments})"


def inputs(work: Work) -> Mapping[str, object]:
    """Sizes and types of an op's inputs, as far as it is known, as the profiler writes them."""
    if work.product:
        sizes, numbers = _product_inputs(work.product)
    elif work.output:
        # Of what crosses memory, all but the result is read.
        passes = work.bytes // (math.prod(work.output) * ELEMENT_BYTES[work.format])
        sizes, numbers = [list(work.output)] * min(max(1, passes - 1), 3), []
    else:
        return {}
    count = len(sizes)
    found: dict[str, object] = {
        "Input Dims": sizes + [[]] * len(numbers),
        "Input type": [_TYPES[work.format]] * count
        + ["ScalarList" if number.startswith("[") else "Scalar" for number in numbers],
    }
    return found | ({"Concrete Inputs": [""] * count + numbers} if numbers else {})


def _product_inputs(product: Product) -> tuple[list[list[int]], list[str]]:
    """Sizes of the tensors, and the other arguments: those of a convolution, channels first."""
    if not product.filter:
        rows, columns, inner = product.matrix
        batch = [math.prod(product.batch)] if product.batch else []
        return [[*batch, rows, inner], [*batch, inner, columns]], []
    images, *size = product.rows
    x, y = [images, product.inner, *size], [images, product.outer, *size]
    w = [product.outer, product.inner, *product.filter]
    stride, padding = "[1, 1]", str([(places - 1) // 2 for places in product.filter])
    if product.kind == "forward":
        return [x, w], [padding, stride, "[1, 1]", "1", "False", "False", "True"]
    asked = str([product.kind == "of input", product.kind == "of weights", False])
    return [y, x, w], ["[0]", stride, padding, "[1, 1]", "False", "[0, 0]", "1", asked]
