"""What is different about one GPU or one host: the same training with more or less to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from demo.simulator.models import SHORTEST_KERNEL_NS, Kernel
from demo.simulator.training import Generation, Training
from demo.simulator.work import Work

_ALL = (
    "void tensorflow::functor::BlockReduceKernel<bool*, bool*, 256, tensorflow::functor::And>"
    "(bool*, bool*, int, tensorflow::functor::And, bool)"
)


def with_extra_work(kernels: tuple[Kernel, ...], share: float) -> tuple[Kernel, ...]:
    """``kernels`` and more of the forward pass until forward and backward are longer by ``share``."""
    body = [kernel for kernel in kernels if kernel.phase != "optimizer"]
    missing_ns = round(share * sum(kernel.duration_ns for kernel in body))
    forward = [kernel for kernel in kernels if kernel.phase == "forward"]
    extra: list[Kernel] = []
    for kernel in forward:
        if missing_ns <= 0:
            break
        extra.append(replace(kernel, op=f"evaluation/{kernel.op}", keeps_bytes=0))
        missing_ns -= kernel.duration_ns
    first = next(at for at, kernel in enumerate(kernels) if kernel.phase != "forward")
    return (*kernels[:first], *extra, *kernels[first:])


def with_batch(kernels: tuple[Kernel, ...], size: float) -> tuple[Kernel, ...]:
    """``kernels`` for a batch of ``size`` times the usual work, which the optimizer does not notice."""
    return tuple(
        kernel
        if kernel.phase == "optimizer"
        else replace(kernel, duration_ns=round(size * kernel.duration_ns), work=kernel.work.scaled(size))
        for kernel in kernels
    )


def one_part(kernels: Iterable[Kernel], count: int) -> list[Kernel]:
    """Kernels of both passes for one of ``count`` parts of their batch."""
    return [
        replace(
            kernel,
            duration_ns=max(SHORTEST_KERNEL_NS, kernel.duration_ns // count),
            keeps_bytes=kernel.keeps_bytes // count,
            frees_bytes=kernel.frees_bytes // count,
            work=kernel.work.scaled(1 / count),
        )
        for kernel in kernels
    ]


def accumulating(kernels: tuple[Kernel, ...], count: int, each: bool) -> tuple[Kernel, ...]:
    """``kernels`` of a step that adds up the gradients of ``count`` parts of its batch; they are exchanged
    after ``each`` of them, or after the last."""
    if count == 1:
        return kernels
    part = one_part((kernel for kernel in kernels if kernel.phase != "optimizer"), count)
    first = part if each else [replace(kernel, gradient=False) for kernel in part]
    return (*first * (count - 1), *part, *(kernel for kernel in kernels if kernel.phase == "optimizer"))


def with_longer(kernels: tuple[Kernel, ...], type_: str, more_ns: int) -> tuple[Kernel, ...]:
    """``kernels`` with ops of a type that do the same work in more time."""
    return tuple(
        replace(kernel, duration_ns=kernel.duration_ns + more_ns) if kernel.type == type_ else kernel
        for kernel in kernels
    )


def with_pace(kernels: tuple[Kernel, ...], factor: float) -> tuple[Kernel, ...]:
    """``kernels`` on a GPU that needs ``factor`` times as long."""
    return tuple(replace(kernel, duration_ns=round(factor * kernel.duration_ns)) for kernel in kernels)


def with_slow_cpu(training: Training, factor: float) -> Training:
    """``training`` on a host whose CPU needs ``factor`` times as long to launch and to prepare input."""
    launching, pipeline = training.launching, training.input
    return replace(
        training,
        launching=replace(
            launching,
            schedule_ns=round(factor * launching.schedule_ns),
            call_ns=round(factor * launching.call_ns),
        ),
        input=replace(
            pipeline, read_ns=round(factor * pipeline.read_ns), map_ns=round(factor * pipeline.map_ns)
        ),
    )


def with_shared_optimizer(kernels: tuple[Kernel, ...], gpus: int) -> tuple[Kernel, ...]:
    """``kernels`` where each GPU updates only its share of the weights."""
    return tuple(
        replace(
            kernel,
            duration_ns=max(kernel.duration_ns // gpus, SHORTEST_KERNEL_NS),
            work=kernel.work.scaled(1 / gpus),
        )
        if kernel.phase == "optimizer"
        else kernel
        for kernel in kernels
    )


def compiled(kernels: tuple[Kernel, ...]) -> tuple[Kernel, ...]:
    """``kernels`` under XLA's names for them: products call a library, all else is fused."""
    return tuple(
        replace(
            kernel,
            op=f"custom-call.{number}"
            if any(part in kernel.type for part in ("MatMul", "Conv2D"))
            else f"loop_{kernel.type.lower()}_fusion.{number}",
            work=kernel.work.without_padding(),
        )
        for number, kernel in enumerate(kernels)
    )


_PRIMITIVES = {
    "MatMul": "dot_general",
    "BatchMatMulV2": "dot_general",
    "Conv2D": "conv_general_dilated",
    "Softmax": "exp",
    "AddV2": "add",
}


def in_jax(kernels: tuple[Kernel, ...]) -> tuple[Kernel, ...]:
    """``kernels`` with the scopes of JAX's primitives, for ``compiled``; what is fused has XLA's name."""
    return tuple(
        replace(
            kernel,
            op_name=kernel.op_name or jax_scope(kernel),
            name=kernel.name if kernel.work.product else f"loop_{kernel.type.lower()}_fusion",
        )
        for kernel in kernels
    )


def jax_scope(kernel: Kernel, again: bool = False) -> str:
    """Where JAX says that a kernel comes from. ``again``: it repeats a part of the forward pass, as
    ``jax.checkpoint`` does for the backward pass."""
    layers = kernel.op.removeprefix("gradient_tape/").removeprefix("functional_1/").split("/")[:-1]
    scope = {"forward": "jvp(Model)/", "backward": "transpose(jvp(Model))/", "optimizer": ""}[kernel.phase]
    if again:
        layers.insert(1, "checkpoint/rematted_computation")
    primitive = _PRIMITIVES.get(kernel.type, kernel.type.lower())
    return f"jit(train_step)/jit(main)/{scope}{'/'.join(layers[:3])}/{primitive}"


def with_loss_scaling(kernels: tuple[Kernel, ...], generation: Generation) -> tuple[Kernel, ...]:
    """``kernels`` with dynamic loss scaling around the optimizer, under the names that Keras gives its ops.

    Each gradient is checked, the answers are joined into one, and the optimizer's ops lie in a branch of a
    ``cond``. A check reads a gradient once, a third as much as Adam reads and writes more.
    """
    optimizer = [kernel for kernel in kernels if kernel.phase == "optimizer"]
    rest = [kernel for kernel in kernels if kernel.phase != "optimizer"]
    old = generation == "old"
    branch = "cond_1/then/_10/cond_1/Adam" if old else "cond/then/_22/cond"
    checks: list[Kernel] = []
    for number, kernel in enumerate(optimizer):
        check_ns = max(SHORTEST_KERNEL_NS, kernel.duration_ns // 7)
        tail = f"_{number}" if number else ""
        checks += [
            Kernel(
                f"IsFinite{tail}",
                "IsFinite",
                "IsFinite_GPU_DT_FLOAT_DT_BOOL_kernel",
                "backward",
                check_ns,
                work=Work(kernel.work.bytes // 7),
            ),
            Kernel(f"All{tail}", "All", _ALL, "backward", SHORTEST_KERNEL_NS),
        ]
    checks.append(Kernel(f"All_{len(optimizer)}", "All", _ALL, "backward", SHORTEST_KERNEL_NS))
    return (*rest, *checks, *(replace(kernel, op=f"{branch}/{kernel.op}") for kernel in optimizer))
