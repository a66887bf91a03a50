"""What is different about one GPU or one host: the same training with more or less to do."""

from __future__ import annotations

from dataclasses import replace

from demo.simulator.models import SHORTEST_KERNEL_NS, Kernel
from demo.simulator.training import Training


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
    return (*forward, *extra, *kernels[len(forward) :])


def with_batch(kernels: tuple[Kernel, ...], size: float) -> tuple[Kernel, ...]:
    """``kernels`` for a batch of ``size`` times the usual work, which the optimizer does not notice."""
    return tuple(
        kernel
        if kernel.phase == "optimizer"
        else replace(kernel, duration_ns=round(size * kernel.duration_ns))
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
        replace(kernel, duration_ns=max(kernel.duration_ns // gpus, SHORTEST_KERNEL_NS))
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
        )
        for number, kernel in enumerate(kernels)
    )
