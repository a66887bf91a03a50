"""What is trained, on what, and what is wrong with it: the whole input of the simulator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from demo.simulator.devices import A100, Device, Precision
from demo.simulator.models import ConvNet, Model

Generation = Literal["old", "keras3", "trace"]
MILLISECOND_NS = 1_000_000
MICROSECOND_NS = 1_000


@dataclass(frozen=True)
class InputPipeline:
    """``dataset.batch(B).map(f, num_parallel_calls=P).prefetch(N)``; times are per batch of one host.

    ``map_parallelism`` 0 is a plain ``map`` that runs inside the prefetch thread.
    """

    read_ns: int = 200 * MICROSECOND_NS
    map_ns: int = 4 * MILLISECOND_NS
    map_parallelism: int = 8
    prefetch: int = 4
    autotune: bool = True
    pinned: bool = True
    prefetch_to_device: bool = True


@dataclass(frozen=True)
class Launching:
    """Costs of putting one op on a GPU, and which host threads do it.

    ``shared_thread``: one thread launches for all GPUs, one GPU after the other.
    """

    schedule_ns: int = 7 * MICROSECOND_NS
    call_ns: int = 5 * MICROSECOND_NS
    latency_ns: int = 4 * MICROSECOND_NS
    private_threads: bool = True
    shared_thread: bool = False


@dataclass(frozen=True)
class HostWork:
    """Python work between two steps: ``calls`` eager ops of ``call_ns`` each, or one silent stretch.

    Without ``op`` nothing of it is recorded unless the Python tracer is on.
    """

    frame: str
    call_ns: int
    calls: int = 1
    op: str = ""


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
class Collector:
    """How the profile is taken.

    ``host_level`` 1 records only calls of the CUDA driver, 2 also ops and functions. ``serialises``:
    kernels of one GPU run one at a time while it records. ``event_limit`` caps device events per host.
    ``begin_ratio``: the capture begins and ends this far into a step, as a sampling capture does.
    """

    host_level: Literal[1, 2] = 2
    python_tracer: bool = False
    device_events: bool = True
    serialises: bool = False
    event_limit: int | None = None
    begin_ratio: float = 0.0


@dataclass(frozen=True)
class Training:
    """A training run. ``gpus`` of the ``visible_gpus`` of each host take part.

    ``steps`` are captured after ``lead_steps`` that are not. ``readback_lag``: in which later step
    Python waits for this step's loss (0: in the same one). ``extra_on_first_gpu``: extra work of the first
    GPU as a share of its forward and backward pass. ``serial``: Python trains one GPU after the other.
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
    input: InputPipeline = field(default_factory=InputPipeline)
    launching: Launching = field(default_factory=Launching)
    collector: Collector = field(default_factory=Collector)
    readback_lag: int = 1
    between_steps: tuple[HostWork, ...] = ()
    detours: tuple[Detour, ...] = ()
    extra_on_first_gpu: float = 0.0
    serial: bool = False
    eager: bool = False
    markers: bool = True
    iterator_outside_step: bool = False
    allreduce_buckets: int = 4
    compute_streams: int = 1
    jitter: float = 0.01
    seed: int = 1
