"""The model ran on the CPU."""

from __future__ import annotations

import re
from typing import Final

from tfperf_plugin.analysis.artifacts.capture.devices import Devices
from tfperf_plugin.analysis.artifacts.host.host_compute import LONG_NS, HostCompute
from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.startup import HELD_FACTOR
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.severity import SEVERITIES, severity_of
from tfperf_plugin.judging.engine.words import listing, ms, say, together, whole

LONG = Threshold(
    "a product on a thread of the host",
    LONG_NS,
    "ns",
    "ours: a thread launches an op in less, in each of 40 Keras trainings on GPUs",
    fixed=True,
    side=">",
)
LAUNCH = Threshold(
    "launching an op for a GPU", 20_000, "ns", "guide: a launch takes the host 20 to 40 µs", side=""
)

# Parts of the step below this share are not listed.
WORTH_SAYING: Final = 0.01
# The second kind of ops is named if it takes this share of the time of all.
SECOND_RATIO: Final = 0.1
# A recording tells little of the model if a single op takes this share of the time of all.
STALLED_RATIO: Final = 0.5
# What runs beside ops that compute, and where its time is from.
OF_PYTORCH: Final = ("ops that call these", "PyTorch's ops, without those that compute")
OF_TENSORFLOW: Final = (
    "executor between recorded ops, and short ops", "TensorFlow's executor, without recorded ops"
)  # fmt: skip

WORKED = "{n:GPU|GPUs} worked."
OF_A_GPU = "Memory of a GPU was in use: see the notes on the recording."
UPDATES: Final = re.compile(r"Apply(?!Function)|Assign|Optimizer|_fused_(adam|sgd)")
"""Kinds of ops that update weights."""
PYTHON: Final = re.compile(r"PyFunc")
"""Kinds of ops of TensorFlow that call Python."""

NO_OP = "No op that a GPU would compute ran on threads of the host, as far as was recorded."
CAUSE = "Of {whole}, the CPU spends {times}. No GPU was used."
CAUSE_OUTSIDE = "Of {whole}, {outside:ms} pass outside of ops, such as in Python, and {ops_ns:ms} in ops. No GPU was used."
CAUSE_DECLARED = (
    "The program did not use this machine's {n:GPU|GPUs}: {most} ran on the CPU's threads; ops take {share:percent} of "
    "{whole}."
)
WAITS = "For {waiting:ms} of it the model waits for input, which a GPU would not shorten."
LITTLE_GAIN = (
    "As the program is, a GPU would gain little: launching its {ops} ops that need a kernel would take {launching:ms}, and the "
    "CPU runs all of its ops in {ops_ns:ms}."
)
UNEVEN = (
    "But its steps are uneven, {least:ms} to {longest:ms}. Other programs, more threads than cores, or batches of unequal size "
    "may be the reason: record on an idle machine, or with fewer threads."
)
STALLED = (
    "One call takes {stalled:ms} of that, more than {times} times as long as any other of its kind: the machine was busy with other "
    "work or stood still, so this says little about the model."
)
ONE_EACH = (
    "On a GPU, cuDNN would run each recurrent layer as one op, in place of the {fusible} ops of their loops."
)
NO_ONEDNN = "No op of oneDNN, Intel's library for CPUs, was recorded."


def judge(compute: HostCompute, late: LateInput, devices: Devices, steps: Steps) -> Verdict:
    """Compares the time of ops on threads with what launching them for a GPU would take the host."""
    if any(d.events_count for d in devices.all):
        return Passed(say(WORKED, n=len(devices.participating) or 1))
    if not compute.on_cpu or not compute.kinds:
        return NotApplicable(OF_A_GPU if compute.gpu_memory else NO_OP)
    declared_count, in_steps = len(devices.all), bool(compute.steps_count)
    ops_ns, _, waiting, outside = compute.divided(late.lost_ns)
    launching = round((compute.ops_per_step - compute.fusible_per_step) * LAUNCH.value)
    gain = max(0, compute.ops_ns - launching)
    severity = severity_of(gain, compute.step_ns) or "info"
    # Of what is no step, of steps that something else holds up, or perhaps without a GPU.
    if severity == "critical" and (not in_steps or steps.uneven or not declared_count):
        severity = "warning"
    first = [
        row for i, row in enumerate(compute.kinds[:2]) if not i or row[1] >= SECOND_RATIO * compute.ops_ns
    ]
    told = {
        "most": listing([kind for kind, _ in first]),
        "times": listing([f"{ms(ns)} in {kind}" for kind, ns in first]), "share": ops_ns / max(1, compute.step_ns),
        "whole": whole(compute.step_ns, compute.steps_count), "ops_ns": ops_ns, "outside": outside, "waiting": waiting,
        "n": declared_count, "ops": f"{compute.ops_per_step:,.0f}", "launching": launching,
        "fusible": f"{compute.fusible_per_step:,.0f}",
    }  # fmt: skip
    ops_most = ops_ns >= outside
    cause = say(CAUSE_DECLARED if declared_count else CAUSE if ops_most else CAUSE_OUTSIDE, **told)
    if severity_of(waiting, compute.step_ns) == "critical":
        cause = together(cause, say(WAITS, **told))
    if steps.uneven:
        least, longest = int(steps.lengths_ns.min()), int(steps.lengths_ns.max())
        cause = together(cause, say(UNEVEN, least=least, longest=longest))
    stalled = not in_steps and compute.stalled_ns >= STALLED_RATIO * compute.ops_ns > 0
    if stalled:
        cause = together(cause, say(STALLED, stalled=compute.stalled_ns, times=f"{HELD_FACTOR:g}"))
    fast = compute.torch or compute.onednn or compute.mac or compute.compiled
    per = "host events, per step" if in_steps else "host events of the recording"
    return Found(
        summary=together(
            cause,
            say(LITTLE_GAIN if severity == "info" else ONE_EACH if compute.fusible_per_step else "", **told),
            "" if fast else NO_ONEDNN,
        ),
        cause=cause,
        evidence=(
            Evidence("ops on the CPU", compute.ops_ns, "ns", None, per),
            *(Evidence(f"time in which {kind} runs", ns, "ns", None, f"{per}; kinds run beside each other") for kind, ns in compute.kinds[:4]),
            *_rest(compute, late),
            Evidence("ops at the same time, on average", compute.sum_ns / max(1, compute.ops_ns), "count", None, "the sum of their times, divided by the time in which any of them runs"),
            Evidence("threads that run ops", compute.threads_count, "count", None, "host events"),
            Evidence("launching these ops, if a GPU ran them", launching, "ns", None, LAUNCH.source),
            Evidence("GPUs declared", len(devices.all), "count", None, "device planes"),
            Evidence("allocations of a GPU's memory, transfers between devices", 0, "count", None, "host events"),
        ),
        where=compute.where.all() if ops_most else (),
        severity=severity,
        confidence="low" if steps.uneven or stalled else "high",
        # Where no GPU may be there, what else the host does comes first: in what is no step, only if it is critical.
        impact_ratio=min(gain / max(1, compute.step_ns), 1 if declared_count else 0 if in_steps else SEVERITIES["critical"].default),
        values={
            "an optimizer takes most": bool(UPDATES.search(first[0][0])), "ops take most": ops_most,
            "Python is called": any(PYTHON.search(kind) for kind, _ in first),
        },
        advice="one call stalled" if stalled else "" if declared_count else "macOS" if compute.mac else "no GPU was declared",
    )  # fmt: skip


def _rest(compute: HostCompute, late: LateInput) -> tuple[Evidence, ...]:
    """Where the rest of the step goes."""
    _, between, waiting, outside = compute.divided(late.lost_ns)
    label, source = OF_PYTORCH if compute.torch else OF_TENSORFLOW
    rows = (
        (label, between, source),
        ("waiting for input", waiting, "requests for a batch"),
        ("the rest: Python, callbacks", outside, "the step without all of these"),
    )
    least = WORTH_SAYING * compute.step_ns
    return tuple(Evidence(what, ns, "ns", None, why) for what, ns, why in rows if ns >= least)


RULE = declared(judge, thresholds=(LONG, LAUNCH))
