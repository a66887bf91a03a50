"""Healthy trainings for any GPU: the ground on which causes are put."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from demo.simulator.collectives import GRADIENT_BYTES
from demo.simulator.devices import A100, H100, T4, V100, Device, Precision
from demo.simulator.models import ConvNet, Kernel, Model, Perceptron, Transformer
from demo.simulator.training import (
    MICROSECOND_NS,
    MILLISECOND_NS,
    Collector,
    Communication,
    Generation,
    HostClocks,
    InputPipeline,
    Training,
)
from demo.simulator.variants import Variant

Network = ConvNet | Transformer | Perceptron
ModelName = Literal["convnet", "transformer"]
DEVICES = (V100, T4, A100, H100)
GENERATIONS: tuple[Generation, ...] = ("old", "keras3", "trace")
STEPS = (4, 6, 10, 16, 30)
# In place of a number of steps: Keras' callback records one batch, from within its step into its own work.
ONE_BATCH = 1
JITTERS = (0.005, 0.01, 0.02)
# Work of a step on one GPU, and how much larger a batch the memory of a healthy training allows.
WORK_NS = 33 * MILLISECOND_NS
# The work of a healthy step lasts so many times as long as its AllReduce, which can hide under it.
TRANSFERS = 5
NETWORK_GBPS = 20.0
HEALTHY_GROWTH = 1.2
# As measured on real recordings: ends of one call scatter, clocks of GPUs differ steadily, and kernels that
# were launched before a recording run in it.
END_SCATTER_NS = 40 * MICROSECOND_NS
GPU_ERRORS_NS = (0, 60_000, 140_000, 30_000)
# TensorFlow's share of a GPU's memory, and how much of that memory-headroom fills.
USABLE = 0.94
FILLED = 0.9
ADAM_BYTES = 12


@dataclass(frozen=True)
class Setting:
    """Where a training runs and how it is recorded; nothing in it is a cause of anything.

    ``steps`` of ``ONE_BATCH``: as Keras' callback records; each loss is read at once.
    """

    device: Device = A100
    generation: Generation = "keras3"
    gpus: int = 1
    hosts: int = 1
    steps: int = 10
    jitter: float = 0.01
    model: ModelName = "convnet"
    seed: int = 1

    @property
    def layout(self) -> tuple[int, int]:
        return self.gpus, self.hosts


@lru_cache(1 << 10)
def healthy(setting: Setting) -> Training:
    """A well-tuned training: 16 bit, input in time, gradients summed while the backward pass goes on."""
    communication = Communication(
        call_ns=15 * MICROSECOND_NS,
        hop_ns=2 * MICROSECOND_NS,
        network_hop_ns=5 * MICROSECOND_NS,
        network_gbps=NETWORK_GBPS,
        end_scatter_ns=END_SCATTER_NS,
    )
    model: Model = ConvNet() if setting.model == "convnet" else Transformer(layers=2)
    training = Training(
        model=model,
        device=setting.device,
        generation=setting.generation,
        gpus=setting.gpus,
        hosts=setting.hosts,
        steps=setting.steps,
        jitter=setting.jitter,
        seed=setting.seed,
        input=InputPipeline(map_ns=2 * MILLISECOND_NS),
        communication=communication,
        collector=Collector(keeps_older=True),
        clocks=HostClocks(
            tuple(1_000_000 * n for n in range(8)), tuple(300_000 * n for n in range(8)), GPU_ERRORS_NS
        ),
    )
    if setting.steps == ONE_BATCH:
        old = setting.generation == "old"
        collector = Collector(one_batch=True, op_events=not old)
        spec = replace(training.input, arrays=old)
        training = replace(training, collector=collector, input=spec, readback_lag=0)
    transfer_ns = wire_bytes(training) / min(
        link_gbps(training), NETWORK_GBPS if setting.hosts > 1 else link_gbps(training)
    )
    return with_work(training, max(WORK_NS, round(TRANSFERS * transfer_ns)))


def link_gbps(training: Training) -> float:
    """Bandwidth between the GPUs of a host."""
    return training.communication.link_gbps or training.device.bus_gbps


def wire_bytes(training: Training) -> float:
    """What each GPU sends in a ring that sums all gradients."""
    gpus, each = training.together, GRADIENT_BYTES[training.communication.gradient_dtype]
    return 2 * (gpus - 1) / gpus * training.model.parameters * each


def kernels(training: Training) -> tuple[Kernel, ...]:
    """The kernels of one GPU's step."""
    return _kernels(training.model, training.device, training.precision)


@lru_cache(1 << 10)
def _kernels(model: Model, device: Device, precision: Precision) -> tuple[Kernel, ...]:
    return model.kernels(device, precision)


def work_ns(training: Training, phases: Iterable[str] = ("forward", "backward", "optimizer")) -> int:
    """How long the kernels of one GPU's step last, one after the other."""
    wanted = set(phases)
    return sum(kernel.duration_ns for kernel in kernels(training) if kernel.phase in wanted)


def with_work(training: Training, target_ns: int) -> Training:
    """``training`` with a batch (a multiple of 4) with which a step's kernels last about ``target_ns``."""
    for _ in range(3):
        fixed_ns = work_ns(training, ["optimizer"])
        scale = max(0.0, target_ns - fixed_ns) / max(1, work_ns(training) - fixed_ns)
        batch = max(4, 4 * round(scale * batch_of(training.model) / 4))
        training = replace(training, model=with_batch(training.model, batch))
    return training


def batch_of(model: Model) -> int:
    """Examples of a batch."""
    return _inner(model).batch


def with_batch(model: Model, batch: int) -> Model:
    """``model`` on batches of this size."""
    return _changed(model, lambda network: replace(network, batch=batch))


def _inner(model: Model) -> Network:
    while isinstance(model, Variant):
        model = model.model
    assert isinstance(model, Network)
    return model


def _changed(model: Model, change: Callable[[Network], Model]) -> Model:
    """``model``, however it is written, of a changed network."""
    if isinstance(model, Variant):
        return replace(model, model=_changed(model.model, change))
    return change(_inner(model))


def with_memory_full(training: Training, ratio: float) -> Training:
    """``training`` with tables so large that at the peak this share of what TensorFlow may use is in use."""
    transient = sum(kernel.keeps_bytes for kernel in kernels(training))
    bare = _with_table(training.model, 0)
    room = ratio * USABLE * training.device.memory_bytes - transient - bare.persistent_bytes
    return replace(training, model=_with_table(training.model, max(0, int(room / ADAM_BYTES))))


def with_memory(training: Training, growth: float) -> Training:
    """``training`` with tables in its memory so large that just a batch ``growth`` times as large fits."""
    transient = sum(kernel.keeps_bytes for kernel in kernels(training))
    bare = _with_table(training.model, 0)
    room = FILLED * USABLE * training.device.memory_bytes - growth * transient - bare.persistent_bytes
    return replace(training, model=_with_table(training.model, max(0, int(room / ADAM_BYTES))))


def fits(training: Training) -> bool:
    """Whether what a step needs fits into the GPU's memory, with some room for pieces that are left over."""
    transient = sum(kernel.keeps_bytes for kernel in kernels(training))
    needed = transient + training.model.persistent_bytes
    return needed <= FILLED * USABLE * training.device.memory_bytes


def _with_table(model: Model, parameters: int) -> Model:
    return _changed(model, lambda network: replace(network, table_parameters=parameters))
