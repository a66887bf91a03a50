"""What a GPU and its host do while others already wait in a collective for that GPU."""

from __future__ import annotations

import numpy as np

from tfperf_plugin.artifacts.by_host import View
from tfperf_plugin.codes import occurring
from tfperf_plugin.ledger import IDLE, DeviceLedger, HostLedger
from tfperf_plugin.records import dataclass
from tfperf_plugin.steps import step_function_runs
from tfperf_plugin.trace.intervals import Intervals, Ints, covered_within, intersect, union
from tfperf_plugin.trace.model import HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole

# A host is late if its GPU has nothing to do for so much of the delay; below the other a GPU works instead.
BY_HOST_RATIO = 0.5
WORKS_RATIO = 0.2
# What the host does is named if it covers so much of the idle time, and takes no more of a step than this:
# what encloses the whole step says nothing.
COVERED_RATIO = 0.8
WRAPPER_RATIO = 0.95


@dataclass(frozen=True)
class LateGpu:
    """One GPU in an average judged step.

    ``late_ns``: how long after the first participant it comes last to a collective, in each step the longest;
    ``idle_ns``: for how long the GPU has nothing to do while others wait for it, so that its host is late;
    ``input_ns``: of that for want of a batch; ``doing``: what a thread that marks steps or launches for it
    does during most of ``idle_ns``, "" if no one event covers enough; ``doing_ns``: for how long of it.
    """

    host: str
    device: str
    late_ns: int
    idle_ns: int
    input_ns: int
    doing: str
    doing_ns: int

    @property
    def by_host(self) -> bool:
        """Whether the host is what is late. Later in the step the GPU works while others wait: it lags."""
        return self.idle_ns >= BY_HOST_RATIO * self.late_ns > 0

    @property
    def works(self) -> bool:
        """Whether the GPU is busy while others wait for it."""
        return self.idle_ns <= WORKS_RATIO * self.late_ns

    @property
    def by_input(self) -> bool:
        """Whether the host waits for a batch for most of the time."""
        return self.by_host and self.input_ns >= COVERED_RATIO * self.idle_ns


@dataclass(frozen=True)
class Lateness:
    """Every GPU that some other one waits for."""

    rows: tuple[LateGpu, ...] = ()

    def of(self, host: str, device: str | None = None) -> LateGpu | None:
        """That of one GPU or, without ``device``, of the host's GPU that is late for longest."""
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
    window = union(steps.begin_ns[steps.judged], steps.end_ns[steps.judged])
    late = intersect(union(calls.first_ns[keep], calls.start_ns[keep]), window)
    if not late.total_ns:
        return None
    idle = intersect(late, ledger.judged_time(device, *IDLE))
    waits = intersect(late, ledger.judged_time(device, "idle.input"))
    name, ns = _doing(trace, ledger, device, idle, window.total_ns)
    count = int(steps.judged.sum())
    longest = np.zeros(len(steps), np.int64)
    np.maximum.at(longest, calls.step[keep], calls.start_ns[keep] - calls.first_ns[keep])
    return LateGpu(
        ledger.host, device.device, int(longest.sum()) // count, idle.total_ns // count,
        waits.total_ns // count, name, ns // count,
    )  # fmt: skip


def _doing(
    trace: HostTrace, ledger: HostLedger, device: DeviceLedger, idle: Intervals, judged_ns: int
) -> tuple[str, int]:
    """The most specific event, by its name, that covers most of this time on a thread that matters."""
    events = trace.events
    best: tuple[int, str, int] | None = None
    if not idle.total_ns:
        return "", 0
    for thread in _threads(trace, ledger, device):
        rows = _candidates(events, thread, idle)
        for code in occurring(events.name[rows]).tolist():
            mine = rows[events.name[rows] == code]
            spans = union(events.start_ns[mine], events.end_ns[mine])
            covered = intersect(spans, idle).total_ns
            if covered >= COVERED_RATIO * idle.total_ns and (best is None or spans.total_ns < best[0]):
                best = spans.total_ns, events.names[code], covered
    return best[1:] if best and best[0] <= WRAPPER_RATIO * judged_ns else ("", 0)


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
    """Events of a thread in this time that say what it does: no step markers, functions or executors."""
    said = (events.thread == thread) & (events.step_num < 0) & ~events.function_call
    said &= (events.role != HostRole.EXECUTOR) & (events.role != HostRole.FUNCTION_RUN)
    said[step_function_runs(events)] = False
    rows = np.flatnonzero(said)
    return rows[covered_within(idle, events.start_ns[rows], events.end_ns[rows]) > 0]


__all__ = ["LateGpu", "Lateness", "part"]
