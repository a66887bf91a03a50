"""What PyTorch's profiler would have recorded of a training on a host, whatever format it is written in.

A host is one process that drives all its GPUs. Python's thread launches what the first GPU computes forward
and for the optimizer; autograd has a thread for each GPU. What TensorFlow alone has is left out: iterators,
executors, calls and tracing of functions, compiling, and checks of algorithms that are tried out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Final, Literal, NamedTuple

from demo.simulator import aten
from demo.simulator.captured import Recorded, Window, captured
from demo.simulator.collectives import GRADIENT_BYTES, Kind, kernel_name
from demo.simulator.models import Phase
from demo.simulator.record import DeviceEvent, DeviceWork, HostEvent, LaunchEvent, Thread
from demo.simulator.training import Training

STEP: Final = "ProfilerStep"
OPTIMIZER: Final = "Optimizer.step#Adam.step"
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


class _Item(NamedTuple):
    """An op or a launch that belongs to a part of a step."""

    thread: Thread
    step: int
    phase: Phase
    start_ns: int
    end_ns: int


class _Translation:
    def __init__(self, host: Recorded, training: Training, window: Window) -> None:
        self.host, self.training, self.window = host, training, window
        self.found = captured(host, training, window)
        self.launches = [launch for launch in self.found.launches if _known(launch.work)]
        self.by_thread: dict[Thread, list[LaunchEvent]] = defaultdict(list)
        for launch in sorted(self.launches, key=lambda launch: launch.start_ns):
            self.by_thread[launch.thread].append(launch)
        # A thread that launches for several GPUs is that of the first one.
        threads = [(launch.work.gpu, launch.thread) for launch in self.launches if launch.work.phase]
        self.launchers = {thread: gpu for gpu, thread in sorted(threads, key=lambda row: -row[0])}
        self.parts = self._parts()
        self.threads: dict[object, int] = {"pt_main_thread": 0}
        self.sequence = count(1)

    def process(self) -> Process:
        spans = [*self._marks(), *self._part_marks(), *self._host_spans(), *self._calls()]
        spans.sort(key=lambda span: (span.start_ns, -span.end_ns))
        tasks = [self._task(event) for event in self.found.device if _known(event.work)]
        allocations = [self._allocation(e) for e in self.found.host if e.name.startswith("Memory")]
        names = [key if isinstance(key, str) else "python" for key in self.threads]
        return Process(names, spans, sorted(tasks, key=lambda task: task.start_ns), allocations)

    # Threads and the parts of a step.

    def _thread(self, thread: Thread, at_ns: int) -> int:
        """The number of the thread of PyTorch that does what a simulated thread does at a time."""
        gpu = 0 if thread == _PYTHON else self.launchers.get(thread)
        key: object = thread
        if any(part.start_ns <= at_ns < part.end_ns for part in self.parts.get((thread, "backward"), ())):
            key = f"pt_autograd_{gpu}"
        elif gpu == 0:
            key = "pt_main_thread"
        return self.threads.setdefault(key, len(self.threads))

    def _parts(self) -> dict[tuple[Thread, Phase], list[_Item]]:
        """From when to when each thread launches each part of each step."""
        items = [
            _Item(launch.thread, launch.work.step, launch.work.phase, launch.start_ns, launch.end_ns)
            for launch in self.launches
            if launch.work.phase
        ]
        for event in self.found.host:
            if _op_type(event) and (launch := self._launched_in(event)) and launch.work.phase:
                items.append(
                    _Item(event.thread, launch.work.step, launch.work.phase, event.start_ns, event.end_ns)
                )
        spans: dict[tuple[Thread, int, Phase], _Item] = {}
        for item in items:
            known = spans.setdefault(item[:3], item)
            spans[item[:3]] = known._replace(
                start_ns=min(known.start_ns, item.start_ns), end_ns=max(known.end_ns, item.end_ns)
            )
        found: dict[tuple[Thread, Phase], list[_Item]] = defaultdict(list)
        for item in spans.values():
            found[item.thread, item.phase].append(item)
        return found

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
        recorded = {step for step, _, _ in self.found.marks}
        last_ns = self.window.end_ns
        begins = [(step, begin_ns) for step, begin_ns, _ in self.host.marks]
        for (step, begin_ns), (_, next_ns) in pairwise([*begins, (-1, last_ns)]):
            if step in recorded:
                yield self._span("mark", _PYTHON, f"{STEP}#{step}", begin_ns, min(next_ns, last_ns))

    def _part_marks(self) -> Iterator[Span]:
        """What lies around the ops of a part of a step."""
        returns = {event.step: event.end_ns for event in self.found.host if "tf_function_call" in event.stats}
        compiled = self.training.communication.launcher == "xla"
        for (thread, phase), parts in self.parts.items():
            for part in parts if self.training.collector.host_level > 1 else ():
                if phase == "optimizer":
                    whole = self.launchers[thread] == 0 and not self.training.serial
                    end_ns = max(part.end_ns, returns.get(part.step, 0) if whole else 0)
                    yield self._span("mark", thread, OPTIMIZER, part.start_ns, end_ns)
                elif compiled and phase == "forward":
                    yield self._span("op", thread, COMPILED_FORWARD, part.start_ns, part.end_ns)
                elif compiled:
                    for name in (BACKWARD + COMPILED_BACKWARD, COMPILED_BACKWARD):
                        yield self._span("op", thread, name, part.start_ns, part.end_ns)

    def _calls(self) -> Iterator[Span]:
        for launch in self.launches:
            name = _CALLS.get(launch.work.stream, "cudaLaunchKernel")
            span = self._span("call", launch.thread, name, launch.start_ns, launch.end_ns)
            yield Span("call", span.thread, name, span.start_ns, span.end_ns, launch.correlation)

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
            elif type_ := _op_type(event):
                yield from self._op(event, type_)

    @property
    def _loader(self) -> str:
        workers = "MultiProcessing" if self.training.input.prefetch else "SingleProcess"
        return f"enumerate(DataLoader)#_{workers}DataLoaderIter.__next__"

    def _op(self, event: HostEvent, type_: str) -> Iterator[Span]:
        thread, times, name = event.thread, (event.start_ns, event.end_ns), aten.op_name(type_)
        launch = self._launched_in(event)
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
