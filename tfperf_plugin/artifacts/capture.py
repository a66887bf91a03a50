"""What the capture itself says: errors, warnings, tracing overhead, who else took part."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from tfperf_plugin.artifacts.timeline import first_places
from tfperf_plugin.engine.outcome import Place
from tfperf_plugin.steps import HostSteps, Steps
from tfperf_plugin.trace.intervals import Intervals, intersect, subtract, union
from tfperf_plugin.trace.model import HostTrace, Trace
from tfperf_plugin.trace.roles import HostRole, Role

_TASK = re.compile(r"/task:(\d+)/")
# A stream counts as busy if it holds at least this share, and this number, of its GPU's kernels:
# a handful of kernels on a side stream may well never meet another one.
BUSY_RATIO: Final = 0.05
BUSY_KERNELS_COUNT: Final = 10


@dataclass(frozen=True)
class Capture:
    """Facts about the recording as a whole.

    ``errors``/``warnings``: the collector's own words; ``step_ns``: mean length of a judged step, 0 if
    there is none; ``python_events_per_step``: events of the Python tracer per judged step;
    ``input_wait_ns``: input requests on the thread that marks steps, per judged step of hosts with
    markers, ``input_outside_ns`` of them outside any marker, at ``outside_places`` (longest first);
    ``streams``: per GPU that takes part; ``tasks_count``: tasks of the job that op names speak of;
    ``collective_ranks``: largest number of participants that a collective states, 0 if none does.
    """

    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    hosts_count: int
    step_ns: int
    python_events_per_step: float
    input_wait_ns: int
    input_outside_ns: int
    outside_places: tuple[Place, ...]
    streams: tuple[Streams, ...]
    communicating_devices_count: int
    tasks_count: int
    collective_ranks: int


@dataclass(frozen=True)
class Streams:
    """The streams of one GPU that run kernels.

    ``busy_count``: streams that hold enough of its kernels to say something (``BUSY_RATIO``,
    ``BUSY_KERNELS_COUNT``); ``overlap_ns``: kernel time during which an earlier kernel still runs.
    """

    host: str
    device: str
    busy_count: int
    kernels_count: int
    overlap_ns: int


def find_capture(trace: Trace, steps: Steps) -> Capture:
    """Facts about the recording of all hosts."""
    judged = [(int(h.judged.sum()), _judged_ns(h)) for h in steps.hosts]
    judged_count = max(1, sum(count for count, _ in judged))
    pairs = list(zip(trace.hosts, steps.hosts, strict=True))
    waits = [_input_waits(host, host_steps) for host, host_steps in pairs if host_steps.source == "markers"]
    marked_count = max(1, sum(int(h.judged.sum()) for h in steps.hosts if h.source == "markers"))
    return Capture(
        errors=tuple(e for h in trace.hosts for e in h.errors),
        warnings=tuple(w for h in trace.hosts for w in h.warnings),
        hosts_count=len(trace.hosts),
        step_ns=sum(ns for _, ns in judged) // judged_count,
        python_events_per_step=sum(_python_events_count(*pair) for pair in pairs) / judged_count,
        input_wait_ns=sum(wait.total_ns for wait, _, _ in waits) // marked_count,
        input_outside_ns=sum(outside.total_ns for _, outside, _ in waits) // marked_count,
        outside_places=first_places(place for _, _, places in waits for place in places),
        streams=tuple(_streams(h, i) for h in trace.hosts for i, d in enumerate(h.devices) if d.participates),
        communicating_devices_count=sum(
            bool((d.role == Role.COLLECTIVE).any()) for h in trace.hosts for d in h.devices
        ),
        tasks_count=tasks_count(trace),
        collective_ranks=max((h.collective_ranks for h in trace.hosts), default=0),
    )


def _judged_ns(steps: HostSteps) -> int:
    return int((steps.end_ns - steps.begin_ns)[steps.judged].sum())


def _python_events_count(host: HostTrace, steps: HostSteps) -> int:
    start = np.sort(host.events.start_ns[host.events.role == HostRole.PYTHON])
    begin, end = steps.begin_ns[steps.judged], steps.end_ns[steps.judged]
    return int((np.searchsorted(start, end) - np.searchsorted(start, begin)).sum())


def _input_waits(host: HostTrace, steps: HostSteps) -> tuple[Intervals, Intervals, list[tuple[int, Place]]]:
    """Input requests on the step's thread in judged steps, the part outside markers, and where that is."""
    events = host.events
    keep = (events.role == HostRole.INPUT_WAIT) & (events.thread == steps.marker_thread)
    judged = union(steps.begin_ns[steps.judged], steps.end_ns[steps.judged])
    waits = intersect(union(events.start_ns[keep], events.end_ns[keep]), judged)
    outside = subtract(waits, union(steps.host_begin_ns, steps.host_end_ns))
    places = [
        (end - begin, Place(host.host, begin / 1e6, end / 1e6, "batch fetched outside the step"))
        for begin, end in zip(outside.begin_ns.tolist(), outside.end_ns.tolist(), strict=True)
    ]
    return waits, outside, places


def _streams(host: HostTrace, index: int) -> Streams:
    device = host.devices[index]
    rows = np.flatnonzero(device.is_kernel())
    begin, end = device.start_ns[rows], device.end_ns[rows]
    _, per_stream = np.unique(device.stream[rows], return_counts=True)
    enough = max(BUSY_KERNELS_COUNT, BUSY_RATIO * len(rows))
    return Streams(
        host=host.host,
        device=device.device,
        busy_count=int((per_stream >= enough).sum()),
        kernels_count=len(rows),
        overlap_ns=int((end - begin).sum()) - union(begin, end).total_ns,
    )


def tasks_count(trace: Trace) -> int:
    """Tasks of the job that op names speak of, at least one."""
    return 1 + max((_largest_task(h) for h in trace.hosts), default=0)


def _largest_task(host: HostTrace) -> int:
    tasks = [int(m[1]) for text in host.device_texts if (m := _TASK.search(text)) and len(m[1]) < 7]
    return max(tasks, default=0)
