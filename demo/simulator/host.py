"""One host: the Python thread that trains, the threads that launch, and what they put on the GPUs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from random import Random

from demo.simulator.arena import Arena
from demo.simulator.changes import with_batch, with_longer
from demo.simulator.clock import Channel, Clock, Process, Signal
from demo.simulator.collectives import GRADIENT_BYTES, TITLES, Collective, Ends, Kind, Link, buffer_bytes
from demo.simulator.cpu import OP_NS, SLOWER, Cpu
from demo.simulator.gpu import Gpu, Queued
from demo.simulator.input_pipeline import (
    BACKGROUND,
    GET_NEXT_NS,
    INSIDE_NS,
    THREADS_PER_PIPELINE,
    Machine,
    Pipeline,
)
from demo.simulator.models import FLOAT_BYTES, SHORTEST_KERNEL_NS, Kernel
from demo.simulator.peers import Transfer, transfers
from demo.simulator.record import HLO_MODULE, DeviceWork, HostEvent, LaunchEvent, Recording, StatValue, Thread
from demo.simulator.training import Detour, HostWork, LayerExchange, Reading, Training
from demo.simulator.work import DATA_TYPES, ELEMENT_BYTES, NOTHING

PYTHON = Thread("python")
# Costs of Python and of TensorFlow's runtime around one call of the step's function.
CALL_NS = 120_000
RETURN_NS = 40_000
LOOP_NS = 25_000
FUNCTION_RUN_NS = 15_000
COPY_SETUP_NS = 2_000
LOSS_BYTES = 4
# Until the profiler records, Python stands still, while the input pipeline goes on.
PROFILER_START_NS = 200_000_000
# Keras' callbacks before the call of the step's function, and each of the eager ops of one.
BATCH_BEGIN_NS = 20_000
CALLBACK_OP_NS = 150_000
WRITE_NS, FLUSH_NS = 60_000, 450_000
# What choosing an algorithm tries it in.
SCRATCH_BYTES = 32 << 20
# The labels of a batch, and the ops of a step that need no batch: Adam's step count and its powers.
LABEL_BYTES = 4_096
EARLY_OPS = (("Adam/add", "AddV2"), ("Adam/Cast_1", "Cast"), ("Adam/Pow", "Pow"), ("Adam/Pow_1", "Pow"))
# Numbers of the threads that run ops on the CPU, and of those that send tensors.
WORKERS, SENDERS = 8, 16
SEND_NS = 8_000
# One call of the collective library.
COLLECTIVE_CALL_NS = 12_000
# XLA numbers what layers exchange after what gradients need.
LAYER_NUMBERS = 10_000
# A thread that waits for a stream needs a moment to wake up.
SYNC_RETURN_NS = 8_000
# Until TensorFlow's executor has noticed that a copy is done.
EVENT_POLL_NS = 10_000
XLA_OP = "XlaModule:"
UNUSED_PARAMETERS = "torch.distributed.ddp.reducer::search_unused_parameters"
# How long tracing a function and trying kernels takes in the first step.
TRACING_NS = 180_000_000
AUTOTUNE_CANDIDATES = 2
# Zones around the buffers of an algorithm that is tried out are checked by a kernel each.
REDZONE_CHECKS = 2
REDZONE_CHECK_NS = 3_000
# Tracing anew: Python builds the graph op by op, then the runtime optimises and instantiates it. Recorded
# with TensorFlow 2.21 on a CPU: 27 ms and 17 ms for a function of about 45 ops.
GRAPH_OP_NS = 600_000
INSTANTIATE_OP_NS = 380_000
# XLA's compiler per op (recorded there: 270 ms for some 25 fusions), and what of it lies in its own passes.
COMPILE_OP_NS = 4_000_000
COMPILE_PASSES_RATIO = 0.35
DEVICE_BUFFER = 2
# TensorFlow leaves about 6 % of the memory to the driver.
USABLE_PERCENT = 94
# The Python tracer's price per call or return, and how deep an eager op's Python frames nest.
FRAME_NS = 600
STEP_FRAME = "$train.py:88 train_step"
FRAMES = (
    "$sequential.py:214 call",
    "$layers.py:41 __call__",
    "$traceback_utils.py:113 error_handler",
    "$dispatch.py:1260 op_dispatch_handler",
    "$gen_ops.py:742 execute",
)
FRAME_CALLS_PER_OP = 14


class Rendezvous:
    """The collectives of all hosts: made by whoever comes first, joined by all GPUs of the group."""

    def __init__(self, clock: Clock, training: Training) -> None:
        self.collectives: dict[tuple[int, int, Kind, str], Collective] = {}
        self._clock = clock
        self._training = training
        communication = training.communication
        self._ends = Ends(
            communication.end_scatter_ns, communication.all_to_all_end_ns, f"{training.seed}/ends"
        )

    def gradients(self, step: int, bucket: int, host: str, gpu: int) -> tuple[Collective, ...]:
        """What one GPU takes part in, in this order, to get or to share one bucket of summed gradients."""
        size = self._training.communication.all_to_all_bytes if bucket == 1 else 0
        shared = (self._of_all(step, bucket, "all_to_all", size),) if size else ()
        return (*shared, *self._summed(step, bucket, host, gpu))

    def _summed(self, step: int, bucket: int, host: str, gpu: int) -> tuple[Collective, ...]:
        training, communication = self._training, self._training.communication
        whole = training.model.parameters * GRADIENT_BYTES[communication.gradient_dtype]
        size = whole // communication.buckets
        if communication.reduction == "all_reduce":
            return (self._of_all(step, bucket, "all_reduce", size),)
        if communication.reduction == "reduce_scatter_all_gather":
            return (self._of_all(step, bucket, "reduce_scatter", size),)
        calls: list[Collective] = []
        if training.gpus > 1:
            calls.append(self._call(step, bucket, "reduce", host, training.gpus, size, self._within))
        if training.hosts > 1 and gpu == 0:
            calls.append(self._call(step, bucket, "all_reduce", "", training.hosts, size, self._between))
        if training.gpus > 1:
            calls.append(self._call(step, bucket, "broadcast", host, training.gpus, size, self._within))
        return tuple(calls)

    def weights(self, step: int, bucket: int) -> Collective:
        """Where each GPU has updated its share of a bucket's weights and needs those of the others."""
        size = self._training.model.parameters * FLOAT_BYTES // self._training.communication.buckets
        return self._of_all(step, bucket, "all_gather", size)

    def within_model(self, step: int, number: int, exchange: LayerExchange) -> Collective:
        """One call in which all GPUs exchange what their next layer needs."""
        return self._of_all(step, number, exchange.kind, exchange.size_bytes, "layers")

    def handed_over(self, step: int, number: int, host: str, transfer: Transfer) -> Collective:
        """One tensor that a stage of the model hands to the next one, or back."""
        stages = f"{host}/stages {transfer.source} to {transfer.target}"
        return self._call(step, number, "send_recv", stages, 2, transfer.size_bytes, self._within)

    def _of_all(self, step: int, bucket: int, kind: Kind, size: int, group: str = "") -> Collective:
        link = self._between if self._training.hosts > 1 else self._within
        return self._call(step, bucket, kind, group, self._training.together, size, link)

    def _call(
        self, step: int, bucket: int, kind: Kind, group: str, participants: int, size: int, link: Link
    ) -> Collective:
        key = (step, bucket, kind, group)
        if key not in self.collectives:
            self.collectives[key] = Collective(
                self._clock, step, kind, participants, size, link, self._ends, f"{bucket}/{group}"
            )
        return self.collectives[key]

    @property
    def _within(self) -> Link:
        communication = self._training.communication
        return Link(
            communication.link_gbps or self._training.device.bus_gbps,
            communication.call_ns,
            communication.hop_ns,
        )

    @property
    def _between(self) -> Link:
        """A ring is as fast as its slowest part."""
        communication, within = self._training.communication, self._within
        return Link(
            min(within.bus_gbps, communication.network_gbps or within.bus_gbps),
            communication.call_ns,
            max(within.hop_ns, communication.network_hop_ns),
        )


@dataclass(frozen=True)
class Bucket:
    """Gradients or weights that are ready for their collectives, one after the other."""

    number: int
    collectives: tuple[Collective, ...]
    step: int
    after: tuple[Signal, ...]
    done: Signal


@dataclass
class Feed:
    """An input pipeline, the GPUs that it serves, and the batches that they hold already."""

    pipeline: Pipeline
    gpus: tuple[int, ...]
    on_device: Channel[int]

    @property
    def device_id(self) -> int:
        """The id of the iterator that prefetches to the GPUs."""
        return 77 + 2 * self.gpus[0]


class Host:
    """Runs one training on one host from the first step to the last."""

    def __init__(
        self,
        clock: Clock,
        number: int,
        training: Training,
        kernels: Mapping[int, tuple[Kernel, ...]],
        rendezvous: Rendezvous,
        random: Random,
    ) -> None:
        self.number = number
        self.name = name = f"worker{number}"
        self.recording = Recording()
        self.marks: list[tuple[int, int, int]] = []
        # Where the capture of one batch begins and ends.
        self.batch_ns: tuple[int, int] = (0, 0)
        self.input_waits_ns: dict[tuple[int, int], int] = {}
        self._clock = clock
        self._training = training
        self._device = training.device
        self._kernels = kernels
        self._gradients = {index: self._gradients_count(index) for index in kernels}
        self._cpu = None if training.cores is None else Cpu(clock, training.cores)
        self._rendezvous = rendezvous
        self._random = random
        self._correlation = 100
        self._traces_count = 1
        self.gpus = {
            index: Gpu(
                clock,
                name,
                index,
                self.recording,
                training.collector.serialises,
                Arena(self._device.memory_bytes * USABLE_PERCENT // 100),
            )
            for index in kernels
        }
        for gpu in self.gpus.values():
            gpu.memory.allocate(training.model.persistent_bytes)
        # Blocks in use by (GPU, what they hold), the newest last.
        self._blocks: dict[tuple[int, int | str], list[int]] = {}
        self._feeds = self._make_feeds()
        self._compiled = training.communication.launcher == "xla"
        self._buckets: dict[int, Channel[Bucket]] = {}
        self._gathered: dict[int, tuple[Signal, ...]] = {}
        self._transfers = transfers(training, kernels)
        self._arrivals: dict[tuple[int, Transfer], Signal] = {}
        self._losses: dict[int, Signal] = {}
        # The copy from pageable memory that the driver is busy with, per GPU.
        self._copying: dict[int, Signal] = {}
        self._driver_ready: Signal | None = None
        if training.input.prefetch_to_device:
            for feed in self._feeds:
                clock.spawn(self._prefetch_to_device(feed))
        if training.together > 1 and training.communication.reduction != "none":
            for index in self.gpus:
                self._buckets[index] = Channel(clock, training.communication.buckets)
                clock.spawn(self._collective_thread(index))
        clock.spawn(self._train())

    # The Python thread.

    def _train(self) -> Process[None]:
        training = self._training
        for step in range(training.lead_steps + training.steps + 1):
            for work in training.between_steps:
                if step % work.every == 0:
                    yield from self._between(work)
            if training.iterator_outside_step:
                yield from self._eager_get_next(step)
            begin_ns, records_batch = self._clock.now_ns, False
            if training.collector.one_batch and step == training.lead_steps:
                records_batch = True
                yield PROFILER_START_NS
                begin_ns = begin_ns if training.generation == "old" else self._clock.now_ns
                self.batch_ns = (self._clock.now_ns, 0)
                yield BATCH_BEGIN_NS
            for work in training.inside_step:
                if step % work.every == 0:
                    yield from self._between(work)
            if training.eager:
                yield from self._eager_step(step)
            elif training.jax:
                yield from self._call_jitted(step)
            elif training.serial:
                for index in self.gpus:
                    yield from self._call_function(step, (index,))
                    yield from self._read_loss(step, index, step)
            else:
                yield from self._call_function(step, tuple(self.gpus))
            if not training.serial:
                yield from self._read_loss(step, 0, step - training.readback_lag)
            yield RETURN_NS
            self.marks.append((step, begin_ns, self._clock.now_ns))
            if records_batch:
                yield from self._end_batch()
            yield LOOP_NS

    def _end_batch(self) -> Process[None]:
        """What the callback that stops the profiler does before: it writes a summary, op by op."""
        clock = self._clock
        yield self._training.collector.tail_ns
        begin_ns = clock.now_ns
        yield CALLBACK_OP_NS // 3
        if self._training.cpu_threads:
            self.batch_ns = (self.batch_ns[0], clock.now_ns)
            return
        op = "LogicalAnd:LogicalAnd"
        op_ns = clock.now_ns
        name = "LogicalAnd_GPU_DT_BOOL_DT_BOOL_kernel"
        work = DeviceWork(0, "compute", name, op, -1, eager=True, registers=16)
        yield from self._launch(PYTHON, work, SHORTEST_KERNEL_NS)
        self._record(PYTHON, op, op_ns, -1)
        self._record_eager("LogicalAnd", begin_ns)
        yield from self._read_back(0, -1, size_bytes=1)
        for type_, duration_ns in (("WriteSummary", WRITE_NS), ("FlushSummaryWriter", FLUSH_NS)):
            yield CALLBACK_OP_NS
            begin_ns = clock.now_ns
            yield duration_ns
            self._record(PYTHON, f"{type_}:{type_}", begin_ns + FUNCTION_RUN_NS, -1)
            self._record_eager(type_, begin_ns)
        yield CALLBACK_OP_NS
        self.batch_ns = (self.batch_ns[0], clock.now_ns)

    def _record_eager(self, op: str, begin_ns: int) -> None:
        """An op that Python runs by itself."""
        self._record(PYTHON, f"EagerLocalExecute: {op}", begin_ns + 2_000, -1)
        self._record(PYTHON, "EagerExecute", begin_ns, -1, {"eager_op": op, "is_func": 0})

    def _read_back(self, index: int, step: int, size_bytes: int = LOSS_BYTES) -> Process[None]:
        """Wait until a value is computed, then copy it and wait for the copy."""
        begin_ns, compute = self._clock.now_ns, self.gpus[index].stream("compute")
        if compute.last:
            yield compute.last
        yield 3_000
        self._record(PYTHON, "cuStreamSynchronize", begin_ns, step, driver=True)
        work = DeviceWork(index, "d2h", "MemcpyD2H", "", step, size_bytes=size_bytes)
        yield (yield from self._launch(PYTHON, work, self._copy_ns(work)))
        yield SYNC_RETURN_NS

    def _call_function(self, step: int, indices: tuple[int, ...]) -> Process[None]:
        """Call the step's tf.function: it returns when all its ops are launched."""
        clock, training = self._clock, self._training
        traced = training.warm_up and step == 0
        function = "train_function" if training.generation == "old" else "multi_step_on_iterator"
        if training.generation == "trace":
            function = "train_step"
        retraced = self._is_turn(training.retrace_every, step)
        self._traces_count += retraced
        inner = f"__inference_{function}_{1000 * self._traces_count + len(self._kernels[0])}"
        outer_ns = clock.now_ns
        if traced:
            yield TRACING_NS
        if retraced:
            yield from self._build_graph(step)
        yield CALL_NS
        execute_ns = clock.now_ns
        yield 30_000
        if retraced:
            yield self._jittered(INSTANTIATE_OP_NS * len(self._kernels[0]))
        kernel_ns = clock.now_ns
        run_id = 1 + self._random.getrandbits(62)
        flow = 1 + self._random.getrandbits(62)
        yield FUNCTION_RUN_NS
        self._record(PYTHON, "FunctionRun", kernel_ns, step, {"id": run_id, "_r": 1, "_pt": 2, "_p": flow})
        yield from self._run_graph(step, indices, run_id, flow)
        yield 5_000
        self._record(PYTHON, "KernelAndDeviceFunc::Run", kernel_ns - 3_000, step)
        self._record(PYTHON, "EagerKernelExecute", kernel_ns - 6_000, step)
        self._record(PYTHON, f"EagerLocalExecute: {inner}", execute_ns + 4_000, step)
        yield 5_000
        self._record(PYTHON, "EagerExecute", execute_ns, step, {"eager_op": inner, "is_func": 1})
        yield RETURN_NS
        state = "traced-nonXla" if traced or retraced else "notTraced-nonXla"
        stats: dict[str, StatValue] = {"tf_function_call": state, "tracing_count": self._traces_count}
        self._record(PYTHON, function, outer_ns, step, stats)

    def _call_jitted(self, step: int) -> Process[None]:
        """Call the step's compiled function in JAX: Python's thread launches all of it and returns."""
        begin_ns = self._clock.now_ns
        yield CALL_NS // 2
        execute_ns = self._clock.now_ns
        yield FUNCTION_RUN_NS
        for index in self.gpus:
            yield from self._make_buffers(step)
            yield from self._replica(PYTHON, index, step, 0, 0)
        self._record(PYTHON, "PJRT_LoadedExecutable_Execute", execute_ns, step)
        yield RETURN_NS
        self._record(PYTHON, "PjitFunction(train_step)", begin_ns, step)

    def _make_buffers(self, step: int) -> Process[None]:
        """XLA's runtime allocates what a program needs in its first call; later ones find it in the pool."""
        startup, begin_ns = self._training.startup, self._clock.now_ns
        if not startup or not startup.allocating_ns or step != self._training.lead_steps:
            return
        yield startup.allocating_ns // 4
        allocation_ns = self._clock.now_ns
        yield self._jittered(startup.allocating_ns // 2)
        self._record(PYTHON, "DeviceMemAllocator::Alloc", allocation_ns, step)
        yield startup.allocating_ns // 4
        self._record(PYTHON, "Build buffer allocations", begin_ns, step)

    @staticmethod
    def _is_turn(every: int, step: int) -> bool:
        return every > 0 and step % every == 0

    def _build_graph(self, step: int) -> Process[None]:
        """Python runs the step's function once to build a graph; nothing is launched meanwhile."""
        yield 500_000
        begin_ns = self._clock.now_ns
        yield self._jittered(GRAPH_OP_NS * len(self._kernels[0]))
        self._record(PYTHON, "tf.function-graph_building", begin_ns, step)

    def _compile(self, thread: Thread, index: int, step: int) -> Process[None]:
        """XLA compiles the whole step on the thread that is about to launch it."""
        begin_ns = self._clock.now_ns
        whole_ns = self._jittered(COMPILE_OP_NS * len(self._kernels[index]))
        passes_ns = round(COMPILE_PASSES_RATIO * whole_ns)
        yield passes_ns
        self._record(thread, f"HLO Transforms:{HLO_MODULE}", begin_ns, step)
        yield whole_ns - passes_ns  # code generation and assembling record nothing

    def _record_program(self, thread: Thread, program_ns: int, run_ns: int, step: int, run_id: int) -> None:
        """The op that holds XLA's program, and the program's run inside it."""
        self._record(thread, f"{HLO_MODULE}:XLA GPU module", run_ns, step)
        op = "StatefulPartitionedCall"
        stats: dict[str, StatValue] = {"name": op, "kernel_type": op, "step_id": run_id}
        self._record(thread, "ExecutorState::ProcessAsync::Start", program_ns, step, stats)

    def _run_graph(self, step: int, indices: tuple[int, ...], run_id: int, flow: int) -> Process[None]:
        training = self._training
        if not training.iterator_outside_step and not training.input.own_iterators:
            thread = Thread("tf_data_iterator_get_next")
            yield from self._get_next(self._feeds[0], thread, step, run_id)
        if training.cpu_threads:
            yield from self._on_threads(step, {"id": run_id, "iter_num": 0, "_ct": 2, "_c": flow})
            return
        if training.launching.shared_thread:
            thread = Thread("tf_Compute")
            first = step % len(indices) if training.launching.rotating else 0
            for index in indices[first:] + indices[:first]:
                yield from self._on_core(self._replica(thread, index, step, run_id, flow))
            return
        ended = [Signal(self._clock) for _ in indices]
        for index, signal in zip(indices, ended, strict=True):
            private = training.launching.private_threads
            thread = Thread(f"tf_gpu_private_{index}") if private else Thread("tf_Compute", index)
            replica = self._replica(thread, index, step, run_id, flow)
            self._clock.spawn(self._then(replica if private else self._on_core(replica), signal))
        yield from ended

    def _on_threads(self, step: int, process: Mapping[str, StatValue]) -> Process[None]:
        """Run the ops of a step on the processor; gradients of weights beside the others."""
        weights: list[Signal] = []
        main = Thread("tf_Compute", 0)
        process_ns = self._clock.now_ns
        for kernel in self._kernels_of(0, step):
            if kernel.gradient and len(weights) < self._training.cpu_threads - 1:
                weights.append(Signal(self._clock))
                beside = self._on_thread(Thread("tf_Compute", len(weights)), kernel, step)
                self._clock.spawn(self._then(beside, weights[-1]))
                continue
            if kernel.phase == "optimizer" or kernel.gradient:
                yield from weights
                weights = []
            yield from self._on_thread(main, kernel, step)
        self._record_process(main, process_ns, step, process)

    def _on_thread(self, thread: Thread, kernel: Kernel, step: int) -> Process[None]:
        """One op on a thread: the executor finds it, then the thread computes it."""
        yield self._jittered(OP_NS)
        begin_ns = self._clock.now_ns
        yield self._jittered(round(SLOWER * kernel.duration_ns))
        self._record(thread, self._op_name(kernel, 0), begin_ns, step, {"is_eager": 0})

    def _on_core(self, process: Process[None]) -> Process[None]:
        """A thread of the pool that all work of the host shares: it needs one of the host's cores."""
        return process if self._cpu is None else self._cpu.run(process)

    @staticmethod
    def _then(process: Process[None], signal: Signal) -> Process[None]:
        yield from process
        signal.fire()

    def _between(self, work: HostWork) -> Process[None]:
        """Run what the user's Python does between two steps."""
        begin_ns = self._clock.now_ns
        for _ in range(work.calls):
            call_ns = self._clock.now_ns
            yield max(1, round(work.call_ns * self._random.gauss(1, 0.03)))
            if work.op:
                self._record(PYTHON, f"EagerLocalExecute: {work.op}", call_ns + 2_000, -1)
                yield 1_000
                self._record(PYTHON, "EagerExecute", call_ns, -1, {"eager_op": work.op, "is_func": 0})
        if self._training.collector.python_tracer:
            self._record(PYTHON, work.frame, begin_ns, -1)

    def _eager_get_next(self, step: int) -> Process[None]:
        begin_ns = self._clock.now_ns
        yield 20_000
        yield from self._get_next(self._feeds[0], PYTHON, step, 1 + self._random.getrandbits(62))
        self._record(PYTHON, "EagerLocalExecute: IteratorGetNext", begin_ns + 4_000, step)
        yield 5_000
        self._record(PYTHON, "EagerExecute", begin_ns, step, {"eager_op": "IteratorGetNext", "is_func": 0})

    def _eager_step(self, step: int) -> Process[None]:
        """Train without tf.function: Python launches every op itself."""
        if not self._training.iterator_outside_step:
            yield from self._eager_get_next(step)
        begin_ns = self._clock.now_ns
        if self._training.cpu_threads:
            for kernel in self._kernels_of(0, step):
                yield from self._eager_on_cpu(kernel, step)
            return
        yield from self._replica(PYTHON, 0, step, 0, 0)
        if self._training.collector.python_tracer:
            self._record(PYTHON, STEP_FRAME, begin_ns, step)

    def _eager_on_cpu(self, kernel: Kernel, step: int) -> Process[None]:
        """One op that Python runs and waits for."""
        yield self._jittered(OP_NS)
        begin_ns = self._clock.now_ns
        yield self._jittered(round(SLOWER * kernel.duration_ns))
        self._record(PYTHON, f"EagerLocalExecute: {kernel.type}", begin_ns, step)

    def _read_loss(self, step: int, index: int, awaited: int) -> Process[None]:
        """Ask for this step's loss and wait for the one of step ``awaited``."""
        if self._training.cpu_threads:
            return
        gpu = self.gpus[index]
        work = DeviceWork(index, "d2h", "MemcpyD2H", "", step, size_bytes=LOSS_BYTES)
        last = gpu.stream("compute").last
        yield from self._launch(PYTHON, work, self._copy_ns(work), (last,) if last else ())
        loss = gpu.stream("d2h").last
        assert loss is not None
        self._losses[step] = loss
        if awaited in self._losses:
            begin_ns = self._clock.now_ns
            yield 1_500
            yield self._losses.pop(awaited)
            yield 3_000
            name = "cuStreamSynchronize" if awaited == step else "cuEventSynchronize"
            self._record(PYTHON, name, begin_ns, step, driver=True)
        for _ in range(self._training.results.count - 1 if awaited == step else 0):
            yield self._jittered(self._training.results.python_ns)
            yield from self._read_back(index, step)

    # Threads that launch.

    def _replica(self, thread: Thread, index: int, step: int, run_id: int, flow: int) -> Process[None]:
        """Launch all ops of one GPU's part of a step."""
        clock, training, gpu = self._clock, self._training, self.gpus[index]
        communication = training.communication
        if training.launching.late_gpu == index:
            yield training.launching.late_ns
        process = {"id": run_id, "iter_num": 0, "_ct": 2, "_c": flow}
        process_ns = clock.now_ns
        compute = gpu.stream("compute")
        after = self._gathered.pop(index, ())
        if training.input.own_iterators and not training.iterator_outside_step:
            yield from self._get_next(self._feeds[index], thread, step, run_id)
        if not training.input.prefetch_to_device:
            yield training.launching.schedule_ns
            if training.eager or training.launching.shared_thread:
                after = (*after, (yield from self._copy_batch(thread, index, step)))
            else:
                yield from self._receive_batch(thread, index, step, process_ns, process)
                yield training.launching.handover_ns
                process_ns = clock.now_ns
        else:
            yield training.launching.handover_ns
        recompiles = self._compiled and self._is_turn(training.recompile_every, step)
        yield 2_000 if recompiles else 0
        program_ns = clock.now_ns
        if recompiles:
            yield from self._compile(thread, index, step)
        run_ns = clock.now_ns
        kernels = self._kernels_of(index, step)
        if training.jax:
            self._allocate(thread, gpu, kernels[0], step, _most_bytes(kernels), "program")
        detours = self._detours(kernels)
        readings = self._readings(kernels)
        dispatches = self._dispatches(kernels, step)
        allocations = self._allocations(kernels)
        exchanges = self._layer_exchanges(kernels)
        gradients = sum(kernel.gradient for kernel in kernels) if self._buckets else 0
        calls_count = communication.buckets * training.exchanges
        ready = 0
        reducing: list[Bucket] = []
        optimizing, phase = False, "forward"
        for position, kernel in enumerate(kernels):
            yield from self._send(thread, index, step, position)
            if training.handed_over == "nccl":
                for transfer in self._awaited(index, position):
                    after = (*after, (yield from self._hand_over(thread, index, step, transfer)))
            incoming = self._incoming(index, step, position)
            if position in detours or incoming:
                self._record_process(thread, process_ns, step, process)
                if position in detours:
                    after = (*after, (yield from self._detour(thread, index, step, detours[position])))
                if incoming:
                    yield from incoming
                    yield EVENT_POLL_NS
                process_ns = clock.now_ns
            if position in readings:
                yield from self._read(thread, index, step, readings[position])
            if position in dispatches:
                yield from self._choose(thread, gpu, kernel, step, dispatches[position])
            if position in exchanges:
                call = self._exchange(thread, index, step, exchanges.index(position))
                after = (*after, (yield from call))
            if communication.each_batch and (phase, kernel.phase) == ("backward", "forward"):
                after = (*after, *(yield from self._sum(thread, index, reducing)))
                reducing = []
            if communication.search_ns and (phase, kernel.phase) == ("forward", "backward"):
                search_ns = clock.now_ns
                yield self._jittered(communication.search_ns)
                self._record(thread, UNUSED_PARAMETERS, search_ns, step)
            phase = kernel.phase
            if kernel.phase == "optimizer" and not optimizing:
                optimizing = True
                if training.loss_scaling:
                    self._record_process(thread, process_ns, step, process)
                    yield from self._decide(thread, index, step)
                    process_ns = clock.now_ns
                summed = yield from self._sum(thread, index, reducing)
                side = gpu.streams.get("side")
                after = (*after, *summed, *((side.last,) if side and side.last else ()))
            done = yield from self._run_op(thread, index, step, kernel, after, position in allocations)
            after = ()
            if kernel.gradient and gradients:
                computed = (done,) if compute.last is None else (done, compute.last)
                first = 1 + ready * calls_count // gradients
                ready += 1
                for number in range(first, 1 + ready * calls_count // gradients):
                    calls = self._rendezvous.gradients(step, number, self.name, index)
                    reducing.append(Bucket(number, calls, step, computed, Signal(clock)))
                    if communication.overlap:
                        yield from self._reduce(thread, index, reducing[-1])
        yield from self._send(thread, index, step, len(kernels))
        if gradients and communication.reduction == "reduce_scatter_all_gather":
            yield from self._gather_weights(thread, index, step)
        yield 2_000
        if recompiles:
            self._record_program(thread, program_ns, run_ns, step, run_id)
        if training.jax:
            self._free(thread, gpu, step, "program")
        elif not training.eager:
            self._record_process(thread, process_ns, step, process)
            if training.generation == "old":
                done_ns = clock.now_ns
                yield 5_000
                self._record(thread, "ExecutorDoneCallback", done_ns, step, {"id": run_id})

    def _run_op(
        self, thread: Thread, index: int, step: int, kernel: Kernel, after: tuple[Signal, ...], asks: bool
    ) -> Process[Signal]:
        """Run an op, which launches its kernel; ``asks``: the allocator asks the driver for its memory."""
        training, gpu, op_ns = self._training, self.gpus[index], self._clock.now_ns
        if training.eager and training.launching.python_ns:
            yield self._jittered(training.launching.python_ns)
        if training.eager and training.collector.python_tracer:
            yield from self._enter_frames(step)
        if training.launching.dispatch_ns:
            yield self._jittered(training.launching.dispatch_ns)
        launch_ns = self._clock.now_ns
        yield self._jittered(training.launching.schedule_ns)
        if asks:
            yield from self._ask_driver(thread, gpu, step)
        self._account_memory(thread, gpu, kernel, step)
        stream, compute = "compute", gpu.stream("compute")
        if kernel.side and training.compute_streams > 1:
            stream, after = "side", (*after, compute.last) if compute.last else after
        done = yield from self._launch_kernel(thread, gpu, stream, kernel, step, after)
        yield 1_000
        self._record_op(thread, kernel, index, launch_ns, op_ns, step)
        return done

    def _receive_batch(
        self, thread: Thread, index: int, step: int, process_ns: int, process: Mapping[str, StatValue]
    ) -> Process[None]:
        """Wait for the batch, which other threads send; ops that need none are launched meanwhile."""
        sent = []
        for number, size in ((3, self._training.model.batch_bytes), (1, LABEL_BYTES)):
            sent.append(Signal(self._clock))
            sender = Thread("tf_Compute", SENDERS + 2 * index + number // 2)
            op = f"IteratorGetNext/_{number}:_Send"
            sending = self._send_batch(sender, index, step, op, size, {"id": process["id"], "iter_num": 0})
            self._clock.spawn(self._then(sending, sent[-1]))
        for scope, type_ in () if self._compiled else EARLY_OPS:
            yield self._jittered(self._training.launching.schedule_ns)
            name = f"{type_}_GPU_DT_FLOAT_DT_FLOAT_kernel"
            op = f"{self._scoped(scope, index)}:{type_}"
            work = DeviceWork(index, "compute", name, op, step, registers=16)
            yield from self._launch(thread, work, SHORTEST_KERNEL_NS)
        yield 2_000
        self._record_process(thread, process_ns, step, process)
        yield from sent
        yield EVENT_POLL_NS

    def _send_batch(
        self, thread: Thread, index: int, step: int, op: str, size: int, process: Mapping[str, StatValue]
    ) -> Process[None]:
        """Copy a part of the batch on a thread of the executor."""
        begin_ns = self._clock.now_ns
        yield self._jittered(SEND_NS)
        pinned = self._training.input.pinned
        work = DeviceWork(index, "h2d", "MemcpyH2D", op, step, size_bytes=size, pinned=pinned)
        copied = yield from self._launch(thread, work, self._copy_ns(work))
        yield 2_000
        self._record(thread, op, begin_ns + 5_000, step, {"is_eager": 0})
        self._record_process(thread, begin_ns, step, process)
        yield copied

    def _dispatches(self, kernels: tuple[Kernel, ...], step: int) -> dict[int, int]:
        """Before which kernels the executor works on the host, and how long."""
        rows = (d for d in self._training.dispatches if not d.once or step == self._training.lead_steps)
        return {
            position: dispatch.host_ns for dispatch in rows for position in _spread(kernels, dispatch.count)
        }

    def _choose(self, thread: Thread, gpu: Gpu, kernel: Kernel, step: int, host_ns: int) -> Process[None]:
        """Try on the host how best to run an op: nothing tells but the scratch memory that is allocated."""
        self._allocate(thread, gpu, kernel, step, SCRATCH_BYTES, "scratch")
        yield self._jittered(host_ns)
        self._free(thread, gpu, step, "scratch")

    def _kernels_of(self, index: int, step: int) -> tuple[Kernel, ...]:
        spread, op = self._training.uneven_batches, self._training.uneven_op
        kernels, random = self._kernels[index], Random(f"{self._training.seed}/{self.name}/{index}/{step}")
        if op:
            kernels = with_longer(kernels, op.type, round(random.uniform(op.least_ns, op.most_ns)))
        return with_batch(kernels, random.uniform(1 - spread, 1 + spread)) if spread else kernels

    def _record_process(
        self, thread: Thread, begin_ns: int, step: int, stats: Mapping[str, StatValue]
    ) -> None:
        self._record(thread, "ExecutorState::Process", begin_ns, step, stats)

    def _detours(self, kernels: tuple[Kernel, ...]) -> dict[int, Detour]:
        forward = sum(kernel.phase == "forward" for kernel in kernels)
        return {1 + int(detour.position * (forward - 1)): detour for detour in self._training.detours}

    def _readings(self, kernels: tuple[Kernel, ...]) -> dict[int, Reading]:
        """After which kernels something is read back."""
        return {
            position: reading
            for reading in self._training.readings
            for position in _spread(kernels, reading.count)
        }

    def _allocations(self, kernels: tuple[Kernel, ...]) -> frozenset[int]:
        """For which kernels the driver is asked for memory."""
        asked = self._training.allocations
        return frozenset(_spread(kernels, asked.count) if asked else ())

    def _ask_driver(self, thread: Thread, gpu: Gpu, step: int) -> Process[None]:
        """Free what the allocator has kept, which waits for the GPU, and allocate."""
        asked = self._training.allocations
        assert asked is not None
        begin_ns = self._clock.now_ns
        if asked.free_ns:
            if last := gpu.stream("compute").last:
                yield last
            yield self._jittered(asked.free_ns)
            self._record(thread, "cuMemFree_v2", begin_ns, step, driver=True)
            begin_ns = self._clock.now_ns
        yield self._jittered(asked.allocate_ns)
        self._record(thread, "cuMemAlloc_v2", begin_ns, step, driver=True)

    def _layer_exchanges(self, kernels: tuple[Kernel, ...]) -> list[int]:
        """Before which kernels GPUs exchange what these need."""
        exchange = self._training.layer_exchange
        return list(_spread(kernels, exchange.count)) if exchange and self._training.together > 1 else []

    def _exchange(self, thread: Thread, index: int, step: int, number: int) -> Process[Signal]:
        """Launch a call of the collective library that begins when all before it is computed."""
        exchange = self._training.layer_exchange
        assert exchange is not None
        call = self._rendezvous.within_model(step, number, exchange)
        last = self.gpus[index].stream("compute").last
        bucket = Bucket(LAYER_NUMBERS + number, (call,), step, (last,) if last else (), Signal(self._clock))
        done = yield from self._launch_collectives(thread, index, bucket, "layers")
        return done

    def _launch_kernel(
        self, thread: Thread, gpu: Gpu, stream: str, kernel: Kernel, step: int, after: tuple[Signal, ...]
    ) -> Process[Signal]:
        work = DeviceWork(
            gpu.index,
            stream,
            kernel.name,
            XLA_OP if self._compiled else self._op_name(kernel, gpu.index),
            step,
            hlo_op=kernel.op if self._compiled else "",
            eager=self._training.eager,
            registers=kernel.registers,
            shared_bytes=kernel.shared_bytes,
            grid=kernel.work.grid(kernel.name, self._device),
            shape=kernel.shape,
            work=kernel.work,
            op_name=kernel.op_name,
            phase=kernel.phase,
            pages_ns=kernel.pages_ns,
        )
        if kernel.type.startswith("Conv2D"):
            for _ in range(self._candidates(step)):
                done = yield from self._launch(thread, work, self._jittered(2 * kernel.duration_ns), after)
                for _ in range(REDZONE_CHECKS):
                    check = replace(work, name="redzone_checker", work=NOTHING, shape="")
                    done = yield from self._launch(thread, check, self._jittered(REDZONE_CHECK_NS))
                begin_ns = self._clock.now_ns
                yield done
                yield 2_000
                self._record(thread, "cuStreamSynchronize", begin_ns, step, driver=True)
        done = yield from self._launch(thread, work, self._jittered(kernel.duration_ns), after)
        return done

    def _candidates(self, step: int) -> int:
        """How many algorithms a step tries out for each convolution."""
        startup = self._training.startup
        if startup and step == self._training.lead_steps:
            return startup.candidates
        return AUTOTUNE_CANDIDATES if self._training.warm_up and step == 0 else 0

    def _op_name(self, kernel: Kernel, index: int) -> str:
        """The op as the profiler names it, with the replica's scope; eager ops have no scope."""
        if self._training.eager:
            return f"{kernel.type}:{kernel.type}"
        return f"{self._scoped(kernel.op, index)}:{kernel.type}"

    def _scoped(self, scope: str, index: int) -> str:
        if index and not self._training.pipeline_stages:
            head, tape, tail = scope.rpartition("gradient_tape/")
            scope = f"{head}{tape}replica_{index}/{tail}"
        if self._training.generation != "old":
            scope = f"StatefulPartitionedCall/{scope}"
        return scope

    def _record_op(
        self, thread: Thread, kernel: Kernel, index: int, launch_ns: int, op_ns: int, step: int
    ) -> None:
        if self._compiled or not self._training.collector.op_events:
            return
        if not self._training.eager:
            self._record(thread, self._op_name(kernel, index), launch_ns, step, {"is_eager": 0})
            return
        self._record(thread, f"EagerLocalExecute: {kernel.type}", launch_ns, step)
        if self._training.collector.python_tracer:
            for depth, frame in enumerate(FRAMES):
                self._record(thread, frame, op_ns + depth * FRAME_NS, step)

    def _enter_frames(self, step: int) -> Process[None]:
        """Calls around an eager op; the tracer stops Python at each of them."""
        yield FRAME_NS * len(FRAMES)
        for _ in range(FRAME_CALLS_PER_OP):
            begin_ns = self._clock.now_ns
            yield self._jittered(4 * FRAME_NS)
            self._record(PYTHON, "$tensor_conversion.py:160 convert_to_tensor", begin_ns, step)

    def _launch(
        self,
        thread: Thread,
        work: DeviceWork,
        duration_ns: int,
        after: tuple[Signal, ...] = (),
        collective: Collective | None = None,
    ) -> Process[Signal]:
        """Call the driver; it returns at once, but a copy from pageable memory holds it until the end.

        Meanwhile the driver is locked: calls of other threads for this GPU are stuck.
        """
        clock, launching = self._clock, self._training.launching
        done = Signal(clock)
        begin_ns = clock.now_ns
        correlation = self._correlation
        self._correlation += 1
        yield self._jittered(launching.call_ns)
        yield from self._be_held(work.step)
        while (copying := self._copying.get(work.gpu)) and not copying.fired:
            yield copying
        queued = Queued(
            work, correlation, duration_ns, done, clock.now_ns + launching.latency_ns, after, collective
        )
        self.gpus[work.gpu].stream(work.stream).enqueue(queued)
        if not work.pinned:
            self._copying[work.gpu] = done
            yield done
        self.recording.launches.append(LaunchEvent(thread, work, correlation, begin_ns, clock.now_ns))
        return done

    def _be_held(self, step: int) -> Process[None]:
        """The first call of a recording waits while the driver sets itself up, and so do calls beside it."""
        startup = self._training.startup
        if not startup or not startup.held_ns:
            return
        if self._driver_ready is None and step == self._training.lead_steps:
            self._driver_ready = Signal(self._clock)
            yield startup.held_ns
            self._driver_ready.fire()
        elif self._driver_ready and not self._driver_ready.fired:
            yield self._driver_ready

    # Collectives.

    def _sum(self, thread: Thread, index: int, buckets: list[Bucket]) -> Process[tuple[Signal, ...]]:
        """What the end of the exchange of these buckets fires; without overlap, it begins only now."""
        last = self.gpus[index].stream("compute").last
        for bucket in () if self._training.communication.overlap else buckets:
            yield from self._reduce(thread, index, replace(bucket, after=(last,) if last else ()))
        return tuple(bucket.done for bucket in buckets)

    def _reduce(self, thread: Thread, index: int, bucket: Bucket) -> Process[None]:
        """XLA launches its collectives like its kernels, TensorFlow hands them to the library's thread."""
        if self._compiled:
            yield from self._launch_collectives(thread, index, bucket)
        else:
            yield from self._buckets[index].put(bucket)

    def _gather_weights(self, thread: Thread, index: int, step: int) -> Process[None]:
        """Collect what the others' optimizers updated; the next step cannot begin without it."""
        last = self.gpus[index].stream("compute").last
        gathered: list[Signal] = []
        for number in range(1, 1 + self._training.communication.buckets):
            gathered.append(Signal(self._clock))
            call = (self._rendezvous.weights(step, number),)
            yield from self._reduce(
                thread, index, Bucket(number, call, step, (last,) if last else (), gathered[-1])
            )
        self._gathered[index] = tuple(gathered)

    def _collective_thread(self, index: int) -> Process[None]:
        """The collective library's thread of one GPU."""
        thread = Thread("nccl_kernel_launch", index)
        while True:
            bucket = yield from self._buckets[index].get()
            yield from self._launch_collectives(thread, index, bucket)

    def _launch_collectives(
        self, thread: Thread, index: int, bucket: Bucket, stream: str = "nccl"
    ) -> Process[Signal]:
        launcher = self._training.communication.launcher
        for collective in bucket.collectives:
            begin_ns = self._clock.now_ns
            yield COLLECTIVE_CALL_NS
            kind = collective.kind
            name = f"nccl{TITLES[kind]}"
            op = {"tensorflow": name, "tensorflow_without_size": "", "xla": XLA_OP}[launcher]
            size = buffer_bytes(kind, collective.participants, collective.payload_bytes)
            start = "-start" if self._training.communication.overlap else ""
            work = DeviceWork(
                index,
                stream,
                name,
                op,
                bucket.step,
                collective=kind,
                buffer_bytes=size,
                payload_bytes=collective.payload_bytes,
                participants=collective.participants,
                hlo_op=f"{kind.replace('_', '-')}{start}.{bucket.number}" if self._compiled else "",
            )
            done = yield from self._launch(thread, work, 0, bucket.after, collective)
            if launcher == "tensorflow":
                stats: dict[str, StatValue] = {"buffer_size": size, "collective_type": kind}
                self._record(thread, name, begin_ns, bucket.step, stats)
        self._clock.spawn(self._relay(done, bucket.done))
        return done

    @staticmethod
    def _relay(first: Signal, second: Signal) -> Process[None]:
        yield first
        second.fire()

    # Tensors that leave their GPU.

    def _send(self, thread: Thread, index: int, step: int, position: int) -> Process[None]:
        """Copy to siblings what they wait for, once this GPU has computed it."""
        for transfer in self._transfers:
            if transfer.source != index or transfer.send_at != position:
                continue
            if self._training.handed_over == "nccl":
                yield from self._hand_over(thread, index, step, transfer)
                continue
            begin_ns = self._clock.now_ns
            yield self._jittered(self._training.launching.schedule_ns)
            work = DeviceWork(
                index,
                "p2p",
                "MemcpyP2P",
                transfer.op,
                step,
                size_bytes=transfer.size_bytes,
                target=transfer.target,
            )
            last = self.gpus[index].stream("compute").last
            done = yield from self._launch(thread, work, self._copy_ns(work), (last,) if last else ())
            self._record(thread, transfer.op, begin_ns, step, {"is_eager": 0})
            self._clock.spawn(self._relay(done, self._arrival(step, transfer)))

    def _incoming(self, index: int, step: int, position: int) -> tuple[Signal, ...]:
        """Copies that a GPU needs of its siblings before it can go on."""
        if self._training.handed_over == "nccl":
            return ()
        return tuple(self._arrival(step, transfer) for transfer in self._awaited(index, position))

    def _awaited(self, index: int, position: int) -> list[Transfer]:
        return [t for t in self._transfers if t.target == index and t.receive_at == position]

    def _hand_over(self, thread: Thread, index: int, step: int, transfer: Transfer) -> Process[Signal]:
        """Launch the library's call that sends or receives a tensor. Each two stages have a stream for that;
        who receives waits there from the call on, who sends begins when the tensor is computed."""
        call = self._rendezvous.handed_over(step, self._transfers.index(transfer), self.name, transfer)
        last = self.gpus[index].stream("compute").last if index == transfer.source else None
        stream = "layers" if min(transfer.source, transfer.target) % 2 else "nccl"
        bucket = Bucket(LAYER_NUMBERS, (call,), step, (last,) if last else (), Signal(self._clock))
        done = yield from self._launch_collectives(thread, index, bucket, stream)
        return done

    def _arrival(self, step: int, transfer: Transfer) -> Signal:
        return self._arrivals.setdefault((step, transfer), Signal(self._clock))

    def _detour(self, thread: Thread, index: int, step: int, detour: Detour) -> Process[Signal]:
        """Copy a tensor to the host, run an op on it there, copy the result back."""
        clock, launching = self._clock, self._training.launching
        compute = self.gpus[index].stream("compute")
        name = detour.op.rpartition("/")[2]
        op = f"{detour.op}:{name}"
        out = DeviceWork(index, "d2h", "MemcpyD2H", op, step, size_bytes=detour.op_bytes)
        arrived = yield from self._launch(
            thread, out, self._copy_ns(out), (compute.last,) if compute.last else ()
        )
        yield arrived
        worker = Thread("tf_Compute", WORKERS + index)
        begin_ns = clock.now_ns
        yield self._jittered(detour.host_ns)
        self._record(worker, op, begin_ns, step, {"is_eager": 0})
        yield launching.schedule_ns
        back = DeviceWork(index, "h2d", "MemcpyH2D", op, step, size_bytes=detour.op_bytes)
        returned = yield from self._launch(thread, back, self._copy_ns(back))
        return returned

    def _read(self, thread: Thread, index: int, step: int, reading: Reading) -> Process[None]:
        """An op that reads a few bytes of its result and waits for them, as solvers and box filters do."""
        compute = self.gpus[index].stream("compute")
        op = f"{reading.op}:{reading.op.rpartition('/')[2]}"
        op_ns = self._clock.now_ns
        yield self._jittered(self._training.launching.schedule_ns)
        work = DeviceWork(index, "d2h", "MemcpyD2H", op, step, size_bytes=LOSS_BYTES)
        after = (compute.last,) if compute.last else ()
        arrived = yield from self._launch(thread, work, self._copy_ns(work), after)
        begin_ns = self._clock.now_ns
        yield arrived
        yield SYNC_RETURN_NS
        self._record(thread, "cuStreamSynchronize", begin_ns, step, driver=True)
        yield self._jittered(reading.host_ns)
        self._record(thread, op, op_ns, step, {"is_eager": 0})

    def _decide(self, thread: Thread, index: int, step: int) -> Process[None]:
        """Fetch whether all gradients are finite, then start the branch that applies them."""
        scaling = self._training.loss_scaling
        assert scaling is not None
        variables = sum(kernel.phase == "optimizer" for kernel in self._kernels[index])
        compute = self.gpus[index].stream("compute")
        op = self._scoped("All" if self._training.generation != "old" else "IsFinite/strided_slice", index)
        work = DeviceWork(index, "d2h", "MemcpyD2H", f"{op}:_Send", step, size_bytes=1)
        after = (compute.last,) if compute.last else ()
        yield (yield from self._launch(thread, work, self._copy_ns(work), after))
        yield EVENT_POLL_NS
        yield self._jittered(scaling.branch_ns + variables * scaling.switch_ns)

    # Input.

    def _make_feeds(self) -> tuple[Feed, ...]:
        """One pipeline for all GPUs that take a batch, or one for each."""
        training = self._training
        fed = (0,) if training.pipeline_stages else tuple(self.gpus)
        groups = [(index,) for index in fed] if training.input.own_iterators else [fed]
        machine, feeds = Machine(self._clock), []
        for group in groups:
            spec = training.input
            if spec.own_iterators and spec.late_gpu == group[0]:
                spec = replace(spec, map_ns=round(spec.late_factor * spec.map_ns))
            size = len(group) * training.model.batch_bytes
            pipeline = Pipeline(
                self._clock, self.recording, spec, self._random, machine, group[0], size, self._cpu
            )
            feeds.append(Feed(pipeline, group, Channel(self._clock, DEVICE_BUFFER)))
        return tuple(feeds)

    def _get_next(self, feed: Feed, thread: Thread, step: int, run_id: int) -> Process[None]:
        begin_ns = self._clock.now_ns
        if not self._training.input.prefetch_to_device:
            yield from feed.pipeline.get_next(thread, step, run_id)
        else:
            yield GET_NEXT_NS
            inner_ns = self._clock.now_ns
            buffered = len(feed.on_device.items)
            element = yield from feed.on_device.get()
            self._record(thread, "PrefetchConsume", self._clock.now_ns, step, {"element_id": element})
            stats: dict[str, StatValue] = {
                "id": feed.device_id,
                "buffer_limit": DEVICE_BUFFER,
                "autotune": "false",
            }
            if buffered:
                stats["buffered_elements"] = buffered
            self._record(thread, "Iterator::Prefetch", inner_ns, step, stats)
            yield GET_NEXT_NS // 3
            size = len(feed.gpus) * self._training.model.batch_bytes
            request = {"id": run_id, "iter_num": 0, "element_size": size}
            self._record(thread, "IteratorGetNextOp::DoCompute", begin_ns, step, request)
        for index in feed.gpus:
            self.input_waits_ns[step, index] = self._clock.now_ns - begin_ns

    def _prefetch_to_device(self, feed: Feed) -> Process[None]:
        """Fetch batches and copy them to the GPUs before a step asks for them."""
        thread = Thread(BACKGROUND, 1 + THREADS_PER_PIPELINE * feed.gpus[0])
        element = 1_000_000 * feed.device_id
        while True:
            begin_ns = self._clock.now_ns
            yield from feed.pipeline.get_next(thread, -1, None)
            copied = []
            for index in feed.gpus:
                copied.append((yield from self._copy_batch(thread, index, -1)))
            yield from copied
            element += 1
            ids: dict[str, StatValue] = {"id": feed.device_id + 1, "parent_id": feed.device_id}
            self._record(thread, "Iterator::Prefetch::Generator", begin_ns + INSIDE_NS, -1, ids)
            self._record(thread, "PrefetchProduce", begin_ns, -1, {"element_id": element})
            yield from feed.on_device.put(element)

    def _copy_batch(self, thread: Thread, index: int, step: int) -> Process[Signal]:
        """Copy a batch from the thread that needs it, and go on: kernels wait for it on the GPU."""
        pinned = self._training.input.pinned
        size = self._training.model.batch_bytes
        op = "" if step < 0 else "IteratorGetNext:IteratorGetNext"
        work = DeviceWork(index, "h2d", "MemcpyH2D", op, step, size_bytes=size, pinned=pinned)
        copied = yield from self._launch(thread, work, self._copy_ns(work))
        return copied

    def _copy_ns(self, work: DeviceWork) -> int:
        gbps = self._device.pinned_gbps if work.pinned else self._device.pageable_gbps
        if work.copy == "p2p":
            gbps = self._training.communication.link_gbps or self._device.bus_gbps
        return COPY_SETUP_NS + round(work.size_bytes / gbps)

    # Bookkeeping.

    def _jittered(self, mean_ns: int) -> int:
        return max(500, round(mean_ns * self._random.gauss(1, self._training.jitter)))

    def _record(
        self,
        thread: Thread,
        name: str,
        start_ns: int,
        step: int,
        stats: Mapping[str, StatValue] | None = None,
        *,
        driver: bool = False,
    ) -> None:
        self.recording.host.append(
            HostEvent(thread, name, start_ns, self._clock.now_ns, step, stats or {}, driver)
        )

    def _account_memory(self, thread: Thread, gpu: Gpu, kernel: Kernel, step: int) -> None:
        """TensorFlow allocates and frees when it launches, not when the kernel runs.

        What an op keeps is freed by its gradient, the newest of that size first; gradients live until the
        optimizer has applied them. What is soon used up is known by its shape; it takes the place of what its
        neighbors had, and so never more than is in use at the peak.
        """
        if self._training.jax:  # the program has all its memory in one piece
            return
        output = kernel.work.output
        if kernel.keeps_bytes:
            self._allocate(thread, gpu, kernel, step, kernel.keeps_bytes, kernel.keeps_bytes, output)
        if kernel.frees_bytes:
            self._free(thread, gpu, step, kernel.frees_bytes)
        if output and not kernel.keeps_bytes:
            size = math.prod(output) * ELEMENT_BYTES[kernel.work.format]
            self._allocate(thread, gpu, kernel, step, size, "passing", output)
            self._free(thread, gpu, step, "passing")
        number, held = self._gradients[gpu.index], self._blocks.get((gpu.index, "gradients"), ())
        if kernel.gradient and len(held) < number:
            size = self._training.model.parameters * FLOAT_BYTES // number
            self._allocate(thread, gpu, kernel, step, size, "gradients")
        if kernel.phase == "optimizer" and self._blocks.get((gpu.index, "gradients")):
            self._free(thread, gpu, step, "gradients")

    def _gradients_count(self, index: int) -> int:
        """How many gradients an update needs, each with an even share of the bytes."""
        rows = self._kernels.values() if self._training.pipeline_stages else (self._kernels[index],)
        return sum(kernel.gradient for row in rows for kernel in row) // self._training.exchanges

    def _allocate(
        self,
        thread: Thread,
        gpu: Gpu,
        kernel: Kernel,
        step: int,
        size_bytes: int,
        content: int | str,
        shape: tuple[int, ...] = (),
    ) -> None:
        """``shape``: that of the op's result, as the profiler writes it."""
        memory = gpu.memory
        address = memory.allocate(min(size_bytes, memory.spare_bytes) if content == "passing" else size_bytes)
        self._blocks.setdefault((gpu.index, content), []).append(address)
        stats: dict[str, StatValue] = {
            "requested_bytes": size_bytes,
            "allocation_bytes": gpu.memory.blocks[address],
            "data_type": 0,
        }
        if not self._training.jax:
            stats |= {
                "tf_op": self._op_name(kernel, gpu.index).rpartition(":")[0],
                "region_type": "output",
                "data_type": DATA_TYPES[kernel.work.format if shape else self._training.precision],
            }
        if shape and not self._compiled:
            stats["shape"] = f"[{','.join(map(str, shape))}]"
        self._record_memory(thread, gpu, "MemoryAllocation", step, address, stats)

    def _free(self, thread: Thread, gpu: Gpu, step: int, content: int | str) -> None:
        address = self._blocks[gpu.index, content].pop()
        size_bytes = gpu.memory.release(address)
        stats: dict[str, StatValue] = {"requested_bytes": size_bytes, "allocation_bytes": size_bytes}
        self._record_memory(thread, gpu, "MemoryDeallocation", step, address, stats | {"data_type": 0})

    def _record_memory(
        self, thread: Thread, gpu: Gpu, name: str, step: int, address: int, stats: dict[str, StatValue]
    ) -> None:
        memory = gpu.memory
        state: dict[str, StatValue] = {
            "allocator_name": f"GPU_{gpu.index}_bfc",
            "bytes_reserved": 0,
            "bytes_allocated": memory.used_bytes,
            "bytes_available": memory.capacity_bytes - memory.used_bytes,
            "fragmentation": memory.fragmentation,
            "peak_bytes_in_use": memory.peak_bytes,
            "addr": address,
            "id": 0,
        }
        self._record(thread, name, self._clock.now_ns, step, state | stats)


def _most_bytes(kernels: tuple[Kernel, ...]) -> int:
    """What a step needs at most of what its kernels keep and free."""
    return max(accumulate(kernel.keeps_bytes - kernel.frees_bytes for kernel in kernels))


def _spread(kernels: tuple[Kernel, ...], count: int) -> Iterator[int]:
    """Positions of ``count`` kernels, evenly spread over the forward and the backward pass."""
    body = sum(kernel.phase != "optimizer" for kernel in kernels)
    for number in range(count):
        yield 1 + (number * (body - 1)) // count
