"""The recording begins with steps that trace and compile."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.host.startup import MARKED_RATIO, MOSTLY_RATIO, Startup
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import PLACES_COUNT, Evidence, Place
from tfperf_plugin.analysis.ledger import Ledger
from tfperf_plugin.analysis.startup import FIRST_CALLS_COUNT, HELD_NS
from tfperf_plugin.analysis.steps import SLOW_BEGIN_FACTOR, WARM_UP_RATIO, HostSteps, Steps
from tfperf_plugin.arrays.intervals import Bools
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import count, gpu, listing, ms, say, together

WARM_UP = Threshold(
    "tracing, compiling or start-up in a leading step", WARM_UP_RATIO, "ratio", "share of the step, if later steps are free of it", fixed=True
)  # fmt: skip
SLOW = Threshold(
    "a first step over any later one",
    SLOW_BEGIN_FACTOR,
    "times",
    "as SageMaker Debugger has it: 1.5 times the others; more if few steps follow",
    fixed=True,
)
INSIDE = Threshold(
    "start-up inside judged steps", MARKED_RATIO, "ratio", "share of the step; XProf: 5 % for input", fixed=True
)  # fmt: skip
HELD = Threshold(
    "a first call that the driver holds",
    HELD_NS,
    "ns",
    "25 times the 20 to 40 µs that TensorFlow's guide gives for a launch; and several times later calls",
    fixed=True,
)
_WARM_UP: Final = re.compile(r"(?i)warm[ _-]?up")
# A step of which nothing was recorded for this share does not start up.
PAUSE_RATIO: Final = 0.5
FUNCTIONS_COUNT: Final = 2

STARTING = "GPUs start one after another: {begun}; {pending} only received data by the end."
NO_STEP = (
    "What counts as a step here, {recorded:ms}, consists of the gaps between these starts and says nothing about later steps. "
    "Record later, after the first steps."
)
NO_STEPS = "The profile holds no steps."
NONE = "No leading step traces, compiles, or takes far longer than all others."
A_LITTLE = "Start-up takes {share:percent} of the step."
ONE_LEFT_OUT = (
    "Step {number} takes {longest:ms}: it traces, compiles or starts up, or takes more than {times} times as long as any "
    "later step. Averages leave it out."
)
SOME_LEFT_OUT = (
    "Steps {numbers} take up to {longest:ms}: they trace, compile or start up, or take more than {times} times as long as any "
    "later step. Averages leave them out."
)
NAMED = "The program calls the steps that are judged “{name}”: what it measures is not among them."
PAUSES = (
    "Step {number} takes {longest:ms}, because nothing was recorded for {pause:ms} of it: the program did other work. "
    "Averages leave it out."
)
PREFILL = "A prefill of {server} also takes longer than a step that decodes."
STARTS = "{step} starts up: it {does}."
TELLS_LITTLE = (
    "{ns:ms} of {step:ms} are start-up that later steps do not have, so it says little about them. Record later, "
    "steps 10 to 20."
)
NO_SAVING = (
    "{ns:ms} of {step:ms} are start-up that later steps do not have, and nothing below counts it as a saving. Record "
    "later, steps 10 to 20."
)
DOES: Final = {
    "trying": "tunes cuDNN",
    "calling": "waits for the first CUDA calls of the recording",
    "setting up": "sets up libraries of CUDA",
    "loading": "loads kernels",
    "allocating": "allocates the buffers of its program",
    "starting workers": "waits for worker processes of the DataLoader to start",
}
COMPILES = "compiles {functions} in a first call"
CASES: Final = {
    "": "the step starts up",
    "trying": "cuDNN is tuned",
    "calling": "first CUDA calls",
    "setting up": "libraries are set up",
    "loading": "kernels are loaded",
    "compiling": "functions are compiled",
    "allocating": "buffers are allocated",
    "starting workers": "workers start",
}


def judge(
    steps: Steps,
    devices: Devices,
    ledger: Ledger | None,
    startup: Startup | None,
    timeline: Timeline | None,
    program: Program,
    capture: Capture,
) -> Verdict:
    """Reports which leading steps the averages leave out, and how much of the others is start-up."""
    if devices.unseen("starting"):
        return _start_up(steps, devices)
    if not any(len(h) for h in steps.hosts):
        return NotApplicable(NO_STEPS)
    if ledger and startup and timeline and startup.marked:
        return _inside(steps, startup, ledger.step_ns, timeline)
    warm = [h for h in steps.hosts if h.warm_up.any()]
    if not warm:
        within = say(A_LITTLE, share=startup.ratio) if startup and startup.ns else ""
        return Passed(together(NONE, within))
    left_out = sum(int(h.warm_up.sum()) for h in warm)
    numbers = sorted({n for h in warm for n in h.number[h.warm_up].tolist()})
    begins = (np.minimum(h.begin_ns, h.host_begin_ns) for h in warm)  # a GPU may begin a step later
    longest = max(int((h.end_ns - b)[h.warm_up].max()) for h, b in zip(warm, begins, strict=True))
    told = {"longest": longest, "times": f"{SLOW_BEGIN_FACTOR:g}"}
    one = len(numbers) == 1
    paused = one and capture.pause_ns >= PAUSE_RATIO * longest
    return Found(
        advice="the first step is left out" if one else "the first steps are left out",
        values={"n": len(numbers)},
        summary=together(
            say(PAUSES, number=numbers[0], pause=capture.pause_ns, longest=longest)
            if paused
            else say(ONE_LEFT_OUT, number=numbers[0], **told)
            if one
            else say(SOME_LEFT_OUT, numbers=listing([str(n) for n in numbers]), **told),
            say(PREFILL, server=program.server) if program.server else "",
            say(NAMED, name=warm[0].marker_name) if _WARM_UP.search(warm[0].marker_name) else "",
        ),
        evidence=(
            Evidence("steps left out", left_out, "count", None, f"{count(len(warm), 'host')} with warm-up"),
            Evidence("longest of them", longest, "ns", None, "from its start on the host"),
        ),
        where=tuple(place for host in warm for place in _places(host, host.warm_up, "warm-up"))[:PLACES_COUNT],
        severity="info",
    )  # fmt: skip


def _inside(steps: Steps, startup: Startup, step_ns: int, timeline: Timeline) -> Found:
    """The finding if judged steps start up themselves, mostly the only step of a recording."""
    one = steps.judged_count == 1
    trials = round(startup.trials_count)
    all_do = DOES | {"compiling": say(COMPILES, functions=listing(startup.compiled, FUNCTIONS_COUNT))}
    causes = [(words, ns) for cause, words in all_do.items() if (ns := startup.by_cause.get(cause))]
    does = listing([f"{words} ({ms(ns)})" if len(causes) > 1 else words for words, ns in causes])
    mostly = startup.ratio >= MOSTLY_RATIO
    return Found(
        advice=CASES[max(startup.by_cause, key=startup.by_cause.__getitem__, default="")],
        summary=together(
            say(STARTS, step="This one step" if one else "A step", does=does),
            say(TELLS_LITTLE if mostly else NO_SAVING, ns=startup.ns, step=step_ns),
        ),
        evidence=(
            Evidence("start-up", startup.ns, "ns", None, "account Start-up"),
            Evidence("share of the step", startup.ratio, "ratio", MARKED_RATIO, "step budget"),
            *([Evidence("kernels that try out algorithms or check them", trials, "count", None, "kernels up to an op's last redzone_checker")] if trials else []),
            *([Evidence("first calls held in the driver", startup.by_cause["calling"], "ns", HELD_NS, f"the first {FIRST_CALLS_COUNT} calls of the recording for each GPU")] if "calling" in startup.by_cause else []),
        ),
        where=timeline.worst(["idle.startup"], "Start-up"),
        severity="warning",
    )  # fmt: skip


def _start_up(steps: Steps, devices: Devices) -> Found:
    """The finding if GPUs are still being started when the recording ends: the step consists of the gaps between."""
    pending = devices.unseen("starting")
    host = next(h for h in steps.hosts if h.host == pending[0].host)
    started = sorted((d for d in devices.participating if d.host == host.host), key=lambda d: d.begin_ns)
    pending = tuple(d for d in pending if d.host == host.host)
    recorded = int((host.end_ns - host.begin_ns).max())
    begun = listing([f"{gpu(d.device)} after {d.begin_ns / 1e9:.2f} s" for d in started], 8)
    return Found(
        advice="GPUs are still being started",
        summary=together(
            say(STARTING, begun=begun, pending=listing([gpu(d.device) for d in pending], 8)),
            say(NO_STEP, recorded=recorded),
        ),
        evidence=(
            Evidence("GPUs that have begun", len(started), "count", None, "first kernels"),
            Evidence("GPUs that received data, but ran no kernel yet", len(pending), "count", None, "copies and allocations after the last kernel"),
            Evidence("recorded part of the first step", recorded, "ns", None, "step windows"),
        ),
        where=_places(host, slice(None), "start-up"),
        severity="warning",
    )  # fmt: skip


def _places(steps: HostSteps, chosen: Bools | slice, label: str) -> tuple[Place, ...]:
    times = zip(*(a[chosen].tolist() for a in (steps.begin_ns, steps.end_ns, steps.number)), strict=True)
    return tuple(Place(steps.host, begin / 1e6, end / 1e6, label, step=n) for begin, end, n in times)


RULE = declared(judge, thresholds=(WARM_UP, SLOW, INSIDE, HELD))
