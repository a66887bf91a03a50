"""GPUs: in-order streams that run what hosts launch."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from demo.simulator.arena import Arena
from demo.simulator.clock import Clock, Process, Signal
from demo.simulator.collectives import Collective
from demo.simulator.record import DeviceEvent, DeviceWork, Recording

# Between two kernels of one stream the GPU needs about a microsecond.
KERNEL_GAP_NS = 900


@dataclass
class Queued:
    """Work in a stream: not before ``ready_ns`` and not before all of ``after`` are done."""

    work: DeviceWork
    correlation: int
    duration_ns: int
    done: Signal
    ready_ns: int = 0
    after: tuple[Signal, ...] = ()
    collective: Collective | None = None


@dataclass
class Gpu:
    """One GPU of a host. With ``serialises`` only one kernel runs at a time, whatever its stream."""

    clock: Clock
    host: str
    index: int
    recording: Recording
    serialises: bool
    memory: Arena
    streams: dict[str, Stream] = field(default_factory=dict)
    kernel_running: bool = False
    kernel_ended: Signal = field(init=False)

    def __post_init__(self) -> None:
        self.kernel_ended = Signal(self.clock)

    def stream(self, name: str) -> Stream:
        if name not in self.streams:
            self.streams[name] = Stream(self)
            self.clock.spawn(self.streams[name].run())
        return self.streams[name]


class Stream:
    """Runs its queue in order, one after the other."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.last: Signal | None = None
        self._queue: deque[Queued] = deque()
        self._filled = Signal(gpu.clock)

    def enqueue(self, queued: Queued) -> None:
        self.last = queued.done
        self._queue.append(queued)
        if not self._filled.fired:
            self._filled.fire()

    def run(self) -> Process[None]:
        clock = self.gpu.clock
        while True:
            if not self._queue:
                self._filled = Signal(clock)
                yield self._filled
            queued = self._queue.popleft()
            if queued.ready_ns > clock.now_ns:
                yield queued.ready_ns - clock.now_ns
            yield from queued.after
            kernel = queued.work.copy is None
            if kernel and self.gpu.serialises:
                while self.gpu.kernel_running:
                    yield self.gpu.kernel_ended
                self.gpu.kernel_running = True
            start_ns = clock.now_ns
            if queued.collective is not None:
                yield from queued.collective.join(self.gpu.host, self.gpu.index)
            else:
                yield queued.duration_ns
            self.gpu.recording.device.append(
                DeviceEvent(queued.work, queued.correlation, start_ns, clock.now_ns)
            )
            queued.done.fire()
            if kernel and self.gpu.serialises:
                self.gpu.kernel_running = False
                ended, self.gpu.kernel_ended = self.gpu.kernel_ended, Signal(clock)
                ended.fire()
            yield KERNEL_GAP_NS
