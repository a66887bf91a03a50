"""One host: the Python thread that trains, the threads that launch, and what they put on the GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random

from demo.simulator.clock import Channel, Clock, Process, Signal
from demo.simulator.devices import Device
from demo.simulator.gpu import Collective, Gpu, Queued
from demo.simulator.input_pipeline import GET_NEXT_NS, Pipeline
from demo.simulator.models import FLOAT_BYTES, Kernel
from demo.simulator.record import DeviceWork, HostEvent, LaunchEvent, Recording, StatValue, Thread
from demo.simulator.training import Detour, HostWork, Training

PYTHON = Thread("python")
# Costs of Python and of TensorFlow's runtime around one call of the step's function.
CALL_NS = 120_000
RETURN_NS = 40_000
LOOP_NS = 25_000
FUNCTION_RUN_NS = 15_000
COPY_SETUP_NS = 2_000
LOSS_BYTES = 4
# One call of the collective library.
COLLECTIVE_CALL_NS = 12_000
# How long tracing a function and trying kernels takes in the first step.
TRACING_NS = 180_000_000
AUTOTUNE_CANDIDATES = 2
DEVICE_BUFFER = 2
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


@dataclass
class Rendezvous:
    """The collectives of all hosts, by step and bucket."""

    clock: Clock
    participants: int
    bucket_bytes: int
    bus_gbps: float
    collectives: dict[tuple[int, int], Collective] = field(default_factory=dict)

    def collective(self, step: int, bucket: int) -> Collective:
        if (step, bucket) not in self.collectives:
            self.collectives[step, bucket] = Collective(
                self.clock, step, self.participants, self.bucket_bytes, self.bus_gbps
            )
        return self.collectives[step, bucket]


@dataclass(frozen=True)
class Bucket:
    """A part of the gradients that is ready to be summed over the GPUs."""

    collective: Collective
    step: int
    after: tuple[Signal, ...]
    done: Signal


class Host:
    """Runs one training on one host from the first step to the last."""

    def __init__(
        self,
        clock: Clock,
        name: str,
        training: Training,
        kernels: Mapping[int, tuple[Kernel, ...]],
        rendezvous: Rendezvous,
        random: Random,
    ) -> None:
        self.name = name
        self.recording = Recording()
        self.marks: list[tuple[int, int, int]] = []
        self.input_waits_ns: dict[int, int] = {}
        self._clock = clock
        self._training = training
        self._device: Device = training.device
        self._kernels = kernels
        self._rendezvous = rendezvous
        self._random = random
        self._correlation = 100
        self.gpus = {
            index: Gpu(clock, name, index, self.recording, training.collector.serialises) for index in kernels
        }
        for gpu in self.gpus.values():
            gpu.allocate(training.model.persistent_bytes)
        self._pipeline = Pipeline(clock, self.recording, training.input, random)
        self._on_device: Channel[int] = Channel(clock, DEVICE_BUFFER)
        self._buckets: dict[int, Channel[Bucket]] = {}
        self._losses: dict[int, Signal] = {}
        if training.input.prefetch_to_device:
            clock.spawn(self._prefetch_to_device())
        if rendezvous.participants > 1:
            for index in self.gpus:
                self._buckets[index] = Channel(clock, training.allreduce_buckets)
                clock.spawn(self._collective_thread(index))
        clock.spawn(self._train())

    # The Python thread.

    def _train(self) -> Process[None]:
        training = self._training
        for step in range(training.lead_steps + training.steps + 1):
            for work in training.between_steps:
                yield from self._between(work)
            if training.iterator_outside_step:
                yield from self._eager_get_next(step)
            begin_ns = self._clock.now_ns
            if training.eager:
                yield from self._eager_step(step)
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
            yield LOOP_NS

    def _call_function(self, step: int, indices: tuple[int, ...]) -> Process[None]:
        """Call the step's tf.function: it returns when all its ops are launched."""
        clock, training = self._clock, self._training
        traced = training.warm_up and step == 0
        function = "train_function" if training.generation == "old" else "multi_step_on_iterator"
        if training.generation == "trace":
            function = "train_step"
        inner = f"__inference_{function}_{1000 + len(self._kernels[0])}"
        outer_ns = clock.now_ns
        if traced:
            yield TRACING_NS
        yield CALL_NS
        execute_ns = clock.now_ns
        yield 30_000
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
        state = "traced-nonXla" if traced else "notTraced-nonXla"
        self._record(PYTHON, function, outer_ns, step, {"tf_function_call": state, "tracing_count": 1})

    def _run_graph(self, step: int, indices: tuple[int, ...], run_id: int, flow: int) -> Process[None]:
        if not self._training.iterator_outside_step:
            thread = Thread("tf_data_iterator_get_next")
            yield from self._get_next(thread, step, run_id)
        if self._training.launching.shared_thread:
            thread = Thread("tf_Compute")
            for index in indices:
                yield from self._replica(thread, index, step, run_id, flow)
            return
        ended = [Signal(self._clock) for _ in indices]
        for index, signal in zip(indices, ended, strict=True):
            private = self._training.launching.private_threads
            thread = Thread(f"tf_gpu_private_{index}") if private else Thread("tf_Compute", index)
            self._clock.spawn(self._then(self._replica(thread, index, step, run_id, flow), signal))
        yield from ended

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
        yield from self._get_next(PYTHON, step, 1 + self._random.getrandbits(62))
        self._record(PYTHON, "EagerLocalExecute: IteratorGetNext", begin_ns + 4_000, step)
        yield 5_000
        self._record(PYTHON, "EagerExecute", begin_ns, step, {"eager_op": "IteratorGetNext", "is_func": 0})

    def _eager_step(self, step: int) -> Process[None]:
        """Train without tf.function: Python launches every op itself."""
        if not self._training.iterator_outside_step:
            yield from self._eager_get_next(step)
        begin_ns = self._clock.now_ns
        yield from self._replica(PYTHON, 0, step, 0, 0)
        if self._training.collector.python_tracer:
            self._record(PYTHON, STEP_FRAME, begin_ns, step)

    def _read_loss(self, step: int, index: int, awaited: int) -> Process[None]:
        """Ask for this step's loss and wait for the one of step ``awaited``."""
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

    # Threads that launch.

    def _replica(self, thread: Thread, index: int, step: int, run_id: int, flow: int) -> Process[None]:
        """Launch all ops of one GPU's part of a step."""
        clock, training, gpu = self._clock, self._training, self.gpus[index]
        process = {"id": run_id, "iter_num": 0, "_ct": 2, "_c": flow}
        process_ns = clock.now_ns
        compute = gpu.stream("compute")
        after: tuple[Signal, ...] = ()
        if not training.input.prefetch_to_device:
            yield training.launching.schedule_ns
            after = ((yield from self._copy_batch(thread, index, step)),)
        kernels = self._kernels[index]
        detours = self._detours(kernels)
        gradients = sum(kernel.gradient for kernel in kernels)
        ready = 0
        summed: list[Signal] = []
        optimizing = False
        for position, kernel in enumerate(kernels):
            if position in detours:
                self._record_process(thread, process_ns, step, process)
                after = (*after, (yield from self._detour(thread, index, step, detours[position])))
                process_ns = clock.now_ns
            op_ns = clock.now_ns
            if training.eager and training.collector.python_tracer:
                yield from self._enter_frames(step)
            launch_ns = clock.now_ns
            yield self._jittered(training.launching.schedule_ns)
            self._account_memory(thread, gpu, kernel, step)
            if kernel.phase == "optimizer" and not optimizing:
                optimizing = True
                side = gpu.streams.get("side")
                after = (*after, *summed, *((side.last,) if side and side.last else ()))
            stream = "side" if kernel.side and training.compute_streams > 1 else "compute"
            if stream == "side" and compute.last:
                after = (*after, compute.last)
            done = yield from self._launch_kernel(thread, gpu, stream, kernel, step, after)
            after = ()
            yield 1_000
            self._record_op(thread, kernel, index, launch_ns, op_ns, step)
            if kernel.gradient and self._buckets:
                ready += 1
                bucket = ready * training.allreduce_buckets // gradients
                if bucket > (ready - 1) * training.allreduce_buckets // gradients:
                    signal = Signal(clock)
                    summed.append(signal)
                    collective = self._rendezvous.collective(step, bucket)
                    last = (done,) if compute.last is None else (done, compute.last)
                    yield from self._buckets[index].put(Bucket(collective, step, last, signal))
        yield 2_000
        if not training.eager:
            self._record_process(thread, process_ns, step, process)

    def _record_process(
        self, thread: Thread, begin_ns: int, step: int, stats: Mapping[str, StatValue]
    ) -> None:
        self._record(thread, "ExecutorState::Process", begin_ns, step, stats)

    def _detours(self, kernels: tuple[Kernel, ...]) -> dict[int, Detour]:
        forward = sum(kernel.phase == "forward" for kernel in kernels)
        return {1 + int(detour.position * (forward - 1)): detour for detour in self._training.detours}

    def _launch_kernel(
        self, thread: Thread, gpu: Gpu, stream: str, kernel: Kernel, step: int, after: tuple[Signal, ...]
    ) -> Process[Signal]:
        work = DeviceWork(
            gpu.index,
            stream,
            kernel.name,
            self._op_name(kernel, gpu.index),
            step,
            eager=self._training.eager,
            registers=kernel.registers,
            shared_bytes=kernel.shared_bytes,
            grid=self._device.multiprocessors * 2,
        )
        if self._training.warm_up and step == 0 and kernel.type.startswith("Conv2D"):
            for _ in range(AUTOTUNE_CANDIDATES):
                done = yield from self._launch(thread, work, self._jittered(2 * kernel.duration_ns), after)
                begin_ns = self._clock.now_ns
                yield done
                yield 2_000
                self._record(thread, "cuStreamSynchronize", begin_ns, step, driver=True)
        done = yield from self._launch(thread, work, self._jittered(kernel.duration_ns), after)
        return done

    def _op_name(self, kernel: Kernel, index: int) -> str:
        """The op as the profiler names it, with the replica's scope; eager ops have no scope."""
        if self._training.eager:
            return f"{kernel.type}:{kernel.type}"
        scope = kernel.op
        if index:
            head, tape, tail = scope.rpartition("gradient_tape/")
            scope = f"{head}{tape}replica_{index}/{tail}"
        if self._training.generation != "old":
            scope = f"StatefulPartitionedCall/{scope}"
        return f"{scope}:{kernel.type}"

    def _record_op(
        self, thread: Thread, kernel: Kernel, index: int, launch_ns: int, op_ns: int, step: int
    ) -> None:
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
        """Call the driver; it returns at once, but a copy from pageable memory holds it until the end."""
        clock, launching = self._clock, self._training.launching
        done = Signal(clock)
        begin_ns = clock.now_ns
        correlation = self._correlation
        self._correlation += 1
        yield self._jittered(launching.call_ns)
        queued = Queued(
            work, correlation, duration_ns, done, clock.now_ns + launching.latency_ns, after, collective
        )
        self.gpus[work.gpu].stream(work.stream).enqueue(queued)
        if not work.pinned:
            yield done
        self.recording.launches.append(LaunchEvent(thread, work, correlation, begin_ns, clock.now_ns))
        return done

    def _collective_thread(self, index: int) -> Process[None]:
        """The collective library's thread of one GPU."""
        thread = Thread("nccl_kernel_launch", index)
        while True:
            bucket = yield from self._buckets[index].get()
            begin_ns = self._clock.now_ns
            yield COLLECTIVE_CALL_NS
            payload = bucket.collective.payload_bytes
            work = DeviceWork(
                index, "nccl", "ncclAllReduce", "ncclAllReduce", bucket.step, payload_bytes=payload
            )
            done = yield from self._launch(thread, work, 0, bucket.after, bucket.collective)
            self._record(
                thread,
                "ncclAllReduce",
                begin_ns,
                bucket.step,
                {"buffer_size": payload, "collective_type": "all_reduce"},
            )
            self._clock.spawn(self._relay(done, bucket.done))

    @staticmethod
    def _relay(first: Signal, second: Signal) -> Process[None]:
        yield first
        second.fire()

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
        worker = Thread("tf_Compute", 8 + index)
        begin_ns = clock.now_ns
        yield self._jittered(detour.host_ns)
        self._record(worker, op, begin_ns, step, {"is_eager": 0})
        yield launching.schedule_ns
        back = DeviceWork(index, "h2d", "MemcpyH2D", op, step, size_bytes=detour.op_bytes)
        returned = yield from self._launch(thread, back, self._copy_ns(back))
        return returned

    # Input.

    def _get_next(self, thread: Thread, step: int, run_id: int) -> Process[None]:
        if not self._training.input.prefetch_to_device:
            begin_ns = self._clock.now_ns
            yield from self._pipeline.get_next(thread, step, run_id)
            self.input_waits_ns[step] = self._clock.now_ns - begin_ns
            return
        begin_ns = self._clock.now_ns
        yield GET_NEXT_NS
        inner_ns = self._clock.now_ns
        buffered = len(self._on_device.items)
        yield from self._on_device.get()
        stats: dict[str, StatValue] = {
            "id": 77,
            "buffer_limit": DEVICE_BUFFER,
            "buffered_elements": buffered,
            "autotune": "false",
        }
        self._record(thread, "Iterator::Prefetch", inner_ns, step, stats)
        yield GET_NEXT_NS // 3
        self._record(thread, "IteratorGetNextOp::DoCompute", begin_ns, step, {"id": run_id, "iter_num": 0})
        self.input_waits_ns[step] = self._clock.now_ns - begin_ns

    def _prefetch_to_device(self) -> Process[None]:
        """Fetch batches and copy them to the GPUs before a step asks for them."""
        thread = Thread("tf_data_iterator_resource", 1)
        element = 0
        while True:
            begin_ns = self._clock.now_ns
            yield from self._pipeline.get_next(thread, -1, None)
            self._record(thread, "Iterator::Prefetch::Generator", begin_ns, -1, {"id": 78, "parent_id": 77})
            copied = []
            for index in self.gpus:
                copied.append((yield from self._copy_batch(thread, index, -1)))
            yield from copied
            element += 1
            yield from self._on_device.put(element)

    def _copy_batch(self, thread: Thread, index: int, step: int) -> Process[Signal]:
        pinned = self._training.input.pinned
        size = self._training.model.batch_bytes
        op = "" if step < 0 else "IteratorGetNext:IteratorGetNext"
        work = DeviceWork(index, "h2d", "MemcpyH2D", op, step, size_bytes=size, pinned=pinned)
        copied = yield from self._launch(thread, work, self._copy_ns(work))
        return copied

    def _copy_ns(self, work: DeviceWork) -> int:
        gbps = self._device.pinned_gbps if work.pinned else self._device.pageable_gbps
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
        """TensorFlow allocates and frees when it launches, not when the kernel runs."""
        for change_bytes in (kernel.keeps_bytes, -kernel.frees_bytes):
            if not change_bytes:
                continue
            gpu.allocate(change_bytes)
            # TensorFlow keeps about 6 % of the memory for itself and the driver.
            limit = self._device.memory_bytes * 94 // 100
            stats: dict[str, StatValue] = {
                "allocator_name": f"GPU_{gpu.index}_bfc",
                "bytes_reserved": 0,
                "bytes_allocated": gpu.allocated_bytes,
                "bytes_available": max(limit - gpu.allocated_bytes, 0),
                "fragmentation": 0.02,
                "peak_bytes_in_use": gpu.peak_bytes,
                "requested_bytes": abs(change_bytes),
                "allocation_bytes": abs(change_bytes),
                "tf_op": kernel.op,
                "id": 0,
                "region_type": "dynamic",
                "data_type": 1 if self._training.precision in ("fp32", "tf32") else 19,
            }
            name = "MemoryAllocation" if change_bytes > 0 else "MemoryDeallocation"
            self._record(thread, name, self._clock.now_ns, step, stats)


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


def gradient_bytes(parameters: int, buckets: int) -> int:
    """Bytes of one bucket of float32 gradients."""
    return parameters * FLOAT_BYTES // buckets
