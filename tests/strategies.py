"""Recordings for tests: hand-drawn timelines and random ones, written as real files and read back.

A ``Recording`` is a list of events in nanoseconds. ``analyse`` writes it as an XSpace, reads that with our
reader and runs trace, steps, collectives and ledger on it, so every test exercises the whole way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from demo.xspace_writer import LineBuilder, SpaceBuilder, StatValue
from tests.builders import TraceInputs, find_communication, inputs_of, make_ledger
from tfperf_plugin.analysis.collectives import Collectives
from tfperf_plugin.analysis.finding_steps.find import host_steps
from tfperf_plugin.analysis.ledger import ACCOUNTS, DeviceLedger, Ledger
from tfperf_plugin.analysis.steps import HostSteps, Steps
from tfperf_plugin.readers.anomalies import Anomalies
from tfperf_plugin.readers.formats import XSPACE
from tfperf_plugin.trace.model import HostTrace

# The same examples on every run, however busy the machine is.
settings.register_profile("tfperf", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("tfperf")

MS = 1_000_000

GEMM = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn"
SGEMM = "ampere_sgemm_128x64_tn"
ADD = "loop_add_fusion"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
INPUT_WAIT = "IteratorGetNextOp::DoCompute"

_A100: Mapping[str, StatValue] = {
    "device_vendor": "Nvidia",
    "compute_cap_major": 8,
    "compute_cap_minor": 0,
}


@dataclass(frozen=True)
class Event:
    """One event: on stream ``line`` of GPU ``gpu``, or on thread ``line`` of the host where ``gpu`` is −1."""

    gpu: int
    line: str
    name: str
    begin_ns: int
    end_ns: int
    stats: Mapping[str, StatValue]


@dataclass(frozen=True)
class Analysis:
    """What the product makes of one recording."""

    host: HostTrace
    steps: HostSteps
    calls: Collectives
    ledger: Ledger | None

    def inputs(self) -> TraceInputs:
        """What rules can ask for."""
        return inputs_of((self.host,), Steps((self.steps,)), self.ledger)

    def device(self, gpu: int = 0) -> DeviceLedger:
        """The ledger of one participating GPU."""
        assert self.ledger is not None
        return next(d for d in self.ledger.hosts[0].devices if d.device == f"GPU:{gpu}")

    def accounts(self, step: int = 0, gpu: int = 0) -> dict[str, int]:
        """Account → ns of one step on one GPU, without empty accounts."""
        row = self.device(gpu).sums_ns[step].tolist()
        return {account: ns for account, ns in zip(ACCOUNTS, row, strict=True) if ns}

    def owner_at(self, time_ns: int, gpu: int = 0) -> str:
        """The account that owns one instant."""
        segments = self.device(gpu).segments
        at = int(np.searchsorted(segments.begin_ns, time_ns, "right")) - 1
        assert segments.begin_ns[at] <= time_ns < segments.end_ns[at]
        return ACCOUNTS[int(segments.owner[at])]


@dataclass
class Recording:
    """What a profiler would have recorded on one host with ``gpus`` visible GPUs."""

    gpus: int = 1
    events: list[Event] = field(default_factory=list)
    _correlation: int = 0

    def host(self, name: str, begin: int, end: int, /, thread: str = "python3", **stats: StatValue) -> None:
        """Adds a host event."""
        self.events.append(Event(-1, thread, name, begin, end, stats))

    def step(self, number: int, begin: int, end: int, name: str = "train", root: bool = True) -> None:
        """Adds a step marker as Keras 2 (``train``, ``_r``) or Keras 3 (``Profiled batch``) writes it."""
        stats: dict[str, StatValue] = {"step_num": number, "_r": 1} if root else {"step_num": number}
        self.events.append(Event(-1, "python3", name, begin, end, stats))

    def steps(self, count: int, length: int, begin: int = 0) -> None:
        """Adds markers that follow each other."""
        for number in range(count):
            self.step(number, begin + number * length, begin + (number + 1) * length)

    def run(self, gpu: int, name: str, begin: int, end: int, stream: str = "7", **stats: StatValue) -> None:
        """Adds a device event without a recorded launch."""
        self.events.append(Event(gpu, stream, name, begin, end, stats))

    def launch(
        self,
        gpu: int,
        name: str,
        launch: tuple[int, int],
        begin: int,
        end: int,
        *,
        thread: str = "python3",
        call: str = "cuLaunchKernel",
        stream: str = "7",
        **stats: StatValue,
    ) -> None:
        """Adds a device event and the driver call that launched it, joined by a correlation id."""
        self._correlation += 1
        self.host(call, *launch, thread=thread, correlation_id=self._correlation)
        self.run(gpu, name, begin, end, stream, correlation_id=self._correlation, **stats)

    def mapped(self, time: Callable[[int], int]) -> Recording:
        """The same recording with every time changed."""
        events = [replace(e, begin_ns=time(e.begin_ns), end_ns=time(e.end_ns)) for e in self.events]
        return Recording(self.gpus, events, self._correlation)

    def to_bytes(self) -> bytes:
        """The file."""
        space = SpaceBuilder("worker")
        planes = {-1: space.plane("/host:CPU")}
        for gpu in range(self.gpus):
            planes[gpu] = space.plane(f"/device:GPU:{gpu}", id=gpu, stats=_A100)
        lines: dict[tuple[int, str], LineBuilder] = {}
        for event in sorted(self.events, key=lambda e: (e.begin_ns, -e.end_ns)):  # as profilers write them
            key = (event.gpu, event.line)
            if key not in lines:
                id = int(event.line) if event.gpu >= 0 else 1000 + len(lines)
                name = f"Stream #{id}(Compute)" if event.gpu >= 0 else event.line
                lines[key] = planes[event.gpu].line(id, name)
            duration = event.end_ns - event.begin_ns
            lines[key].event(event.name, event.begin_ns, duration, event.stats)
        return space.to_bytes()

    def analyse(self) -> Analysis:
        """Runs the file through reader, trace, steps, collectives and ledger."""
        return analyse(self.to_bytes())


def analyse(data: bytes) -> Analysis:
    """Runs one file through reader, trace, steps, collectives and ledger."""
    anomalies = Anomalies()
    host = XSPACE.trace("worker", XSPACE.decode(data, anomalies), anomalies)
    steps = host_steps(host)
    communication = find_communication([host], [steps])
    return Analysis(host, steps, communication.hosts[0], make_ledger([host], [steps], communication))


INSTANTS = st.integers(0, 60)
RANGES = st.lists(st.tuples(INSTANTS, INSTANTS), max_size=8)

_DEVICE_NAMES = (GEMM, SGEMM, ADD, "MemcpyH2D", "MemcpyD2H", "MemcpyD2D", "Memset", "MemoryAlloc")
_HOST_NAMES = (
    (INPUT_WAIT, "tf_Compute/1"),
    ("XlaCompile", "python3"),
    ("model/cond:Where", "tf_Compute/1"),
    ("cuStreamSynchronize", "python3"),
    ("Iterator::Prefetch", "tf_data_iterator_get_next/2"),
    ("save", "python3"),
)


@st.composite
def recordings(draw: st.DrawFn, collectives: bool = True, units: tuple[int, ...] = (1,)) -> Recording:
    """Random recordings of 1–3 GPUs and 1–4 marked steps; times below 2000 units of ``units`` ns each.

    Every GPU runs at least one kernel. Device events overlap at random, some have launches, some do not.
    """
    unit = draw(st.sampled_from(units))
    gpus = draw(st.integers(1, 3))
    recording = Recording(gpus)
    cuts = sorted(draw(st.sets(st.integers(0, 1500), min_size=2, max_size=8)))
    for number, (begin, end) in enumerate(zip(cuts[::2], cuts[1::2], strict=False)):
        recording.step(number, begin * unit, end * unit)
    names = st.sampled_from((*_DEVICE_NAMES, ALL_REDUCE) if collectives else _DEVICE_NAMES)
    for gpu in range(gpus):
        times = st.tuples(names, st.integers(0, 1500), st.integers(1, 300), st.integers(-1, 80))
        work = [(ADD, draw(st.integers(cuts[0], 1500)), 10, -1), *draw(st.lists(times, max_size=8))]
        for name, begin, length, lead in work:
            stream = draw(st.sampled_from("789"))
            span = (begin * unit, (begin + length) * unit)
            if lead < 0:
                recording.run(gpu, name, *span, stream=stream)
            else:
                launch = (max(0, begin - lead) * unit, max(0, begin - lead // 2) * unit)
                recording.launch(gpu, name, launch, *span, stream=stream, thread=f"tf_gpu_private_{gpu}/1")
    kinds = st.sampled_from(_HOST_NAMES)
    for (name, thread), begin, length in draw(
        st.lists(st.tuples(kinds, st.integers(0, 1500), st.integers(1, 300)), max_size=6)
    ):
        recording.host(name, begin * unit, (begin + length) * unit, thread)
    return recording
