"""What the capture itself says: errors, warnings, tracing overhead, who else took part."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tfperf_plugin.steps import Steps
from tfperf_plugin.trace.intervals import covered_within, intersect, union
from tfperf_plugin.trace.model import HostTrace, Trace
from tfperf_plugin.trace.roles import HostRole, Role

_TASK = re.compile(r"/task:(\d+)/")


@dataclass(frozen=True)
class Capture:
    """Facts about the recording as a whole.

    ``python_events_per_step``: events of the Python tracer per judged step; ``tracer_outside_ns``: input
    requests on the step's thread outside any marker, per judged step, of ``input_wait_ns`` in all;
    ``streams``: per participating GPU (host, device, compute streams with kernels, whether any two
    kernels overlap, kernels); ``tasks_count``: tasks of the job that op names speak of.
    """

    errors: tuple[str, ...]
    warnings: tuple[str, ...]
    hosts_count: int
    python_events_per_step: float
    input_wait_ns: int
    input_outside_ns: int
    streams: tuple[Streams, ...]
    communicating_devices_count: int
    tasks_count: int
    collective_ranks: int


@dataclass(frozen=True)
class Streams:
    """The streams of one GPU that run kernels, and how much of their kernel time overlaps."""

    host: str
    device: str
    streams_count: int
    kernels_count: int
    overlap_ns: int


def find_capture(trace: Trace, steps: Steps) -> Capture:
    """Facts about the recording of all hosts."""
    judged = max(1, sum(int(h.judged.sum()) for h in steps.hosts))
    python = wait = outside = 0
    for host, host_steps in zip(trace.hosts, steps.hosts, strict=True):
        events = host.events
        tracer = events.start_ns[events.role == HostRole.PYTHON]
        if len(host_steps):
            begin, end = host_steps.begin_ns[host_steps.judged], host_steps.end_ns[host_steps.judged]
            python += int((np.searchsorted(np.sort(tracer), end) - np.searchsorted(np.sort(tracer), begin)).sum())
            waits = union(*_spans(host, host_steps.marker_thread, int(HostRole.INPUT_WAIT)))
            wait += int(covered_within(waits, begin, end).sum())
            markers = union(host_steps.host_begin_ns, host_steps.host_end_ns)
            wait_inside = intersect(waits, markers)
            outside += int(covered_within(waits, begin, end).sum() - covered_within(wait_inside, begin, end).sum())
    return Capture(
        errors=tuple(e for h in trace.hosts for e in h.errors),
        warnings=tuple(w for h in trace.hosts for w in h.warnings),
        hosts_count=len(trace.hosts),
        python_events_per_step=python / judged,
        input_wait_ns=wait // judged,
        input_outside_ns=outside // judged,
        streams=tuple(_streams(h, i) for h in trace.hosts for i, d in enumerate(h.devices) if d.participates),
        communicating_devices_count=sum(
            bool((d.role == Role.COLLECTIVE).any()) for h in trace.hosts for d in h.devices
        ),
        tasks_count=1 + max((_largest_task(h) for h in trace.hosts), default=0),
        collective_ranks=max((h.collective_ranks for h in trace.hosts), default=0),
    )


def _spans(host: HostTrace, thread: int, role: int) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    keep = (host.events.role == role) & (host.events.thread == thread)
    return host.events.start_ns[keep], host.events.end_ns[keep]


def _streams(host: HostTrace, index: int) -> Streams:
    device = host.devices[index]
    rows = np.flatnonzero(device.is_kernel())
    begin, end = device.start_ns[rows], device.end_ns[rows]
    return Streams(
        host=host.host,
        device=device.device,
        streams_count=len(np.unique(device.stream[rows])),
        kernels_count=len(rows),
        overlap_ns=int((end - begin).sum()) - union(begin, end).total_ns,
    )


def _largest_task(host: HostTrace) -> int:
    tasks = [int(m[1]) for text in host.device_texts if (m := _TASK.search(text)) and len(m[1]) < 7]
    return max(tasks, default=0)
