"""The recording begins with steps that trace and compile."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.host.startup import MARKED_RATIO, MOSTLY_RATIO, Startup
from tfperf_plugin.analysis.artifacts.timeline import Timeline
from tfperf_plugin.analysis.evidence import Evidence, Place
from tfperf_plugin.analysis.starting import FIRST_CALLS_COUNT, HELD_FACTOR, HELD_NS
from tfperf_plugin.analysis.steps import (
    FEW_FACTOR,
    SLOW_BEGIN_FACTOR,
    SLOW_BEGIN_LATER_COUNT,
    WARM_UP_RATIO,
    HostSteps,
    Steps,
)
from tfperf_plugin.arrays.intervals import Bools
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import count, gpu, listing, ms, percent
from tfperf_plugin.judging.snippets import JAX_TEN_STEPS
from tfperf_plugin.judging.verdicts import Fix, custom_loop, keras

WARM_UP = Threshold(
    "tracing, compiling or start-up in a leading step",
    WARM_UP_RATIO,
    "ratio",
    "share of the step, if later steps are free of it",
    fixed=True,
)
SLOW = Threshold(
    "a first step over any later one",
    SLOW_BEGIN_FACTOR,
    "times",
    f"as SageMaker Debugger has it: 1.5 times the others; {FEW_FACTOR:g} times if there are fewer than "
    f"{SLOW_BEGIN_LATER_COUNT}",
    fixed=True,
)
INSIDE = Threshold(
    "start-up inside judged steps",
    MARKED_RATIO,
    "ratio",
    "share of the step; XProf: 5 % for input",
    fixed=True,
)
HELD = Threshold(
    "a first call that the driver holds",
    HELD_NS,
    "ns",
    f"25 times the 20 to 40 µs that TensorFlow's guide gives for a launch; and {HELD_FACTOR} times the median of later calls",
    fixed=True,
)
PLACES_COUNT = 5


def judge(steps: Steps, devices: Devices, startup: Startup | None, timeline: Timeline | None) -> Verdict:
    """Reports which leading steps the averages leave out, and how much of the others is start-up."""
    if devices.unseen("starting"):
        return _start_up(steps, devices)
    if not any(len(h) for h in steps.hosts):
        return NotApplicable("The profile holds no steps.")
    if startup and timeline and startup.marked:
        return _inside(steps, startup, timeline)
    warm = [h for h in steps.hosts if h.warm_up.any()]
    if not warm:
        within = f" Start-up takes {percent(startup.ratio)} of the step." if startup and startup.ns else ""
        return Passed(f"No leading step traces, compiles, or takes far longer than all others.{within}")
    left_out = sum(int(h.warm_up.sum()) for h in warm)
    numbers = sorted({n for h in warm for n in h.number[h.warm_up].tolist()})
    longest = max(int((h.end_ns - h.begin_ns)[h.warm_up].max()) for h in warm)
    if len(numbers) == 1:
        title = "Warm-up left out: the first step"
        summary = (
            f"Step {numbers[0]} takes {ms(longest)}: it traces, compiles or starts up, or takes more than "
            f"{SLOW_BEGIN_FACTOR:g} times as long as any later step. Averages leave it out."
        )
    else:
        title = f"Warm-up left out: the first {len(numbers)} steps"
        summary = (
            f"Steps {listing([str(n) for n in numbers])} take up to {ms(longest)}: they trace, compile or start up, or "
            f"take more than {SLOW_BEGIN_FACTOR:g} times as long as any later step. Averages leave them out."
        )
    return Found(
        title=title,
        summary=summary,
        evidence=(
            Evidence("steps left out", left_out, "count", None, f"{count(len(warm), 'host')} with warm-up"),
            Evidence("longest of them", longest, "ns", None, "step windows"),
        ),
        where=tuple(place for host in warm for place in _places(host, host.warm_up, "warm-up"))[
            :PLACES_COUNT
        ],
        severity="info",
    )


def _inside(steps: Steps, startup: Startup, timeline: Timeline) -> Found:
    """The finding if judged steps start up themselves, mostly the only step of a recording."""
    one = steps.judged_count == 1
    causes = [(words, startup.by_cause[cause]) for cause, words in _DOES.items() if cause in startup.by_cause]
    does = listing([f"{words} ({ms(ns)})" if len(causes) > 1 else words for words, ns in causes])
    mostly = startup.ratio >= MOSTLY_RATIO
    tells = "so it says little about training" if mostly else "and nothing below counts it as a saving"
    which = "This one step" if one else "A step"
    return Found(
        title=_TITLES[max(startup.by_cause, key=startup.by_cause.__getitem__, default="")],
        summary=(
            f"{which} {does}: {ms(startup.ns)} ({percent(startup.ratio)}) are start-up that later steps do not have, "
            f"{tells}. Record later, steps 10 to 20."
        ),
        evidence=(
            Evidence("start-up", startup.ns, "ns", None, "account Start-up"),
            Evidence("share of the step", startup.ratio, "ratio", MARKED_RATIO, "step budget"),
            *(
                (Evidence("kernels that try out algorithms or check them", startup.trials_count, "count", None, "kernels up to an op's last redzone_checker"),)
                if startup.trials_count
                else ()
            ),
            *(
                (Evidence("first calls held in the driver", startup.by_cause["calling"], "ns", HELD_NS, f"the first {FIRST_CALLS_COUNT} calls of the recording for each GPU"),)
                if "calling" in startup.by_cause
                else ()
            ),
        ),
        where=timeline.worst(["idle.startup"], "Start-up"),
        severity="warning",
    )  # fmt: skip


_DOES = {
    "trying": "tunes cuDNN",
    "calling": "waits for the first CUDA calls of the recording",
    "loading": "loads kernels",
    "allocating": "allocates the buffers of its program",
}
_TITLES = {
    "": "Start-up inside the step",
    "trying": "cuDNN tunes inside the step",
    "calling": "First CUDA calls inside the step",
    "loading": "Kernels loaded inside the step",
    "allocating": "Buffers allocated inside the step",
}


def _start_up(steps: Steps, devices: Devices) -> Found:
    """The finding if GPUs are still being started when the recording ends: the step consists of the gaps between."""
    pending = devices.unseen("starting")
    host = next(h for h in steps.hosts if h.host == pending[0].host)
    started = sorted((d for d in devices.participating if d.host == host.host), key=lambda d: d.begin_ns)
    pending = tuple(d for d in pending if d.host == host.host)
    recorded = int((host.end_ns - host.begin_ns).max())
    begun = listing([f"{gpu(d.device)} after {_seconds(d.begin_ns)}" for d in started], 8)
    return Found(
        title="Start-up recorded instead of training",
        summary=(
            f"GPUs start one after another: {begun}; {listing([gpu(d.device) for d in pending], 8)} only "
            f"received data by the end. What counts as a step here, {ms(recorded)}, consists of the gaps between "
            "these starts and says nothing about training. Record later, after the first steps."
        ),
        evidence=(
            Evidence("GPUs that have begun", len(started), "count", None, "first kernels"),
            Evidence("GPUs that received data, but ran no kernel yet", len(pending), "count", None, "copies and allocations after the last kernel"),
            Evidence("recorded part of the first step", recorded, "ns", None, "step windows"),
        ),
        where=_places(host, slice(None), "start-up"),
        severity="warning",
    )  # fmt: skip


def _seconds(ns: int) -> str:
    return f"{ns / 1e9:.2f} s"


def _places(steps: HostSteps, chosen: Bools | slice, label: str) -> tuple[Place, ...]:
    times = zip(*(a[chosen].tolist() for a in (steps.begin_ns, steps.end_ns, steps.number)), strict=True)
    return tuple(Place(steps.host, begin / 1e6, end / 1e6, label, step=n) for begin, end, n in times)


RULE = Rule(
    id="warm-up-captured",
    title="Warm-up steps recorded",
    action="Start recording after the first steps",
    group="capture",
    why="The first steps trace functions, compile them and try out algorithms. They take many times as long as "
    "later steps and say nothing about training.",
    measured="For each step, the rule divides the time in which XLA compiles, a tf.function is traced or the program starts up (see below) by the step's length on the host. Leading steps that reach the threshold are warm-up if most of the later ones do not. So are the first one or two whole steps after them if they take far longer than any later one. In judged steps it sums what only a start does (account Start-up): kernels of an op up to its last redzone_checker, by which TensorFlow tries out cuDNN's algorithms; the first three CUDA calls of the recording for each GPU, if they take 1 ms and ten times as long as later ones while the GPUs do nothing; events that load code; and the buffers that a JAX program allocates in its first call. No saving and no MFU counts that time. If the recording holds only a part of one step, and a GPU that has run no kernel receives its first data after the last kernel, only the startup was recorded.",
    limits=(
        "The rule recognizes compiling and tracing by the names of events. In a first step, other reasons show by its length only, such as a cold cache.",
        "Algorithms that cuDNN tries out without redzone_checker kernels, as in PyTorch, count as computing. The host's own work for a trial, before its first kernel, counts as launching.",
        "If most of the later steps compile as well, no step is left out, and the time counts as waiting for compilation.",
    ),
    guide=guide.COLLECT,
    judge=judge,
    thresholds=(WARM_UP, SLOW, INSIDE, HELD),
    trust=True,
    fix=Fix(
        summary="Begin to record after the first steps, so that all recorded steps count.",
        actions=(
            "Skip about ten steps before recording.",
            "If later steps still trace, look for inputs whose shape or Python value changes from step to step.",
        ),
        snippets=(
            keras(
                "tensorboard = tf.keras.callbacks.TensorBoard(logdir, profile_batch=(10, 20))  # not (1, 10)\n"
                "model.fit(ds, callbacks=[tensorboard])"
            ),
            custom_loop(
                "for step in range(steps):\n"
                "    if step == 10:  # after tracing, compiling and autotuning\n"
                "        tf.profiler.experimental.start(logdir)\n"
                "    with tf.profiler.experimental.Trace('train', step_num=step, _r=1):\n"
                "        train_step(next(iterator))"
            ),
        ),
    ),
    jax=Fix(
        summary="Begin to record after the first steps, so that all recorded steps count.",
        actions=(
            "Skip about ten steps before recording.",
            "If later steps still compile, look for arrays whose shape or type changes from step to step.",
        ),
        snippets=(JAX_TEN_STEPS,),
    ),
)
