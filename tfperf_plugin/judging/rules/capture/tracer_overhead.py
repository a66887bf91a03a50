"""Tracing Python calls takes a visible part of the step."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax, keras

# Measured with JAX 0.10.2's profiler, whose Python tracer TensorFlow shares, on an AMD EPYC server: in a loop
# of 100,000 calls of an empty function a call took 194 to 242 ns more with python_tracer_level=1 than with 0
# (best of three runs each, repeated; 484 ns while the machine was busy). One call is one event.
EVENT_COST_NS = 250
OVERHEAD = Threshold(
    "estimated cost of tracing Python", 0.05, "ratio", "share of the step: visible, as XProf's 5 %"
)
HEAVY = Threshold(
    "estimated cost of tracing Python, heavy",
    0.20,
    "ratio",
    "share of the step: the step budget is distorted",
)


def judge(capture: Capture) -> Verdict:
    """Estimates what recording Python calls costs per step."""
    if not capture.step_ns:
        return NotApplicable("The profile holds no steps.")
    if not capture.python_events_per_step:
        return NotApplicable("Python calls were not traced.")
    cost = int(capture.python_events_per_step * EVENT_COST_NS)
    ratio = cost / capture.step_ns
    calls = f"{capture.python_events_per_step:,.0f}"
    if ratio < OVERHEAD.value:
        return Passed(f"Tracing {calls} Python calls per step costs about {percent(ratio)} of the step.")
    return Found(
        summary=f"{calls} Python calls were traced per step. At about {EVENT_COST_NS} ns each this is about "
        f"{ms(cost)} or {percent(ratio)} of a step of {ms(capture.step_ns)}: without the profiler the host is "
        "faster than the profile shows.",
        cause=f"Tracing {calls} Python calls takes about {ms(cost)} of a step of {ms(capture.step_ns)}.",
        evidence=(
            Evidence(
                "Python calls traced", round(capture.python_events_per_step, 1), "per_step", None, "Python tracer"
            ),
            Evidence(
                "estimated cost of tracing", cost, "ns", int(OVERHEAD.value * capture.step_ns),
                f"{EVENT_COST_NS} ns per call, measured elsewhere: an estimate",
            ),
            Evidence("share of the step", ratio, "ratio", OVERHEAD.value, "estimate"),
        ),
        severity="warning" if ratio >= HEAVY.value else "info",
        confidence="medium",
    )  # fmt: skip


RULE = Rule(
    id="tracer-overhead",
    title="Python tracing overhead",
    action="Record without tracing Python calls",
    group="capture",
    why="The Python tracer records every call of every Python function. On the thread that launches kernels this "
    "makes the host look slower than it is.",
    measured="The rule counts the events of the Python tracer within judged steps, multiplies them by 250 ns, the measured extra cost of a traced call, and compares the product with an average step.",
    limits=(
        "The cost of a call was measured on one server, with JAX's profiler, and was twice as high while that machine was busy; on your machine it differs.",
        "Calls of all threads count, even of threads that delay nothing.",
        "The estimate does not include the cost of tracing ops and kernels.",
    ),
    guide=guide.COLLECT,
    judge=judge,
    thresholds=(OVERHEAD, HEAVY),
    trust=True,
    fix=Fix(
        summary="Record without the Python tracer, unless you are investigating Python itself.",
        actions=(
            "Set python_tracer_level=0 and host_tracer_level=2, in code or in TensorBoard's capture dialog.",
            "Use a recording with Python calls to find out what Python does, never to measure time.",
        ),
        snippets=(
            custom_loop(
                "options = tf.profiler.experimental.ProfilerOptions(\n"
                "    host_tracer_level=2, python_tracer_level=0, device_tracer_level=1)\n"
                "tf.profiler.experimental.start(logdir, options=options)"
            ),
            keras(
                "# the TensorBoard callback records without Python calls by default\n"
                "tensorboard = tf.keras.callbacks.TensorBoard(logdir, profile_batch=(10, 20))\n"
                "model.fit(ds, callbacks=[tensorboard])"
            ),
            jax(
                "options = jax.profiler.ProfileOptions()\n"
                "options.python_tracer_level = 0\n"
                "jax.profiler.start_trace(logdir, profiler_options=options)"
            ),
        ),
    ),
)
