"""Models as lists of GPU kernels: what a training step computes, from FLOPs and bytes to durations.

A kernel lasts as long as its FLOPs need at the peak of its precision or its bytes at the memory
bandwidth, whichever is longer, times a usual efficiency. Names are those that cuBLAS, cuDNN, Eigen
and TensorFlow give their kernels on the device in question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from demo.simulator.devices import Device, Precision

Phase = Literal["forward", "backward", "optimizer"]

# Shares of the peak that well-shaped kernels reach.
TENSOR_CORE_EFFICIENCY = 0.55
CUDA_CORE_EFFICIENCY = 0.80
# What is left of it where dimensions are no multiple of 8.
NARROW_LOADS = 0.5
BANDWIDTH_EFFICIENCY = 0.80
SHORTEST_KERNEL_NS = 2_000
FLOAT_BYTES = 4
ADAM_BYTES_PER_PARAMETER = 3 * FLOAT_BYTES


@dataclass(frozen=True)
class Kernel:
    """One op of a step and the kernel that it launches.

    ``keeps_bytes`` is what the op allocates until the backward pass, ``frees_bytes`` what it lets go.
    ``gradient``: the kernel completes the gradient of a variable. ``side``: it may run on a second
    compute stream, because only the optimizer needs its result. ``shape``: of the inputs, as a profiler
    writes it that records them.
    """

    op: str
    type: str
    name: str
    phase: Phase
    duration_ns: int
    keeps_bytes: int = 0
    frees_bytes: int = 0
    gradient: bool = False
    side: bool = False
    registers: int = 32
    shared_bytes: int = 0
    shape: str = ""


class Model(Protocol):
    """Anything that can list its kernels."""

    @property
    def parameters(self) -> int: ...

    @property
    def batch_bytes(self) -> int:
        """Bytes of one GPU's input batch."""
        ...

    @property
    def persistent_bytes(self) -> int:
        """Bytes that stay allocated between steps: weights, optimizer slots, tables."""
        ...

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]: ...


@dataclass(frozen=True)
class Speed:
    """Durations and names of kernels on one device in one precision.

    ``aligned``: dimensions of products are multiples of 8. If not, cuBLAS before version 11, as used with
    Volta and Turing, leaves the Tensor Cores alone; later ones use them with narrow loads, at half the speed.
    """

    device: Device
    precision: Precision
    aligned: bool = True

    @property
    def element_bytes(self) -> int:
        return 2 if self.precision in ("fp16", "bf16") else FLOAT_BYTES

    @property
    def tensor_cores(self) -> bool:
        if self.precision == "tf32":
            return self.device.compute_capability >= (8, 0)
        fits = self.aligned or self.device.compute_capability >= (8, 0)
        return fits and self.precision != "fp32" and self.device.compute_capability >= (7, 0)

    def product_ns(self, flops: float, moved_bytes: float = 0) -> int:
        if self.tensor_cores:
            narrow = 1.0 if self.aligned or self.precision == "tf32" else NARROW_LOADS
            rate = self.device.peak_flops(self.precision) * TENSOR_CORE_EFFICIENCY * narrow
        else:  # 16-bit tensors, too, are added up in float32 there
            rate = self.device.peak_flops("fp32") * CUDA_CORE_EFFICIENCY
        seconds = flops / rate
        return max(round(seconds * 1e9), self.stream_ns(moved_bytes))

    def stream_ns(self, moved_bytes: float) -> int:
        """Duration of a kernel that only moves bytes."""
        seconds = moved_bytes / (self.device.memory_bandwidth * BANDWIDTH_EFFICIENCY)
        return max(round(seconds * 1e9), SHORTEST_KERNEL_NS)

    def matmul(self, layout: str) -> str:
        """A cuBLAS kernel; ``layout`` is nn, nt or tn."""
        half = "bf16" if self.precision == "bf16" else "fp16"
        major = self.device.compute_capability[0]
        if self.precision == "fp32" or not self.tensor_cores:
            family = "ampere" if major >= 8 else "volta"
            types = ("fp16_", "fp16_") if self.precision == "fp16" else ("", "")
            return f"{family}_{types[0]}sgemm_{types[1]}128x64_{layout}"
        if self.precision == "tf32":
            return (
                f"sm80_xmma_gemm_f32f32_tf32f32_f32_{layout}_n_tilesize128x128x16_stage3_warpsize2x2x1"
                "_tensor16x8x8_kernel"
            )
        if not self.aligned:
            short = half.replace("fp", "f")
            return (
                f"void cutlass::Kernel2<cutlass_80_wmma_tensorop_{short}_s161616gemm_{short}_32x32_64x1_"
                f"{layout}_align1>(Params)"
            )
        if major >= 9:
            return f"nvjet_{'tst' if half == 'bf16' else 'hsh'}_256x128_64x4_2x1_v_bz_coopA_{layout.upper()}T"
        if major == 8:
            return f"ampere_{half}_s16816gemm_{half}_128x128_ldg8_f2f_stages_64x3_{layout}"
        arch, instruction = (
            ("turing", "s1688") if self.device.compute_capability == (7, 5) else ("volta", "s884")
        )
        return f"{arch}_fp16_{instruction}gemm_fp16_128x128_ldg8_f2f_{layout}"

    def convolution(self, kind: Literal["fprop", "dgrad", "wgrad"]) -> str:
        """A cuDNN kernel."""
        major = self.device.compute_capability[0]
        arch = {7: "volta", 8: "ampere", 9: "ampere"}[major]
        if self.precision == "fp32" or not self.tensor_cores:
            tail = {
                "fprop": "relu_interior_nn",
                "dgrad": "stridedB_splitK_interior_nn",
                "wgrad": "stridedB_interior_nt",
            }
            return f"{arch}_scudnn_128x64_{tail[kind]}_v1"
        if major >= 8:
            types = {
                "tf32": "tf32f32_tf32f32_f32",
                "fp16": "f16f16_f16f32_f32",
                "bf16": "bf16bf16_bf16f32_f32",
            }[self.precision]
            return (
                f"sm{major}0_xmma_{kind}_implicit_gemm_{types}_nhwckrsc_nhwc_tilesize128x128x32_stage4"
                "_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn"
            )
        instruction = "s1688" if self.device.compute_capability == (7, 5) else "s884"
        family = "turing" if instruction == "s1688" else "volta"
        tail = {
            "fprop": "ldg8_relu_f2f_exp_interior_nhwc_tn",
            "dgrad": "ldg8_dgrad_f2f_exp_interior_nhwc_tt",
            "wgrad": "ldg8_wgrad_idx_exp_interior_nhwc_nt",
        }
        return f"{family}_fp16_{instruction}cudnn_fp16_256x64_{tail[kind]}_v1"

    @property
    def type_name(self) -> str:
        return {"fp16": "HALF", "bf16": "BFLOAT16"}.get(self.precision, "FLOAT")

    @property
    def c_type(self) -> str:
        return {"fp16": "Eigen::half", "bf16": "Eigen::bfloat16"}.get(self.precision, "float")

    @property
    def cudnn_type(self) -> str:
        return {"fp16": "__half", "bf16": "__nv_bfloat16"}.get(self.precision, "float")

    def elementwise(self, op: str) -> str:
        return f"{op}_GPU_DT_{self.type_name}_DT_{self.type_name}_kernel"


def _cast_weights(speed: Speed, scope: str, parameters: int) -> tuple[Kernel, ...]:
    """Mixed precision keeps variables in float32 and casts them before use."""
    if speed.element_bytes == FLOAT_BYTES:
        return ()
    name = f"Cast_GPU_DT_FLOAT_DT_{speed.type_name}_kernel"
    moved = parameters * (FLOAT_BYTES + speed.element_bytes)
    return (Kernel(f"{scope}/Cast", "Cast", name, "forward", speed.stream_ns(moved)),)


def _optimizer(speed: Speed, index: int, parameters: int) -> Kernel:
    """Adam reads gradient, weight and two slots and writes three of them."""
    return Kernel(
        f"adam/update_{index}/ResourceApplyAdam",
        "ResourceApplyAdam",
        "void tensorflow::functor::ApplyAdamKernel<float>(int, float*, float*, float*, float const*, "
        "float const*, float const*, float const*, float const*, float const*, float const*, bool)",
        "optimizer",
        speed.stream_ns(parameters * 7 * FLOAT_BYTES),
    )


@dataclass(frozen=True)
class ConvNet:
    """A residual convolutional network: four stages, each halves the image and doubles the channels.

    ``table_parameters``: rows x width of a lookup table that sits in GPU memory and is hardly touched.
    """

    batch: int = 192
    image: int = 224
    channels: int = 64
    blocks_per_stage: int = 2
    classes: int = 1000
    image_value_bytes: int = 1
    table_parameters: int = 0

    def _stages(self) -> tuple[tuple[int, int], ...]:
        return tuple((self.image >> (2 + stage), self.channels << stage) for stage in range(4))

    @property
    def parameters(self) -> int:
        convolutions = sum(9 * channels * channels for _, channels in self._stages()) * self.blocks_per_stage
        return convolutions + (self.channels << 3) * self.classes

    @property
    def batch_bytes(self) -> int:
        return self.batch * self.image * self.image * 3 * self.image_value_bytes

    @property
    def persistent_bytes(self) -> int:
        return (self.parameters + self.table_parameters) * ADAM_BYTES_PER_PARAMETER

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]:
        speed = Speed(device, precision)
        forward: list[Kernel] = []
        backward: list[Kernel] = []
        optimizer: list[Kernel] = []
        index = 0
        for size, channels in self._stages():
            for _ in range(self.blocks_per_stage):
                ahead, back = self._block(speed, index, size, channels)
                forward += ahead
                backward = list(back) + backward
                optimizer.append(_optimizer(speed, index, 9 * channels * channels))
                index += 1
        ahead, back = self._head(speed)
        optimizer.append(_optimizer(speed, index, (self.channels << 3) * self.classes))
        return (*forward, *ahead, *back, *backward, *optimizer)

    def _block(self, speed: Speed, index: int, size: int, channels: int) -> tuple[list[Kernel], list[Kernel]]:
        elements = self.batch * size * size * channels
        tensor = elements * speed.element_bytes
        flops = 2.0 * elements * channels * 9
        scope = f"functional_1/block_{index}"
        half = speed.cudnn_type
        product_ns = speed.product_ns(flops, 2 * tensor)
        back_scope = f"gradient_tape/{scope}"
        relu_grad = (
            "void tensorflow::ReluGradHalfKernelVector(Eigen::half const*, Eigen::half const*, "
            "Eigen::half*, int)"
            if speed.precision == "fp16"
            else speed.elementwise("ReluGrad")
        )
        forward = [
            *_cast_weights(speed, f"{scope}/conv", 9 * channels * channels),
            Kernel(
                f"{scope}/conv/Conv2D",
                "Conv2D",
                speed.convolution("fprop"),
                "forward",
                product_ns,
                tensor,
                registers=128,
                shared_bytes=49_152,
            ),
            Kernel(
                f"{scope}/batch_normalization/FusedBatchNormV3",
                "FusedBatchNormV3",
                f"void cudnn::bn_fw_tr_1C11_kernel_NCHW<{half}, float, 512, true, 1>(cudnnTensorStruct)",
                "forward",
                speed.stream_ns(3 * tensor),
                tensor,
                registers=40,
            ),
            Kernel(
                f"{scope}/add", "AddV2", speed.elementwise("AddV2"), "forward", speed.stream_ns(3 * tensor)
            ),
            Kernel(
                f"{scope}/re_lu/Relu",
                "Relu",
                speed.elementwise("Relu"),
                "forward",
                speed.stream_ns(2 * tensor),
                tensor,
            ),
        ]
        backward = [
            Kernel(
                f"{back_scope}/re_lu/ReluGrad",
                "ReluGrad",
                relu_grad,
                "backward",
                speed.stream_ns(3 * tensor),
                0,
                tensor,
            ),
            Kernel(
                f"{back_scope}/batch_normalization/FusedBatchNormGradV3",
                "FusedBatchNormGradV3",
                f"void cudnn::bn_bw_1C11_kernel_new<{half}, float, float2, 512, true, 1>(float, float)",
                "backward",
                speed.stream_ns(5 * tensor),
                0,
                tensor,
                registers=64,
            ),
            Kernel(
                f"{back_scope}/conv/Conv2D/Conv2DBackpropFilter",
                "Conv2DBackpropFilter",
                speed.convolution("wgrad"),
                "backward",
                product_ns,
                frees_bytes=tensor,
                gradient=True,
                side=True,
                registers=168,
                shared_bytes=49_152,
            ),
        ]
        if index:  # the images themselves need no gradient
            backward.append(
                Kernel(
                    f"{back_scope}/conv/Conv2D/Conv2DBackpropInput",
                    "Conv2DBackpropInput",
                    speed.convolution("dgrad"),
                    "backward",
                    product_ns,
                    registers=168,
                    shared_bytes=49_152,
                )
            )
        return forward, backward

    def _head(self, speed: Speed) -> tuple[list[Kernel], list[Kernel]]:
        width = self.channels << 3
        product_ns = speed.product_ns(2.0 * self.batch * width * self.classes)
        logits = self.batch * self.classes * FLOAT_BYTES
        size = self.image >> 5
        pooled = self.batch * size * size * width * speed.element_bytes
        forward = [
            Kernel(
                "functional_1/global_average_pooling2d/Mean",
                "Mean",
                f"void tensorflow::functor::ColumnReduceSimpleKernel<{speed.c_type} const*, {speed.c_type}*, "
                f"tensorflow::functor::Sum<{speed.c_type}> >",
                "forward",
                speed.stream_ns(pooled),
            ),
            Kernel(
                "functional_1/dense/MatMul",
                "MatMul",
                speed.matmul("nn"),
                "forward",
                product_ns,
                registers=96,
                shared_bytes=32_768,
            ),
            Kernel(
                "compile_loss/sparse_categorical_crossentropy/SparseSoftmaxCrossEntropyWithLogits",
                "SparseSoftmaxCrossEntropyWithLogits",
                "void tensorflow::functor::RowReduceKernel<float const*, float*, cub::Max>",
                "forward",
                speed.stream_ns(3 * logits),
            ),
        ]
        backward = [
            Kernel(
                "gradient_tape/functional_1/dense/MatMul/MatMul_1",
                "MatMul",
                speed.matmul("tn"),
                "backward",
                product_ns,
                gradient=True,
                registers=96,
                shared_bytes=32_768,
            ),
            Kernel(
                "gradient_tape/functional_1/dense/MatMul/MatMul",
                "MatMul",
                speed.matmul("nt"),
                "backward",
                product_ns,
                registers=96,
                shared_bytes=32_768,
            ),
            Kernel(
                "gradient_tape/functional_1/global_average_pooling2d/truediv",
                "RealDiv",
                speed.elementwise("RealDiv"),
                "backward",
                speed.stream_ns(pooled),
            ),
        ]
        return forward, backward


@dataclass(frozen=True)
class Transformer:
    """An encoder on token sequences."""

    batch: int = 64
    length: int = 512
    hidden: int = 1024
    layers: int = 3
    vocabulary: int = 32_000
    table_parameters: int = 0

    @property
    def parameters(self) -> int:
        return self.layers * 12 * self.hidden * self.hidden

    @property
    def batch_bytes(self) -> int:
        return self.batch * self.length * 3 * 4

    @property
    def persistent_bytes(self) -> int:
        return (
            self.parameters + self.vocabulary * self.hidden + self.table_parameters
        ) * ADAM_BYTES_PER_PARAMETER

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]:
        speed = Speed(device, precision, aligned=self.hidden % 8 == 0)
        forward: list[Kernel] = []
        backward: list[Kernel] = []
        optimizer: list[Kernel] = []
        for layer in range(self.layers):
            ahead, back = self._layer(speed, layer)
            forward += ahead
            backward = back + backward
            optimizer += [
                _optimizer(speed, 4 * layer + part, width * self.hidden * self.hidden)
                for part, width in enumerate((3, 1, 4, 4))
            ]
        loss = Kernel(
            "compile_loss/sparse_categorical_crossentropy/SparseSoftmaxCrossEntropyWithLogits",
            "SparseSoftmaxCrossEntropyWithLogits",
            "void tensorflow::functor::RowReduceKernel<float const*, float*, cub::Max>",
            "forward",
            speed.stream_ns(self.batch * self.hidden * FLOAT_BYTES),
        )
        return (*forward, loss, *backward, *optimizer)

    def _layer(self, speed: Speed, layer: int) -> tuple[list[Kernel], list[Kernel]]:
        tokens = self.batch * self.length
        tensor = tokens * self.hidden * speed.element_bytes
        scores = self.batch * (self.hidden // 64) * self.length * self.length * speed.element_bytes
        scope = f"functional_1/encoder_{layer}"
        forward: list[Kernel] = []
        backward: list[Kernel] = []

        def product(op: str, type_: str, width: float, keeps: int, weights: bool) -> None:
            """``width``: how many hidden x hidden blocks one token is multiplied with."""
            duration = speed.product_ns(2.0 * tokens * self.hidden * self.hidden * width)
            dtype = speed.type_name.lower()
            out = round(width * self.hidden)
            shapes = {
                "nn": f"({dtype}[{tokens},{self.hidden}];{dtype}[{self.hidden},{out}])",
                "nt": f"({dtype}[{tokens},{out}];{dtype}[{self.hidden},{out}])",
                "tn": f"({dtype}[{tokens},{self.hidden}];{dtype}[{tokens},{out}])",
            }
            if weights:
                forward.extend(
                    _cast_weights(speed, f"{scope}/{op}", round(width * self.hidden * self.hidden))
                )
            forward.append(
                Kernel(
                    f"{scope}/{op}/{type_}",
                    type_,
                    speed.matmul("nn"),
                    "forward",
                    duration,
                    keeps,
                    registers=122,
                    shared_bytes=49_152,
                    shape=shapes["nn"] if weights else "",
                )
            )
            for layout, tail in (("nt", type_), ("tn", f"{type_}_1")):
                backward.insert(
                    0,
                    Kernel(
                        f"gradient_tape/{scope}/{op}/{type_}/{tail}",
                        type_,
                        speed.matmul(layout),
                        "backward",
                        duration,
                        0,
                        keeps if tail == type_ else 0,
                        weights and layout == "tn",
                        weights and layout == "tn",
                        122,
                        49_152,
                        shapes[layout] if weights else "",
                    ),
                )

        def elementwise(op: str, type_: str, moved: int, keeps: int) -> None:
            name = speed.elementwise(type_)
            forward.append(
                Kernel(f"{scope}/{op}/{type_}", type_, name, "forward", speed.stream_ns(moved), keeps)
            )
            backward.insert(
                0,
                Kernel(
                    f"gradient_tape/{scope}/{op}/{type_}Grad",
                    "Mul",
                    speed.elementwise("Mul"),
                    "backward",
                    speed.stream_ns(1.5 * moved),
                    0,
                    keeps,
                ),
            )

        attention = self.length / self.hidden
        product("query_key_value", "MatMul", 3, 3 * tensor, True)
        product("scores", "BatchMatMulV2", attention, scores, False)
        elementwise("softmax", "Softmax", 2 * scores, scores)
        product("context", "BatchMatMulV2", attention, tensor, False)
        product("attention_output", "MatMul", 1, tensor, True)
        elementwise("residual", "AddV2", 3 * tensor, 0)
        elementwise("layer_normalization", "Mul", 4 * tensor, tensor)
        product("intermediate", "MatMul", 4, 4 * tensor, True)
        elementwise("activation", "Tanh", 8 * tensor, 4 * tensor)
        product("output", "MatMul", 4, tensor, True)
        elementwise("output_residual", "AddV2", 3 * tensor, 0)
        return forward, backward


@dataclass(frozen=True)
class UnrolledRnn:
    """A recurrent cell written op by op: hundreds of kernels that each do almost nothing."""

    batch: int = 32
    units: int = 256
    time_steps: int = 14
    table_parameters: int = 0

    @property
    def parameters(self) -> int:
        return 8 * self.units * self.units

    @property
    def batch_bytes(self) -> int:
        return self.batch * self.time_steps * self.units * FLOAT_BYTES

    @property
    def persistent_bytes(self) -> int:
        return (self.parameters + self.table_parameters) * ADAM_BYTES_PER_PARAMETER

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]:
        speed = Speed(device, precision)
        small = speed.stream_ns(self.batch * self.units * 3 * speed.element_bytes)
        product = speed.product_ns(2.0 * self.batch * self.units * 4 * self.units)
        product = max(product, speed.stream_ns(4 * self.units * self.units * speed.element_bytes))
        forward: list[Kernel] = []
        backward: list[Kernel] = []
        for step in range(self.time_steps):
            scope = f"functional_1/lstm_cell_{step}"
            forward.append(Kernel(f"{scope}/MatMul", "MatMul", speed.matmul("nn"), "forward", product))
            back = [
                Kernel(
                    f"gradient_tape/{scope}/MatMul/MatMul", "MatMul", speed.matmul("nt"), "backward", product
                )
            ]
            for name in ("Sigmoid", "Sigmoid_1", "Sigmoid_2", "Tanh", "Mul", "Mul_1", "AddV2"):
                kind = name.split("_")[0]
                forward.append(Kernel(f"{scope}/{name}", kind, speed.elementwise(kind), "forward", small))
                grad = kind if kind in ("Mul", "AddV2") else f"{kind}Grad"
                back.append(
                    Kernel(
                        f"gradient_tape/{scope}/{name}/{grad}",
                        grad,
                        speed.elementwise(grad),
                        "backward",
                        small,
                    )
                )
            backward = back[::-1] + backward
        optimizer = [_optimizer(speed, index, self.parameters // 2) for index in range(2)]
        return (*forward, *backward, *optimizer)
