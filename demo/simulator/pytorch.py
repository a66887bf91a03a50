"""What PyTorch's profiler would have recorded of a training on a host, whatever format it is written in.

A host is one process that drives all its GPUs. Python's thread launches what the first GPU computes forward
and for the optimizer; autograd has a thread for each GPU. What TensorFlow alone has is left out: iterators,
executors, calls and tracing of functions, compiling, and checks of algorithms that are tried out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, Literal, NamedTuple

from demo.simulator import aten
from demo.simulator.captured import Captured, Recorded, Window, captured, whole
from demo.simulator.collectives import GRADIENT_BYTES, Kind, kernel_name
from demo.simulator.host import UNUSED_PARAMETERS, WORKERS
from demo.simulator.models import Phase
from demo.simulator.record import DeviceEvent, DeviceWork, HostEvent, LaunchEvent, Thread
from demo.simulator.training import Training

STEP: Final = "ProfilerStep"
OPTIMIZER: Final = "Optimizer.step#Adam.step"
DATA_PARALLEL: Final = "DataParallel.forward"
BACKWARD: Final = "autograd::engine::evaluate_function: "
COMPILED_FORWARD, COMPILED_BACKWARD = "Torch-Compiled Region: 0/0", "CompiledFunctionBackward"
STREAMS: Final = {"compute": 7, "side": 20, "nccl": 24, "layers": 28, "h2d": 32, "d2h": 36, "p2p": 40}
COPY_CALL: Final = "cudaMemcpyAsync"
_CALLS: Final = {
    "h2d": COPY_CALL, "d2h": COPY_CALL, "p2p": "cudaMemcpyPeerAsync",
    "nccl": "cudaLaunchKernelExC", "layers": "cudaLaunchKernelExC",
}  # fmt: skip
_DRIVER: Final = {
    "cuStreamSynchronize": "cudaStreamSynchronize", "cuEventSynchronize": "cudaEventSynchronize",
    "cuMemAlloc_v2": "cudaMalloc", "cuMemFree_v2": "cudaFree",
}  # fmt: skip
_COLLECTIVES: Final[Mapping[Kind, str]] = {
    "all_reduce": "allreduce", "reduce_scatter": "_reduce_scatter_base", "all_gather": "_allgather_base",
    "reduce": "reduce", "broadcast": "broadcast", "all_to_all": "all_to_all", "send_recv": "send",
}  # fmt: skip
_DATA_TYPES: Final = {"f32": "Float", "f16": "Half", "bf16": "BFloat16"}
_PYTHON = Thread("python")
_EAGER: Final = "EagerLocalExecute: "
_NEXT: Final = "IteratorGetNext"
_RESULT_NS: Final = 1_000
# Writing a file is no op of PyTorch.
_NO_OPS: Final = ("SaveV2", "WriteSummary", "FlushSummaryWriter", "__inference")

SpanKind = Literal["op", "mark", "call", "python"]


@dataclass(frozen=True)
class Span:
    """What a thread does: an op, what the program or PyTorch marks, a call of CUDA, a function of Python.

    ``args``: what the profiler says of it; ``correlation`` of a launch with the work, −1 of others.
    """

    kind: SpanKind
    thread: int
    name: str
    start_ns: int
    end_ns: int
    correlation: int = -1
    args: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """What a GPU does, under PyTorch's name; ``args``: what the profiler says of a collective."""

    name: str
    stream: int
    correlation: int
    start_ns: int
    end_ns: int
    work: DeviceWork
    args: Mapping[str, object]


@dataclass(frozen=True)
class Allocation:
    """What an allocator gave or, with negative ``size_bytes``, took back.

    ``allocated_bytes``: all that it has given after that.
    """

    thread: int
    at_ns: int
    gpu: int
    address: int
    size_bytes: int
    allocated_bytes: int


@dataclass(frozen=True)
class Process:
    """What is recorded of one process; ``threads``: their names, the first one is Python's.

    Times are ns since the profile's begin. Of two spans with the same times the outer one comes first.
    """

    threads: Sequence[str]
    spans: Sequence[Span]
    tasks: Sequence[Task]
    allocations: Sequence[Allocation]


def process(host: Recorded, training: Training, window: Window) -> Process:
    """What PyTorch's profiler would have kept of what happened on a host."""
    return _Translation(host, training, window).process()


class _Part(NamedTuple):
    """From when to when a thread launches a part of a step for a GPU."""

    thread: Thread
    gpu: int
    step: int
    phase: Phase
    start_ns: int
    end_ns: int


class _Translation:
    def __init__(self, host: Recorded, training: Training, window: Window) -> None:
        if training.collector.one_batch:  # what Keras' callback does then is its own
            window = replace(window, end_ns=host.marks[training.lead_steps][2])
        self.host, self.training, self.window = host, training, window
        self.found = captured(host, training, window)
        # What threads are for, and the parts of steps, do not depend on what the recording loses.
        complete = whole(host, training, self.window)
        # A thread that launches for several GPUs is that of the first one.
        of_gpu = [(e.work.gpu, e.thread) for e in complete.launches if e.work.phase and _known(e.work)]
        self.launchers = {thread: gpu for gpu, thread in sorted(of_gpu, key=lambda row: -row[0])}
        if training.cpu_threads:  # Python's thread computes the model, too
            self.launchers[Thread("tf_Compute")] = 0
        self.launches, self.by_thread = self._launches(complete)
        self.parts = self._parts()
        self.launches, self.by_thread = self._launches(self.found)
        self.returns = [
            event
            for event in self.found.host
            if "tf_function_call" in event.stats or event.name.startswith("PjitFunction")
        ]
        self.threads: dict[object, int] = {"pt_main_thread": 0}
        self.sequence = count(1)

    def process(self) -> Process:
        spans = [*self._marks(), *self._part_marks(), *self._host_spans(), *self._calls(), *self._results()]
        spans.sort(key=lambda span: (span.start_ns, -span.end_ns))
        tasks = [self._task(event) for event in self.found.device if _known(event.work)]
        allocations = [self._allocation(e) for e in self.found.host if e.name.startswith("Memory")]
        names = [key if isinstance(key, str) else "python" for key in self.threads]
        return Process(names, spans, sorted(tasks, key=lambda task: task.start_ns), allocations)

    # Threads and the parts of a step.

    def _launches(self, found: Captured) -> tuple[list[LaunchEvent], dict[Thread, list[LaunchEvent]]]:
        """What is launched, by start, and by thread."""
        launches = _one_by_one([self._copied_for_step(e) for e in found.launches if _known(e.work)])
        by_thread: dict[Thread, list[LaunchEvent]] = defaultdict(list)
        for launch in launches:
            by_thread[launch.thread].append(launch)
        return launches, by_thread

    def _copied_for_step(self, launch: LaunchEvent) -> LaunchEvent:
        """TensorFlow has threads that send the batch; in PyTorch, the thread that needs it copies it."""
        sends = launch.work.copy == "h2d" and launch.work.step >= 0 and launch.thread not in self.launchers
        own = (thread for thread, gpu in self.launchers.items() if gpu == launch.work.gpu)
        return replace(launch, thread=next(own, launch.thread)) if sends else launch

    def _thread(self, thread: Thread, at_ns: int) -> int:
        """The number of the thread of PyTorch that does what a simulated thread does at a time."""
        key: object = thread
        backward = (p for p in self.parts.get((thread, "backward"), ()) if p.start_ns <= at_ns < p.end_ns)
        if part := next(backward, None):
            key = f"pt_autograd_{part.gpu}"
        elif thread == _PYTHON or self.launchers.get(thread, 0 if self.training.serial else -1) == 0:
            key = "pt_main_thread"
        return self.threads.setdefault(key, len(self.threads))

    def _parts(self) -> dict[tuple[Thread, Phase], list[_Part]]:
        """The parts of all steps, whose ops begin before what they launch."""
        found: dict[tuple[Thread, int, int, Phase], _Part] = {}
        rows = [(launch, launch.start_ns, launch.end_ns) for launch in self.launches]
        for event in self.found.host:
            if _op_type(event) and (launch := self._launched_in(event)):
                rows.append((launch, event.start_ns, event.end_ns))
        for launch, start_ns, end_ns in rows:
            work = launch.work
            if work.phase:
                part = _Part(launch.thread, work.gpu, work.step, work.phase, start_ns, end_ns)
                known = found.get(part[:4], part)
                found[part[:4]] = part._replace(
                    start_ns=min(known.start_ns, start_ns), end_ns=max(known.end_ns, end_ns)
                )
        parts: dict[tuple[Thread, Phase], list[_Part]] = defaultdict(list)
        for part in found.values():
            parts[part.thread, part.phase].append(part)
        return parts

    def _launched_in(self, event: HostEvent) -> LaunchEvent | None:
        """The first launch of an op."""
        launches = self.by_thread.get(event.thread, [])
        at = bisect_left(launches, event.start_ns, key=lambda launch: launch.start_ns)
        return launches[at] if at < len(launches) and launches[at].end_ns <= event.end_ns else None

    # What threads do.

    def _span(
        self,
        kind: SpanKind,
        thread: Thread,
        name: str,
        start_ns: int,
        end_ns: int,
        args: Mapping[str, object] = {},
    ) -> Span:
        begin_ns, until_ns = self.window.profile_ns(start_ns), self.window.profile_ns(end_ns)
        return Span(kind, self._thread(thread, start_ns), name, begin_ns, until_ns, args=args)

    def _marks(self) -> Iterator[Span]:
        """A step lasts until the next one begins: ``step()`` of the profiler stands at the loop's end."""
        marks, last_ns = self.found.marks, self.window.end_ns
        if self.training.collector.one_batch:
            marks = [(self.training.lead_steps, self.window.begin_ns, last_ns)]
        begins = [begin_ns for _, begin_ns, _ in self.host.marks]
        for step, begin_ns, end_ns in marks:
            next_ns = min((at for at in begins if at >= end_ns), default=last_ns)
            yield self._span("mark", _PYTHON, f"{STEP}#{step}", begin_ns, min(next_ns, last_ns))

    def _part_marks(self) -> Iterator[Span]:
        """What lies around the ops of a part of a step."""
        compiled = self.training.communication.launcher == "xla"
        for (thread, phase), parts in self.parts.items():
            for part in parts if self.training.collector.host_level > 1 else ():
                if phase == "optimizer":
                    yield self._span("mark", thread, OPTIMIZER, part.start_ns, self._returned_ns(part))
                elif self.training.data_parallel and phase == "forward" and part.gpu == 0:
                    yield self._span("mark", thread, DATA_PARALLEL, part.start_ns, part.end_ns)
                elif compiled and phase == "forward":
                    yield self._span("op", thread, COMPILED_FORWARD, part.start_ns, part.end_ns)
                elif compiled:
                    for name in (BACKWARD + COMPILED_BACKWARD, COMPILED_BACKWARD):
                        yield self._span("op", thread, name, part.start_ns, part.end_ns)

    def _results(self) -> Iterator[Span]:
        """What Python reads of a step that the processor runs."""
        if self.training.cpu_threads and self.training.collector.host_level > 1:
            for _, begin_ns, end_ns in self.host.marks:
                if begin_ns >= self.window.begin_ns and end_ns <= self.window.end_ns:
                    yield self._span("op", _PYTHON, aten.RESULT, end_ns - _RESULT_NS, end_ns)

    def _returned_ns(self, part: _Part) -> int:
        """When Python's call of the optimizer returns: with the call of the step, if that waits for it."""
        later = (other.start_ns for other in self.parts[part.thread, "forward"] if other.step == part.step)
        if self._thread(part.thread, part.start_ns) or max(later, default=0) > part.end_ns:
            return part.end_ns
        returns = (event.end_ns for event in self.returns if event.step == part.step)
        return min((end_ns for end_ns in returns if end_ns >= part.end_ns), default=part.end_ns)

    def _calls(self) -> Iterator[Span]:
        for launch in self.launches:
            name = _CALLS.get(launch.work.stream, "cudaLaunchKernel")
            span = self._span("call", launch.thread, name, launch.start_ns, launch.end_ns)
            if launch.work.copy == "h2d" and launch.work.step >= 0 and self.training.collector.host_level > 1:
                yield replace(span, kind="op", name=aten.COPY)
            yield replace(span, correlation=launch.correlation)

    def _host_spans(self) -> Iterator[Span]:
        for event in self.found.host:
            thread, times = event.thread, (event.start_ns, event.end_ns)
            if event.driver:
                yield self._span("call", thread, _DRIVER[event.name], *times)
            elif _asks_for_batch(event):
                own = thread in self.launchers
                yield self._span("mark", thread if own else _PYTHON, self._loader, *times)
            elif "collective_type" in event.stats:
                yield from self._communicating(event)
            elif event.name.startswith("$"):
                file, function = event.name[1:].split(" ", 1)
                name = f"{file.replace(':', '(')}): {function}"
                yield self._span("python", thread, name, *times)
            elif event.name == UNUSED_PARAMETERS:
                yield self._span("op", thread, event.name, *times)
            elif type_ := _op_type(event):
                yield from self._op(event, type_)

    @property
    def _loader(self) -> str:
        workers = "MultiProcessing" if self.training.input.prefetch else "SingleProcess"
        return f"enumerate(DataLoader)#_{workers}DataLoaderIter.__next__"

    def _op(self, event: HostEvent, type_: str) -> Iterator[Span]:
        thread, times = event.thread, (event.start_ns, event.end_ns)
        name = aten.op_name(type_, bool(self.training.cpu_threads))
        launch = self._launched_in(event)
        if type_ == "_Send":  # its thread is another one: see _calls
            return
        if not launch and thread.pool == "tf_Compute":  # in PyTorch, the thread that launches computes it
            of_gpu = (own for own, gpu in self.launchers.items() if gpu == thread.serial - WORKERS)
            thread = next(of_gpu, thread)
        args = dict(aten.inputs(launch.work.work)) if launch else {}
        phase = launch.work.phase if launch else None
        if phase == "backward":
            yield self._span("op", thread, BACKWARD + aten.node_name(name), *times)
        elif phase == "forward":
            args["Sequence number"] = next(self.sequence)
        yield self._span("op", thread, name, *times, args)

    def _communicating(self, event: HostEvent) -> Iterator[Span]:
        launch = self._launched_in(event)
        args = self._collective(launch.work) if launch else {}
        times = event.start_ns, event.end_ns
        yield self._span("op", event.thread, "record_param_comms", *times, args)
        yield self._span("mark", event.thread, f"nccl:{event.stats['collective_type']}", *times)

    def _allocation(self, event: HostEvent) -> Allocation:
        stats = event.stats
        size = int(stats["allocation_bytes"]) * (1 if event.name == "MemoryAllocation" else -1)
        return Allocation(
            self._thread(event.thread, event.start_ns),
            self.window.profile_ns(event.start_ns),
            int(str(stats["allocator_name"]).split("_")[1]),
            int(stats["addr"]),
            size,
            int(stats["bytes_allocated"]),
        )

    # What GPUs do.

    def _task(self, event: DeviceEvent) -> Task:
        work, communication = event.work, self.training.communication
        ahead_ns = self.training.clocks.gpu_error_ns(work.gpu)
        if work.collective:
            library = communication.library or ("nccl_old" if self.training.generation == "old" else "nccl")
            name = kernel_name(library, work.collective, communication.gradient_dtype)
        else:
            name = _copy_name(work) if work.copy else aten.kernel_name(work)
        return Task(
            name,
            STREAMS[work.stream],
            event.correlation,
            self.window.profile_ns(event.start_ns) + ahead_ns,
            self.window.profile_ns(event.end_ns) + ahead_ns,
            work,
            self._collective(work),
        )

    def _collective(self, work: DeviceWork) -> Mapping[str, object]:
        """What PyTorch tells the profiler of a collective."""
        communication = self.training.communication
        if not work.collective or communication.launcher == "tensorflow_without_size":
            return {}
        size = GRADIENT_BYTES[communication.gradient_dtype]
        shared = work.participants if work.collective == "all_gather" else 1
        return {
            "Collective name": _COLLECTIVES[work.collective],
            "In msg nelems": work.payload_bytes // shared // size,
            "Out msg nelems": work.buffer_bytes // size,
            "Group size": work.participants,
            "dtype": _DATA_TYPES[communication.gradient_dtype],
        }


def _one_by_one(launches: Sequence[LaunchEvent]) -> list[LaunchEvent]:
    """Launches by their start, where a thread begins a call when it has returned from the one before."""
    until_ns: dict[Thread, int] = defaultdict(int)
    found = []
    for launch in sorted(launches, key=lambda launch: launch.end_ns):
        found.append(replace(launch, start_ns=max(launch.start_ns, until_ns[launch.thread])))
        until_ns[launch.thread] = launch.end_ns
    return sorted(found, key=lambda launch: launch.start_ns)


def _known(work: DeviceWork) -> bool:
    """Whether PyTorch does such work: it checks no algorithm that it tries out."""
    return work.name != "redzone_checker"


def _op_type(event: HostEvent) -> str:
    """The type of the op, "" if the event is no op of a training or its loop."""
    if "is_eager" in event.stats:
        return event.name.rpartition(":")[2]
    type_ = event.name.removeprefix(_EAGER)
    return type_ if type_ != event.name and not type_.startswith((*_NO_OPS, _NEXT)) else ""


def _asks_for_batch(event: HostEvent) -> bool:
    if event.thread == _PYTHON:
        return event.name == _EAGER + _NEXT
    return event.name == f"{_NEXT}Op::DoCompute"


def _copy_name(work: DeviceWork) -> str:
    memory = "Pinned" if work.pinned else "Pageable"
    return {
        "h2d": f"Memcpy HtoD ({memory} -> Device)",
        "d2h": f"Memcpy DtoH (Device -> {memory})",
        "p2p": "Memcpy PtoP (Device -> Device)",
    }[work.stream]
