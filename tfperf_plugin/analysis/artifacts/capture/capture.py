"""Facts about the capture itself: errors, warnings, tracing overhead, and GPUs that were not recorded."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.by_host import Largest, View
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.finding_steps.assign import HOLE_RATIO
from tfperf_plugin.analysis.launches import TOLD_RATIO, launch_calls, lost_launches
from tfperf_plugin.analysis.steps import HOLDS_FACTOR, HostSteps
from tfperf_plugin.arrays.columns import Groups
from tfperf_plugin.arrays.intervals import (
    EMPTY,
    Bools,
    Intervals,
    Ints,
    intersect,
    merge,
    searchsorted,
    subtract,
    union,
)
from tfperf_plugin.readers.times import CLOCKS_DIFFER_NS as CLOCKS_DIFFER_NS
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import Aspect, DeviceTrace, HostEvents, HostTrace
from tfperf_plugin.trace.roles import FAILED_CALL, HostRole, Role

_TASK = re.compile(r"/task:(\d+)/")
# Names that Windows gives to a new machine, and paths that only it has.
_WINDOWS_NAME = re.compile(r"^(DESKTOP|LAPTOP|WIN)-[A-Z0-9]{7,11}$")
_WINDOWS_PATH = re.compile(r"\b[A-Za-z]:\\\w")
_FAILED = re.compile(FAILED_CALL.format(error=r"(\d{1,9})", call=r"cu\w{0,50}$"))
# A stream counts as busy if it runs at least this share, and this number, of its GPU's kernels:
# a handful of kernels on a side stream may never overlap others by chance.
BUSY_RATIO: Final = 0.05
BUSY_KERNELS_COUNT: Final = 10
# A file that holds a smaller share of the numbered ops was thinned: real ones that are whole hold all.
KEPT_RATIO: Final = 0.5
NUMBERED_COUNT: Final = 1000


class Capture(Record, frozen=True):
    """Facts about the recording of some hosts."""

    errors: tuple[str, ...]  #: Errors in the collector's own words.
    warnings: tuple[str, ...]  #: Warnings in the collector's own words.
    hosts_count: int
    #: The machine of each host, and its GPUs at work. It has the host's own name, unless hosts are processes
    #: whose machine was recorded.
    machines: tuple[tuple[str, tuple[str, ...]], ...]
    judged_count: int  #: Number of judged steps.
    judged_ns: int  #: Summed length of judged steps.
    marked_count: int  #: Number of judged steps on hosts with markers.
    python_events_count: int  #: Events of the Python tracer in judged steps.
    waited_ns: int  #: Time of requests for input on the thread that marks steps, in steps with markers.
    outside_ns: int  #: Part of ``waited_ns`` outside any marker.
    outside: Places  #: Where ``outside_ns`` is.
    streams: tuple[Streams, ...]  #: Streams of each GPU that takes part.
    communicating_devices_count: int
    tasks_count: Largest  #: Number of the job's tasks that names of ops mention.
    collective_ranks: Largest  #: Largest number of participants that a collective states, 0 if none does.
    #: Hosts with an error or a warning that run Windows, as their threads, names or paths show.
    windows_hosts: tuple[str, ...]
    launches_count: int = 0  #: Calls that launch a kernel.
    lost_count: int = 0  #: Part of ``launches_count`` whose kernels the recording lacks.
    holed_count: int = 0  #: Steps in which such calls begin.
    holes: Places = Places()  #: Where kernels are missing: the steps that lack most.
    gpus_count: int = 0  #: GPUs of which anything was recorded.
    moved_count: int = 0  #: Part of ``gpus_count`` whose times were moved onto the host's clock.
    moved_ns: Largest = 0  #: How far at most, backward or forward.
    #: What the recordings of hosts do not hold, see ``HostTrace``: an aspect once for each such host.
    lacks: tuple[Aspect, ...] = ()
    #: Number of ops that the framework numbered at least while it recorded; 0: it numbers none.
    numbered_count: int = 0
    #: Launches that returned an error: CUDA's code of each, and how many of a host returned it.
    failed: tuple[tuple[int, int], ...] = ()
    kept_count: int = 0  #: Part of ``numbered_count`` that the files hold.
    #: Time in which GPUs work, summed, where steps were told from work that recurs; and the part in steps.
    worked_ns: int = 0
    held_ns: int = 0
    #: Longest stretch of the first of these steps of which nothing was recorded.
    pause_ns: Largest = 0
    later_ns: Largest = 0  #: How long a GPU works after what counts as the only step of the recording.

    @property
    def thinned(self) -> bool:
        """Whether files hold only some of the ops that were numbered: other events are missing, too."""
        return self.numbered_count >= NUMBERED_COUNT and self.kept_count < KEPT_RATIO * self.numbered_count

    @property
    def dropped(self) -> bool:
        """Whether the collector says that it dropped events: a GPU that seems idle may have worked."""
        return any("drop" in text.lower() for text in (*self.errors, *self.warnings))

    @property
    def lacking(self) -> frozenset[Aspect]:
        """Aspects of which the recording holds nothing, or not all."""
        also: set[Aspect] = set()
        if self.thinned or (self.dropped and not self.launches_count):  # nothing says which are missing
            also.add("kernels")
        if self.communicating_devices_count == 1 < self.collective_ranks:
            also.add("other GPUs")
        return frozenset((*self.lacks, *also))

    @property
    def step_ns(self) -> int:
        """Mean length of a judged step, 0 if there is none."""
        return self.judged_ns // max(1, self.judged_count)

    @property
    def machines_count(self) -> int:
        """Number of machines: fewer than hosts where several processes of one were recorded. Hosts with the
        same GPUs are not of one machine, though names may be the same."""
        gpus: dict[str, list[str]] = defaultdict(list)
        for name, own in self.machines:
            gpus[name] += own
        shared = {name for name, all_ in gpus.items() if len(set(all_)) < len(all_)}
        return len(gpus) + sum(name in shared for name, _ in self.machines) - len(shared)

    @property
    def of_processes(self) -> bool:
        """Whether hosts are processes of which some share a machine."""
        return self.machines_count < self.hosts_count

    @property
    def python_events_per_step(self) -> float:
        """Events of the Python tracer per judged step."""
        return self.python_events_count / max(1, self.judged_count)

    @property
    def input_wait_ns(self) -> int:
        """Time of input requests per marked step."""
        return self.waited_ns // max(1, self.marked_count)

    @property
    def input_outside_ns(self) -> int:
        """The part of ``input_wait_ns`` outside any marker."""
        return self.outside_ns // max(1, self.marked_count)


class Streams(Record, frozen=True):
    """The streams of one GPU that run kernels."""

    host: str
    device: str
    #: Number of busy streams (``BUSY_RATIO``, ``BUSY_KERNELS_COUNT``) in the step that uses most.
    busy_count: int
    kernels_count: int
    overlap_ns: int  #: Kernel time during which an earlier kernel still runs.


def part(view: View) -> Capture:
    """Facts about the recording of one host."""
    host, steps = view.trace, view.steps
    judged = int(steps.judged.sum())
    in_python, _ = steps.judged_at(host.events.start_ns[host.events.role == HostRole.PYTHON])
    marked = steps.source == "markers"
    waits, outside = _input_waits(host, steps) if marked else (EMPTY, EMPTY)
    lost = np.flatnonzero(lost_launches(host))
    holed_count, holes = _holes(steps, host.events.start_ns[lost])
    calls = launch_calls(host.events)
    return Capture(
        errors=host.errors,
        warnings=host.warnings,
        hosts_count=1,
        machines=((host.machine or host.host, tuple(d.device for d in host.devices if d.participates)),),
        judged_count=judged,
        judged_ns=int((steps.end_ns - steps.begin_ns)[steps.judged].sum()),
        marked_count=judged if marked else 0,
        python_events_count=len(in_python),
        waited_ns=waits.total_ns,
        outside_ns=outside.total_ns,
        outside=steps.places("batch fetched outside the step", outside.begin_ns, outside.end_ns),
        streams=tuple(_streams(host, steps, i) for i, d in enumerate(host.devices) if d.participates),
        communicating_devices_count=sum(bool((d.role == Role.COLLECTIVE).any()) for d in host.devices),
        tasks_count=tasks_count(host.device_texts),
        collective_ranks=host.collective_ranks,
        windows_hosts=(host.host,) if (host.errors or host.warnings) and _is_windows(host) else (),
        launches_count=int(calls.sum()),
        lost_count=len(lost),
        holed_count=holed_count,
        holes=holes,
        gpus_count=sum(bool(len(device.start_ns)) for device in host.devices),
        moved_count=sum(bool(device.moved_ns) for device in host.devices),
        moved_ns=max((abs(device.moved_ns) for device in host.devices), default=0),
        lacks=tuple(sorted(host.lacks | _untold(host, steps, calls))),
        numbered_count=host.numbered_count,
        kept_count=host.kept_count,
        failed=_failed(host.events),
        **_recurring(host, steps),
        later_ns=max((_later_ns(device, steps) for device in host.devices), default=0),
    )


def _failed(events: HostEvents) -> tuple[tuple[int, int], ...]:
    of_error: dict[int, int] = defaultdict(int)
    counts = np.bincount(events.name, minlength=len(events.names)).tolist()
    for name, count in zip(events.names, counts, strict=True):
        if said := _FAILED.match(name):
            of_error[int(said[1])] += count
    return tuple(of_error.items())


def _recurring(host: HostTrace, steps: HostSteps) -> dict[str, int]:
    if steps.source != "period":
        return {}
    # What follows the last step counts as a part of it, so that step is too long to be one.
    length = steps.end_ns - steps.begin_ns
    others = ~steps.complete & (length > HOLDS_FACTOR * np.median(length))
    held = union(steps.begin_ns[~others], steps.end_ns[~others])
    every = [device.spans(device.role != Role.NO_WORK) for device in host.devices]
    first = union(steps.begin_ns[:1], steps.end_ns[:1])
    pauses = subtract(first, merge(host.events.spans(slice(None)), *every))
    return {
        "worked_ns": sum(spans.total_ns for spans in every),
        "held_ns": sum(intersect(spans, held).total_ns for spans in every),
        "pause_ns": int((pauses.end_ns - pauses.begin_ns).max(initial=0)),
    }


def _later_ns(device: DeviceTrace, steps: HostSteps) -> int:
    if steps.source != "recording" or not device.participates:
        return 0
    works = (device.role != Role.NO_WORK) & (device.start_ns >= steps.end_ns[0])
    return device.spans(works).total_ns


def _untold(host: HostTrace, steps: HostSteps, calls: Bools) -> set[Aspect]:
    """Whether judged steps lack kernels, and whether most kernels do not tell their launch."""
    untold: set[Aspect] = set()
    lost, every = (
        len(steps.judged_at(host.events.start_ns[rows])[0]) for rows in (lost_launches(host), calls)
    )
    if lost > HOLE_RATIO * every:
        untold.add("kernels")
    launch = [device.launch[device.is_kernel()] for device in host.devices]
    if sum(int((rows >= 0).sum()) for rows in launch) < TOLD_RATIO * sum(map(len, launch)):
        untold.add("launches")
    return untold


def _holes(steps: HostSteps, lost_ns: Ints) -> tuple[int, Places]:
    """The number of steps in which calls begin whose kernels are missing, at these times, and the worst."""
    begun = searchsorted(steps.host_begin_ns, lost_ns, "right") - 1
    count = np.bincount(begun[begun >= 0], minlength=len(steps))
    step = np.flatnonzero(count)
    begin, end = steps.host_begin_ns[step], steps.host_end_ns[step]
    return len(step), steps.places("kernels are missing", begin, end, step=step, weight=count[step])


def _is_windows(host: HostTrace) -> bool:
    """TensorFlow numbers its threads on Linux only: "tf_Compute/1234". WSL has the names of Windows."""
    if threads := [name for name in host.events.threads if name.startswith("tf_")]:
        return not any("/" in name for name in threads)
    return bool(_WINDOWS_NAME.match(host.host)) or any(map(_WINDOWS_PATH.search, host.events.names))


def _input_waits(host: HostTrace, steps: HostSteps) -> tuple[Intervals, Intervals]:
    """Time of input requests on the step's thread in judged steps, and the part of it outside markers."""
    events = host.events
    keep = (events.role == HostRole.INPUT_WAIT) & (events.thread == steps.marker_thread)
    judged = union(steps.begin_ns[steps.judged], steps.end_ns[steps.judged])
    waits = intersect(events.spans(keep), judged)
    return waits, subtract(waits, union(steps.host_begin_ns, steps.host_end_ns))


def _streams(host: HostTrace, steps: HostSteps, index: int) -> Streams:
    device = host.devices[index]
    rows = np.flatnonzero(device.is_kernel())
    begin, end = device.start_ns[rows], device.end_ns[rows]
    per_stream = Groups(device.stream[rows])
    busy = (per_stream.count >= max(BUSY_KERNELS_COUNT, BUSY_RATIO * len(rows)))[per_stream.of_row]
    # Where steps are told by kernels alone, a kernel on another stream may count as another step.
    marked = steps.source == "markers"
    step = steps.device_step[index][rows] if marked else np.zeros(len(rows), np.int64)
    in_step = Groups(step[busy], device.stream[rows][busy])
    return Streams(
        host=host.host,
        device=device.device,
        busy_count=int(Groups(in_step.keys[:, 0]).count.max()) if len(in_step) else 0,
        kernels_count=len(rows),
        overlap_ns=int((end - begin).sum()) - union(begin, end).total_ns,
    )


def tasks_count(device_texts: Iterable[str]) -> int:
    """Number of the job's tasks that the devices' full names mention, at least 1."""
    tasks = [int(m[1]) for text in device_texts if (m := _TASK.search(text)) and len(m[1]) < 7]
    return 1 + max(tasks, default=0)
