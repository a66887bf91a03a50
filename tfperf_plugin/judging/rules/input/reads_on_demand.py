"""Steps wait for files that the pipeline reads one at a time, on demand."""

from __future__ import annotations

from tfperf_plugin.analysis.artifacts.input.idle_input import LateInput
from tfperf_plugin.analysis.artifacts.input.pipelines import IteratorRow
from tfperf_plugin.analysis.artifacts.input.stages import READ_ON_DEMAND
from tfperf_plugin.analysis.evidence import Evidence
from tfperf_plugin.judging.engine.rule import Verdict, declared
from tfperf_plugin.judging.engine.say import say
from tfperf_plugin.judging.rules.input._stage import judge_stage, waited_for, works

WORKS = works("it reads")

READS = "{stage} reads one file at a time and only when the next stage needs it: {batch:ms} for a batch, while the GPU waits."
READS_HOST = "{stage} reads one file at a time and only when the next stage needs it: {batch:ms} for a batch, while the step waits."
BASIS = "the reading per step, as far as GPUs wait for input: reading enough files at the same time hides it"


def judge(late: LateInput) -> Verdict:
    """Checks whether the stage that steps wait for reads files one at a time and only on demand."""
    row = waited_for(late, "file", lambda row: row.stage == READ_ON_DEMAND)
    if not isinstance(row, IteratorRow):
        return row
    return judge_stage(
        late, row,
        what="Reading",
        summary=say(READS if late.on_gpu else READS_HOST, stage=late.described, batch=row.batch_ns),
        share="it reads",
        basis=BASIS,
        more=(Evidence("files read at the same time", row.at_once, "count", None, "iterator events"),),
    )  # fmt: skip


RULE = declared(judge, thresholds=(WORKS,), explained_by=("input-bound",))
