"""What the simulation leaves behind: events as they happened, before any collector's spelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from demo.simulator.collectives import Kind
from demo.simulator.models import Phase
from demo.simulator.work import NOTHING, Work

StatValue = int | float | str
Direction = Literal["h2d", "d2h", "p2p"]
# What XLA calls the program of the step's function.
HLO_MODULE = "a_inference_train_step_1000__XlaMustCompile_true"
DIRECTIONS: tuple[Direction, ...] = ("h2d", "d2h", "p2p")


@dataclass(frozen=True)
class Thread:
    """A host thread; events with ``serial`` apart run on different threads of one pool."""

    pool: str
    serial: int = 0


@dataclass(frozen=True)
class HostEvent:
    """A span on a host thread. ``step`` is the training step it works for, -1 for none."""

    thread: Thread
    name: str
    start_ns: int
    end_ns: int
    step: int
    stats: Mapping[str, StatValue]
    driver: bool = False


@dataclass(frozen=True)
class DeviceWork:
    """What a GPU is asked to do.

    ``stream`` is compute, side, nccl or, for copies, a direction; copies between GPUs go to ``target``.
    ``pinned`` and ``size_bytes`` are meant for copies. A ``collective`` of ``participants`` moves an
    array of ``payload_bytes``, of which ``buffer_bytes`` come out on this GPU. ``hlo_op``: the instruction of
    XLA's program that the work is done for. ``work``: what it computes and moves. ``op_name``: which op of
    the user's program it comes from, if XLA's program says so. ``phase``: the part of the step that an op
    of the model belongs to. ``pages_ns``: how long it waits for pages of managed memory, from its start on.
    """

    gpu: int
    stream: str
    name: str
    op: str
    step: int
    eager: bool = False
    size_bytes: int = 0
    pinned: bool = True
    target: int = -1
    collective: Kind | None = None
    buffer_bytes: int = 0
    payload_bytes: int = 0
    participants: int = 0
    hlo_op: str = ""
    registers: int = 0
    shared_bytes: int = 0
    grid: tuple[int, int, int] = (1, 1, 1)
    shape: str = ""
    work: Work = NOTHING
    op_name: str = ""
    phase: Phase | None = None
    pages_ns: int = 0

    @property
    def copy(self) -> Direction | None:
        return next((direction for direction in DIRECTIONS if direction == self.stream), None)


# What the driver moves at once, and how fast where each page is asked for by a fault (T4: 5.9 GB/s).
PAGES_BYTES = 1 << 18
PAGES_GBPS = 6.0


@dataclass(frozen=True)
class DeviceEvent:
    """Work that a GPU did, and the launch that asked for it."""

    work: DeviceWork
    correlation: int
    start_ns: int
    end_ns: int

    def migrations_ns(self) -> Iterator[tuple[int, int]]:
        """Begin and end of each migration of ``PAGES_BYTES`` that the work waits for."""
        each_ns = round(PAGES_BYTES / PAGES_GBPS)
        for begin_ns in range(self.start_ns, self.start_ns + self.work.pages_ns - each_ns + 1, each_ns):
            yield begin_ns, begin_ns + each_ns


@dataclass(frozen=True)
class LaunchEvent:
    """The call with which a thread put work on a stream."""

    thread: Thread
    work: DeviceWork
    correlation: int
    start_ns: int
    end_ns: int


@dataclass
class Recording:
    """All that happened on one host, in order of completion."""

    host: list[HostEvent] = field(default_factory=list)
    launches: list[LaunchEvent] = field(default_factory=list)
    device: list[DeviceEvent] = field(default_factory=list)
