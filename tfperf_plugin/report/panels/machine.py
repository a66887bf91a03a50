"""What the machines did during the whole training: a lane for each resource, and when no step ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.machine.activity import Activity
from tfperf_plugin.arrays.intervals import Bools
from tfperf_plugin.judging.engine.words import count, duration, listing, number_text, percent, together
from tfperf_plugin.judging.verdicts import Finding
from tfperf_plugin.recording.resources import KINDS, Floats, Ints, Recorded, Resources, Series
from tfperf_plugin.report import model
from tfperf_plugin.report.tables import Described, column, table, wide

HOSTS_CAP: Final = 16
LANES_CAP: Final = 40
MARKS_CAP: Final = 100
# Of a lane, and of the lanes of the same resource on all hosts together, but each has at least 60.
POINTS_CAP: Final = 240
ALL_POINTS_CAP: Final = 960
LEAST_POINTS: Final = 60
# Lanes of one resource: the interfaces and disks with most traffic; more GPUs share a lane.
ALIKE_CAP: Final = 4
BRIEF: Final = 12
# Of the time watched: less of it without steps is not worth a word.
WORTH_RATIO: Final = 0.01

# Which lanes come first, by the longest begin of their name.
_ORDER: Final = (
    *("gpu.busy", "gpu.memory", "gpu.clock", "gpu.power", "gpu.temperature", "gpu.slowed", "gpu.others"),
    *("processors.", "memory.", "network.", "disk.", "training.", "gpu.", "gpu.memory_clock"),
)
# What is shown even if it was never used.
_ALWAYS: Final = ("gpu.busy", "processors.busy")


def machine(
    findings: Sequence[Finding], recorded: Recorded, activity: Activity | None
) -> model.Machine | None:
    """The lanes of each host, with the ranges that ``findings`` are about."""
    # The first host is the one that is judged.
    hosts = sorted(recorded.hosts, key=lambda host: activity is None or host.host != activity.host)
    hosts = hosts[:HOSTS_CAP]
    points = max(LEAST_POINTS, min(POINTS_CAP, ALL_POINTS_CAP // len(hosts)))
    judged = hosts[0] if activity else None
    found = (one for finding in findings for one in (finding, *finding.explains))
    marks = tuple(_marks({one.id: one for one in found}, activity)) if activity else ()
    return model.Machine(
        tuple(
            _host(
                host,
                recorded,
                _runs(host, activity, judged),
                points,
                marks if host is judged else (),
            )
            for host in hosts
        ),
        len(recorded.hosts),
        activity.running_ratio if activity else None,
        _ran(activity) if activity else "",
    )


def _host(
    host: Resources,
    recorded: Recorded,
    runs: Bools,
    points: int,
    marks: tuple[model.MachineMark, ...],
) -> model.MachineHost:
    if not len(host):
        return model.MachineHost(host.host, 0, 0, (), (), 0, 0, problems=host.problems)
    begin_ns, end_ns = (at_ns - host.begin_ns for at_ns in recorded.steps_ns)
    watched_ns = int(host.end_ns[-1])
    ends = np.unique(np.searchsorted(host.end_ns, np.linspace(0, watched_ns, points + 1)[1:]))
    took_ns = host.took_ns()
    lanes = (_lane(one, ends, took_ns, runs) for one in _shown(host))
    return model.MachineHost(
        host.host,
        host.begin_ns,
        watched_ns,
        tuple(host.end_ns[ends].tolist()),
        tuple(lanes),
        begin_ns,
        end_ns,
        marks,
        together(
            f"{host.host} was watched for {duration(watched_ns)}.",
            _profiled(begin_ns, end_ns, recorded.steps),
        ),
        host.missing,
        host.problems,
    )


def _profiled(begin_ns: int, end_ns: int, steps: int) -> str:
    """Which part of what was watched the profile holds."""
    after = f"{duration(max(0, begin_ns))} after watching began"
    if not steps:
        return f"The profile begins {after}."
    return f"The profile holds {duration(end_ns - begin_ns)} of it, {count(steps, 'step')}, {after}."


def _ran(activity: Activity) -> str:
    """In which share of the time steps ran, and what passed without them."""
    watched_ns = activity.watched_ns
    without = (
        (activity.idle_ns, f"in {count(len(activity.pauses), 'pause')} between steps"),
        (activity.first_ns, "before the first one"),
        (watched_ns - activity.last_ns, "after the last one"),
    )
    parts = [f"{percent(ns / watched_ns)} {when}" for ns, when in without if ns > WORTH_RATIO * watched_ns]
    ran = f"Steps ran for {percent(activity.running_ratio)} of the {duration(watched_ns)} that were watched"
    return f"{ran}{f'; no step ran for {listing(parts)}' if parts else ''}."


def _marks(findings: dict[str, Finding], activity: Activity) -> Iterator[model.MachineMark]:
    """The ranges in which no step ran, if a finding says so."""
    if late := findings.get("late-start"):
        label = f"{late.title}: {duration(activity.first_ns)}"
        yield model.MachineMark(0, activity.first_ns, label, late.id)
    if between := findings.get("idle-between"):
        longest = sorted(activity.pauses, key=lambda pause: -pause.idle_ns)[: MARKS_CAP - 1]
        for pause in sorted(longest, key=lambda pause: pause.begin_ns):
            label = f"{between.title}: {duration(pause.idle_ns)}"
            yield model.MachineMark(pause.begin_ns, pause.end_ns, label, between.id)


def _runs(host: Resources, activity: Activity | None, judged: Resources | None) -> Bools:
    """In which rows steps ran, by what the judged host did at the same time; all if that is not known."""
    at_ns = host.end_ns - host.took_ns() // 2
    if not (activity and judged):
        return np.ones(len(host), bool)
    at_ns = at_ns + (host.begin_ns - judged.begin_ns)
    runs: Bools = (at_ns >= activity.first_ns) & (at_ns <= activity.last_ns)
    for pause in activity.pauses:
        runs &= (at_ns < pause.begin_ns) | (at_ns > pause.end_ns)
    return runs if runs.any() else np.ones(len(host), bool)


def _place(series: Series) -> int:
    return _ORDER.index(max(filter(series.name.startswith, _ORDER), key=len))


def _shown(host: Resources) -> list[Series]:
    """The series that are drawn, the most important first."""
    used = [one for one in host.series if one.name in _ALWAYS or one.high.max(initial=0) > 0]
    names = list(KINDS)
    used.sort(key=lambda one: (_place(one), names.index(one.name)))
    shown = (_few(list(alike)) for _, alike in groupby(used, key=lambda one: one.name))
    return [one for few in shown for one in few][:LANES_CAP]


def _few(alike: list[Series]) -> list[Series]:
    if len(alike) <= ALIKE_CAP:
        return alike
    if not alike[0].name.startswith("gpu."):
        return sorted(alike, key=lambda one: -float(one.mean.mean()))[:ALIKE_CAP]
    limits = [one.limit for one in alike if one.limit is not None]
    mean, low, high = (
        merge([getattr(one, name) for one in alike], axis=0)
        for name, merge in (("mean", np.mean), ("low", np.min), ("high", np.max))
    )
    return [Series(alike[0].name, mean, low, high, f"{len(alike)} GPUs", max(limits, default=None))]


def _lane(series: Series, ends: Ints, took_ns: Ints, runs: Bools) -> model.MachineLane:
    """The rows of ``series`` as stretches that end with the rows ``ends``."""
    begins = np.concatenate(([0], ends[:-1] + 1))
    mean = np.add.reduceat(series.mean * took_ns, begins) / np.add.reduceat(took_ns, begins)
    kind = series.kind
    return model.MachineLane(
        series.name,
        kind.label,
        f"GPU {series.of}" if series.name.startswith("gpu.") and series.of.isdigit() else series.of,
        kind.unit,
        series.limit,
        kind.limit if series.limit is not None else "",
        _short(np.average(series.mean[runs], weights=took_ns[runs])),
        _short(series.high.max()),
        _numbers(mean),
        _numbers(np.minimum.reduceat(series.low, begins)),
        _numbers(np.maximum.reduceat(series.high, begins)),
    )


def _numbers(values: Floats) -> tuple[float, ...]:
    return tuple(map(_short, values.tolist()))


def _short(value: float) -> float:
    return float(f"{value:.4g}")


# ------------------------------------------------------------------------------------- section

_Told = tuple[model.MachineHost, model.MachineLane]


def _limit(lane: model.MachineLane) -> str:
    return "" if lane.limit is None else number_text(lane.limit, lane.unit)


_LANES: Final[tuple[Described[_Told], ...]] = (
    column("resource", "Resource", "name", lambda of: " · ".join(filter(None, (of[1].label, of[1].of)))),
    column("mean", "Mean", "text", lambda of: number_text(of[1].usual, of[1].unit)),
    column("most", "Highest", "text", lambda of: number_text(of[1].most, of[1].unit)),
    column("limit", "Limit", "text", lambda of: _limit(of[1])),
    wide("limit_of", "Of what", "text", lambda of: of[1].limit_of),
)
_HOST: Final[Described[_Told]] = column("host", "Host", "name", lambda of: of[0].host)


def machine_section(found: model.Machine) -> model.Section:
    """In how much of the time steps ran."""
    if found.running_ratio is not None:
        return model.Section("machine", found.said, percent(found.running_ratio))
    watched = duration(max(host.watched_ns for host in found.hosts))
    if any(host.lanes for host in found.hosts):
        what = f"The machine was watched for {watched}; nothing shows when steps ran."
    else:
        what = "What was watched of the machine cannot be used."
    return model.Section("machine", what, "")


def machine_blocks(found: model.Machine) -> Iterator[model.SectionBlock]:
    """What was watched, and each resource."""
    first = found.hosts[0]
    several = found.hosts_total > 1
    rows = [(host, lane) for host in found.hosts for lane in host.lanes]
    gaps = [
        f"{host.host}: {said}" if several else said
        for host in found.hosts
        for said in (*host.problems, *host.missing)
    ]
    yield model.Sentence(first.said or machine_section(found).answer, "Machine")
    if rows:
        columns = (*_LANES, *((_HOST,) if several else ()))
        title = "Each resource" if found.running_ratio is None else "Each resource, mean while steps ran"
        yield table("machine", title, rows, columns, BRIEF)
    if gaps:
        yield model.Sentence(" ".join(gaps))
