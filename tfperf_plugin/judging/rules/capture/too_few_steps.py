"""Averages rest on too few steps."""

from __future__ import annotations

from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.analysis.steps import Steps
from tfperf_plugin.judging import guide
from tfperf_plugin.judging.engine.rank import ENOUGH_STEPS_COUNT
from tfperf_plugin.judging.engine.rule import Found, NotApplicable, Passed, Rule, Threshold, Verdict
from tfperf_plugin.judging.engine.words import count
from tfperf_plugin.judging.snippets import JAX_TEN_STEPS, KERAS_TEN_STEPS
from tfperf_plugin.judging.verdicts import Fix, custom_loop

STEPS = Threshold(
    "complete steps after warm-up",
    ENOUGH_STEPS_COUNT,
    "count",
    "fewer cannot show what varies between steps",
    fixed=True,
    side="<",
)


def judge(steps: Steps) -> Verdict:
    """Counts complete steps after warm-up, on the host with most of them."""
    recorded = max((len(h) for h in steps.hosts), default=0)
    complete = steps.complete_count
    if not recorded:
        return NotApplicable("The profile holds no steps.")
    if complete >= ENOUGH_STEPS_COUNT:
        return Passed(
            f"{complete} complete {'usual ' if steps.rare_count else ''}steps were recorded after warm-up."
        )
    return Found(
        title=_title(recorded, complete),
        summary=_summary(recorded, complete) + " Severities are capped at warning and confidence is lowered.",
        evidence=(
            Evidence(
                "complete steps after warm-up", complete, "count", ENOUGH_STEPS_COUNT, "host with most steps"
            ),
            Evidence("steps recorded, whole or in part", recorded, "count", None, "host with most steps"),
        ),
        severity="warning",
    )


def _title(recorded: int, complete: int) -> str:
    if complete:
        return f"Only {count(complete, 'complete step')} {'was' if complete == 1 else 'were'} recorded"
    return "Only one step was recorded, without what lies between steps" if recorded == 1 else RULE.title


def _summary(recorded: int, complete: int) -> str:
    if complete:
        steps = count(complete, "complete step")
        return f"Averages rest on {steps} after warm-up; at least {ENOUGH_STEPS_COUNT} are needed."
    if recorded == 1:
        return "The profile holds one step, and not the time until the next one."
    return f"None of the {recorded} recorded steps is both complete and free of tracing and compiling."


RULE = Rule(
    id="too-few-steps",
    title="Too few complete steps were recorded",
    action="Record about ten steps, after the first few",
    group="capture",
    why="Steps vary. One or two of them show only what happened then, not what the training usually does.",
    measured="The rule counts steps that are recorded from their start to the start of the next one, that neither trace nor compile, and that no other work, such as an evaluation, interrupts. With several hosts, it takes the host with the most such steps.",
    limits=(
        "The last recorded step never counts, and neither does the first if the host runs ahead of the GPU, so ten recorded steps yield eight or nine.",
        "Three steps are enough for an average, but not for rare events: a checkpoint every hundred steps stays unseen.",
    ),
    guide=guide.COLLECT,
    judge=judge,
    thresholds=(STEPS,),
    trust=True,
    fix=Fix(
        summary="Record about ten steps, after the first few.",
        actions=(
            "With the TensorBoard callback, choose a range of batches: profile_batch=(10, 20).",
            "In a custom loop, start the profiler after some steps and stop it ten steps later.",
            "When capturing from TensorBoard's dialog, make the duration at least ten times a step.",
        ),
        snippets=(
            KERAS_TEN_STEPS,
            custom_loop(
                "for step in range(steps):\n"
                "    if step == 10:\n"
                "        tf.profiler.experimental.start(logdir)\n"
                "    if step == 21:\n"
                "        tf.profiler.experimental.stop()\n"
                "    with tf.profiler.experimental.Trace('train', step_num=step, _r=1):\n"
                "        train_step(next(iterator))"
            ),
        ),
    ),
    jax=Fix(
        summary="Record about ten steps, after the first few.",
        actions=(
            "Start the profiler after some steps and stop it ten steps later.",
            "Wait for the last step before you stop it: calls return before the GPU is done.",
            "When capturing from TensorBoard's dialog, make the duration at least ten times a step.",
        ),
        snippets=(JAX_TEN_STEPS,),
    ),
)
