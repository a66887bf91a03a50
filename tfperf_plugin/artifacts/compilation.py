"""What tracing of functions and compiling by XLA do in steady steps, with or without a GPU."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from tfperf_plugin.artifacts.overlap import Overlap, overlap
from tfperf_plugin.artifacts.timeline import first_places
from tfperf_plugin.engine.outcome import Place
from tfperf_plugin.ledger import Ledger
from tfperf_plugin.steps import HostSteps, Steps
from tfperf_plugin.trace import compiling
from tfperf_plugin.trace.intervals import Bools, Intervals, Ints, covered_within
from tfperf_plugin.trace.model import HostEvents, HostTrace, Trace
from tfperf_plugin.trace.roles import HostRole

# A step traces or compiles if it does so for this share of the mean step: cached calls take microseconds.
VISIBLE_RATIO: Final = 0.01
# XLA's and TensorFlow's names for the function "train_step": what they put around it.
_AROUND: Final = re.compile(r"^(?:HLO Transforms:)?(?:a?_)*inference_(.+?)_\d+(?:__.*|:.*)?$")


@dataclass(frozen=True)
class Function:
    """A function that was traced or compiled: in how many judged steps; ``total``: how often it had been
    traced by then since the program began, ``None`` if not recorded."""

    name: str
    steps_count: int
    total: int | None = None


@dataclass(frozen=True)
class Share:
    """One of the two causes in judged steps of all hosts, as the host counts steps: from marker to marker.

    ``steps_count``: steps in which it is visible; ``host_ns``: the host's time of an average step;
    ``functions``: in most steps first; ``where``: the longest of these steps, on the host.
    """

    steps_count: int
    host_ns: int
    functions: tuple[Function, ...]
    where: tuple[Place, ...]


@dataclass(frozen=True)
class Compilation:
    """``judged_count`` steps, ``step_ns`` long on average; ``traced_and_compiled_count``: steps that do both.

    ``tracing_time``/``compiling_time``: host → when it does so.
    """

    judged_count: int
    step_ns: int
    tracing: Share
    compiling: Share
    traced_and_compiled_count: int
    calls_functions: bool
    tracing_time: Mapping[str, Intervals]
    compiling_time: Mapping[str, Intervals]

    def idle(self, ledger: Ledger, time: Mapping[str, Intervals], label: str) -> Overlap:
        """What of the account ``idle.compile`` lies in this time."""
        return overlap(ledger, ["idle.compile"], time, label)


def find_compilation(trace: Trace, steps: Steps) -> Compilation:
    """Tracing and compiling on all hosts."""
    pairs = list(zip(trace.hosts, steps.hosts, strict=True))
    traces = {h.host: compiling.tracing(h.events) for h in trace.hosts}
    compiles = {h.host: compiling.compiling(h.events) for h in trace.hosts}
    judged = sum(int(s.judged.sum()) for _, s in pairs)
    total = sum(int((s.end_ns - s.begin_ns)[s.judged].sum()) for _, s in pairs)
    step_ns = total // max(1, judged)
    both = sum(
        int((_visible(s, traces[h.host], step_ns) & _visible(s, compiles[h.host], step_ns)).sum())
        for h, s in pairs
    )
    return Compilation(
        judged_count=judged,
        step_ns=step_ns,
        tracing=_share(pairs, traces, step_ns, judged, "tracing"),
        compiling=_share(pairs, compiles, step_ns, judged, "compiling"),
        traced_and_compiled_count=both,
        calls_functions=any(bool(h.events.function_call.any()) or _runs_functions(h) for h in trace.hosts),
        tracing_time=traces,
        compiling_time=compiles,
    )


def _runs_functions(host: HostTrace) -> bool:
    return bool((host.events.role == HostRole.FUNCTION_RUN).any())


def _spent(steps: HostSteps, time: Intervals) -> Ints:
    """For each step what of the time lies between its begin on the host and the next one's.

    A step's window begins only when the GPU is done with the step before, and a host that runs ahead traces
    or compiles earlier than that.
    """
    end = np.append(steps.host_begin_ns[1:], steps.host_end_ns[-1:])
    return covered_within(time, steps.host_begin_ns, np.maximum(end, steps.host_begin_ns))


def _visible(steps: HostSteps, time: Intervals, step_ns: int) -> Bools:
    spent = _spent(steps, time)
    return np.asarray(steps.judged & (spent > 0) & (spent >= VISIBLE_RATIO * step_ns))


def _share(
    pairs: list[tuple[HostTrace, HostSteps]],
    times: Mapping[str, Intervals],
    step_ns: int,
    judged: int,
    what: str,
) -> Share:
    visible_count, spent_ns = 0, 0
    names: dict[str, tuple[int, int]] = {}
    plain = what == "tracing"
    places: list[tuple[int, Place]] = []
    for host, steps in pairs:
        visible = _visible(steps, times[host.host], step_ns)
        spent = _spent(steps, times[host.host])
        visible_count += int(visible.sum())
        spent_ns += int(spent[steps.judged].sum())
        for i in np.flatnonzero(visible)[np.argsort(-spent[visible], kind="stable")][:5].tolist():
            begin, end = int(steps.host_begin_ns[i]) / 1e6, int(steps.host_end_ns[i]) / 1e6
            place = Place(host.host, begin, end, what, step=int(steps.number[i]))
            places.append((int(spent[i]), place))
        rows = compiling.traced_calls(host.events) if plain else compiling.compilations(host.events)
        _count(host.events, rows, steps, visible, names, plain)
    functions = [Function(n, count, total if total >= 0 else None) for n, (count, total) in names.items()]
    functions.sort(key=lambda f: (-f.steps_count, f.name))
    return Share(visible_count, spent_ns // max(1, judged), tuple(functions), first_places(places))


def _count(
    events: HostEvents,
    rows: Ints,
    steps: HostSteps,
    visible: Bools,
    names: dict[str, tuple[int, int]],
    plain: bool,
) -> None:
    """Adds in how many of the visible steps each function is at it, and its own count where it has one."""
    if not len(rows) or not len(visible):
        return
    step = np.searchsorted(steps.host_begin_ns, events.start_ns[rows], "right") - 1
    inside = (step >= 0) & visible[np.maximum(step, 0)]
    rows, step = rows[inside], step[inside]
    of: dict[str, list[int]] = {}
    for code in np.unique(events.name[rows]).tolist():
        name = function_name(events.names[code], plain)
        if name is not None:
            of.setdefault(name, []).append(code)
    for name, codes in of.items():
        mine = np.isin(events.name[rows], codes)
        steps_count, total = names.get(name, (0, -1))
        last = int(events.tracing_count[rows[mine]].max())
        names[name] = (steps_count + len(np.unique(step[mine])), max(total, last))


def function_name(event: str, plain: bool) -> str | None:
    """The user's function that an event is about; ``None`` if its name does not tell.

    ``plain``: calls are named after the function itself.
    """
    match = _AROUND.match(event)
    if match:
        return match[1]
    return event if plain and not event.startswith("tf.function-") else None
