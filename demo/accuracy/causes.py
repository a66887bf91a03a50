"""The causes that the corpus puts into healthy trainings, one entry each.

To add one: a function that puts it into a training so that it costs about ``dose.lost_ns`` per step, and a
`Cause` in ``CAUSES``. Strengths are aims: what a cause really costs is measured by simulating without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Final, Literal, TypeVar

from demo.accuracy.bases import (
    DEVICES,
    GENERATIONS,
    JITTERS,
    ONE_BATCH,
    STEPS,
    ModelName,
    batch_of,
    kernels,
    link_gbps,
    wire_bytes,
    with_batch,
    with_memory,
    with_memory_full,
    with_work,
    work_ns,
)
from demo.simulator.devices import A100, H100, T4, V100, Device
from demo.simulator.host import COMPILE_OP_NS, GRAPH_OP_NS, INSTANTIATE_OP_NS
from demo.simulator.models import (
    BANDWIDTH_EFFICIENCY,
    SHORTEST_KERNEL_NS,
    ConvNet,
    Perceptron,
    Transformer,
    UnrolledRnn,
)
from demo.simulator.training import (
    MICROSECOND_NS,
    MILLISECOND_NS,
    Allocations,
    Collector,
    Detour,
    Dispatch,
    Files,
    Generation,
    HostWork,
    InputPipeline,
    LayerExchange,
    LossScaling,
    PeerCopy,
    Reading,
    Results,
    SlowHost,
    Startup,
    Training,
    UnevenOp,
)
from demo.simulator.variants import (
    ChannelsFirst,
    FusedAttention,
    HandWrittenActivation,
    ManyVariables,
    NarrowProducts,
    PartlyFloat32,
    Rematerialized,
    SlowProducts,
    SmallGrids,
    WithBias,
    WithEmbedding,
    WithOutputConvolution,
    WithRecurrentLayer,
    WithSlicedImages,
    WithSmallOps,
)

T = TypeVar("T")
# What TensorFlow's executor needs for an op of a loop, beside its launch.
LOOP_OP_NS: Final = 8_000
Layout = tuple[int, int]  # GPUs of each host, hosts
# How a cause is rated: by step time; "small": so, but too little for a warning by nature; "note": info by
# design; "trust": about the capture; "capacity": by the share of GPUs that do nothing.
Kind = Literal["time", "small", "note", "trust", "trust note", "capacity"]

# Just clear of the warning threshold of 5 % of the step, clear, strong.
SHARES: Final = (0.09, 0.2, 0.4)
ONE: Final[tuple[Layout, ...]] = ((1, 1),)
KERAS: Final[tuple[Generation, ...]] = ("old", "keras3")
FEW: Final[tuple[Layout, ...]] = ((1, 1), (1, 1), (2, 1), (4, 1), (1, 4))
SIBLINGS: Final[tuple[Layout, ...]] = ((2, 1), (4, 1))
HOSTS: Final[tuple[Layout, ...]] = ((1, 3), (2, 4), (1, 4))
ACCUMULATED: Final = 4


@dataclass(frozen=True)
class Dose:
    """How strong: the cause should cost ``share`` of the step, whose kernels last ``work_ns`` without it."""

    share: float
    work_ns: int

    @property
    def lost_ns(self) -> int:
        return round(self.work_ns * self.share / (1 - self.share))


Change = Callable[[Training, Dose], Training]


def _as_it_is(training: Training, dose: Dose) -> Training:
    """Changes nothing."""
    return training


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Where something makes sense: the levels that each factor ranges over."""

    devices: tuple[Device, ...] = DEVICES
    generations: tuple[Generation, ...] = GENERATIONS
    layouts: tuple[Layout, ...] = FEW
    models: tuple[ModelName, ...] = ("convnet", "transformer")
    steps: tuple[int, ...] = STEPS
    jitters: tuple[float, ...] = JITTERS

    def common(self, other: Scope) -> Scope | None:
        """Where both make sense; ``None`` if nowhere."""
        scope = Scope(
            devices=_common(self.devices, other.devices),
            generations=_common(self.generations, other.generations),
            layouts=_common(self.layouts, other.layouts),
            models=_common(self.models, other.models),
            steps=_common(self.steps, other.steps),
            jitters=_common(self.jitters, other.jitters),
        )
        factors = (scope.devices, scope.generations, scope.layouts, scope.models, scope.steps, scope.jitters)
        return scope if all(factors) else None


def _common(one: tuple[T, ...], other: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(level for level in one if level in other)


@dataclass(frozen=True)
class Cause(Scope):
    """One way to slow a training down, or to record it badly, and the rule that should say so.

    ``setting`` makes a healthy training in which the cause can be at work; ``inject`` puts it in. The cause
    is removed by not putting it in, or, where what it does must still be done, by ``cure``. ``symptoms``:
    rules that say something true when they fire as well. ``last``: to be put in after memory was filled.
    ``pairs``: other causes can still be seen beside it; ``never_with``: rules whose causes cannot be at work
    with it, because it takes away what they are about. ``stated``: the user types parameters and bandwidth,
    without which the rule can say only what it misses. ``in_one_batch``: it can be seen in a capture of one
    batch, too.
    """

    name: str
    rule: str
    inject: Change
    kind: Kind = "time"
    setting: Change = _as_it_is
    cure: Change = _as_it_is
    symptoms: frozenset[str] = frozenset()
    shares: tuple[float, ...] = SHARES
    last: bool = False
    pairs: bool = True
    never_with: frozenset[str] = frozenset()
    stated: bool = False
    in_one_batch: bool = True


# Input.


def _map_in_one_thread(training: Training, dose: Dose) -> Training:
    spec = training.input
    slow = replace(spec, map_parallelism=0, map_ns=dose.work_ns + dose.lost_ns - spec.read_ns)
    return replace(training, input=slow)


def _two_calls_at_a_time(training: Training, dose: Dose) -> Training:
    spec = replace(training.input, map_parallelism=2, map_ns=2 * (dose.work_ns + dose.lost_ns))
    return replace(training, input=spec)


def _from_memory(training: Training, dose: Dose) -> Training:
    """Examples lie in memory; putting a batch together takes the dose, ahead of the step."""
    spec = InputPipeline(cached=True, map_ns=0, prefetch=2, batch_ns=dose.lost_ns, prefetch_to_device=False)
    return replace(training, input=spec, readback_lag=0)


def _not_ahead(training: Training, dose: Dose) -> Training:
    return replace(training, input=replace(training.input, prefetch=0))


def _far_files(training: Training, dose: Dose) -> Training:
    """Each record comes a while after it was asked for, and they are asked for one by one."""
    each = (dose.work_ns + dose.lost_ns) // training.input.records
    return replace(training, input=replace(training.input, files=Files(75_000, each, gbps=5.0)))


def _python_generator(training: Training, dose: Dose) -> Training:
    each = (dose.work_ns + dose.lost_ns) // training.input.records
    return replace(training, input=replace(training.input, generator_ns=each))


def _given_a_generator(training: Training, dose: Dose) -> Training:
    """fit() gets a generator, which makes one batch ahead; Python takes that long, and nothing records it."""
    made_ns = dose.work_ns + dose.lost_ns
    spec = InputPipeline(adapted=True, read_ns=made_ns, map_ns=0, prefetch=1, prefetch_to_device=False)
    return replace(training, input=replace(spec, autotune=False))


def _slow_reading(training: Training, dose: Dose) -> Training:
    return replace(training, input=replace(training.input, read_ns=dose.work_ns + dose.lost_ns))


def _own_iterators(training: Training, dose: Dose) -> Training:
    """Each GPU has a pipeline of its own."""
    spec = InputPipeline(
        map_ns=dose.work_ns // 2, map_parallelism=1, prefetch_to_device=False, own_iterators=True
    )
    return replace(training, input=spec)


def _one_gpu_fed_late(training: Training, dose: Dose) -> Training:
    factor = 2 * (dose.work_ns + dose.lost_ns) / dose.work_ns
    return replace(training, input=replace(training.input, late_gpu=1, late_factor=factor))


def _fetch_before_the_step(training: Training, dose: Dose) -> Training:
    return replace(_map_in_one_thread(training, dose), iterator_outside_step=True)


def _loss_is_read_at_once(training: Training, dose: Dose) -> Training:
    """Python waits for each step's loss, so that the GPU's queue is empty when a step begins."""
    return replace(training, readback_lag=0)


def _float_images(training: Training, dose: Dose) -> Training:
    """Strong: images of 4 bytes a value. The host takes its time to hand a batch on, however it came."""
    training, model = _loss_is_read_at_once(training, dose), training.model
    late = 0 if dose.share < 0.15 else 3 * MILLISECOND_NS
    training = replace(training, launching=replace(training.launching, handover_ns=late))
    if not isinstance(model, ConvNet):
        return training
    return replace(training, model=replace(model, image_value_bytes=4 if dose.share > 0.3 else 1))


def _sliced_images(training: Training, dose: Dose) -> Training:
    """Images of 4 bytes a value, of which the first layer keeps one channel."""
    training, model = _loss_is_read_at_once(training, dose), training.model
    if not isinstance(model, ConvNet):
        return training
    return replace(training, model=WithSlicedImages(replace(model, image_value_bytes=4)))


def _copy_in_the_step(training: Training, dose: Dose) -> Training:
    copied = replace(training.input, prefetch_to_device=False, pinned=dose.share < 0.15)
    return replace(training, input=copied)


# One GPU.


def _callback_with_ops(training: Training, dose: Dose) -> Training:
    calls = max(1, dose.lost_ns // (200 * MICROSECOND_NS))
    work = HostWork(
        "$callbacks.py:27 on_train_batch_end", dose.lost_ns // calls, calls=calls, op="ConfusionMatrix"
    )
    return replace(training, between_steps=(work,))


def _silent_callback(training: Training, dose: Dose) -> Training:
    return replace(training, between_steps=(HostWork("$logging.py:9 write", dose.lost_ns),))


def _loop_in_jax(training: Training, dose: Dose) -> Training:
    return _in_jax(_loss_is_read_at_once(training, dose), dose)


def _loader_in_the_loop(training: Training, dose: Dose) -> Training:
    """The step's marker encloses the loading, which leaves no event."""
    return replace(training, inside_step=(HostWork("$loader.py:41 next_batch", dose.lost_ns),))


def _short_kernels(training: Training, dose: Dose) -> Training:
    """A batch so small that kernels last some 20 microseconds, launched faster than that."""
    training = with_work(training, 20 * MICROSECOND_NS * len(kernels(training)))
    quick = replace(training.launching, schedule_ns=2 * MICROSECOND_NS, call_ns=2 * MICROSECOND_NS)
    return replace(training, launching=quick, input=replace(training.input, map_ns=400 * MICROSECOND_NS))


def _slow_launches(training: Training, dose: Dose) -> Training:
    """A launch costs what was asked for; a microsecond of it is the simulator's own."""
    each = (dose.work_ns + dose.lost_ns) // len(kernels(training)) - MICROSECOND_NS
    return replace(
        training, launching=replace(training.launching, schedule_ns=each * 6 // 10, call_ns=each * 4 // 10)
    )


def _first_op_takes_long(training: Training, dose: Dose) -> Training:
    """The executor chooses an algorithm for the first convolution of every step."""
    return replace(training, dispatches=(Dispatch(1, dose.lost_ns),))


def _slow_processor(training: Training, dose: Dose) -> Training:
    """The executor takes long for each op before it comes to the launch."""
    launching = training.launching
    own = launching.schedule_ns + launching.call_ns + MICROSECOND_NS
    each = (dose.work_ns + dose.lost_ns) // len(kernels(training)) - own
    return replace(training, launching=replace(launching, dispatch_ns=each))


def _results_one_by_one(training: Training, dose: Dose) -> Training:
    each = 400 * MICROSECOND_NS
    return replace(training, results=Results(1 + max(1, round(dose.lost_ns / each)), each))


def _silent_python(training: Training, dose: Dose) -> Training:
    return replace(training, inside_step=(HostWork("$augment.py:12 mix", dose.lost_ns),))


def _eager_loop(training: Training, dose: Dose) -> Training:
    """A loop without tf.function whose kernels last longer than Python needs for them."""
    return replace(training, eager=True, readback_lag=0)


def _ops_without_a_kernel(training: Training, dose: Dose) -> Training:
    """Tensors leave the GPU in two places; a tenth of the time is spent on the host."""
    each = dose.lost_ns // 2
    size = round(0.45 * each * training.device.pinned_gbps)
    return replace(
        training,
        detours=(
            Detour("functional_1/region_proposal/Unique", size, each // 10, 0.4),
            Detour("functional_1/region_pooling/Where", size, each // 10, 0.8),
        ),
    )


def _room_in_memory(training: Training, dose: Dose) -> Training:
    return with_memory(training, 1 / (1 - dose.share))


def _full_memory(training: Training, dose: Dose) -> Training:
    """Just clear of the threshold of 95 %, or full to the last hundredths."""
    return with_memory_full(training, 0.96 + dose.share / 20)


def _float32(training: Training, dose: Dose) -> Training:
    return replace(training, precision="fp32")


def _tf32(training: Training, dose: Dose) -> Training:
    return replace(training, precision="tf32")


# The host in the middle of a step.


def _short_of_cores_soon(training: Training, dose: Dose) -> Training:
    """Mapping keeps most of four cores busy, sixteen threads of it; launching has no threads of its own."""
    load = 4 * (0.7 + 0.5 * dose.share)
    spec = replace(training.input, map_ns=round(load * dose.work_ns), map_parallelism=16)
    launching = replace(training.launching, private_threads=False)
    return replace(training, input=spec, launching=launching, readback_lag=0)


def _four_cores(training: Training, dose: Dose) -> Training:
    return replace(training, cores=4)


def _op_by_op(training: Training, dose: Dose) -> Training:
    """Without tf.function Python takes its time for each op."""
    each = (dose.work_ns + dose.lost_ns) // len(kernels(training)) - 13 * MICROSECOND_NS
    launching = replace(training.launching, python_ns=max(1, each))
    return replace(training, eager=True, launching=launching)


def _long_step(training: Training, dose: Dose) -> Training:
    return with_work(_loss_is_read_at_once(training, dose), 200 * MILLISECOND_NS)


def _compiled(training: Training, dose: Dose) -> Training:
    training = _long_step(training, dose)
    return replace(training, communication=replace(training.communication, launcher="xla"))


def _new_values(training: Training, dose: Dose) -> Training:
    return replace(
        training,
        retrace_every=max(
            1, round(len(kernels(training)) * (GRAPH_OP_NS + INSTANTIATE_OP_NS) / dose.lost_ns)
        ),
    )


def _new_shapes(training: Training, dose: Dose) -> Training:
    return replace(
        training, recompile_every=max(1, round(len(kernels(training)) * COMPILE_OP_NS / dose.lost_ns))
    )


def _python_function(training: Training, dose: Dose) -> Training:
    detour = Detour("functional_1/match_anchors/EagerPyFunc", 200_000, dose.lost_ns, 0.6)
    return replace(training, detours=(detour,))


def _counts_read_back(training: Training, dose: Dose) -> Training:
    each = max(MICROSECOND_NS, dose.lost_ns // 20 - 40 * MICROSECOND_NS)
    return replace(training, readings=(Reading("functional_1/boxes/NonMaxSuppressionV3", 20, each),))


def _scaled_loss(training: Training, dose: Dose) -> Training:
    return replace(training, loss_scaling=LossScaling(branch_ns=dose.lost_ns))


def _memory_asked_for(training: Training, dose: Dose) -> Training:
    """The driver frees and allocates for four ops; the GPU has nothing to do until the next launch."""
    each = max(MICROSECOND_NS, dose.lost_ns // 4)
    return replace(training, allocations=Allocations(4, each * 6 // 10, each * 4 // 10))


def _checkpoints(training: Training, dose: Dose) -> Training:
    work = HostWork("$checkpoint.py:2305 write", 5 * dose.lost_ns, op="SaveV2", every=5)
    return replace(training, between_steps=(work,))


def _work_once(training: Training, dose: Dose) -> Training:
    """In the middle of the recording Python works between two steps, once."""
    work = HostWork("$gc.py:1 collect", training.steps * dose.lost_ns, every=_middle(training))
    return replace(training, between_steps=(work,))


def _middle(training: Training) -> int:
    return training.lead_steps + training.steps // 2


# Kernels.


def _quickly_launched(training: Training, dose: Dose) -> Training:
    training = _short_step(training, dose)
    quick = replace(training.launching, schedule_ns=MICROSECOND_NS, call_ns=MICROSECOND_NS)
    return replace(training, launching=quick)


def _tiny_ops(training: Training, dose: Dose) -> Training:
    return replace(training, model=WithSmallOps(training.model, count=dose.lost_ns // SHORTEST_KERNEL_NS))


def _recurrent(training: Training, dose: Dose) -> Training:
    """A layer that cuDNN computes as one op, with so many time steps that their launches take the dose."""
    launching = training.launching
    an_op_ns = launching.schedule_ns + launching.call_ns + LOOP_OP_NS + SHORTEST_KERNEL_NS
    ops = len(UnrolledRnn(time_steps=1).kernels(training.device, training.precision)) - 2
    model = WithRecurrentLayer(training.model, max(2, round(dose.lost_ns / (ops * an_op_ns))), fused=True)
    return replace(training, model=model, readback_lag=0)


def _looping(training: Training, dose: Dose) -> Training:
    """cuDNN's kernel does not know one of its arguments: the executor runs the loop op by op."""
    assert isinstance(training.model, WithRecurrentLayer)
    slower = replace(training.launching, dispatch_ns=LOOP_OP_NS)
    return replace(training, model=replace(training.model, fused=False), launching=slower)


def _no_gpu_found(training: Training, dose: Dose) -> Training:
    """TensorFlow was built without CUDA: the processor computes a batch that suits it."""
    small = with_batch(training.model, max(4, batch_of(training.model) // 8))
    spec = replace(training.input, prefetch_to_device=False)
    return replace(training, model=small, input=spec, visible_gpus=0, cpu_threads=4)


def _shapes_recorded(training: Training, dose: Dose) -> Training:
    return _collected(training, host_level=3)


def _odd_width(training: Training, dose: Dose) -> Training:
    model = training.model
    return replace(training, model=replace(model, hidden=1020) if isinstance(model, Transformer) else model)


def _poor_products(training: Training, dose: Dose) -> Training:
    """As many products as cost the dose reach an eighth of the peak."""
    model = SlowProducts(training.model, efficiency=1 / 8)
    slow = model.kernels(training.device, training.precision)
    ops, lost = set(), 0
    for kernel, slower in zip(kernels(training), slow, strict=True):
        # Attention is judged as a whole, whatever its products take.
        if (
            slower != kernel
            and not (kernel.work.product and kernel.work.product.batch)
            and lost < dose.lost_ns
        ):
            ops.add(kernel.op)
            lost += slower.duration_ns - kernel.duration_ns
    return replace(training, model=replace(model, only=frozenset(ops)))


def _few_channels(training: Training, dose: Dose) -> Training:
    """8 channels in the first layers, on tiles of 64 and 128 columns."""
    model = NarrowProducts(ConvNet(batch=256, channels=8))
    return with_work(replace(training, model=model), work_ns(training))


def _quick_launches(training: Training) -> Training:
    return replace(
        training, launching=replace(training.launching, schedule_ns=MICROSECOND_NS, call_ns=MICROSECOND_NS)
    )


def _little_for_each(training: Training, dose: Dose) -> Training:
    """Products with 48 or 192 blocks on 80 multiprocessors."""
    network = Transformer(batch=8, length=128, hidden=768, layers=4)
    return _quick_launches(replace(training, model=SmallGrids(FusedAttention(network))))


def _small_batch(training: Training, dose: Dose) -> Training:
    """Products with 16 blocks on 80 multiprocessors."""
    return _quick_launches(replace(training, model=SmallGrids(Perceptron(layers=48))))


def _layers_of_equal_size(training: Training, dose: Dose) -> Training:
    if isinstance(training.model, Transformer):
        training = replace(training, model=replace(training.model, layers=8))
    return with_work(training, work_ns(training))


def _one_layer_in_float32(training: Training, dose: Dose) -> Training:
    return replace(training, model=PartlyFloat32(training.model, ("functional_1/encoder_1/",)))


def _long_sequences(training: Training, dose: Dose) -> Training:
    """The longer, the more of the step attention takes."""
    model, work = training.model, work_ns(training)
    length = 4_096 if dose.share > 0.3 else 2_048
    if isinstance(model, Transformer):
        training = replace(training, model=FusedAttention(replace(model, length=length)))
    return with_work(training, work)


def _attention_op_by_op(training: Training, dose: Dose) -> Training:
    model = training.model
    return replace(
        training, model=replace(model, fused=False) if isinstance(model, FusedAttention) else model
    )


def _many_variables(training: Training, dose: Dose) -> Training:
    """More variables, until updates of the shortest kernels cost the dose."""
    updates = [kernel for kernel in kernels(training) if kernel.phase == "optimizer"]
    taken_ns = sum(kernel.duration_ns for kernel in updates)
    each = round((dose.lost_ns + taken_ns) / (len(updates) * SHORTEST_KERNEL_NS))
    return replace(training, model=ManyVariables(training.model, each=max(1, each)))


def _frozen_table(training: Training, dose: Dose) -> Training:
    """Rows are looked up as fast as memory allows; eight times as slow it takes the dose longer."""
    size = round(dose.lost_ns / 7 * training.device.memory_bandwidth * BANDWIDTH_EFFICIENCY / 1e9)
    table = WithEmbedding(training.model, size // 516, 64, BANDWIDTH_EFFICIENCY, trained=False)
    return replace(training, model=table)


def _rows_without_order(training: Training, dose: Dose) -> Training:
    model = training.model
    slow = replace(model, efficiency=BANDWIDTH_EFFICIENCY / 8) if isinstance(model, WithEmbedding) else model
    return replace(training, model=slow)


def _in_jax(training: Training, dose: Dose) -> Training:
    communication = replace(training.communication, launcher="xla")
    return replace(training, jax=True, iterator_outside_step=True, communication=communication)


def _recomputed(training: Training, dose: Dose) -> Training:
    """Memory is half empty: all that the backward pass needs would fit."""
    training = with_memory(training, 4)
    return replace(training, model=Rematerialized(training.model))


def _fused_activation(training: Training, dose: Dose) -> Training:
    return replace(training, model=HandWrittenActivation(training.model, fused=True))


def _activation_op_by_op(training: Training, dose: Dose) -> Training:
    model = training.model
    return replace(
        training, model=replace(model, fused=False) if isinstance(model, HandWrittenActivation) else model
    )


def _channels_first(training: Training, dose: Dose) -> Training:
    return replace(training, model=ChannelsFirst(training.model))


def _large_filter(training: Training, dose: Dose) -> Training:
    model = WithOutputConvolution(training.model, batch=batch_of(training.model), channels=16)
    return replace(training, model=model)


def _needless_bias(training: Training, dose: Dose) -> Training:
    return replace(training, model=WithBias(training.model))


# Several GPUs and hosts.


def _gpus_left_out(training: Training, dose: Dose) -> Training:
    visible = max(training.gpus + 1, round(training.gpus / (1 - dose.share)))
    return replace(training, visible_gpus=visible)


def _launched_slowly(training: Training, dose: Dose) -> Training:
    """Launches take long, but each GPU has a thread of its own."""
    each = dose.lost_ns // ((training.gpus - 1) * len(kernels(training))) - MICROSECOND_NS
    launching = replace(training.launching, schedule_ns=each * 7 // 10, call_ns=each * 3 // 10)
    return replace(training, launching=launching, readback_lag=0)


def _one_thread_for_all(training: Training, dose: Dose) -> Training:
    return replace(training, launching=replace(training.launching, shared_thread=True, private_threads=False))


def _one_thread_in_turns(training: Training, dose: Dose) -> Training:
    training = _one_thread_for_all(training, dose)
    return replace(training, launching=replace(training.launching, rotating=True))


def _one_late_thread(training: Training, dose: Dose) -> Training:
    return replace(training, launching=replace(training.launching, late_gpu=1, late_ns=dose.lost_ns))


def _surplus(training: Training, dose: Dose) -> float:
    """Extra work of one of n GPUs that costs the dose compared with sharing it out evenly.

    The simulator can only repeat the forward pass.
    """
    even = 1 - 1 / training.gpus
    most = work_ns(training, ["forward"]) / work_ns(training, ["forward", "backward"])
    return min(dose.share / (even - dose.share), 0.9 * most)


def _more_work_on_the_first(training: Training, dose: Dose) -> Training:
    return replace(training, extra_on_first_gpu=_surplus(training, dose))


def _work_shared_evenly(training: Training, dose: Dose) -> Training:
    body = work_ns(training, ("forward", "backward")) / work_ns(training)
    return replace(training, slow_host=SlowHost(0, 1 + body * _surplus(training, dose) / training.gpus))


def _one_gpu_after_the_other(training: Training, dose: Dose) -> Training:
    return replace(training, serial=True)


def _stages(training: Training, dose: Dose) -> Training:
    return replace(training, pipeline_stages=True)


def _in_stages(training: Training, dose: Dose) -> Training:
    """Half as much work again for each GPU, in layers enough for stages that are about equal.

    Kernels last long enough for twice as many micro-batches.
    """
    work = work_ns(training) * training.gpus * 3 // 2
    if isinstance(training.model, Transformer):
        training = replace(training, model=replace(training.model, layers=8))
    if isinstance(training.model, ConvNet):
        training = replace(training, model=replace(training.model, blocks_per_stage=6))
    training = with_work(training, work)
    return replace(training, pipeline_stages=True)


def _sent_by_the_library(training: Training, dose: Dose) -> Training:
    return replace(_in_stages(training, dose), handed_over="nccl")


def _micro_batches(training: Training, dose: Dose) -> int:
    """The number of micro-batches of which twice as many save the dose: filling and draining halve."""
    others = training.gpus - 1
    return max(2, round(others / (2 * dose.share)) - others)


def _few_micro_batches(training: Training, dose: Dose) -> Training:
    return replace(training, micro_batches=_micro_batches(training, dose))


def _twice_as_many(training: Training, dose: Dose) -> Training:
    return replace(training, micro_batches=2 * _micro_batches(training, dose))


def _each_a_part_of_the_batch(training: Training, dose: Dose) -> Training:
    return replace(training, model=with_batch(training.model, batch_of(training.model) // training.gpus))


def _copies_from_the_first(training: Training, dose: Dose) -> Training:
    size = round(dose.lost_ns * link_gbps(training) / (training.gpus - 1))
    copy = PeerCopy("encoder/mean:Mean", size, 0.4)
    return replace(training, peer_copies=(copy,))


def _copies_among_all(training: Training, dose: Dose) -> Training:
    size = round(dose.lost_ns * link_gbps(training) / (training.gpus - 1))
    copy = PeerCopy("functional_1/all_replicas/concat:ConcatV2", size, 0.25, source=None)
    return replace(training, peer_copies=(copy,))


def _slow_link(training: Training, dose: Dose) -> Training:
    """As slow as to outlast the backward pass by the dose."""
    hidden_ns = work_ns(training, ["backward"])
    gbps = wire_bytes(training) / (hidden_ns + dose.lost_ns)
    return replace(training, communication=replace(training.communication, link_gbps=gbps))


def _little_work(training: Training, dose: Dose) -> Training:
    """A batch so small that the transfer could hide, but takes a good part of the step."""
    transfer_ns = wire_bytes(training) / link_gbps(training)
    return with_work(training, round(transfer_ns * 0.75 * (1 - dose.share) / dose.share))


def _summed_at_the_end(training: Training, dose: Dose) -> Training:
    return replace(training, communication=replace(training.communication, overlap=False))


def _experts(training: Training, dose: Dose) -> Training:
    """Eight exchanges of activations, of a size that takes the dose."""
    each_ns = dose.lost_ns / 8 - training.communication.call_ns
    gpus = max(2, training.together)  # one trained after the other exchanges nothing
    size = round(gpus / (gpus - 1) * each_ns * link_gbps(training))
    return replace(training, layer_exchange=LayerExchange("all_to_all", size, 8))


def _tensors_in_pairs(training: Training, dose: Dose) -> Training:
    """Eight exchanges with one other GPU at a time, of a size that takes the dose."""
    size = round((dose.lost_ns / 8 - training.communication.call_ns) * link_gbps(training))
    return replace(training, layer_exchange=LayerExchange("send_recv", size, 8))


def _weights_of_its_own(training: Training, dose: Dose) -> Training:
    return replace(training, communication=replace(training.communication, reduction="none"))


def _sums_within_layers(training: Training, dose: Dose) -> Training:
    """Eight sums of activations, of a size that takes the dose."""
    each_ns = dose.lost_ns / 8 - training.communication.call_ns
    gpus = max(2, training.together)
    size = round(gpus / (2 * (gpus - 1)) * each_ns * link_gbps(training))
    return replace(training, layer_exchange=LayerExchange("all_reduce", size, 8))


def _short_step(training: Training, dose: Dose) -> Training:
    return with_work(training, 8 * MILLISECOND_NS)


def _short_step_nameless(training: Training, dose: Dose) -> Training:
    """GPUs whose model is not recorded, so that no name tells their link."""
    return _short_step(replace(training, device=replace(training.device, name="")), dose)


def _many_calls(training: Training, dose: Dose) -> Training:
    """Each call starts for 30 microseconds; all of them outlast the backward pass by the dose."""
    slow = replace(training.communication, call_ns=30 * MICROSECOND_NS)
    hops_ns = 2 * (training.gpus - 1) * slow.hop_ns
    wire_ns = wire_bytes(training) / link_gbps(training)
    spare_ns = work_ns(training, ["backward"]) + dose.lost_ns - wire_ns
    return replace(
        training, communication=replace(slow, buckets=max(40, round(spare_ns / (slow.call_ns + hops_ns))))
    )


def _accumulated(training: Training, dose: Dose) -> Training:
    return replace(training, accumulated=ACCUMULATED)


def _exchanged_each(training: Training, dose: Dose) -> Training:
    """Each exchange but the last costs its last bucket, which no backward pass is left to hide."""
    spec = training.communication
    last_ns = dose.lost_ns / (ACCUMULATED - 1) - spec.call_ns
    link = min(link_gbps(training), wire_bytes(training) / spec.buckets / last_ns)
    return replace(training, communication=replace(spec, each_batch=True, link_gbps=link))


def _unevenness(training: Training, dose: Dose) -> float:
    """The last of n draws from 1 ± u comes u (n - 1) / (n + 1) after the mean."""
    gpus = training.together
    return min(0.8, dose.share / (1 - dose.share) * (gpus + 1) / (gpus - 1))


def _uneven(training: Training, dose: Dose) -> Training:
    return replace(training, uneven_batches=_unevenness(training, dose))


def _table(training: Training, dose: Dose) -> Training:
    """The rows of a small table are looked up, and their gradients summed, as fast as memory allows."""
    return replace(
        training, model=WithEmbedding(training.model, 65_536, 64, BANDWIDTH_EFFICIENCY, exchanged=True)
    )


def _repeated_ids(training: Training, dose: Dose) -> Training:
    """The last of n draws from 0 to u comes u (n / (n + 1) - 1 / 2) after the mean."""
    gpus = training.together
    most_ns = round(dose.lost_ns / (gpus / (gpus + 1) - 1 / 2))
    return replace(training, uneven_op=UnevenOp("UnsortedSegmentSum", most_ns))


def _repeated_evenly(training: Training, dose: Dose) -> Training:
    """The same draws as `_repeated_ids` makes, averaged over all GPUs and steps."""
    op = _repeated_ids(training, dose).uneven_op
    assert op is not None
    draws = [
        Random(f"{training.seed}/worker0/{gpu}/{step}").uniform(0, op.most_ns)
        for gpu in range(training.gpus)
        for step in range(training.lead_steps, training.lead_steps + training.steps)
    ]
    mean_ns = round(sum(draws) / len(draws))
    return replace(training, uneven_op=replace(op, least_ns=mean_ns, most_ns=mean_ns))


def _sorted_by_length(training: Training, dose: Dose) -> Training:
    """The same draws as `_uneven` makes, averaged over all GPUs and steps."""
    spread = _unevenness(training, dose)
    draws = [
        Random(f"{training.seed}/worker0/{gpu}/{step}").uniform(1 - spread, 1 + spread)
        for gpu in range(training.gpus)
        for step in range(training.lead_steps, training.lead_steps + training.steps)
    ]
    body = work_ns(training, ("forward", "backward")) / work_ns(training)
    return replace(training, slow_host=SlowHost(0, 1 + body * (sum(draws) / len(draws) - 1)))


def _slow_gpus_of_a_host(training: Training, dose: Dose) -> Training:
    return replace(training, slow_host=SlowHost(training.hosts - 1, gpu_factor=1 / (1 - dose.share)))


def _slow_cpu_of_a_host(training: Training, dose: Dose) -> Training:
    launching = training.launching
    each = launching.schedule_ns + launching.call_ns
    wanted = (dose.work_ns + dose.lost_ns) / len(kernels(training)) - MICROSECOND_NS
    return replace(training, slow_host=SlowHost(1, cpu_factor=wanted / each))


# The capture.


def _collected(training: Training, **changes: object) -> Training:
    return replace(training, collector=replace(training.collector, **changes))  # type: ignore[arg-type]


def _no_gpu_recorded(training: Training, dose: Dose) -> Training:
    return _collected(training, device_events=False)


def _no_markers(training: Training, dose: Dose) -> Training:
    return replace(training, markers=False, collector=Collector(host_level=1))


def _short_capture(training: Training, dose: Dose) -> Training:
    return replace(_collected(training, begin_ratio=dose.share), steps=3 if dose.share > 0.3 else 2)


def _slow_first_step(training: Training, dose: Dose) -> Training:
    """The first recorded step tries algorithms; nothing says so."""
    return replace(training, dispatches=(Dispatch(2, round(dose.work_ns * dose.share), once=True),))


def _from_the_first_step(training: Training, dose: Dose) -> Training:
    return replace(training, lead_steps=0, warm_up=True)


def _tuned_in_the_step(training: Training, dose: Dose) -> Training:
    """cuDNN tries out algorithms for each convolution in the one step that is recorded."""
    return replace(training, startup=Startup(candidates=max(1, round(5 * dose.share))))


def _held_in_the_step(training: Training, dose: Dose) -> Training:
    """The driver holds the first call of the recording."""
    return replace(training, startup=Startup(held_ns=dose.lost_ns))


def _small_buffer(training: Training, dose: Dose) -> Training:
    events = training.gpus * (training.steps - 1) * len(kernels(training))
    return _collected(training, event_limit=round((1 - dose.share) * events))


def _one_host_recorded(training: Training, dose: Dose) -> Training:
    return replace(training, recorded_hosts=1)


def _two_streams(training: Training, dose: Dose) -> Training:
    return replace(training, compute_streams=2)


def _one_kernel_at_a_time(training: Training, dose: Dose) -> Training:
    return _collected(training, serialises=True)


def _without_function(training: Training, dose: Dose) -> Training:
    """A loop without tf.function, whose step is shorter the stronger the dose."""
    return with_work(replace(training, eager=True), round(MILLISECOND_NS / dose.share))


def _python_traced(training: Training, dose: Dose) -> Training:
    return _collected(training, python_tracer=True)


CAUSES: Final[tuple[Cause, ...]] = (
    Cause("the GPUs are not recorded", "no-device-events", _no_gpu_recorded, "trust", pairs=False,
          symptoms=frozenset({"events-dropped"})),
    Cause("no markers and no functions recorded", "no-step-markers", _no_markers, "trust note",
          pairs=False, generations=("trace",)),
    Cause("batches fetched before the step, slowly", "iterator-outside-step", _fetch_before_the_step,
          "trust note", generations=("trace",), symptoms=frozenset({"input-bound"}),
          pairs=False),
    Cause("a capture of two or three steps", "too-few-steps", _short_capture, "trust", pairs=False),
    Cause("the first step captured", "warm-up-captured", _from_the_first_step, "trust note"),
    Cause("a slow first step", "warm-up-captured", _slow_first_step, "trust note",
          setting=_loss_is_read_at_once, layouts=ONE, steps=(10, 16, 30), shares=(0.8, 1.4, 2.0),
          pairs=False),
    Cause("cuDNN tuned in the only step", "warm-up-captured", _tuned_in_the_step, "trust", layouts=ONE,
          generations=KERAS, steps=(ONE_BATCH,), models=("convnet",), pairs=False),
    Cause("the first CUDA call held in the only step", "warm-up-captured", _held_in_the_step, "trust",
          layouts=ONE, generations=KERAS, steps=(ONE_BATCH,), pairs=False),
    Cause("a slow first call in a short capture", "warm-up-captured", _slow_first_step, "trust note",
          setting=_loss_is_read_at_once, layouts=ONE, steps=(4, 5, 6), shares=(2.0, 5.0, 10.0), pairs=False),
    Cause("a buffer too small for all events", "events-dropped", _small_buffer, "trust", pairs=False,
          symptoms=frozenset({"too-few-steps"})),
    Cause("one host of several recorded", "one-host-of-many", _one_host_recorded, "trust",
          layouts=((1, 2), (2, 2), (1, 4)), pairs=False),
    Cause("the collector runs kernels singly", "kernels-serialised", _one_kernel_at_a_time, "trust note",
          setting=_two_streams, symptoms=frozenset({"allreduce-exposed"}), pairs=False),
    Cause("the Python tracer in an eager loop", "tracer-overhead", _python_traced, "trust note",
          setting=_without_function, generations=("trace",), layouts=ONE, models=("convnet",),
          shares=(0.2, 0.4, 0.6), symptoms=frozenset({"kernel-launch-bound", "eager-execution"}),
          pairs=False),
    # Where one batch is captured, the pipeline has filled its buffers while the profiler started.
    Cause("slow reading", "input-bound", _slow_reading, in_one_batch=False),
    Cause("two calls of map at a time", "input-bound", _two_calls_at_a_time, in_one_batch=False),
    Cause("map in one thread", "input-bound", _map_in_one_thread, in_one_batch=False),
    Cause("nothing prefetched", "input-bound", _not_ahead, setting=_from_memory, models=("transformer",)),
    Cause("files far away", "input-bound", _far_files, in_one_batch=False),
    Cause("a Python generator", "input-bound", _python_generator, in_one_batch=False),
    Cause("a generator given to fit()", "input-bound", _given_a_generator, generations=KERAS, layouts=ONE,
          symptoms=frozenset({"h2d-copy-bound"}), in_one_batch=False),
    # The batch of such a pipeline is copied in the step, where nothing hides it once it is late.
    Cause("one GPU fed late", "input-bound", _one_gpu_fed_late, setting=_own_iterators, layouts=SIBLINGS,
          symptoms=frozenset({"h2d-copy-bound", "allreduce-wait"})),
    Cause("the batch copied within the step", "h2d-copy-bound", _copy_in_the_step, setting=_float_images,
          models=("convnet",)),
    Cause("a batch sliced after its copy", "h2d-copy-bound", _copy_in_the_step, setting=_sliced_images,
          models=("convnet",)),
    Cause("a callback with eager ops", "step-gaps", _callback_with_ops, setting=_loss_is_read_at_once,
          in_one_batch=False),
    Cause("a silent callback", "step-gaps", _silent_callback, setting=_loss_is_read_at_once,
          in_one_batch=False),
    Cause("a loader between calls in JAX", "step-gaps", _loader_in_the_loop, setting=_loop_in_jax,
          layouts=ONE, generations=("trace",), pairs=False, in_one_batch=False),
    Cause("short kernels, slow launches", "kernel-launch-bound", _slow_launches, setting=_short_kernels,
          layouts=ONE, models=("convnet",)),
    Cause("an op that takes the host long", "kernel-launch-bound", _first_op_takes_long,
          setting=_loss_is_read_at_once, layouts=ONE),
    Cause("an LSTM as a loop", "rnn-loop", _looping, setting=_recurrent, layouts=ONE,
          shares=(0.4, 0.5, 0.6), symptoms=frozenset({"kernel-launch-bound", "small-kernels"}),
          pairs=False),
    Cause("no GPU found", "gpu-not-used", _no_gpu_found, "capacity", layouts=ONE, shares=(0.9,),
          pairs=False),
    Cause("a slow processor", "kernel-launch-bound", _slow_processor, setting=_short_kernels, layouts=ONE,
          models=("convnet",)),
    Cause("results read one by one", "results-read-each-step", _results_one_by_one, layouts=ONE,
          generations=KERAS, steps=(ONE_BATCH,), pairs=False),
    Cause("Python works silently in an eager step", "unexplained-idle", _silent_python, setting=_eager_loop,
          layouts=ONE, generations=("trace",), shares=(0.13, 0.2, 0.4), pairs=False),
    Cause("Python works silently in one batch", "unexplained-idle", _silent_python, layouts=ONE,
          generations=("keras3",), steps=(ONE_BATCH,), shares=(0.13, 0.2, 0.4), pairs=False),
    Cause("tensors leave the GPU", "excessive-memcpy", _ops_without_a_kernel),
    Cause("memory half empty", "memory-headroom", _room_in_memory, "note", shares=(0.4, 0.6, 0.8), last=True,
          in_one_batch=False),  # what a whole step needs is not recorded
    Cause("memory nearly full", "memory-pressure", _full_memory, "note", last=True),
    Cause("float32", "mixed-precision-off", _float32),
    Cause("TF32", "mixed-precision-off", _tf32, devices=(A100, H100)),
    Cause("few cores", "host-thread-contention", _four_cores, setting=_short_of_cores_soon, layouts=ONE,
          steps=(16, 30), symptoms=frozenset({"input-bound", "kernel-launch-bound"})),
    Cause("no tf.function", "eager-execution", _op_by_op, generations=("trace",), layouts=ONE,
          symptoms=frozenset({"kernel-launch-bound"})),
    Cause("a new Python value", "function-retracing", _new_values, setting=_long_step, steps=(20, 30),
          shares=(0.15, 0.25, 0.4), generations=("trace",), symptoms=frozenset({"step-outliers"})),
    Cause("a new shape", "xla-recompilation", _new_shapes, setting=_compiled, steps=(20, 30),
          shares=(0.15, 0.25, 0.4), generations=("trace",), symptoms=frozenset({"step-outliers"})),
    Cause("a Python function in the model", "host-op-in-step", _python_function),
    Cause("results read back", "host-sync-in-step", _counts_read_back),
    Cause("dynamic loss scaling", "dynamic-loss-scaling", _scaled_loss),
    Cause("memory freed and allocated in the step", "allocator-stalls", _memory_asked_for),
    Cause("a checkpoint in every fifth step", "step-outliers", _checkpoints, setting=_loss_is_read_at_once,
          steps=(16, 30), shares=(0.13, 0.2, 0.4), symptoms=frozenset({"step-gaps"})),
    Cause("one rare long step", "step-outliers", _work_once, setting=_loss_is_read_at_once, layouts=ONE,
          steps=(10, 16, 30), shares=(0.25, 0.4, 0.6), pairs=False, in_one_batch=False),
    Cause("tiny ops", "small-kernels", _tiny_ops, setting=_quickly_launched, layouts=ONE,
          shares=(0.09, 0.13, 0.2), models=("convnet",)),
    # Libraries for older GPUs leave the Tensor Cores alone, later ones use them with narrow loads.
    Cause("an odd width", "tensor-cores-unused", _odd_width, setting=_shapes_recorded, devices=(V100, T4),
          models=("transformer",)),
    Cause("narrow loads", "misaligned-dimensions", _odd_width, setting=_shapes_recorded,
          devices=(A100, H100), models=("transformer",)),
    Cause("an activation op by op", "elementwise-fusion", _activation_op_by_op, setting=_fused_activation,
          models=("transformer",)),
    Cause("products run by poor kernels", "slow-products", _poor_products),
    Cause("layers of a few channels", "narrow-products", _few_channels, "note", layouts=ONE,
          models=("convnet",), pairs=False, in_one_batch=False),
    Cause("a narrow model on a large GPU", "small-grids", _little_for_each, "note", devices=(V100,),
          layouts=ONE, models=("transformer",), generations=("keras3", "trace"), pairs=False,
          in_one_batch=False),  # older profilers do not record the occupancy
    Cause("a small batch on a large GPU", "batch-too-small", _small_batch, "note", devices=(V100,),
          layouts=ONE, models=("convnet",), last=True, pairs=False, in_one_batch=False),
    Cause("one layer in float32", "fp32-beside-16bit", _one_layer_in_float32, setting=_layers_of_equal_size,
          models=("transformer",)),
    Cause("attention op by op", "attention-unfused", _attention_op_by_op, setting=_long_sequences,
          devices=(A100, H100), models=("transformer",), shares=(0.2, 0.4)),
    Cause("hundreds of variables", "optimizer-per-variable", _many_variables, setting=_quickly_launched,
          layouts=ONE, models=("convnet",), shares=(0.09, 0.13, 0.2), stated=True),
    Cause("rows without order", "slow-gathers", _rows_without_order, setting=_frozen_table),
    Cause("layers computed again", "recompute-needless", _recomputed, setting=_in_jax, layouts=ONE,
          generations=("trace",), models=("transformer",), last=True, pairs=False,
          symptoms=frozenset({"memory-headroom", "iterator-outside-step"})),
    Cause("channels first", "layout-transposes", _channels_first, models=("convnet",)),
    Cause("a large filter", "dominant-op", _large_filter, "note", models=("convnet",)),
    Cause("a bias before batch normalization", "bias-before-batchnorm", _needless_bias, "small",
          models=("convnet",)),
    Cause("GPUs left out", "idle-gpus", _gpus_left_out, "capacity", shares=(0.2, 0.5, 0.75),
          layouts=((2, 1), (4, 1), (1, 4))),
    # A thread that waits for a sibling's tensor cannot launch what makes it.
    Cause("one thread launches for all", "gpu-stagger", _one_thread_for_all, setting=_launched_slowly,
          layouts=SIBLINGS, never_with=frozenset({"d2d-copies"})),
    Cause("one thread, rotating", "gpu-stagger", _one_thread_in_turns, setting=_launched_slowly,
          layouts=SIBLINGS, never_with=frozenset({"d2d-copies"})),
    Cause("one late thread", "gpu-stagger", _one_late_thread, setting=_loss_is_read_at_once,
          layouts=SIBLINGS),
    Cause("more work on the first GPU", "replica-imbalance", _more_work_on_the_first,
          cure=_work_shared_evenly, shares=(0.09, 0.13, 0.17), layouts=SIBLINGS),
    Cause("one GPU after the other", "gpus-run-serially", _one_gpu_after_the_other,
          setting=_loss_is_read_at_once, layouts=((2, 1), (3, 1), (4, 1)),
          never_with=frozenset({"gpu-stagger", "replica-imbalance", "d2d-copies", "allreduce-slow",
                                "allreduce-exposed", "allreduce-fragmented", "allreduce-wait"})),
    Cause("stages that wait for each other", "gpus-run-serially", _stages, cure=_each_a_part_of_the_batch,
          layouts=SIBLINGS, models=("convnet",), pairs=False,
          symptoms=frozenset({"d2d-copies", "replica-imbalance", "unexplained-idle"})),
    Cause("few micro-batches", "pipeline-bubble", _few_micro_batches, setting=_in_stages, cure=_twice_as_many,
          shares=(0.12, 0.2, 0.3), layouts=SIBLINGS, steps=(4, 6, 10), pairs=False),
    Cause("two stages, few micro-batches", "pipeline-bubble", _few_micro_batches,
          setting=_sent_by_the_library, cure=_twice_as_many, shares=(0.09, 0.12, 0.17), steps=(4, 6, 10),
          layouts=((2, 1),), generations=("keras3", "trace"), pairs=False),
    Cause("copies from the first GPU", "d2d-copies", _copies_from_the_first, layouts=SIBLINGS),
    Cause("copies among all GPUs", "d2d-copies", _copies_among_all, layouts=SIBLINGS),
    Cause("a slow link", "allreduce-slow", _slow_link, setting=_short_step, layouts=((2, 1), (4, 1), (8, 1)),
          symptoms=frozenset({"allreduce-exposed", "communication-bound"}), stated=True),
    # Compute hides less than half, so that much of the transfer stays whatever is overlapped.
    Cause("a slow link that no name tells", "communication-bound", _slow_link, setting=_short_step_nameless,
          shares=(0.25, 0.4, 0.6), layouts=((2, 1), (4, 1), (8, 1)), pairs=False,
          devices=(A100, H100), symptoms=frozenset({"allreduce-exposed"})),
    Cause("tensors exchanged in pairs", "communication-bound", _tensors_in_pairs, shares=(0.25, 0.4, 0.6),
          layouts=((2, 1),), pairs=False, symptoms=frozenset({"allreduce-wait"})),
    # Ends of a call scatter, so that GPUs that go from call to call wait for each other in each.
    Cause("gradients summed at the end", "allreduce-exposed", _summed_at_the_end, setting=_little_work,
          layouts=((2, 1), (4, 1), (8, 1)), models=("transformer",),
          symptoms=frozenset({"allreduce-wait", "communication-bound"})),
    Cause("hundreds of small calls", "allreduce-fragmented", _many_calls, setting=_short_step,
          layouts=((2, 1), (4, 1), (8, 1)),
          symptoms=frozenset({"allreduce-exposed", "allreduce-slow", "allreduce-wait"}), stated=True),
    # The link is made slow, so that an exchange costs something.
    Cause("gradients of each part of a batch", "exchange-each-batch", _exchanged_each, setting=_accumulated,
          layouts=((2, 1), (4, 1), (8, 1)),
          symptoms=frozenset({"allreduce-exposed", "allreduce-slow", "communication-bound"})),
    Cause("experts on all GPUs", "all-to-all-exposed", _experts, layouts=((4, 1), (8, 1)),
          symptoms=frozenset({"allreduce-wait"})),
    Cause("layers spread over all GPUs", "tensor-parallel-exposed", _sums_within_layers,
          setting=_weights_of_its_own, layouts=((2, 1), (4, 1), (8, 1)), models=("transformer",), pairs=False,
          symptoms=frozenset({"allreduce-wait"})),
    Cause("uneven batches", "allreduce-wait", _uneven, cure=_sorted_by_length, layouts=((4, 1), (8, 1))),
    Cause("one op of uneven length", "allreduce-wait", _repeated_ids, setting=_table, cure=_repeated_evenly,
          shares=(0.09, 0.13, 0.17), layouts=((4, 1), (8, 1))),
    Cause("a host with slow GPUs", "slow-host", _slow_gpus_of_a_host, layouts=HOSTS),
    Cause("a host with a slow processor", "slow-host", _slow_cpu_of_a_host, layouts=HOSTS,
          symptoms=frozenset({"kernel-launch-bound"})),
)  # fmt: skip

BY_NAME: Final[Mapping[str, Cause]] = {cause.name: cause for cause in CAUSES}
# Rules that the simulator has no cause for, and why.
NOT_SIMULATED: Final[Mapping[str, str]] = {
    "data-parallel": "only PyTorch's profiler marks its calls, and these runs are in TensorFlow's format",
    **dict.fromkeys(
        (
            "disk-full",
            "gpu-shared",
            "gpu-throttled",
            "idle-between",
            "input-choppy",
            "late-start",
            "memory-grows",
            "network-full",
            "processors-full",
            "quota-throttled",
            "upload-grows",
        ),
        "no machine is watched beside these runs",
    ),
    "page-migrations": "only Nsight Systems records it, and these runs are in TensorFlow's format",
    "unused-parameters": "only PyTorch's profiler records it, and these runs are in TensorFlow's format",
}
