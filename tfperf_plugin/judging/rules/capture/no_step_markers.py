"""The profile does not tell, or does not tell directly, where a step begins."""

from __future__ import annotations

from collections import Counter
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.capture.program import Program
from tfperf_plugin.analysis.artifacts.compute.kernel_rates import KernelRates
from tfperf_plugin.analysis.artifacts.compute.kernels import Kernels
from tfperf_plugin.analysis.artifacts.host.host_compute import HostCompute
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.steps import LATE_RATIO, Steps
from tfperf_plugin.judging.engine.evidence_level import runs_once
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Verdict, declared
from tfperf_plugin.judging.engine.words import count, percent, say, together

MARKERS = "{n:step was|steps were} told from step markers (“{name}”)."
FUNCTION_RUNS = (
    "{n:step was|steps were} told from calls of the function “{name}”; the profile holds no step markers."
)
JIT_CALLS = (
    "{n:step was|steps were} told from calls of “{name}”, which JAX compiled. Each call counts as a step: this is a training "
    "step only if one call runs one."
)
MODULES = (
    "{n:step was|steps were} told from repeats of the XLA module “{name}”. Each run of the program counts as a step: this is "
    "a training step only if one run makes one."
)
STEPS_LINE = (
    "{n:step was|steps were} told from the line that an older profiler stored with the GPUs' events. It spans the work on the "
    "GPU only, so the profile does not show what the host does between steps."
)
PERIOD = "{n:step was|steps were} told from kernel sequences that recur on the GPU."
LAYERS = "Such a sequence may be an iteration, or only a part of one, such as a layer of the model."
HOST_PERIOD = "{n:step was|steps were} told from ops and calls that recur on a thread of the host."
JUDGED = "{judged:of them is|of them are} judged; left out: {others}."
HOST_UNKNOWN = (
    "The profile does not show where a step begins on the host: the report may take waiting for input, or time between "
    "steps, for another cause."
)
RECORDING = (
    "The profile holds no step markers and no work that recurs in one rhythm, so the recording counts as one step, from its "
    "first launch on. Severities are capped at warning and confidence is lowered."
)
RUNS_ONCE = (
    "The program launches {n:kernels} and nothing recurs in one rhythm, so the recording counts as one run, from its first "
    "launch on. What each step of a program would wait for is not judged."
)
LEFT_OUT = "The first {lead:ms} after that are left out: the first kernels wait meanwhile, for earlier work or for GPUs to be set up."
BEFORE = (
    "Nothing was launched in the first {before:ms} of the recording: if each step waits as long, for a batch for example, its "
    "time goes there."
)
OUTSIDE = "The steps hold {held:ms} of the {worked:ms} in which GPUs work; the rest is of other work, which is not judged."
LATER = "GPUs work for another {later:ms} after the step, which is not judged."
NOTHING = "The profile holds neither kernels nor steps."
NO_STEPS = (
    "{n:GPU|GPUs} ran kernels, but the profile holds no step markers, no calls of a training function and no work that "
    "recurs in one rhythm. Without steps no time can be assigned to them."
)
REACHED = "While matrix products ran, they reached {share:percent} of the peak in {format}; what a step reaches (MFU) is not known."
RATE_SOURCE = "operations of the program, and the data sheet in {format}"
NOTHING_RECURS = (
    "No step is marked, and nothing that recurs on a thread of the host is known to be a step: an update of weights, a "
    "backward pass or a result that is read would show one. So no time is per step."
)
ONE_AT_MOST = (
    "No step is marked. The recording holds what ends a step (an update of weights, a backward pass or a result that is read), "
    "but no sequence of ops with it recurs, as in several steps: it may be a single one. So no time is per step."
)
RECURS = (
    "{n:op recurs|ops recur} together {times} times, from {name} on, every {period:ms}: if that is an iteration and not a "
    "layer of the model, it is the step."
)
ONLY_COMPILES = (
    "The host compiles for {spent:ms} of the {of:ms} that were recorded: record calls after the first ones, for which the "
    "program is compiled already."
)
# Compiling is said from this share of the recording on.
COMPILING_RATIO: Final = 0.05
# Work outside of steps is said from this share of all work on.
OUTSIDE_RATIO: Final = 0.1
# What tells the steps directly; otherwise what they were told from: the case of the page, and what is said.
TOLD: Final = {"markers": MARKERS, "function_runs": FUNCTION_RUNS}
INFERRED: Final = {
    "jit_calls": ("calls of a compiled function", JIT_CALLS),
    "modules": ("repeats of an XLA program", MODULES),
    "steps_line": ("the stored Steps line", STEPS_LINE),
    "period": ("recurring work", PERIOD),
    "host_period": ("recurring ops and calls", HOST_PERIOD),
    "recording": ("the whole recording", RECORDING),
}
# Sources that do not show where a step begins on the host.
ON_GPU: Final = ("modules", "period")


def judge(
    steps: Steps,
    devices: Devices,
    rates: KernelRates,
    compute: HostCompute,
    program: Program,
    capture: Capture,
    kernels: Kernels | None,
) -> Verdict:
    """Reports the source of the steps."""
    number = sum(len(h) for h in steps.hosts)
    name = next((h.marker_name for h in steps.hosts if len(h)), "")
    evidence = (
        Evidence("steps found", number, "count", 1, "all hosts"),
        Evidence("how steps were told", steps.source, "text", None, "markers are best"),
    )
    if steps.source in TOLD:
        return Passed(together(say(TOLD[steps.source], n=number, name=name), _judged(steps)))
    if steps.source in INFERRED:
        case, sentence = INFERRED[steps.source]
        once = runs_once(steps, program, kernels)
        whole, lead = steps.source == "recording", max(host.lead_ns for host in steps.hosts)
        before = min(int(host.host_begin_ns[:1].sum()) for host in steps.hosts)
        waits = whole and program.framework == "PyTorch" and 2 * before >= capture.step_ns
        later = capture.later_ns if capture.later_ns >= LATE_RATIO * capture.step_ns else 0
        outside = capture.held_ns < (1 - OUTSIDE_RATIO) * capture.worked_ns
        doubtful = steps.source == "period" and not program.training
        layered = doubtful and program.framework == "PyTorch" and not program.server
        return Found(
            summary=together(
                say(RUNS_ONCE, n=round(kernels.per_step_count))
                if once and kernels
                else say(sentence, n=number, name=name),
                LAYERS if doubtful else "",
                "" if whole else _judged(steps),
                say(OUTSIDE, held=capture.held_ns, worked=capture.worked_ns) if outside else "",
                say(LEFT_OUT, lead=lead) if lead else "",
                say(BEFORE, before=before) if waits else "",
                say(LATER, later=later) if later else "",
                HOST_UNKNOWN if steps.source in ON_GPU else "",
            ),
            evidence=evidence,
            severity="warning" if whole or layered else "info",
            advice="a program that runs once" if once else case,
        )
    if compute.on_cpu:
        most = max(compute.recurring, key=lambda one: one.times_count, default=None)
        compiles = compute.compiling_ns >= COMPILING_RATIO * compute.step_ns
        return Found(
            summary=together(
                ONE_AT_MOST if compute.ends_steps else NOTHING_RECURS,
                say(RECURS, n=most.ops_count, times=most.times_count, name=most.name, period=most.period_ns)
                if most
                else "",
                say(ONLY_COMPILES, spent=compute.compiling_ns, of=compute.step_ns) if compiles else "",
            ),
            evidence=evidence,
            severity="info",
        )
    if not devices.participating:
        return NotApplicable(NOTHING)
    products = rates.products_ratio
    return Found(
        summary=together(
            say(NO_STEPS, n=len(devices.participating)),
            "" if products is None else say(REACHED, share=products, format=rates.format),
        ),
        evidence=(
            *evidence,
            Evidence("compute kernels of the recording", rates.total_ns, "ns", None, "device events, in sum"),
            *([Evidence("matrix products, of the peak while they run", products, "ratio", None, say(RATE_SOURCE, format=rates.format))] if products is not None else []),
            *(Evidence(f"{name}{'' if share is None else f', at {percent(share)} of the peak'}", ns, "ns", None, "device events, in sum") for name, ns, share in rates.longest),
        ),
        severity="warning",
    )  # fmt: skip


def _judged(steps: Steps) -> str:
    """What became of the steps on all hosts; "" if all are judged."""
    left: Counter[str] = Counter()
    for host in steps.hosts:
        left.update(host.left_out)
    others = [count(number, f"{reason} step") for reason, number in left.items() if number]
    judged = sum(int(h.judged.sum()) for h in steps.hosts)
    return say(JUDGED, judged=judged, others=", ".join(others)) if others else ""


RULE = declared(judge)
