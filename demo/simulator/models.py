"""Models as lists of GPU kernels: what a training step computes, from FLOPs and bytes to durations.

A kernel lasts as long as its FLOPs need at the peak of its precision or its bytes at the memory
bandwidth, whichever is longer, times a usual efficiency. Names are those that cuBLAS, cuDNN, Eigen
and TensorFlow give their kernels on the device in question.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from demo.simulator.devices import Device, Precision
from demo.simulator.work import NOTHING, Product, Work

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
    writes it that records them. ``work``: what it computes and moves; ``duration_ns`` is never below its
    floor. ``op_name``: which op of the user's program it comes from, where XLA's program says so.
    ``pages_ns``: the part of ``duration_ns`` in which it waits for pages of managed memory.
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
    work: Work = NOTHING
    op_name: str = ""
    pages_ns: int = 0


class Model(Protocol):
    """Anything that can list its kernels, and by which what is computed of it can be kept."""

    def __hash__(self) -> int: ...

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

    def kernel(
        self,
        op: str,
        type_: str,
        name: str,
        phase: Phase,
        work: Work,
        keeps_bytes: int = 0,
        frees_bytes: int = 0,
        **others: Any,
    ) -> Kernel:
        """A kernel that takes as long as its work does."""
        flops, moved = work.flops, work.bytes
        duration_ns = self.product_ns(flops, moved) if work.product else self.stream_ns(moved)
        return Kernel(op, type_, name, phase, duration_ns, keeps_bytes, frees_bytes, work=work, **others)

    def product(self, product: Product) -> Work:
        return Work.of(product, self.precision)

    def moves(self, moved_bytes: float, *output: int) -> Work:
        """Passing over arrays; ``output``: dimensions of the result."""
        return Work(round(moved_bytes), 0, self.precision, output)

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
    return (speed.kernel(f"{scope}/Cast", "Cast", name, "forward", speed.moves(moved)),)


def _optimizer(speed: Speed, index: int, parameters: int) -> Kernel:
    """Adam reads gradient, weight and two slots and writes three of them."""
    return speed.kernel(
        f"adam/update_{index}/ResourceApplyAdam",
        "ResourceApplyAdam",
        "void tensorflow::functor::ApplyAdamKernel<float>(int, float*, float*, float*, float const*, "
        "float const*, float const*, float const*, float const*, float const*, float const*, bool)",
        "optimizer",
        speed.moves(parameters * 7 * FLOAT_BYTES),
    )


def _dims(dims: tuple[int, ...]) -> str:
    return ",".join(map(str, dims))


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
        product = Product("forward", (self.batch, size, size), channels, channels, (3, 3))
        of_input, of_weights = product.backward()
        tensor = math.prod(product.y) * speed.element_bytes
        scope = f"functional_1/block_{index}"
        half = speed.cudnn_type
        back_scope = f"gradient_tape/{scope}"
        relu_grad = (
            "void tensorflow::ReluGradHalfKernelVector(Eigen::half const*, Eigen::half const*, "
            "Eigen::half*, int)"
            if speed.precision == "fp16"
            else speed.elementwise("ReluGrad")
        )
        forward = [
            *_cast_weights(speed, f"{scope}/conv", 9 * channels * channels),
            speed.kernel(
                f"{scope}/conv/Conv2D",
                "Conv2D",
                speed.convolution("fprop"),
                "forward",
                speed.product(product),
                tensor,
                registers=128,
                shared_bytes=49_152,
            ),
            speed.kernel(
                f"{scope}/batch_normalization/FusedBatchNormV3",
                "FusedBatchNormV3",
                f"void cudnn::bn_fw_tr_1C11_kernel_NCHW<{half}, float, 512, true, 1>(cudnnTensorStruct)",
                "forward",
                speed.moves(3 * tensor, *product.y),
                tensor,
                registers=40,
            ),
            speed.kernel(
                f"{scope}/add", "AddV2", speed.elementwise("AddV2"), "forward", speed.moves(3 * tensor)
            ),
            speed.kernel(
                f"{scope}/re_lu/Relu",
                "Relu",
                speed.elementwise("Relu"),
                "forward",
                speed.moves(2 * tensor, *product.y),
                tensor,
            ),
        ]
        backward = [
            speed.kernel(
                f"{back_scope}/re_lu/ReluGrad",
                "ReluGrad",
                relu_grad,
                "backward",
                speed.moves(3 * tensor),
                0,
                tensor,
            ),
            speed.kernel(
                f"{back_scope}/batch_normalization/FusedBatchNormGradV3",
                "FusedBatchNormGradV3",
                f"void cudnn::bn_bw_1C11_kernel_new<{half}, float, float2, 512, true, 1>(float, float)",
                "backward",
                speed.moves(5 * tensor),
                0,
                tensor,
                registers=64,
            ),
            speed.kernel(
                f"{back_scope}/conv/Conv2D/Conv2DBackpropFilter",
                "Conv2DBackpropFilter",
                speed.convolution("wgrad"),
                "backward",
                speed.product(of_weights),
                frees_bytes=tensor,
                gradient=True,
                side=True,
                registers=168,
                shared_bytes=49_152,
            ),
        ]
        if index:  # the images themselves need no gradient
            backward.append(
                speed.kernel(
                    f"{back_scope}/conv/Conv2D/Conv2DBackpropInput",
                    "Conv2DBackpropInput",
                    speed.convolution("dgrad"),
                    "backward",
                    speed.product(of_input),
                    registers=168,
                    shared_bytes=49_152,
                )
            )
        return forward, backward

    def _head(self, speed: Speed) -> tuple[list[Kernel], list[Kernel]]:
        width = self.channels << 3
        product = Product("forward", (self.batch,), width, self.classes)
        of_input, of_weights = product.backward()
        logits = self.batch * self.classes * FLOAT_BYTES
        size = self.image >> 5
        pooled = self.batch * size * size * width * speed.element_bytes
        forward = [
            speed.kernel(
                "functional_1/global_average_pooling2d/Mean",
                "Mean",
                f"void tensorflow::functor::ColumnReduceSimpleKernel<{speed.c_type} const*, {speed.c_type}*, "
                f"tensorflow::functor::Sum<{speed.c_type}> >",
                "forward",
                speed.moves(pooled),
            ),
            speed.kernel(
                "functional_1/dense/MatMul",
                "MatMul",
                speed.matmul("nn"),
                "forward",
                speed.product(product),
                registers=96,
                shared_bytes=32_768,
            ),
            speed.kernel(
                "compile_loss/sparse_categorical_crossentropy/SparseSoftmaxCrossEntropyWithLogits",
                "SparseSoftmaxCrossEntropyWithLogits",
                "void tensorflow::functor::RowReduceKernel<float const*, float*, cub::Max>",
                "forward",
                speed.moves(3 * logits),
            ),
        ]
        backward = [
            speed.kernel(
                "gradient_tape/functional_1/dense/MatMul/MatMul_1",
                "MatMul",
                speed.matmul("tn"),
                "backward",
                speed.product(of_weights),
                gradient=True,
                registers=96,
                shared_bytes=32_768,
            ),
            speed.kernel(
                "gradient_tape/functional_1/dense/MatMul/MatMul",
                "MatMul",
                speed.matmul("nt"),
                "backward",
                speed.product(of_input),
                registers=96,
                shared_bytes=32_768,
            ),
            speed.kernel(
                "gradient_tape/functional_1/global_average_pooling2d/truediv",
                "RealDiv",
                speed.elementwise("RealDiv"),
                "backward",
                speed.moves(pooled),
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
        loss = speed.kernel(
            "compile_loss/sparse_categorical_crossentropy/SparseSoftmaxCrossEntropyWithLogits",
            "SparseSoftmaxCrossEntropyWithLogits",
            "void tensorflow::functor::RowReduceKernel<float const*, float*, cub::Max>",
            "forward",
            speed.moves(self.batch * self.hidden * FLOAT_BYTES),
        )
        return (*forward, loss, *backward, *optimizer)

    def _layer(self, speed: Speed, layer: int) -> tuple[list[Kernel], list[Kernel]]:
        tokens = self.batch * self.length
        tensor = tokens * self.hidden * speed.element_bytes
        scores = self.batch * (self.hidden // 64) * self.length * self.length * speed.element_bytes
        scope = f"functional_1/encoder_{layer}"
        forward: list[Kernel] = []
        backward: list[Kernel] = []

        def product(op: str, type_: str, ahead: Product, keeps: int) -> None:
            dtype = speed.type_name.lower()
            weights = not ahead.batch

            def shape(kind: Product) -> str:
                return f"({';'.join(f'{dtype}[{_dims(dims)}]' for dims in kind.operands)})" if weights else ""

            if weights:
                forward.extend(_cast_weights(speed, f"{scope}/{op}", math.prod(ahead.w)))
            forward.append(
                speed.kernel(
                    f"{scope}/{op}/{type_}",
                    type_,
                    speed.matmul("nn"),
                    "forward",
                    speed.product(ahead),
                    keeps,
                    registers=122,
                    shared_bytes=49_152,
                    shape=shape(ahead),
                )
            )
            of_input, of_weights = ahead.backward()
            for layout, tail, back in (("nt", type_, of_input), ("tn", f"{type_}_1", of_weights)):
                backward.insert(
                    0,
                    speed.kernel(
                        f"gradient_tape/{scope}/{op}/{type_}/{tail}",
                        type_,
                        speed.matmul(layout),
                        "backward",
                        speed.product(back),
                        frees_bytes=keeps if back is of_input else 0,
                        gradient=weights and back is of_weights,
                        side=weights and back is of_weights,
                        registers=122,
                        shared_bytes=49_152,
                        shape=shape(back),
                    ),
                )

        def elementwise(op: str, type_: str, moved: int, keeps: int, *output: int) -> None:
            name = speed.elementwise(type_)
            forward.append(
                speed.kernel(
                    f"{scope}/{op}/{type_}", type_, name, "forward", speed.moves(moved, *output), keeps
                )
            )
            backward.insert(
                0,
                speed.kernel(
                    f"gradient_tape/{scope}/{op}/{type_}Grad",
                    "Mul",
                    speed.elementwise("Mul"),
                    "backward",
                    speed.moves(1.5 * moved),
                    0,
                    keeps,
                ),
            )

        hidden, heads = self.hidden, self.hidden // 64
        rows, each = (tokens,), (self.batch, heads)
        attention = Product("forward", (self.length,), hidden // heads, self.length, batch=each)
        context = Product("forward", (self.length,), self.length, hidden // heads, batch=each)
        product("query_key_value", "MatMul", Product("forward", rows, hidden, 3 * hidden), 3 * tensor)
        product("scores", "BatchMatMulV2", attention, scores)
        elementwise("softmax", "Softmax", 2 * scores, scores, *attention.y)
        product("context", "BatchMatMulV2", context, tensor)
        product("attention_output", "MatMul", Product("forward", rows, hidden, hidden), tensor)
        elementwise("residual", "AddV2", 3 * tensor, 0)
        elementwise("layer_normalization", "Mul", 4 * tensor, tensor, tokens, hidden)
        product("intermediate", "MatMul", Product("forward", rows, hidden, 4 * hidden), 4 * tensor)
        elementwise("activation", "Tanh", 8 * tensor, 4 * tensor, tokens, 4 * hidden)
        product("output", "MatMul", Product("forward", rows, 4 * hidden, hidden), tensor)
        elementwise("output_residual", "AddV2", 3 * tensor, 0)
        return forward, backward


@dataclass(frozen=True)
class Perceptron:
    """Dense layers, one after the other; the library fuses biases and activations into their products."""

    batch: int = 256
    width: int = 960
    layers: int = 40
    table_parameters: int = 0

    @property
    def parameters(self) -> int:
        return self.layers * self.width * self.width

    @property
    def batch_bytes(self) -> int:
        return self.batch * self.width * FLOAT_BYTES

    @property
    def persistent_bytes(self) -> int:
        return (self.parameters + self.table_parameters) * ADAM_BYTES_PER_PARAMETER

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]:
        speed = Speed(device, precision, aligned=self.width % 8 == 0)
        ahead = Product("forward", (self.batch,), self.width, self.width)
        of_input, of_weights = ahead.backward()
        tensor = self.batch * self.width * speed.element_bytes
        needs = {"registers": 122, "shared_bytes": 49_152}
        forward: list[Kernel] = []
        backward: list[Kernel] = []
        for layer in range(self.layers):
            op = f"functional_1/dense_{layer}"
            forward += [
                *_cast_weights(speed, op, self.width * self.width),
                speed.kernel(
                    f"{op}/MatMul",
                    "MatMul",
                    speed.matmul("nn"),
                    "forward",
                    speed.product(ahead),
                    tensor,
                    **needs,
                ),
            ]
            back = f"gradient_tape/{op}/MatMul/MatMul"
            backward[:0] = [
                speed.kernel(
                    f"{back}_1",
                    "MatMul",
                    speed.matmul("tn"),
                    "backward",
                    speed.product(of_weights),
                    gradient=True,
                    side=True,
                    **needs,
                ),
                speed.kernel(
                    back,
                    "MatMul",
                    speed.matmul("nt"),
                    "backward",
                    speed.product(of_input),
                    0,
                    tensor,
                    **needs,
                ),
            ]
        loss = speed.kernel(
            "compile_loss/mean_squared_error/Mean",
            "Mean",
            "void tensorflow::functor::RowReduceKernel<float const*, float*, cub::Sum>",
            "forward",
            speed.moves(tensor),
        )
        optimizer = [_optimizer(speed, layer, self.width * self.width) for layer in range(self.layers)]
        return (*forward, loss, *backward, *optimizer)


@dataclass(frozen=True)
class UnrolledRnn:
    """A recurrent cell written op by op: hundreds of kernels that each do almost nothing.

    ``form``: the iterations are written one after the other, run as a while loop, or are one op of cuDNN,
    which computes the same in one kernel for each pass.
    """

    batch: int = 32
    units: int = 256
    time_steps: int = 14
    form: Literal["unrolled", "loop", "fused"] = "unrolled"
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
        small = speed.moves(self.batch * self.units * 3 * speed.element_bytes)
        ahead = Product("forward", (self.batch,), self.units, 4 * self.units)
        product, of_input = speed.product(ahead), speed.product(ahead.backward()[0])
        forward: list[Kernel] = []
        backward: list[Kernel] = []
        for step in range(self.time_steps):
            scope = f"functional_1/lstm_cell_{step}"
            tape = f"gradient_tape/{scope}"
            if self.form == "loop":
                loop = "functional_1/lstm/while"
                scope = f"{loop}/body/_24/{loop}/lstm_cell"
                tape = f"gradient_tape/{loop}/{loop}_grad/body/_141/gradient_tape/{loop}/lstm_cell"
            forward.append(speed.kernel(f"{scope}/MatMul", "MatMul", speed.matmul("nn"), "forward", product))
            back = [speed.kernel(f"{tape}/MatMul/MatMul", "MatMul", speed.matmul("nt"), "backward", of_input)]
            for name in ("Sigmoid", "Sigmoid_1", "Sigmoid_2", "Tanh", "Mul", "Mul_1", "AddV2"):
                kind = name.split("_")[0]
                forward.append(
                    speed.kernel(f"{scope}/{name}", kind, speed.elementwise(kind), "forward", small)
                )
                grad = kind if kind in ("Mul", "AddV2") else f"{kind}Grad"
                back.append(
                    speed.kernel(
                        f"{tape}/{name}/{grad}",
                        grad,
                        speed.elementwise(grad),
                        "backward",
                        small,
                    )
                )
            backward = back[::-1] + backward
        if self.form == "fused":
            forward, backward = [_fused(speed, forward)], [_fused(speed, backward)]
        optimizer = [_optimizer(speed, index, self.parameters // 2) for index in range(2)]
        return (*forward, *backward, *optimizer)


def _fused(speed: Speed, kernels: list[Kernel]) -> Kernel:
    """cuDNN's one kernel for a pass of a recurrent layer: the products of all iterations, one by one."""
    phase = kernels[0].phase
    products_ns = sum(kernel.duration_ns for kernel in kernels if kernel.type == "MatMul")
    tape, kind = ("gradient_tape/", "CudnnRNNBackprop") if phase == "backward" else ("", "CudnnRNN")
    name = f"void RNN_blockPersist_{'bp' if tape else 'fp'}_LSTM<float, float, float, 4, 128, 16>()"
    return replace(
        kernels[0],
        op=f"{tape}functional_1/lstm/{kind}V3",
        type=f"{kind}V3",
        name=name,
        duration_ns=products_ns,
        work=NOTHING,
    )
