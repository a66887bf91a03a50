"""Steps wait for Python inside the input pipeline."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow
from tfperf_plugin.analysis.artifacts.input.stages import PYTHON
from tfperf_plugin.judging.engine.rule import Verdict, declared
from tfperf_plugin.judging.engine.stage import judge_stage, waited_for, works
from tfperf_plugin.judging.engine.words import ms

WORKS = works("it runs")


def judge(late: LateInput) -> Verdict:
    """Checks whether the stage that steps wait for calls Python."""
    row = waited_for(late, "Python", lambda row: row.stage == PYTHON)
    if not isinstance(row, IteratorRow):
        return row
    return judge_stage(
        late, row,
        what=row.written,
        summary=f"{late.described} runs Python for {ms(row.batch_ns)} of each batch, while "
        f"{'GPUs wait' if late.on_gpu else 'the step waits'} for it; Python runs one call at a time.",
        share="it runs",
        basis="the Python stage's own work per step, as far as GPUs wait for input",
    )  # fmt: skip


RULE = declared(judge, thresholds=(WORKS,), explained_by=("input-bound",))
