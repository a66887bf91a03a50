"""The collector says that something is missing from the profile."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import count
from tfperf_plugin.judging.snippets import KERAS_TEN_STEPS
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax

MESSAGES = Threshold(
    "errors and warnings of the collector", 1, "count", "each says that something is missing"
)
SHOWN_COUNT = 5


def judge(capture: Capture) -> Verdict:
    """Quotes the collector's messages in the profile."""
    messages = [("error", text) for text in capture.errors] + [("warning", text) for text in capture.warnings]
    if len(messages) < MESSAGES.value:
        return Passed("The collector reported no errors and no warnings.")
    kinds = [
        count(len(texts), kind)
        for texts, kind in ((capture.errors, "error"), (capture.warnings, "warning"))
        if texts
    ]
    return Found(
        title="Events dropped by the profiler" if capture.dropped else None,
        action="Record fewer steps, in less detail" if capture.dropped else "",
        summary=f"The collector reported {' and '.join(kinds)}. "
        + (
            "Dropped events look like idle time."
            if capture.dropped
            else "Part of the recording may be missing."
        ),
        evidence=(
            Evidence("errors and warnings", len(messages), "count", int(MESSAGES.value), "the file"),
            *(
                Evidence(kind, text, "text", None, "the file, word for word")
                for kind, text in messages[:SHOWN_COUNT]
            ),
        ),
        severity="warning",
    )


RULE = Rule(
    id="events-dropped",
    title="Errors or warnings of the profiler",
    action="Read the profiler's messages, then record again",
    group="capture",
    why="The collector's buffers are limited; it drops GPU events beyond about two million. Where events are "
    "missing, the GPU appears idle and steps appear cut off.",
    measured="The rule counts the errors and warnings that the collector wrote into the run's files and quotes them word for word; it estimates nothing.",
    limits=(
        "The rule does not notice a collector that drops events without a message.",
        "Every message counts, even one about something that you do not look at.",
        "The report says how much is missing only if the message does.",
    ),
    guide=guide.COLLECT,
    judge=judge,
    thresholds=(MESSAGES,),
    trust=True,
    explained_by=("no-device-events",),
    fix=Fix(
        summary="Record less: fewer steps, and no more detail than needed.",
        actions=(
            "Record about ten steps instead of a whole epoch.",
            "Keep host_tracer_level at 2 and python_tracer_level at 0, their defaults.",
            "If messages mention CUPTI, check that it is installed and that the process may use it.",
        ),
        snippets=(
            KERAS_TEN_STEPS,
            custom_loop(
                "options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=0)\n"
                "tf.profiler.experimental.start(logdir, options=options)\n"
                "for step in range(10):\n"
                "    with tf.profiler.experimental.Trace('train', step_num=step, _r=1):\n"
                "        train_step(next(iterator))\n"
                "tf.profiler.experimental.stop()"
            ),
        ),
    ),
    jax=Fix(
        summary="Record less: fewer steps, and no more detail than needed.",
        actions=(
            "Record about ten steps instead of a whole epoch.",
            "Keep host_tracer_level at 2 and python_tracer_level at 0.",
            "If messages mention CUPTI, check that it is installed and that the process may use it.",
        ),
        snippets=(
            jax(
                "options = jax.profiler.ProfileOptions()\n"
                "options.host_tracer_level = 2\n"
                "options.python_tracer_level = 0\n"
                "jax.profiler.start_trace(logdir, profiler_options=options)"
            ),
        ),
    ),
)
