"""Tensors that go from one GPU of a host to another in each step, and models cut into stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from demo.simulator.changes import one_part
from demo.simulator.models import Kernel
from demo.simulator.training import Training


@dataclass(frozen=True)
class Transfer:
    """Copied before kernel ``send_at`` of GPU ``source``, needed before ``receive_at`` of GPU ``target``."""

    op: str
    size_bytes: int
    source: int
    target: int
    send_at: int
    receive_at: int


def transfers(training: Training, kernels: Mapping[int, tuple[Kernel, ...]]) -> tuple[Transfer, ...]:
    """All copies between GPUs of one host in one step."""
    found: list[Transfer] = []
    for copy in training.peer_copies:
        at = {
            index: 1 + int(copy.position * (_count(rows, "forward") - 1)) for index, rows in kernels.items()
        }
        # Each to its next neighbour first, so that no GPU receives from two at once.
        for source in kernels if copy.source is None else (copy.source,):
            for distance in range(1, training.gpus):
                target = (source + distance) % training.gpus
                found.append(Transfer(copy.op, copy.size_bytes, source, target, at[source], at[target]))
    if training.pipeline_stages:
        for before, after in zip(kernels, list(kernels)[1:], strict=False):
            size = _output_bytes(kernels[before])
            for number in range(training.micro_batches):
                op = f"stage_{after}/input{f'_{number}' if number else ''}:Identity"
                send_at, receive_at = (
                    _begin(kernels[stage], "forward", number + sent, training.micro_batches)
                    for stage, sent in ((before, 1), (after, 0))
                )
                found.append(Transfer(op, size, before, after, send_at, receive_at))
                send_at, receive_at = (
                    _begin(kernels[stage], "backward", number + sent, training.micro_batches)
                    for stage, sent in ((after, 1), (before, 0))
                )
                found.append(Transfer(f"gradient_tape/{op}", size, after, before, send_at, receive_at))
    return tuple(found)


def _output_bytes(kernels: tuple[Kernel, ...]) -> int:
    """What a stage's last layer makes of a micro-batch."""
    return next(k.keeps_bytes for k in reversed(kernels) if k.phase == "forward" and k.keeps_bytes)


def _count(kernels: tuple[Kernel, ...], phase: str) -> int:
    return sum(kernel.phase == phase for kernel in kernels)


def _begin(kernels: tuple[Kernel, ...], phase: str, number: int, micro_batches: int) -> int:
    """The position of the first kernel of a micro-batch in a phase."""
    before = _count(kernels, "forward") if phase == "backward" else 0
    return before + number * (_count(kernels, phase) // micro_batches)


def in_micro_batches(kernels: tuple[Kernel, ...], count: int) -> tuple[Kernel, ...]:
    """``kernels`` of a step whose batch is cut into ``count`` parts: all their forward passes, then all their
    backward passes, which sum gradients, then the optimizer."""
    if count == 1:
        return kernels
    parts: list[Kernel] = []
    for phase in ("forward", "backward"):
        rows = one_part([kernel for kernel in kernels if kernel.phase == phase], count)
        first = [replace(kernel, gradient=False) for kernel in rows]
        parts += [*first * (count - 1), *rows]
    return (*parts, *(kernel for kernel in kernels if kernel.phase == "optimizer"))


def stage(kernels: tuple[Kernel, ...], number: int, count: int) -> tuple[Kernel, ...]:
    """Stage ``number`` of a model whose step is ``kernels``, cut into ``count`` stages of about equal work.

    A layer, told by its scope, lies in one stage with its backward pass: the one that its middle falls into.
    """
    layers_ns: dict[str, int] = {}
    for kernel in kernels:
        if kernel.phase != "optimizer":
            layers_ns[_layer(kernel)] = layers_ns.get(_layer(kernel), 0) + kernel.duration_ns
    total_ns = sum(layers_ns.values())
    stages: dict[str, int] = {}
    reached_ns = 0
    for layer, duration_ns in layers_ns.items():
        stages[layer] = (2 * reached_ns + duration_ns) * count // (2 * total_ns)
        reached_ns += duration_ns
    updates = [kernel for kernel in kernels if kernel.phase == "optimizer"]
    mine = [kernel for kernel in kernels if kernel.phase != "optimizer" and stages[_layer(kernel)] == number]
    return (*mine, *updates[number * len(updates) // count : (number + 1) * len(updates) // count])


def _layer(kernel: Kernel) -> str:
    return "/".join(kernel.op.removeprefix("gradient_tape/").split("/")[:2])
