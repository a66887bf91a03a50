"""Healthy trainings that look as if something were wrong: the pattern is there, but costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from demo.accuracy.bases import with_work, work_ns
from demo.simulator.training import HostWork, Training


def _plain(training: Training) -> Training:
    return training


def _input_just_in_time(training: Training) -> Training:
    """One thread prepares the batches, in four fifths of a step."""
    slow = replace(training.input, map_parallelism=0, map_ns=work_ns(training) * 8 // 10)
    return replace(training, input=slow)


def _hidden_callback(training: Training) -> Training:
    """Python works between the steps while the GPU is busy with what is queued."""
    return replace(training, between_steps=(HostWork("$logging.py:9 write", work_ns(training) // 3),))


def _hidden_copy(training: Training) -> Training:
    """The batch is copied within the step, but a step ahead."""
    return replace(training, input=replace(training.input, prefetch_to_device=False))


def _loss_at_once(training: Training) -> Training:
    return replace(training, readback_lag=0)


def _shared_launching(training: Training) -> Training:
    """One thread launches for all GPUs, a step ahead of them."""
    return replace(training, launching=replace(training.launching, shared_thread=True, private_threads=False))


def _slow_launching(training: Training) -> Training:
    """Launching takes half as long as the kernels."""
    return replace(training, launching=replace(training.launching, schedule_ns=100_000))


def _slower_library(training: Training) -> Training:
    return replace(training, communication=replace(training.communication, library="rccl"))


def _compiled(training: Training) -> Training:
    return replace(training, communication=replace(training.communication, launcher="xla"))


def _half_gradients(training: Training) -> Training:
    return replace(training, communication=replace(training.communication, gradient_dtype="bf16"))


def _sharded(training: Training) -> Training:
    """Nothing can hide the gathering of weights, but a long step can bear it."""
    training = with_work(training, 3 * work_ns(training))
    return replace(
        training, communication=replace(training.communication, reduction="reduce_scatter_all_gather")
    )


def _long_tail(training: Training) -> Training:
    """Keras' callback works for many steps' time before it stops the profiler."""
    return replace(training, collector=replace(training.collector, tail_ns=2_000_000_000))


def _short_tail(training: Training) -> Training:
    return replace(training, collector=replace(training.collector, tail_ns=100_000))


def _tail_while_the_gpu_works(training: Training) -> Training:
    """Nobody reads a result, so the callback's first op waits behind the step's kernels."""
    return replace(_short_tail(training), readback_lag=1)


HARMLESS: Final[Mapping[str, Callable[[Training], Training]]] = {
    "nothing special": _plain,
    "input just in time": _input_just_in_time,
    "callbacks while the GPU is busy": _hidden_callback,
    "the batch copied a step ahead": _hidden_copy,
    "the loss read in each step": _loss_at_once,
    "one launching thread, ahead of the GPUs": _shared_launching,
    "slow launches, ahead of the GPUs": _slow_launching,
    "RCCL": _slower_library,
    "collectives launched by XLA": _compiled,
    "16-bit gradients": _half_gradients,
    "sharded optimizer": _sharded,
}
# Where one batch is captured; what only a step ahead hides is not hidden there.
IN_ONE_BATCH: Final[Mapping[str, Callable[[Training], Training]]] = {
    "nothing special": _plain,
    "a long callback after the batch": _long_tail,
    "a short callback after the batch": _short_tail,
    "a callback while the GPU is busy": _tail_while_the_gpu_works,
    "input just in time": _input_just_in_time,
}
