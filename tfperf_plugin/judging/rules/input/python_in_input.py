"""Steps wait for Python inside the input pipeline."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow
from tfperf_plugin.analysis.artifacts.input.stages import PYTHON
from tfperf_plugin.judging.engine.rule import Verdict, declared
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.rules.input._stage import judge_stage, waited_for, works

WORKS = works("it runs")

RUNS = "{stage} runs Python for {batch:ms} of each batch, while the GPU waits for it; Python runs one call at a time."
RUNS_HOST = "{stage} runs Python for {batch:ms} of each batch, while the step waits for it; Python runs one call at a time."
BASIS = "the Python stage's own work per step, as far as GPUs wait for input"


def judge(late: LateInput) -> Verdict:
    """Checks whether the stage that steps wait for calls Python."""
    row = waited_for(late, "Python", lambda row: row.stage == PYTHON)
    if not isinstance(row, IteratorRow):
        return row
    return judge_stage(
        late, row,
        what=row.written,
        summary=say(RUNS if late.on_gpu else RUNS_HOST, stage=late.described, batch=row.batch_ns),
        share="it runs",
        basis=BASIS,
    )  # fmt: skip


RULE = declared(judge, thresholds=(WORKS,), explained_by=("input-bound",))
