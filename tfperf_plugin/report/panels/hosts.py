"""The hosts of a run, each compared with the median host."""

from __future__ import annotations

from typing import Final

from tfperf_plugin.analysis.artifacts.communication.hosts import HostRow, Hosts
from tfperf_plugin.arrays.columns import median
from tfperf_plugin.judging.engine.words import count, listing, ms
from tfperf_plugin.report import model
from tfperf_plugin.report.model import HostTimes, Table
from tfperf_plugin.report.tables import Described, column, row_of, table, wide

# Steps of all hosts together that ``by_host`` lists.
HOST_STEPS_CAP: Final = 4000
# Of fewer hosts, none can be called the exception.
LEAST_HOSTS: Final = 3
# Number of hosts in a text; JSON and the tab list all.
BRIEF: Final = 16


def by_host(hosts: Hosts) -> tuple[model.HostTimes, ...]:
    """Lists steps of each host, up to ``HOST_STEPS_CAP`` for all hosts together."""
    cap = max(1, HOST_STEPS_CAP // max(1, len(hosts.rows)))
    return tuple(_host_times(h, cap) for h in hosts.rows)


def _host_times(host: HostRow, cap: int) -> model.HostTimes:
    own, wait = (int(x.mean()) if len(x) else 0 for x in (host.own_ns, host.wait_ns))
    steps = zip(host.number[:cap].tolist(), host.own_ns.tolist(), host.wait_ns.tolist(), strict=False)
    return row_of(
        model.HostTimes,
        host,
        steps_count=len(host.number),
        own_ns=own,
        wait_ns=wait,
        clock_offset_ns=host.clock.offset_ns,
        clock_uncertainty_ns=host.clock.uncertainty_ns,
        clock_source=host.clock.source,
        step_shift=host.clock.step_shift,
        steps=tuple(model.HostStep(n, o, w) for n, o, w in steps),
    )


# -------------------------------------------------------------------------------------- table

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


def hosts_answer(hosts: tuple[HostTimes, ...]) -> tuple[str, str]:
    """Which hosts are slow, in one sentence, and the number for it."""
    own = [host.own_ns for host in hosts]
    slow = [host for host in hosts if host.slow]
    if not slow:
        low, high = ms(min(own)), ms(max(own))
        span = low if low == high else f"{low} to {high}"
        judged = (
            "no host is slow"
            if len(hosts) >= LEAST_HOSTS
            else f"with fewer than {LEAST_HOSTS} hosts, none can be called the straggler"
        )
        return f"A host's own part of a step takes {span}; {judged}.", count(len(hosts), "host")
    names, mine = listing([host.host for host in slow]), median([host.own_ns for host in slow])
    are, whose = ("straggler is", "its") if len(slow) == 1 else ("stragglers are", "their")
    text = f"The {are} {names}: {whose} own part of a step takes {ms(mine)}"
    others, chip = [host.own_ns for host in hosts if not host.slow], f"{len(slow)} slow"
    if others:
        text += f", that of the median other host {ms(median(others))}"
        if mine > median(others):
            chip = f"+{ms(mine - median(others))}"
    if late := [host.late_ns for host in slow if host.late_ns is not None]:
        arrives = "it arrives" if len(slow) == 1 else "they arrive"
        text += f"; {arrives} at collectives {ms(median(late))} after the first host"
    return f"{text}.", chip
