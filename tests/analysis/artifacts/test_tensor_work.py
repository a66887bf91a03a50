"""FLOPs and bytes of TensorFlow's ops, from the shapes that they allocate; numbers are worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.builders import Host
from tfperf_plugin.analysis.artifacts.compute.tensor_work import work_from_allocations
from tfperf_plugin.trace.model import OpWork, Product

FLOAT, DOUBLE, UINT8, HALF = 1, 2, 4, 19
EIGEN = (
    "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<"
    "Eigen::Tensor<float, 1, 1, long>, 16, Eigen::MakePointer>, {} const> const, Eigen::GpuDevice>, long)"
)
INPUT = "Eigen::TensorMap<Eigen::Tensor<{} const, 1, 1, long>, 16, Eigen::MakePointer> const"


class Ops:
    """Ops of one GPU, each with what it allocates."""

    def __init__(self) -> None:
        self._host = Host()
        self._at = 0

    def __call__(
        self,
        op: str,
        *output: int,
        temps: tuple[tuple[int, ...], ...] = (),
        data_type: int = FLOAT,
        kernel: str = "kernel",
        allocator: str = "GPU_0_bfc",
    ) -> None:
        """``op`` is "name:Type"; without dimensions it uses the memory of its input."""
        self._at += 1
        for shape, region in ((output, "output"), *((temp, "temp") for temp in temps)):
            if shape:
                self._host.event(
                    "MemoryAllocation", self._at, self._at, tf_op=op.rpartition(":")[0],
                    allocator_name=allocator, bytes_allocated=1, requested_bytes=1, data_type=data_type,
                    shape=f"[{','.join(map(str, shape))}]", region_type=region,
                )  # fmt: skip
        self._host.kernel(self._at, self._at + 0.5, name=kernel, op=op)

    def work(self) -> dict[str, OpWork]:
        """What the product makes of it."""
        return {op: work for (_, op), work in work_from_allocations(self._host.trace()).items()}


@pytest.mark.parametrize("gradient", ["dense/MatMul/MatMul", "dense/MatMul"], ids=["new", "old"])
def test_a_product_and_its_gradients_tell_each_others_inputs(gradient: str) -> None:
    ops = Ops()
    ops("dense/MatMul:MatMul", 128, 3)
    ops(f"gradient_tape/{gradient}:MatMul", 128, 9216)
    ops(f"gradient_tape/{gradient}_1:MatMul", 9216, 3)
    found = ops.work()

    assert [work.flops for work in found.values()] == [2 * 128 * 3 * 9216] * 3
    assert {work.bytes for work in found.values()} == {4 * (128 * 3 + 128 * 9216 + 9216 * 3)}
    assert [work.products for work in found.values()] == [
        (Product(1, 128, 3, 9216, "fp32"),),
        (Product(1, 128, 9216, 3, "fp32"),),
        (Product(1, 9216, 3, 128, "fp32", gradient="filter"),),
    ]


def test_the_first_layer_has_no_input_gradient() -> None:
    ops = Ops()
    ops("model/dense/Relu:_FusedMatMul", 64, 10, data_type=HALF)
    ops("gradient_tape/model/dense/MatMul/MatMul:MatMul", 784, 10, data_type=HALF)
    found = ops.work()

    assert [work.matrix_flops for work in found.values()] == [2 * 64 * 784 * 10] * 2
    assert {work.matrix_format for work in found.values()} == {"fp16"}
    assert {work.bytes for work in found.values()} == {2 * (64 * 784 + 784 * 10 + 64 * 10)}


def test_a_fused_convolution_and_its_gradients() -> None:
    """The second convolution of AlexNet: 141.6 GFLOP for 128 examples."""
    ops = Ops()
    ops("alex_net/conv2d_1/Relu:_FusedConv2D", 128, 256, 30, 30, temps=((256, 96, 5, 5),))
    ops("gradient_tape/alex_net/conv2d_1/Conv2D/Conv2DBackpropInput:Conv2DBackpropInput", 128, 96, 30, 30)
    ops("gradient_tape/alex_net/conv2d_1/Conv2D/Conv2DBackpropFilter:Conv2DBackpropFilter", 5, 5, 96, 256)
    found = list(ops.work().values())

    assert [work.flops for work in found] == [141_557_760_000] * 3
    tensors = 128 * 256 * 900 + 128 * 96 * 900 + 5 * 5 * 96 * 256
    assert [work.bytes for work in found] == [4 * tensors] * 3
    forward = Product(1, 128 * 900, 256, 96, "fp32", 25, "", (30, 30))
    assert found[0].products == (forward,)
    assert [work.products[0].gradient for work in found] == ["", "input", "filter"]
    assert {work.kind for work in found} == {"convolution"}


Call = tuple[str, tuple[int, ...]] | tuple[str, tuple[int, ...], tuple[tuple[int, ...], ...]]
TAPE = "gradient_tape/"
CONVOLUTION: Call = ("conv/Conv2D:Conv2D", (8, 64, 10, 10), ((64, 3, 3, 3),))
IMAGES = 4 * 8 * 64 * 100
"""Bytes of what it makes."""


def made(calls: Sequence[Call], **more: Any) -> dict[str, OpWork]:
    """The work of ops with what they allocate: their output, and tensors for themselves."""
    ops = Ops()
    for op, output, *temps in calls:
        ops(op, *output, temps=temps[0] if temps else (), **more)
    return ops.work()


@pytest.mark.parametrize(
    ("calls", "flops"),
    [
        (
            [
                ("replica_1/attention/MatMul:BatchMatMulV2", (4, 16, 384, 384)),
                ("gradient_tape/replica_1/attention/MatMul/MatMul:BatchMatMulV2", (4, 16, 384, 64)),
                ("gradient_tape/replica_1/attention/MatMul/MatMul_1:BatchMatMulV2", (4, 16, 64, 384)),
            ],
            2 * 64 * 384 * 384 * 64,
        ),
        (  # BTHD, BSHD → BHTS: B and H are in all three, D only in the inputs
            [
                ("query/einsum/Einsum:Einsum", (4, 16, 128, 384)),
                ("gradient_tape/query/einsum/Einsum/Einsum:Einsum", (4, 128, 16, 64)),
                ("gradient_tape/query/einsum/Einsum/Einsum_1:Einsum", (4, 384, 16, 64)),
            ],
            2 * 4 * 16 * 128 * 384 * 64,
        ),
        (  # without gradients, the copy of the filter tells
            [("conv/Conv2D:Conv2D", (32, 64, 28, 28), ((64, 16, 3, 3), (32, 16, 29, 29)))],
            2 * 32 * 64 * 28 * 28 * 16 * 9,
        ),
        (  # 4×4 to 8×8 places, 128 to 64 channels: each place adds 5×5×64 products of each channel
            [
                ("up/conv2d_transpose:Conv2DBackpropInput", (16, 64, 8, 8)),
                ("gradient_tape/up/conv2d_transpose/Conv2D:Conv2D", (16, 128, 4, 4)),
                ("gradient_tape/up/conv2d_transpose/F:Conv2DBackpropFilter", (5, 5, 64, 128)),
            ],
            2 * 16 * 128 * 16 * 25 * 64,
        ),
        (  # each channel is multiplied alone
            [
                ("dw/depthwise:DepthwiseConv2dNative", (8, 14, 14, 32)),
                ("gradient_tape/dw/depthwise/F:DepthwiseConv2dNativeBackpropFilter", (3, 3, 32, 1)),
            ],
            2 * 8 * 14 * 14 * 32 * 9,
        ),
    ],
    ids=["batches", "einsum", "copy of the filter", "transposed convolution", "depthwise convolution"],
)
def test_operations(calls: Sequence[Call], flops: int) -> None:
    assert [work.flops for work in made(calls).values()] == [flops] * len(calls)


@pytest.mark.parametrize(
    "calls",
    [
        [("dense/MatMul:MatMul", (32, 64)), ("gradient_tape/dense/MatMul/MatMul:MatMul", (64, 32))],
        [(f"{path}Einsum:Einsum", (8, 8)) for path in ("a/", f"{TAPE}a/Einsum/", f"{TAPE}a/Einsum/other_")],
        [("conv/Conv2D:Conv2D", (64, 64, 28, 28), ((64, 16, 29, 29),))],
        [("Exp:Exp", (10**13, 10**13)), ("Log:Log", (0,))],
        [("MatMul:MatMul", (1 << 22, 1 << 22)), ("gradient_tape/MatMul/MatMul:MatMul", (1 << 22, 1 << 23))],
    ],
    ids=[
        "both dimensions shared", "equal dimensions, a batch or not", "a copy that may be the input",
        "damaged shapes", "absurd products",
    ],
)  # fmt: skip
def test_what_tells_nothing(calls: Sequence[Call]) -> None:
    assert made(calls) == {}


@pytest.mark.parametrize("allocator", ["gpu_host_bfc", "cpu"])
def test_memory_of_the_host_does_not_count(allocator: str) -> None:
    assert made([("Exp:Exp", (1000,))], allocator=allocator) == {}


POOL, UNPOOL = "pool/MaxPool:MaxPool", "gradient_tape/pool/MaxPool/MaxPoolGrad:MaxPoolGrad"
POOLED, UNPOOLED = 4 * 8 * 16 * 30 * 30, 4 * 8 * 16 * 62 * 62


@pytest.mark.parametrize(
    ("calls", "bytes_"),
    [
        (
            [
                CONVOLUTION,
                ("conv/BiasAdd:BiasAdd", ()),
                ("conv/Relu:Relu", ()),
                ("gradient_tape/conv/ReluGrad:ReluGrad", ()),
                ("gradient_tape/conv/BiasAdd/BiasAddGrad:BiasAddGrad", (64,)),
            ],
            {"BiasAdd": 2 * IMAGES, "Relu": 2 * IMAGES, "ReluGrad": 3 * IMAGES, "BiasAddGrad": IMAGES},
        ),
        ([CONVOLUTION, ("conv/MaxPool:MaxPool", (8, 64, 3, 3)), ("conv/Relu:Relu", ())], {}),
        (
            [
                *(("bn/N:FusedBatchNormV3", shape) for shape in ((8, 64, 10, 10), (64,), (64,))),
                ("gradient_tape/bn/N:FusedBatchNormGradV3", (8, 64, 10, 10)),
            ],
            {"FusedBatchNormV3": 2 * IMAGES, "FusedBatchNormGradV3": 3 * IMAGES},
        ),
        (
            [(POOL, (8, 16, 30, 30)), (UNPOOL, (8, 16, 62, 62))],
            {"MaxPool": UNPOOLED + POOLED, "MaxPoolGrad": 2 * UNPOOLED + POOLED},
        ),
        # Windows of 1 only thin out their input; then the gradient alone is known.
        ([(POOL, (8, 16, 28, 28)), (UNPOOL, (8, 16, 56, 56))], {"MaxPoolGrad": 512 * (2 * 56**2 + 28**2)}),
        ([*[("Exp:Exp", (1000,))] * 3, ("Log:Log", (1000,)), ("Log:Log", (500,))], {"Exp": 8000}),
    ],
    ids=[
        "in the memory of their layer's product", "beside more than a product", "vectors beside the tensor",
        "pooling", "pooling that may thin out", "a shape that changes",
    ],
)  # fmt: skip
def test_bytes(calls: Sequence[Call], bytes_: dict[str, int]) -> None:
    found = {op.rpartition(":")[2]: work.bytes for op, work in made(calls).items()}

    assert {kind: size for kind, size in found.items() if kind != "Conv2D"} == bytes_


@pytest.mark.parametrize(
    ("expression", "bytes_"),
    [
        (f"Eigen::TensorCwiseBinaryOp<scalar_sum_op, {INPUT}, {INPUT}>", 3 * 4000),
        (f"Eigen::TensorCwiseUnaryOp<scalar_right<scalar_sum_op>, {INPUT}>", 2 * 4000),
        (f"Eigen::TensorCwiseBinaryOp<scalar_sum_op, {INPUT}, Eigen::TensorBroadcastingOp<{INPUT}>>", None),
        ("", None),
    ],
    ids=["tensors", "scalar", "broadcast", "no name"],
)
def test_what_a_sum_reads_its_kernel_tells(expression: str, bytes_: int | None) -> None:
    ops = Ops()
    kernel = EIGEN.format(expression.format("float", "float")) if expression else "AddV2_GPU_kernel"
    ops("add:AddV2", 1000, kernel=kernel)
    found = ops.work()

    assert (found["add:AddV2"].bytes if found else None) == bytes_
