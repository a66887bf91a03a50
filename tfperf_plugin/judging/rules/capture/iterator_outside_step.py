"""Batches are fetched before the step's marker begins."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.capture.capture import Capture
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import ms, percent
from tfperf_plugin.judging.verdicts import Fix, custom_loop, jax, keras

OUTSIDE = Threshold(
    "share of input requests outside step markers", 0.5, "ratio", "most of them: no chance overlap"
)
COST = Threshold("input requests outside step markers", 0.01, "ratio", "share of a step: lowest severity")


def judge(capture: Capture, steps: Steps) -> Verdict:
    """Compares the input requests outside step markers with all input requests and with the step."""
    if not any(h.source == "markers" for h in steps.hosts):
        return NotApplicable("The profile holds no step markers.")
    outside, step = capture.input_outside_ns, max(1, capture.step_ns)
    ratio = outside / max(1, capture.input_wait_ns)
    if not outside or ratio < OUTSIDE.value or outside < COST.value * step:
        return Passed(f"Requests for a batch outside step markers take {percent(outside / step)} of a step.")
    return Found(
        summary=f"{ms(outside)} of the {ms(capture.input_wait_ns)} in which a step requests its batch lie outside its "
        "marker. Here they count toward the previous step; other tools do not count them as input.",
        evidence=(
            Evidence(
                "input requests outside markers",
                outside,
                "ns",
                int(COST.value * step),
                "step's thread, per step",
            ),
            Evidence("share of all input requests", ratio, "ratio", OUTSIDE.value, "step's thread"),
        ),
        where=capture.outside_places,
        severity="info",
    )


RULE = Rule(
    id="iterator-outside-step",
    title="Batch fetched outside the step marker",
    action="Fetch the batch inside the step marker",
    group="capture",
    why="If a marker encloses only the computation, waiting for data falls between two steps, where it is "
    "easily missed or mistaken for something else.",
    measured="The rule takes requests for a batch (IteratorGetNext and similar events) on the thread that marks steps. It compares the time of requests outside all step markers with the time of all requests and with an average step.",
    limits=(
        "The rule looks only at the thread that marks steps; it does not see a batch that another thread fetches.",
        "Data that do not come through an iterator of tf.data, such as NumPy arrays that are fed, leave no such request.",
        "Moving the request into the marker makes no step shorter; it makes the profile show where the time goes.",
    ),
    guide=guide.CUSTOM_LOOPS,
    judge=judge,
    thresholds=(OUTSIDE, COST),
    trust=True,
    fix=Fix(
        summary="Fetch the batch inside the Trace block.",
        actions=(
            "Make the iterator before the loop and call next(iterator) inside the Trace block.",
            "Do not write for step, batch in enumerate(dataset): it fetches the batch before the block begins.",
        ),
        snippets=(
            custom_loop(
                "iterator = iter(ds)\n"
                "for step in range(steps):\n"
                "    with tf.profiler.experimental.Trace('train', step_num=step, _r=1):\n"
                "        batch = next(iterator)  # inside\n"
                "        train_step(batch)"
            ),
            keras(
                "# model.fit and train_step overrides are marked correctly by the callback\n"
                "tensorboard = tf.keras.callbacks.TensorBoard(logdir, profile_batch=(10, 20))\n"
                "model.fit(ds, callbacks=[tensorboard])"
            ),
        ),
    ),
    jax=Fix(
        summary="Fetch the batch inside the annotation of the step.",
        actions=(
            "Make the iterator before the loop and call next(batches) inside the StepTraceAnnotation.",
            "Do not write for step, batch in enumerate(batches): it fetches the batch before the block begins.",
        ),
        snippets=(
            jax(
                "batches = iter(loader)\n"
                "for step in range(steps):\n"
                "    with jax.profiler.StepTraceAnnotation('train', step_num=step):\n"
                "        batch = next(batches)  # inside\n"
                "        state = train_step(state, batch)"
            ),
        ),
    ),
)
