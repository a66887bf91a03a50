"""Models that are written inefficiently: another model and what its code makes the GPU do besides."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from demo.simulator.changes import jax_scope
from demo.simulator.devices import Device, Precision
from demo.simulator.models import (
    FLOAT_BYTES,
    SHORTEST_KERNEL_NS,
    ConvNet,
    Kernel,
    Model,
    Phase,
    Speed,
    UnrolledRnn,
)
from demo.simulator.work import THREADS, Product, Work

TAPE = "gradient_tape"


@dataclass(frozen=True)
class Variant:
    """``model`` with some of its kernels changed; inputs, weights and memory between steps are the same."""

    model: Model

    @property
    def parameters(self) -> int:
        return self.model.parameters

    @property
    def batch_bytes(self) -> int:
        return self.model.batch_bytes

    @property
    def persistent_bytes(self) -> int:
        return self.model.persistent_bytes

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]:
        speed = Speed(device, precision)
        kernels = self.model.kernels(device, precision)
        # What a layer's forward op produces: its gradients work on tensors of the same size.
        sizes = {k.op: k.keeps_bytes for k in kernels if k.phase == "forward"}
        return tuple(new for kernel in kernels for new in self.change(speed, kernel, sizes))

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        """What stands in the place of one kernel."""
        yield kernel


def _forward_op(kernel: Kernel) -> str:
    """The op whose gradient a kernel computes: "a/Conv2D" of "gradient_tape/a/Conv2D/Conv2DBackpropInput"."""
    return kernel.op.removeprefix(f"{TAPE}/").rpartition("/")[0]


@dataclass(frozen=True)
class WithBias(Variant):
    """Convolutions have a bias, although batch normalization follows them."""

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        if kernel.type == "Conv2DBackpropFilter":
            op = f"{TAPE}/{_forward_op(kernel).rpartition('/')[0]}/BiasAdd/BiasAddGrad"
            name = f"void tensorflow::BiasGradNHWC_SharedAtomics<{speed.c_type}>(int, {speed.c_type} const*)"
            yield speed.kernel(op, "BiasAddGrad", name, "backward", speed.moves(sizes[_forward_op(kernel)]))
        yield kernel
        if kernel.type == "Conv2D":
            op = f"{kernel.op.rpartition('/')[0]}/BiasAdd"
            name = f"void tensorflow::BiasNHWCKernel<{speed.c_type}>(int, {speed.c_type} const*)"
            yield speed.kernel(op, "BiasAdd", name, "forward", speed.moves(2 * kernel.keeps_bytes))


@dataclass(frozen=True)
class ChannelsFirst(Variant):
    """Tensors are NCHW: cuDNN turns them before and after each convolution that wants NHWC."""

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        if not kernel.type.startswith("Conv2D"):
            yield kernel
            return
        forward = kernel.type == "Conv2D"
        tensor = kernel.keeps_bytes if forward else sizes[_forward_op(kernel)]
        turned = speed.moves(2 * tensor)
        turn = replace(
            kernel,
            duration_ns=speed.stream_ns(turned.bytes),
            work=turned,
            keeps_bytes=0,
            frees_bytes=0,
            gradient=False,
            registers=32,
            shared_bytes=8_192,
        )
        arguments = f"<{speed.cudnn_type}, {speed.cudnn_type}, float, false, true, (cudnnKernelDataType_t)0>"
        to_last, to_first = (
            f"void cudnn::ops::{name}Kernel{arguments}(cudnn::ops::{name}Params)"
            for name in ("nchwToNhwc", "nhwcToNchw")
        )
        yield replace(turn, name=to_last)
        if kernel.type == "Conv2DBackpropFilter":  # of the image and of the gradient; the filter is tiny
            yield replace(turn, name=to_last)
        yield kernel
        if kernel.type != "Conv2DBackpropFilter":
            yield replace(turn, name=to_first)


@dataclass(frozen=True)
class WithOutputConvolution(Variant):
    """A convolution with a large filter works on the output at full image size."""

    batch: int = 64
    image: int = 224
    channels: int = 8
    filter: int = 11

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        rows = (self.batch, self.image, self.image)
        product = Product("forward", rows, self.channels, self.channels, (self.filter, self.filter))
        tensor = math.prod(product.y) * speed.element_bytes
        of_input, of_weights = product.backward()
        op = "functional_1/output_filter/Conv2D"
        if kernel.op.startswith("compile_loss/"):
            name = speed.convolution("fprop")
            yield speed.kernel(op, "Conv2D", name, "forward", speed.product(product), tensor, registers=128)
            yield kernel
            back = f"{TAPE}/{op}/Conv2DBackprop"
            for kind, name, gradient in (
                ("Filter", speed.convolution("wgrad"), of_weights),
                ("Input", speed.convolution("dgrad"), of_input),
            ):
                frees = tensor if kind == "Input" else 0
                yield speed.kernel(
                    f"{back}{kind}",
                    f"Conv2DBackprop{kind}",
                    name,
                    "backward",
                    speed.product(gradient),
                    0,
                    frees,
                    registers=168,
                )
            return
        yield kernel


@dataclass(frozen=True)
class WithSmallOps(Variant):
    """The loss is put together in a Python loop: hundreds of ops on tensors of a few kilobytes."""

    count: int = 800

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        yield kernel
        if not kernel.op.startswith("compile_loss/"):
            return
        for number in range(self.count):
            type_ = ("Sub", "Mul", "Maximum", "AddV2")[number % 4]
            name = f"{type_}_GPU_DT_FLOAT_DT_FLOAT_kernel"
            yield Kernel(f"loss/anchor_{number // 4}/{type_}", type_, name, "forward", SHORTEST_KERNEL_NS)


@dataclass(frozen=True)
class WithRecurrentLayer(Variant):
    """An LSTM over ``time_steps`` examples comes before the loss: as a while loop, or ``fused`` by cuDNN."""

    time_steps: int = 30
    fused: bool = False

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        if not kernel.op.startswith("compile_loss/"):
            yield kernel
            return
        layer = UnrolledRnn(time_steps=self.time_steps, form="fused" if self.fused else "loop")
        kernels = layer.kernels(speed.device, speed.precision)
        yield from (new for new in kernels if new.phase == "forward")
        yield kernel
        yield from (new for new in kernels if new.phase == "backward")


@dataclass(frozen=True)
class HandWrittenActivation(Variant):
    """The activation of a transformer is written op by op (GELU by tanh); ``fused``: XLA makes it one kernel.

    One pass is reading or writing the tensor once. Fused, the forward kernel reads x and writes y and the
    tanh that the gradient needs, whose kernel reads both and the gradient and writes one.
    """

    fused: bool = False

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        if "/activation/" not in kernel.op:
            yield kernel
            return
        forward = kernel.phase == "forward"
        scope = kernel.op.rpartition("/")[0]
        tensor = kernel.keeps_bytes or kernel.frees_bytes
        if self.fused:
            name = "loop_multiply_fusion"
            passes = 3 if forward else 4
            work = speed.moves(passes * tensor)
            duration_ns = speed.stream_ns(work.bytes)
            yield replace(kernel, type="_XlaRun", name=name, duration_ns=duration_ns, work=work)
            return
        rows = _GELU if forward else _GELU_GRADIENT
        for number, (type_, passes) in enumerate(rows):
            op = (
                f"{scope}/{type_.lower()}_{number}"
                if forward
                else f"{scope}/{type_.lower()}_{number}/{type_}"
            )
            yield speed.kernel(
                op,
                type_,
                speed.elementwise(type_),
                kernel.phase,
                speed.moves(passes * tensor),
                # Kept until the backward pass: what is needed there.
                tensor if forward and type_ == "Tanh" else 0,
                tensor if not forward and number == len(rows) - 1 else 0,
            )


@dataclass(frozen=True)
class FusedAttention(Variant):
    """One kernel computes the attention of a layer and keeps the scores on the chip; backward it computes
    them once more. ``fused``: if not, attention is left as it is."""

    fused: bool = True

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        if not self.fused or not any(f"/{part}/" in kernel.op for part in ("scores", "softmax", "context")):
            yield kernel
            return
        product = kernel.work.product
        if not product or product.kind == "of weights" or "/context/" not in kernel.op:
            return
        forward = kernel.phase == "forward"
        products, passes = (2, 4) if forward else (5, 8)
        moved = passes * math.prod((*product.batch, *product.rows, min(product.inner, product.outer)))
        work = Work(moved * speed.element_bytes, products * product.flops, speed.precision, product.x)
        major = speed.device.compute_capability[0]
        flash = f"sm{major}0_flash_{'fprop' if forward else 'bprop'}_wmma_f16_knob_7_64x64x64_4x1x1_kernel0_0"
        # cuDNN has none for older GPUs, CUTLASS has.
        older = f"fmha_cutlass{'F' if forward else 'B'}_f16_aligned_64x64_rf_sm{major}0"
        yield replace(
            kernel,
            type="_XlaRun",
            name=f"cudnn_generated_fort_native_sdpa_{flash}" if major >= 8 else older,
            duration_ns=speed.product_ns(work.flops, work.bytes),
            work=work,
        )


# 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3))): ops and how often each passes over a tensor.
_GELU = (("Pow", 2), ("Mul", 2), ("AddV2", 3), ("Mul", 2), ("Tanh", 2), ("AddV2", 2), ("Mul", 2), ("Mul", 3))
_GELU_GRADIENT = (
    ("Mul", 3), ("Mul", 3), ("Mul", 2), ("TanhGrad", 3), ("Mul", 2), ("Mul", 2), ("Pow", 2), ("Mul", 2),
    ("Mul", 3), ("AddN", 3), ("AddN", 3),
)  # fmt: skip


@dataclass(frozen=True)
class SmallGrids(Variant):
    """Multiprocessors without a block wait for the others: products with fewer blocks, or with a few more
    than run at once, take as much longer."""

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        blocks, device = math.prod(kernel.work.grid(kernel.name, speed.device)), speed.device
        if kernel.work.product and not kernel.name.startswith("nvjet"):
            resident = (
                device.occupancy(THREADS, kernel.registers, kernel.shared_bytes) * device.threads / THREADS
            )
            waves = blocks / device.multiprocessors / resident
            longer = math.ceil(waves) / waves if waves > 1 else max(1, device.multiprocessors / blocks)
            needed_ns = speed.product_ns(kernel.work.flops * longer)
            kernel = replace(kernel, duration_ns=max(kernel.duration_ns, needed_ns))
        yield kernel


@dataclass(frozen=True)
class NarrowProducts(Variant):
    """Products of layers with few channels take as long as their tile would on the ordinary units, whatever
    the number format: a block loads and adds up its whole tile, and wider units wait for these loads.
    ``columns``: libraries have tiles of no more for them."""

    channels: int = 32
    columns: int = 64

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        product = kernel.work.product
        if product and min(product.inner, product.outer) < self.channels:
            height, width = kernel.work.tile(kernel.name)
            width = min(width, self.columns)
            rows, columns, inner = product.matrix
            padded = 2 * -(-rows // height) * height * -(-columns // width) * width * inner
            needed_ns = Speed(speed.device, "fp32").product_ns(padded * math.prod(product.batch))
            kernel = replace(kernel, duration_ns=max(kernel.duration_ns, needed_ns))
        yield kernel


@dataclass(frozen=True)
class SlowProducts(Variant):
    """Products of ``from_flops`` on reach no more than a share of the peak; ``only``: these ops."""

    efficiency: float = 0.2
    from_flops: float = 1e9
    only: frozenset[str] | None = None

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        work = kernel.work
        meant = self.only is None or kernel.op in self.only
        if work.product and work.flops >= self.from_flops and meant:
            needed_ns = round(work.flops / (speed.device.peak_flops(work.format) * self.efficiency) * 1e9)
            kernel = replace(kernel, duration_ns=max(kernel.duration_ns, needed_ns))
        yield kernel


@dataclass(frozen=True)
class PartlyFloat32(Variant):
    """The layers whose names begin with one of ``scopes`` compute in float32."""

    scopes: tuple[str, ...] = ()

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]:
        whole = {kernel.op: kernel for kernel in self.model.kernels(device, "fp32")}
        return tuple(
            whole[kernel.op] if self._is_whole(kernel) else kernel
            for kernel in self.model.kernels(device, precision)
            if not self._is_whole(kernel) or kernel.op in whole  # nothing to cast
        )

    def _is_whole(self, kernel: Kernel) -> bool:
        return kernel.op.removeprefix(f"{TAPE}/").startswith(self.scopes)


@dataclass(frozen=True)
class ManyVariables(Variant):
    """Each layer's weights are so many variables, and each is updated by a kernel of its own."""

    each: int = 20

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        if kernel.phase != "optimizer":
            yield kernel
            return
        scope, _, type_ = kernel.op.rpartition("/")
        work = speed.moves(kernel.work.bytes // self.each)
        for number in range(self.each):
            op = f"{scope}_{number}/{type_}"
            yield speed.kernel(op, type_, kernel.name, "optimizer", work)


@dataclass(frozen=True)
class WithEmbedding(Variant):
    """Rows of a table in float32 are looked up, and their gradients are summed by row: so slowly that they
    reach ``efficiency`` of the memory's bandwidth, as many short rows without order do. The table may be
    frozen instead of ``trained``: then nothing is summed. ``exchanged``: GPUs add up its gradients, too."""

    lookups: int = 262_144
    width: int = 64
    efficiency: float = 0.1
    trained: bool = True
    exchanged: bool = False

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]:
        rows = self.model.kernels(device, precision)
        values, ids = self.lookups * self.width * FLOAT_BYTES, self.lookups * 4
        op = "functional_1/embedding/embedding_lookup"
        gather = "void tensorflow::GatherOpKernel<float, int, true>(float const*, int const*, float*, long)"
        segment = (
            "void tensorflow::UnsortedSegmentCustomKernel<int, float, "
            "tensorflow::functor::NonAtomicSumOpGpu<float> >(int, int, int, int const*, float const*, float*)"
        )
        output = (self.lookups, self.width)
        forward = self._slow(device, op, "GatherV2", gather, "forward", 2 * values + ids, output)
        sums = f"{TAPE}/{op}/UnsortedSegmentSum"
        moved = 3 * values + ids  # reads what it adds and what it adds to
        backward = self._slow(device, sums, "UnsortedSegmentSum", segment, "backward", moved, output)
        if not self.trained:
            return forward, *rows
        first = next(number for number, kernel in enumerate(rows) if kernel.phase == "optimizer")
        return (forward, *rows[:first], replace(backward, gradient=self.exchanged), *rows[first:])

    def _slow(
        self,
        device: Device,
        op: str,
        type_: str,
        name: str,
        phase: Phase,
        moved_bytes: int,
        output: tuple[int, ...],
    ) -> Kernel:
        duration_ns = round(moved_bytes / (device.memory_bandwidth * self.efficiency) * 1e9)
        return Kernel(op, type_, name, phase, duration_ns, work=Work(moved_bytes, 0, "fp32", output))


@dataclass(frozen=True)
class InManagedMemory(Variant):
    """Weights lie in managed memory and leave the GPU between steps: kernels of the forward pass wait
    ``pages_ns`` for their pages."""

    pages_ns: int = 0

    def change(self, speed: Speed, kernel: Kernel, sizes: dict[str, int]) -> Iterator[Kernel]:
        if kernel.phase == "forward":
            pages_ns = self.pages_ns * kernel.keeps_bytes // sum(sizes.values())
            kernel = replace(kernel, duration_ns=kernel.duration_ns + pages_ns, pages_ns=pages_ns)
        yield kernel


@dataclass(frozen=True)
class Rematerialized(Variant):
    """Layers of a transformer keep only their result and compute the rest again for the backward pass, as
    with ``jax.checkpoint`` around each layer."""

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]:
        rows = self.model.kernels(device, precision)
        layers: dict[str, list[Kernel]] = {}
        for kernel in rows:
            if kernel.phase == "forward" and kernel.op.startswith("functional_1/"):
                layers.setdefault(_layer(kernel), []).append(kernel)
        last = {layer: [k for k in found if k.keeps_bytes][-1] for layer, found in layers.items()}
        changed: list[Kernel] = []
        for kernel in rows:
            if kernel.phase == "backward" and layers.get(_layer(kernel)):
                for again in layers.pop(_layer(kernel)):
                    keeps = 0 if again is last[_layer(again)] else again.keeps_bytes
                    scope = jax_scope(replace(again, phase="backward"), again=True)
                    changed.append(replace(again, phase="backward", keeps_bytes=keeps, op_name=scope))
            kept = kernel.phase != "forward" or kernel is last.get(_layer(kernel))
            changed.append(kernel if kept else replace(kernel, keeps_bytes=0))
        return tuple(changed)


def _layer(kernel: Kernel) -> str:
    return kernel.op.removeprefix(f"{TAPE}/").split("/")[1]


@dataclass(frozen=True)
class WithSlicedImages(Variant):
    """A layer before the first one keeps one of three channels of the images, copied in float32."""

    model: ConvNet

    def kernels(self, device: Device, precision: Precision) -> tuple[Kernel, ...]:
        rows, images = self.model.kernels(device, precision), self.model
        kept = (images.batch, images.image, images.image, 1)
        moved = images.batch_bytes + math.prod(kept) * FLOAT_BYTES
        return (
            Kernel(
                "functional_1/lambda/strided_slice",
                "StridedSlice",
                "void Eigen::internal::EigenMetaKernel<Eigen::TensorStridingSlicingOp<float>>",
                "forward",
                round(moved / device.memory_bandwidth * 1e9 / 0.8),
                work=Work(moved, 0, "fp32", kept),
            ),
            *rows,
        )
