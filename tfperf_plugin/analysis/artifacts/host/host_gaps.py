"""The activity of the host between steps, whether or not a GPU was recorded."""

from __future__ import annotations

import re

from tfperf_plugin.analysis.artifacts.by_host import PerStep, PerStepByName, View, averaged, longest_first
from tfperf_plugin.analysis.artifacts.host.step_body import step_body
from tfperf_plugin.analysis.artifacts.host.step_gaps import named_in
from tfperf_plugin.analysis.compiling import tracing_or_compiling
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.host_activity import input_waits
from tfperf_plugin.arrays.intervals import merge, subtract, union
from tfperf_plugin.records import Record

# Programs that XLA runs on the CPU's own threads; the host may have handed them over and gone on.
_COMPUTES = re.compile(r"ThunkExecutor::Execute\b")
# If more of their time than this lies outside of steps, the host hands them over: a gap says nothing.
AHEAD_RATIO = 0.5


class HostGaps(Record, frozen=True):
    """An average judged step of hosts that mark steps."""

    steps_count: int
    step_ns: PerStep
    #: Part in which the host is outside the step's function and neither waits for a batch, traces, compiles
    #: nor runs an XLA program.
    gap_ns: PerStep
    #: Name → time of what the host does in the gaps.
    ns_by_name: PerStepByName
    #: The longest gaps.
    where: Places

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """(What the host does in the gaps, ns), longest first."""
        return longest_first(self.ns_by_name)


def part(view: View) -> HostGaps:
    """One host's time between steps; nothing if it does not mark steps or runs far ahead of them."""
    events, steps = view.trace.events, view.steps
    computing = events.spans(events.named(_COMPUTES.match))
    late = subtract(computing, union(steps.begin_ns, steps.end_ns))
    if steps.marker_thread < 0 or late.total_ns > AHEAD_RATIO * computing.total_ns:
        return HostGaps(0, 0, 0, {}, Places())
    chosen = steps.judged
    judged = union(steps.begin_ns[chosen], steps.end_ns[chosen])
    busy = merge(step_body(events, steps), input_waits(events), tracing_or_compiling(events), computing)
    outside = subtract(judged, busy)
    names = named_in(events, steps.marker_thread, outside, [outside])
    places = steps.places("the host between steps", outside.begin_ns, outside.end_ns)
    return HostGaps(int(chosen.sum()), judged.total_ns, outside.total_ns, names, places)


def finish(found: HostGaps) -> HostGaps:
    """The hosts' time between steps, of an average step."""
    return averaged(found, found.steps_count)
