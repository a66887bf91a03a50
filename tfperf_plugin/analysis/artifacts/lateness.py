"""What a GPU and its host do while other GPUs already wait in a collective for that GPU."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import View
from tfperf_plugin.analysis.artifacts.timeline import Places
from tfperf_plugin.analysis.evidence import Place
from tfperf_plugin.analysis.ledger import ACCOUNTS, IDLE, DeviceLedger, HostLedger, Ledger
from tfperf_plugin.analysis.steps import step_function_runs
from tfperf_plugin.arrays.intervals import Intervals, Ints, covered_within, intersect, union
from tfperf_plugin.arrays.medians import median
from tfperf_plugin.arrays.unique import unique
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole

# A host is late if its GPU is idle for the first share of the delay; below the second share, the GPU works.
BY_HOST_RATIO = 0.5
WORKS_RATIO = 0.2
# Only calls count whose delay is at least this share of the GPU's longest delay in the step.
MOST_RATIO = 0.5
# An event names the host's activity if it covers the first share of the idle time, and at most the second
# share of a step: an event that encloses the whole step says nothing.
COVERED_RATIO = 0.8
WRAPPER_RATIO = 0.95
_IDLE = [ACCOUNTS.index(account) for account in IDLE]


class LateGpu(Record, frozen=True):
    """One GPU in an average judged step.

    ``late_ns``: how long after the first participant it arrives last at a collective, in each step the
    longest; ``idle_ns``: how long it is idle between the previous collective and this one, beyond the usual
    idle time of other GPUs, so that its host is late; ``input_ns``: the part of that in which it waits for a
    batch; ``doing``: the event of the marking or launching thread during most of that idle time, "" if no one
    event covers enough; ``places``: where others wait for it longest, from the first participant to this GPU.
    """

    host: str
    device: str
    late_ns: int
    idle_ns: int
    input_ns: int
    doing: str
    places: tuple[Place, ...] = ()

    @property
    def by_host(self) -> bool:
        """Whether the host is late: its GPU is idle for most of the delay."""
        return self.idle_ns >= BY_HOST_RATIO * self.late_ns > 0

    @property
    def works(self) -> bool:
        """Whether the GPU is at work for nearly all of the delay."""
        return self.idle_ns <= WORKS_RATIO * self.late_ns

    @property
    def by_input(self) -> bool:
        """Whether the host is late because it waits for a batch."""
        return self.by_host and self.input_ns >= COVERED_RATIO * self.idle_ns


class Lateness(Record, frozen=True):
    """All GPUs for which other GPUs wait."""

    rows: tuple[LateGpu, ...] = ()

    def of(self, host: str, device: str | None = None) -> LateGpu | None:
        """The row of one GPU or, without ``device``, of the host's GPU with the longest delay."""
        found = [r for r in self.rows if r.host == host and device in (None, r.device)]
        return max(found, key=lambda r: r.late_ns, default=None)


def part(view: View) -> Lateness:
    """The GPUs of one host."""
    ledger = view.ledger
    if ledger is None or not ledger.steps.judged.any():
        return Lateness()
    rows = (_row(view.trace, ledger, device) for device in ledger.devices)
    return Lateness(tuple(row for row in rows if row))


def _row(trace: HostTrace, ledger: HostLedger, device: DeviceLedger) -> LateGpu | None:
    calls, steps = ledger.calls, ledger.steps
    keep = (calls.device == device.index) & calls.matched & (calls.step >= 0) & (calls.wait_ns == 0)
    keep &= steps.judged[np.maximum(calls.step, 0)]
    if not keep.any():
        return None
    late = calls.start_ns - calls.first_ns
    longest = np.zeros(len(steps), np.int64)
    np.maximum.at(longest, calls.step[keep], late[keep])
    # A delay that is small for its step is scatter, or the rest of an earlier delay.
    most = np.flatnonzero(keep & (late > 0) & (late >= MOST_RATIO * longest[np.maximum(calls.step, 0)]))
    way = union(_since(ledger, device.index)[most], calls.start_ns[most])
    idle = intersect(way, ledger.judged_time(device, *IDLE))
    waits = intersect(way, ledger.judged_time(device, "idle.input"))
    judged_ns = int((steps.end_ns - steps.begin_ns)[steps.judged].sum())
    name = _doing(trace, ledger, device, idle, judged_ns)
    count = int(steps.judged.sum())
    places = Places.of_ranges(
        ledger.host, "", calls.first_ns[most], calls.start_ns[most],
        steps.number[calls.step[most]], device.device,
    )  # fmt: skip
    return LateGpu(
        ledger.host, device.device, int(longest.sum()) // count, idle.total_ns // count,
        waits.total_ns // count, name, places.all(),
    )  # fmt: skip


def _since(ledger: HostLedger, index: int) -> Ints:
    """For each row of the host's collectives when the GPU had finished the earlier ones, but not before the
    begin of the step."""
    calls = ledger.calls
    since = ledger.steps.begin_ns[np.maximum(calls.step, 0)]
    mine = np.flatnonzero(calls.device == index)  # sorted by start
    through = np.maximum.accumulate(calls.end_ns[mine])[:-1]
    since[mine[1:]] = np.maximum(since[mine[1:]], through)
    return np.minimum(since, calls.start_ns)


def finish(found: Lateness, ledger: Ledger) -> Lateness:
    """The lateness on all hosts; only idle time beyond the median of the other GPUs counts."""
    idle = {
        (host.host, device.device): int(device.sums_ns[ledger.common(host)][:, _IDLE].sum(axis=1).mean())
        for host in ledger.hosts
        for device in host.devices
    }
    rows = []
    for row in found.rows:
        own = idle.get((row.host, row.device), 0)
        others = [ns for key, ns in idle.items() if key != (row.host, row.device)]
        beyond = max(0, own - int(median(others))) if others else 0
        rows.append(replace(row, idle_ns=min(row.idle_ns, beyond), input_ns=min(row.input_ns, beyond)))
    return Lateness(tuple(rows))


def _doing(
    trace: HostTrace, ledger: HostLedger, device: DeviceLedger, idle: Intervals, judged_ns: int
) -> str:
    """The most specific event, by its name, that covers most of this time on a thread that matters."""
    events = trace.events
    best, name = int(WRAPPER_RATIO * judged_ns), ""
    if not idle.total_ns:
        return ""
    for thread in _threads(trace, ledger, device):
        rows = _candidates(events, thread, idle)
        for code in unique(events.name[rows]).tolist():
            mine = rows[events.name[rows] == code]
            spans = events.spans(mine)
            covered = intersect(spans, idle).total_ns
            if covered >= COVERED_RATIO * idle.total_ns and spans.total_ns < best:
                best, name = spans.total_ns, events.names[code]
    return name


def _threads(trace: HostTrace, ledger: HostLedger, device: DeviceLedger) -> list[int]:
    """The thread that marks steps, and the one that launches most for the GPU."""
    source, events = trace.devices[device.index], trace.events
    launch = source.launch[device.kernels]
    launch = launch[launch >= 0]
    marks = [ledger.steps.marker_thread] if ledger.steps.marker_thread >= 0 else []
    if not len(launch):
        return marks
    return list(dict.fromkeys([*marks, int(np.bincount(events.thread[launch]).argmax())]))


def _candidates(events: HostEvents, thread: int, idle: Intervals) -> Ints:
    """Events of a thread in this time that show its activity: no step markers, functions or executors."""
    said = (events.thread == thread) & (events.step_num < 0) & ~events.function_call
    said &= (events.role != HostRole.EXECUTOR) & (events.role != HostRole.FUNCTION_RUN)
    said[step_function_runs(events)] = False
    rows = np.flatnonzero(said)
    return rows[covered_within(idle, events.start_ns[rows], events.end_ns[rows]) > 0]
