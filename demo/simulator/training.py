"""What is trained, on what, and what is wrong with it: the whole input of the simulator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from demo.simulator.collectives import GradientType, Kind, Library
from demo.simulator.devices import A100, Device, Precision
from demo.simulator.machine import Machine
from demo.simulator.models import ConvNet, Model
from demo.simulator.record import HLO_MODULE

if TYPE_CHECKING:
    from demo.simulator.captured import Damage

Generation = Literal["old", "keras3", "trace"]
Reduction = Literal["all_reduce", "hierarchical", "reduce_scatter_all_gather", "none"]
Launcher = Literal["tensorflow", "tensorflow_without_size", "xla"]
MILLISECOND_NS = 1_000_000
MICROSECOND_NS = 1_000


@dataclass(frozen=True)
class Files:
    """Records in files on storage behind a network. ``readers`` files are read at the same time.

    Each record comes ``latency_ns`` after it was asked for, over a network of ``gbps`` GB/s that all readers
    of the host share.
    """

    record_bytes: int
    latency_ns: int
    gbps: float
    readers: int = 1


@dataclass(frozen=True)
class InputPipeline:
    """``dataset.filter(g).batch(B).map(f, num_parallel_calls=P).prefetch(N)``; times are per batch of one
    host.

    ``map_parallelism`` 0 is a plain ``map`` that runs inside the thread that asks for it, ``map_ns`` 0 none,
    ``prefetch`` 0 none. ``map_calls``: calls of a parallel map for one batch. ``own_iterators``: each GPU
    has a pipeline of its own, and the threads that launch for it ask for its batch; the one of ``late_gpu``
    maps ``late_factor`` times as long.

    Records take ``read_ns`` a batch, from memory if ``cached``; or they come one by one, ``records`` a
    batch, from ``files`` or from a Python generator (``generator_ns`` each), and a filter keeps
    ``keep_one_of`` so many (``filter_ns`` each). ``batch_ns``: putting them together.
    ``adapted``: what Keras makes of a generator passed to fit(): Python makes one batch ahead in ``read_ns``
    and records nothing of it; there is no map.
    ``arrays``: the pipeline that Keras makes of arrays in memory, whose map gathers rows on threads of steps.
    """

    read_ns: int = 200 * MICROSECOND_NS
    map_ns: int = 4 * MILLISECOND_NS
    map_parallelism: int = 8
    map_calls: int = 1
    prefetch: int = 4
    autotune: bool = True
    pinned: bool = True
    prefetch_to_device: bool = True
    own_iterators: bool = False
    late_gpu: int | None = None
    late_factor: float = 1.0
    cached: bool = False
    records: int = 32
    files: Files | None = None
    generator_ns: int = 0
    keep_one_of: int = 1
    filter_ns: int = 10 * MICROSECOND_NS
    batch_ns: int = 0
    arrays: bool = False
    # Not in its text, from which pipelines seed their draws: older trainings stay as they were.
    adapted: bool = field(default=False, repr=False)


@dataclass(frozen=True)
class Launching:
    """Costs of putting one op on a GPU, and which host threads do it.

    ``shared_thread``: one thread launches for all GPUs, one GPU after the other, beginning with the first or,
    if ``rotating``, with another one in each step. The thread of ``late_gpu`` begins ``late_ns`` late.
    ``dispatch_ns``: what the executor takes before each op, outside the op's own event.
    ``python_ns``: what Python and the eager runtime take for each op that runs outside ``tf.function``.
    ``handover_ns``: what passes until the step gets a batch that is on the GPU, copied ahead or not.
    """

    schedule_ns: int = 7 * MICROSECOND_NS
    call_ns: int = 5 * MICROSECOND_NS
    latency_ns: int = 4 * MICROSECOND_NS
    dispatch_ns: int = 0
    private_threads: bool = True
    shared_thread: bool = False
    rotating: bool = False
    late_gpu: int | None = None
    late_ns: int = 0
    python_ns: int = 0
    handover_ns: int = 0


@dataclass(frozen=True)
class HostWork:
    """Python work between two steps: ``calls`` eager ops of ``call_ns`` each, or one silent stretch.

    Without ``op`` nothing of it is recorded unless the Python tracer is on. ``every``: after how many steps.
    """

    frame: str
    call_ns: int
    calls: int = 1
    op: str = ""
    every: int = 1


@dataclass(frozen=True)
class Dispatch:
    """Ops before whose launch TensorFlow's executor works on the host and leaves no event of its own.

    ``count`` of them, evenly spread over the forward and the backward pass, take ``host_ns`` each: an
    algorithm is chosen in scratch memory, or a busy processor lets the thread wait. ``once``: in the first
    captured step only.
    """

    count: int
    host_ns: int
    once: bool = False


@dataclass(frozen=True)
class Results:
    """Losses and metrics that Python reads one after the other; it works before each but the first."""

    count: int = 1
    python_ns: int = 250 * MICROSECOND_NS


@dataclass(frozen=True)
class Detour:
    """A tensor that leaves the GPU in the middle of the step for an op that has no GPU kernel.

    ``position`` is where in the forward pass (0..1) it happens.
    """

    op: str
    op_bytes: int
    host_ns: int
    position: float


@dataclass(frozen=True)
class Reading:
    """An op that reads a few bytes of its result back and waits for them before it goes on.

    ``count`` such ops, evenly spread over the forward and the backward pass; after each the host works on
    what it read for ``host_ns``.
    """

    op: str
    count: int
    host_ns: int = 20 * MICROSECOND_NS


@dataclass(frozen=True)
class Allocations:
    """Ops for whose results the allocator has too little left and asks the driver.

    ``count`` ops, evenly spread over the forward and the backward pass: before each the driver frees what the
    allocator has kept, which waits for the GPU and then takes ``free_ns``, and allocates in ``allocate_ns``.
    With ``free_ns`` 0 it only allocates, and the GPU goes on meanwhile.
    """

    count: int
    free_ns: int
    allocate_ns: int


@dataclass(frozen=True)
class LossScaling:
    """Dynamic loss scaling: whether all gradients are finite is computed on the GPU and decided on the host.

    What the runtime needs, once it has the answer, to start the branch with the optimizer: ``branch_ns``, and
    ``switch_ns`` for each variable, which it passes into the branch with its slots.
    """

    branch_ns: int = 60 * MICROSECOND_NS
    switch_ns: int = 6 * MICROSECOND_NS


@dataclass(frozen=True)
class PeerCopy:
    """A tensor of ``source`` that all other GPUs of the host fetch in each step, as copies between GPUs.

    ``source`` ``None``: each GPU fetches it from each other one. ``op`` is "name:Type", ``position`` where
    in the forward pass (0..1) it is needed.
    """

    op: str
    size_bytes: int
    position: float
    source: int | None = 0


@dataclass(frozen=True)
class LayerExchange:
    """What all GPUs exchange inside a model that is spread over them, and the next kernel waits for.

    ``count`` calls of ``size_bytes`` on each GPU, evenly spread over the kernels of both passes,
    on a stream of their own.
    """

    kind: Kind
    size_bytes: int
    count: int


@dataclass(frozen=True)
class Communication:
    """How the gradients of all GPUs are summed, by which library, over which links.

    They travel as ``gradient_dtype`` in ``buckets`` calls of one size. ``overlap``: each bucket as soon as
    the backward pass has it, else all of them after the backward pass. ``reduction``: one AllReduce of all
    GPUs; ``hierarchical``: to the first GPU of each host, between those, and back within each host;
    ``reduce_scatter_all_gather``: each GPU sums and applies its share, then gathers the others' weights;
    ``none``: each GPU has weights of its own.

    ``link_gbps``: bandwidth within a host, for copies too (``None``: the device's), ``network_gbps``: between
    hosts, per GPU (``None``: as within one). Whatever its size, a call takes ``call_ns`` and a hop for each
    step of its ring, ``network_hop_ns`` where it crosses hosts; 0 is an ideal library.

    ``each_batch``: after the backward pass of each of ``Training.accumulated`` parts of the batch, which the
    next one waits for; else after the last only.

    ``search_ns``: how long the host looks for unused parameters between the forward and the backward pass.

    ``end_scatter_ns``: how much later than the transfer the kernel of a GPU ends, on average.
    ``all_to_all_bytes``: an array that all GPUs exchange with all before the first bucket, as gradients of
    embeddings that are divided among them; its kernels end up to ``all_to_all_end_ns`` apart.

    ``library`` names the kernels (``None``: the one of the generation). ``launcher``: TensorFlow, whose
    events tell the bytes or do not, or XLA, which compiles the whole step.
    """

    gradient_dtype: GradientType = "f32"
    buckets: int = 4
    overlap: bool = True
    reduction: Reduction = "all_reduce"
    link_gbps: float | None = None
    network_gbps: float | None = None
    call_ns: int = 0
    hop_ns: int = 0
    network_hop_ns: int = 0
    end_scatter_ns: int = 0
    all_to_all_bytes: int = 0
    all_to_all_end_ns: int = 0
    library: Library | None = None
    launcher: Launcher = "tensorflow"
    each_batch: bool = False
    search_ns: int = 0


@dataclass(frozen=True)
class SlowHost:
    """One host whose GPUs compute, or whose CPU launches and prepares input, so many times as long."""

    number: int
    gpu_factor: float = 1.0
    cpu_factor: float = 1.0


@dataclass(frozen=True)
class UnevenOp:
    """Ops of a type take longer on each GPU in each step, by an amount between the two, because of the values
    that it gets: a sum by row waits where ids repeat."""

    type: str
    most_ns: int
    least_ns: int = 0


@dataclass(frozen=True)
class HostClocks:
    """What the profiles say about time, per host and 0 where the tuple ends.

    ``errors_ns``: how far the wall clock that is written into the file is ahead. ``start_lags_ns``: how much
    later than just before its first captured step a host's profiler begins. ``gpu_errors_ns``: how far the
    clock of each GPU of a host is ahead in the recording.
    """

    errors_ns: tuple[int, ...] = ()
    start_lags_ns: tuple[int, ...] = ()
    gpu_errors_ns: tuple[int, ...] = ()

    def error_ns(self, host: int) -> int:
        return self.errors_ns[host] if host < len(self.errors_ns) else 0

    def gpu_error_ns(self, gpu: int) -> int:
        return self.gpu_errors_ns[gpu % len(self.gpu_errors_ns)] if self.gpu_errors_ns else 0

    def start_lag_ns(self, host: int) -> int:
        return self.start_lags_ns[host] if host < len(self.start_lags_ns) else 0


@dataclass(frozen=True)
class Collector:
    """How the profile is taken.

    ``host_level`` 1 records only calls of the CUDA driver, 2 also ops and functions, 3 also the shapes of
    products. ``serialises``:
    kernels of one GPU run one at a time while it records. ``event_limit`` caps device events per host.
    ``keeps_older``: kernels that were launched before the recording and run in it are recorded, without a
    launch.
    ``begin_ratio``: the capture begins and ends this far into a step, as a sampling capture does.
    ``one_batch``: Keras' TensorBoard callback records one batch (``profile_batch=2``). It starts the
    profiler after the batch has begun, and stops it in its own work after the batch, which begins ``tail_ns``
    after the step. ``op_events``: GPU ops leave an event on the thread that launches them; those of
    TensorFlow 2.3 to 2.5 do not.
    ``damages``: what the recording then loses, in this order. ``warnings``: what the profiler says besides.
    """

    host_level: Literal[1, 2, 3] = 2
    python_tracer: bool = False
    device_events: bool = True
    serialises: bool = False
    event_limit: int | None = None
    keeps_older: bool = False
    begin_ratio: float = 0.0
    one_batch: bool = False
    tail_ns: int = 2 * MILLISECOND_NS
    op_events: bool = True
    damages: tuple[Damage, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Startup:
    """What the first recorded step does and later ones do not.

    ``candidates``: algorithms that cuDNN tries out for each convolution; TensorFlow checks what each wrote.
    ``held_ns``: how long the driver holds the first call of the recording, and those of other threads.
    ``allocating_ns``: how long XLA's runtime allocates the buffers of a compiled program for each GPU.
    """

    candidates: int = 0
    held_ns: int = 0
    allocating_ns: int = 0


@dataclass(frozen=True)
class Training:
    """A training run. ``gpus`` of the ``visible_gpus`` of each host take part.

    ``steps`` are captured after ``lead_steps`` that are not. ``readback_lag``: in which later step
    Python waits for this step's loss (0: in the same one, with all ``results``). ``inside_step``: what Python
    does in a step's marker before it calls the step's function. ``extra_on_first_gpu``: extra work of the
    first GPU as a share of its forward and backward pass. ``uneven_batches``: the work of each GPU in each
    step is up to this share larger or smaller, as batches of sequences are. ``serial``: Python trains one GPU
    after the other. ``pipeline_stages``: the GPUs of a host share one model, each has a stage of it, and
    tensors go from stage to stage, ``handed_over`` by copies or by the collective library. Each batch is cut
    into ``micro_batches``: all their forward passes, then all their backward passes, then the optimizer.
    ``accumulated``: into so many parts each batch is cut on each GPU, whose gradients add up: the forward and
    the backward pass of each, then the optimizer.
    ``data_parallel``: PyTorch's profiler marks the forward pass as that of ``DataParallel``.
    ``jax``: JAX runs the step, which XLA has compiled (the launcher ``xla``), instead of TensorFlow.
    ``retrace_every``: in every so many steps the step's function is
    called with a Python value that it has not seen, and is traced. ``recompile_every``: in every so many
    steps the batch has a shape for which XLA has no program yet (with the launcher ``xla``); 0: never.
    ``cpu_threads``: no GPU runs the step but so many threads of the host's processor (0: GPUs do); XLA and
    prefetching to a device are not for them.
    ``machine``: what the host did during the whole training, if it was watched.
    ``cores``: how many the host has for the threads of tf.data and those that
    launch, unless they are private (``None``: enough for all).
    """

    model: Model = field(default_factory=ConvNet)
    device: Device = A100
    precision: Precision = "fp16"
    generation: Generation = "keras3"
    gpus: int = 1
    visible_gpus: int | None = None
    hosts: int = 1
    recorded_hosts: int | None = None
    steps: int = 10
    lead_steps: int = 2
    warm_up: bool = False
    startup: Startup | None = None
    input: InputPipeline = field(default_factory=InputPipeline)
    launching: Launching = field(default_factory=Launching)
    communication: Communication = field(default_factory=Communication)
    collector: Collector = field(default_factory=Collector)
    clocks: HostClocks = field(default_factory=HostClocks)
    readback_lag: int = 1
    results: Results = field(default_factory=Results)
    between_steps: tuple[HostWork, ...] = ()
    inside_step: tuple[HostWork, ...] = ()
    dispatches: tuple[Dispatch, ...] = ()
    detours: tuple[Detour, ...] = ()
    readings: tuple[Reading, ...] = ()
    allocations: Allocations | None = None
    loss_scaling: LossScaling | None = None
    cores: int | None = None
    cpu_threads: int = 0
    peer_copies: tuple[PeerCopy, ...] = ()
    layer_exchange: LayerExchange | None = None
    extra_on_first_gpu: float = 0.0
    uneven_batches: float = 0.0
    uneven_op: UnevenOp | None = None
    slow_host: SlowHost | None = None
    serial: bool = False
    pipeline_stages: bool = False
    micro_batches: int = 1
    handed_over: Literal["copy", "nccl"] = "copy"
    accumulated: int = 1
    data_parallel: bool = False
    eager: bool = False
    jax: bool = False
    retrace_every: int = 0
    recompile_every: int = 0
    machine: Machine | None = None
    markers: bool = True
    iterator_outside_step: bool = False
    compute_streams: int = 1
    jitter: float = 0.01
    seed: int = 1

    @property
    def program(self) -> str:
        """What XLA calls the step's program."""
        return "jit_train_step" if self.jax else HLO_MODULE

    @property
    def exchanges(self) -> int:
        """How often a step exchanges all gradients."""
        return self.accumulated if self.communication.each_batch else 1

    @property
    def together(self) -> int:
        """GPUs that sum their gradients."""
        return 1 if self.serial or self.pipeline_stages else self.gpus * self.hosts
