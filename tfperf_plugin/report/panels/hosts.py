"""The hosts of a run, each compared with the median host."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.arrays.columns import median
from tfperf_plugin.report.model import HostTimes, Table
from tfperf_plugin.report.tables import Described, column, table, wide

# Number of hosts in a text; JSON and the tab list all.
BRIEF: Final = 16
_NOTE: Final = (
    "“Own”: the step without waiting in AllReduce. “Arrives late by”: after the first host, at the AllReduce "
    "calls that join hosts; median. “Clock off by”: against the clock of the first host, found by what "
    "“Aligned by” names: all GPUs leave an AllReduce together."
)
_CLOCKS: Final = {
    "collectives": "ends of collectives",
    "wall clock": "wall clocks",
    "same host": "the same clock",
    "unknown": "not known: clocks could not be aligned",
}
_MEANINGS: Final = {
    "own_ns": "The step without straggler wait: what this host would take alone.",
    "late_ns": "How much later than the first host its GPUs come to AllReduce.",
    "clock_ns": "What added to its times gives those of the first host.",
    "clock_uncertainty_ns": "How far the common ends of collectives scatter around “Clock off by”; not "
    "known for wall clocks.",
    "clock": "What “Clock off by” was found by: the ends of collectives where hosts share them, else the "
    "wall clocks.",
}
_Compared = tuple[HostTimes, int]
"""A host, and how much longer its own part of a step takes than the median host's."""

_COLUMNS: Final[tuple[Described[_Compared], ...]] = (
    column("host", "Host", "name", lambda of: of[0].host),
    column("slow", "Verdict", "mark", lambda of: "slow" if of[0].slow else ""),
    column("own_ns", "Own", "ns", lambda of: of[0].own_ns),
    column("behind_ns", "Against the median host", "more_ns", lambda of: of[1]),
    column("compute_ns", "Compute", "ns", lambda of: of[0].compute_ns),
    column("input_ns", "Waits for input", "ns", lambda of: of[0].input_ns),
    column("wait_ns", "Waits for others", "ns", lambda of: of[0].wait_ns),
    column("late_ns", "Arrives late by", "ns", lambda of: of[0].late_ns, none="not known"),
    wide("gpus", "GPUs", "count", lambda of: of[0].gpus_count),
    wide("steps", "Steps", "count", lambda of: of[0].steps_count),
    wide("step_ns", "Step", "ns", lambda of: of[0].step_ns),
    wide("clock_ns", "Clock off by", "ns", lambda of: of[0].clock_offset_ns, none="not known"),
    wide("clock_uncertainty_ns", "Known to ±", "ns", lambda of: of[0].clock_uncertainty_ns),
    wide("clock", "Aligned by", "text", lambda of: _CLOCKS[of[0].clock_source]),
)


def host_table(hosts: tuple[HostTimes, ...]) -> Table:
    """Slow hosts first, then by their own part of a step."""
    usual = int(median([host.own_ns for host in hosts]))
    ordered = sorted(hosts, key=lambda host: (not host.slow, -host.own_ns))
    rows = [(host, host.own_ns - usual) for host in ordered]
    return table(
        "hosts", "Hosts, each one's own part of a step", rows, _COLUMNS, BRIEF, note=_NOTE, meanings=_MEANINGS
    )
