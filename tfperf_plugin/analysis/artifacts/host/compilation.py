"""Tracing of functions and compiling by XLA in steady steps, with or without a GPU."""

from __future__ import annotations

import re
from typing import Annotated, Final

import numpy as np
from msgspec.structs import replace

from tfperf_plugin.analysis.artifacts.by_host import AVERAGED, First, PerStep, View, averaged
from tfperf_plugin.analysis.artifacts.host.overlap import Overlap, overlap_part
from tfperf_plugin.analysis.evidence import Places
from tfperf_plugin.analysis.startup import compilations, compile_spans, traced_calls, tracing
from tfperf_plugin.analysis.steps import HostSteps
from tfperf_plugin.arrays.columns import unique
from tfperf_plugin.arrays.intervals import Bools, Intervals, Ints, covered_within, intersect
from tfperf_plugin.records import Record
from tfperf_plugin.trace.model import HostEvents, HostTrace
from tfperf_plugin.trace.roles import HostRole

# A step counts as tracing or compiling if it does so for this share of the mean step: cached calls take
# microseconds.
VISIBLE_RATIO: Final = 0.01
# The text that XLA and TensorFlow put around the name of a function "train_step".
_AROUND: Final = re.compile(r"^(?:HLO Transforms:)?(?:a?_)*inference_(.+?)_\d+(?:__.*|:.*)?$", re.DOTALL)


class Function(Record, frozen=True):
    """A function that was traced or compiled."""

    name: First
    steps_count: int  #: Number of judged steps with it.
    #: How often it had been traced since the program began, ``None`` if not recorded.
    total: Annotated[int | None, max]


class Share(Record, frozen=True):
    """Tracing or compiling in the judged steps of all hosts; here a step runs from marker to marker."""

    steps_count: int  #: Number of steps in which it is visible.
    host_ns: PerStep  #: Time of the host in an average step.
    by_name: dict[str, Function]
    where: Places  #: Places of the longest of these steps, on the host.

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions by falling number of steps."""
        return tuple(sorted(self.by_name.values(), key=lambda f: (-f.steps_count, f.name)))


class Work(Record, frozen=True):
    """Tracing, or compiling."""

    usual: Annotated[Share, AVERAGED]
    #: In rare long steps. Its ``host_ns`` is the time in which a GPU is idle meanwhile, spread over
    #: ``windows_count``.
    rare: Share
    #: Part of the account ``idle.compile`` meanwhile; ``None`` where no GPU has steps. A sum until
    #: ``overlap`` divides it.
    idle: Overlap | None

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions of usual steps or, if there are none, of rare ones."""
        return self.usual.functions or self.rare.functions


class Compilation(Record, frozen=True):
    """Tracing and compiling in judged steps."""

    judged_count: int  #: Number of judged steps.
    step_ns: PerStep  #: Mean length of a judged step.
    tracing: Annotated[Work, AVERAGED]
    compiling: Annotated[Work, AVERAGED]
    traced_and_compiled_count: int  #: Number of steps that do both.
    calls_functions: bool
    windows_count: int  #: Number of judged and rare steps × GPUs.


def part(view: View) -> Compilation:
    """Tracing and compiling on one host."""
    events, steps = view.trace.events, view.steps
    times = tracing(events), compile_spans(events)
    seen = [_visible(steps, steps.judged, time, view.run.step_ns) for time in times]
    return Compilation(
        judged_count=int(steps.judged.sum()),
        step_ns=int((steps.end_ns - steps.begin_ns)[steps.judged].sum()),
        tracing=_work(view, times[0], seen[0], "tracing"),
        compiling=_work(view, times[1], seen[1], "compiling"),
        traced_and_compiled_count=int((seen[0] & seen[1]).sum()),
        calls_functions=bool((events.function_call | (events.role == HostRole.FUNCTION_RUN)).any()),
        windows_count=int((steps.judged | steps.rare).sum()) * len(view.gpus),
    )


def _work(view: View, time: Intervals, visible: Bools, what: str) -> Work:
    host, steps = view.trace, view.steps
    rare = _visible(steps, steps.rare, time, view.run.step_ns)
    waits = (intersect(time, gpu.ledger.time("idle.compile")) for gpu in view.gpus)
    idle = sum(int(covered_within(wait, steps.begin_ns, steps.end_ns)[steps.rare].sum()) for wait in waits)
    return Work(
        usual=_share(host, steps, time, visible, what),
        rare=replace(_share(host, steps, time, rare, what), host_ns=idle),
        idle=overlap_part(view.ledger, ["idle.compile"], time) if view.ledger else None,
    )


def finish(found: Compilation) -> Compilation:
    """Tracing and compiling on all hosts."""
    mean = averaged(found, found.judged_count)
    tracing, compiling = (
        replace(work, rare=averaged(work.rare, found.windows_count))
        for work in (mean.tracing, mean.compiling)
    )
    return replace(mean, tracing=tracing, compiling=compiling)


def _spent(steps: HostSteps, time: Intervals) -> Ints:
    """For each step the part of ``time`` between its start on the host and the start of the next step.

    The step's window would be wrong: it begins only when the GPU has finished the previous step, and a host
    that runs ahead traces or compiles earlier than that.
    """
    end = np.append(steps.host_begin_ns[1:], steps.host_end_ns[-1:])
    return covered_within(time, steps.host_begin_ns, np.maximum(end, steps.host_begin_ns))


def _visible(steps: HostSteps, chosen: Bools, time: Intervals, step_ns: int) -> Bools:
    spent = _spent(steps, time)
    return np.asarray(chosen & (spent > 0) & (spent >= VISIBLE_RATIO * step_ns))


def _share(host: HostTrace, steps: HostSteps, time: Intervals, visible: Bools, what: str) -> Share:
    plain = what == "tracing"
    spent = _spent(steps, time)
    step = np.flatnonzero(visible)
    begin, end = steps.host_begin_ns[step], steps.host_end_ns[step]
    places = steps.places(what, begin, end, step=step, weight=spent[step])
    rows = traced_calls(host.events) if plain else compilations(host.events)
    names = _functions(host.events, rows, steps, visible, plain)
    return Share(int(visible.sum()), int(spent[steps.judged].sum()), names, places)


def _functions(
    events: HostEvents, rows: Ints, steps: HostSteps, visible: Bools, plain: bool
) -> dict[str, Function]:
    """For each function of these events its number of visible steps, and its own count if recorded."""
    if not len(visible):
        return {}
    step = np.searchsorted(steps.host_begin_ns, events.start_ns[rows], "right") - 1
    inside = (step >= 0) & visible[step]
    rows, step = rows[inside], step[inside]
    codes_of: dict[str, list[int]] = {}
    for code in unique(events.name[rows]).tolist():
        name = function_name(events.names[code], plain)
        if name is not None:
            codes_of.setdefault(name, []).append(code)
    found = {}
    for name, codes in codes_of.items():
        mine = np.isin(events.name[rows], codes)
        total = int(events.tracing_count[rows[mine]].max())
        found[name] = Function(name, len(unique(step[mine])), None if total < 0 else total)
    return found


def function_name(event: str, plain: bool) -> str | None:
    """The user's function in an event's name, if any; ``plain``: calls have the function's own name."""
    match = _AROUND.match(event)
    if match:
        return match[1]
    return event if plain and not event.startswith("tf.function-") else None
