"""Tracing Python calls takes a visible part of the step."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Threshold, Verdict, declared
from tfperf_plugin.judging.engine.words import say

# Measured with JAX 0.10.2's profiler, whose Python tracer TensorFlow shares, on an AMD EPYC server: in a loop
# of 100,000 calls of an empty function a call took 194 to 242 ns more with python_tracer_level=1 than with 0
# (best of three runs each, repeated; 484 ns while the machine was busy). One call is one event.
EVENT_COST_NS = 250
OVERHEAD = Threshold(
    "estimated cost of tracing Python", 0.05, "ratio", "share of the step: visible, as XProf's 5 %"
)
HEAVY = Threshold(
    "estimated cost of tracing Python, heavy", 0.20, "ratio", "share of the step: the step budget is distorted"
)  # fmt: skip

NO_STEPS = "The profile holds no steps."
NOT_TRACED = "Python calls were not traced."
CHEAP = "Tracing {calls} Python calls per step costs about {share:percent} of the step."
COSTLY = (
    "{calls} Python calls were traced per step. At about {each} ns each this is about {cost:ms} or {share:percent} of a step "
    "of {step:ms}: without the profiler the host is faster than the profile shows."
)
CAUSE = "Tracing {calls} Python calls takes about {cost:ms} of a step of {step:ms}."
ESTIMATE = "{each} ns per call, measured elsewhere: an estimate"


def judge(capture: Capture) -> Verdict:
    """Estimates what recording Python calls costs per step."""
    if not capture.step_ns:
        return NotApplicable(NO_STEPS)
    if not capture.python_events_per_step:
        return NotApplicable(NOT_TRACED)
    cost = int(capture.python_events_per_step * EVENT_COST_NS)
    ratio = cost / capture.step_ns
    calls = f"{capture.python_events_per_step:,.0f}"
    if ratio < OVERHEAD.value:
        return Passed(say(CHEAP, calls=calls, share=ratio))
    return Found(
        summary=say(COSTLY, calls=calls, each=EVENT_COST_NS, cost=cost, share=ratio, step=capture.step_ns),
        cause=say(CAUSE, calls=calls, cost=cost, step=capture.step_ns),
        evidence=(
            Evidence("Python calls traced", round(capture.python_events_per_step, 1), "per_step", None, "Python tracer"),
            Evidence("estimated cost of tracing", cost, "ns", int(OVERHEAD.value * capture.step_ns), say(ESTIMATE, each=EVENT_COST_NS)),
            Evidence("share of the step", ratio, "ratio", OVERHEAD.value, "estimate"),
        ),
        severity="warning" if ratio >= HEAVY.value else "info",
        confidence="medium",
    )  # fmt: skip


RULE = declared(judge, thresholds=(OVERHEAD, HEAVY))
