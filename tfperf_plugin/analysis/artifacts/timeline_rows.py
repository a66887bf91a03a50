"""The rows of a timeline: the accounts of each GPU, and what its host does meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import GpuView, View
from tfperf_plugin.analysis.artifacts.communication.step_starts import first_launch
from tfperf_plugin.analysis.host_activity import eager_rows, host_ops, input_waits, step_body, step_ops
from tfperf_plugin.analysis.launches import launch_bursts
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.startup import tracing_or_compiling
from tfperf_plugin.analysis.steps import HostSteps, Steps
from tfperf_plugin.arrays.columns import Groups, unique_inverse, value_at
from tfperf_plugin.arrays.intervals import EMPTY, Intervals, Ints, Segments, partition_by_precedence
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Codes, HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole

# The activities of a host, as ids of the timeline.
HOST_WORK: Final = (
    "host.compile",  # XLA compiles, or a tf.function is traced
    "host.input",  # the step has asked for a batch and has not got it
    "host.sync",  # a thread waits for a GPU
    "host.callback",  # callbacks, metrics, checkpoints
    "host.eager",  # ops that Python runs one by one, outside the step's function
    "host.step",  # inside the step's function
    "host.launch",  # launching, and the short pauses between two launches
    "host.op",  # an op of the step runs on the CPU
    "host.pipeline",  # an op of the input pipeline runs
)
# Rows of a host, from the top, and the work that each shows where several kinds overlap: the first wins.
HOST_ROWS: Final = {
    "step": ("host.compile", "host.input", "host.sync", "host.callback", "host.eager", "host.step"),
    "launches": ("host.sync", "host.launch", "host.op"),
    "input": ("host.pipeline",),
}
NOTHING: Final = -1
KERNELS_EVENTS: Final = 1_000_000
"""Single kernels are kept for the first GPUs up to this total number of events on them."""
KERNEL_NAME_LENGTH: Final = 200
"""Longer names of kernels are cut."""


class GpuWork(Record, frozen=True):
    """The kernels and copies of a GPU in order of time, and their launches: what its accounts do not tell."""

    launch_ns: Ints  #: For each step of the host: begin of the first launch for this GPU, −1 if not recorded.
    kernel_ns: Ints  #: For each step of the host: begin of its first kernel, −1 if not recorded.
    begin_ns: Ints  #: Begin of each kernel or copy; where events overlap, the one that began first is kept.
    end_ns: Ints  #: End of each kernel or copy.
    name: Codes  #: Code into ``names``.
    names: tuple[str, ...]
    launched_ns: Ints  #: Begin of the launch of each, −1 if not recorded.
    thread: Codes  #: Code into ``threads``, the thread that launched it; −1 if not recorded.
    threads: tuple[str, ...]

    def without_kernels(self) -> GpuWork:
        """The work without kernels and copies: only begins of steps."""
        none, codes = np.empty(0, np.int64), np.empty(0, np.int32)
        return replace(
            self, begin_ns=none, end_ns=none, name=codes, names=(), launched_ns=none, thread=codes, threads=()
        )


class Lane(Record, frozen=True):
    """One row: pieces that follow each other without gaps."""

    host: int  #: Index of the host.
    name: str  #: Name of the GPU, or a key of ``HOST_ROWS``.
    is_gpu: bool
    begin_ns: Ints
    end_ns: Ints
    #: int16: index into ``ACCOUNTS`` for a GPU, into ``HOST_WORK`` for a host; ``NOTHING`` where nothing was
    #: recorded.
    code: np.ndarray[tuple[int], np.dtype[np.int16]]
    work: GpuWork | None = None  #: Kernels and copies, for a GPU.


class Arrivals(Record, frozen=True):
    """The matched collective kernels of GPUs that have a row. Times are of the GPU's own host."""

    lane: Ints  #: Index of the GPU's row.
    kind: Ints  #: Code into ``KINDS``.
    begin_ns: Ints
    first_ns: Ints  #: When the first and the last participant had arrived.
    ready_ns: Ints
    last: Ints  #: Row of the GPU that arrives last, −1 if not known, and when that is on its host.
    last_ns: Ints


class Lanes(Record, frozen=True):
    """The rows of a run, for each host its GPUs first, and its steps."""

    lanes: tuple[Lane, ...]
    steps: tuple[HostSteps, ...]
    shared: tuple[Ints, ...]  #: For each host the numbers of its steps as the first host counts them.
    nth: tuple[Ints, ...]  #: For each host and step: how many earlier steps of the host have the same number.
    left_out: tuple[str, ...] = ()  #: Hosts of which only the steps are there.
    arrivals: Arrivals = Arrivals(*[EMPTY.begin_ns] * len(Arrivals.__struct_fields__))


def part(view: View) -> tuple[Lane, ...]:
    """The rows of one host, as if it were the first; linear in the ledger's pieces and in events."""
    if not len(view.steps):
        return ()
    return (*_gpus(view), *_host(view.trace, view.steps))


def finish(found: Mapping[str, Sequence[Lane]], steps: Steps, ledger: Ledger | None) -> Lanes:
    """The rows of all hosts that ``found`` names."""
    by_host = {h.host: h for h in ledger.hosts} if ledger else {}
    lanes = [
        replace(lane, host=index) for index, h in enumerate(steps.hosts) for lane in found.get(h.host, ())
    ]
    room = KERNELS_EVENTS
    for index, lane in enumerate(lanes):
        if lane.work:
            room -= len(lane.work.name)
            lanes[index] = lane if room >= 0 else replace(lane, work=lane.work.without_kernels())
    shared = [by_host[h.host].numbers if h.host in by_host else h.number for h in steps.hosts]
    left_out = tuple(h.host for h in steps.hosts if h.host not in found)
    nth = tuple(Groups(numbers).position(np.arange(len(numbers))) for numbers in shared)
    arrivals = (_arrivals(ledger, lanes, [h.host for h in steps.hosts]),) if ledger else ()
    return Lanes(tuple(lanes), steps.hosts, tuple(shared), nth, left_out, *arrivals)


def _arrivals(ledger: Ledger, lanes: Sequence[Lane], hosts: Sequence[str]) -> Arrivals:
    row_of = {(hosts[lane.host], lane.name): row for row, lane in enumerate(lanes) if lane.is_gpu}
    parts = []
    for host in ledger.hosts:
        calls = host.calls
        rows = {device.index: row_of.get((host.host, device.device), -1) for device in host.devices}
        lane = np.array([rows.get(i, -1) for i in range(int(calls.device.max(initial=-1)) + 1)], np.int64)
        lane = value_at(lane, calls.device)
        columns = (calls.kind, calls.start_ns, calls.first_ns, calls.ready_ns, calls.call, calls.wait_ns)
        mine = calls.matched & (lane >= 0)
        parts.append([column[mine] for column in (lane, *columns)])
    lane, kind, begin, first, ready, call, wait = (np.concatenate(c) for c in zip(*parts, strict=True))
    same = Groups(call)
    latest = same.at_min(wait)[same.of_row]
    last = np.where(wait[latest] == 0, lane[latest], -1)  # the last one does not wait, and may have no row
    return Arrivals(*(c.astype(np.int64) for c in (lane, kind, begin, first, ready, last, begin[latest])))


def _gpus(view: View) -> list[Lane]:
    rows: list[Lane] = []
    room = KERNELS_EVENTS
    for gpu in view.gpus:
        pieces = joined(gpu.ledger.segments)
        work = _work(view.trace.events, gpu)
        room -= len(work.name)
        if room < 0:
            work = work.without_kernels()
        rows.append(Lane(0, gpu.source.device, True, pieces.begin_ns, pieces.end_ns, pieces.owner, work))
    return rows


def _work(events: HostEvents, gpu: GpuView) -> GpuWork:
    device, steps, index = gpu.source, gpu.host.steps, gpu.ledger.index
    first, last = gpu.host.first_ns[index], gpu.host.last_ns[index]
    launch, _ = first_launch(events, gpu, np.arange(len(steps)))
    through = np.maximum.accumulate(np.concatenate([[steps.begin_ns[0]], device.end_ns]))[:-1]
    begin = np.maximum(device.start_ns, through)
    kept = np.flatnonzero((device.end_ns > begin) & (begin < steps.end_ns[-1]))
    found, names = unique_inverse(device.name[kept])
    row = device.launch[kept]
    launched = row >= 0
    launched_ns, thread = np.full(len(row), -1, np.int64), np.full(len(row), -1, np.int32)
    launched_ns[launched] = events.start_ns[row[launched]]
    threads, thread[launched] = unique_inverse(events.thread[row[launched]])
    return GpuWork(
        launch,
        np.where(last > first, first, -1),
        begin[kept],
        device.end_ns[kept],
        names.astype(np.int32),
        tuple(device.names[code][:KERNEL_NAME_LENGTH] for code in found.tolist()),
        launched_ns,
        thread,
        tuple(events.threads[code][:KERNEL_NAME_LENGTH] for code in threads.tolist()),
    )


def joined(pieces: Segments) -> Segments:
    """The pieces, with adjacent pieces of one owner joined."""
    if not len(pieces.begin_ns):
        return pieces
    fresh = np.ones(len(pieces.owner), np.bool_)
    fresh[1:] = (pieces.owner[1:] != pieces.owner[:-1]) | (pieces.begin_ns[1:] != pieces.end_ns[:-1])
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(fresh)) - 1
    return Segments(pieces.begin_ns[first], pieces.end_ns[last], pieces.owner[first])


def _host(host: HostTrace, steps: HostSteps) -> list[Lane]:
    events = host.events
    cuts = np.array([steps.begin_ns[0], steps.end_ns[-1]], np.int64)
    if cuts[0] >= cuts[1] or not len(events.start_ns):
        return []
    own_ops = step_ops(events)
    launches = np.flatnonzero((events.role == HostRole.LAUNCH) & ~events.on_threads("tf_data"))
    work = {
        "host.compile": tracing_or_compiling(events),
        "host.input": input_waits(events),
        "host.sync": events.spans(events.role == HostRole.SYNC),
        "host.callback": events.spans(
            (events.role == HostRole.CALLBACK) & (events.thread == steps.marker_thread)
        ),
        "host.eager": events.spans(eager_rows(events, steps)),
        "host.step": step_body(events, steps) if steps.marker_thread >= 0 else EMPTY,
        "host.launch": launch_bursts(events, launches),
        "host.op": events.spans(host_ops(events)),
        "host.pipeline": events.spans((events.role == HostRole.OP) & ~own_ops),
    }
    return [
        lane
        for name, kinds in HOST_ROWS.items()
        if (lane := _lane(name, kinds, [work[kind] for kind in kinds], cuts)) is not None
    ]


def _lane(name: str, kinds: Sequence[str], work: Sequence[Intervals], cuts: Ints) -> Lane | None:
    pieces = partition_by_precedence(work, cuts)
    codes = np.array([*(HOST_WORK.index(k) for k in kinds), NOTHING], np.int16)[pieces.owner]
    if (codes == NOTHING).all():
        return None
    return Lane(0, name, False, pieces.begin_ns, pieces.end_ns, codes)
